// Scenarios for a reader and for programs.
#include "ir/Scenario.h"
#include "ir/TextTable.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;
using namespace moac::scenario;

namespace {
/// The shortest decimal text that is the number again.
std::string plain(double value) { return fmt::format("{}", value); }

std::string thousands(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

class Writer {
public:
  Writer(const Scenario &s, const Outcome &o, const Machine &machine) : s(s), o(o), machine(machine) {}

  std::string text() const {
    std::string out = fmt::format("{}\non {}\n\nbaseline\n{}", s.name, machine.name, baseline());
    if (s.before)
      out += fmt::format("\nbefore it, unchanged\n{}", before());
    out += fmt::format("\nresources of a block\n{}", resources());
    out += fmt::format("\nprojection ({} * (1 - idle * recovered) + overhead): a screen, not a prediction\n{}", plain(s.baseline.time), projection());
    if (!s.gates.empty())
      out += "\ngates\n" + gates();
    out += "\n" + choice();
    if (s.endToEnd)
      out += fmt::format("\n{}({}) = {} - {} + {} / speedup\n{}", s.whole, s.endToEnd->unit, plain(s.endToEnd->total), plain(s.endToEnd->share),
                         plain(s.endToEnd->share), endToEnd());
    return out + claims();
  }

private:
  static double at(const Quantities &q, const std::string &name) {
    auto found = q.find(name);
    return found == q.end() ? 0 : found->second;
  }

  std::string range(const Quantities &q, const std::string &name, int64_t decimals) const {
    return ends(at(q, name + " low"), at(q, name + " high"), decimals);
  }
  static std::string ends(double low, double high, int64_t decimals) {
    const std::string first = fmt::format("{:.{}f}", low, decimals), last = fmt::format("{:.{}f}", high, decimals);
    return first == last ? first : first + "-" + last;
  }
  std::string time(const std::string &number) const { return number + " " + s.unit; }

  static std::string registers(const Quantities &q) {
    const double low = at(q, "registers low"), high = at(q, "registers high");
    std::string text = thousands(low) + (low == high ? "" : "-" + thousands(high));
    return q.contains("registers per thread") ? fmt::format("{} at {} a thread", text, plain(at(q, "registers per thread"))) : text;
  }
  static std::string kib(const Quantities &q) {
    const double low = at(q, "shared low") / 1024, high = at(q, "shared high") / 1024;
    return plain(low) + (low == high ? "" : "-" + plain(high)) + " KiB";
  }
  static std::string resident(const Quantities &q) { return q.contains("resident low") ? ends(at(q, "resident low"), at(q, "resident high"), 0) : ""; }

  std::string baseline() const {
    TextTable table;
    table.row({s.part, time(plain(s.baseline.time))});
    for (const auto &[name, value] : s.baseline.measured)
      table.row({name, plain(value)});
    table.row({"idle cycles", fmt::format("{}%", plain(std::stod(fmt::format("{:.10g}", s.baseline.idle * 100))))});
    if (s.baseline.resources) {
      const Quantities &q = o.baseline;
      table.row({"threads of a block", plain(at(q, "threads"))});
      table.row({"registers of a block", registers(q)});
      table.row({"shared memory of a block", kib(q)});
      if (q.contains("resident low"))
        table.row({"resident blocks / warps", resident(q) + " / " + plain(at(q, "warps"))});
    }
    return table.text();
  }

  std::string before() const {
    TextTable table;
    for (const auto &[name, value] : s.before->pieces)
      table.row({name, time(plain(value))});
    table.row({"sum", time(fmt::format("{:.10g}", at(o.before, "pieces")))});
    table.row({"with margin", time(plain(s.before->time.low) + "-" + plain(s.before->time.high))});
    return table.text();
  }

  std::string resources() const {
    TextTable table;
    table.row({"candidate", "threads", "registers", "shared", "blocks an SM", "warps"});
    for (size_t i = 0; i < s.candidates.size(); ++i) {
      const Candidate &c = s.candidates[i];
      const Quantities &q = o.candidates[i];
      table.row({c.name, plain(at(q, "threads")), registers(q), kib(q), c.unverified.empty() ? resident(q) : "unverified " + c.unverified,
                 q.contains("warps") ? plain(at(q, "warps")) : ""});
    }
    return table.text();
  }

  std::string projection() const {
    TextTable table;
    table.row({"candidate", "recovered", "overhead", s.part, s.before ? "complete" : ""});
    for (size_t i = 0; i < s.candidates.size(); ++i) {
      const Candidate &c = s.candidates[i];
      const Quantities &q = o.candidates[i];
      table.row({c.name, ends(c.recovered.low * 100, c.recovered.high * 100, 0) + "%", time(plain(c.overhead.low) + "-" + plain(c.overhead.high)),
                 time(range(q, "projected", s.decimals)), s.before ? time(range(q, "complete", s.decimals)) : ""});
    }
    return table.text();
  }

  static std::string condition(const Gate &gate, const Verdict &v) {
    const char *const words[] = {"below ", "at most ", "at least ", ""};
    return words[static_cast<size_t>(gate.relation)] + (gate.relation == Gate::Relation::Is ? truth(v.limit) : plain(v.limit));
  }
  static std::string found(const Gate &gate, const Verdict &v) {
    return gate.relation == Gate::Relation::Is ? truth(v.value) : fmt::format("{:.7g}", v.value);
  }
  static const char *truth(double fact) { return fact != 0 ? "true" : "false"; }

  std::string gates() const {
    TextTable table;
    std::vector<std::string> head = {"gate", "of", "has to be"};
    for (const Candidate &c : s.candidates)
      head.push_back(c.name);
    table.row(head);
    for (size_t g = 0; g < s.gates.size(); ++g) {
      std::vector<std::string> cells = {s.gates[g].name, s.gates[g].quantity, condition(s.gates[g], o.verdicts[0][g])};
      for (size_t i = 0; i < s.candidates.size(); ++i)
        cells.push_back(verdict(s.gates[g], o.verdicts[i][g]));
      table.row(cells);
    }
    return table.text();
  }

  static std::string verdict(const Gate &gate, const Verdict &v) {
    if (v.kind == Verdict::Kind::Open)
      return "open";
    return (v.kind == Verdict::Kind::Passed ? "pass " : "REJECT ") + found(gate, v);
  }

  std::string choice() const {
    if (!o.winner)
      return "winner: none, every candidate is rejected\n";
    std::string out = "winner: " + s.candidates[*o.winner].name + " " + reason(*o.winner);
    out += o.runnerUp ? "runner-up: " + s.candidates[*o.runnerUp].name + " " + reason(*o.runnerUp) : "runner-up: none\n";
    for (size_t i = 0; i < s.candidates.size(); ++i)
      for (size_t g = 0; g < s.gates.size(); ++g)
        if (const Verdict &v = o.verdicts[i][g]; v.kind == Verdict::Kind::Rejected)
          out += fmt::format("{}: rejected by '{}': {} is {}, has to be {}\n", s.candidates[i].name, s.gates[g].name, s.gates[g].quantity,
                             found(s.gates[g], v), condition(s.gates[g], v));
    return out;
  }

  std::string reason(size_t i) const {
    const auto open = std::ranges::count_if(o.verdicts[i], [](const Verdict &v) { return v.kind == Verdict::Kind::Open; });
    return fmt::format("at {}{}\n", time(range(o.candidates[i], "complete", s.decimals)), open ? fmt::format(", {} gate{} open", open, open == 1 ? "" : "s") : "");
  }

  std::string endToEnd() const {
    const EndToEnd &e = *s.endToEnd;
    TextTable table;
    std::vector<std::string> head = {"speedup of the share", s.whole, "speedup of the whole"};
    if (e.reference > 0)
      head.push_back(fmt::format("of {} {}", plain(e.reference), e.unit));
    table.row(head);
    for (size_t i = 0; i < e.speedups.size(); ++i) {
      const Quantities &q = o.speedups[i];
      std::vector<std::string> cells = {fmt::format("{:.2f}x {}", e.speedups[i].speedup, e.speedups[i].name),
                                        fmt::format("{:.2f} {}", at(q, "total"), e.unit), fmt::format("{:.3f}x", at(q, "whole speedup"))};
      if (e.reference > 0)
        cells.push_back(fmt::format("{:.1f}%", at(q, "of reference") * 100));
      table.row(cells);
    }
    table.row({fmt::format("any (the share is {:.1f}%)", at(o.endToEnd, "share") * 100), fmt::format("above {:.2f} {}", at(o.endToEnd, "rest"), e.unit),
               at(o.endToEnd, "rest") > 0 ? fmt::format("below {:.3f}x", at(o.endToEnd, "most")) : ""});
    return table.text();
  }

  std::string claims() const {
    if (o.claims.empty())
      return "";
    const auto agreeing = std::ranges::count_if(o.claims, &Compared::agrees);
    std::string out = fmt::format("\nclaimed digits: {} of {} come out\n", agreeing, o.claims.size());
    for (const Compared &c : o.claims)
      if (!c.agrees())
        out += fmt::format("  {}: claimed {}, computed {}\n", c.what, c.claimed, c.computed);
    return out;
  }

  const Scenario &s;
  const Outcome &o;
  const Machine &machine;
};
} // namespace

std::string scenario::scenarioText(const Scenario &s, const Outcome &o, const Machine &machine) { return Writer(s, o, machine).text(); }

std::string scenario::scenarioJson(const Scenario &s, const Outcome &o, const Machine &machine) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::json::OStream j(stream, 2);
  auto numbers = [&](llvm::StringRef key, const Quantities &q) {
    j.attributeObject(key, [&] {
      for (const auto &[name, value] : q)
        j.attribute(name, value);
    });
  };
  const char *const kinds[] = {"passed", "rejected", "open"};
  j.object([&] {
    j.attribute("scenario", s.name), j.attribute("machine", machine.name), j.attribute("unit", s.unit);
    numbers("baseline", o.baseline), numbers("before", o.before);
    j.attributeArray("candidates", [&] {
      for (size_t i = 0; i < s.candidates.size(); ++i)
        j.object([&] {
          j.attribute("name", s.candidates[i].name);
          numbers("quantities", o.candidates[i]);
          j.attributeArray("gates", [&] {
            for (size_t g = 0; g < s.gates.size(); ++g)
              j.object([&] {
                const Verdict &v = o.verdicts[i][g];
                j.attribute("name", s.gates[g].name), j.attribute("verdict", kinds[static_cast<size_t>(v.kind)]), j.attribute("limit", v.limit);
                if (v.kind != Verdict::Kind::Open)
                  j.attribute("value", v.value);
              });
          });
        });
    });
    if (o.winner)
      j.attribute("winner", s.candidates[*o.winner].name);
    if (o.runnerUp)
      j.attribute("runner_up", s.candidates[*o.runnerUp].name);
    numbers("end_to_end", o.endToEnd);
    j.attributeArray("speedups", [&] {
      for (size_t i = 0; i < o.speedups.size(); ++i)
        j.object([&] { j.attribute("name", s.endToEnd->speedups[i].name), j.attribute("speedup", s.endToEnd->speedups[i].speedup), numbers("quantities", o.speedups[i]); });
    });
    j.attributeArray("claims", [&] {
      for (const Compared &c : o.claims)
        j.object([&] { j.attribute("what", c.what), j.attribute("claimed", c.claimed), j.attribute("computed", c.computed), j.attribute("agrees", c.agrees()); });
    });
  });
  return out + "\n";
}
