// How often something happens, as a formula in a kernel's symbols that is exact.
//
// Loops with affine bounds are summed in closed form: a triangular nest gives (N*N + N)/2, tiles with a clipped last one
// give N, a guard that cuts a range cuts the sum. What has no closed form stays a sum, is printed as one and evaluated
// by going through its range:
//
//     sum[t in 0..N//64](max(0, N - 7*t))
#ifndef MOAC_IR_COUNT_H
#define MOAC_IR_COUNT_H

#include "ir/Shape.h"

namespace moac::cost {

using shape::Expr;
using Sizes = std::map<std::string, int64_t>;

struct SumNode;

/// numerator / denominator + Σ factor * sum; the quotient is always whole.
class Count {
public:
  Count(int64_t value = 0) : numerator(value) {}
  Count(Expr value) : numerator(std::move(value)) {}
  /// numerator / denominator, whole at all values that matter.
  static Count quotient(Expr numerator, int64_t denominator);
  static Count of(std::shared_ptr<const SumNode> node);

  Count operator+(const Count &other) const;
  Count operator-(const Count &other) const { return *this + other.times(Expr(-1)); }
  Count times(const Expr &factor) const;

  bool isZero() const { return rest.empty() && numerator == Expr(0); }
  /// The formula when it holds no sum and no division.
  std::optional<Expr> expr() const;
  /// Value at these sizes; nothing when a name is missing or 64 bits do not hold it.
  std::optional<int64_t> evaluate(const Sizes &at) const;
  std::string str() const;

  /// A coefficient of the formula does not fit into 64 bits.
  bool overflows() const;

private:
  friend class NestSum;
  struct Part {
    Expr factor;
    std::shared_ptr<const SumNode> node;
  };
  Expr numerator;
  int64_t denominator = 1;
  std::vector<Part> rest;
};

/// Σ of `body` over lo <= variable < hi where every condition is >= 0; without a variable: `body` if they are.
struct SumNode {
  std::string variable;
  Expr lo, hi;
  std::vector<Expr> conditions;
  Count body;
};

struct LoopRange {
  std::string variable;
  Expr lo, hi;
};

/// Points of a nest, outermost loop first, at which every condition is >= 0. `facts` hold outside of the nest.
Count countPoints(const std::vector<LoopRange> &nest, std::vector<Expr> conditions, const shape::Facts &facts);

} // namespace moac::cost

#endif
