// Plans for a reader and for programs.
#include "frontend/Planner.h"
#include "ir/TextTable.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cmath>

using namespace moac;
using namespace moac::cost;

namespace {
std::string time(double seconds) {
  const char *const units[] = {"s", "ms", "us", "ns"};
  size_t unit = 0;
  for (; seconds < 1 && unit < 3; ++unit)
    seconds *= 1000;
  return fmt::format("{:.4g} {}", seconds, units[unit]);
}

std::string amount(const Limit &limit) {
  if (limit.memory.empty())
    return fmt::format("{} {:.4g} of {:.4g}", limit.name, std::ceil(limit.value), limit.limit);
  return fmt::format("{} {} of {}, {}", limit.name, bytesText(static_cast<int64_t>(limit.value)), bytesText(static_cast<int64_t>(limit.limit)), limit.memory);
}

class Writer {
public:
  explicit Writer(const Plan &plan) : plan(plan) {}

  std::string text() const {
    std::vector<std::string> sizes;
    for (const auto &[name, value] : plan.sizes)
      sizes.push_back(fmt::format("{}={}", name, value));
    std::string out = fmt::format("kernel {}{}{}, on {}\n", plan.kernel, sizes.empty() ? "" : " at ", fmt::join(sizes, ", "), plan.machine.machine.name);
    if (!plan.machine.assumed.empty())
      out += fmt::format("not in the description, assumed: {}\n", fmt::join(plan.machine.assumed, "; "));
    out += "\ncandidates: the slowest part bounds each\n" + candidates();
    for (const PlanCandidate &c : plan.candidates)
      if (!c.refused.empty())
        out += fmt::format("  not possible: {}: {}\n", c.choice.what, c.refused);
      else if (c.rejected())
        for (const Limit &limit : c.limits)
          if (!limit.passed())
            out += fmt::format("  rejected: {}: {}\n", c.choice.what, amount(limit));
    return out + "\n" + (plan.tuning ? measured(*plan.tuning) + "\n" : "") + verdict() + "\n" + plan.schedule;
  }

private:
  std::string candidates() const {
    TextTable table;
    std::vector<std::string> head = {"candidate", "time", "threads"};
    for (const Estimate::Part &part : plan.candidates[0].estimates[0].parts)
      head.push_back(part.what);
    table.row(head);
    std::vector<size_t> order = plan.ranking;
    for (size_t i = 0; i < plan.candidates.size(); ++i)
      if (plan.candidates[i].refused.empty() && plan.candidates[i].rejected())
        order.push_back(i);
    for (size_t i : order) {
      const Estimate &e = plan.candidates[i].best();
      std::vector<std::string> cells = {plan.candidates[i].choice.what, time(e.seconds), std::to_string(e.threads)};
      for (size_t k = 0; k + 3 < head.size(); ++k)
        cells.push_back(time(e.parts[k].seconds));
      table.row(cells);
    }
    return table.text();
  }

  std::string measured(const Tuning &tuning) const {
    TextTable table;
    table.row({"candidate", "median", "p10", "p90", "of the estimate", "stack", "moves to and from it"});
    std::string problems;
    for (const TunedCandidate &c : tuning.tried) {
      const PlanCandidate &planned = plan.candidates[c.candidate];
      if (!c.problem.empty())
        problems += fmt::format("  not timed: {}: {}\n", planned.choice.what, c.problem);
      else
        table.row({planned.choice.what, time(c.quantile(0.5)), time(c.quantile(0.1)), time(c.quantile(0.9)),
                   fmt::format("{:.2f}", c.quantile(0.5) / planned.best().seconds), bytesText(c.report.stackBytes),
                   c.report.spills ? fmt::format("{} beside {} products", *c.report.spills, c.report.vectorOperations) : "unknown"});
      if (!c.rejected.empty())
        problems += fmt::format("  rejected: {}: {}\n", planned.choice.what, c.rejected);
    }
    return fmt::format("measured here, {} rounds forwards and backwards in turn\n{}{}  {}\n", tuning.rounds, table.text(), problems, tuning.reason);
  }

