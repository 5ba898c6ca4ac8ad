// The scalar functions of the language on numbers that know how wrong they may be.
//
// A Number is a float value carried in a wider type than the one it stands for (f64 in long double;
// f32, f16 and bf16 in double), with an absolute bound on how far a legal target's value may lie
// from it: rounding of each operation, a few ulp for library functions, contraction to fused
// multiply-add. A bound of 0 says that every target has exactly this value; an infinite one that no
// value is promised (a comparison that could go either way decided it). Bounds are rigorous to
// first order and usually beyond. Nothing here knows MLIR.
#ifndef MOAC_IR_SCALAREVAL_H
#define MOAC_IR_SCALAREVAL_H

#include "ir/Tensor.h"

#include <cfloat>
#include <cmath>
#include <limits>

namespace moac::eval {

/// f32 (and narrower storage types, whose arithmetic is f32) carried in double.
struct Single {
  using Wide = double;
  using Narrow = float;
  static constexpr double unit = 0x1p-24, largest = FLT_MAX, normal = FLT_MIN, eta = 0x1p-149;
};
/// f64 carried in long double (64 bits of significand on x86; where it is no wider than double,
/// bounds double).
struct Double {
  using Wide = long double;
  using Narrow = double;
  static constexpr double unit = 0x1p-53, largest = DBL_MAX, normal = DBL_MIN, eta = 0x1p-1074;
};

inline constexpr double unknown = std::numeric_limits<double>::infinity();

template <class P> struct Number {
  typename P::Wide value;
  double bound;
};
/// An integer or bool: exact, or in doubt (infinite) when it came from an ambiguous decision.
struct Whole {
  int64_t value;
  double doubt;
};

/// How far a difference must exceed the bounds before a decision on it counts as certain.
inline constexpr double certainty = 2;

/// What an operation does with infinities and overflow: an infinite term outweighs any finite one;
/// an infinite factor needs the sign of the other; a product that overflows may be contracted into
/// a sum that does not.
enum class Nature : uint8_t { Sum, Product, Other };

/// The rare cases of settle(): zeros, subnormals, overflow, infinities, NaN, operands without a
/// bound.
template <class P>
Number<P> settleSpecial(typename P::Wide value, double bound, Nature nature, Number<P> a,
                        Number<P> b);

/// A result of finite operands in the normal range passes; everything else is looked at closely.
template <class P>
inline Number<P> settle(typename P::Wide value, double bound, Number<P> a, Number<P> b,
                        Nature nature = Nature::Other) {
  typename P::Wide size = std::fabs(value);
  if (size >= P::normal && size + bound <= P::largest / 2) [[likely]]
    return {value, bound};
  return settleSpecial<P>(value, bound, nature, a, b);
}

/// Not 0 unless the value is: what lies below the smallest subnormal is rounded to 0, or not at all.
template <class P> inline double rounding(typename P::Wide value) {
  if (value == 0)
    return 0;
  return P::unit * static_cast<double>(std::fabs(value)) + std::numeric_limits<double>::denorm_min();
}
template <class P> inline bool fits(typename P::Wide value) {
  return static_cast<typename P::Wide>(static_cast<typename P::Narrow>(value)) == value;
}
/// At most 24 significant bits: then a product of two is exact in either wide type.
template <class P> inline bool isShort(typename P::Wide value) {
  return static_cast<typename P::Wide>(static_cast<float>(value)) == value;
}
/// True when sum = a + b without any rounding (Knuth's TwoSum leaves no residue) and the narrow
/// type holds it.
template <class P>
inline bool exactSum(typename P::Wide a, typename P::Wide b, typename P::Wide sum) {
  typename P::Wide rest = sum - a;
  return (a - (sum - rest)) + (b - rest) == 0 && fits<P>(sum);
}

template <class P> inline Number<P> add(Number<P> a, Number<P> b) {
  typename P::Wide sum = a.value + b.value;
  double bound = a.bound + b.bound;
  if (bound != 0 || !exactSum<P>(a.value, b.value, sum))
    bound += rounding<P>(sum);
  return settle<P>(sum, bound, a, b, Nature::Sum);
}
template <class P> inline Number<P> neg(Number<P> a) { return {-a.value, a.bound}; }
template <class P> inline Number<P> abs(Number<P> a) { return {std::fabs(a.value), a.bound}; }
template <class P> inline Number<P> sub(Number<P> a, Number<P> b) { return add<P>(a, neg<P>(b)); }

template <class P> inline Number<P> mul(Number<P> a, Number<P> b) {
  typename P::Wide product = a.value * b.value;
  double bound = 0;
  if (a.bound != 0 || b.bound != 0)
    bound = (static_cast<double>(std::fabs(a.value)) + a.bound) * b.bound +
            static_cast<double>(std::fabs(b.value)) * a.bound + rounding<P>(product);
  else if (!(isShort<P>(a.value) && isShort<P>(b.value) && fits<P>(product)))
    bound = rounding<P>(product);
  return settle<P>(product, bound, a, b, Nature::Product);
}

template <class P> Number<P> div(Number<P> a, Number<P> b);
template <class P> Number<P> floordiv(Number<P> a, Number<P> b);
template <class P> Number<P> mod(Number<P> a, Number<P> b);
template <class P> Number<P> fma(Number<P> a, Number<P> b, Number<P> c);
template <class P> Number<P> pow(Number<P> a, Number<P> b);
template <class P> Number<P> exp(Number<P> a);
template <class P> Number<P> exp2(Number<P> a);
template <class P> Number<P> log(Number<P> a);
template <class P> Number<P> log2(Number<P> a);
template <class P> Number<P> sqrt(Number<P> a);
template <class P> Number<P> rsqrt(Number<P> a);
template <class P> Number<P> tanh(Number<P> a);
template <class P> Number<P> sigmoid(Number<P> a);
template <class P> Number<P> erf(Number<P> a);
template <class P> Number<P> sin(Number<P> a);
template <class P> Number<P> cos(Number<P> a);
template <class P> Number<P> floor(Number<P> a);
template <class P> Number<P> ceil(Number<P> a);
template <class P> Number<P> round(Number<P> a);
/// NaN wins over any number.
template <class P> Number<P> max(Number<P> a, Number<P> b);
template <class P> inline Number<P> min(Number<P> a, Number<P> b) {
  return neg<P>(max<P>(neg<P>(a), neg<P>(b)));
}

template <class P> inline bool isCertainNan(Number<P> a) {
  return std::isnan(a.value) && a.bound == 0;
}
/// Infinite when a and b are too close to tell apart.
template <class P> inline double comparisonDoubt(Number<P> a, Number<P> b) {
  double bounds = a.bound + b.bound;
  if (bounds == 0 || std::fabs(a.value - b.value) > certainty * bounds) [[likely]]
    return 0;
  return isCertainNan(a) || isCertainNan(b) ? 0 : unknown;
}
#define MOAC_COMPARE(name, op)                                                                     \
  template <class P> inline Whole name(Number<P> a, Number<P> b) {                                 \
    return {a.value op b.value, comparisonDoubt(a, b)};                                            \
  }                                                                                                \
  inline Whole name(Whole a, Whole b) { return {a.value op b.value, a.doubt + b.doubt}; }
MOAC_COMPARE(eq, ==)
MOAC_COMPARE(ne, !=)
MOAC_COMPARE(lt, <)
MOAC_COMPARE(le, <=)
MOAC_COMPARE(gt, >)
MOAC_COMPARE(ge, >=)
#undef MOAC_COMPARE

// ---- integers: 64-bit registers; narrower types are wrapped after each operation
// -----------------------------

inline int64_t wrap(uint64_t bits) { return static_cast<int64_t>(bits); }
inline int64_t addWhole(int64_t a, int64_t b) {
  return wrap(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t subWhole(int64_t a, int64_t b) {
  return wrap(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t mulWhole(int64_t a, int64_t b) {
  return wrap(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
/// Floor division and its remainder; the divisor is not 0. The most negative value by -1 wraps.
int64_t floordivWhole(int64_t a, int64_t b);
int64_t modWhole(int64_t a, int64_t b);

inline Whole add(Whole a, Whole b) { return {addWhole(a.value, b.value), a.doubt + b.doubt}; }
inline Whole sub(Whole a, Whole b) { return {subWhole(a.value, b.value), a.doubt + b.doubt}; }
inline Whole mul(Whole a, Whole b) { return {mulWhole(a.value, b.value), a.doubt + b.doubt}; }
inline Whole max(Whole a, Whole b) {
  return {a.value > b.value ? a.value : b.value, a.doubt + b.doubt};
}
inline Whole min(Whole a, Whole b) {
  return {a.value < b.value ? a.value : b.value, a.doubt + b.doubt};
}
inline Whole neg(Whole a) { return {subWhole(0, a.value), a.doubt}; }
inline Whole abs(Whole a) { return {a.value < 0 ? subWhole(0, a.value) : a.value, a.doubt}; }
/// A certain false (true) operand settles a conjunction (disjunction).
inline Whole logicAnd(Whole a, Whole b) {
  bool settled = (!a.value && a.doubt == 0) || (!b.value && b.doubt == 0);
  return {a.value & b.value, settled ? 0 : a.doubt + b.doubt};
}
inline Whole logicNot(Whole a) { return {!a.value, a.doubt}; }
inline Whole logicOr(Whole a, Whole b) { return logicNot(logicAnd(logicNot(a), logicNot(b))); }
/// Maps the order of unsigned 64-bit patterns to that of signed ones, and back.
inline Whole flip(Whole a) { return {a.value ^ std::numeric_limits<int64_t>::min(), a.doubt}; }

// ---- conversions
// ---------------------------------------------------------------------------------------------

/// f32 and f64; from an integer (of type u64 when `isUnsigned`), rounded once.
inline Number<Double> widen(Number<Single> a) { return {a.value, a.bound}; }
Number<Single> narrow(Number<Double> a);
template <class P> Number<P> fromWhole(Whole a, bool isUnsigned);
/// Toward zero, saturating at the limits of `type`; NaN gives 0.
template <class P> Whole toWhole(Number<P> a, Element type);
/// `!= 0`; NaN is true.
template <class P> Whole toBool(Number<P> a);
/// The value after rounding to f16 or bf16. Exact when everything within the bound rounds to the
/// same value.
Number<Single> roundHalf(Number<Single> a, Element type);

} // namespace moac::eval

#endif
