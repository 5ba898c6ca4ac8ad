// Reductions: the terms one by one, then the result with its bound.
#include "ir/Accumulator.h"

#include <algorithm>
#include <bit>
#include <climits>

namespace moac::eval {

namespace {
template <class P> constexpr int precision = std::is_same_v<P, Double> ? 53 : 24;

/// Order-preserving map of 64-bit patterns to signed integers.
int64_t ordered(int64_t value, bool isUnsigned) { return isUnsigned ? value ^ INT64_MIN : value; }

bool takesLargest(Reduction kind) { return kind == Reduction::max || kind == Reduction::argmax; }
} // namespace

template <class P> void Accumulator::start(Reduction kind) {
  using Wide = typename P::Wide;
  bool ordering = kind != Reduction::add && kind != Reduction::mul;
  Wide first = ordering ? -static_cast<Wide>(INFINITY) : kind == Reduction::mul ? 1 : 0;
  wide<P>(value) = wide<P>(magnitude) = wide<P>(high) = wide<P>(low) = first;
  error = doubts = 0;
  rival = -unknown;
  count = 0;
  best = -1;
  grid = INT_MAX;
  exact = true;
  sawNan = false;
}

void Accumulator::startWhole(Reduction kind) {
  value.whole = kind == Reduction::mul || kind == Reduction::all;
  count = 0;
  best = -1;
  doubts = 0;
  sawNan = false;
}

template <class P> void Accumulator::noteGrid(Number<P> term) {
  exact = term.bound == 0 && std::isfinite(term.value);
  if (!exact || term.value == 0)
    return;
  auto bits = std::bit_cast<uint64_t>(static_cast<double>(term.value));
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t fraction = (bits & ((1ull << 52) - 1)) | (exponent ? 1ull << 52 : 0);
  grid = std::min(grid, std::max(exponent, 1) - 1075 + std::countr_zero(fraction));
}

template <class P> Number<P> Accumulator::sum() const {
  using Wide = typename P::Wide;
  Wide total = wide<P>(value), size = wide<P>(magnitude);
  if (doubts != 0 || !(error < unknown))
    return {total, unknown};
  if (exact && size <= P::largest &&
      size <= std::ldexp(static_cast<Wide>(1), std::min(grid, 2000) + precision<P>))
    return {total, 0};
  // An infinite total comes from terms that are, in every order unless the finite ones overflow to the other side. Infinities
  // of both signs give NaN, unless one is a product that a fused multiply-add never rounds to infinity.
  if (std::isnan(total))
    return {total, sawNan ? 0 : unknown};
  if (std::isinf(total))
    return {total, size <= P::largest / 2 ? 0 : unknown};
  if (size <= P::largest / 2) {
    double bound = error + disorder() * rounding<P>(size);
    return settle<P>(total, bound, {total, bound}, {total, bound});
  }
  // Some order may overflow on the way; all do when the terms have one sign and the total is too
  // large.
  bool oneSign = std::fabs(total) >= size * static_cast<Wide>(1 - 1e-9);
  if (oneSign && std::fabs(total) - certainty * error > P::largest * static_cast<Wide>(1 + 1e-9))
    return {std::copysign(static_cast<Wide>(INFINITY), total), 0};
  return {total, unknown};
}

template <class P> void Accumulator::mulTerm(Number<P> term) {
  using Wide = typename P::Wide;
  Wide &product = wide<P>(value), size = std::fabs(term.value);
  error = (static_cast<double>(std::fabs(product)) + error) * term.bound +
          static_cast<double>(size) * error;
  product *= term.value;
  wide<P>(magnitude) *= std::max<Wide>(1, size);
  if (size != 0)
    wide<P>(low) *= std::min<Wide>(1, size);
  exact = exact && term.bound == 0 && std::rint(term.value) == term.value;
  sawNan = sawNan || !std::isfinite(term.value);
  if (term.bound == unknown)
    doubts = unknown;
  ++count;
}

template <class P> Number<P> Accumulator::product() const {
  using Wide = typename P::Wide;
  Wide total = wide<P>(value), size = wide<P>(magnitude);
  if (doubts != 0)
    return {total, unknown};
  if (exact && size <= std::ldexp(static_cast<Wide>(1), precision<P>))
    return {total, 0};
  if (sawNan) // a term is NaN or infinite
    return {total, !(error > 0) || std::isnan(total) ? 0 : unknown};
  bool overflows = !(size <= P::largest) && wide<P>(low) < 1;
  bool underflows = wide<P>(low) < P::normal && total != 0;
  if (overflows || underflows || !(error < unknown))
    return {total, unknown};
  double bound = count == 1 ? error : error + disorder() * rounding<P>(total);
  return settle<P>(total, bound, {total, bound}, {total, bound});
}

template <class P> void Accumulator::maxTerm(Number<P> term, int sign) {
  using Wide = typename P::Wide;
  if (std::isnan(term.value)) {
    sawNan = sawNan || term.bound == 0;
    doubts += term.bound;
    return;
  }
  Wide v = sign * term.value;
  wide<P>(value) = std::max(wide<P>(value), v);
  if (term.bound == unknown) { // it may be NaN, and around an infinity there is no interval
    doubts = unknown;
    return;
  }
  wide<P>(high) = std::max<Wide>(wide<P>(high), v + term.bound);
  wide<P>(low) = std::max<Wide>(wide<P>(low), v - term.bound);
}

template <class P> Number<P> Accumulator::extreme(int sign) const {
  using Wide = typename P::Wide;
  if (sawNan)
    return {static_cast<Wide>(NAN), 0};
  Wide v = wide<P>(value), up = wide<P>(high), down = wide<P>(low);
  if (doubts != 0)
    return {sign * v, unknown};
  if (up == v && down == v)
    return {sign * v, 0};
  double bound = static_cast<double>(std::max(up - v, v - down));
  return {sign * v, bound < unknown ? bound : unknown};
}

template <class P> void Accumulator::argTerm(Number<P> term, int64_t position, int sign) {
  using Wide = typename P::Wide;
  if (sawNan)
    return;
  if (term.bound == unknown)
    doubts = unknown;
  if (std::isnan(term.value)) {
    sawNan = true;
    best = position;
    return;
  }
  Wide v = sign * term.value, &top = wide<P>(value), &sureRival = wide<P>(high);
  if (best >= 0 && !(v > top)) {
    if (term.bound == 0)
      sureRival = std::max(sureRival, v);
    else
      rival = std::max(rival, static_cast<double>(v) + certainty * term.bound);
    return;
  }
  if (best >= 0 && error == 0)
    sureRival = std::max(sureRival, top);
  else if (best >= 0)
    rival = std::max(rival, static_cast<double>(top) + certainty * error);
  top = v;
  error = term.bound;
  best = position;
}

template <class P> Whole Accumulator::position() const {
  if (sawNan || best < 0 || doubts != 0)
    return {best, doubts};
  auto least = wide<P>(value) - certainty * error;
  bool close = rival >= static_cast<double>(least) || (error > 0 && wide<P>(high) >= least);
  return {best, close ? unknown : 0};
}

void Accumulator::wholeTerm(Reduction kind, Whole term, int64_t position, bool isUnsigned) {
  int64_t &v = value.whole, key = ordered(term.value, isUnsigned), top = ordered(v, isUnsigned);
  doubts += term.doubt;
  switch (kind) {
  case Reduction::add:
    v = addWhole(v, term.value);
    break;
  case Reduction::mul:
    v = mulWhole(v, term.value);
    break;
  case Reduction::any:
    sawNan = sawNan || (term.value && term.doubt == 0); // certainly true
    v |= term.value;
    break;
  case Reduction::all:
    sawNan = sawNan || (!term.value && term.doubt == 0); // certainly false
    v &= term.value;
    break;
  default:
    if (count == 0 || (takesLargest(kind) ? key > top : key < top)) {
      v = term.value;
      best = position;
    }
  }
  ++count;
}

Whole Accumulator::whole(Reduction kind, Element type, bool isUnsigned) const {
  switch (kind) {
  case Reduction::any:
    return {value.whole, sawNan ? 0 : doubts};
  case Reduction::all:
    return {value.whole, sawNan ? 0 : doubts};
  case Reduction::argmax:
  case Reduction::argmin:
    return {best, doubts};
  case Reduction::max:
  case Reduction::min:
    if (count == 0) { // the extreme of the type: toWhole saturates to it
      double end = kind == Reduction::max ? -INFINITY : INFINITY;
      return {toWhole<Single>({end, 0}, type).value, doubts};
    }
    return {value.whole, doubts};
  default:
    return {wrapTo(type, value.whole), doubts};
  }
}

#define MOAC_INSTANTIATE(P)                                                                        \
  template void Accumulator::start<P>(Reduction);                                                  \
  template void Accumulator::noteGrid<P>(Number<P>);                                               \
  template void Accumulator::mulTerm<P>(Number<P>);                                                \
  template void Accumulator::maxTerm<P>(Number<P>, int);                                           \
  template void Accumulator::argTerm<P>(Number<P>, int64_t, int);                                  \
  template Number<P> Accumulator::sum<P>() const;                                                  \
  template Number<P> Accumulator::product<P>() const;                                              \
  template Number<P> Accumulator::extreme<P>(int) const;                                           \
  template Whole Accumulator::position<P>() const;
MOAC_INSTANTIATE(Single)
MOAC_INSTANTIATE(Double)

} // namespace moac::eval
