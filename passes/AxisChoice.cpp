// The innermost axis as the schedule has it; see AxisChoice.h.
#include "passes/AxisChoice.h"
#include "passes/OnDevice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

static bool isFree(BlockArgument axis) { return isa<GenOp>(axis.getOwner()->getParentOp()); }

BlockArgument moac::innermostAxis(Stage &stage, ArrayRef<BlockArgument> candidates) {
  const auto *best = llvm::find_if(stage.coalesced, [&](BlockArgument axis) { return !isFree(axis) || llvm::is_contained(candidates, axis); });
  return best == stage.coalesced.end() ? BlockArgument() : *best;
}

BlockArgument moac::axisAcross(Stage &stage) { return stage.across ? stage.coalesced.front() : BlockArgument(); }

bool moac::accumulatesInPlace(Stage &stage) {
  RedOp red = stage.root;
  return red && !red.isArg() && !red.isFold() && red.getResult().getType() == stage.gen.arrayType().getElementType();
}

SmallVector<BlockArgument> moac::defaultLoopOrder(Stage &stage, ArrayRef<BlockArgument> inner) {
  BlockArgument innermost = innermostAxis(stage, inner);
  bool freeInnermost = innermost && isFree(innermost);
  SmallVector<BlockArgument> order;
  for (BlockArgument axis : inner)
    if (!freeInnermost || axis != innermost)
      order.push_back(axis);
  if (!freeInnermost)
    return order;
  if (stage.root && !onDevice(stage.gen))
    llvm::append_range(order, stage.root.term().getArguments());
  order.push_back(innermost);
  return order;
}
