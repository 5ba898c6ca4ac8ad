// What stands at the ends of random terms: literals, parameters, earlier statements, weak integers.
#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

namespace {
/// Names that languages the compiler emits reserve or define.
const char *const awkward[] = {"int",   "for",  "I",    "y1",    "restrict",
                               "errno", "main", "NULL", "stdin", "end"};

} // namespace

ElementType AlgebraGenerator::storage(ElementType computes) {
  static const std::vector<ElementType> halves{ElementType::f16_, ElementType::bf16_},
      narrow{ElementType::i8_, ElementType::i16_, ElementType::u8_, ElementType::u16_};
  if (plainParameters || !chance(30))
    return computes;
  if (computes == ElementType::f32_)
    return pick(halves);
  return computes == ElementType::i32_ ? pick(narrow) : computes;
}

Parameter &AlgebraGenerator::fresh(ElementType stored, const Extents &shape) {
  std::string name = fmt::format("X{}", kernel.parameters.size());
  if (!plainParameters && chance(3)) {
    name = awkward[random.below(std::size(awkward))];
    for (const Parameter &parameter : kernel.parameters)
      if (parameter.name == name)
        name = fmt::format("X{}", kernel.parameters.size());
  }
  kernel.parameters.push_back(
      {name, stored, shape, !plainParameters && shape.size() > 1 && chance(10), {}});
  return kernel.parameters.back();
}

TermRef AlgebraGenerator::literal(ElementType type) {
  const Goal goal{type, {}, 0};
  if (type == ElementType::bool_)
    return build({chance(50) ? "true" : "false"}, {}, Level::Atom, goal, 1);
  const int64_t value = random.below(5) - (typeClass(type) == TypeClass::Uint ? 0 : 2);
  return build(
      {fmt::format("{}({}{})", spelling(type), value, isFloat(type) && chance(50) ? ".0" : "")}, {},
      Level::Atom, goal, 4);
}

TermRef AlgebraGenerator::parameter(const Goal &goal) {
  const Parameter &made = fresh(storage(goal.type), goal.shape);
  if (goal.shape.empty() && goal.type == ElementType::i64_) // else a weak integer
    return build({"i64(" + made.name + ")"}, {}, Level::Atom, goal, 4);
  return build({made.name}, {}, Level::Atom, goal, 4);
}

/// An array that exists, whole, or its cells at indices whose extents are its leading axes.
TermRef AlgebraGenerator::known(const Goal &goal, const Scope &scope) {
  std::vector<TermRef> found;
  auto consider = [&](const std::string &name, ElementType type, const Extents &shape, double bound,
                      bool exact) {
    if (computeType(type) != goal.type || shape.size() < goal.shape.size() ||
        !std::equal(goal.shape.rbegin(), goal.shape.rend(), shape.rbegin()))
      return;
    std::string at;
    for (size_t axis = 0; axis + goal.shape.size() < shape.size(); ++axis) {
      std::vector<std::string> fitting;
      for (const Index &index : scope)
        if (index.extent == shape[axis])
          fitting.push_back(index.name);
      if (fitting.empty())
        return;
      at += (axis ? ", " : "[") + pick(fitting);
    }
    auto term = std::make_shared<Term>();
    term->pieces = {name + (at.empty() ? "" : at + "]")};
    term->level = at.empty() ? Level::Atom : Level::Postfix;
    term->type = goal.type;
    term->shape = goal.shape;
    term->bound = bound;
    term->exact = exact;
    term->indexed = !at.empty();
    found.push_back(term);
  };
  for (const Parameter &parameter : kernel.parameters)
    if (!parameter.below && !(parameter.type == ElementType::i64_ && parameter.shape.empty()))
      consider(parameter.name, parameter.type, parameter.shape, 4,
               kernel.exact || !isFloat(parameter.type));
  for (const Statement &statement : kernel.statements)
    if (!isFloat(statement.type) || statement.value->bound <= exactLimit(statement.type))
      for (int twice = 0; twice < 2; ++twice)
        consider(statement.name, statement.type, statement.shape, statement.value->bound,
                 statement.value->exact);
  return found.empty() ? nullptr : pick(found);
}

