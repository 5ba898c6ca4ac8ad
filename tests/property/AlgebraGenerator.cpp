// Choices that all parts of the generator share, and the making of whole programs.
#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

namespace {
const ElementType exactTypes[] = {ElementType::f64_, ElementType::f32_, ElementType::i32_,
                                  ElementType::i64_, ElementType::u32_, ElementType::u64_,
                                  ElementType::f64_, ElementType::i32_};
} // namespace

shape::Expr AlgebraGenerator::extent() {
  const shape::Expr symbol = shape::Expr::name(pick(kernel.symbols)),
                    other = shape::Expr::name(pick(kernel.symbols));
  switch (random.below(20)) {
  case 0:
    return symbol + shape::Expr(1 + random.below(2));
  case 1:
    return shape::Expr(1 + random.below(3));
  case 2:
    return shape::Expr(2);
  case 3:
    return chance(30) ? shape::Expr(0) : shape::Expr(3);
  case 4:
    return chance(50) ? symbol * other : shape::Expr(2) * symbol;
  case 5:
    return symbol + other;
  case 6:
    return chance(50) ? symbol - shape::Expr(1)
                      : shape::floordiv(symbol + shape::Expr(1), shape::Expr(2));
  default:
    return symbol;
  }
}

Extents AlgebraGenerator::anyShape(size_t most) {
  Extents shape;
  for (size_t axes = static_cast<size_t>(random.below(static_cast<int64_t>(most) + 1)); axes > 0;
       --axes)
    shape.push_back(extent());
  return shape;
}

ElementType AlgebraGenerator::anyType() {
  if (!kernel.exact)
    return chance(80) ? mainType : ElementType::i64_;
  if (chance(75))
    return mainType;
  return chance(25) ? ElementType::bool_ : exactTypes[random.below(std::size(exactTypes))];
}

TermRef AlgebraGenerator::build(std::vector<std::string> pieces, std::vector<Slot> slots,
                                Level level, const Goal &goal, double bound) {
  auto term = std::make_shared<Term>();
  for (const Slot &slot : slots) {
    if (!slot.term)
      return nullptr;
    term->exact = term->exact && slot.term->exact;
    term->indexed = term->indexed || slot.term->indexed;
  }
  term->pieces = std::move(pieces);
  term->slots = std::move(slots);
  term->level = level;
  term->type = goal.type;
  term->shape = goal.shape;
  term->bound = boundIn(goal.type, bound);
  if (isFloat(goal.type) && term->bound > exactLimit(goal.type))
    return nullptr;
  return term;
}

/// An extreme of nothing is infinite, and an infinity would make NaN of a later difference.
TermRef AlgebraGenerator::clamped(TermRef term) {
  if (!term || !isFloat(term->type))
    return term;
  const Goal goal{term->type, term->shape, 0};
  return build({"max(-50.0, min(50.0, ", "))"}, {{term, Level::Or}}, Level::Atom, goal, 50);
}

TermRef AlgebraGenerator::make(const Goal &goal, const Scope &scope) {
  // A scan of a scan of an outer product: the terms are few, the elements are not.
  if (goal.depth <= 0 || goal.shape.size() > 5 || extentAt(total(goal.shape), 7) > 3000)
    return leaf(goal, scope);
  for (int attempt = 0; attempt < 5; ++attempt) {
    TermRef term;
    switch (random.below(12)) {
    case 0:
    case 1:
    case 2:
      term = makeStructure(goal, scope);
      break;
    case 3:
    case 4:
      term = makeElementwise(goal, scope);
      break;
    case 5:
      term = makeReduction(goal, scope);
      break;
    case 6:
      term = chance(50) ? makeSection(goal, scope) : makeScan(goal, scope);
      break;
    case 7:
      term = makeCells(goal, scope);
      break;
    case 8:
      term = chance(60) ? makeWordOmega(goal, scope) : makeArgument(goal, scope);
      break;
    case 9:
      term = makeCall(goal, scope);
      break;
    default:
      term = makeIndexed(goal, scope);
    }
    if (term)
      return term;
  }
  return leaf(goal, scope);
}

void AlgebraGenerator::statement(const std::string &name, bool result) {
  Statement made{.name = name,
                 .indices = {},
                 .shape = anyShape(result ? 3 : 2),
                 .value = nullptr,
                 .type = anyType(),
                 .result = result};
  Scope scope;
  if (!made.shape.empty() && chance(55))
    for (const shape::Expr &axis : made.shape) {
      made.indices.emplace_back(1, "ijlm"[made.indices.size()]);
      scope.push_back({made.indices.back(), axis});
    }
  const Goal goal{made.type, scope.empty() ? made.shape : Extents{},
                  2 + static_cast<int>(random.below(3))};
  made.value = make(goal, scope);
  if (result && chance(40))
    made.type = storage(made.type);
  if (result && isInteger(made.type) && computeType(made.type) != made.type)
    made.value = build({std::string(spelling(made.type)) + "(", ")"}, {{made.value, Level::Or}},
                       Level::Atom, goal, wild);
  made.columnMajor = result && made.shape.size() > 1 && chance(10);
  kernel.statements.push_back(std::move(made));
}

void AlgebraGenerator::helper(bool twoArguments) {
  kernel.symbols = {"P", "Q"};
  mainType = exactTypes[random.below(std::size(exactTypes))];
  plainParameters = true;
  const Extents row{shape::Expr::name("P")};
  fresh(mainType, row);
  if (twoArguments)
    fresh(mainType, chance(50) ? row : Extents{});
  Statement made{
      .name = "R", .indices = {}, .shape = row, .value = nullptr, .type = mainType, .result = true};
  Scope scope;
  if (chance(50)) {
    made.indices = {"i"};
    scope = {{"i", row[0]}};
  }
  made.value = make({mainType, scope.empty() ? row : Extents{}, 2}, scope);
  kernel.statements.push_back(std::move(made));
}

void AlgebraGenerator::program() {
  kernel.symbols = {"M", "N"};
  if (chance(30))
    kernel.symbols.push_back("K");
  mainType = kernel.exact ? exactTypes[random.below(std::size(exactTypes))]
                          : (chance(50) ? ElementType::f64_ : ElementType::f32_);
  for (int64_t count = 1 + random.below(3); count > 0; --count)
    fresh(storage(anyType()), anyShape(2));
  const int64_t count = random.below(3), results = 1 + (chance(30) ? 1 : 0);
  for (int64_t t = 0; t < count; ++t)
    statement(fmt::format("T{}", t), false);
  for (int64_t r = 0; r < results; ++r)
    statement(fmt::format("O{}", r), true);
  if (chance(25))
    kernel.constraints.push_back(pick(kernel.symbols) + " >= 1");
  if (chance(5) && !neverEqual)
    kernel.constraints.push_back("M == N");
}
