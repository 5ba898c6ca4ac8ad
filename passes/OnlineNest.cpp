// Nests made for online groups: as many loops as leave a group inside, and only those stages that have a role in it.
#include "passes/Online.h"

using namespace mlir;
using namespace moac;

namespace {
/// A result without loops in common with the others that uses what they use.
bool isBeside(StageGraph &graph, const Nest &nest, Stage &stage) {
  SmallPtrSet<Value, 8> used;
  for (Stage *member : nest.members) {
    if (graph.dependsOn(member, &stage) || graph.dependsOn(&stage, member))
      return false;
    member->gen.getBody().walk([&](moa::PsiOp psi) { used.insert(psi.getArray()); });
  }
  return stage.readers.empty() && llvm::any_of(stage.reads, [&](StageRead &read) { return used.contains(read.psi.getArray()); });
}

/// Of a reduction that members wait for, which what runs after the nest reads too.
bool isReadLater(StageGraph &graph, const Nest &nest, Stage &stage) {
  auto place = [&](Stage *of) { return llvm::find_if(graph.stages, [&](auto &each) { return each.get() == of; }) - graph.stages.begin(); };
  bool inside = llvm::any_of(stage.readers, [&](StageRead &read) { return nest.axisOf.count(read.reader); });
  return inside && !stage.hasReduction() && llvm::all_of(stage.readers, [&](StageRead &read) {
    return nest.axisOf.count(read.reader) || place(read.reader) > place(nest.root);
  });
}

std::optional<SmallVector<unsigned>> axesOf(StageGraph &graph, const Nest &nest, Stage &stage) {
  if (nest.depth > 0)
    return defaultJoin(graph, nest, stage);
  if (isReadLater(graph, nest, stage))
    return SmallVector<unsigned>();
  return isBeside(graph, nest, stage) ? SmallVector<unsigned>() : joinAxes(graph, nest, stage);
}

Nest grown(StageGraph &graph, Stage &root, unsigned depth, llvm::function_ref<bool(Stage &)> isFree) {
  Nest nest;
  nest.root = &root;
  nest.members = {&root};
  nest.depth = nest.parallel = depth;
  nest.axisOf[&root] = llvm::to_vector(llvm::seq(0u, depth));
  nest.level[&root] = depth;
  for (unsigned axis : nest.axisOf[&root])
    nest.loops.push_back({root.gen.entry().getArgument(axis), LiftedAxes().of(root.gen.entry().getArgument(axis)).front()});
  bool isBefore = false;
  for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it) {
    Stage &stage = **it;
    if (isBefore && isFree(stage))
      if (auto axes = axesOf(graph, nest, stage)) {
        nest.axisOf[&stage] = *axes;
        nest.level[&stage] = depth;
        nest.members.insert(nest.members.begin(), &stage);
      }
    isBefore |= &stage == &root;
  }
  return nest;
}
} // namespace

std::optional<Nest> moac::onlineNest(StageGraph &graph, Stage &root, llvm::function_ref<bool(Stage &)> isFree) {
  for (unsigned depth = root.rank() > 0 ? root.rank() - 1 : 0; depth <= root.rank(); ++depth) {
    Nest nest = grown(graph, root, depth, isFree);
    for (Stage *stage : beforeStream(graph, nest)) {
      if (stage == &root)
        return std::nullopt;
      llvm::erase(nest.members, stage);
      nest.axisOf.erase(stage);
      nest.level.erase(stage);
    }
    if (onlineOf(graph, nest))
      return nest;
  }
  return std::nullopt;
}
