// Symbolic extents and subscripts as algebra.
//
// MoA's shapes are vectors of integer expressions over a kernel's symbols: `2*H + 1`, `(N - 1) // s
// + 1`. An Expr is such an expression in canonical form, so that equality of shapes is equality of
// values: a sum of monomials with 64-bit coefficients over atoms (names, floor divisions, moduli,
// minima, maxima). Nothing here knows MLIR; ir/MoaTypes.cpp stores an Expr in a type, frontend and
// passes reason with Facts.
#ifndef MOAC_IR_SHAPE_H
#define MOAC_IR_SHAPE_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace moac::shape {

/// An integer expression in canonical form. Cheap to copy. Two Exprs that are equal as polynomials
/// over equal atoms compare equal; comparison, hashing and printing are deterministic across runs.
/// Coefficient overflow makes the expression `poisoned()`: equal only to itself, nothing is proved
/// of it.
class Expr {
public:
  Expr(); // zero
  Expr(int64_t value);
  static Expr name(std::string_view name);

  /// The value if this is a literal constant.
  std::optional<int64_t> constant() const;
  /// The name if this is exactly one name.
  std::optional<std::string> asName() const;
  bool poisoned() const;

  /// All names that occur, also inside atoms.
  std::set<std::string> names() const;
  Expr substitute(const std::map<std::string, Expr> &values) const;
  /// Exact value under `values`; nothing when a name is missing, a divisor is 0 or 64 bits
  /// overflow.
  std::optional<int64_t> evaluate(const std::map<std::string, int64_t> &values) const;

  /// Canonical text, readable as moac source: `2*H*W + (N - 1)//s + min(M, 64) + 1`.
  std::string str() const;
  /// Reads what str() writes (and anything of that grammar); nothing on a syntax error.
  static std::optional<Expr> parse(std::string_view text);

  friend Expr operator+(const Expr &, const Expr &);
  friend Expr operator-(const Expr &, const Expr &);
  friend Expr operator*(const Expr &, const Expr &);
  friend Expr operator-(const Expr &);
  friend bool operator==(const Expr &, const Expr &);
  friend bool operator<(const Expr &, const Expr &); // total order, for maps and canonical sorting

  size_t hash() const;
  /// True when `name` occurs, also inside atoms.
  bool mentions(const std::string &name) const;

  struct Node; // terms and atoms, see ir/ShapeNode.h
  const Node &node() const { return *impl; }
  explicit Expr(std::shared_ptr<const Node> node) : impl(std::move(node)) {}

private:
  std::shared_ptr<const Node> impl;
};

/// Floor division and floor modulus (result has the divisor's sign), as the language defines them.
Expr floordiv(const Expr &a, const Expr &b);
Expr mod(const Expr &a, const Expr &b);
Expr min(const Expr &a, const Expr &b);
Expr max(const Expr &a, const Expr &b);
Expr abs(const Expr &a);
/// True when a == b*q for an exact polynomial quotient q.
std::optional<Expr> exactQuotient(const Expr &a, const Expr &b);

class Knowledge;

/// What is known inside one scope: ranges of names, inequalities and equalities. Copy to enter a
/// scope. Every "prove" is sound and incomplete: false means "not proved", never "false". All run
/// in bounded time.
class Facts {
public:
  /// lo <= name < hi, and the domain is not empty (so hi - lo >= 1 is a fact as well).
  void range(const std::string &name, const Expr &lo, const Expr &hi);
  void nonNegative(const Expr &e); // e >= 0
  void equal(const Expr &a, const Expr &b);

  bool proveNonNegative(const Expr &e) const; // e >= 0
  bool provePositive(const Expr &e) const { return proveNonNegative(e - Expr(1)); }
  bool proveLess(const Expr &a, const Expr &b) const { return provePositive(b - a); }
  bool proveEqual(const Expr &a, const Expr &b) const;

  /// Some fact fails on its own, as an empty range of constants does: then anything could be proved. That it is false says
  /// nothing.
  bool contradictory() const;

  /// `e`, or something equal and smaller: quotients, moduli, minima and maxima that the facts decide are gone.
  Expr simplify(const Expr &e) const;

  /// A point at which every fact holds and `e` is negative, found among a few samples: for error
  /// messages. That nothing is found says nothing.
  std::optional<std::map<std::string, int64_t>> counterexample(const Expr &e) const;

  /// A bound that holds and is *attained* somewhere in the (non-empty) domain of the ranged names,
  /// free of those names; nothing when it cannot be given exactly. For refutations: `q[i+1]` has
  /// attained maximum N.
  std::optional<Expr> attainedMax(const Expr &e) const;
  std::optional<Expr> attainedMin(const Expr &e) const;
  /// Some upper (lower) bound free of `eliminate`; for required regions of tiles.
  std::optional<Expr> upperBound(const Expr &e, const std::set<std::string> &eliminate) const;
  std::optional<Expr> lowerBound(const Expr &e, const std::set<std::string> &eliminate) const;

  /// Every fact as an expression that is >= 0 where the facts hold: for another prover.
  void each(const std::function<void(const Expr &)> &visit) const;

  struct Range {
    std::string name;
    Expr lo, hi;
  };

private:
  friend class Knowledge;
  bool holdAt(const std::map<std::string, int64_t> &at) const;
  std::vector<Range> boundRanges() const;
  Facts symbolFacts() const;
  bool contains(const std::map<std::string, Expr> &point, const Expr &e) const;
  std::optional<Expr> attained(const Expr &e, bool upper) const;
  std::optional<Expr> bounded(const Expr &e, const std::set<std::string> &names, bool upper) const;
  /// The facts made ready for proving, built at the first question after a change. Because of it,
  /// one Facts object must not be asked from two threads at once; copies are independent.
  const Knowledge &knowledge() const;
  mutable std::shared_ptr<const Knowledge> prepared;

  std::vector<Range> ranges; // in nesting order; later bounds may mention earlier names
  std::vector<Expr> known;   // each >= 0
  std::vector<std::pair<Expr, Expr>> equalities;
};

} // namespace moac::shape

#endif
