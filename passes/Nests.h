// Which stages share loops. A nest is rooted at one stage; some loops of its free axes (all of an axis, or digits of a lifted
// one) are the nest's outer loops, by default those of its leading axes. A stage joins when
// all its readers are inside and read it at exactly those loops' indices, so that only a slice of it is alive at a time.
#ifndef MOAC_PASSES_NESTS_H
#define MOAC_PASSES_NESTS_H

#include "passes/Digits.h"

namespace moac {

struct Nest {
  Stage *root = nullptr;
  unsigned depth = 0; ///< outer loops
  llvm::SmallVector<StageLoop> loops; ///< of the root, the outer ones
  unsigned firstParallel = 0, parallel = 0; ///< which of them are divided among threads
  llvm::SmallVector<Stage *> members; ///< root included, in the kernel's order
  Stage *contraction = nullptr; ///< the member that runs in register blocks; the only other one is its reader
  /// For each member and outer loop: which axis of the member it is a loop of.
  std::map<Stage *, llvm::SmallVector<unsigned>> axisOf;

  /// The member's axes whose index the outer loops do not give, in order.
  llvm::SmallVector<mlir::BlockArgument> innerAxes(Stage &member) const;
};

/// The axes of `stage` that are the loops of `nest` when every reader is a member that reads it there; nullopt otherwise.
std::optional<llvm::SmallVector<unsigned>> joinAxes(StageGraph &graph, const Nest &nest, Stage &stage);

/// Nests as the kernel's schedule states them; refuses a placement that the reads do not allow.
mlir::FailureOr<llvm::SmallVector<Nest>> scheduledNests(moa::KernelOp kernel, StageGraph &graph, const LiftedAxes &lifted);
/// The loops of a member inside the nest, outermost first: as the schedule orders them, then those that it does not mention.
llvm::SmallVector<StageLoop> loopOrder(const Nest &nest, Stage &member, const Schedule &schedule, const LiftedAxes &lifted);

/// Nests of a kernel by the default rule, in the order they must run.
std::vector<Nest> defaultNests(StageGraph &graph);

} // namespace moac

#endif
