// Which loops run over a part of a divided axis, and how its reductions are put together; see Partition.h.
#include "passes/Partition.h"
#include "ir/KernelFacts.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class Planner {
public:
  Planner(StageGraph &graph, const UserSchedule &user, const UserDirective &directive) : graph(graph), user(user), directive(directive) {}

  FailureOr<PartitionPlan> plan() {
    findAxes();
    if (plan_.axes.empty())
      return refuse("no loop has this name", "name an axis of a result, or the index of a reduction");
    for (auto &stage : graph.stages)
      if (stage->gen.walk([](Operation *op) { return isChecked(op) ? WalkResult::interrupt() : WalkResult::advance(); }).wasInterrupted())
        return refuse("'" + stage->name() + "' checks its data at run time, and the PEs would not agree about what they find",
                      "bounds that can be proved from the signature are not checked");
    plan_.isFree = llvm::any_of(graph.stages, [&](auto &stage) { return stage->isResult && hasAxis(*stage); });
    if (plan_.isFree)
      for (Value axis : llvm::to_vector(plan_.axes))
        if (!isa<GenOp>(binderOf(cast<BlockArgument>(axis))))
          plan_.axes.erase(axis);
    leaveShared();
    if (failed(plan_.isFree ? checkResults() : findStates()) || failed(findExtent()))
      return failure();
    return std::move(plan_);
  }

