// The innermost axis by strides; see AxisChoice.h.
#include "passes/AxisChoice.h"
#include "passes/OnDevice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// Costs of one access in the innermost loop, in units of a unit-stride access.
constexpr double invariant = 0, unit = 1, strided = 8;
/// A sum into one register waits for itself: the latency of an addition over its throughput.
constexpr double chain = 3;

double strideCost(const shape::Expr &stride) {
  auto constant = stride.constant();
  if (!constant)
    return strided;
  return *constant == 0 ? invariant : std::abs(*constant) == 1 ? unit : strided;
}

/// The bounds of the reduction are known without this axis, so the axis can run inside.
bool boundsFreeOf(RedOp red, BlockArgument axis, IndexExprs &exprs) {
  for (unsigned i = 0; i < red.rank(); ++i)
    for (Value bound : {red.lower(i), red.upper(i)}) {
      bool used = false;
      for (const std::string &name : exprs.toExpr(bound).names()) {
        Value value = exprs.valueOf(name);
        used |= value == axis || !isa_and_nonnull<BlockArgument>(value);
      }
      if (used)
        return false;
    }
  return true;
}
} // namespace

BlockArgument moac::innermostAxis(StageGraph &graph, Stage &stage, ArrayRef<BlockArgument> candidates) {
  SmallVector<PsiOp> reads;
  stage.gen.getBody().walk([&](PsiOp psi) { reads.push_back(psi); });
  auto readCost = [&](BlockArgument axis) {
    double cost = 0;
    for (PsiOp psi : reads)
      cost += strideCost(graph.strideOf(psi, axis));
    return cost;
  };
  BlockArgument best;
  double bestCost = 0;
  auto consider = [&](BlockArgument axis, double cost) {
    if (!best || cost < bestCost) {
      best = axis;
      bestCost = cost;
    }
  };
  if (stage.root)
    for (BlockArgument axis : llvm::reverse(stage.root.term().getArguments()))
      consider(axis, readCost(axis) + chain);
  for (BlockArgument axis : llvm::reverse(candidates)) {
    if (stage.root && (!accumulatesInPlace(stage) || !boundsFreeOf(stage.root, axis, graph.exprs)))
      continue;
    double write = strideCost(graph.writeStride(stage, axis.getArgNumber()));
    consider(axis, readCost(axis) + (stage.root ? 2 : 1) * write);
  }
  return best;
}

BlockArgument moac::axisAcross(StageGraph &graph, Stage &stage) {
  constexpr int64_t few = 16; // terms: what they read stays in the cache
  if (!stage.root || onDevice(stage.gen))
    return {};
  BlockArgument axis = innermostAxis(graph, stage, stage.gen.entry().getArguments());
  if (!axis || !isa<GenOp>(axis.getOwner()->getParentOp()))
    return {};
  BlockArgument reduced = stage.root.term().getArguments().back();
  std::optional<int64_t> terms = graph.exprs.toExpr(stage.root.upper(stage.root.rank() - 1)).constant();
  bool jumps = false;
  stage.root.term().walk([&](PsiOp psi) {
    jumps |= strideCost(graph.strideOf(psi, reduced)) == strided && strideCost(graph.strideOf(psi, axis)) == unit;
  });
  return jumps && terms.value_or(few) >= few ? axis : BlockArgument();
}

bool moac::accumulatesInPlace(Stage &stage) {
  RedOp red = stage.root;
  return red && !red.isArg() && !red.isFold() && red.getResult().getType() == stage.gen.arrayType().getElementType();
}

SmallVector<BlockArgument> moac::defaultLoopOrder(StageGraph &graph, Stage &stage, ArrayRef<BlockArgument> inner) {
  BlockArgument innermost = innermostAxis(graph, stage, inner);
  bool freeInnermost = innermost && isa<GenOp>(innermost.getOwner()->getParentOp());
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
