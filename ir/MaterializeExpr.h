// From algebra to SSA values: the other direction of IndexExpr.h.
#ifndef MOAC_IR_MATERIALIZEEXPR_H
#define MOAC_IR_MATERIALIZEEXPR_H

#include "ir/Moa.h"

#include "mlir/IR/Builders.h"

namespace moac::moa {

/// Builds a scalar function of index operands, folded where that is exact.
mlir::Value buildIndex(mlir::OpBuilder &builder, mlir::Location loc, ScalarFn fn, mlir::ValueRange operands);
mlir::Value indexConstant(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

/// The value of `e` at the builder's place; `valueOf` gives the values of its names (never null).
/// `computed` may give the value of a compound atom that exists already.
mlir::Value materialize(const shape::Expr &e, mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::function_ref<mlir::Value(const std::string &)> valueOf,
                        llvm::function_ref<mlir::Value(const shape::Expr &)> computed = nullptr);

} // namespace moac::moa

#endif
