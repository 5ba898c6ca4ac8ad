// Structure words in random terms: from the shape that is wanted to the shape that the operand must
// have.
#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

using namespace moac;
using namespace moac::property;

/// `pieces` around an operand of shape `from`, whose elements are those of the result.
TermRef AlgebraGenerator::moved(const Goal &goal, const Scope &scope,
                                std::vector<std::string> pieces, Extents from, Level level) {
  TermRef operand = make(goal.deeper(std::move(from)), scope);
  return build(std::move(pieces), {slot(operand, Level::Prefix)}, level, goal, operand->bound);
}

TermRef AlgebraGenerator::makeReverse(const Goal &goal, const Scope &scope) {
  return moved(goal, scope, {word("reverse", "⌽") + " ", ""}, goal.shape, Level::Prefix);
}

TermRef AlgebraGenerator::makeRotate(const Goal &goal, const Scope &scope) {
  std::vector<std::string> amounts;
  for (int64_t count = 1 + random.below(static_cast<int64_t>(goal.shape.size())); count > 0;
       --count) {
    const int64_t kind = random.below(6);
    amounts.push_back(kind == 0 && !scope.empty() ? pick(scope).name
                      : kind == 1                 ? pick(kernel.symbols)
                                                  : std::to_string(random.below(7) - 3));
  }
  if (amounts.size() == 1 && chance(40))
    return moved(goal, scope, {amounts[0] + " rotate ", ""}, goal.shape, Level::Worded);
  return moved(goal, scope,
               {fmt::format("<{}> rotate ", fmt::join(amounts, chance(50) ? ", " : " ")), ""},
               goal.shape, Level::Prefix);
}

TermRef AlgebraGenerator::makeTranspose(const Goal &goal, const Scope &scope) {
  const size_t rank = goal.shape.size();
  Extents from(goal.shape.rbegin(), goal.shape.rend());
  if (chance(40))
    return moved(goal, scope, {word("transpose", "⍉") + " ", ""}, from, Level::Prefix);
  std::vector<size_t> to(rank);
  std::iota(to.begin(), to.end(), 0);
  for (size_t k = rank; k > 1; --k)
    std::swap(to[k - 1], to[static_cast<size_t>(random.below(static_cast<int64_t>(k)))]);
  for (size_t k = 0; k < rank; ++k)
    from[k] = goal.shape[to[k]]; // axis k of the operand becomes axis to[k]
  return moved(goal, scope,
               {fmt::format("<{}> {} ", fmt::join(to, " "), word("transpose", "⍉")), ""}, from,
               Level::Prefix);
}

/// Whether a count is known to be one from the end when it is negated: an i64 parameter may be
/// negative.
bool AlgebraGenerator::neverNegative(const shape::Expr &count) const {
  return (count.asName() || count.constant()) &&
         std::ranges::all_of(count.names(), [&](const std::string &name) {
           return std::ranges::any_of(kernel.parameters, [&](const Parameter &parameter) {
             return std::ranges::find(parameter.shape, shape::Expr::name(name)) !=
                    parameter.shape.end();
           });
         });
}

TermRef AlgebraGenerator::makeTake(const Goal &goal, const Scope &scope) {
  Extents from = goal.shape;
  std::string lengths;
  const auto axes = 1 + static_cast<size_t>(random.below(static_cast<int64_t>(goal.shape.size())));
  for (size_t axis = 0; axis < axes; ++axis) {
    const bool back = chance(40) && neverNegative(goal.shape[axis]);
    const shape::Expr other = extent(); // long enough at some sizes only
    const std::optional<std::string> symbol = other.asName();
    if (chance(15) && symbol && !goal.shape[axis].mentions(*symbol)) {
      from[axis] = other;
      auto lacks = [&](int64_t size) {
        return extentAt(other, size) < extentAt(goal.shape[axis], size);
      };
      neverEqual = neverEqual || (lacks(1) && lacks(2) && lacks(33));
    } else
      from[axis] = from[axis] + (chance(20) ? shape::Expr::name(pick(kernel.symbols))
                                            : shape::Expr(random.below(3)));
    const std::string length = goal.shape[axis].str();
    lengths += fmt::format("{}{}", axis ? ", " : "", back ? "-(" + length + ")" : length);
  }
  return moved(goal, scope, {fmt::format("<{}> {} ", lengths, word("take", "△")), ""}, from,
               Level::Prefix);
}

