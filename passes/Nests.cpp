// Grouping of stages into nests; see Nests.h.
#include "passes/Nests.h"
#include "passes/AxisChoice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

SmallVector<BlockArgument> Nest::innerAxes(Stage &member) const {
  SmallVector<BlockArgument> inner;
  const auto &outer = axisOf.at(&member);
  for (BlockArgument axis : member.gen.entry().getArguments())
    if (!llvm::is_contained(outer, axis.getArgNumber()))
      inner.push_back(axis);
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
      Value index = read.reader->gen.entry().getArgument(reader->second[loop]);
      auto subscripts = read.psi.getSubscripts();
      auto at = llvm::find(subscripts, index);
      if (at == subscripts.end())
        return std::nullopt;
      unsigned axis = at - subscripts.begin();
      if (!(stage.gen.arrayType().extents()[axis] == rootExtents[loop]))
        return std::nullopt;
      axes.push_back(axis);
    }
    if (result && *result != axes)
      return std::nullopt;
    result = axes;
  }
  return result;
}

namespace {
/// Outer loops of a nest rooted here. A reduction summed into a register leaves every free axis outside; otherwise the last
/// axis runs inside, along memory.
unsigned outerDepth(StageGraph &graph, Stage &root) {
  unsigned rank = root.rank();
  if (rank <= 1)
    return rank;
  BlockArgument innermost = innermostAxis(graph, root, root.gen.entry().getArguments());
  bool freeInnermost = innermost && isa<GenOp>(innermost.getOwner()->getParentOp());
  return freeInnermost ? rank - 1 : rank;
}

/// A result that nobody in the kernel reads may share the loops of another with the same leading extents, if both use a
/// stage or input in common and neither leads to the other.
bool joinsAsSibling(StageGraph &graph, const Nest &nest, Stage &stage) {
  if (!stage.readers.empty() || nest.depth == 0 || stage.rank() < nest.depth)
    return false;
  for (unsigned loop = 0; loop < nest.depth; ++loop)
    if (!(stage.gen.arrayType().extents()[loop] == nest.root->gen.arrayType().extents()[loop]))
      return false;
  for (Stage *member : nest.members)
    if (graph.dependsOn(&stage, member) || graph.dependsOn(member, &stage))
      return false;
  SmallPtrSet<Value, 8> used;
  for (Stage *member : nest.members)
    member->gen.getBody().walk([&](PsiOp psi) { used.insert(psi.getArray()); });
  return stage.gen.getBody().walk([&](PsiOp psi) {
    return used.contains(psi.getArray()) ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
}
} // namespace

std::vector<Nest> moac::defaultNests(StageGraph &graph) {
  std::vector<Nest> nests; // last to run first
  for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it) {
    Stage &stage = **it;
    bool joined = false;
    for (Nest &nest : nests) {
      std::optional<SmallVector<unsigned>> axes;
      if (nest.depth > 0 && !stage.readers.empty())
        axes = joinAxes(graph, nest, stage);
      else if (joinsAsSibling(graph, nest, stage))
        axes = llvm::to_vector(llvm::seq(0u, nest.depth));
      if (!axes)
        continue;
      nest.axisOf[&stage] = *axes;
      nest.members.insert(nest.members.begin(), &stage);
      joined = true;
      break;
    }
    if (joined)
      continue;
    Nest nest;
    nest.root = &stage;
    nest.depth = outerDepth(graph, stage);
    nest.members = {&stage};
    nest.axisOf[&stage] = llvm::to_vector(llvm::seq(0u, nest.depth));
    nests.push_back(std::move(nest));
  }
  std::reverse(nests.begin(), nests.end());
  return nests;
}
