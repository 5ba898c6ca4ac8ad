// Grouping of stages into nests; see Nests.h.
#include "passes/Nests.h"
#include "passes/AxisChoice.h"
#include "passes/Online.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

SmallVector<BlockArgument> Nest::innerAxes(Stage &member) const {
  SmallVector<BlockArgument> inner;
  const auto &outer = axisOf.at(&member);
  for (BlockArgument axis : member.gen.entry().getArguments()) {
    bool known = false;
    for (unsigned loop = 0; loop < depth; ++loop)
      known |= loops[loop].last && outer[loop] == axis.getArgNumber();
    if (!known)
      inner.push_back(axis);
  }
  return inner;
}

std::optional<SmallVector<unsigned>> moac::joinAxes(StageGraph &graph, const Nest &nest, Stage &stage) {
  std::optional<SmallVector<unsigned>> result;
  std::vector<shape::Expr> rootExtents = nest.root->gen.arrayType().extents();
  for (StageRead &read : stage.readers) {
    auto reader = nest.axisOf.find(read.reader);
    if (reader == nest.axisOf.end())
      return std::nullopt;
    SmallVector<unsigned> axes;
    for (unsigned loop = 0; loop < nest.depth; ++loop) {
      if (reader->second[loop] == Nest::none)
        return std::nullopt;
      Value index = read.reader->gen.entry().getArgument(reader->second[loop]);
      auto subscripts = read.psi.getSubscripts();
      auto at = llvm::find(subscripts, index);
      if (at == subscripts.end())
        return std::nullopt;
      unsigned axis = at - subscripts.begin();
      if (!(stage.gen.arrayType().extents()[axis] == rootExtents[nest.loops[loop].axis.getArgNumber()]))
        return std::nullopt;
      axes.push_back(axis);
    }
    if (result && *result != axes)
      return std::nullopt;
    result = axes;
  }
  return result;
}

std::optional<SmallVector<unsigned>> moac::siblingAxes(StageGraph &graph, const Nest &nest, Stage &stage) {
  if (!stage.readers.empty() || nest.depth == 0)
    return std::nullopt;
  SmallVector<unsigned> axes;
  for (const StageLoop &loop : ArrayRef(nest.loops).take_front(nest.depth)) {
    unsigned axis = loop.axis.getArgNumber();
    if (loop.lifted() || axis >= stage.rank() ||
        !(stage.gen.arrayType().extents()[axis] == nest.root->gen.arrayType().extents()[axis]))
      return std::nullopt;
    axes.push_back(axis);
  }
  for (Stage *member : nest.members)
    if (graph.dependsOn(&stage, member) || graph.dependsOn(member, &stage))
      return std::nullopt;
  return axes;
}

