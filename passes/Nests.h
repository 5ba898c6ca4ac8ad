// Which stages share loops. A nest is rooted at one stage; some loops of its free axes (all of an axis, or digits of a lifted
// one) are the nest's outer loops, by default those of its leading axes. A stage joins when
// all its readers are inside and read it at exactly those loops' indices, so that only a slice of it is alive at a time. A
// schedule may also place it inside some of the loops, where what its readers need there (Regions.h) is computed.
#ifndef MOAC_PASSES_NESTS_H
#define MOAC_PASSES_NESTS_H

#include "passes/Regions.h"

namespace moac {

struct Nest {
  Stage *root = nullptr;
  unsigned depth = 0; ///< outer loops
  llvm::SmallVector<StageLoop, 0> loops; ///< of the root, the outer ones
  unsigned firstParallel = 0, parallel = 0; ///< which of them are divided among threads
  llvm::SmallVector<Stage *> members; ///< root included, in the kernel's order
  bool online = false; ///< the members are an online group (Online.h)
  Stage *contraction = nullptr; ///< the member that runs in register blocks; the only other one is its reader
  /// For each member and outer loop: which axis of the member it is a loop of.
  std::map<Stage *, llvm::SmallVector<unsigned>> axisOf;
  static constexpr unsigned none = ~0U; ///< the loop gives no index of the member
  /// Inside how many of the outer loops a member is computed: the root inside all.
  std::map<Stage *, unsigned> level;

  /// The member's axes whose index the outer loops do not give, in order.
  llvm::SmallVector<mlir::BlockArgument> innerAxes(Stage &member) const;
  /// Nests that run later read the member too.
  bool isReadOutside(Stage &member) const {
    return llvm::any_of(member.readers, [&](StageRead &read) { return !axisOf.count(read.reader); });
  }
};

/// The axes of `stage` that are the loops of `nest` when every reader is a member that reads it there; nullopt otherwise.
std::optional<llvm::SmallVector<unsigned>> joinAxes(StageGraph &graph, const Nest &nest, Stage &stage);

/// Nests as the kernel's schedule states them; refuses a placement that the reads do not allow.
mlir::FailureOr<llvm::SmallVector<Nest>> scheduledNests(moa::KernelOp kernel, StageGraph &graph, const LiftedAxes &lifted);
/// The loops of a member inside the nest, outermost first: as the schedule orders them, then those that it does not mention.
/// `regions`: what of the member is needed there; none for the root.
llvm::SmallVector<StageLoop> loopOrder(const Nest &nest, Stage &member, const Schedule &schedule, const LiftedAxes &lifted,
                                       llvm::ArrayRef<AxisRegion> regions);
/// `regionsOf` a member at its level; empty for the root and for a result that nobody reads.
llvm::SmallVector<AxisRegion> regionsOf(const Nest &nest, Stage &member, moa::IndexExprs &exprs);

/// Which axis of the stage each loop gives, if what is needed of it inside `level` loops is `regions`.
llvm::SmallVector<unsigned> sharedAxes(const Nest &nest, llvm::ArrayRef<AxisRegion> regions, unsigned level);

/// The axes by which a result that nobody reads can share the outer loops: those of the root, over the same extents, where
/// neither leads to the other.
std::optional<llvm::SmallVector<unsigned>> siblingAxes(StageGraph &graph, const Nest &nest, Stage &stage);
/// The axes by which a stage joins a nest by default: all its readers are members, or it is a result that uses the same data.
std::optional<llvm::SmallVector<unsigned>> defaultJoin(StageGraph &graph, const Nest &nest, Stage &stage);
/// Loops, depth and level of a nest that has its root and perhaps a contraction only.
void startDefaultNest(StageGraph &graph, Nest &nest);
/// Nests of a kernel by the default rule, in the order they must run.
std::vector<Nest> defaultNests(StageGraph &graph);

} // namespace moac

#endif
