// Choosing among schedules by counts: each candidate is compiled like a user's schedule, its loops are counted and timed
// on a machine's description (ir/Estimate.h), and rejected when it exceeds a limit. What moac does without a schedule, and
// what the file says, are candidates too, so that a plan is never worse by its own measure.
#ifndef MOAC_FRONTEND_PLANNER_H
#define MOAC_FRONTEND_PLANNER_H

#include "frontend/Compiler.h"
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

struct Plan {
  std::string kernel;
  cost::Sizes sizes;
  cost::AssumedMachine machine;
  std::vector<PlanCandidate> candidates;
  std::vector<size_t> ranking; ///< of those that are neither refused nor rejected, the fastest first
  std::string schedule;        ///< of the winner, as a user writes it
};

struct PlanRequest {
  std::string file, kernel;
  LoadOptions load;
  cost::Sizes sizes, trips;
  Machine machine;
};
Answer<Plan> planKernel(const PlanRequest &request);

std::string planText(const Plan &plan);
std::string planJson(const Plan &plan);

} // namespace moac

#endif
