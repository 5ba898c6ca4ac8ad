// Elimination of ranged names for bounds, private to this library (see ir/ShapeBounds.cpp).
#ifndef MOAC_IR_SHAPEBOUNDS_H
#define MOAC_IR_SHAPEBOUNDS_H

#include "ir/ShapeProver.h"

namespace moac::shape {

class Bounds {
public:
  using Range = Facts::Range;
  /// `ranges` in nesting order, equalities applied.
  Bounds(Search &search, std::vector<Range> ranges) : search(search), ranges(std::move(ranges)) {}

  /// An upper (or lower) bound of `e` free of `names`.
  std::optional<Expr> eliminate(Expr e, const std::set<std::string> &names, bool upper);
  /// The value at the end of every range that monotonicity chooses, and that point; a name that
  /// does not matter takes its lower end, or its upper one. Nothing when `e` is not known to be
  /// monotone.
  std::optional<Expr> extreme(Expr e, bool upper, bool idleHigh,
                              std::map<std::string, Expr> &point);

private:
  std::optional<int> direction(const Expr &e, const Range &r);
  std::optional<int> direction(const Atom &atom, const Range &r);
  std::optional<Expr> bound(const Expr &e, const Range &r, bool upper);
  std::optional<Expr> atomBound(const Atom &atom, const Range &r, bool upper);
  bool nonNegativeThroughout(const Expr &e, const Range &r);

  Search &search;
  std::vector<Range> ranges;
};

} // namespace moac::shape

#endif
