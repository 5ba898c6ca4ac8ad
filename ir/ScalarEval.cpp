// Scalar functions with error bounds: the special cases of arithmetic and the library functions.
//
// Library functions are promised to 2 ulp (4 for pow, sigmoid, tanh and erf); an ulp is at most two
// units of roundoff, so those are 4 and 8 units. An operand's bound goes through the derivative at
// the worst point of its interval, or through one more term of the series.
#include "ir/ScalarEval.h"

#include <algorithm>
#include <initializer_list>

namespace moac::eval {

template <class P>
Number<P> settleSpecial(typename P::Wide value, double bound, Nature nature, Number<P> a,
                        Number<P> b) {
  bool exact = a.bound == 0 && b.bound == 0;
  if (a.bound == unknown || b.bound == unknown)
    return {value, unknown};
  if (std::isnan(value)) {
    bool given = std::isnan(a.value) || std::isnan(b.value);
    // inf - inf, where one side may be a product that a fused multiply-add does not round to infinity.
    return {value, given || (exact && nature != Nature::Sum) ? 0 : unknown};
  }
  if (std::isinf(a.value) || std::isinf(b.value)) {
    for (Number<P> n : {a, b})
      if (nature != Nature::Sum && n.bound != 0 && std::fabs(n.value) <= certainty * n.bound)
        return {value, unknown};
    return {value, 0};
  }
  if (std::isinf(value))
    return {value, exact || std::isfinite(bound) ? 0 : unknown};
  typename P::Wide size = std::fabs(value);
  if (!std::isfinite(bound)) {
    // A product so large that its bound overflowed is infinite everywhere if its factors are not
    // near zero.
    bool sure = nature == Nature::Product && size > 16 * static_cast<typename P::Wide>(P::largest);
    for (Number<P> n : {a, b})
      sure = sure && std::fabs(n.value) > 2 * certainty * n.bound;
    if (!sure)
      return {value, unknown};
    return {std::copysign(static_cast<typename P::Wide>(INFINITY), value), 0};
  }
  if (size > P::largest) {
    typename P::Wide limit = (nature == Nature::Product ? 2.1 : 1 + P::unit);
    if (size - certainty * bound > limit * P::largest)
      return {std::copysign(static_cast<typename P::Wide>(INFINITY), value), 0};
    return {std::copysign(static_cast<typename P::Wide>(P::largest), value), unknown};
  }
  if (size + certainty * bound > P::largest)
    return {value, unknown};
  if (size < P::normal && bound != 0)
    bound += P::eta;
  return {value, bound};
}

namespace {
/// A function of one operand: its value, the part of the bound that comes from the operand, and
/// units of roundoff.
template <class P>
Number<P> library(Number<P> a, typename P::Wide value, double fromOperand, double units) {
  return settle<P>(value, fromOperand + units * rounding<P>(value), a, a);
}
template <class P> double size(typename P::Wide value) {
  return static_cast<double>(std::fabs(value));
}
/// floor, ceil or round: certain unless a step lies within reach.
template <class P, class F> Number<P> step(Number<P> a, F f) {
  typename P::Wide value = f(a.value);
  if (a.bound == 0)
    return {value, 0};
  double up = static_cast<double>(f(a.value + certainty * a.bound) - value);
  double down = static_cast<double>(value - f(a.value - certainty * a.bound));
  double bound = std::max(up, down);
  return {value, bound < unknown ? bound : unknown};
}
} // namespace

template <class P> Number<P> max(Number<P> a, Number<P> b) {
  if ((a.bound == unknown || b.bound == unknown) && !isCertainNan(a) && !isCertainNan(b))
    return {std::max(a.value, b.value), unknown}; // either may be NaN
  if (a.value - a.bound > b.value + b.bound)
    return a;
  if (b.value - b.bound > a.value + a.bound)
    return b;
  if (std::isnan(a.value) || std::isnan(b.value)) {
    bool certain = isCertainNan(a) || isCertainNan(b);
    return {static_cast<typename P::Wide>(NAN), certain ? 0 : unknown};
  }
  typename P::Wide best = std::max(a.value, b.value);
  if (a.bound == 0 && b.bound == 0)
    return {best, 0};
  auto up = std::max(a.value + a.bound, b.value + b.bound) - best;
  auto down = best - std::max(a.value - a.bound, b.value - b.bound);
  double bound = static_cast<double>(std::max(up, down));
  return {best, bound < unknown ? bound : unknown};
}

template <class P> Number<P> div(Number<P> a, Number<P> b) {
  typename P::Wide quotient = a.value / b.value;
  if (a.bound == unknown || std::fabs(b.value) <= certainty * b.bound) {
    // Zero, perhaps: 0/0 is NaN; otherwise the sign of the infinity is not promised.
    bool certain = std::isnan(quotient) && a.bound == 0 && b.bound == 0;
    return {quotient, certain || isCertainNan(a) || isCertainNan(b) ? 0 : unknown};
  }
  double bound = (a.bound + size<P>(quotient) * b.bound) / (size<P>(b.value) - b.bound);
  bool exact = a.bound == 0 && b.bound == 0 && isShort<P>(quotient) && isShort<P>(b.value) &&
               quotient * b.value == a.value;
  return settle<P>(quotient, exact ? 0 : bound + rounding<P>(quotient), a, b);
}

template <class P> Number<P> floordiv(Number<P> a, Number<P> b) { return floor<P>(div<P>(a, b)); }

template <class P> Number<P> mod(Number<P> a, Number<P> b) {
  Number<P> times = floordiv<P>(a, b);
  if (times.bound != 0 || !std::isfinite(times.value) || !std::isfinite(b.value)) {
    typename P::Wide rest = a.value - b.value * times.value;
    bool certain = std::isnan(rest) && a.bound == 0 && b.bound == 0 && times.bound != unknown;
    double reach = std::isfinite(times.bound) ? size<P>(b.value) * (times.bound + 1) : unknown;
    return {rest, certain ? 0 : reach > 0 ? reach : unknown};
  }
  return sub<P>(a, mul<P>(b, times));
}

template <class P> Number<P> fma(Number<P> a, Number<P> b, Number<P> c) {
  Number<P> product = mul<P>(a, b);
  if (!std::isfinite(product.value) && std::isfinite(a.value) && std::isfinite(b.value))
    product.bound = unknown; // one rounding might have saved it
  return add<P>(product, c);
}

template <class P> Number<P> exp(Number<P> a) {
  typename P::Wide value = std::exp(a.value);
  if (value > P::largest && std::exp(a.value - certainty * a.bound) > 2.0L * P::largest)
    return {static_cast<typename P::Wide>(INFINITY), 0};
  double slope = a.bound < 0.1 ? a.bound * (1 + a.bound) : std::expm1(a.bound);
  return library<P>(a, value, size<P>(value) * slope, 4);
}

template <class P> Number<P> exp2(Number<P> a) {
  typename P::Wide value = std::exp2(a.value);
  if (value > P::largest && std::exp2(a.value - certainty * a.bound) > 2.0L * P::largest)
    return {static_cast<typename P::Wide>(INFINITY), 0};
  double reach = a.bound * 0.6931471805599453;
  double slope = reach < 0.1 ? reach * (1 + reach) : std::expm1(reach);
  bool exact = a.bound == 0 && std::rint(a.value) == a.value && fits<P>(value);
  return library<P>(a, value, size<P>(value) * slope, exact ? 0 : 4);
}

namespace {
template <class P> Number<P> logarithm(Number<P> a, typename P::Wide value, double scale) {
  if (a.bound == 0)
    return std::isfinite(value) ? library<P>(a, value, 0, value == 0 ? 0 : 4) : Number<P>{value, 0};
  if (a.value < -certainty * a.bound)
    return {static_cast<typename P::Wide>(NAN), 0};
  if (!(a.value > certainty * a.bound))
    return {value, unknown};
  return library<P>(a, value, scale * a.bound / (size<P>(a.value) - a.bound), 4);
}
} // namespace
template <class P> Number<P> log(Number<P> a) { return logarithm<P>(a, std::log(a.value), 1); }
template <class P> Number<P> log2(Number<P> a) {
  return logarithm<P>(a, std::log2(a.value), 1.4426950408889634);
}

template <class P> Number<P> sqrt(Number<P> a) {
  typename P::Wide root = std::sqrt(a.value);
  if (a.bound == 0) {
    bool exact = !std::isfinite(root) || (isShort<P>(root) && root * root == a.value);
    return {root, exact ? 0 : rounding<P>(root)};
  }
  if (a.value < -certainty * a.bound)
    return {static_cast<typename P::Wide>(NAN), 0};
  if (!(a.value >= certainty * a.bound))
    return {root, unknown};
  double down = static_cast<double>(root - std::sqrt(a.value - a.bound));
  return library<P>(a, root, down, 1);
}

template <class P> Number<P> rsqrt(Number<P> a) {
  typename P::Wide value = 1 / std::sqrt(a.value);
  if (a.bound == 0 && !(a.value > 0))
    return {value, 0};
  if (a.bound != 0 && a.value < -certainty * a.bound)
    return {static_cast<typename P::Wide>(NAN), 0};
  if (a.bound != 0 && !(a.value > certainty * a.bound))
    return {value, unknown};
  double low = size<P>(a.value) - a.bound;
  return library<P>(a, value, a.bound / (2 * low * std::sqrt(low)), 4);
}

template <class P> Number<P> tanh(Number<P> a) {
  typename P::Wide value = std::tanh(a.value);
  double flat = 1 - size<P>(value * value) + a.bound;
  return library<P>(a, value, std::min(1.0, flat) * a.bound, 8);
}

template <class P> Number<P> sigmoid(Number<P> a) {
  typename P::Wide value = 1 / (1 + std::exp(-a.value));
  double slope = std::min(0.25, size<P>(value * (1 - value)) + 0.1 * a.bound);
  double bound = slope * a.bound + 8 * rounding<P>(value);
  if (value < 8 * P::normal && std::isfinite(a.value))
    bound += P::normal; // 1/(1 + exp(-x)) gives 0 where exp overflows
  return settle<P>(value, bound, a, a);
}

template <class P> Number<P> erf(Number<P> a) {
  typename P::Wide value = std::erf(a.value);
  double x = size<P>(a.value), slope = 1.1283791670955126 * std::exp(-x * x) + a.bound;
  return library<P>(a, value, std::min(1.1283791670955126, slope) * a.bound, 8);
}

template <class P> Number<P> sin(Number<P> a) {
  double slope = size<P>(std::cos(a.value)) + a.bound / 2;
  return library<P>(a, std::sin(a.value), std::min(1.0, slope) * a.bound, 4);
}
template <class P> Number<P> cos(Number<P> a) {
  double slope = size<P>(std::sin(a.value)) + a.bound / 2;
  return library<P>(a, std::cos(a.value), std::min(1.0, slope) * a.bound, 4);
}

template <class P> Number<P> pow(Number<P> a, Number<P> b) {
  typename P::Wide value = std::pow(a.value, b.value);
  bool exact = a.bound == 0 && b.bound == 0;
  if (exact && !std::isfinite(value))
    return settle<P>(value, 0, a, b);
  double bound = 8 * rounding<P>(value), base = size<P>(a.value), power = size<P>(b.value);
  bool whole = b.bound == 0 && std::rint(b.value) == b.value;
  if (a.bound != 0) {
    if (b.value >= 1 && (whole || a.value > certainty * a.bound))
      bound += power * std::pow(base + a.bound, power - 1) * a.bound;
    else if (base > certainty * a.bound && (whole || a.value > 0))
      bound += size<P>(value) * std::expm1(power * a.bound / (base - a.bound));
    else
      return {value, unknown};
  }
  if (b.bound != 0) {
    if (!(a.value > certainty * a.bound))
      return {value, unknown};
    double slope = std::fabs(std::log(base)) + a.bound / (base - a.bound);
    bound += size<P>(value) * std::expm1(slope * b.bound);
  }
  return settle<P>(value, bound, a, b);
}

template <class P> Number<P> floor(Number<P> a) {
  return step<P>(a, [](auto x) { return std::floor(x); });
}
template <class P> Number<P> ceil(Number<P> a) {
  return step<P>(a, [](auto x) { return std::ceil(x); });
}
template <class P> Number<P> round(Number<P> a) {
  return step<P>(a, [](auto x) { return std::nearbyint(x); });
}

int64_t floordivWhole(int64_t a, int64_t b) {
  if (b == -1)
    return subWhole(0, a);
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
int64_t modWhole(int64_t a, int64_t b) {
  if (b == -1)
    return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Number<Single> narrow(Number<Double> a) {
  if (a.bound == 0)
    return {static_cast<float>(a.value), 0};
  auto value = static_cast<double>(a.value);
  Number<Single> operand{value, a.bound};
  return settle<Single>(value, a.bound + rounding<Single>(value), operand, operand);
}

template <class P> Number<P> fromWhole(Whole a, bool isUnsigned) {
  using Narrow = typename P::Narrow;
  auto value = isUnsigned ? static_cast<Narrow>(static_cast<uint64_t>(a.value))
                          : static_cast<Narrow>(a.value);
  return {value, a.doubt};
}

namespace {
template <class Wide> int64_t saturate(Wide value, Element type) {
  if (std::isnan(value))
    return 0;
  value = std::trunc(value);
  bool isSigned = type >= Element::I8 && type <= Element::I64;
  int bits = 8 * elementBytes(type) - isSigned;
  Wide limit = std::ldexp(static_cast<Wide>(1), bits);
  if (value >= limit)
    return isSigned ? static_cast<int64_t>((1ull << bits) - 1)
                    : static_cast<int64_t>(bits == 64 ? ~0ull : (1ull << bits) - 1);
  if (value < (isSigned ? -limit : 0))
    return isSigned ? -static_cast<int64_t>((1ull << bits) - 1) - 1 : 0;
  return isSigned ? static_cast<int64_t>(value)
                  : static_cast<int64_t>(static_cast<uint64_t>(value));
}
} // namespace

template <class P> Whole toWhole(Number<P> a, Element type) {
  int64_t value = saturate(a.value, type);
  if (a.bound == 0)
    return {value, 0};
  bool certain = saturate(a.value + certainty * a.bound, type) == value &&
                 saturate(a.value - certainty * a.bound, type) == value;
  return {value, certain && a.bound < unknown ? 0 : unknown};
}

template <class P> Whole toBool(Number<P> a) {
  return {a.value != 0, comparisonDoubt<P>(a, {0, 0})};
}

Number<Single> roundHalf(Number<Single> a, Element type) {
  auto value = static_cast<double>(roundTo(type, a.value));
  if (a.bound == 0)
    return {value, 0};
  if (a.bound == unknown)
    return {value, unknown};
  auto high = static_cast<double>(roundTo(type, a.value + certainty * a.bound));
  auto low = static_cast<double>(roundTo(type, a.value - certainty * a.bound));
  if (high == low || std::isnan(value))
    return {value, 0};
  double bound = std::max(high - value, value - low);
  return {value, bound < unknown ? bound : unknown};
}

#define MOAC_UNARY(name) template Number<P> name<P>(Number<P>);
#define MOAC_BINARY(name) template Number<P> name<P>(Number<P>, Number<P>);
#define MOAC_INSTANTIATE                                                                           \
  MOAC_UNARY(exp)                                                                                  \
  MOAC_UNARY(exp2)                                                                                 \
  MOAC_UNARY(log)                                                                                  \
  MOAC_UNARY(log2) MOAC_UNARY(sqrt) MOAC_UNARY(rsqrt) MOAC_UNARY(tanh) MOAC_UNARY(sigmoid)         \
      MOAC_UNARY(erf) MOAC_UNARY(sin) MOAC_UNARY(cos) MOAC_UNARY(floor) MOAC_UNARY(ceil)           \
          MOAC_UNARY(round) MOAC_BINARY(div) MOAC_BINARY(floordiv) MOAC_BINARY(mod)                \
              MOAC_BINARY(pow) MOAC_BINARY(max) template Number<P>                                 \
                  fma<P>(Number<P>, Number<P>, Number<P>);                                         \
  template Number<P> settleSpecial<P>(P::Wide, double, Nature, Number<P>, Number<P>);              \
  template Number<P> fromWhole<P>(Whole, bool);                                                    \
  template Whole toWhole<P>(Number<P>, Element);                                                   \
  template Whole toBool<P>(Number<P>);
#define P Single
MOAC_INSTANTIATE
#undef P
#define P Double
MOAC_INSTANTIATE
#undef P

} // namespace moac::eval