TermRef AlgebraGenerator::makeDrop(const Goal &goal, const Scope &scope) {
  Extents from = goal.shape;
  std::string lengths;
  const auto axes = 1 + static_cast<size_t>(random.below(static_cast<int64_t>(goal.shape.size())));
  for (size_t axis = 0; axis < axes; ++axis) {
    const shape::Expr count =
        chance(20) ? shape::Expr::name(pick(kernel.symbols)) : shape::Expr(random.below(3));
    from[axis] = from[axis] + count;
    lengths += fmt::format("{}{}{}", axis ? ", " : "",
                           chance(40) && neverNegative(count) ? "-" : "", count.str());
  }
  return moved(goal, scope, {fmt::format("<{}> {} ", lengths, word("drop", "▽")), ""}, from,
               Level::Prefix);
}

TermRef AlgebraGenerator::makeCat(const Goal &goal, const Scope &scope) {
  const shape::Expr &whole = goal.shape[0];
  shape::Expr first = shape::Expr(1 + random.below(2));
  const std::set<std::string> names = whole.names();
  if (!names.empty() && !whole.asName() && chance(70))
    first = shape::Expr::name(
        *std::next(names.begin(), random.below(static_cast<int64_t>(names.size()))));
  shape::Expr rest = whole - first;
  // At larger sizes there must be something to see.
  if (extentAt(rest, 5) < 1 || (rest.constant() && *rest.constant() < 0))
    return nullptr;
  if (chance(50))
    std::swap(first, rest);
  Extents above = goal.shape, below = goal.shape;
  above[0] = first;
  below[0] = rest;
  TermRef a = make(goal.deeper(above), scope), b = make(goal.deeper(below), scope);
  return build({"", " ++ ", ""}, {slot(a, Level::Sum), slot(b, Level::Product)}, Level::Sum, goal,
               std::max(a->bound, b->bound));
}

/// A shape as a value: spelled out, or made from that of an array at hand.
std::string AlgebraGenerator::shapeText(const Extents &shape) {
  for (const Parameter &parameter : kernel.parameters) {
    if (parameter.shape.size() != shape.size() || shape.empty() || !chance(60))
      continue;
    const std::string of = word("shape", "ρ") + " " + parameter.name;
    if (parameter.shape == shape)
      return "(" + of + ")";
    if (std::equal(shape.rbegin(), shape.rend(), parameter.shape.begin()))
      return "(reverse " + of + ")";
    if (std::equal(shape.begin() + 1, shape.end(), parameter.shape.begin() + 1))
      return fmt::format("(<{}> ++ 1 drop {})", shape[0].str(), of);
    if (std::equal(shape.begin(), shape.end() - 1, parameter.shape.begin()))
      return fmt::format("(-1 drop ({}) ++ <{}>)", of, shape.back().str());
  }
  if (shape.size() == 1 && chance(30))
    return "(" + shape[0].str() + ")";
  bool plain = shape.size() > 1;
  std::vector<std::string> texts;
  for (const shape::Expr &extent : shape) {
    texts.push_back(extent.str());
    plain = plain && (extent.asName() || extent.constant());
  }
  return fmt::format("<{}>", fmt::join(texts, plain && chance(50) ? " " : ", "));
}

/// Another shape with as many elements.
std::optional<Extents> AlgebraGenerator::refactored(const Extents &shape) {
  Extents other = shape;
  const auto at = static_cast<size_t>(random.below(static_cast<int64_t>(shape.size())));
  switch (random.below(5)) {
  case 0: // two axes in one
    if (at + 1 >= shape.size())
      return std::nullopt;
    other[at] = shape[at] * shape[at + 1];
    other.erase(other.begin() + static_cast<long>(at) + 1);
    return other;
  case 1: // in another order: division and modulus
    if (at + 1 >= shape.size())
      return std::nullopt;
    std::swap(other[at], other[at + 1]);
    return other;
  case 2: { // one axis in two
    shape::Expr part = chance(50) ? shape::Expr(2) : shape::Expr::name(pick(kernel.symbols));
    std::optional<shape::Expr> quotient = shape::exactQuotient(shape[at], part);
    if (!quotient || shape[at].constant() == 0)
      return std::nullopt;
    other[at] = *quotient;
    other.insert(other.begin() + static_cast<long>(at), part);
    return other;
  }
  case 3: // an axis of one element, more or less
    if (shape[at] == shape::Expr(1) && shape.size() > 1)
      other.erase(other.begin() + static_cast<long>(at));
    else
      other.insert(other.begin() + static_cast<long>(at), shape::Expr(1));
    return other;
  default:
    return Extents{total(shape)};
  }
}

