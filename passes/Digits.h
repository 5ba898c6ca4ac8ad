// Loops of an axis: all of it in one, or the digits of a lifted axis.
//
//     lift i by 64 as it, ii            i = 64*a + b,  0 <= b < 64       it steps by 64, ii by 1
//     lift i by 4 cyclic as it, ii      i = T*b + a,   0 <= a < T        it steps by 1, ii by T =
//     ceil(N/4)
//
// A loop adds its digit to what the loops around it have reached, so each digit is a step and a
// span:
//
//     for (x = reached; x < min(reached + span, N); x += step)
//
// and the last loop of an axis, whichever digit it is, runs over indices of the axis. No order
// needs a division, none a test inside, and any extent has its tail in the bound. Spans of inner
// digits are multiples of their steps, so each index has exactly one representation.
#ifndef MOAC_PASSES_DIGITS_H
#define MOAC_PASSES_DIGITS_H

#include "passes/Schedule.h"
#include "passes/Stages.h"

namespace moac {

struct Digit {
  std::string name; ///< as schedules call the loop
  shape::Expr step = shape::Expr(1);
  std::optional<shape::Expr> span; ///< step times the digit's values; none: as far as the axis goes
};

/// One loop of a stage.
struct StageLoop {
  mlir::BlockArgument axis; ///< of the stage's gen, or of a reduction in it
  Digit digit;
  bool first = true; ///< no loop around it is of this axis
  bool last = true;  ///< inside it the index is known
  bool lifted() const;
  bool isReduction() const;
};

/// The digits of a kernel's lifted axes, most significant first.
class LiftedAxes {
public:
  /// The axis itself when it is not lifted.
  llvm::SmallVector<Digit> of(mlir::BlockArgument axis) const;
  bool isLifted(mlir::BlockArgument axis) const { return digits.contains(axis); }
  /// Lifts the digit `name` of an axis with this extent; says why not.
  std::optional<std::string> lift(mlir::BlockArgument axis, const shape::Expr &extent,
                                  llvm::StringRef name, const shape::Expr &by, bool cyclic,
                                  llvm::StringRef outer, llvm::StringRef inner);
  /// Marks the first and last loop of each axis.
  static void mark(llvm::MutableArrayRef<StageLoop> loops);

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Digit>> digits;
};

/// Every index of a stage: its axes and those of the reductions in it.
llvm::SmallVector<mlir::BlockArgument> indicesOf(Stage &stage);
/// How many indices an axis has: of a reduction whose bounds depend on others, an expression in
/// these.
shape::Expr extentOf(mlir::BlockArgument axis, moa::IndexExprs &exprs);
/// Every name in `e` is known when the kernel is entered.
bool knownAtEntry(const shape::Expr &e, moa::IndexExprs &exprs);

/// The `lift S [i, it, ii] "64"` and `"4 cyclic"` of a schedule; reports what is illegal.
mlir::FailureOr<LiftedAxes> liftedAxes(moa::KernelOp kernel, StageGraph &graph,
                                       const Schedule &schedule);

} // namespace moac

#endif
