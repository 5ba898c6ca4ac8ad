// Arrays as data: what the interpreter takes and gives, and how a result is judged against it.
//
// A Tensor is a dense row-major array of one element type, as bytes that a compiled kernel or an
// .npy file could use directly, and optionally an error bound for each element: how far a legal
// target may deviate. compare() is the one place that decides whether an answer is right. Nothing
// here knows MLIR.
#ifndef MOAC_IR_TENSOR_H
#define MOAC_IR_TENSOR_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace moac {

/// Element types of the language.
enum class Element : uint8_t { F16, BF16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool };

/// The name in the language (`f32`, `u8`, `bool`) and back.
std::string_view elementName(Element type);
std::optional<Element> elementFromName(std::string_view name);
/// Bytes of one element in memory.
unsigned elementBytes(Element type);
bool isFloat(Element type);

/// Nearest value of a float type (ties to even), as a wide number; overflow gives an infinity.
/// Integer types give `value` unchanged.
long double roundTo(Element type, long double value);
/// Keeps the low bits of an integer type and extends them by its signedness; bool gives 0 or 1.
int64_t wrapTo(Element type, int64_t value);
/// Smallest positive value of a float type, 0 for the others.
long double smallestPositive(Element type);
/// Largest finite value of a float type.
long double largestFinite(Element type);

/// The product of the extents, 0 if one of them is 0; nothing when it, or the size in bytes, leaves
/// 63 bits or an extent is negative.
std::optional<int64_t> elementCount(std::span<const int64_t> extents, unsigned bytesEach = 1);

struct Tensor {
  Element type = Element::F64;
  std::vector<int64_t> extents;
  std::vector<std::byte> bytes; ///< row-major, native byte order
  std::vector<double> bounds;   ///< absolute error bound of each element; empty: all exact

  /// All zero. The extents must be nonnegative and their product must be a size that fits memory.
  static Tensor zeros(Element type, std::vector<int64_t> extents);
  /// Rank 0.
  static Tensor scalar(Element type, long double value);
  /// Row-major values, rounded or wrapped to the type.
  static Tensor of(Element type, std::vector<int64_t> extents, const std::vector<double> &values);

  int64_t count() const;
  /// Element `i` in row-major order. `real` of an integer is its value; `integer` of a u64 is its
  /// bit pattern, of a float its value truncated (which must fit).
  long double real(int64_t i) const;
  int64_t integer(int64_t i) const;
  void setReal(int64_t i, long double value);
  void setInteger(int64_t i, int64_t value);
  double bound(int64_t i) const { return bounds.empty() ? 0 : bounds[i]; }
};

/// How many bounds an answer may be off.
inline constexpr double allowedBounds = 8;

/// The verdict on one array. `index` is the first failing element, or the worst one when all pass.
struct Verdict {
  bool passed = true;
  int64_t index = -1;      ///< row-major position, -1 for an empty array
  double worst = 0;        ///< largest error, in bounds; infinite where an exact value differs
  int64_t ambiguous = 0;   ///< elements with no finite bound: they pass whatever they are
  std::string explanation; ///< empty when passed; else what was got, what was wanted and the bound
};

/// Judges `got` (row-major, of want's type and size) against `want` and its bounds. NaN must meet
/// NaN and an infinity the same infinity; integers and bools must be equal. Wrong sizes fail.
Verdict compare(std::span<const std::byte> got, const Tensor &want);

} // namespace moac

#endif