namespace {
/// Outer loops of a nest rooted here. A reduction summed into a register leaves every free axis outside; otherwise the axis that
/// walks memory runs inside.
SmallVector<unsigned> outerAxes(Stage &root) {
  SmallVector<unsigned> axes = llvm::to_vector(llvm::seq(0u, root.rank()));
  BlockArgument innermost = innermostAxis(root, root.gen.entry().getArguments());
  if (axes.size() > 1 && innermost && isa<GenOp>(innermost.getOwner()->getParentOp()))
    llvm::erase(axes, innermost.getArgNumber());
  return axes;
}

/// A result that nobody in the kernel reads may share the loops of another with the same leading extents by default, if both
/// use a stage or input in common.
bool joinsAsSibling(StageGraph &graph, const Nest &nest, Stage &stage) {
  if (!siblingAxes(graph, nest, stage))
    return false;
  if (stage.gen->getParentOp()->hasAttr("phase"))
    return true; // values of one part (Partition.h): one pass gives them all
  SmallPtrSet<Value, 8> used;
  for (Stage *member : nest.members)
    member->gen.getBody().walk([&](PsiOp psi) { used.insert(psi.getArray()); });
  return stage.gen.getBody().walk([&](PsiOp psi) {
    return used.contains(psi.getArray()) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}
} // namespace

std::optional<SmallVector<unsigned>> moac::defaultJoin(StageGraph &graph, const Nest &nest, Stage &stage) {
  if (nest.depth > 0 && !stage.readers.empty()) {
    std::optional<SmallVector<unsigned>> axes = joinAxes(graph, nest, stage);
    BlockArgument across = axes ? axisAcross(stage) : BlockArgument();
    return across && llvm::is_contained(*axes, across.getArgNumber()) ? std::nullopt : axes;
  }
  if (joinsAsSibling(graph, nest, stage))
    return siblingAxes(graph, nest, stage);
  return std::nullopt;
}

void moac::startDefaultNest(StageGraph &graph, Nest &nest) {
  Stage &stage = *nest.root;
  nest.members = {&stage};
  nest.axisOf[&stage] = nest.contraction ? llvm::to_vector(llvm::seq(0u, stage.rank())) : outerAxes(stage);
  nest.depth = nest.parallel = nest.axisOf[&stage].size();
  nest.level[&stage] = nest.depth;
  for (unsigned axis : nest.axisOf[&stage])
    nest.loops.push_back({stage.gen.entry().getArgument(axis), LiftedAxes().of(stage.gen.entry().getArgument(axis)).front()});
}

namespace {
/// An online group that runs in register blocks: row by row inside the loops of what reads it these would be lost.
std::optional<Nest> blockedGroup(StageGraph &graph, Stage &stage, llvm::function_ref<bool(Stage &)> isFree) {
  if (stage.rank() < 2 || stage.isResult)
    return std::nullopt;
  std::optional<Nest> group = onlineNest(graph, stage, isFree);
  std::optional<Online> online = group ? onlineOf(graph, *group) : std::nullopt;
  return online && online->hasRow() ? group : std::nullopt;
}
} // namespace

std::vector<Nest> moac::defaultNests(StageGraph &graph) {
  std::vector<Nest> nests; // last to run first
  for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it) {
    Stage &stage = **it;
    bool joined = llvm::any_of(nests, [&](const Nest &nest) { return nest.axisOf.count(&stage) != 0; });
    auto isFree = [&](Stage &other) {
      return llvm::none_of(nests, [&](const Nest &nest) { return nest.axisOf.count(&other) != 0; });
    };
    for (Nest &nest : nests) {
      if (joined)
        break;
      if (nest.contraction == &stage) {
        nest.axisOf[&stage] = llvm::to_vector(llvm::seq(0u, nest.depth));
        nest.level[&stage] = nest.depth;
        nest.members.insert(nest.members.begin(), &stage);
        joined = true;
        break;
      }
      if (nest.contraction)
        continue;
      std::optional<SmallVector<unsigned>> axes = defaultJoin(graph, nest, stage);
      if (!axes)
        continue;
      if (std::optional<Nest> group = blockedGroup(graph, stage, isFree)) {
        nests.push_back(std::move(*group));
        joined = true;
        break;
      }
      nest.axisOf[&stage] = *axes;
      nest.level[&stage] = nest.depth;
      nest.members.insert(nest.members.begin(), &stage);
      joined = true;
      break;
    }
    if (joined)
      continue;
    if (std::optional<Nest> group = onlineNest(graph, stage, isFree)) {
      nests.push_back(std::move(*group));
      continue;
    }
    Nest nest;
    nest.root = &stage;
    nest.contraction = contractionOf(graph, stage) ? &stage : contractionBefore(graph, stage);
    startDefaultNest(graph, nest);
    nests.push_back(std::move(nest));
  }
  std::reverse(nests.begin(), nests.end());
  return nests;
}

// ---- nests of a schedule ------------------------------------------------------------------------------------------------

SmallVector<unsigned> moac::sharedAxes(const Nest &nest, ArrayRef<AxisRegion> regions, unsigned level) {
  SmallVector<unsigned> axes(nest.loops.size(), Nest::none);
  for (unsigned loop = 0; loop < level; ++loop)
    for (auto [axis, region] : llvm::enumerate(regions))
      if (axes[loop] == Nest::none && region.point == nest.loops[loop].axis)
        axes[loop] = axis; // of a diagonal the first, as by default
  return axes;
}

namespace {
LogicalResult join(StageGraph &graph, Nest &nest, Stage &stage, StringRef at) {
  auto refuse = [&](StringRef why) {
    return stage.gen.emitError() << "'" << stage.name() << "' cannot be placed at '" << nest.root->name() << "': " << why;
  };
  unsigned level = nest.depth;
  if (!at.empty()) {
    const auto *loop = llvm::find_if(nest.loops, [&](const StageLoop &l) { return l.digit.name == at; });
    if (loop == nest.loops.end())
      return refuse("it has no outer loop of that name");
    level = loop - nest.loops.begin() + 1;
  }
  nest.level[&stage] = level;
  if (stage.readers.empty()) {
    nest.members = {nest.root};
    std::optional<SmallVector<unsigned>> axes = nest.depth > 0 ? siblingAxes(graph, nest, stage) : SmallVector<unsigned>();
    if (!axes || level != nest.depth)
      return refuse("it has other loops");
    nest.axisOf[&stage] = *axes;
    return success();
  }
  for (StageRead &read : stage.readers)
    if (auto reader = nest.level.find(read.reader); reader == nest.level.end() ? nest.depth > 0 : reader->second < level)
      return refuse("it is read outside");
  SmallVector<AxisRegion> regions = regionsOf(nest, stage, level, graph.exprs);
  SmallVector<unsigned> axes = sharedAxes(nest, regions, level);
  if (stage.isResult && llvm::is_contained(ArrayRef(axes).take_front(level), Nest::none))
    return refuse("it is a result, and a loop there gives none of its indices");
  nest.axisOf[&stage] = std::move(axes);
  return success();
}

Stage *stageNamed(StageGraph &graph, StringRef name) {
  for (auto &stage : graph.stages)
    if (stage->name() == name)
      return stage.get();
  return nullptr;
}

void addLoops(BlockArgument axis, const LiftedAxes &lifted, SmallVectorImpl<StageLoop> &loops) {
  for (Digit &digit : lifted.of(axis))
    loops.push_back({axis, std::move(digit)});
}

const StageLoop *loopNamed(StringRef name, ArrayRef<StageLoop> loops) {
  const auto *found = llvm::find_if(loops, [&](const StageLoop &loop) { return loop.digit.name == name; });
  return found == loops.end() ? nullptr : found;
}

/// `nest R [it, j]` and `parallel R [it]`.
LogicalResult outerLoops(Nest &nest, DirectiveAttr directive, const Schedule &schedule, const LiftedAxes &lifted) {
  SmallVector<StageLoop> all;
  for (BlockArgument axis : nest.root->gen.entry().getArguments())
    addLoops(axis, lifted, all);
  SmallVector<StageLoop> order;
  for (Attribute word : directive.getAxes()) {
    const StageLoop *loop = loopNamed(cast<StringAttr>(word).getValue(), all);
    if (!loop)
      return nest.root->gen.emitError() << "'" << nest.root->name() << "' has no free loop " << word;
    order.push_back(*loop);
  }
  nest.depth = order.size();
  for (const StageLoop &loop : all)
    if (!loopNamed(loop.digit.name, order))
      order.push_back(loop);
  LiftedAxes::mark(order);
  nest.axisOf[nest.root] = {}; // the root is a member also when it has no outer loop
  nest.loops.assign(order.begin(), order.begin() + nest.depth);
  for (const StageLoop &loop : nest.loops)
    nest.axisOf[nest.root].push_back(loop.axis.getArgNumber());
  nest.level[nest.root] = nest.depth;
  if (!schedule.sizes("parallel", nest.root->name()).empty())
    return success(); // the chunks of a contraction
  for (const std::string &word : schedule.axes("parallel", nest.root->name())) {
    const StageLoop *loop = loopNamed(word, nest.loops);
    if (!loop || (nest.parallel > 0 && loop != &nest.loops[nest.firstParallel + nest.parallel]))
      return nest.root->gen.emitError() << "'" << word << "' is not the next of the outer loops of '" << nest.root->name() << "'";
    if (nest.parallel++ == 0)
      nest.firstParallel = loop - nest.loops.begin();
  }
  return success();
}
} // namespace

FailureOr<SmallVector<Nest>> moac::scheduledNests(KernelOp kernel, StageGraph &graph, const LiftedAxes &lifted) {
  Schedule schedule(kernel);
  SmallVector<Nest> nests;
  for (Attribute attribute : kernel.getScheduleAttr()) {
    auto directive = cast<DirectiveAttr>(attribute);
    if (directive.getVerb().getValue() != "nest")
      continue;
    Nest nest;
    nest.root = stageNamed(graph, directive.getStage().getValue());
    if (!nest.root)
      return kernel.emitError() << "the schedule names no stage '" << directive.getStage().getValue() << "'";
    if (failed(outerLoops(nest, directive, schedule, lifted)))
      return failure();
    for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it)
      if (it->get() != nest.root && schedule.placement((*it)->name()) == "at" &&
          schedule.axes("place", (*it)->name()).front() == nest.root->name() &&
          failed(join(graph, nest, **it, schedule.axes("place", (*it)->name()).size() > 1 ? schedule.axes("place", (*it)->name())[1] : "")))
        return failure();
    nest.members.clear();
    for (auto &stage : graph.stages)
      if (nest.axisOf.count(stage.get()))
        nest.members.push_back(stage.get());
    for (Stage *stage : nest.members)
      if (!schedule.axes("tile", stage->name()).empty())
        nest.contraction = stage;
    nest.online = schedule.has("online", nest.root->name());
    nests.push_back(std::move(nest));
  }
  return nests;
}

