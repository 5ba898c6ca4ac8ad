// One reduction in flight: its value and what any order of combining the terms could change.
//
// A target may regroup sums, products, maxima and minima. A sum's bound is therefore built from
// Σ|term|: the rounding of n - 1 additions in whatever order is at most (n - 1) u Σ|term|, of which
// a verdict allows eight parts. When every term is exact and all partial sums stay on one grid of
// 2^53 (2^24) steps, each order is exact and the bound is 0. A maximum lies between max(v - e) and
// max(v + e); an argmax is in doubt when a rival's interval reaches the best.
#ifndef MOAC_IR_ACCUMULATOR_H
#define MOAC_IR_ACCUMULATOR_H

#include "ir/ScalarEval.h"

#include <algorithm>
#include <type_traits>

namespace moac::eval {

enum class Reduction : uint8_t { add, mul, max, min, any, all, argmax, argmin };

class Accumulator {
public:
  template <class P> void start(Reduction kind);
  void startWhole(Reduction kind);
  /// The domain itself is in doubt, so the result is.
  void taint(double doubt) { doubts += doubt; }

  template <class P> void addTerm(Number<P> term) {
    wide<P>(value) += term.value;
    if (std::isfinite(term.value))
      wide<P>(magnitude) += std::fabs(term.value);
    sawNan = sawNan || std::isnan(term.value);
    error += term.bound;
    ++count;
    if (exact)
      noteGrid<P>(term);
  }
  template <class P> void mulTerm(Number<P> term);
  /// `sign` -1 makes it a minimum.
  template <class P> void maxTerm(Number<P> term, int sign);
  /// `position` is the value of the index, or the row-major position over several.
  template <class P> void argTerm(Number<P> term, int64_t position, int sign);
  /// Integers, bools, and positions of them. An unsigned 64-bit order needs `isUnsigned`.
  void wholeTerm(Reduction kind, Whole term, int64_t position, bool isUnsigned);

  template <class P> Number<P> sum() const;
  template <class P> Number<P> product() const;
  template <class P> Number<P> extreme(int sign) const;
  template <class P> Whole position() const;
  /// Result of an integer or bool reduction; `type` decides the extremes of an empty one.
  Whole whole(Reduction kind, Element type, bool isUnsigned) const;

private:
  union Cell {
    long double wide;
    double narrow;
    int64_t whole;
  };
  template <class P, class C> static auto &wide(C &cell) {
    if constexpr (std::is_same_v<P, Double>)
      return cell.wide;
    else
      return cell.narrow;
  }
  template <class P> void noteGrid(Number<P> term);
  /// Units of roundoff that n terms in any order are charged with.
  double disorder() const {
    return std::min(static_cast<double>(count - 1), 1 + static_cast<double>(count - 1) / 8);
  }

  Cell value, magnitude, high, low;
  double error, rival, doubts;
  int64_t count, best;
  int grid;
  bool exact, sawNan;
};

} // namespace moac::eval

#endif
