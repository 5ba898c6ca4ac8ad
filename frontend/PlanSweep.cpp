// `moac plan --sweep N=64,512,4096`: a kernel with a symbolic extent planned at several sizes, and where between them another
// schedule or another number of threads becomes the best. A threshold is bisected to a sixteenth of its value: the estimates
// are no sharper.
#include "frontend/Planner.h"
#include "ir/TextTable.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;

namespace {
class Sweeper {
public:
  Sweeper(const PlanRequest &request, PlanSweep &sweep) : request(request), sweep(sweep) {}

  std::string run() {
    for (int64_t value : sweep.values)
      if (std::string problem = at(value, sweep.points); !problem.empty())
        return fmt::format("at {}={}: {}", sweep.symbol, value, problem);
    for (size_t i = 1; i < sweep.points.size(); ++i)
      if (!same(sweep.points[i - 1], sweep.points[i]))
        if (std::string problem = between(sweep.points[i - 1], sweep.points[i]); !problem.empty())
          return problem;
    return "";
  }

private:
  static bool same(const PlanSweep::Point &a, const PlanSweep::Point &b) { return a.winner == b.winner && a.threads == b.threads; }

  std::string at(int64_t value, std::vector<PlanSweep::Point> &to) {
    request.sizes[sweep.symbol] = value;
    Answer<Plan> plan = planKernel(request);
    if (!plan)
      return plan.error;
    const PlanCandidate &winner = plan->candidates[plan->ranking[0]];
    to.push_back({value, winner.choice.what, winner.best().threads, winner.best().seconds, winner.best().bound, plan->schedule});
    return "";
  }

  /// The least value, about, from which the plan of `high` is the best.
  std::string between(const PlanSweep::Point &low, PlanSweep::Point high) {
    int64_t below = low.value;
    while (high.value - below > std::max<int64_t>(1, below / 16)) {
      std::vector<PlanSweep::Point> middle;
      const int64_t value = below + (high.value - below) / 2;
      if (std::string problem = at(value, middle); !problem.empty())
        return problem;
      if (same(middle[0], high))
        high = middle[0];
      else
        below = value;
    }
    sweep.thresholds.push_back(std::move(high));
    return "";
  }

  PlanRequest request;
  PlanSweep &sweep;
};

std::string threads(int64_t count) { return fmt::format("{} thread{}", count, count == 1 ? "" : "s"); }
} // namespace

std::optional<PlanSweep> moac::parseSweep(const std::string &text) {
  PlanSweep sweep;
  auto [name, list] = llvm::StringRef(text).split('=');
  sweep.symbol = name.str();
  llvm::SmallVector<llvm::StringRef> words;
  list.split(words, ',');
  for (llvm::StringRef word : words) {
    int64_t value = 0;
    if (word.getAsInteger(10, value) || value < 0 || (!sweep.values.empty() && value <= sweep.values.back()))
      return std::nullopt;
    sweep.values.push_back(value);
  }
  return name.empty() || sweep.values.size() < 2 ? std::nullopt : std::optional(std::move(sweep));
}

std::string moac::runSweep(const PlanRequest &request, PlanSweep &sweep) { return Sweeper(request, sweep).run(); }

std::string moac::sweepText(const PlanSweep &sweep) {
  TextTable table;
  table.row({sweep.symbol, "time", "threads", "bound by", "winner"});
  for (const PlanSweep::Point &p : sweep.points)
    table.row({std::to_string(p.value), fmt::format("{:.4g} us", p.seconds * 1e6), std::to_string(p.threads), p.bound, p.winner});
  std::string out = table.text() + "\n";
  for (const PlanSweep::Point &p : sweep.thresholds)
    out += fmt::format("from about {} = {}: {}, {}\n", sweep.symbol, p.value, p.winner, threads(p.threads));
  return sweep.thresholds.empty() ? out + "one plan for all of them\n" : out;
}

std::string moac::sweepJson(const PlanSweep &sweep) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  llvm::json::OStream j(stream, 2);
  auto list = [&](llvm::StringRef key, const std::vector<PlanSweep::Point> &points) {
    j.attributeArray(key, [&] {
      for (const PlanSweep::Point &p : points)
        j.object([&] {
          j.attribute("value", p.value), j.attribute("winner", p.winner), j.attribute("threads", p.threads);
          j.attribute("seconds", p.seconds), j.attribute("bound", p.bound), j.attribute("schedule", p.schedule);
        });
    });
  };
  j.object([&] { j.attribute("symbol", sweep.symbol), list("points", sweep.points), list("thresholds", sweep.thresholds); });
  return out + "\n";
}
