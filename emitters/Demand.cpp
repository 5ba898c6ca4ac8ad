// Collecting the scratch arrays of a kernel and of its teams.
#include "emitters/Demand.h"
#include "emitters/TreeWalk.h"

namespace moac::tree {

Demand demandOf(const Kernel &kernel) {
  Demand demand;
  demand.shared = kernel.scratch;
  forEachStatement(kernel.body, [&](const Stmt &statement) {
    const auto *parallel = std::get_if<Parallel>(&statement.node);
    if (parallel && !parallel->scratch.empty()) {
      demand.thread.push_back(parallel->scratch);
      demand.work.push_back(parallel->work);
    }
  });
  return demand;
}

Expr Demand::totalWork() const {
  Expr sum = work[0];
  for (size_t i = 1; i < work.size(); ++i)
    sum = apply(Op::add_, {sum, work[i]});
  return sum;
}

std::set<std::string> Demand::names() const {
  std::set<std::string> names;
  for (const Scratch &scratch : shared)
    collectNames(scratch.count, names);
  for (const std::vector<Scratch> &buffers : thread)
    for (const Scratch &scratch : buffers)
      collectNames(scratch.count, names);
  for (const Expr &one : work)
    collectNames(one, names);
  return names;
}

bool needsScratch(const Kernel &kernel) { return demandOf(kernel).any(); }

} // namespace moac::tree
