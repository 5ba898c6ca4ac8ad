// From directives to nests; see UserNests.h.
#include "passes/UserNests.h"
#include "passes/Online.h"
#include "passes/Regions.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

using Loops = SmallVector<StageLoop>;
using Mention = UserLoops::Mention;

namespace {
class UserNestBuilder : UserLoops {
public:
  UserNestBuilder(StageGraph &graph, const UserSchedule &user, const LiftedAxes &lifted)
      : UserLoops(user, lifted), graph(graph) {}

  FailureOr<std::vector<PlannedNest>> run() {
    for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it)
      if (mlir::failed(plan(**it)))
        return failure();
    for (PlannedNest &planned : nests)
      if (planned.stated)
        finish(planned);
    if (mlir::failed(checkUsed()))
      return failure();
    if (UserLoops::failed())
      return failure();
    std::reverse(nests.begin(), nests.end());
    return std::move(nests);
  }

private:
  /// The `place S at LOOP` of a stage.
  Mention placeAt(Stage &stage) {
    for (Mention mention : mentions("place"))
      if (mention.directive->mode == "at" && mention.name + 1 < mention.directive->names.size() &&
          mention.word() == stage.name())
        return mention;
    return {};
  }

  bool isStored(Stage &stage) {
    return llvm::any_of(mentions("place"), [&](const Mention &mention) {
      return mention.directive->mode == "store" && mention.word() == stage.name();
    });
  }

  // ---- nests

  LogicalResult plan(Stage &stage) {
    if (isAtomic(stage))
      return root(stage);
    if (Mention mention = placeAt(stage))
      return place(stage, mention);
    if (llvm::any_of(nests, [&](const PlannedNest &planned) { return planned.nest.axisOf.count(&stage) != 0; }))
      return success();
    if (!isStored(stage))
      for (PlannedNest &planned : nests)
        if (joins(planned, stage))
          return success();
    return root(stage);
  }

  LogicalResult root(Stage &stage) {
    PlannedNest planned;
    planned.nest.root = &stage;
    planned.nest.members = {&stage};
    planned.stated = isSpokenOf(stage);
    auto isFree = [&](Stage &other) {
      return !isSpokenOf(other) && !placeAt(other) && !isStored(other) &&
             llvm::none_of(nests, [&](const PlannedNest &earlier) { return earlier.nest.axisOf.count(&other) != 0; });
    };
    if (std::optional<Nest> group = planned.stated ? std::nullopt : onlineNest(graph, stage, isFree)) {
      planned.nest = std::move(*group);
      nests.push_back(std::move(planned));
      return success();
    }
    Stage *contraction = contractionOf(graph, stage) ? &stage : contractionBefore(graph, stage);
    if (!planned.stated) {
      bool free = contraction &&
                  (contraction == &stage || (!isSpokenOf(*contraction) && !placeAt(*contraction) &&
                                             !isStored(*contraction)));
      planned.nest.contraction = free ? contraction : nullptr;
      startDefaultNest(graph, planned.nest);
    } else if (mlir::failed(stateRoot(planned))) {
      return failure();
    }
    nests.push_back(std::move(planned));
    return success();
  }

  LogicalResult stateRoot(PlannedNest &planned) {
    Nest &nest = planned.nest;
    FailureOr<Loops> order = orderOf(*nest.root);
    if (mlir::failed(order))
      return failure();
    nest.loops.assign(order->begin(), order->end());
    if (mlir::failed(chooseParallel(planned)))
      return failure();
    nest.depth = nest.firstParallel + nest.parallel;
    nest.axisOf[nest.root] = {};
    for (const StageLoop &loop : nest.loops)
      nest.axisOf[nest.root].push_back(loop.axis.getArgNumber());
    nest.level[nest.root] = nest.depth;
    return success();
  }

