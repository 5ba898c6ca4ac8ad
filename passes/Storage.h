// Where a stage lives in an ONF, and at which flat offset an index of it stands.
#ifndef MOAC_PASSES_STORAGE_H
#define MOAC_PASSES_STORAGE_H

#include "ir/MaterializeExpr.h"
#include "ir/Onf.h"

namespace moac {

/// A buffer that holds all of the axes `axes` of an array (the others are fixed by loops around it), row- or column-major.
struct Storage {
  mlir::Value buffer;
  llvm::SmallVector<unsigned> axes;
  llvm::SmallVector<mlir::Value> extents; ///< one for each kept axis
  bool columnMajor = false;
  /// Of a part of an array: where it begins on each kept axis and how long it is there; empty when it is whole.
  llvm::SmallVector<mlir::Value> origins, lengths;

  /// γ of the kept subscripts in Horner form; null for a scalar register.
  mlir::Value offset(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> subscripts) const;
};

} // namespace moac

#endif
