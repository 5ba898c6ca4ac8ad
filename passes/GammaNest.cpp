// The default schedule: nests, placement, loop order.
#include "passes/AxisChoice.h"
#include "passes/Contraction.h"
#include "passes/Nests.h"
#include "passes/Passes.h"
#include "passes/Schedule.h"
#include "passes/Slice.h"
#include "passes/TileChoice.h"

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

/// A nest of one stage in tiles of two of its axes, all other axes outside of them.
void scheduleTiles(Nest &nest, const TransposedTile &tile, Schedule &schedule) {
  std::string name = nest.root->name();
  auto part = [](BlockArgument axis, const char *what) { return indexName(axis).str() + what; };
  std::vector<std::string> outer;
  for (BlockArgument axis : nest.root->gen.entry().getArguments())
    if (axis != tile.read && axis != tile.written)
      outer.push_back(indexName(axis).str());
  for (auto [axis, length] : {std::pair(tile.read, tile.readLength), std::pair(tile.written, tile.writtenLength)}) {
    schedule.add("lift", name, {indexName(axis).str(), part(axis, "_tile"), part(axis, "_in")}, std::to_string(length));
    outer.push_back(part(axis, "_tile"));
  }
  schedule.add("nest", name, outer);
  schedule.add("parallel", name, outer);
  if (!nest.root->isResult)
    schedule.add("place", name, {}, "store");
  schedule.add("order", name, {part(tile.read, "_in"), part(tile.written, "_in")});
  schedule.add("lanes", name, {part(tile.written, "_in")});
}

struct GammaNest : impl::GammaNestBase<GammaNest> {
  void runOnOperation() override {
    Schedule schedule(getOperation());
    if (llvm::any_of(schedule.all(), [](moa::DirectiveAttr d) { return d.getVerb().getValue() == "nest"; }))
      return; // stated by whoever wrote the directives
    StageGraph graph(getOperation());
    for (Nest &nest : defaultNests(graph)) {
      std::string root = nest.root->name();
      if (nest.members.size() == 1 && !nest.contraction && nest.root->rank() > 1)
        if (BlockArgument innermost = innermostAxis(graph, *nest.root, nest.root->gen.entry().getArguments()))
          if (auto tile = transposedTile(graph, *nest.root, innermost)) {
            scheduleTiles(nest, *tile, schedule);
            continue;
          }
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