  LogicalResult chooseParallel(PlannedNest &planned) {
    Nest &nest = planned.nest;
    Stage &root = *nest.root;
    unsigned free = leadingFree(nest.loops);
    if (isAtomic(root)) {
      for (const StageLoop &loop : ArrayRef(nest.loops).drop_front())
        if (Mention mention = mentionOf("parallel", root, loop))
          return refuse(mention, "cannot-parallel", "the threads divide the terms of '" + root.name() + "' along '" + nest.loops[0].digit.name + "' already",
                        "leave one of the two out");
      return success();
    }
    SmallVector<unsigned> chosen;
    for (unsigned i = 0; i < nest.loops.size(); ++i)
      if (Mention mention = mentionOf("parallel", root, nest.loops[i])) {
        if (nest.loops[i].isReduction())
          return refuse(mention, "cannot-parallel",
                        "it is a loop of the reduction of '" + root.name() +
                            "': its iterations add to the same elements",
                        "divide a loop over elements among the threads, or say `reduce " + nest.loops[i].digit.name + " : private` or `atomic`");
        if (i >= free)
          return refuse(mention, "cannot-parallel",
                        "it runs inside '" + nest.loops[free].digit.name +
                            "', a loop of the reduction of '" + root.name() + "'",
                        "put it before that loop");
        if (!chosen.empty() && chosen.back() + 1 != i)
          return refuse(mention, "cannot-parallel",
                        "'" + nest.loops[i - 1].digit.name + "' stands between it and '" +
                            nest.loops[chosen.back()].digit.name + "'",
                        "loops that are divided among threads together stand one inside the other");
        for (unsigned other : chosen)
          if (nest.loops[other].axis == nest.loops[i].axis)
            return refuse(
                mention, "cannot-parallel",
                "'" + nest.loops[other].digit.name +
                    "' is a loop of the same axis, and the bounds of one depend on the other",
                "choose one of them");
        chosen.push_back(i);
      }
    if (!chosen.empty()) {
      nest.firstParallel = chosen.front(), nest.parallel = chosen.size();
      userParallel.insert(nest.root);
      return success();
    }
    // As far as the loops are of different axes; the innermost one is left to the lanes.
    unsigned most = free == nest.loops.size() && free > 1 ? free - 1 : free;
    while (nest.parallel < most && llvm::none_of(ArrayRef(nest.loops).take_front(nest.parallel),
                                                 [&](const StageLoop &loop) {
                                                   return loop.axis ==
                                                          nest.loops[nest.parallel].axis;
                                                 }))
      ++nest.parallel;
    return success();
  }

  /// By itself a stage joins where all outer loops are whole axes of it.
  bool joins(PlannedNest &planned, Stage &stage) {
    Nest &nest = planned.nest;
    if (nest.contraction == &stage) {
      nest.axisOf[&stage] = llvm::to_vector(llvm::seq(0u, nest.depth));
      nest.level[&stage] = nest.depth;
      nest.members.insert(nest.members.begin(), &stage);
      return true;
    }
    if (nest.contraction || isAtomic(*nest.root))
      return false;
    Nest outer = nest;
    outer.depth = nest.firstParallel + nest.parallel;
    for (const StageLoop &loop : ArrayRef(outer.loops).take_front(outer.depth))
      if (lifted.isLifted(loop.axis) || loop.isReduction())
        return false;
    std::optional<SmallVector<unsigned>> axes = defaultJoin(graph, outer, stage);
    if (!axes || !keepsOrder(outer, stage, *axes))
      return false;
    axes->resize(nest.loops.size(), Nest::none);
    nest.axisOf[&stage] = *axes;
    nest.level[&stage] = outer.depth;
    nest.members.insert(nest.members.begin(), &stage);
    return true;
  }

  /// The user's order of the stage begins with the loops that it would share.
  bool keepsOrder(const Nest &outer, Stage &stage, ArrayRef<unsigned> axes) {
    FailureOr<Loops> order = orderOf(stage);
    if (mlir::failed(order))
      return true; // reported
    if (llvm::none_of(*order,
                      [&](const StageLoop &loop) { return bool(mentionOf("order", stage, loop)); }))
      return true;
    for (unsigned i = 0; i < axes.size(); ++i)
      if (i >= order->size() || !isa<GenOp>(binderOf((*order)[i].axis)) ||
          !llvm::is_contained(axes, (*order)[i].axis.getArgNumber()))
        return false;
    return true;
  }

  // ---- place S at LOOP

