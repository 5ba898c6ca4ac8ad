// Summing a nest from the inside out; see Count.h.
//
// One step sums a body over one variable. Conditions that are affine in it narrow its range. A minimum or maximum in
// the body is taken apart: min(a, b) is a where b - a >= 0 and b elsewhere, two sums over narrower ranges. What remains
// is a polynomial in the variable and has a closed form wherever the range is not empty backwards; that is proved, or
// becomes a condition for the loops outside.
#include "ir/Count.h"
#include "ir/ShapeNode.h"

#include <algorithm>

using namespace moac;
using namespace moac::cost;
using shape::AtomKind;
using shape::AtomRef;
using shape::Facts;

namespace moac::cost {
class NestSum {
public:
  NestSum(const std::vector<LoopRange> &nest, const Facts &facts) : nest(nest) {
    outside.push_back(facts);
    for (const LoopRange &loop : nest) {
      outside.push_back(outside.back());
      outside.back().range(loop.variable, loop.lo, loop.hi);
    }
  }

  /// Σ of body over the first `depth` loops.
  Count over(size_t depth, Count body, std::vector<Expr> conditions) {
    dropProved(conditions, outside[depth]);
    if (depth == 0)
      return whole(std::move(body), std::move(conditions));
    if (!body.rest.empty() && !(body.numerator == Expr(0))) { // closed part and sums go different ways
      Count closed = Count::quotient(body.numerator, body.denominator);
      body.numerator = Expr(0);
      return over(depth, std::move(closed), conditions) + over(depth, std::move(body), conditions);
    }
    const std::string &v = nest[depth - 1].variable;
    if (AtomRef choice = minMaxOf(body, v); choice && fuel > 0)
      return apart(depth, body, conditions, *choice);
    Step step = narrow(depth, conditions);
    std::optional<std::vector<Expr>> polynomial = coefficients(body, v);
    const bool repeated = step.inside.empty() && !mentions(body, v);
    if ((!polynomial && !repeated) || !step.inside.empty()) {
      auto node = std::make_shared<SumNode>(SumNode{v, step.lo, step.hi, std::move(step.inside), std::move(body)});
      return over(depth - 1, Count::of(std::move(node)), std::move(step.outside));
    }
    if (std::optional<Count> last = repeated ? std::nullopt : lastTile(step, body, v))
      return over(depth - 1, *last, std::move(step.outside));
    for (const Expr &lo : step.los)
      for (const Expr &hi : step.his)
        if (!outside[depth - 1].proveNonNegative(hi - lo))
          step.outside.push_back(hi - lo);
    Count sum = repeated ? body.times(step.hi - step.lo) : closedSum(*polynomial, body.denominator, step.lo, step.hi);
    if (sum.overflows()) // of the formula's coefficients: the sum stays one
      sum = Count::of(std::make_shared<SumNode>(SumNode{v, step.lo, step.hi, {}, std::move(body)}));
    return over(depth - 1, std::move(sum), std::move(step.outside));
  }

private:
  struct Step {
    std::vector<Expr> los, his; ///< the range begins at the largest, ends at the smallest
    Expr lo, hi;
    std::vector<Expr> inside, outside; ///< conditions that did not narrow; that do not mention the variable
  };

  static void dropProved(std::vector<Expr> &conditions, const Facts &facts) {
    std::erase_if(conditions, [&](const Expr &e) { return facts.proveNonNegative(e); });
  }

  /// Of no loop: the body if the conditions hold.
  static Count whole(Count body, std::vector<Expr> conditions) {
    std::sort(conditions.begin(), conditions.end());
    conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
    if (conditions.empty() || body.isZero())
      return body;
    if (std::any_of(conditions.begin(), conditions.end(), [](const Expr &e) { return e.constant().value_or(0) < 0; }))
      return Count(0);
    // e elsewhere 0 is max(0, e).
    if (std::optional<Expr> e = body.expr(); e && conditions.size() == 1)
      if (std::optional<Expr> factor = exactQuotient(*e, conditions[0]))
        return Count(*factor * max(Expr(0), conditions[0]));
    return Count::of(std::make_shared<SumNode>(SumNode{"", Expr(0), Expr(1), std::move(conditions), std::move(body)}));
  }

