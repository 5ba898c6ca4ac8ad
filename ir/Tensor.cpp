// Element types as bytes, and the comparison of an answer with the oracle's.
#include "ir/Tensor.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace moac;

namespace {
/// One row for each Element, in its order: how many bytes; for floats, bits of significand, the
/// exponents of the smallest normal number and of the largest binade.
struct Row {
  const char *name;
  unsigned bytes;
  int precision, minExponent, maxExponent;
  bool isSigned;
};
const Row rows[] = {
    {"f16", 2, 11, -14, 15, true},   {"bf16", 2, 8, -126, 127, true},
    {"f32", 4, 24, -126, 127, true}, {"f64", 8, 53, -1022, 1023, true},
    {"i8", 1, 0, 0, 0, true},        {"i16", 2, 0, 0, 0, true},
    {"i32", 4, 0, 0, 0, true},       {"i64", 8, 0, 0, 0, true},
    {"u8", 1, 0, 0, 0, false},       {"u16", 2, 0, 0, 0, false},
    {"u32", 4, 0, 0, 0, false},      {"u64", 8, 0, 0, 0, false},
    {"bool", 1, 0, 0, 0, false},
};
const Row &row(Element type) { return rows[static_cast<unsigned>(type)]; }

template <class T> T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T> void write(std::byte *to, T value) { std::memcpy(to, &value, sizeof value); }

/// f16 and bf16 as bits: sign, exponent and fraction of `fractionBits`.
long double halfToReal(uint16_t bits, int fractionBits, int minExponent) {
  int exponentBits = 15 - fractionBits;
  int exponent = (bits >> fractionBits) & ((1 << exponentBits) - 1);
  long double fraction = bits & ((1 << fractionBits) - 1), value;
  if (exponent == (1 << exponentBits) - 1)
    value = fraction == 0 ? INFINITY : NAN;
  else if (exponent == 0)
    value = std::ldexp(fraction, minExponent - fractionBits);
  else
    value = std::ldexp(fraction + std::ldexp(1.0L, fractionBits),
                       exponent - 1 + minExponent - fractionBits);
  return bits >> 15 ? -value : value;
}

/// `value` is representable already.
uint16_t realToHalf(long double value, int fractionBits, int minExponent) {
  int exponentBits = 15 - fractionBits;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0, top = ((1 << exponentBits) - 1) << fractionBits;
  if (std::isnan(value))
    return sign | top | 1 << (fractionBits - 1);
  value = std::fabs(value);
  if (std::isinf(value))
    return sign | top;
  int exponent = value == 0 ? minExponent : std::max(std::ilogb(value), minExponent);
  auto scaled = static_cast<uint32_t>(std::ldexp(value, fractionBits - exponent));
  return sign | static_cast<uint16_t>(scaled + ((exponent - minExponent) << fractionBits));
}
} // namespace

std::string_view moac::elementName(Element type) { return row(type).name; }
std::optional<Element> moac::elementFromName(std::string_view name) {
  for (unsigned i = 0; i < std::size(rows); ++i)
    if (name == rows[i].name)
      return static_cast<Element>(i);
  return std::nullopt;
}
unsigned moac::elementBytes(Element type) { return row(type).bytes; }
bool moac::isFloat(Element type) { return row(type).precision != 0; }

long double moac::largestFinite(Element type) {
  const Row &r = row(type);
  return std::ldexp(2.0L - std::ldexp(1.0L, 1 - r.precision), r.maxExponent);
}
long double moac::smallestPositive(Element type) {
  const Row &r = row(type);
  return r.precision ? std::ldexp(1.0L, r.minExponent - r.precision + 1) : 0;
}

long double moac::roundTo(Element type, long double value) {
  if (type == Element::F64)
    return static_cast<double>(value);
  if (type == Element::F32)
    return static_cast<float>(value);
  const Row &r = row(type);
  if (r.precision == 0 || value == 0 || !std::isfinite(value))
    return value;
  int quantum = std::max(std::ilogb(value), r.minExponent) - r.precision + 1;
  long double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  return std::fabs(rounded) > largestFinite(type) ? std::copysign(INFINITY, value) : rounded;
}

int64_t moac::wrapTo(Element type, int64_t value) {
  switch (type) {
  case Element::I8:
    return static_cast<int8_t>(value);
  case Element::I16:
    return static_cast<int16_t>(value);
  case Element::I32:
    return static_cast<int32_t>(value);
  case Element::U8:
    return static_cast<uint8_t>(value);
  case Element::U16:
    return static_cast<uint16_t>(value);
  case Element::U32:
    return static_cast<uint32_t>(value);
  case Element::Bool:
    return value != 0;
  default:
    return value;
  }
}

std::optional<int64_t> moac::elementCount(std::span<const int64_t> extents, unsigned bytesEach) {
  int64_t count = 1, size;
  if (std::any_of(extents.begin(), extents.end(), [](int64_t e) { return e < 0; }))
    return std::nullopt;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end())
    return 0;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(bytesEach), &size))
    return std::nullopt;
  return count;
}