  LogicalResult place(Stage &stage, Mention value) {
    Mention at{value.directive, static_cast<unsigned>(value.directive->names.size() - 1)};
    PlannedNest *planned = nullptr;
    unsigned level = 0;
    for (PlannedNest &candidate : nests)
      for (unsigned i = 0; i < candidate.nest.loops.size(); ++i)
        if (isCalled(candidate.nest.loops[i], *candidate.nest.root, at.word()) &&
            (!planned || reads(candidate, stage)))
          planned = &candidate, level = i + 1;
    if (!planned)
      return refuse(at, "cannot-place",
                    "no nest has it as a loop of its own, so '" + stage.name() +
                        "' cannot be computed inside",
                    "name a loop of the value that the nest computes");
    Nest &nest = planned->nest;
    if (nest.contraction)
      return refuse(value, "cannot-place",
                    "'" + nest.contraction->name() + "' runs in register blocks there",
                    "order the loops of '" + nest.root->name() + "', or leave the place of '" +
                        stage.name() + "' open");
    if (level > leadingFree(nest.loops))
      return refuse(at, "cannot-place",
                    "it is or runs inside a loop of the reduction of '" + nest.root->name() +
                        "', which is not built yet",
                    "place it further out, or store it");
    for (StageRead &read : stage.readers) {
      auto member = nest.level.find(read.reader);
      if (member == nest.level.end() || member->second < level)
        return refuse(value, "cannot-place",
                      "'" + read.reader->name() + "' reads it outside of '" + at.word() + "'",
                      "store it, or place '" + read.reader->name() + "' there as well");
    }
    unsigned end = nest.firstParallel + nest.parallel;
    if (nest.firstParallel < level && level < end) {
      if (userParallel.count(nest.root))
        return refuse(value, "cannot-place",
                      "'" + nest.loops[level].digit.name + "' inside '" + at.word() +
                          "' is divided among threads together with it",
                      "place it at '" + nest.loops[end - 1].digit.name +
                          "', or leave the inner loop sequential");
      nest.parallel = level - nest.firstParallel;
      retreat(*planned);
    }
    return enter(*planned, stage, value, level);
  }

  bool reads(PlannedNest &planned, Stage &stage) {
    return llvm::any_of(stage.readers,
                        [&](StageRead &read) { return planned.nest.level.count(read.reader); });
  }

  /// Fewer loops are outer ones now; what joined by itself stays where it is.
  static void retreat(PlannedNest &planned) {
    Nest &nest = planned.nest;
    unsigned deepest = nest.firstParallel + nest.parallel;
    for (auto &[member, level] : nest.level)
      if (member != nest.root)
        deepest = std::max(deepest, level);
    nest.depth = nest.level[nest.root] = deepest;
  }

  LogicalResult enter(PlannedNest &planned, Stage &stage, Mention value, unsigned level) {
    Nest &nest = planned.nest;
    if (stage.readers.empty()) {
      Nest outer = nest;
      outer.depth = level;
      std::optional<SmallVector<unsigned>> axes = siblingAxes(graph, outer, stage);
      if (!axes || level != nest.depth)
        return refuse(value, "cannot-place",
                      "it has other loops than '" + nest.root->name() +
                          "', or one leads to the other",
                      "store it");
      axes->resize(nest.loops.size(), Nest::none);
      nest.axisOf[&stage] = *axes;
      nest.level[&stage] = level;
      nest.members.insert(nest.members.begin(), &stage);
      planned.stated = true;
      return success();
    }
    SmallVector<AxisRegion> regions = regionsOf(nest, stage, level, graph.exprs);
    bool partial = llvm::any_of(
        regions, [](const AxisRegion &region) { return !region.point && !region.whole; });
    if (stage.isResult) {
      bool exact = !partial && level >= nest.firstParallel + nest.parallel;
      llvm::SmallPtrSet<void *, 4> points;
      for (const AxisRegion &region : regions)
        exact &= !region.point || points.insert(region.point.getAsOpaquePointer()).second;
      for (const StageLoop &loop : ArrayRef(nest.loops).take_front(level))
        exact &= points.contains(loop.axis.getAsOpaquePointer());
      if (!exact)
        return refuse(value, "cannot-place",
                      "it is a result, and inside that loop its elements would be computed more "
                      "than once or not at all",
                      "store it");
    }
    if (partial && stage.readChecked())
      return refuse(value, "cannot-place",
                    "a subscript of it is checked at run time, which needs the whole array",
                    "store it");
    nest.level[&stage] = level;
    nest.depth = std::max(nest.depth, level);
    nest.level[nest.root] = nest.depth;
    nest.members.insert(nest.members.begin(), &stage);
    planned.stated = true;
    nest.axisOf[&stage] = sharedAxes(nest, regions, level);
    return success();
  }

