// Choosing among schedules by counts: each candidate is compiled like a user's schedule, its loops are counted and timed
// on a machine's description (ir/Estimate.h), and rejected when it exceeds a limit. What moac does without a schedule, and
// what the file says, are candidates too, so that a plan is never worse by its own measure.
#ifndef MOAC_FRONTEND_PLANNER_H
#define MOAC_FRONTEND_PLANNER_H

#include "frontend/Compiler.h"
#include "frontend/CompilerReport.h"
#include "ir/Estimate.h"

namespace moac {

struct PlanCandidate {
  PlanChoice choice;
  std::string directives; ///< as they were compiled
  std::string refused;    ///< why it could not be compiled; the rest is empty then
  std::vector<cost::Estimate> estimates; ///< by threads
  std::vector<cost::Limit> limits;
  std::string loops; ///< its ONF, to tell candidates that are the same apart from others

  bool rejected() const;
  const cost::Estimate &best() const { return cost::best(estimates); }
};

/// A candidate as compiled and run.
struct TunedCandidate {
  size_t candidate = 0;
  std::string problem;         ///< why it was not timed: it does not compile, fails, or gives other values
  std::string rejected;        ///< by what the compiler reports
  CompilerReport report;
  std::vector<double> samples; ///< seconds of a call, one for each round
  double quantile(double q) const;
};

/// Measurements: in each round all candidates once, forwards and backwards in turn, so that what drifts hits all alike.
struct Tuning {
  std::vector<TunedCandidate> tried; ///< the planned winner first
  unsigned rounds = 0;
  std::string reason; ///< why the winner is what it is
};

struct Plan {
  std::string kernel;
  cost::Sizes sizes;
  cost::AssumedMachine machine;
  std::vector<PlanCandidate> candidates;
  std::vector<size_t> ranking; ///< of those that are neither refused nor rejected, the fastest first
  std::string schedule;        ///< of the winner, as a user writes it
  std::optional<Tuning> tuning;
};

struct PlanRequest {
  std::string file, kernel;
  LoadOptions load;
  cost::Sizes sizes, trips;
  Machine machine;
};
Answer<Plan> planKernel(const PlanRequest &request);
/// Times the first `most` of the ranking, and the default, on random data, and puts the fastest first. What the compiler
/// reports can reject: too much stack, or clearly more vectors spilled than by another candidate. A candidate takes the place of the planned winner only if it is faster by more than 2 % in the median
/// and in three rounds of four. Fails when nothing can be compiled or called.
std::string tunePlan(const PlanRequest &request, unsigned most, Plan &plan);
/// The candidate's schedule as moac prints it, if that makes the same loops; else the directives that were compiled.
std::string scheduleOf(const PlanRequest &request, const PlanCandidate &candidate);
/// The file with these directives for the kernel.
std::unique_ptr<Program> loadWith(const PlanRequest &request, const std::string &directives);

/// Plans along one symbol, and where the best changes.
struct PlanSweep {
  struct Point {
    int64_t value = 0;
    std::string winner;
    int64_t threads = 1;
    double seconds = 0;
    std::string bound, schedule;
  };
  std::string symbol;
  std::vector<int64_t> values; ///< ascending
  std::vector<Point> points;   ///< at these
  std::vector<Point> thresholds; ///< the least sizes, about, from which the plan of a later point is the best
};
/// "N=64,512,4096"; nothing when it is not a name and at least two ascending sizes.
std::optional<PlanSweep> parseSweep(const std::string &text);
/// Fills in points and thresholds; the request gives the other sizes. What is wrong, else empty.
std::string runSweep(const PlanRequest &request, PlanSweep &sweep);
std::string sweepText(const PlanSweep &sweep);
std::string sweepJson(const PlanSweep &sweep);

std::string planText(const Plan &plan);
std::string planJson(const Plan &plan);

} // namespace moac

#endif
