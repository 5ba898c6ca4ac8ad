// An array in the memory of the compiler's own process: what .npy files hold, what compiled kernels
// are called with and what the interpreter takes. Dense, row-major, elements as the language stores
// them (f16 and bf16 as 16-bit patterns, bool as one byte that is 0 or 1).
#ifndef MOAC_FRONTEND_HOSTARRAY_H
#define MOAC_FRONTEND_HOSTARRAY_H

#include "frontend/Words.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace moac {

using HostShape = std::vector<int64_t>;

/// Number of elements of `shape`; nothing when an extent is negative or 64 bits overflow.
std::optional<int64_t> elementCount(const HostShape &shape);
/// `<3 4>`, the notation of every message.
std::string toString(const HostShape &shape);

/// Owns its elements. Rank 0 is a scalar: one element.
class HostArray {
public:
  HostArray() = default;
  /// Zero-filled; the shape must have an element count (see elementCount) that fits in memory.
  HostArray(ElementType type, HostShape shape);

  ElementType type() const { return elementType; }
  const HostShape &shape() const { return extents; }
  int64_t size() const { return count; }
  size_t elementBytes() const { return bitWidth(elementType) / 8; }

  std::span<std::byte> bytes() { return storage; }
  std::span<const std::byte> bytes() const { return storage; }

  /// Element `position` (row-major) as a number. long double holds every element type exactly.
  long double get(int64_t position) const;
  /// Rounds to nearest even into the element type; integers saturate, NaN becomes 0 there.
  void set(int64_t position, long double value);

private:
  ElementType elementType = ElementType::f64_;
  HostShape extents;
  int64_t count = 1;
  std::vector<std::byte> storage = std::vector<std::byte>(8);
};

/// The same elements with the first axis contiguous instead of the last: what a kernel's `layout col`
/// parameter points to. The bytes change, the shape does not.
HostArray toColumnMajor(const HostArray &rowMajor);
HostArray fromColumnMajor(const HostArray &columnMajor);

/// Conversions of the 16-bit float formats; to nearest even, overflow to infinity, NaN stays NaN.
double fromHalf(uint16_t bits);
uint16_t toHalf(long double value);
double fromBfloat(uint16_t bits);
uint16_t toBfloat(long double value);

} // namespace moac

#endif