private:
  LogicalResult refuse(const Twine &reason, const Twine &help) { return user.refuse(directive, 0, "cannot-partition", reason, help); }

  void findAxes() {
    for (auto &stage : graph.stages)
      for (BlockArgument axis : indicesOf(*stage))
        if (llvm::is_contained(loopNames(axis), directive.names[0]))
          plan_.axes.insert(axis);
  }

  bool hasAxis(Stage &stage) {
    return llvm::any_of(stage.gen.entry().getArguments(), [&](Value axis) { return plan_.axes.contains(axis); });
  }

  /// What somebody reads beyond a part is computed whole.
  void leaveShared() {
    bool changed = true;
    while (std::exchange(changed, false))
      for (auto &stage : graph.stages)
        for (BlockArgument axis : stage->gen.entry().getArguments())
          if (plan_.axes.contains(axis) && !stage->isResult && !isReadInPart(*stage, axis))
            changed = plan_.axes.erase(axis);
  }

  bool isReadInPart(Stage &stage, BlockArgument axis) {
    return llvm::all_of(stage.readers, [&](StageRead &read) { return plan_.axes.contains(read.psi.getSubscripts()[axis.getArgNumber()]); });
  }

  LogicalResult checkResults() {
    for (auto &stage : graph.stages)
      for (BlockArgument axis : stage->gen.entry().getArguments()) {
        if (!stage->isResult || !plan_.axes.contains(axis))
          continue;
        std::string name = "'" + stage->name() + "'";
        if (!isReadInPart(*stage, axis))
          return refuse("other values read the result " + name + " beyond the indices that one PE computes", "");
      }
    return success();
  }

  LogicalResult findExtent() {
    std::optional<shape::Expr> found;
    for (auto &stage : graph.stages)
      for (BlockArgument axis : stage->gen.entry().getArguments())
        if (plan_.axes.contains(axis)) {
          const shape::Expr extent = stage->gen.arrayType().extents()[axis.getArgNumber()];
          if (found && !(*found == extent))
            return refuse("its loops have the lengths " + found->str() + " and " + extent.str(), "the axis of one value alone is called S.i");
          found = extent;
        }
    for (PartitionState &state : plan_.states)
      for (BlockArgument index : state.stage->root.term().getArguments()) {
        if (found || !plan_.axes.contains(index))
          continue;
        found = graph.exprs.toExpr(state.stage->root.upper(index.getArgNumber()));
        if (!knownAtEntry(*found, graph.exprs))
          return refuse("how far it runs in '" + state.stage->name() + "' depends on data or on other indices", "");
      }
    plan_.extent = *found;
    return checkDomains();
  }

  /// Every reduction runs inside the axis that is divided.
  LogicalResult checkDomains() {
    for (PartitionState &state : plan_.states) {
      shape::Facts facts = entryFacts(state.stage->gen->getParentOfType<KernelOp>(), graph.exprs);
      for (BlockArgument axis : state.stage->gen.entry().getArguments())
        assumeDomain(facts, axis, graph.exprs);
      for (BlockArgument index : state.stage->root.term().getArguments()) {
        unsigned i = index.getArgNumber();
        shape::Expr lo = graph.exprs.toExpr(state.stage->root.lower(i)), hi = graph.exprs.toExpr(state.stage->root.upper(i));
        if (plan_.axes.contains(index) && !(facts.proveNonNegative(lo) && facts.proveNonNegative(plan_.extent - hi)))
          return refuse("it runs from " + IndexExprs::display(lo) + " to " + IndexExprs::display(hi) + " in '" + state.stage->name() +
                            "', which is not known to lie in the axis of length " + plan_.extent.str(),
                        "the index of one value alone is called S.k");
      }
    }
    return success();
  }

  // ---- reductions

  LogicalResult findStates() {
    for (auto &stage : graph.stages) {
      bool broken = false;
      stage->gen.getBody().walk([&](RedOp red) {
        bool divided = llvm::any_of(red.term().getArguments(), [&](Value index) { return plan_.axes.contains(index); });
        if (divided && (red.isFold() || red.isArg()))
          broken = failed(refuse(red.getKind() + " in '" + stage->name() + "' takes its terms in order", "sums, products, maxima and minima have parts"));
        else if (divided && red != stage->root)
          broken = failed(refuse("the domain of a reduction in '" + stage->name() + "' depends on data", ""));
        return broken ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (broken)
        return failure();
      if (stage->root && llvm::any_of(stage->root.term().getArguments(), [&](Value index) { return plan_.axes.contains(index); }))
        plan_.states.push_back({stage.get(), {}});
    }
    if (plan_.states.empty())
      return refuse("it is no axis of a result, and no reduction over it can be divided", "");
    for (PartitionState &state : plan_.states)
      for (PartitionState &other : plan_.states)
        if (graph.dependsOn(state.stage, other.stage) && failed(findCorrection(state, *other.stage)))
          return failure();
    return success();
  }

  /// How `state` changes when the maximum of all parts takes the place of a part's.
  LogicalResult findCorrection(PartitionState &state, Stage &maximum) {
    Nest nest;
    frameOf(maximum, nest);
    RescaleFinder finder(graph, nest);
    for (auto &stage : graph.stages)
      for (BlockArgument axis : indicesOf(*stage))
        if (plan_.axes.contains(axis))
          finder.streamed[stage.get()] = axis;
    std::optional<Rescale> law = nest.axisOf.count(state.stage) && state.stage->root.getKind() == "add"
                                     ? finder.of(state.stage->root.termValue(), *state.stage, maximum)
                                     : std::nullopt;
    if (!law)
      return refuse("'" + state.stage->name() + "' uses '" + maximum.name() + "', which is known only when all parts are",
                    "the parts of a sum can be corrected where its terms use a maximum through exp(x - maximum)");
    if (law->power > 0)
      state.corrections.push_back({&maximum, nest.axisOf.at(state.stage), *law});
    return success();
  }

  /// Which axes of each stage are the maximum's, as the stages between them read each other.
  void frameOf(Stage &maximum, Nest &nest) {
    nest.root = &maximum;
    nest.depth = maximum.rank();
    nest.axisOf[&maximum] = llvm::to_vector(llvm::seq(0u, maximum.rank()));
    for (auto &stage : graph.stages) {
      std::optional<SmallVector<unsigned>> found;
      bool fits = stage.get() != &maximum;
      for (StageRead &read : stage->reads) {
        auto source = nest.axisOf.find(graph.of(read.psi.getArray()));
        if (source == nest.axisOf.end())
          continue;
        SmallVector<unsigned> axes;
        for (unsigned axis : source->second) {
          auto index = dyn_cast<BlockArgument>(read.psi.getSubscripts()[axis]);
          fits &= index && index.getOwner() == &stage->gen.entry();
          axes.push_back(fits ? index.getArgNumber() : 0);
        }
        fits &= !found || *found == axes;
        found = axes;
      }
      if (found && fits)
        nest.axisOf[stage.get()] = *found;
    }
  }

  StageGraph &graph;
  const UserSchedule &user;
  const UserDirective &directive;
  PartitionPlan plan_;
};
} // namespace

FailureOr<PartitionPlan> moac::planPartition(StageGraph &graph, const UserSchedule &user, const UserDirective &directive) {
  return Planner(graph, user, directive).plan();
}
