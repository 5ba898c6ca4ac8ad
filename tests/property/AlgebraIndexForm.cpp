// Index form in random terms: subscripts, reductions over bounds, guards. Scalars only.
#include "tests/property/AlgebraGenerator.h"

#include <fmt/format.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

/// A subscript that is in range if the axis has the extent that it sets, or under `guard`.
std::string AlgebraGenerator::subscript(const Scope &scope, shape::Expr &extent,
                                        std::string &guard) {
  if (scope.empty()) {
    const int64_t k = random.below(3);
    extent = chance(50)
                 ? shape::Expr(k + 1)
                 : shape::Expr::name(pick(kernel.symbols)) + shape::Expr(chance(70) ? k + 1 : 0);
    return std::to_string(k);
  }
  const Index &i = pick(scope), &j = pick(scope);
  const int64_t c = 1 + random.below(2);
  extent = i.extent;
  const std::string e = i.extent.str(),
                    wrapped = i.extent.asName() || i.extent.constant() ? e : "(" + e + ")";
  if (i.extent.constant() == 0)
    return i.name;
  switch (random.below(18)) {
  case 0:
    extent = i.extent + shape::Expr(c);
    return fmt::format("{} + {}", i.name, c);
  case 1:
    return fmt::format("{} - 1 - {}", e, i.name);
  case 2:
    return fmt::format("({} + {}) % {}", i.name, c, wrapped);
  case 3:
    return fmt::format("({} - {}) % {}", i.name, c, wrapped);
  case 4:
    extent = shape::floordiv(i.extent + shape::Expr(1), shape::Expr(2));
    return fmt::format("{} // 2", i.name);
  case 5:
    extent = shape::Expr(2) * i.extent + shape::Expr(c - 1);
    return fmt::format("2*{} + {}", i.name, c - 1);
  case 6:
    extent = i.extent + j.extent;
    return fmt::format("{} + {}", i.name, j.name);
  case 7:
    return fmt::format("min({} + {}, {} - 1)", i.name, c, e);
  case 8:
    return fmt::format("max({} - {}, 0)", i.name, c);
  case 9:
    guard = fmt::format("{} + {} < {}", i.name, c, e);
    return fmt::format("{} + {}", i.name, c);
  case 10:
    guard = fmt::format("0 <= {} - {}", i.name, c);
    return fmt::format("{} - {}", i.name, c);
  case 11:
    extent = i.extent * j.extent;
    return fmt::format("{}*{} + {}", i.name,
                       j.extent.asName() || j.extent.constant() ? j.extent.str()
                                                                : "(" + j.extent.str() + ")",
                       j.name);
  case 12: {
    extent = this->extent();
    Parameter &table = fresh(chance(50) ? ElementType::i64_ : ElementType::i32_, {i.extent});
    table.below = extent;
    return fmt::format("{}[{}]", table.name, i.name);
  }
  case 13:
    extent = shape::Expr(3);
    return fmt::format("({} + 2*{}) % 3", i.name, j.name);
  case 14: // true at some sizes only
    extent = shape::Expr::name(pick(kernel.symbols));
    return fmt::format("min({}, {} - 1)", i.name, extent.str());
  default:
    return i.name;
  }
}

TermRef AlgebraGenerator::makeRead(const Goal &goal, const Scope &scope) {
  Extents shape;
  std::string at, guards;
  for (int64_t axis = 1 + random.below(2 + (goal.depth > 0)); axis > 0; --axis) {
    std::string guard;
    shape::Expr extent;
    at += (at.empty() ? "" : ", ") + subscript(scope, extent, guard);
    guards += (guards.empty() || guard.empty() ? "" : " and ") + guard;
    shape.push_back(extent);
  }
  TermRef array = known({goal.type, shape, 0}, {});
  if (!array || chance(30))
    array = goal.depth > 0 && chance(60) ? make(goal.deeper(shape), scope)
                                         : parameter({goal.type, shape, 0});
  TermRef read =
      build({"", "[" + at + "]"}, {{array, Level::Atom}}, Level::Postfix, goal, array->bound);
  if (!read)
    return nullptr;
  auto marked = std::make_shared<Term>(*read);
  marked->indexed = true;
  if (guards.empty())
    return marked;
  TermRef other = literal(goal.type);
  return build({"where(" + guards + ", ", ", ", ")"}, {{marked, Level::Or}, {other, Level::Or}},
               Level::Atom, goal, std::max(other->bound, read->bound));
}

/// A condition that is affine in the indices, or on data.
std::string AlgebraGenerator::condition(const Scope &scope) {
  const Index &a = pick(scope), &b = pick(scope);
  const int64_t c = random.below(4);
  const std::string e = a.extent.str();
  switch (random.below(10)) {
  case 0:
    return fmt::format("{} < {}", a.name, c);
  case 1:
    return fmt::format("0 < {0} < {1} - 1", a.name, e);
  case 2:
    return fmt::format("{} {} {}", a.name, word("<=", "≤"), b.name);
  case 3:
    return fmt::format("{} == {}", a.name, b.name);
  case 4:
    return fmt::format("not {} + {} < {}", a.name, b.name, e);
  case 5:
    return fmt::format("2*{} < {} + {}", a.name, e, c);
  case 6:
    return fmt::format("0 <= {} + {} - {} < {}", a.name, b.name, c, e);
  case 7:
    return fmt::format("{} {} {} and {} < {} - 1", a.name, word("!=", "≠"), c, b.name,
                       b.extent.str());
  case 8:
    return fmt::format("{} % 2 == {}", a.name, c % 2);
  default:
    return fmt::format("{} > 1 or {} == 0", a.name, b.name);
  }
}