  // ---- loops inside

  void finish(PlannedNest &planned) {
    Nest &nest = planned.nest;
    for (Stage *member : nest.members) {
      FailureOr<Loops> order = orderOf(*member);
      if (mlir::failed(order))
        continue; // reported
      Loops inner = member == nest.root ? Loops(order->begin() + nest.depth, order->end())
                                        : insideOf(nest, *member, *order);
      chooseRoles(planned, *member, inner);
      if (isRegister(inner) && !isAtomic(*member))
        inner.resize(leadingFree(inner));
      planned.inside[member] = std::move(inner);
    }
  }

  /// Without the axes that the nest fixes; what is left of an axis in a tile is one loop.
  Loops insideOf(Nest &nest, Stage &member, ArrayRef<StageLoop> order) {
    SmallVector<BlockArgument> inner = nest.innerAxes(member);
    SmallVector<AxisRegion> regions =
        member.readers.empty() ? SmallVector<AxisRegion>()
                               : regionsOf(nest, member, nest.level[&member], graph.exprs);
    Loops loops;
    for (const StageLoop &loop : order) {
      if (!loop.isReduction() && !llvm::is_contained(inner, loop.axis))
        continue;
      bool tile =
          !loop.isReduction() && !regions.empty() && !regions[loop.axis.getArgNumber()].whole;
      if (!tile || loop.last)
        loops.push_back(loop);
    }
    return loops;
  }

  void chooseRoles(PlannedNest &planned, Stage &stage, ArrayRef<StageLoop> inner) {
    for (const StageLoop &loop : inner) {
      if (Mention mention = mentionOf("lanes", stage, loop); mention && isAtomic(stage)) {
        (void)refuse(mention, "cannot-lanes", "each update of '" + stage.name() + "' is atomic, one after the other", "leave its lanes open");
        used.insert(mention.word());
      } else if (mention && &loop == &inner.back()) {
        used.insert(mention.word());
        if (!isRegister(inner))
          planned.lanes[&stage].push_back(loop.digit.name);
      }
      if (Mention mention = mentionOf("unroll", stage, loop);
          mention && !(isRegister(inner) && loop.isReduction())) {
        used.insert(mention.word());
        planned.unrolled[&stage].push_back({loop.digit.name, mention.directive->mode.str()});
      }
    }
  }

  /// What a user says of loops must come about somewhere.
  LogicalResult checkUsed() {
    for (Mention mention : mentions("lanes"))
      if (!used.count(mention.word()))
        return refuse(mention, "cannot-lanes",
                      "no value has it as its innermost loop inside the nest",
                      "put it last in `order`, and divide another loop among the threads");
    for (Mention mention : mentions("unroll"))
      if (!used.count(mention.word()))
        return refuse(
            mention, "cannot-unroll",
            "it is a loop of a nest that threads or other values share, or a sum in a register",
            "unroll a loop inside the nest");
    for (Mention mention : mentions("parallel")) {
      bool found = llvm::any_of(nests, [&](PlannedNest &planned) {
        return planned.stated && llvm::any_of(planned.nest.loops, [&](const StageLoop &loop) {
                 return isCalled(loop, *planned.nest.root, mention.word());
               });
      });
      if (!found)
        return refuse(mention, "cannot-parallel", "it is no loop of the value that a nest computes",
                      "divide a loop of that value among the threads, or store this one");
    }
    return success();
  }

  StageGraph &graph;
  std::vector<PlannedNest> nests; ///< last to run first
  std::set<Stage *> userParallel;
  std::set<StringRef> used;
};
} // namespace

FailureOr<std::vector<PlannedNest>> moac::userNests(StageGraph &graph, const UserSchedule &user,
                                                    const LiftedAxes &lifted) {
  return UserNestBuilder(graph, user, lifted).run();
}
