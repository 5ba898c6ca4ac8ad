// The search for a proof of e >= 0: elimination of one variable after the other (ir/ShapeProver.h).
#include "ir/ShapeProver.h"

#include <algorithm>

namespace moac::shape {

namespace {

constexpr int proved = INT32_MAX;
constexpr int shortDepth = 5;

/// Product of bounds, or nothing on overflow.
std::optional<int64_t> times(int64_t a, int64_t b) {
  int64_t r;
  return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional<int64_t>(r);
}

Expr withSign(const Expr &e, int sign) { return sign < 0 ? -e : e; }

bool isMinMax(const Atom &a) { return a.kind == AtomKind::Min || a.kind == AtomKind::Max; }

} // namespace

/// A constant that the term is at least, from constant bounds of its factors.
std::optional<int64_t> Search::termBound(const Term &t) const {
  if (t.factors.empty())
    return t.coefficient;
  if (t.coefficient < 0)
    return std::nullopt;
  std::optional<int64_t> product = t.coefficient;
  for (AtomRef f : t.factors) {
    std::optional<int64_t> lower = base.lower(fromAtom(f));
    if (!lower || *lower < 0)
      return std::nullopt;
    product = times(*product, *lower);
    if (!product)
      return std::nullopt;
  }
  return product;
}

/// e >= 0 by one fact, or term by term.
bool Search::evident(const Expr &e) const {
  if (std::optional<int64_t> c = e.constant())
    return *c >= 0;
  int64_t c = constantTerm(e);
  if (std::optional<int64_t> lower = base.lower(c == 0 ? e : e - Expr(c)))
    if (int64_t sum; !__builtin_add_overflow(*lower, c, &sum) && sum >= 0)
      return true;
  int64_t sum = 0;
  for (const Term &t : e.node().terms)
    if (t.coefficient < 0 && !t.factors.empty())
      return false;
  for (const Term &t : e.node().terms) {
    std::optional<int64_t> bound = termBound(t);
    if (!bound || __builtin_add_overflow(sum, *bound, &sum))
      return false;
  }
  return sum >= 0;
}

bool Search::refuted(const Expr &e) const {
  return std::any_of(models.begin(), models.end(),
                     [&](const Model *m) { return valueAt(e, *m).value_or(0) < 0; });
}

bool Search::prove(const Expr &goal, int depth) {
  if (goal.poisoned())
    return false;
  Expr e = tighten(goal);
  if (evident(e))
    return true;
  if (e.constant() || depth <= 0 || fuel <= 0 || refuted(e))
    return false;
  fuel -= 1 + static_cast<int>(e.node().terms.size()) / 4;
  auto [it, isNew] = memo.try_emplace(e, depth);
  if (!isNew) {
    if (it->second == proved || it->second >= depth)
      return it->second == proved;
    it->second = depth;
  }
  std::optional<bool> split = byCases(e, depth);
  if (!split)
    learn(e);
  bool ok = split ? *split : evident(e) || byFactor(e, depth) || byElimination(e, depth);
  if (ok)
    memo[e] = proved;
  return ok;
}

std::optional<int> Search::signWithin(const Expr &e, int depth) {
  if (std::optional<int64_t> c = e.constant())
    return *c >= 0 ? 1 : -1;
  if (prove(e, depth))
    return 1;
  if (prove(-e, depth))
    return -1;
  return std::nullopt;
}

/// e = g * E with g a product of atoms: by g >= 0 and E >= 0.
bool Search::byFactor(const Expr &e, int depth) {
  const auto &terms = e.node().terms;
  if (terms.back().factors.empty())
    return false;
  for (AtomRef f : terms.front().factors) {
    bool common = std::all_of(terms.begin(), terms.end(),
                              [&](const Term &t) { return t.factors.contains(*f); });
    if (!common)
      continue;
    Expr g = fromAtom(f), rest = cofactor(e, *f);
    if (rest.constant() == 1)
      return false; // e is the atom itself
    std::optional<int> s = signWithin(g, std::min(depth - 1, 3));
    if (s && prove(withSign(rest, *s), depth - 1))
      return true;
  }
  return false;
}

bool Search::byElimination(const Expr &e, int depth) {
  std::vector<AtomRef> vars = variables(e, ranks);
  int innermost = ranks.rank(*vars.front());
  for (AtomRef v : vars) {
    // Symbols have no order among them; of ranged names the innermost is the one to begin with.
    if (!wide && innermost > 0 && v != vars.front())
      break;
    if (eliminate(e, v, depth))
      return true;
  }
  return false;
}

/// Whether `fact` holds an atom more inner than `v`, which eliminating `v` with it would bring
/// back.
bool Search::reaches(const Expr &fact, const Atom &v) const {
  int rank = ranks.rank(v);
  for (const Term &t : fact.node().terms)
    for (AtomRef f : t.factors)
      if (int other = ranks.rank(*f); other > rank || (other == rank && f->depth > v.depth))
        return true;
  return false;
}

/// The goal |c|*e - |A|*fact + |c| - 1 (or e - (A/c)*fact) for A*v + b and the fact c*v + d, if the
/// fact bounds v in the wanted direction.
std::optional<Expr> Search::combine(const Expr &e, const Expr &slope, const Expr &fact, AtomRef v,
                                    int direction, int depth) {
  Expr c = cofactor(fact, *v);
  auto length = [](const Expr &x) { return static_cast<int>(x.node().terms.size()); };
  fuel -= (length(e) * length(c) + length(slope) * length(fact)) / 16;
  std::optional<int64_t> known = c.constant();
  if (known ? (*known > 0) != (direction > 0) : holds(c, *v))
    return std::nullopt;
  if (!known && !prove(withSign(c, direction) - Expr(1), std::min(depth - 1, 3)))
    return std::nullopt;
  if (std::optional<Expr> k = exactQuotient(slope, c))
    return e - *k * fact;
  Expr size = withSign(c, direction), weight = withSign(slope, direction);
  return size * e - weight * fact + size - Expr(1);
}

bool Search::eliminate(const Expr &e, AtomRef v, int depth) {
  Expr slope = cofactor(e, *v);
  std::optional<int> direction = signWithin(slope, depth - 2);
  if (!direction)
    return byVertices(e, v, slope, depth);
  std::vector<Expr> usable;
  base.each([&](const Expr &fact) {
    if (holds(fact, *v) && (wide || !reaches(fact, *v)))
      usable.push_back(fact);
  });
  std::vector<Candidate> candidates;
  for (const Expr &fact : usable) {
    std::optional<Expr> goal = combine(e, slope, fact, v, *direction, depth);
    if (!goal || goal->poisoned())
      continue;
    *goal = tighten(*goal);
    if (evident(*goal))
      return true;
    if (!goal->constant())
      candidates.push_back({*goal, goal->node().weight});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return a.size != b.size ? a.size < b.size : a.goal < b.goal;
  });
  for (const Candidate &c : candidates)
    if (prove(c.goal, depth - 1))
      return true;
  return false;
}

