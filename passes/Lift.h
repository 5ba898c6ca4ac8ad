// Lifting a value out of a gen into a stage of its own, indexed by what the value depends on.
//
// Both users (arrays defined inside a gen, reductions inside an expression) need the same three questions answered: is
// the set of free indices a box, are the guards that protected the value still needed, and what is the new gen.
#ifndef MOAC_PASSES_LIFT_H
#define MOAC_PASSES_LIFT_H

#include "ir/KernelFacts.h"
#include "passes/Slice.h"
#include "passes/StageNames.h"

namespace moac {

/// The axes of a lifted stage: free indices, outermost first, and the extent of each.
struct Frame {
  llvm::SmallVector<mlir::BlockArgument> indices;
  std::vector<shape::Expr> extents;
};

class Lifter {
public:
  explicit Lifter(moa::KernelOp kernel);

  /// The frame of what `op` depends on, if its indices range over a box of symbolic extents.
  std::optional<Frame> frameOf(mlir::Operation *op);

  /// What must hold for `op` to be evaluated, when that is needed: nothing if every read and division in it is in range for
  /// the whole frame. `frame` grows by the indices of the guards. Fails (nullopt) when a guard cannot be moved.
  std::optional<llvm::SmallVector<Guards::Condition>> neededGuards(mlir::Operation *op, Frame &frame);

  /// An empty gen before the kernel's stage that holds `op`: the frame's axes, then those of `inner`. `map` sends the frame's
  /// indices to its block arguments.
  moa::GenOp makeGen(mlir::Operation *op, const Frame &frame, llvm::ArrayRef<mlir::StringAttr> innerNames,
                     const std::vector<shape::Expr> &innerExtents, mlir::Type elementType, llvm::StringRef name,
                     mlir::IRMapping &map);

  /// The conjunction of guards as one value at the builder's place; null when there are none.
  mlir::Value guardValue(llvm::ArrayRef<Guards::Condition> guards, mlir::IRMapping &map, mlir::OpBuilder &builder);

  std::string freshName(const std::string &base) { return names.fresh(base); }

private:
  std::optional<shape::Expr> extentOf(mlir::BlockArgument index);
  bool inRangeEverywhere(mlir::Operation *op, const Frame &frame);
  bool isSymbolic(const shape::Expr &e) const;
  void sortFrame(Frame &frame);

  moa::KernelOp kernel;
  moa::IndexExprs exprs;
  shape::Facts entry;
  StageNames names;
};

/// The stage of the kernel (a gen directly in its body) that holds `op`.
moa::GenOp enclosingStage(mlir::Operation *op);
/// The zero of a scalar type.
mlir::Value zeroOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

} // namespace moac

#endif
