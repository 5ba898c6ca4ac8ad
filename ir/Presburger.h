// A second opinion on linear facts: MLIR's Presburger library.
//
// The algebra's own prover (Facts) is fast and understands products of symbols, but eliminates names one at a time and so misses
// what needs several facts at once or the integrality of values. Where it does not decide, the facts and the negated goal
// become an integer polyhedron; if that holds no integer point, the goal is proved. Products are opaque names there, floor
// divisions by constants are exact, minima and maxima keep their inequalities.
#ifndef MOAC_IR_PRESBURGER_H
#define MOAC_IR_PRESBURGER_H

#include "ir/Shape.h"

namespace moac::shape {

/// Whether e >= 0 at every point at which the facts hold: by the algebra, else by the polyhedron. Sound; bounded in size, so that
/// false means "not proved".
bool provesNonNegative(const Facts &facts, const Expr &e);
inline bool provesLess(const Facts &facts, const Expr &a, const Expr &b) {
  return provesNonNegative(facts, b - a - Expr(1));
}

/// The polyhedron alone: for tests.
bool polyhedronProvesNonNegative(const Facts &facts, const Expr &e);

} // namespace moac::shape

#endif
