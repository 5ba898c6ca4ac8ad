// Memory of the interpreter's arrays and buffers: a value and a bound for each element.
//
// Inputs are read from the caller's bytes and are exact; what is computed is kept in the wide type
// it was computed in, rounded only to a half type or wrapped to a narrow integer where the element
// type is one.
#ifndef MOAC_IR_INTERPRETERSTORAGE_H
#define MOAC_IR_INTERPRETERSTORAGE_H

#include "ir/InterpreterCode.h"

#include <cstring>
#include <memory>

namespace moac::interp {

class Storage {
public:
  /// Elements of a caller's tensor without bounds, read in place.
  void borrow(const Tensor &tensor);
  /// Uninitialised memory for `count` elements.
  void allocate(Element element, int64_t count);
  void clear() { *this = Storage(); }
  static uint64_t bytesEach(Element element) { return classOf(element) == Class::Double ? 24 : 16; }

  /// Element `i` as its value type.
  void load(int64_t i, Slot &to) const {
    switch (mode) {
    case Mode::Wide:
      to.wide = wide[i], to.bound = bounds[i];
      return;
    case Mode::Narrow:
      to.narrow = narrow[i], to.bound = bounds[i];
      return;
    case Mode::Whole:
      to.whole = whole[i], to.bound = bounds[i];
      return;
    case Mode::RawF64:
      to.wide = raw<double>(i), to.bound = 0;
      return;
    case Mode::RawF32:
      to.narrow = raw<float>(i), to.bound = 0;
      return;
    case Mode::RawI32:
      to.whole = raw<int32_t>(i), to.bound = 0;
      return;
    case Mode::RawI64:
      to.whole = raw<int64_t>(i), to.bound = 0;
      return;
    case Mode::RawOther:
      loadOther(i, to);
      return;
    }
  }
  void store(int64_t i, const Slot &from) {
    bounds[i] = from.bound;
    switch (mode) {
    case Mode::Wide:
      wide[i] = from.wide;
      return;
    case Mode::Narrow:
      narrow[i] = from.narrow;
      return;
    default:
      whole[i] = from.whole;
      return;
    }
  }
  /// Converts a computed value to the element type as a store does: half types round, narrow
  /// integers wrap.
  static void convert(Element element, Slot &value);
  /// Writes element `i` to element `j` of a tensor that has bounds.
  void copyTo(int64_t i, Tensor &to, int64_t j) const;

private:
  enum class Mode : uint8_t { Wide, Narrow, Whole, RawF64, RawF32, RawI32, RawI64, RawOther };
  template <class T> T raw(int64_t i) const {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    return value;
  }
  void loadOther(int64_t i, Slot &to) const;

  Mode mode = Mode::Wide;
  const Tensor *borrowed = nullptr;
  const std::byte *bytes = nullptr; ///< of `borrowed`
  std::unique_ptr<long double[]> wide;
  std::unique_ptr<double[]> narrow, bounds;
  std::unique_ptr<int64_t[]> whole;
};

} // namespace moac::interp

#endif
