// Time from counts; see Estimate.h.
#include "ir/CountLimit.h"
#include "ir/Estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace moac;
using namespace moac::cost;

namespace {
/// Cycles of a port for one vector, on a current core. Multiplications that fuse with an addition are free, integers of
/// subscripts are steps of addresses.
double cyclesOf(Kind kind) {
  switch (kind) {
  case Kind::Divide: return 8;
  case Kind::Root: return 10;
  case Kind::Function: return 16; // a polynomial and its scaling
  case Kind::Integer: return 0;
  default: return 1;
  }
}

double number(const Expr &e) { return static_cast<double>(e.evaluate({}).value_or(0)); }

int64_t bytesOfType(const std::string &operation) {
  const std::string type = operation.substr(operation.find('.') + 1);
  return type == "f64" ? 8 : type == "f16" || type == "bf16" ? 2 : 4;
}

/// Cycles of one core, and of the slowest of several threads, for each number of them.
class Walk {
public:
  Walk(const WorkTree &tree, const Machine &machine, int64_t mostThreads) : machine(machine), facts(), perThreads(static_cast<size_t>(mostThreads), 0.0) {
    block(tree.body, Indicator::always());
  }

  double cycles() const { return perThreads.empty() ? 0 : perThreads[0]; }
  double cycles(int64_t threads) const { return perThreads[static_cast<size_t>(threads - 1)]; }
  double regions = 0; ///< parallel regions entered

private:
  void block(const WorkBlock &b, const Indicator &taken) {
    add(b, taken);
    for (const WorkBlock::Child &child : b.children) {
      if (child.branch) {
        block(*child.branch->body, taken & child.branch->taken);
        continue;
      }
      const WorkLoop &loop = *child.loop;
      const bool opens = loop.role == "parallel" && (stack.empty() || stack.back()->role != "parallel");
      if (opens)
        regions += times(taken);
      middleTrips.push_back(std::max(0.0, atMiddle(loop.range.hi - loop.range.lo)));
      stack.push_back(&loop), nest.push_back(loop.range);
      block(*loop.body, taken);
      stack.pop_back(), nest.pop_back(), middleTrips.pop_back();
    }
  }

  double times(const Indicator &taken) const {
    Count runs;
    for (const Indicator::Term &term : taken.terms)
      runs = runs + countPoints(nest, term.conditions, facts).times(Expr(term.sign));
    if (std::optional<int64_t> exact = runs.evaluate({}))
      return static_cast<double>(*exact);
    // A sum over tiles without a closed form, and many of them: nearly all are whole, so that what stands in the middle of the
    // loops stands for all.
    double points = isTakenInTheMiddle(taken) ? 1 : 0;
    for (size_t i = 0; i < stack.size(); ++i)
      points *= trips(i);
    return points;
  }

  void add(const WorkBlock &b, const Indicator &taken) {
    if (b.operations.empty() && b.accesses.empty())
      return;
    const double runs = times(taken);
    const bool vector = !stack.empty() && (stack.back()->role == "lanes" || stack.back()->role == "parallel"); // independent iterations
    const bool chained = isChained(b);
    double fused = static_cast<double>(b.fused), each = 0;
    for (const auto &[name, count] : b.operations) {
      const Kind kind = kindOf(name);
      double many = static_cast<double>(count);
      if (kind == Kind::Multiply) {
        const double free = std::min(fused, many);
        many -= free, fused -= free;
      }
      const double lanes = vector ? static_cast<double>(machine.lanes(bytesOfType(name))) : 1;
      const double ports = chained && kind <= Kind::Fused ? 1 / static_cast<double>(machine.vector.latency) : static_cast<double>(machine.vector.ports);
      each += many * cyclesOf(kind) / lanes / ports;
    }
    // A load or store issues with arithmetic: it bounds what has none.
    const double moved = static_cast<double>(b.accesses.size()) / (vector ? static_cast<double>(machine.lanes(8)) : 1) / 4;
    spread(runs * std::max(each, moved));
  }

  /// Divides cycles among threads: whole iterations of the parallel loops around.
  void spread(double cycles) {
    double together = 1;
    for (size_t i = 0; i < stack.size(); ++i)
      if (stack[i]->role == "parallel")
        together *= std::max(1.0, trips(i));
    for (size_t t = 0; t < perThreads.size(); ++t) {
      const auto threads = static_cast<double>(t + 1);
      perThreads[t] += cycles * std::ceil(together / threads) / together;
    }
  }

  /// With the loops around it in the middle of their ranges.
  double atMiddle(Expr e) const {
    for (size_t i = nest.size(); i-- > 0;) // from the inside: each mentions those around it
      e = e.substitute({{nest[i].variable, shape::floordiv(nest[i].lo + nest[i].hi - Expr(1), Expr(2))}});
    return number(e);
  }
  bool isTakenInTheMiddle(const Indicator &taken) const {
    int64_t sum = 0;
    for (const Indicator::Term &term : taken.terms)
      sum += term.sign * std::ranges::all_of(term.conditions, [&](const Expr &e) { return atMiddle(e) >= 0; });
    return sum > 0;
  }
  double trips(size_t depth) const { return middleTrips[depth]; }

