// Scalar operations on whole arrays in random terms: arithmetic, functions, truth, choice, casts.
#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

namespace {
const std::vector<ElementType> numbers{ElementType::f64_, ElementType::f32_, ElementType::i32_,
                                       ElementType::i64_, ElementType::u32_};
}

/// a op b, where one of them may be a scalar or a weak integer.
TermRef AlgebraGenerator::makeArithmetic(const Goal &goal, const Scope &scope) {
  TermRef a = make(goal.deeper(), scope), b;
  const int64_t kind = random.below(10);
  if (kind < 2)
    b = goal.shape.empty() || chance(50) ? weakScalar(scope) : weakArray(goal.shape);
  if (!b)
    b = kind < 4 ? make(goal.deeper(Extents{}), scope) : make(goal.deeper(), scope);
  if (typeClass(goal.type) == TypeClass::Uint && b->weak)
    b = literal(goal.type);
  if (isFloat(goal.type) && b->bound > 1e4 && b->weak)
    b = literal(goal.type);
  if (chance(50) &&
      (kind < 2 || b->shape == goal.shape || goal.shape.empty() || a->shape == goal.shape))
    std::swap(a, b);
  const bool spelled = !a->weak && !b->weak && chance(20);
  auto infix = [&](const char *plain, const char *glyph, Level level, double bound) {
    const std::string sign = word(plain, glyph);
    if (spelled && (a->shape == b->shape || chance(50)))
      return build({"", fmt::format(" ({}) ", sign), ""},
                   {slot(a, Level::Applied), slot(b, Level::Worded)}, Level::Applied, goal, bound);
    const Level right = level == Level::Sum ? Level::Product : Level::Applied;
    return build({"", " " + sign + " ", ""}, {slot(a, level), slot(b, right)}, level, goal, bound);
  };
  auto function = [&](const std::string &name, double bound) {
    return build({name + "(", ", ", ")"}, {{a, Level::Or}, {b, Level::Or}}, Level::Atom, goal,
                 bound);
  };
  const double larger = std::max(a->bound, b->bound);
  switch (random.below(7)) {
  case 0:
  case 1:
    return infix("+", "+", Level::Sum, a->bound + b->bound);
  case 2:
    return infix("-", "-", Level::Sum,
                 typeClass(goal.type) == TypeClass::Uint ? wild : a->bound + b->bound);
  case 3:
    return infix("*", "×", Level::Product, a->bound * b->bound);
  case 4:
    return function("max", larger);
  case 5:
    return function("min", larger);
  default:
    return function("mix" + suffix,
                    typeClass(goal.type) == TypeClass::Uint ? wild : a->bound + 2 * b->bound);
  }
}

TermRef AlgebraGenerator::makeUnary(const Goal &goal, const Scope &scope) {
  TermRef a = make(goal.deeper(), scope);
  const bool isUnsigned = typeClass(goal.type) == TypeClass::Uint;
  switch (random.below(kernel.exact ? 4 : 8)) {
  case 0:
    return build({"-", ""}, {slot(a, Level::Prefix)}, Level::Prefix, goal,
                 isUnsigned ? wild : a->bound);
  case 1:
    return build({"abs(", ")"}, {{a, Level::Or}}, Level::Atom, goal, a->bound);
  case 2:
    return build({fmt::format("square{}(", suffix), ")"}, {{a, Level::Or}}, Level::Atom, goal,
                 a->bound * a->bound);
  case 3: {
    if (!isFloat(goal.type))
      return nullptr;
    TermRef c = make(goal.deeper(), scope);
    return build({"fma(", ", 2, ", ")"}, {{a, Level::Or}, {c, Level::Or}}, Level::Atom, goal,
                 2 * a->bound + c->bound);
  }
  default:
    break;
  }
  if (!isFloat(goal.type))
    return nullptr;
  TermRef rounded;
  switch (random.below(4)) {
  case 0:
    rounded = build({"exp(-abs(", "))"}, {{a, Level::Or}}, Level::Atom, goal, 1);
    break;
  case 1:
    rounded = build({"tanh(", ")"}, {{a, Level::Or}}, Level::Atom, goal, 1);
    break;
  case 2:
    rounded = build({"sigmoid(", ")"}, {{a, Level::Or}}, Level::Atom, goal, 1);
    break;
  default:
    rounded = build({"", " / (2.0 + abs(", "))"},
                    {slot(a, Level::Product), {make(goal.deeper(), scope), Level::Or}},
                    Level::Product, goal, a->bound);
  }
  return inexact(rounded);
}

TermRef AlgebraGenerator::inexact(TermRef term) {
  if (!term)
    return term;
  auto copy = std::make_shared<Term>(*term);
  copy->exact = false;
  return copy;
}