SmallVector<StageLoop> moac::loopOrder(const Nest &nest, Stage &member, const Schedule &schedule, const LiftedAxes &lifted,
                                       ArrayRef<AxisRegion> regions) {
  SmallVector<StageLoop> inner, accumulated, order;
  for (BlockArgument axis : nest.innerAxes(member)) {
    if (&member == nest.root || regions.empty() || regions[axis.getArgNumber()].whole)
      addLoops(axis, lifted, inner);
    else // what is left of it in a tile is one loop
      inner.push_back({axis, {lifted.of(axis).back().name, shape::Expr(1), std::nullopt}});
  }
  if (&member == nest.root)
    llvm::erase_if(inner, [&](const StageLoop &loop) { return loopNamed(loop.digit.name, nest.loops); });
  if (member.root)
    for (BlockArgument axis : member.root.term().getArguments())
      addLoops(axis, lifted, accumulated);
  for (const std::string &name : schedule.axes("order", member.name()))
    if (const StageLoop *loop = loopNamed(name, inner) ? loopNamed(name, inner) : loopNamed(name, accumulated))
      order.push_back(*loop);
  for (const StageLoop &loop : inner)
    if (!loopNamed(loop.digit.name, order))
      order.push_back(loop);
  LiftedAxes::mark(order);
  for (StageLoop &loop : order)
    loop.first &= &member != nest.root || llvm::none_of(nest.loops, [&](const StageLoop &outer) { return outer.axis == loop.axis; });
  return order;
}

SmallVector<AxisRegion> moac::regionsOf(const Nest &nest, Stage &member, IndexExprs &exprs) {
  if (&member == nest.root || member.readers.empty())
    return {};
  return regionsOf(nest, member, nest.level.at(&member), exprs);
}