  /// A minimum or maximum of two in the body whose difference is affine in v.
  static AtomRef minMaxOf(const Count &body, const std::string &v) {
    for (AtomRef atom : atomsOf(body.numerator)) {
      bool chooses = atom->kind == AtomKind::Min || atom->kind == AtomKind::Max;
      if (chooses && atom->args.size() == 2 && atom->self.mentions(v) && slopeOf(atom->args[0] - atom->args[1], v))
        return atom;
    }
    return nullptr;
  }

  Count apart(size_t depth, const Count &body, const std::vector<Expr> &conditions, const shape::Atom &choice) {
    --fuel;
    const bool isMin = choice.kind == AtomKind::Min;
    Expr first = choice.args[0], second = choice.args[1];
    // A full tile wins ties: the clipped one is then N % T long.
    const std::string &v = nest[depth - 1].variable;
    auto others = [&](const Expr &e) { return e.names().size() - e.mentions(v); };
    if (others(first) > others(second))
      std::swap(first, second);
    Expr firstWins = isMin ? second - first : first - second;
    auto side = [&](const Expr &value, const Expr &condition) {
      Count part = Count::quotient(
          rewrite(body.numerator, [&](const shape::Atom &a) { return a.self == choice.self ? std::optional(value) : std::nullopt; }),
          body.denominator);
      part.rest = body.rest;
      std::vector<Expr> all = conditions;
      all.push_back(condition);
      return over(depth, std::move(part), std::move(all));
    };
    return side(first, firstWins) + side(second, Expr(-1) - firstWins);
  }

  /// The constant slope of an expression affine in v; nothing when v is in it in another way.
  static std::optional<int64_t> slopeOf(const Expr &e, const std::string &v) {
    const Expr name = Expr::name(v), zero = e.substitute({{v, Expr(0)}});
    const Expr rise = e.substitute({{v, name + Expr(1)}}) - e;
    std::optional<int64_t> slope = rise.constant();
    return slope && zero + name * Expr(*slope) == e ? slope : std::nullopt;
  }

  static void splitBound(const Expr &bound, AtomKind kind, std::vector<Expr> &to) {
    if (AtomRef atom = asAtom(bound); atom && atom->kind == kind)
      for (const Expr &part : atom->args)
        splitBound(part, kind, to);
    else
      to.push_back(bound);
  }

  Step narrow(size_t depth, const std::vector<Expr> &conditions) {
    const LoopRange &loop = nest[depth - 1];
    const Facts &facts = outside[depth - 1];
    Step step;
    splitBound(loop.lo, AtomKind::Max, step.los);
    splitBound(loop.hi, AtomKind::Min, step.his);
    for (const Expr &condition : conditions) {
      if (!condition.mentions(loop.variable)) {
        step.outside.push_back(condition);
        continue;
      }
      std::optional<int64_t> slope = slopeOf(condition, loop.variable);
      if (!slope || *slope == 0) {
        step.inside.push_back(condition);
        continue;
      }
      const Expr base = condition.substitute({{loop.variable, Expr(0)}});
      if (*slope > 0) // v >= ceil(-base / slope)
        step.los.push_back(floordiv(Expr(*slope - 1) - base, Expr(*slope)));
      else // v <= floor(base / -slope)
        step.his.push_back(floordiv(base, Expr(-*slope)) + Expr(1));
    }
    keepExtreme(step.los, facts, /*largest=*/true);
    keepExtreme(step.his, facts, /*largest=*/false);
    step.lo = step.los[0];
    for (const Expr &e : step.los)
      step.lo = max(step.lo, e);
    step.hi = step.his[0];
    for (const Expr &e : step.his)
      step.hi = min(step.hi, e);
    return step;
  }

