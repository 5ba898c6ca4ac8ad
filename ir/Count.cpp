// Arithmetic, evaluation and printing of counts.
#include "ir/Count.h"
#include "ir/CountLimit.h"
#include "ir/ShapeNode.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

using namespace moac;
using namespace moac::cost;

Count Count::quotient(Expr numerator, int64_t denominator) {
  int64_t divisor = denominator;
  for (const shape::Term &term : numerator.node().terms)
    divisor = std::gcd(divisor, term.coefficient);
  Count count;
  count.numerator = divisor > 1 ? floordiv(numerator, Expr(divisor)) : numerator;
  count.denominator = denominator / divisor;
  return count;
}

Count Count::of(std::shared_ptr<const SumNode> node) {
  Count count;
  count.rest.push_back({Expr(1), std::move(node)});
  return count;
}

bool Count::overflows() const {
  return numerator.poisoned() || std::any_of(rest.begin(), rest.end(), [](const Part &p) { return p.factor.poisoned(); });
}

Count Count::operator+(const Count &other) const {
  const int64_t common = std::lcm(denominator, other.denominator);
  Count sum = quotient(numerator * Expr(common / denominator) + other.numerator * Expr(common / other.denominator), common);
  sum.rest = rest;
  for (const Part &part : other.rest) {
    auto same = std::find_if(sum.rest.begin(), sum.rest.end(), [&](const Part &p) { return p.node == part.node; });
    if (same == sum.rest.end())
      sum.rest.push_back(part);
    else
      same->factor = same->factor + part.factor;
  }
  std::erase_if(sum.rest, [](const Part &p) { return p.factor == Expr(0); });
  if (!sum.overflows() || overflows() || other.overflows())
    return sum;
  Count apart = of(std::make_shared<SumNode>(SumNode{"", Expr(0), Expr(1), {}, *this}));
  apart.rest.push_back({Expr(1), std::make_shared<SumNode>(SumNode{"", Expr(0), Expr(1), {}, other})});
  return apart;
}

Count Count::times(const Expr &factor) const {
  Count product = quotient(numerator * factor, denominator);
  if (factor == Expr(0))
    return product;
  product.rest = rest;
  for (Part &part : product.rest)
    part.factor = part.factor * factor;
  return product;
}

std::optional<Expr> Count::expr() const {
  return rest.empty() && denominator == 1 ? std::optional(numerator) : std::nullopt;
}

namespace {
/// The value of an expression of counts: as in the loops, whose bounds are computed before it is known that they run, a
/// division by 0 gives 0.
std::optional<int64_t> valueOf(const Expr &e, const Sizes &at) {
  if (std::optional<int64_t> value = e.evaluate(at))
    return value;
  return shape::rewrite(e, [&](const shape::Atom &atom) -> std::optional<Expr> {
           bool divides = atom.kind == shape::AtomKind::FloorDiv || atom.kind == shape::AtomKind::Mod;
           return divides && atom.args[1].evaluate(at) == 0 ? std::optional(Expr(0)) : std::nullopt;
         })
      .evaluate(at);
}

/// Of the evaluation that runs: sums inside of sums share them.
thread_local uint64_t terms = 0, mostTerms = uint64_t(1) << 24;
thread_local unsigned nesting = 0;
struct Nested {
  Nested() {
    if (nesting++ == 0)
      terms = 0;
  }
  ~Nested() { --nesting; }
};

std::optional<int64_t> valueOf(const SumNode &node, Sizes at) {
  std::optional<int64_t> lo = 0, hi = 1;
  if (!node.variable.empty()) {
    lo = valueOf(node.lo, at);
    hi = valueOf(node.hi, at);
  }
  int64_t total = 0;
  for (int64_t v = lo.value_or(0); lo && hi && v < *hi; ++v) {
    if (++terms > mostTerms)
      return std::nullopt;
    if (!node.variable.empty())
      at[node.variable] = v;
    bool holds = true;
    for (const Expr &condition : node.conditions) {
      std::optional<int64_t> value = valueOf(condition, at);
      if (!value)
        return std::nullopt;
      holds &= *value >= 0;
    }
    std::optional<int64_t> term = holds ? node.body.evaluate(at) : 0;
    if (!term || __builtin_add_overflow(total, *term, &total))
      return std::nullopt;
  }
  return lo && hi ? std::optional(total) : std::nullopt;
}

std::string nodeText(const SumNode &node) {
  std::string conditions;
  for (const Expr &condition : node.conditions)
    conditions += (conditions.empty() ? "" : " and ") + condition.str() + " >= 0";
  if (node.variable.empty() && conditions.empty())
    return "(" + node.body.str() + ")";
  if (node.variable.empty())
    return fmt::format("where({}, {}, 0)", conditions, node.body.str());
  std::string body = node.body.str();
  if (!conditions.empty())
    body = fmt::format("where({}, {}, 0)", conditions, body);
  return fmt::format("sum[{} in {}..{}]({})", node.variable, node.lo.str(), node.hi.str(), body);
}
} // namespace

CountLimit::CountLimit(uint64_t terms) : before(std::exchange(mostTerms, terms)) {}
CountLimit::~CountLimit() { mostTerms = before; }

std::optional<int64_t> Count::evaluate(const Sizes &at) const {
  const Nested nested;
  std::optional<int64_t> top = valueOf(numerator, at);
  if (!top)
    return std::nullopt;
  int64_t total = *top / denominator;
  for (const Part &part : rest) {
    std::optional<int64_t> factor = valueOf(part.factor, at), value;
    if (factor && *factor != 0)
      value = valueOf(*part.node, at);
    else if (factor)
      value = 0;
    int64_t product;
    if (!factor || !value || __builtin_mul_overflow(*factor, *value, &product) || __builtin_add_overflow(total, product, &total))
      return std::nullopt;
  }
  return total;
}

std::string Count::str() const {
  std::string text;
  if (rest.empty() || !(numerator == Expr(0)))
    text = denominator == 1 ? numerator.str() : fmt::format("({})/{}", numerator.str(), denominator);
  for (const Part &part : rest) {
    std::string factor = part.factor == Expr(1) ? "" : part.factor.node().terms.size() == 1 ? part.factor.str() + "*" : "(" + part.factor.str() + ")*";
    text += (text.empty() ? "" : " + ") + factor + nodeText(*part.node);
  }
  return text;
}