/// e is affine in v and v lies between bounds: e >= 0 at both ends is enough, whatever the slope's
/// sign.
bool Search::byVertices(const Expr &e, AtomRef v, const Expr &slope, int depth) {
  if (v->kind != AtomKind::Name || slope.mentions(v->name))
    return false;
  Expr rest = e - slope * fromAtom(v);
  if (rest.mentions(v->name))
    return false;
  std::vector<Expr> lows, highs;
  base.each([&](const Expr &fact) {
    if (!holds(fact, *v) || ranks.rank(fact) > ranks.rank(*v))
      return;
    std::optional<int64_t> c = cofactor(fact, *v).constant();
    if (c == 1)
      lows.push_back(fromAtom(v) - fact);
    else if (c == -1)
      highs.push_back(fact + fromAtom(v));
  });
  auto holdsAt = [&](const std::vector<Expr> &ends) {
    return std::any_of(ends.begin(), ends.end(),
                       [&](const Expr &end) { return prove(rest + slope * end, depth - 2); });
  };
  return !lows.empty() && !highs.empty() && holdsAt(lows) && holdsAt(highs);
}

/// One goal for each argument that a minimum or maximum may be, with the facts that it is that one;
/// nothing if there is none to split.
std::optional<bool> Search::byCases(const Expr &e, int depth) {
  if (splits <= 0)
    return std::nullopt;
  AtomRef chosen = nullptr;
  for (AtomRef a : atomsOf(e)) { // inner atoms come first
    if (isMinMax(*a)) {
      chosen = a;
      break;
    }
  }
  if (!chosen)
    return std::nullopt;
  Expr self = fromAtom(chosen);
  for (const Expr &arg : chosen->args) {
    FactBase assumed(&base);
    for (const Expr &other : chosen->args)
      assumed.add(chosen->kind == AtomKind::Min ? other - arg : arg - other);
    assumed.add(self - arg);
    assumed.add(arg - self);
    std::vector<const Model *> fitting;
    for (const Model *m : models)
      if (valueAt(self - arg, *m) == 0)
        fitting.push_back(m);
    Search inner(ranks, assumed, std::move(fitting));
    inner.fuel = fuel, inner.splits = splits - 1, inner.wide = wide;
    bool ok = inner.prove(rewrite(e,
                                  [&](const Atom &a) -> std::optional<Expr> {
                                    if (&a == chosen)
                                      return arg;
                                    return std::nullopt;
                                  }),
                          depth - 1);
    fuel = inner.fuel;
    if (!ok)
      return false;
  }
  return true;
}

bool Search::attempt(const Expr &e, int fuelLimit, bool wideSearch, int splitLimit, int depth) {
  memo.clear();
  fuel = fuelLimit, wide = wideSearch, splits = splitLimit;
  return prove(e, depth);
}

bool Search::nonNegative(const Expr &e) {
  if (attempt(e, 150) || attempt(e, 300, false, 5))
    return true;
  Expr expanded = expandMods(e);
  if (!(expanded == e) && attempt(expanded, 300, false, 5))
    return true;
  return attempt(expanded, 500, true, 5);
}

bool Search::quickly(const Expr &e) {
  return shortAttempts-- > 0 && attempt(e, 40, false, 1, shortDepth);
}

void Search::settle(const Expr &e) {
  memo.clear();
  fuel = 100, wide = false, splits = 0;
  learn(e);
}

std::optional<int> Search::sign(const Expr &e) {
  if (quickly(e))
    return 1;
  return quickly(-e) ? std::optional<int>(-1) : std::nullopt;
}

} // namespace moac::shape