/// The bounds of a reduction's index, whose extent is set to what its values stay below.
std::string AlgebraGenerator::bounds(const Scope &scope, Index &index) {
  index.extent = extent();
  const std::string e = index.extent.str();
  if (!scope.empty() && chance(45)) {
    const Index &i = pick(scope);
    index.extent = i.extent;
    switch (random.below(4)) {
    case 0:
      return fmt::format("{} < {} + 1", index.name, i.name);
    case 1:
      return fmt::format("{} < {}", index.name, i.name);
    case 2:
      return fmt::format("{} in {}..{}", index.name, i.name, i.extent.str());
    default:
      return fmt::format("{} in max(0, {} - 2)..{} + 1", index.name, i.name, i.name);
    }
  }
  if (!scope.empty() && chance(10)) {
    const Index &i = pick(scope);
    const Parameter &counts = fresh(chance(50) ? ElementType::i64_ : ElementType::i32_, {i.extent});
    return fmt::format("{} < min(i64({}[{}]), {})", index.name, counts.name, i.name, e);
  }
  return chance(20) ? fmt::format("{} in 1..{}", index.name, e)
                    : fmt::format("{} < {}", index.name, e);
}

TermRef AlgebraGenerator::makeSum(const Goal &goal, const Scope &scope) {
  Scope inner = scope;
  std::string domain;
  double terms = 1;
  for (int64_t count = chance(20) ? 2 : 1; count > 0; --count) {
    Index index{fmt::format("p{}", counter++), {}};
    domain += (domain.empty() ? "" : ", ") + bounds(inner, index);
    terms *= extentAt(index.extent, 33);
    inner.push_back(index);
  }
  const bool truth = goal.type == ElementType::bool_, real = isFloat(goal.type);
  TermRef body = make(goal.deeper(), inner);
  if (goal.type == ElementType::i64_ && chance(15)) {
    TermRef key = make({kernel.exact ? mainType : ElementType::i32_, {}, goal.depth - 1}, inner);
    if (key->exact && key->type != ElementType::bool_)
      return build({fmt::format("{}[{}](", chance(50) ? "argmax" : "argmin", domain), ")"},
                   {{key, Level::Or}}, Level::Atom, goal, 2000);
  }
  if (chance(25) && !truth) {
    TermRef none = literal(goal.type);
    body = build({"where(" + condition(inner) + ", ", ", ", ")"},
                 {{body, Level::Or}, {none, Level::Or}}, Level::Atom, goal,
                 std::max(body->bound, 4.0));
  }
  if (truth)
    return build({fmt::format("{}[{}](", chance(50) ? "any" : "all", domain), ")"},
                 {{body, Level::Or}}, Level::Atom, goal, 1);
  switch (random.below(8)) {
  case 0:
    return clamped(build({fmt::format("max[{}](", domain), ")"}, {{body, Level::Or}}, Level::Atom,
                         goal, body->bound));
  case 1:
    return clamped(build({fmt::format("min[{}](", domain), ")"}, {{body, Level::Or}}, Level::Atom,
                         goal, body->bound));
  case 2:
    if (!real)
      return build({fmt::format("prod[{}](", domain), ")"}, {{body, Level::Or}}, Level::Atom, goal,
                   wild);
    return build({fmt::format("sum[{}: f64](", domain), ")"}, {{body, Level::Or}}, Level::Atom,
                 goal, body->bound * terms);
  case 3:
    return build({fmt::format("red[-, {}](", domain), ")"}, {{body, Level::Or}}, Level::Atom, goal,
                 typeClass(goal.type) == TypeClass::Uint ? wild : body->bound * terms);
  case 4: { // the index's extent is that of the axis it reads
    const Index index{fmt::format("p{}", counter++), extent()};
    Scope short_ = scope;
    short_.push_back(index);
    TermRef factor = make(goal.deeper(), short_);
    const Parameter &read = fresh(storage(goal.type), {index.extent});
    return build({fmt::format("sum[{0}]({1}[{0}] * ", index.name, read.name), ")"},
                 {slot(factor, Level::Applied)}, Level::Atom, goal,
                 4 * factor->bound * extentAt(index.extent, 33));
  }
  default:
    return build({fmt::format("sum[{}](", domain), ")"}, {{body, Level::Or}}, Level::Atom, goal,
                 body->bound * terms);
  }
}

TermRef AlgebraGenerator::makeGuarded(const Goal &goal, const Scope &scope) {
  TermRef a = make(goal.deeper(), scope), b = make(goal.deeper(), scope);
  return build({"where(" + condition(scope) + ", ", ", ", ")"}, {{a, Level::Or}, {b, Level::Or}},
               Level::Atom, goal, std::max(a->bound, b->bound));
}

TermRef AlgebraGenerator::makeIndexed(const Goal &goal, const Scope &scope) {
  if (!goal.shape.empty())
    return nullptr;
  switch (random.below(4)) {
  case 0:
    return makeRead(goal, scope);
  case 1:
    return scope.empty() ? nullptr : makeGuarded(goal, scope);
  default:
    return makeSum(goal, scope);
  }
}
