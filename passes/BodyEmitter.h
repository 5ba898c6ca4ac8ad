// Scalar code of the DNF as statements and expressions of the ONF.
//
// A value is emitted where it is first needed. Reads become loads at flat offsets, reductions become loops around a
// register, and what must be checked before it is done (a subscript that may leave its axis, a divisor that may be zero)
// guards the rest of the statement: `if (ok) { ... } else fail`. A `where` stays an expression as long as both sides are
// plain; otherwise it becomes an if around two assignments, so that nothing of the other side runs.
#ifndef MOAC_PASSES_BODYEMITTER_H
#define MOAC_PASSES_BODYEMITTER_H

#include "passes/Storage.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace moac {

class BodyEmitter {
public:
  /// `storage` finds where an array (parameter or stage) lives.
  BodyEmitter(mlir::OpBuilder &builder, llvm::DenseMap<mlir::Value, mlir::Value> values,
              const llvm::DenseMap<mlir::Value, Storage> &storage)
      : b(builder), known{std::move(values), {}}, storage(storage) {}

  /// Says what a DNF value (an index, a symbol) is in the ONF.
  void bind(mlir::Value dnf, mlir::Value onf) { known.values[dnf] = onf; }
  /// The ONF value of a DNF value, emitted at the builder's place unless it is there already.
  mlir::Value emit(mlir::Value value);
  /// Bounds of index `i` of a reduction; earlier indices must be bound.
  std::pair<mlir::Value, mlir::Value> emitBounds(moa::RedOp red, unsigned i);
  /// Checks fail the kernel at its entry instead of guarding statements.
  void atEntry() { entry = true; }

  /// The neutral element of a combining kind (add mul max min any all) in `type`.
  static mlir::Value identity(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef kind, mlir::Type type);

private:
  mlir::Value emitScalar(moa::ScalarOp op);
  mlir::Value emitRead(moa::PsiOp op);
  mlir::Value emitWhere(moa::WhereOp op);
  mlir::Value emitPlainWhere(moa::WhereOp op, mlir::Value condition);
  mlir::Value emitBranchingWhere(moa::WhereOp op, mlir::Value condition);
  mlir::Value emitReduction(moa::RedOp op);
  mlir::Value emitCombined(moa::RedOp op);
  mlir::Value emitArg(moa::RedOp op);
  mlir::Value emitFold(moa::RedOp op);
  /// The loops of a reduction; `body` runs with the indices bound.
  void emitLoops(moa::RedOp op, bool reverse, llvm::function_ref<void(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>>)> body);
  void guard(mlir::Location loc, mlir::Value condition, llvm::StringRef status);
  void emitCaptured(mlir::Operation *op);
  mlir::Value registerVariable(mlir::Location loc, mlir::Type type, llvm::StringRef name, mlir::Value initial);
  mlir::Value load(mlir::Location loc, mlir::Value buffer);

  /// What is known where the builder stands: emitted values, and subscripts that have been checked against an extent.
  struct Known {
    llvm::DenseMap<mlir::Value, mlir::Value> values;
    llvm::DenseSet<std::pair<mlir::Value, mlir::Value>> inside;
  };

  mlir::OpBuilder &b;
  Known known;
  const llvm::DenseMap<mlir::Value, Storage> &storage;
  bool entry = false;
};

} // namespace moac

#endif
