// The inside of an Expr, for code that walks one: lowering to loop code, printing, proving.
//
// An Expr is a sum of terms, a term a coefficient times a product of atoms. A power is a repeated
// factor. Terms stand in graded order (higher degree first, then lexicographic by atom, the
// constant last), factors in atom order, so that structural equality is equality of polynomials.
// Everything is immutable and shared.
#ifndef MOAC_IR_SHAPENODE_H
#define MOAC_IR_SHAPENODE_H

#include "ir/Shape.h"

namespace moac::shape {

enum class AtomKind : uint8_t { Name, FloorDiv, Mod, Min, Max };

/// A factor that the polynomial layer does not look into. FloorDiv and Mod have two arguments, Min
/// and Max two or more in sorted order, Name none.
struct Atom {
  AtomKind kind;
  std::string name;
  std::vector<Expr> args;
  size_t hash = 0;
  uint64_t mask = 0;   // a bit per name (by hash): a clear bit proves that a name does not occur
  uint32_t weight = 1; // size as a tree
  uint32_t depth = 0;  // nesting of atoms
};
using AtomRef = std::shared_ptr<const Atom>;

/// coefficient * Π factors; no factors for the constant term.
struct Term {
  int64_t coefficient = 0;
  std::vector<AtomRef> factors;
};

struct Expr::Node {
  std::vector<Term> terms;
  uint64_t poison = 0; // non-zero: overflowed, the number tells two such expressions apart
  size_t hash = 0;
  uint64_t mask = 0;
  uint32_t weight = 0, depth = 0;
};

/// Three-way comparisons behind the canonical order.
int compare(const Atom &a, const Atom &b);
int compare(const std::vector<AtomRef> &a, const std::vector<AtomRef> &b);
int compare(const Expr &a, const Expr &b);

/// An expression from terms in any order; factors must be sorted. Combines, sorts, checks limits.
Expr fromTerms(std::vector<Term> terms);
Expr fromAtom(AtomRef atom);
/// The atom with these canonical arguments, unsimplified.
Expr makeAtom(AtomKind kind, std::vector<Expr> args);
Expr poisonedExpr();
/// The atom if `e` is exactly one atom with coefficient 1, else null.
const Atom *asAtom(const Expr &e);
/// The part without the constant term, and the constant term.
int64_t constantTerm(const Expr &e);
/// e = quotient * divisor + remainder, by polynomial division with coefficients floored; exact for
/// every value of the names. Gives quotient 0 when limits are hit. The divisor must not be 0.
struct Division {
  Expr quotient, remainder;
};
Division divide(const Expr &e, const Expr &divisor);
/// Simplifying constructor for any compound kind: the public floordiv, mod, min, max.
Expr rebuild(AtomKind kind, const std::vector<Expr> &args);
Expr minMax(AtomKind kind, std::vector<Expr> args);

/// Rebuilds `e` bottom-up; `replace` may give a value for an atom whose arguments are rebuilt
/// already.
using Replace = std::function<std::optional<Expr>(const Atom &)>;
Expr rewrite(const Expr &e, const Replace &replace);
/// Every distinct atom in `e`, nested ones included, inner before outer, in canonical order of
/// discovery.
std::vector<AtomRef> atomsOf(const Expr &e);

int64_t floorDivide(int64_t a, int64_t b); // b is not 0
int64_t floorModulo(int64_t a, int64_t b);
uint64_t nameBit(std::string_view name);

} // namespace moac::shape

#endif