TermRef AlgebraGenerator::makeReshape(const Goal &goal, const Scope &scope) {
  std::optional<Extents> from = refactored(goal.shape);
  if (!from || from->size() > 4)
    return nullptr;
  if (goal.shape.size() == 1 && chance(60))
    return moved(goal, scope, {"ravel ", ""}, *from, Level::Prefix);
  const std::string target = shapeText(goal.shape);
  return moved(goal, scope, {target + " reshape ", ""}, *from,
               target[0] == '<' ? Level::Prefix : Level::Worded);
}

TermRef AlgebraGenerator::makePsi(const Goal &goal, const Scope &scope) {
  Extents from;
  std::vector<std::string> at;
  for (int64_t axis = 1 + random.below(2); axis > 0; --axis) {
    if (!scope.empty() && chance(60)) {
      const Index &index = pick(scope);
      at.push_back(index.name);
      from.push_back(index.extent);
    } else {
      const int64_t k = random.below(3);
      const shape::Expr some = extent(); // long enough at some sizes only
      at.push_back(std::to_string(k));
      from.push_back(chance(30) && some.asName() ? some
                     : chance(50)                ? shape::Expr(k + 1)
                                  : shape::Expr::name(pick(kernel.symbols)) + shape::Expr(k + 1));
    }
  }
  from.insert(from.end(), goal.shape.begin(), goal.shape.end());
  if (from.size() > 4)
    return nullptr;
  if (chance(50))
    return moved(
        goal, scope,
        {fmt::format("<{}> {} ", fmt::join(at, chance(50) ? " " : ", "), word("psi", "ψ")), ""},
        from, Level::Prefix);
  TermRef operand = make(goal.deeper(from), scope);
  return build({"", fmt::format("[{}]", fmt::join(at, ", "))}, {{operand, Level::Atom}},
               Level::Postfix, goal, operand->bound);
}

TermRef AlgebraGenerator::makeSlice(const Goal &goal, const Scope &scope) {
  Extents from;
  std::vector<std::string> at;
  for (const shape::Expr &extent : goal.shape) {
    const int64_t a = random.below(3), b = 1 + random.below(2);
    switch (random.below(7)) {
    case 0:
      at.push_back(fmt::format("{}:", a));
      from.push_back(extent + shape::Expr(a));
      break;
    case 1:
      at.push_back(fmt::format("{}:-{}", a, b));
      from.push_back(extent + shape::Expr(a + b));
      break;
    case 2:
      at.push_back("::2");
      from.push_back(shape::Expr(2) * extent -
                     shape::Expr(extent.constant() == 0 ? 0 : random.below(2)));
      break;
    case 3:
      at.push_back("1::2");
      from.push_back(shape::Expr(2) * extent +
                     shape::Expr(extent.constant() == 0 ? 1 : random.below(2)));
      break;
    case 4:
      at.push_back(fmt::format("{}:{}", a, (extent + shape::Expr(a)).str()));
      from.push_back(extent + shape::Expr(a + random.below(2)));
      break;
    case 5:
      if (!scope.empty()) { // a window that moves
        const Index &index = pick(scope);
        at.push_back(fmt::format("{0}:{0} + {1}", index.name, extent.str()));
        from.push_back(extent + index.extent);
        break;
      }
      [[fallthrough]];
    default:
      at.push_back(chance(50) ? ":" : fmt::format(":{}", extent.str()));
      from.push_back(extent);
    }
    if (chance(15) && from.size() < 4) {
      at.push_back(std::to_string(a));
      from.push_back(shape::Expr(a + 1));
    }
  }
  TermRef operand = make(goal.deeper(from), scope);
  return build({"", fmt::format("[{}]", fmt::join(at, ", "))}, {{operand, Level::Atom}},
               Level::Postfix, goal, operand->bound);
}

TermRef AlgebraGenerator::makeStructure(const Goal &goal, const Scope &scope) {
  if (goal.shape.empty())
    return makePsi(goal, scope);
  switch (random.below(9)) {
  case 0:
    return makeReverse(goal, scope);
  case 1:
    return makeRotate(goal, scope);
  case 2:
    return makeTranspose(goal, scope);
  case 3:
    return makeTake(goal, scope);
  case 4:
    return makeDrop(goal, scope);
  case 5:
    return makeCat(goal, scope);
  case 6:
    return makeReshape(goal, scope);
  case 7:
    return makePsi(goal, scope);
  default:
    return makeSlice(goal, scope);
  }
}