  std::string verdict() const {
    const PlanCandidate &winner = plan.candidates[plan.ranking[0]];
    std::string out = fmt::format("winner: {}, {} with {} thread{}, bound by {}\n", winner.choice.what, time(winner.best().seconds), winner.best().threads,
                                  winner.best().threads == 1 ? "" : "s", winner.best().bound);
    for (const Limit &limit : winner.limits)
      out += "  " + amount(limit) + "\n";
    if (plan.ranking.size() < 2)
      return out + "runner-up: none\n";
    const PlanCandidate &next = plan.candidates[plan.ranking[1]];
    out += fmt::format("runner-up: {}, {}: {:.2f} times as long, bound by {}\n", next.choice.what, time(next.best().seconds),
                       next.best().seconds / winner.best().seconds, next.best().bound);
    return out + threads(winner);
  }

  static std::string threads(const PlanCandidate &winner) {
    std::string out;
    for (const Estimate &e : winner.estimates)
      if (e.threads != winner.best().threads && (e.threads == 1 || e.threads == static_cast<int64_t>(winner.estimates.size())))
        out += fmt::format("with {} thread{}: {}, bound by {}\n", e.threads, e.threads == 1 ? "" : "s", time(e.seconds), e.bound);
    return out;
  }

  const Plan &plan;
};
} // namespace

std::string moac::planText(const Plan &plan) { return Writer(plan).text(); }

std::string moac::planJson(const Plan &plan) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::json::OStream j(stream, 2);
  j.object([&] {
    j.attribute("kernel", plan.kernel), j.attribute("machine", plan.machine.machine.name);
    j.attributeObject("sizes", [&] {
      for (const auto &[name, value] : plan.sizes)
        j.attribute(name, value);
    });
    j.attributeArray("assumed", [&] {
      for (const std::string &what : plan.machine.assumed)
        j.value(what);
    });
    j.attributeArray("candidates", [&] {
      for (const PlanCandidate &c : plan.candidates)
        j.object([&] {
          j.attribute("name", c.choice.what), j.attribute("directives", c.directives);
          if (!c.refused.empty())
            return j.attribute("refused", c.refused);
          j.attribute("rejected", c.rejected());
          const Estimate &e = c.best();
          j.attribute("seconds", e.seconds), j.attribute("threads", e.threads), j.attribute("bound", e.bound);
          j.attributeArray("parts", [&] {
            for (const Estimate::Part &part : e.parts)
              j.object([&] { j.attribute("name", part.what), j.attribute("amount", part.amount), j.attribute("seconds", part.seconds); });
          });
          j.attributeArray("limits", [&] {
            for (const Limit &limit : c.limits)
              j.object([&] { j.attribute("name", limit.name), j.attribute("value", limit.value), j.attribute("limit", limit.limit); });
          });
        });
    });
    j.attribute("winner", plan.candidates[plan.ranking[0]].choice.what);
    if (plan.ranking.size() > 1)
      j.attribute("runner_up", plan.candidates[plan.ranking[1]].choice.what);
    if (plan.tuning)
      j.attributeArray("measured", [&] {
        for (const TunedCandidate &c : plan.tuning->tried)
          j.object([&] {
            j.attribute("name", plan.candidates[c.candidate].choice.what);
            if (!c.problem.empty())
              j.attribute("problem", c.problem);
            if (!c.rejected.empty())
              j.attribute("rejected", c.rejected);
            j.attributeArray("seconds", [&] {
              for (double sample : c.samples)
                j.value(sample);
            });
            j.attribute("stack_bytes", c.report.stackBytes);
            if (c.report.spills)
              j.attribute("spills", *c.report.spills);
          });
      });
    j.attribute("schedule", plan.schedule);
  });
  return out + "\n";
}
