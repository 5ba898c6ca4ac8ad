// The default schedule: nests, placement, loop order.
#include "passes/AxisChoice.h"
#include "passes/Contraction.h"
#include "passes/Nests.h"
#include "passes/Passes.h"
#include "passes/Schedule.h"
#include "passes/Slice.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMANEST
#include "passes/Passes.h.inc"

namespace {
std::vector<std::string> namesOf(ArrayRef<BlockArgument> axes) {
  std::vector<std::string> names;
  for (BlockArgument axis : axes)
    names.push_back(indexName(axis).str());
  return names;
}

/// Free axes in order with the innermost last; a reduction that runs outside the innermost axis stands before it.
SmallVector<BlockArgument> loopOrder(StageGraph &graph, Stage &stage, ArrayRef<BlockArgument> inner) {
  BlockArgument innermost = innermostAxis(graph, stage, inner);
  bool freeInnermost = innermost && isa<moa::GenOp>(innermost.getOwner()->getParentOp());
  SmallVector<BlockArgument> order;
  for (BlockArgument axis : inner)
    if (!freeInnermost || axis != innermost)
      order.push_back(axis);
  if (!freeInnermost)
    return order;
  if (stage.root)
    llvm::append_range(order, stage.root.term().getArguments());
  order.push_back(innermost);
  return order;
}

struct GammaNest : impl::GammaNestBase<GammaNest> {
  void runOnOperation() override {
    Schedule schedule(getOperation());
    if (llvm::any_of(schedule.all(), [](moa::DirectiveAttr d) { return d.getVerb().getValue() == "nest"; }))
      return; // stated by whoever wrote the directives
    StageGraph graph(getOperation());
    for (Nest &nest : defaultNests(graph)) {
      std::string root = nest.root->name();
      auto outer = ArrayRef<BlockArgument>(nest.root->gen.entry().getArguments().begin(), nest.depth);
      schedule.add("nest", root, namesOf(outer));
      if (nest.contraction)
        scheduleContraction(graph, *contractionOf(graph, *nest.contraction), schedule);
      else if (nest.depth > 0)
        schedule.add("parallel", root, namesOf(outer));
      for (Stage *stage : nest.members) {
        if (stage != nest.root)
          schedule.add("place", stage->name(), {root}, "at");
        else if (!stage->isResult)
          schedule.add("place", stage->name(), {}, "store");
        SmallVector<BlockArgument> order = loopOrder(graph, *stage, nest.innerAxes(*stage));
        if (order.empty())
          continue;
        schedule.add("order", stage->name(), namesOf(order));
        if (isa<moa::GenOp>(order.back().getOwner()->getParentOp()) && (!stage->hasReduction() || stage->root))
          schedule.add("lanes", stage->name(), namesOf(order.back()));
      }
      remark::passed(nest.root->gen.getLoc(), remark::RemarkOpts::name("gamma-nest").category("gamma"))
          << "nest of " << root << " with " << std::to_string(nest.members.size()) << " stages and "
          << std::to_string(nest.depth) << " outer loops";
    }
    schedule.store(getOperation());
  }
};
} // namespace
} // namespace moac