TermRef AlgebraGenerator::weakScalar(const Scope &scope) {
  std::string text;
  double bound = 4;
  bool indexed = false;
  const std::string symbol = pick(kernel.symbols);
  Level level = Level::Sum;
  if (!scope.empty() && chance(70)) {
    const Index &a = pick(scope), &b = pick(scope);
    indexed = true;
    switch (random.below(5)) {
    case 0:
      text = fmt::format("{} + 2*{}", a.name, b.name);
      break;
    case 1:
      text = fmt::format("{} - {}", symbol, a.name);
      break;
    case 2:
      text = fmt::format("{} % 3", a.name);
      break;
    case 3:
      text = fmt::format("({} - {}) // 2", a.name, b.name);
      break;
    default:
      text = a.name;
    }
    bound = 4 * (extentAt(a.extent, 33) + extentAt(b.extent, 33) + 33);
  } else if (chance(50)) {
    text = chance(50) ? symbol : fmt::format("{} - {}", symbol, random.below(4));
    bound = 40;
  } else if (!kernel.parameters.empty() && chance(60)) {
    const Parameter &parameter = pick(kernel.parameters);
    if (parameter.shape.empty()) {
      text = "3";
    } else if (chance(50)) {
      text = word(chance(50) ? "total" : "dim", "δ") + " " + parameter.name;
      bound = extentAt(total(parameter.shape), 33) + 8;
      level = Level::Prefix;
    } else {
      text = fmt::format("({} {})[0]", word("shape", "ρ"), parameter.name);
      bound = extentAt(parameter.shape[0], 33);
      level = Level::Postfix;
    }
  } else {
    text = std::to_string(random.below(4));
  }
  auto term = std::make_shared<Term>();
  term->pieces = {text};
  term->level = text.find_first_of("+-*/% ") == std::string::npos ? Level::Atom : level;
  term->type = ElementType::i64_;
  term->bound = bound;
  term->weak = true;
  term->indexed = indexed;
  return term;
}

/// An array of weak integers of this shape, if a word makes one.
TermRef AlgebraGenerator::weakArray(const Extents &shape) {
  auto term = std::make_shared<Term>();
  term->type = ElementType::i64_;
  term->shape = shape;
  term->weak = true;
  term->level = Level::Prefix;
  term->bound = 3000;
  if (shape.size() == 1) {
    const auto axes = shape[0].constant();
    for (const Parameter &parameter : kernel.parameters)
      if (axes && *axes > 0 && static_cast<int64_t>(parameter.shape.size()) == *axes &&
          chance(60)) {
        term->pieces = {word("shape", "ρ") + " " + parameter.name};
        return term;
      }
    term->pieces = {fmt::format("{} ({})", word("iota", "ι"), shape[0].str())};
    return term;
  }
  if (shape.size() >= 2 && shape.back() == shape::Expr(static_cast<int64_t>(shape.size()) - 1)) {
    term->pieces = {
        fmt::format("{} <{}>", word("iota", "ι"), listed({shape.begin(), shape.end() - 1}))};
    return term;
  }
  return nullptr;
}

TermRef AlgebraGenerator::cast(TermRef term, ElementType type) {
  if (!term || type == ElementType::bool_ || term->type == ElementType::bool_ || !term->exact)
    return nullptr;
  const Goal goal{type, term->shape, 0};
  double bound = term->bound;
  if (isFloat(type) && bound > exactLimit(type)) {
    if (isFloat(term->type))
      return nullptr;
    term = build({"", " % 7"}, {{term, Level::Product}}, Level::Product,
                 {term->type, term->shape, 0}, 7);
    bound = 7;
  }
  if (typeClass(type) == TypeClass::Uint)
    bound = wild;
  return build({std::string(spelling(type)) + "(", ")"}, {{term, Level::Or}}, Level::Atom, goal,
               bound);
}

TermRef AlgebraGenerator::leaf(const Goal &goal, const Scope &scope) {
  if (goal.shape.empty()) {
    if (chance(25))
      return literal(goal.type);
    if (goal.type != ElementType::bool_ && chance(25))
      if (TermRef term = cast(weakScalar(scope), goal.type))
        return term;
    if (!scope.empty() && chance(60))
      if (TermRef term = makeRead({goal.type, goal.shape, 0}, scope))
        return term;
  } else if (goal.type != ElementType::bool_ && chance(20)) {
    if (TermRef term = cast(weakArray(goal.shape), goal.type))
      return term;
  }
  if (chance(80))
    if (TermRef term = known(goal, scope))
      return term;
  if (goal.shape.empty() && kernel.parameters.size() > 4)
    return literal(goal.type);
  return parameter(goal);
}
