// How much a nest has to do, as a formula that the kernel evaluates when it is entered: it decides how many threads take part.
#ifndef MOAC_PASSES_WORKESTIMATE_H
#define MOAC_PASSES_WORKESTIMATE_H

#include "passes/Nests.h"

namespace moac {

/// Innermost iterations of the nest times their cost, as far as they are known at entry: a polynomial of the extents, f64.
/// `values` holds what is known then.
mlir::Value estimateWork(mlir::OpBuilder &builder, const Nest &nest, StageGraph &graph,
                         const llvm::DenseMap<mlir::Value, mlir::Value> &values,
                         llvm::function_ref<mlir::Value(const shape::Expr &)> materialize);

} // namespace moac

#endif
