// Reading tensors in place, and the conversions of a store.
#include "ir/InterpreterStorage.h"

#include "ir/ScalarEval.h"

namespace moac::interp {

void Storage::borrow(const Tensor &tensor) {
  borrowed = &tensor;
  bytes = tensor.bytes.data();
  mode = Mode::RawOther;
  if (!tensor.bounds.empty())
    return;
  switch (tensor.type) {
  case Element::F64:
    mode = Mode::RawF64;
    break;
  case Element::F32:
    mode = Mode::RawF32;
    break;
  case Element::I32:
    mode = Mode::RawI32;
    break;
  case Element::I64:
  case Element::U64:
    mode = Mode::RawI64;
    break;
  default:
    break;
  }
}

void Storage::allocate(Element element, int64_t count) {
  auto n = static_cast<size_t>(count);
  bounds = std::make_unique_for_overwrite<double[]>(n);
  switch (classOf(element)) {
  case Class::Double:
    mode = Mode::Wide;
    wide = std::make_unique_for_overwrite<long double[]>(n);
    return;
  case Class::Single:
    mode = Mode::Narrow;
    narrow = std::make_unique_for_overwrite<double[]>(n);
    return;
  case Class::Whole:
    mode = Mode::Whole;
    whole = std::make_unique_for_overwrite<int64_t[]>(n);
    return;
  }
}

void Storage::loadOther(int64_t i, Slot &to) const {
  switch (classOf(borrowed->type)) {
  case Class::Double:
    to.wide = borrowed->real(i);
    break;
  case Class::Single:
    to.narrow = static_cast<double>(borrowed->real(i));
    break;
  case Class::Whole:
    to.whole = borrowed->integer(i);
    break;
  }
  to.bound = borrowed->bound(i);
}

void Storage::convert(Element element, Slot &value) {
  if (element == Element::F16 || element == Element::BF16) {
    eval::Number<eval::Single> rounded = eval::roundHalf({value.narrow, value.bound}, element);
    value.narrow = rounded.value;
    value.bound = rounded.bound;
  } else if (classOf(element) == Class::Whole) {
    value.whole = wrapTo(element, value.whole);
  }
}

void Storage::copyTo(int64_t i, Tensor &to, int64_t j) const {
  Slot value;
  load(i, value);
  switch (classOf(to.type)) {
  case Class::Double:
    to.setReal(j, value.wide);
    break;
  case Class::Single:
    to.setReal(j, value.narrow);
    break;
  case Class::Whole:
    to.setInteger(j, value.whole);
    break;
  }
  to.bounds[j] = value.bound;
}

} // namespace moac::interp
