// Printing of terms, and what their bounds are made of; see Term.h.
#include "tests/property/Term.h"

#include <algorithm>
#include <cmath>

using namespace moac;
using namespace moac::property;

namespace {

/// Whether text that begins with '(' ends with the parenthesis that closes it.
bool isClosed(const std::string &text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      return i + 1 == text.size();
  }
  return false;
}

/// After a word, `(A + B)[i]` would give the word only the parentheses.
bool mustWrap(const Slot &slot, const std::string &text) {
  if (slot.term->level > slot.loosest)
    return true;
  return slot.loosest >= Level::Prefix && slot.loosest <= Level::Worded &&
         slot.term->level <= Level::Postfix && text[0] == '(' && !isClosed(text);
}

} // namespace

std::string Term::text() const {
  std::string out = pieces[0];
  for (size_t i = 0; i < slots.size(); ++i) {
    const std::string inner = slots[i].term->text();
    out += mustWrap(slots[i], inner) ? "(" + inner + ")" : inner;
    out += pieces[i + 1];
  }
  return out;
}

size_t Term::size() const {
  size_t count = 1;
  for (const Slot &slot : slots)
    count += slot.term->size();
  return count;
}

bool moac::property::isFloat(ElementType type) { return typeClass(type) == TypeClass::Float; }

bool moac::property::isInteger(ElementType type) {
  return typeClass(type) == TypeClass::Int || typeClass(type) == TypeClass::Uint;
}

double moac::property::exactLimit(ElementType type) {
  switch (type) {
  case ElementType::f64_:
    return 0x1p53;
  case ElementType::f32_:
    return 0x1p24;
  case ElementType::f16_:
    return 0x1p11;
  case ElementType::bf16_:
    return 0x1p8;
  default:
    return std::ldexp(1, static_cast<int>(bitWidth(type)) - 1) - 1;
  }
}

double moac::property::boundIn(ElementType type, double bound) {
  return isInteger(type) && bound > exactLimit(type) ? wild : bound;
}

std::string moac::property::listed(const Extents &extents) {
  std::string out;
  for (const shape::Expr &extent : extents)
    out += (out.empty() ? "" : ", ") + extent.str();
  return out;
}

double moac::property::extentAt(const shape::Expr &extent, int64_t size) {
  std::map<std::string, int64_t> values;
  for (const std::string &name : extent.names())
    values[name] = size;
  return static_cast<double>(std::max<int64_t>(0, extent.evaluate(values).value_or(0)));
}

shape::Expr moac::property::total(const Extents &extents) {
  shape::Expr product(1);
  for (const shape::Expr &extent : extents)
    product = product * extent;
  return product;
}
