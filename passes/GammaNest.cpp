// Nests, placement and loop order: as the user's directives say, and by default.
#include "passes/AxisChoice.h"
#include "passes/Contraction.h"
#include "passes/OnDevice.h"
#include "passes/OnlineLoops.h"
#include "passes/Passes.h"
#include "passes/ReduceStrategy.h"
#include "passes/Slice.h"
#include "passes/TileChoice.h"
#include "passes/UserNests.h"

#include "mlir/IR/Remarks.h"

#include <array>
#include <set>

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMANEST
#include "passes/Passes.h.inc"

namespace {
std::vector<std::string> namesOf(ArrayRef<StageLoop> loops) {
  std::vector<std::string> names;
  for (const StageLoop &loop : loops)
    names.push_back(loop.digit.name);
  return names;
}

/// The default order of a member's loops inside the nest.
SmallVector<StageLoop> defaultOrder(Stage &stage, const Nest &nest) {
  SmallVector<StageLoop> loops;
  for (BlockArgument axis : defaultLoopOrder(stage, nest.innerAxes(stage)))
    loops.push_back({axis, LiftedAxes().of(axis).front()});
  return loops;
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

/// A nest of one stage with one axis in tiles.
void scheduleTiles(Stage &stage, int64_t length, Schedule &schedule) {
  std::string name = stage.name(), axis = indexName(stage.gen.entry().getArgument(0)).str();
  schedule.add("lift", name, {axis, axis + "_tile", axis + "_in"}, std::to_string(length));
  for (const char *verb : {"nest", "parallel"})
    schedule.add(verb, name, {axis + "_tile"});
  if (!stage.isResult)
    schedule.add("place", name, {}, "store");
  for (const char *verb : {"order", "lanes"})
    schedule.add(verb, name, {axis + "_in"});
}

/// A nest of one stage that sums along one axis while it walks along the other, in tiles that stay in the cache.
void scheduleAcross(Stage &stage, BlockArgument axis, Schedule &schedule) {
  constexpr int64_t tileBits = 2048 * 8;
  std::string name = stage.name(), word = indexName(axis).str();
  int64_t length = tileBits / std::max(8u, stage.gen.arrayType().getElementType().getIntOrFloatBitWidth());
  schedule.add("lift", name, {word, word + "_tile", word + "_in"}, std::to_string(length));
  for (const char *verb : {"nest", "parallel"})
    schedule.add(verb, name, {word + "_tile"});
  if (!stage.isResult)
    schedule.add("place", name, {}, "store");
  std::vector<std::string> order;
  for (BlockArgument reduced : stage.root.term().getArguments())
    order.push_back(indexName(reduced).str());
  order.push_back(word + "_in");
  schedule.add("order", name, order);
  schedule.add("lanes", name, {word + "_in"});
}

struct GammaNest : impl::GammaNestBase<GammaNest> {
  std::vector<std::string> streamed, divided; ///< names of the axes of online groups, and of those that run in parts
  std::set<std::pair<unsigned, unsigned>> tiled; ///< names in the user's directives that gave a tile its length

  void runOnOperation() override {
    streamed.clear(), divided.clear(), tiled.clear();
    Schedule schedule(getOperation());
    if (schedule.hasAny("nest"))
      return; // stated by whoever wrote the directives
    StageGraph graph(getOperation());
    UserSchedule user(getOperation());
    std::vector<PlannedNest> nests;
    if (user.empty()) {
      for (Nest &nest : defaultNests(graph))
        nests.push_back({std::move(nest), false, {}, {}, {}});
    } else {
      LiftedAxes lifted = stateLifts(graph, user, schedule);
      FailureOr<std::vector<PlannedNest>> planned = userNests(graph, user, lifted);
      if (failed(planned))
        return signalPassFailure();
      nests = std::move(*planned);
    }
    for (PlannedNest &planned : nests)
      state(planned, graph, schedule, user);
    schedule.store(getOperation());
    if (failed(checkOnline(user, graph)) || failed(checkTiles(user)) || failed(checkStrategies(user, graph, divided)))
      signalPassFailure();
  }

  /// Gives the tiles along `axis`, the `index`-th size of the directive, the user's length.
  void tile(const UserSchedule &user, StageGraph &graph, BlockArgument axis, Schedule &schedule, StringRef verb, StringRef stage, unsigned index) {
    Stage &owner = *graph.of(cast<moa::GenOp>(genOf(axis)).getResult());
    for (const UserDirective &directive : user.all())
      for (auto [i, name] : llvm::enumerate(directive.names))
        if (directive.is("tile") && isCalled({axis, LiftedAxes().of(axis).front()}, owner, name)) {
          schedule.setSize(verb, stage, index, directive.mode);
          tiled.insert({directive.number, i});
        }
  }
  static Operation *genOf(BlockArgument axis) {
    Operation *binder = axis.getOwner()->getParentOp();
    return isa<moa::GenOp>(binder) ? binder : binder->getParentOfType<moa::GenOp>().getOperation();
  }

  LogicalResult checkTiles(const UserSchedule &user) {
    for (const UserDirective &directive : user.all())
      for (auto [i, name] : llvm::enumerate(directive.names))
        if (directive.is("tile") && !tiled.contains({directive.number, i}))
          return user.refuse(directive, i, "cannot-tile", "it is no loop in tiles that moac makes itself",
                             "sums of products in register blocks and online groups have such tiles; `lift` makes tiles of other loops");
    return success();
  }

  /// What a user wants in one pass must be a group.
  LogicalResult checkOnline(const UserSchedule &user, StageGraph &graph) {
    for (const UserDirective &directive : user.all())
      for (auto [i, name] : llvm::enumerate(directive.names))
        if (directive.is("online") && !llvm::is_contained(streamed, name))
          return user.refuse(directive, i, "cannot-online", "the reductions over it are no online group whose loops are free",
                             "a group has a sum of products, and what depends on a maximum in it does so through exp(x - maximum); "
                             "leave its loops to moac");
    return success();
  }

  void state(PlannedNest &planned, StageGraph &graph, Schedule &schedule, const UserSchedule &user) {
    Nest &nest = planned.nest;
    std::string root = nest.root->name();
    if (!planned.stated && nest.members.size() == 1 && !nest.contraction && nest.root->rank() > 1)
      if (BlockArgument innermost = innermostAxis(*nest.root, nest.root->gen.entry().getArguments()))
        if (auto tile = transposedTile(graph, *nest.root, innermost))
          return scheduleTiles(nest, *tile, schedule);
    if (!planned.stated && nest.members.size() == 1 && nest.depth == 1)
      if (std::optional<int64_t> length = tileOfRuns(graph, *nest.root))
        return scheduleTiles(*nest.root, *length, schedule);
    if (!planned.stated && nest.members.size() == 1 && nest.depth == 1 && nest.root->rank() == 1 && !nest.contraction)
      if (BlockArgument axis = axisAcross(*nest.root))
        return scheduleAcross(*nest.root, axis, schedule);
    auto outer = ArrayRef(nest.loops).take_front(nest.depth);
    schedule.add("nest", root, namesOf(outer));
    if (std::optional<Online> online = planned.stated ? std::nullopt : onlineOf(graph, nest))
      return stateOnline(*online, nest, graph, schedule, user);
    if (nest.contraction)
      stateContraction(*contractionOf(graph, *nest.contraction), graph, schedule, user);
    else if (nest.parallel > 0)
      schedule.add("parallel", root, namesOf(outer.slice(nest.firstParallel, nest.parallel)));
    for (Stage *stage : nest.members) {
      if (stage != nest.root) {
        std::vector<std::string> at = {root};
        if (nest.level[stage] != nest.depth)
          at.push_back(nest.loops[nest.level[stage] - 1].digit.name);
        schedule.add("place", stage->name(), at, "at");
      } else if (!stage->isResult && schedule.placement(stage->name()).empty()) {
        schedule.add("place", stage->name(), {}, "store");
      }
      stateLoops(planned, *stage, graph, schedule);
    }
    remark::passed(nest.root->gen.getLoc(), remark::RemarkOpts::name("gamma-nest").category("gamma"))
        << "nest of " << root << " with " << std::to_string(nest.members.size()) << " stages and "
        << std::to_string(nest.depth) << " outer loops";
  }

  void stateContraction(const Contraction &c, StageGraph &graph, Schedule &schedule, const UserSchedule &user) {
    scheduleContraction(graph, c, schedule);
    for (auto [index, axis] : llvm::enumerate(std::array{c.lane, c.row, c.reduced[0]}))
      tile(user, graph, axis, schedule, "tile", c.stage->name(), index);
  }

  void stateOnline(const Online &online, Nest &nest, StageGraph &graph, Schedule &schedule, const UserSchedule &user) {
    scheduleOnline(graph, online, nest, schedule);
    for (auto [index, axis] : tiledAxes(online, nest))
      tile(user, graph, axis, schedule, "online", nest.root->name(), index);
    for (StringRef name : loopNames(online.first->root.term().getArgument(0))) {
      streamed.push_back(name.str());
      if (online.inParts)
        divided.push_back(name.str());
    }
    for (Stage *stage : nest.members)
      if (stage != nest.root)
        schedule.add("place", stage->name(), {nest.root->name()}, "at");
      else if (!stage->isResult)
        schedule.add("place", stage->name(), {}, "store");
  }

  void stateLoops(PlannedNest &planned, Stage &stage, StageGraph &graph, Schedule &schedule) {
    SmallVector<StageLoop> order = planned.stated ? planned.inside[&stage] : defaultOrder(stage, planned.nest);
    if (order.empty())
      return;
    schedule.add("order", stage.name(), namesOf(order));
    std::vector<std::string> lanes = planned.lanes[&stage];
    bool atomic = schedule.mode("reduce", stage.name()) == "atomic";
    if (lanes.empty() && !atomic && !order.back().isReduction() && (!stage.hasReduction() || stage.root || onDevice(stage.gen)))
      lanes = namesOf(order.back());
    if (!lanes.empty())
      schedule.add("lanes", stage.name(), lanes);
    for (auto &[name, times] : planned.unrolled[&stage])
      schedule.add("unroll", stage.name(), name, times);
  }
};
} // namespace
} // namespace moac
