// Which axis should run innermost: the one along which memory is read and written in unit steps (coalescing on a CPU).
// gamma-coalesce decides it for every stage and writes the axes down, best first; here is how the others read that.
#ifndef MOAC_PASSES_AXISCHOICE_H
#define MOAC_PASSES_AXISCHOICE_H

#include "passes/Stages.h"

namespace moac {

/// The best innermost axis of `stage` among the free axes `candidates` and the axes of its root reduction; null when there
/// is none. A free axis under a reduction means that the stage accumulates in memory, a reduction axis that it
/// accumulates in a register, one element at a time.
mlir::BlockArgument innermostAxis(Stage &stage, llvm::ArrayRef<mlir::BlockArgument> candidates);

/// The axis along which memory is walked that the stage's reduction would jump over: sums of the columns of an array that is
/// stored by rows. Null where the reduction is not the stage's value, or is short.
mlir::BlockArgument axisAcross(Stage &stage);

/// The accumulator of the stage's reduction can be the element itself: one value, combined in place.
bool accumulatesInPlace(Stage &stage);
/// Loops in the order that strides suggest, innermost last. A reduction stands in it only if it runs outside the innermost
/// axis; else it is summed into a register.
llvm::SmallVector<mlir::BlockArgument> defaultLoopOrder(Stage &stage, llvm::ArrayRef<mlir::BlockArgument> inner);

} // namespace moac

#endif
