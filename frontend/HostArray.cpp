// Element access by number, and the 16-bit float formats.
//
// Both formats are one routine with two parameters: scale the value so that one unit in the last
// place is 1, round to an integer (the processor rounds to nearest even), and assemble sign,
// exponent and fraction. It starts from long double, so that a value of any element type is rounded
// once.
#include "frontend/HostArray.h"

#include <algorithm>

#include <cmath>
#include <cstring>
#include <limits>

using namespace moac;

std::optional<int64_t> moac::elementCount(const HostShape &shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
  }
  if (empty)
    return 0;
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return std::nullopt;
  return count;
}

std::string moac::toString(const HostShape &shape) {
  std::string text = "<";
  for (size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? " " : "") + std::to_string(shape[axis]);
  return text + ">";
}

HostArray::HostArray(ElementType type, HostShape shape)
    : elementType(type), extents(std::move(shape)), count(elementCount(extents).value_or(0)),
      storage(static_cast<size_t>(count) * elementBytes()) {}

namespace {

struct Format {
  int fractionBits;
  int bias;
};
constexpr Format half{10, 15}, bfloat{7, 127};

uint16_t pack(long double value, Format format) {
  const int maxExponent = format.bias, minExponent = 1 - format.bias;
  const uint16_t infinity = static_cast<uint16_t>((2 * format.bias + 1) << format.fractionBits);
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | infinity | static_cast<uint16_t>(1 << (format.fractionBits - 1));
  long double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  if (std::isinf(magnitude))
    return sign | infinity;
  int exponent = std::max(std::ilogb(magnitude), minExponent);
  if (exponent > maxExponent)
    return sign | infinity;
  long double units = std::nearbyint(std::ldexp(magnitude, format.fractionBits - exponent));
  // Subnormals have no implicit bit and exponent field 0; rounding up to the next binade carries by
  // itself.
  int64_t bits = static_cast<int64_t>(units) +
                 (static_cast<int64_t>(exponent - minExponent) << format.fractionBits);
  return sign | static_cast<uint16_t>(std::min<int64_t>(bits, infinity));
}

double unpack(uint16_t bits, Format format) {
  const int exponentField = (bits & 0x7fff) >> format.fractionBits;
  const int fraction = bits & ((1 << format.fractionBits) - 1);
  const double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponentField == 2 * format.bias + 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  int exponent = std::max(exponentField, 1) - format.bias - format.fractionBits;
  int implicitBit = exponentField ? 1 << format.fractionBits : 0;
  return sign * std::ldexp(fraction + implicitBit, exponent);
}

template <class T> T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T> void write(std::byte *to, T value) { std::memcpy(to, &value, sizeof value); }

template <class T> T saturate(long double value) {
  if (std::isnan(value))
    return 0;
  value = std::nearbyint(value);
  if (value <= static_cast<long double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<long double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

} // namespace

double moac::fromHalf(uint16_t bits) { return unpack(bits, half); }
uint16_t moac::toHalf(long double value) { return pack(value, half); }
double moac::fromBfloat(uint16_t bits) { return unpack(bits, bfloat); }
uint16_t moac::toBfloat(long double value) { return pack(value, bfloat); }

long double HostArray::get(int64_t position) const {
  const std::byte *from = storage.data() + static_cast<size_t>(position) * elementBytes();
  switch (elementType) {
  case ElementType::f16_:
    return fromHalf(read<uint16_t>(from));
  case ElementType::bf16_:
    return fromBfloat(read<uint16_t>(from));
  case ElementType::f32_:
    return read<float>(from);
  case ElementType::f64_:
    return read<double>(from);
  case ElementType::i8_:
    return read<int8_t>(from);
  case ElementType::i16_:
    return read<int16_t>(from);
  case ElementType::i32_:
    return read<int32_t>(from);
  case ElementType::i64_:
    return read<int64_t>(from);
  case ElementType::u8_:
    return read<uint8_t>(from);
  case ElementType::u16_:
    return read<uint16_t>(from);
  case ElementType::u32_:
    return read<uint32_t>(from);
  case ElementType::u64_:
    return read<uint64_t>(from);
  case ElementType::bool_:
    return read<uint8_t>(from) != 0;
  }
  return 0;
}

void HostArray::set(int64_t position, long double value) {
  std::byte *to = storage.data() + static_cast<size_t>(position) * elementBytes();
  switch (elementType) {
  case ElementType::f16_:
    return write(to, toHalf(value));
  case ElementType::bf16_:
    return write(to, toBfloat(value));
  case ElementType::f32_:
    return write(to, static_cast<float>(value));
  case ElementType::f64_:
    return write(to, static_cast<double>(value));
  case ElementType::i8_:
    return write(to, saturate<int8_t>(value));
  case ElementType::i16_:
    return write(to, saturate<int16_t>(value));
  case ElementType::i32_:
    return write(to, saturate<int32_t>(value));
  case ElementType::i64_:
    return write(to, saturate<int64_t>(value));
  case ElementType::u8_:
    return write(to, saturate<uint8_t>(value));
  case ElementType::u16_:
    return write(to, saturate<uint16_t>(value));
  case ElementType::u32_:
    return write(to, saturate<uint32_t>(value));
  case ElementType::u64_:
    return write(to, saturate<uint64_t>(value));
  case ElementType::bool_:
    return write(to, static_cast<uint8_t>(value != 0));
  }
}

/// Copies element by element; `at` walks the row-major positions, `other` the column-major ones.
static HostArray relaid(const HostArray &from, bool toColumn) {
  HostArray to(from.type(), from.shape());
  const size_t rank = from.shape().size(), bytes = from.elementBytes();
  std::vector<int64_t> index(rank, 0), stride(rank, 1);
  for (size_t k = 1; k < rank; ++k)
    stride[k] = stride[k - 1] * from.shape()[k - 1];
  for (int64_t at = 0; at < from.size(); ++at) {
    int64_t other = 0;
    for (size_t k = 0; k < rank; ++k)
      other += index[k] * stride[k];
    const size_t source = static_cast<size_t>(toColumn ? at : other) * bytes;
    const size_t target = static_cast<size_t>(toColumn ? other : at) * bytes;
    std::ranges::copy(from.bytes().subspan(source, bytes), to.bytes().subspan(target).begin());
    for (size_t k = rank; k-- > 0 && ++index[k] == from.shape()[k];)
      index[k] = 0;
  }
  return to;
}

HostArray moac::toColumnMajor(const HostArray &rowMajor) { return relaid(rowMajor, true); }
HostArray moac::fromColumnMajor(const HostArray &columnMajor) { return relaid(columnMajor, false); }
