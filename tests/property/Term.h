// Terms of the whole language as small trees that know their type and shape, and print themselves.
//
// A generator builds them from the wish for a shape and an element type, so every program is legal
// by construction, and whoever shrinks a failing program may replace a term by any other of the
// same type and shape and has a legal program again. A term also knows a bound on the magnitude of
// its elements: exact programs stay where every float type of theirs holds each integer, so that
// any order of evaluation must give the same bits.
#ifndef MOAC_TESTS_PROPERTY_TERM_H
#define MOAC_TESTS_PROPERTY_TERM_H

#include "frontend/Words.h"
#include "ir/Shape.h"

#include <memory>
#include <string>
#include <vector>

namespace moac::property {

using Extents = std::vector<shape::Expr>;

/// How tight a term's text binds; a looser one than its place allows gets parentheses.
enum class Level { Atom, Postfix, Prefix, Worded, Applied, Product, Sum, Compare, Not, And, Or };

struct Term;
using TermRef = std::shared_ptr<const Term>;

/// An operand and the loosest level that may stand in its place without parentheses.
struct Slot {
  TermRef term;
  Level loosest;
};

struct Term {
  std::vector<std::string> pieces; ///< one more than slots
  std::vector<Slot> slots;
  Level level = Level::Atom;
  ElementType type = ElementType::f64_; ///< in which it computes, never a storage type
  Extents shape;
  double bound = 0;     ///< of the magnitude of elements; `wild` when integers may wrap
  bool exact = true;    ///< no operation in it rounds
  bool weak = false;    ///< a weak integer: computes in 64 bits and converts where it meets a type
  bool indexed = false; ///< an index of the surrounding definition occurs in it

  std::string text() const;
  size_t size() const;
};

/// Bound of values that may be anything their type holds.
constexpr double wild = 1e300;

bool isFloat(ElementType type);
bool isInteger(ElementType type);
/// The largest magnitude up to which sums of integers are exact in `type`.
double exactLimit(ElementType type);
/// `bound`, as `type` can have it: integers wrap, so a large one means wild.
double boundIn(ElementType type, double bound);

/// `<2, N + 1>`, without the brackets.
std::string listed(const Extents &extents);
/// Value of an extent when every symbol is `size`; for bounds and for cost.
double extentAt(const shape::Expr &extent, int64_t size);
shape::Expr total(const Extents &extents);

} // namespace moac::property

#endif