  /// Drops bounds that another one implies.
  static void keepExtreme(std::vector<Expr> &bounds, const Facts &facts, bool largest) {
    for (size_t i = 0; i < bounds.size();) {
      bool implied = false;
      for (size_t j = 0; j < bounds.size() && !implied; ++j)
        implied = i != j && facts.proveNonNegative(largest ? bounds[j] - bounds[i] : bounds[i] - bounds[j]);
      if (implied)
        bounds.erase(bounds.begin() + static_cast<ptrdiff_t>(i));
      else
        ++i;
    }
  }

  /// c0, c1, ... of a body without sums as a polynomial in v; nothing when v is inside an atom.
  static std::optional<std::vector<Expr>> coefficients(const Count &body, const std::string &v) {
    std::vector<std::vector<shape::Term>> byDegree;
    for (const shape::Term &term : body.numerator.node().terms) {
      shape::Term left{term.coefficient, {}};
      size_t degree = 0;
      for (AtomRef atom : term.factors) {
        if (atom->kind == AtomKind::Name && atom->name == v)
          ++degree;
        else if (atom->self.mentions(v))
          return std::nullopt;
        else
          left.factors.push_back(atom);
      }
      byDegree.resize(std::max(byDegree.size(), degree + 1));
      byDegree[degree].push_back(left);
    }
    if (byDegree.size() > 4 || !body.rest.empty() || body.numerator.poisoned())
      return std::nullopt;
    std::vector<Expr> result;
    for (auto &terms : byDegree)
      result.push_back(shape::fromTerms(terms));
    return result.empty() ? std::vector<Expr>{Expr(0)} : result;
  }

  static bool mentions(const Count &body, const std::string &v) {
    auto inNode = [&](const SumNode &node) {
      auto in = [&](const Expr &e) { return e.mentions(v); };
      return in(node.lo) || in(node.hi) || std::any_of(node.conditions.begin(), node.conditions.end(), in) || mentions(node.body, v);
    };
    return body.numerator.mentions(v) || std::any_of(body.rest.begin(), body.rest.end(), [&](const Count::Part &part) {
             return part.factor.mentions(v) || inNode(*part.node);
           });
  }

  /// 12 * Σ_{i < n} i^k.
  static Expr powerSum(size_t k, const Expr &n) {
    const Expr one(1), product = n * (n - one);
    switch (k) {
    case 0: return Expr(12) * n;
    case 1: return Expr(6) * product;
    case 2: return Expr(2) * product * (Expr(2) * n - one);
    default: return Expr(3) * product * product;
    }
  }

  static Count closedSum(const std::vector<Expr> &polynomial, int64_t denominator, const Expr &lo, const Expr &hi) {
    Expr sum(0);
    for (size_t k = 0; k < polynomial.size(); ++k)
      sum = sum + polynomial[k] * (powerSum(k, hi) - powerSum(k, lo));
    return Count::quotient(sum, 12 * denominator);
  }

  /// The range E//T <= v < (E + T - 1)//T, the last tile if it is not full: the body there, provided that it counts
  /// nothing when T divides E.
  static std::optional<Count> lastTile(const Step &step, const Count &body, const std::string &v) {
    AtomRef from = asAtom(step.lo);
    if (!from || from->kind != AtomKind::FloorDiv || body.denominator != 1 || !body.rest.empty())
      return std::nullopt;
    const Expr &extent = from->args[0], &tile = from->args[1];
    std::optional<std::string> name = extent.asName();
    if (!name || !(step.hi == floordiv(extent + tile - Expr(1), tile)))
      return std::nullopt;
    const Expr there = body.numerator.substitute({{v, step.lo}});
    if (!(there.substitute({{*name, tile * Expr::name(*name)}}) == Expr(0)))
      return std::nullopt;
    return Count(there);
  }

  const std::vector<LoopRange> &nest;
  std::vector<Facts> outside; ///< [d]: inside the first d loops
  int fuel = 24;              ///< minima taken apart
};
} // namespace moac::cost

Count moac::cost::countPoints(const std::vector<LoopRange> &nest, std::vector<Expr> conditions, const Facts &facts) {
  return NestSum(nest, facts).over(nest.size(), Count(1), std::move(conditions));
}