/// Division and its kind: exact where the quotient is rounded to an integer at once.
TermRef AlgebraGenerator::makeQuotient(const Goal &goal, const Scope &scope) {
  TermRef a = make(goal.deeper(), scope);
  if (isFloat(goal.type)) {
    if (!a->exact)
      return nullptr;
    const char *const functions[] = {"floor", "ceil", "round"};
    return build(
        {std::string(functions[random.below(3)]) + "(", fmt::format(" {} 2)", word("/", "÷"))},
        {slot(a, Level::Product)}, Level::Atom, goal, a->bound);
  }
  if (!isInteger(goal.type))
    return nullptr;
  if (chance(20)) { // by what may be zero
    TermRef b = make(goal.deeper(), scope);
    if (b && b->pieces[0] == std::string(spelling(goal.type)) + "(0)")
      return nullptr; // a division by zero that everybody sees is refused
    return build({"", chance(50) ? " // " : " % ", ""},
                 {slot(a, Level::Product), slot(b, Level::Applied)}, Level::Product, goal, wild);
  }
  const int64_t divisor =
      typeClass(goal.type) == TypeClass::Int && chance(30) ? -3 : 1 + random.below(5);
  if (chance(50))
    return build({"", fmt::format(" // {}", divisor)}, {slot(a, Level::Product)}, Level::Product,
                 goal, a->bound);
  return build({"", fmt::format(" % {}", divisor)}, {slot(a, Level::Product)}, Level::Product, goal,
               5);
}

TermRef AlgebraGenerator::makeTruth(const Goal &goal, const Scope &scope) {
  if (chance(35)) {
    TermRef a = make(goal.deeper(), scope);
    if (chance(30))
      return build({"not ", ""}, {slot(a, Level::Not)}, Level::Not, goal, 1);
    const bool both = chance(50);
    TermRef b = make(goal.deeper(), scope);
    return build({"", both ? " and " : " or ", ""},
                 {slot(a, both ? Level::And : Level::Or), slot(b, both ? Level::Not : Level::And)},
                 both ? Level::And : Level::Or, goal, 1);
  }
  const ElementType type = kernel.exact ? pick(numbers) : ElementType::i64_;
  TermRef a = make(goal.deeper(type), scope);
  TermRef b = chance(30) ? make({type, {}, goal.depth - 1}, scope) : make(goal.deeper(type), scope);
  if (!a->exact || !b->exact)
    return nullptr;
  if (chance(50))
    std::swap(a, b);
  static const std::vector<std::pair<const char *, const char *>> signs{
      {"<", "<"}, {"<=", "≤"}, {">", ">"}, {">=", "≥"}, {"==", "=="}, {"!=", "≠"}};
  const auto &sign = pick(signs);
  if (chance(15) && (a->shape == b->shape || a->shape.empty() || b->shape.empty()))
    return build({"", fmt::format(" ({}) ", word(sign.first, sign.second)), ""},
                 {slot(a, Level::Applied), slot(b, Level::Worded)}, Level::Applied, goal, 1);
  if (chance(20))
    return build({"", " <= ", " < 3"}, {slot(a, Level::Sum), slot(b, Level::Sum)}, Level::Compare,
                 goal, 1);
  return build({"", fmt::format(" {} ", word(sign.first, sign.second)), ""},
               {slot(a, Level::Sum), slot(b, Level::Sum)}, Level::Compare, goal, 1);
}

TermRef AlgebraGenerator::makeChoice(const Goal &goal, const Scope &scope) {
  TermRef when = make(goal.deeper(ElementType::bool_), scope), a = make(goal.deeper(), scope),
          b = chance(30) ? literal(goal.type) : make(goal.deeper(), scope);
  return build({"where(", ", ", ", ", ")"}, {{when, Level::Or}, {a, Level::Or}, {b, Level::Or}},
               Level::Atom, goal, std::max(a->bound, b->bound));
}

TermRef AlgebraGenerator::makeConversion(const Goal &goal, const Scope &scope) {
  if (goal.type == ElementType::bool_)
    return nullptr;
  const ElementType from = anyType();
  return from == goal.type ? nullptr : cast(make(goal.deeper(from), scope), goal.type);
}

TermRef AlgebraGenerator::makeElementwise(const Goal &goal, const Scope &scope) {
  if (chance(15))
    return makeChoice(goal, scope);
  if (goal.type == ElementType::bool_)
    return makeTruth(goal, scope);
  switch (random.below(8)) {
  case 0:
    return makeUnary(goal, scope);
  case 1:
    return makeQuotient(goal, scope);
  case 2:
    return makeConversion(goal, scope);
  default:
    return makeArithmetic(goal, scope);
  }
}
