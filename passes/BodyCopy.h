// The body of one function copied into another, whose callers then need no call.
//
// Arguments become what stands for them at the new place, offsets into a buffer may begin at another element of it, and memory
// that a copy in a loop asks for is had before that loop. Partitioned kernels are put together of such copies.
#ifndef MOAC_PASSES_BODYCOPY_H
#define MOAC_PASSES_BODYCOPY_H

#include "ir/Onf.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace moac {

/// Copies the body of a function to the builder's place.
class BodyCopy {
public:
  BodyCopy(onf::FuncOp from, mlir::OpBuilder &b) : from(from), b(b) {}

  mlir::IRMapping map;  ///< of the function's arguments
  mlir::IRMapping most; ///< of values here, where sizes of memory are asked for: not smaller, and known before the loop around
  mlir::OpBuilder::InsertPoint before; ///< the place for such sizes

  /// Everything but the checks of arguments.
  void copy();
  /// Offsets into `buffer` in what was copied begin at `base`.
  static void rebase(mlir::Block &block, mlir::Value buffer, mlir::Value base);

private:
  void sizesBefore(llvm::ArrayRef<mlir::Operation *> copies);
  mlir::Value hoisted(mlir::Value value);

  onf::FuncOp from;
  mlir::OpBuilder &b;
};

} // namespace moac

#endif
