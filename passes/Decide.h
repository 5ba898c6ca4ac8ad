// What is already settled where a piece of code stands: conditions, divisions, minima, constants.
//
// ψ-reduction leaves tests and moduli on indices: `where(i < N, A[i], B[i - N])`, `A[(i + s) % N]`.
// Inside a loop whose range is known most of them have one answer. Everything here is an answer of
// the shape algebra's prover from the facts at hand; what it cannot prove is left open.
#ifndef MOAC_PASSES_DECIDE_H
#define MOAC_PASSES_DECIDE_H

#include "ir/IndexExpr.h"

namespace moac {

/// A comparison of index values as `p >= 0`, or as `p == 0`; negated, its opposite.
struct Comparison {
  shape::Expr p;
  bool equality = false, negated = false;
};
/// Nothing when `op` compares something else than index values, or what is checked at run time.
std::optional<Comparison> comparisonOf(moa::ScalarOp op, moa::IndexExprs &exprs);

/// Something in the definition of `value` is checked at run time: a subscript or a divisor. Such a
/// value is computed even where its use is settled, since it may fail.
bool isChecked(mlir::Value value);

std::optional<bool> decide(const Comparison &comparison, const shape::Facts &facts);
/// The value of a condition: comparisons, `not`, and the strict and lazy forms of `and` and `or`.
std::optional<bool> decide(mlir::Value condition, const shape::Facts &facts,
                           moa::IndexExprs &exprs);

/// Facts inside the definition of an element that is read from a stage: its indices are the
/// subscripts. Nothing for an input, and where something is checked.
std::optional<shape::Facts> factsOfElement(moa::PsiOp psi, const shape::Facts &facts,
                                           moa::IndexExprs &exprs);

/// The constant that a scalar is under these facts; null when it is not known to be one. Exact in
/// IEEE arithmetic: 0 * x counts for integers only.
mlir::TypedAttr constantUnder(mlir::Value scalar, const shape::Facts &facts,
                              moa::IndexExprs &exprs);
/// The neutral element of a combining kind (add mul max min any all) in `type`.
mlir::TypedAttr identityOf(llvm::StringRef kind, mlir::Type type);
/// floordiv, mod, min or max of index values.
bool isStep(mlir::Operation *op);
/// `x // m` when it is a small constant under these facts (then m >= 1).
std::optional<int64_t> quotientOf(const shape::Expr &x, const shape::Expr &m,
                                  const shape::Facts &facts);
/// `x` with the part that is free of an axis, `rest`, reduced modulo m: the same modulo m, and of a
/// size that can be known.
struct Wrapped {
  shape::Expr value, rest;
};
/// Nothing when there is no such part, or m is not known to be positive.
std::optional<Wrapped> wrapInvariant(const shape::Expr &x, const shape::Expr &m,
                                     const std::string &axis, const shape::Facts &facts);
/// `x // m` as the index of a loop around.
struct Quotient {
  shape::Expr x, m, value;
};
/// What simplifies index arithmetic at a place.
struct Surroundings {
  shape::Facts facts;
  llvm::SmallVector<std::string> axes; ///< indices of the loops around, outermost first
  llvm::SmallVector<Quotient> quotients;
};
/// `e` without the divisions, moduli, minima and maxima that these facts decide. Moduli of a sum
/// are taken apart along the axes, tried from the last.
shape::Expr resolve(const shape::Expr &e, const Surroundings &around);
/// `(x // c) // b` as `x // (c*b)` where b is positive.
shape::Expr mergeDivisions(const shape::Expr &e, const shape::Facts &facts);
/// The offset of a read by the algebra, where divisions of its subscripts cancel in γ: A[x // M, x % M]
/// of a row-major A is at x. `axes` are those that the array keeps where it is stored. Nothing when
/// there is nothing to gain.
std::optional<shape::Expr> flatOffset(moa::PsiOp psi, llvm::ArrayRef<unsigned> axes,
                                      const Surroundings &around, moa::IndexExprs &exprs);
/// Subscripts of a read whose divisions do not cancel.
llvm::SmallVector<shape::Expr> dividedSubscripts(moa::PsiOp psi, const Surroundings &around,
                                                 moa::IndexExprs &exprs);

/// Divisions and moduli in `e`, nested ones included.
unsigned countDivisions(const shape::Expr &e);

} // namespace moac

#endif