  /// The sum of a loop goes through one accumulator: each addition waits for the last.
  bool isChained(const WorkBlock &b) const {
    if (stack.empty() || stack.back()->role == "unroll")
      return false;
    const std::string &v = stack.back()->range.variable;
    return std::ranges::any_of(b.accesses, [&](const Access &a) { return a.kind == AccessKind::Update && a.offset && !a.offset->mentions(v); });
  }

  const Machine &machine;
  shape::Facts facts;
  std::vector<double> perThreads;
  std::vector<const WorkLoop *> stack;
  std::vector<LoopRange> nest;
  std::vector<double> middleTrips;
  const CountLimit limit{5000}; ///< terms of a sum
};

/// All memories of one kind together, as `threads` cores use them.
double rateOf(const MachineMemory &memory, int64_t threads) {
  return memory.bytesPerSecond * std::ceil(static_cast<double>(threads) / static_cast<double>(memory.sharedBy));
}
} // namespace

AssumedMachine cost::assumeMissing(const Machine &given) {
  AssumedMachine a{given, 0, 0, {}};
  Machine &m = a.machine;
  auto rate = m.rates.find("f32");
  if (rate != m.rates.end() && rate->second > 0) {
    a.cyclesPerSecond = rate->second / static_cast<double>(2 * m.vector.ports * m.lanes(4));
  } else {
    a.cyclesPerSecond = 3e9;
    a.assumed.push_back("3 GHz");
  }
  double nearer = 2 * static_cast<double>(m.vector.bytes) * a.cyclesPerSecond; // two loads a cycle
  std::string levels;
  for (MachineMemory &memory : m.memories) {
    const bool known = memory.bytesPerSecond > 0;
    if (!known) {
      memory.bytesPerSecond = nearer * static_cast<double>(memory.sharedBy);
      levels += fmt::format("{}{} {:.4g} GB/s", levels.empty() ? "" : ", ", memory.name, nearer / 1e9);
    }
    nearer = memory.bytesPerSecond / (known ? 1 : static_cast<double>(memory.sharedBy)) / 2;
  }
  if (!levels.empty())
    a.assumed.push_back("for each core " + levels);
  auto barrier = m.costs.find("barrier");
  a.barrier = barrier == m.costs.end() ? 5e-6 : barrier->second;
  if (barrier == m.costs.end())
    a.assumed.push_back("5 us to wake threads");
  m.memories.insert(m.memories.begin(), {"registers", m.vector.bytes * m.vector.registers, m.vector.bytes, 1, 1, 0, 0});
  return a;
}

std::vector<Estimate> cost::estimates(const WorkTree &tree, const AssumedMachine &a) {
  const Machine &m = a.machine;
  const std::optional<std::vector<LevelTraffic>> traffic = trafficOf(tree, m, {});
  const int64_t most = std::clamp<int64_t>(m.units(), 1, 1024);
  std::vector<Estimate> all;
  if (!traffic)
    return all;
  const Walk walk(tree, m, most);
  for (int64_t threads = 1; threads <= most; ++threads) {
    Estimate e;
    e.threads = threads;
    const double share = walk.cycles() > 0 ? walk.cycles(threads) / walk.cycles() : 1; // of the slowest thread
    e.parts.push_back({"arithmetic", walk.cycles(), walk.cycles(threads) / a.cyclesPerSecond});
    for (size_t k = 0; k < traffic->size(); ++k) {
      const MachineMemory &behind = m.memories[k + 1];
      // One thread's share of its own memory, or all threads' bytes at the rate of what they share.
      const double alone = (*traffic)[k].total() * share / rateOf(behind, 1);
      const double together = (*traffic)[k].total() / rateOf(behind, threads);
      e.parts.push_back({(*traffic)[k].level, (*traffic)[k].total(), std::max(alone, together)});
    }
    for (const Estimate::Part &part : e.parts) {
      e.sum += part.seconds;
      if (part.seconds > e.seconds || e.bound.empty())
        e.seconds = part.seconds, e.bound = part.what;
    }
    if (threads > 1) {
      e.parts.push_back({"waking", walk.regions, walk.regions * a.barrier});
      e.seconds += e.parts.back().seconds, e.sum += e.parts.back().seconds;
    }
    all.push_back(std::move(e));
  }
  return all;
}

const Estimate &cost::best(const std::vector<Estimate> &all) {
  const Estimate *best = &all.front();
  for (const Estimate &e : all)
    if (e.seconds < best->seconds * 0.99)
      best = &e;
  return *best;
}
