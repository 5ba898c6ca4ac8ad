// Where a stage lives in an ONF, and at which flat offset an index of it stands.
#ifndef MOAC_PASSES_STORAGE_H
#define MOAC_PASSES_STORAGE_H

#include "ir/MaterializeExpr.h"
#include "ir/Onf.h"

namespace moac {

/// A buffer that holds the axes `axes` of an array (the others are fixed by loops around it), row- or column-major.
struct Storage {
  mlir::Value buffer;
  llvm::SmallVector<unsigned> axes;
  llvm::SmallVector<mlir::Value> extents; ///< one for each kept axis
  bool columnMajor = false;

  /// γ of the kept subscripts in Horner form; null for a scalar register.
  mlir::Value offset(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> subscripts) const;
};

} // namespace moac

#endif
