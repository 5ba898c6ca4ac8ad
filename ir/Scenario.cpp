// The arithmetic of scenarios; see Scenario.h.
#include "ir/Scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace moac;
using namespace moac::scenario;

namespace {
double roundedUp(double value, double unit) { return std::ceil(value / unit) * unit; }

/// Blocks that one SM holds when each asks for this much; nothing when the machine has no such limit.
std::optional<double> residentBlocks(const Resources &r, double registers, double shared, const Machine &machine) {
  const MachineMemory *file = machine.memory("registers"), *store = machine.memory("shared");
  const double lanes = static_cast<double>(machine.extent("lane"));
  if (machine.kind != "gpu" || !file || !store || r.threads == 0)
    return std::nullopt;
  const double warps = std::ceil(static_cast<double>(r.threads) / lanes);
  const double unit = static_cast<double>(file->unit);
  // A warp is given whole units; of a block's total nobody knows how its warps share it.
  const double ofBlock = r.perThread ? warps * roundedUp(registers * lanes * 4, unit) : registers * 4;
  const double limits[] = {ofBlock > 0 ? static_cast<double>(file->bytes) / ofBlock : std::numeric_limits<double>::infinity(),
                           static_cast<double>(store->bytes) / std::max(1.0, shared + static_cast<double>(store->reserved)),
                           static_cast<double>(machine.extent("warp")) / warps};
  return std::floor(*std::ranges::min_element(limits));
}

void addRange(Quantities &to, const std::string &name, double low, double high) {
  to[name + " low"] = low, to[name + " high"] = high;
}

void addResources(Quantities &to, const Resources &r, const Machine &machine, bool verified) {
  const double threads = static_cast<double>(r.threads), times = r.perThread ? threads : 1;
  to["threads"] = threads;
  addRange(to, "registers", r.registers.low * times, r.registers.high * times);
  if (r.perThread)
    to["registers per thread"] = r.registers.high;
  addRange(to, "shared", r.shared.low, r.shared.high);
  const std::optional<double> most = residentBlocks(r, r.registers.low, r.shared.low, machine);
  const std::optional<double> least = residentBlocks(r, r.registers.high, r.shared.high, machine);
  if (!most || !least)
    return;
  const double warps = std::ceil(threads / static_cast<double>(machine.extent("lane")));
  if (verified)
    addRange(to, "resident", *least, *most);
  to["warps"] = std::max(1.0, *least) * warps;
}

Verdict judge(const Gate &gate, const Quantities &quantities, const Baseline &baseline) {
  Verdict verdict;
  verdict.limit = gate.shareOfBaseline ? gate.limit * baseline.time : gate.limit;
  auto found = quantities.find(gate.quantity);
  if (found == quantities.end())
    return verdict;
  verdict.value = found->second;
  const bool passed = gate.relation == Gate::Relation::Below     ? verdict.value < verdict.limit
                      : gate.relation == Gate::Relation::AtLeast ? verdict.value >= verdict.limit
                      : gate.relation == Gate::Relation::Is      ? verdict.value == verdict.limit
                                                                 : verdict.value <= verdict.limit;
  verdict.kind = passed ? Verdict::Kind::Passed : Verdict::Kind::Rejected;
  return verdict;
}

/// With as many decimals as the claim has.
std::string likeClaim(const std::string &claim, double value) {
  const size_t dot = claim.find('.');
  // Half a unit in the last place of a decimal input is rarely a double: what lies that close counts as half.
  const size_t decimals = dot == claim.npos ? 0 : claim.size() - dot - 1;
  return fmt::format("{:.{}f}", value + std::copysign(std::fabs(value) * 1e-13, value), decimals);
}

void compare(const Claims &claims, const std::string &of, const Quantities &quantities, std::vector<Compared> &to) {
  for (const auto &[name, claim] : claims) {
    auto found = quantities.find(name);
    to.push_back({of + ", " + name, claim, found == quantities.end() ? "nothing" : likeClaim(claim, found->second)});
  }
}

Quantities ofCandidate(const Candidate &c, const Scenario &s, const Machine &machine) {
  Quantities q(c.facts.begin(), c.facts.end());
  addResources(q, c.resources, machine, c.unverified.empty());
  q["verified"] = c.unverified.empty() ? 1 : 0;
  const double busy = s.baseline.time, idle = s.baseline.idle;
  const double low = busy * (1 - idle * c.recovered.high) + c.overhead.low;
  const double high = busy * (1 - idle * c.recovered.low) + c.overhead.high;
  addRange(q, "projected", low, high);
  const Range before = s.before ? s.before->time : Range();
  addRange(q, "complete", low + before.low, high + before.high);
  return q;
}

/// The two that come first among those that no gate rejects.
void choose(const Scenario &scenario, Outcome &o) {
  for (size_t i = 0; i < scenario.candidates.size(); ++i) {
    if (std::ranges::any_of(o.verdicts[i], [](const Verdict &v) { return v.kind == Verdict::Kind::Rejected; }))
      continue;
    auto comesBefore = [&](const std::optional<size_t> &other) {
      return !other || o.candidates[i]["complete low"] < o.candidates[*other]["complete low"];
    };
    if (comesBefore(o.winner))
      o.runnerUp = o.winner, o.winner = i;
    else if (comesBefore(o.runnerUp))
      o.runnerUp = i;
  }
}
} // namespace

Outcome scenario::evaluate(const Scenario &s, const Machine &machine) {
  Outcome o;
  for (const auto &[name, value] : s.baseline.measured)
    o.baseline[name] = value;
  o.baseline["time"] = s.baseline.time, o.baseline["idle"] = s.baseline.idle;
  if (s.baseline.resources)
    addResources(o.baseline, *s.baseline.resources, machine, true);
  compare(s.baseline.claims, "baseline", o.baseline, o.claims);
  if (s.before) {
    for (const auto &[name, value] : s.before->pieces)
      o.before["pieces"] += value;
    addRange(o.before, "time", s.before->time.low, s.before->time.high);
    compare(s.before->claims, "before", o.before, o.claims);
  }
  for (const Candidate &c : s.candidates) {
    Quantities &q = o.candidates.emplace_back(ofCandidate(c, s, machine));
    std::vector<Verdict> &verdicts = o.verdicts.emplace_back();
    for (const Gate &gate : s.gates) {
      verdicts.push_back(judge(gate, q, s.baseline));
      q[gate.name + " limit"] = verdicts.back().limit;
    }
    compare(c.claims, c.name, q, o.claims);
  }
  choose(s, o);
  if (!s.endToEnd)
    return o;
  const EndToEnd &e = *s.endToEnd;
  o.endToEnd = {{"share", e.share / e.total}, {"rest", e.total - e.share}, {"most", e.total / (e.total - e.share)}};
  compare(e.claims, "end to end", o.endToEnd, o.claims);
  for (const EndToEnd::Speedup &speedup : e.speedups) {
    Quantities q = {{"total", e.total - e.share + e.share / speedup.speedup}};
    q["whole speedup"] = e.total / q["total"];
    if (e.reference > 0)
      q["of reference"] = q["total"] / e.reference;
    compare(speedup.claims, speedup.name, q, o.claims);
    o.speedups.push_back(std::move(q));
  }
  return o;
}
