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
/// Nothing when `op` compares something else than index values.
std::optional<Comparison> comparisonOf(moa::ScalarOp op, moa::IndexExprs &exprs);

std::optional<bool> decide(const Comparison &comparison, const shape::Facts &facts);
/// The value of a condition: comparisons, `not`, and the strict and lazy forms of `and` and `or`.
std::optional<bool> decide(mlir::Value condition, const shape::Facts &facts,
                           moa::IndexExprs &exprs);

/// The constant that a scalar is under these facts; null when it is not known to be one. Exact in
/// IEEE arithmetic: 0 * x counts for integers only.
mlir::TypedAttr constantUnder(mlir::Value scalar, const shape::Facts &facts,
                              moa::IndexExprs &exprs);
/// The neutral element of a combining kind (add mul max min any all) in `type`.
mlir::TypedAttr identityOf(llvm::StringRef kind, mlir::Type type);
/// The reduction's term is its identity under these facts, so that combining it changes nothing but
/// the sign of a zero.
bool termIsIdentity(moa::RedOp red, const shape::Facts &facts, moa::IndexExprs &exprs);

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
/// `e` without the divisions, moduli, minima and maxima that these facts decide. Moduli of a sum
/// are taken apart along `axes`, tried from the last.
shape::Expr resolve(const shape::Expr &e, llvm::ArrayRef<std::string> axes,
                    const shape::Facts &facts);
/// Divisions and moduli in `e`, nested ones included.
unsigned countDivisions(const shape::Expr &e);

} // namespace moac

#endif
