// Who adds the terms of a reduction, as a user's schedule says: `reduce k : owner`, what computes an element adds all of its
// terms; `reduce k : private`, the terms are divided into parts that the threads share, and put together in their order. The
// number of parts depends on the extent alone, so neither changes with the number of threads. `reduce k : recompute` and `atomic` are
// in GammaAtomicRemoval.cpp, with when an update has to be atomic. Without a word moac divides long
// reductions whose elements are too few for the threads.
#ifndef MOAC_PASSES_REDUCESTRATEGY_H
#define MOAC_PASSES_REDUCESTRATEGY_H

#include "passes/UserSchedule.h"

namespace moac {

/// What the user says of the first index of the reduction that `stage` is; empty: nothing.
llvm::StringRef strategyOf(Stage &stage);

/// The user says `private` of it, and every element has the same terms, so that their parts can be counted before.
bool asksForParts(Stage &stage);

/// The index whose terms threads divide among them, adding to the elements of the stage as they come; none: they do not.
mlir::BlockArgument dividedTerms(Stage &stage);

/// Refuses what `reduce` says where it speaks of no reduction, or of one that is not divided although it should be. `divided`:
/// names of the loops that are.
mlir::LogicalResult checkStrategies(const UserSchedule &user, StageGraph &graph, llvm::ArrayRef<std::string> divided);

} // namespace moac

#endif