Tensor Tensor::zeros(Element type, std::vector<int64_t> extents) {
  Tensor t{type, std::move(extents), {}, {}};
  t.bytes.resize(t.count() * elementBytes(type));
  return t;
}

Tensor Tensor::scalar(Element type, long double value) {
  Tensor t = zeros(type, {});
  t.setReal(0, value);
  return t;
}

Tensor Tensor::of(Element type, std::vector<int64_t> extents, const std::vector<double> &values) {
  Tensor t = zeros(type, std::move(extents));
  for (int64_t i = 0; i < t.count() && i < static_cast<int64_t>(values.size()); ++i)
    t.setReal(i, values[i]);
  return t;
}

int64_t Tensor::count() const { return elementCount(extents).value_or(0); }

long double Tensor::real(int64_t i) const {
  const std::byte *at = bytes.data() + i * elementBytes(type);
  switch (type) {
  case Element::F16:
    return halfToReal(read<uint16_t>(at), 10, -14);
  case Element::BF16:
    return halfToReal(read<uint16_t>(at), 7, -126);
  case Element::F32:
    return read<float>(at);
  case Element::F64:
    return read<double>(at);
  case Element::U64:
    return static_cast<uint64_t>(integer(i));
  default:
    return integer(i);
  }
}

int64_t Tensor::integer(int64_t i) const {
  const std::byte *at = bytes.data() + i * elementBytes(type);
  switch (elementBytes(type)) {
  case 1:
    return wrapTo(type, read<int8_t>(at));
  case 2:
    return isFloat(type) ? static_cast<int64_t>(real(i)) : wrapTo(type, read<int16_t>(at));
  case 4:
    return isFloat(type) ? static_cast<int64_t>(real(i)) : wrapTo(type, read<int32_t>(at));
  default:
    return isFloat(type) ? static_cast<int64_t>(real(i)) : read<int64_t>(at);
  }
}

void Tensor::setReal(int64_t i, long double value) {
  std::byte *at = bytes.data() + i * elementBytes(type);
  switch (type) {
  case Element::F16:
    return write(at, realToHalf(roundTo(type, value), 10, -14));
  case Element::BF16:
    return write(at, realToHalf(roundTo(type, value), 7, -126));
  case Element::F32:
    return write(at, static_cast<float>(value));
  case Element::F64:
    return write(at, static_cast<double>(value));
  case Element::U64:
    return setInteger(i, static_cast<int64_t>(static_cast<uint64_t>(value)));
  default:
    return setInteger(i, static_cast<int64_t>(value));
  }
}

void Tensor::setInteger(int64_t i, int64_t value) {
  std::byte *at = bytes.data() + i * elementBytes(type);
  if (isFloat(type))
    return setReal(i, value);
  value = wrapTo(type, value);
  switch (elementBytes(type)) {
  case 1:
    return write(at, static_cast<int8_t>(value));
  case 2:
    return write(at, static_cast<int16_t>(value));
  case 4:
    return write(at, static_cast<int32_t>(value));
  default:
    return write(at, value);
  }
}

namespace {
/// The error of one float, in bounds; 0 where it passes without measure, infinite where it cannot
/// pass.
double errorInBounds(Element type, long double got, long double want, double bound) {
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  if (got == want)
    return 0;
  if (std::isinf(want))
    return INFINITY;
  if (std::isinf(got)) // an overflow that the bound allows
    return std::fabs(want) + allowedBounds * bound >= largestFinite(type) &&
                   std::signbit(got) == std::signbit(want)
               ? 0
               : INFINITY;
  long double error = std::fabs(got - want) - smallestPositive(type);
  return error <= 0 ? 0 : static_cast<double>(error / bound);
}
} // namespace

Verdict moac::compare(std::span<const std::byte> got, const Tensor &want) {
  Verdict verdict;
  if (got.size() != want.bytes.size()) {
    verdict.passed = false;
    verdict.worst = INFINITY;
    verdict.explanation = fmt::format("got {} bytes, want {}", got.size(), want.bytes.size());
    return verdict;
  }
  Tensor answer{want.type, want.extents, {got.begin(), got.end()}, {}};
  for (int64_t i = 0; i < want.count(); ++i) {
    if (std::isinf(want.bound(i))) {
      ++verdict.ambiguous;
      continue;
    }
    double error = isFloat(want.type)
                       ? errorInBounds(want.type, answer.real(i), want.real(i), want.bound(i))
                       : (answer.integer(i) == want.integer(i) ? 0.0 : INFINITY);
    if (error > verdict.worst || verdict.index < 0) {
      verdict.worst = error;
      if (verdict.passed)
        verdict.index = i;
    }
    if (error > allowedBounds && verdict.passed) {
      verdict.passed = false;
      verdict.index = i;
      verdict.explanation = fmt::format("element {}: got {:.17g}, want {:.17g}, bound {:.3g}", i,
                                        answer.real(i), want.real(i), want.bound(i));
    }
  }
  return verdict;
}
