// What a user says of who adds the terms of a reduction; see ReduceStrategy.h.
#include "passes/ReduceStrategy.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

static StageLoop loopOf(BlockArgument index) { return {index, LiftedAxes().of(index).front()}; }

StringRef moac::strategyOf(Stage &stage) {
  BlockArgument index = stage.root.term().getArgument(0);
  UserSchedule user(stage.gen->getParentOfType<KernelOp>());
  StringRef found;
  for (const UserDirective &directive : user.all())
    for (StringRef name : directive.names)
      if (directive.is("reduce") && isCalled(loopOf(index), stage, name))
        found = directive.mode;
  return found;
}

bool moac::asksForParts(Stage &stage) {
  IndexSet bounds;
  for (Value bound : {stage.root.lower(0), stage.root.upper(0)})
    collectFreeIndices(bound, bounds);
  return bounds.empty() && strategyOf(stage) == "private";
}

BlockArgument moac::dividedTerms(Stage &stage) {
  UserSchedule user(stage.gen->getParentOfType<KernelOp>());
  for (const UserDirective &directive : user.all())
    for (StringRef name : directive.names)
      for (const StageLoop &loop : allLoops(stage, LiftedAxes()))
        if (directive.is("reduce") && directive.mode == "atomic" && loop.isReduction() && isCalled(loop, stage, name))
          return loop.axis;
  return {};
}

LogicalResult moac::checkStrategies(const UserSchedule &user, StageGraph &graph, ArrayRef<std::string> divided) {
  for (const UserDirective &directive : user.all())
    for (auto [i, name] : llvm::enumerate(directive.is("reduce") ? ArrayRef(directive.names) : ArrayRef<StringRef>())) {
      Stage *summed = nullptr;
      for (auto &stage : graph.stages)
        for (const StageLoop &loop : allLoops(*stage, LiftedAxes()))
          if (loop.isReduction() && isCalled(loop, *stage, name))
            summed = stage.get();
      if (!summed || directive.mode != "private" || llvm::is_contained(divided, name))
        continue;
      return user.refuse(directive, i, "cannot-reduce", "the reduction of '" + summed->name() + "' is not one whose terms can be divided",
                         "sums, maxima and minima of f32 or f64 over one index can be, with the same terms for each element, whose loops nothing else in the schedule speaks of; otherwise "
                         "`reduce " + name + " : owner`");
    }
  return success();
}
