// The inside of an Expr, for code that walks one: lowering to loop code, printing, proving.
//
// An Expr is a sum of terms, a term a coefficient times a product of atoms. A power is a repeated
// factor. Terms stand in graded order (higher degree first, then lexicographic by atom, the
// constant last), factors in atom order, so that structural equality is equality of polynomials.
// Everything is immutable and shared.
#ifndef MOAC_IR_SHAPENODE_H
#define MOAC_IR_SHAPENODE_H

#include "ir/Shape.h"

#include <algorithm>

namespace moac::shape {

enum class AtomKind : uint8_t { Name, FloorDiv, Mod, Min, Max };

/// A factor that the polynomial layer does not look into. FloorDiv and Mod have two arguments, Min
/// and Max two or more in sorted order, Name none. Atoms are unique for the life of the process (as
/// MLIR's types are), so equal atoms are the same object.
struct Atom {
  AtomKind kind;
  std::string name;
  std::vector<Expr> args;
  Expr self; // this atom as an expression
  size_t hash = 0;
  uint64_t mask = 0;   // a bit per name (by hash): a clear bit proves that a name does not occur
  uint32_t weight = 1; // size as a tree
  uint32_t depth = 0;  // nesting of atoms
};
using AtomRef = const Atom *;

/// A sorted product of atoms, in place: an expression of higher degree than `capacity` is poisoned.
class Factors {
public:
  static constexpr uint32_t capacity = 15;
  Factors() = default;
  Factors(const Factors &o) : count(o.count) { std::copy(o.begin(), o.end(), atoms); }
  Factors &operator=(const Factors &o) {
    count = o.count;
    std::copy(o.begin(), o.end(), atoms);
    return *this;
  }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const AtomRef *begin() const { return atoms; }
  const AtomRef *end() const { return atoms + count; }
  AtomRef operator[](size_t k) const { return atoms[k]; }
  /// `atom` must not precede the last one, and there must be room.
  void push_back(AtomRef atom) { atoms[count++] = atom; }
  void erase(size_t k) { std::copy(atoms + k + 1, atoms + count--, atoms + k); }
  bool contains(const Atom &a) const { return std::find(begin(), end(), &a) != end(); }
  friend bool operator==(const Factors &a, const Factors &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  AtomRef atoms[capacity];
  uint32_t count = 0;
};

/// coefficient * Π factors; no factors for the constant term.
struct Term {
  int64_t coefficient = 0;
  Factors factors;
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
int compare(const Factors &a, const Factors &b);
int compare(const Expr &a, const Expr &b);

/// An expression from terms in any order; factors must be sorted. Combines, sorts, checks limits.
Expr fromTerms(std::vector<Term> terms);
inline const Expr &fromAtom(AtomRef atom) { return atom->self; }
/// The atom with these canonical arguments, unsimplified.
Expr makeAtom(AtomKind kind, std::vector<Expr> args);
Expr poisonedExpr();
/// The atom if `e` is exactly one atom with coefficient 1, else null.
AtomRef asAtom(const Expr &e);
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
