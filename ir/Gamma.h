// γ, the layout map: the only place where an index meets an address.
//
// γ_row(i; s) = Σ_k i_k Π_{j>k} s_j and γ_col(i; s) = Σ_k i_k Π_{j<k} s_j; γ' is the inverse by
// repeated floor division and modulus; lifting splits an axis into (outer, inner) with i = outer*T
// + inner.
#ifndef MOAC_IR_GAMMA_H
#define MOAC_IR_GAMMA_H

#include "ir/Shape.h"

namespace moac::shape {

using Index = std::vector<Expr>;
using Extents = std::vector<Expr>;

Expr total(const Extents &s);
/// Offset of the full index `i` (or, for a shorter one, of the first element of the block it
/// addresses).
Expr gammaRow(const Index &i, const Extents &s);
Expr gammaCol(const Index &i, const Extents &s);
/// Inverse of γ_row / γ_col: the index vector at `offset`.
Index gammaRowInverse(const Expr &offset, const Extents &s);
Index gammaColInverse(const Expr &offset, const Extents &s);
/// The index, in an array of shape `to`, of the element at index `i` of shape `from`: γ'(γ(i; from); to), both
/// row-major, for equal totals. Axes whose extents divide each other are taken apart digit by digit, so that no
/// division is left where one shape only splits or joins axes of the other; the rest goes through the offset.
Index reindexRow(const Index &i, const Extents &from, const Extents &to);
/// Stride of each axis, in elements.
std::vector<Expr> rowStrides(const Extents &s);
std::vector<Expr> colStrides(const Extents &s);

/// An axis of extent n lifted by t: `outer` has ceil(n/t) positions, `inner` has t, and the
/// original index is outer*t + inner (blocked) or inner*ceil(n/t) + outer (cyclic). The tail of a
/// block is min(t, n - outer*t).
struct Lift {
  Expr outerExtent, innerExtent, index, tail;
};
Lift lift(const Expr &n, const Expr &t, const std::string &outer, const std::string &inner,
          bool cyclic = false);

} // namespace moac::shape

#endif
