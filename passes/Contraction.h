// Sums of products of two operands that each miss a free axis of the other: what register blocks are for.
//
//     C[i, j] = sum[k](x(i, k) * y(k, j))
//
// An element of x is used for every j, one of y for every i. So both are packed into panels that
// stay in cache, and a block of rows by lanes of the sum is kept in registers while k runs. Nothing
// but this dependence is asked for: x and y are any expressions (a scaled, cast, masked or gathered
// read, an activation), k may be several axes, and further free axes stand outside. Matrix products
// in every layout, batched ones, and convolutions have this form.
#ifndef MOAC_PASSES_CONTRACTION_H
#define MOAC_PASSES_CONTRACTION_H

#include "passes/Schedule.h"
#include "passes/Stages.h"

namespace moac {

struct Contraction {
  Stage *stage = nullptr;
  mlir::BlockArgument row, lane;                  ///< of the register block; the result is contiguous along `lane`
  llvm::SmallVector<mlir::BlockArgument> outer;   ///< the other free axes
  llvm::SmallVector<mlir::BlockArgument> reduced; ///< axes of the sum
  mlir::Value rowOperand, laneOperand;            ///< the factor that depends on `row`, and the one on `lane`
};

/// The stage as a contraction; nothing when it is none, when something in it is checked at run time, or when its extents
/// are known to be too small for blocks.
std::optional<Contraction> contractionOf(StageGraph &graph, Stage &stage);

/// The contraction that feeds `stage` alone, at its own index, so that `stage` can finish each block of it; null if none.
Stage *contractionBefore(StageGraph &graph, Stage &stage);

/// The operand `psi` stands in is packed: how often an element of it is evaluated, relative to the points of the sum.
double packedShare(StageGraph &graph, const Contraction &contraction, moa::PsiOp psi);

/// Adds the default blocks of a contraction to a schedule.
void scheduleContraction(StageGraph &graph, const Contraction &contraction, Schedule &schedule);

} // namespace moac

#endif
