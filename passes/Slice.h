// Cutting a computation out of a region: what it reads, which indices it depends on, under which conditions it runs.
//
// Both splitting of stages and lifting of nested arrays move a value from inside one `moa.gen` to a gen of its own. They
// need the backward slice of the value, its free indices (they become the frame of the new gen) and the guards that
// protected it (a read under a condition must stay under it).
#ifndef MOAC_PASSES_SLICE_H
#define MOAC_PASSES_SLICE_H

#include "ir/Moa.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace moac {

using IndexSet = llvm::SetVector<mlir::BlockArgument>;

/// Adds to `free` every index (block argument of a gen or red region) that `value` depends on and that is not bound
/// inside its own definition. Kernel arguments and arrays defined in the kernel's body are not indices.
void collectFreeIndices(mlir::Value value, IndexSet &free);
/// The same for everything an operation reads, regions included.
void collectFreeIndices(mlir::Operation *op, IndexSet &free);

/// `value` does not depend on the index.
bool isFreeOf(mlir::Value value, mlir::BlockArgument index);

/// Visits every operation that `value` is computed from, those inside regions included; arrays defined in the kernel's body are
/// not looked into.
void visitSlice(mlir::Value value, llvm::function_ref<void(mlir::Operation *)> visit);

/// Clones the definition of `value` at the builder's place, as far as it is not in `map` and not defined in the kernel's
/// body. Every free index must be in `map`.
mlir::Value cloneSlice(mlir::Value value, mlir::IRMapping &map, mlir::OpBuilder &builder);

/// Why an operation inside a gen is evaluated: conditions of the enclosing `where`s (`holds`: the polarity) and
/// reductions whose domain encloses it, innermost first.
struct Guards {
  struct Condition {
    mlir::Value condition;
    bool holds;
  };
  llvm::SmallVector<Condition> conditions;
  llvm::SmallVector<moa::RedOp> reductions;
};
Guards guardsOf(mlir::Operation *op);

/// The operation that binds an index: a gen or a red.
mlir::Operation *binderOf(mlir::BlockArgument index);
/// True for a block argument of a gen or red region.
bool isIndex(mlir::Value value);
/// The user's name of an index.
llvm::StringRef indexName(mlir::BlockArgument index);
/// A schedule names the axes of a stage: inlining may have brought two of one name together, the later is renamed.
void distinguishIndices(moa::GenOp stage);

} // namespace moac

#endif
