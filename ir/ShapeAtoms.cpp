// Simplifying constructors of floor division, modulus, minimum and maximum.
//
// Every rule holds for all integers, negative divisors included, and never makes an undefined
// expression (divisor 0) defined: a symbolic divisor stays in the result. The core is one identity,
// (q*b + r) // b = q + r // b, with q and r from polynomial division; r // b is then the canonical
// remainder.
#include "ir/ShapeNode.h"

#include <algorithm>
#include <numeric>

namespace moac::shape {

namespace {

constexpr int maxDivisionSteps = 64;

/// factors of `m` without those of `d`, if `d` divides `m`.
std::optional<Factors> divideFactors(const Factors &m, const Factors &d) {
  Factors rest;
  size_t k = 0;
  for (AtomRef f : m) {
    if (k < d.size() && f == d[k])
      ++k;
    else
      rest.push_back(f);
  }
  if (k < d.size())
    return std::nullopt;
  return rest;
}

/// Greatest common divisor of all coefficients, with or without the constant term; 0 if there are
/// none.
int64_t content(const Expr &e, bool withConstant) {
  int64_t g = 0;
  for (const Term &t : e.node().terms)
    if (withConstant || !t.factors.empty())
      g = std::gcd(g, t.coefficient);
  return g;
}

/// Every coefficient floor-divided by g > 0.
Expr scaleDown(const Expr &e, int64_t g) {
  if (g == 1)
    return e;
  std::vector<Term> terms = e.node().terms;
  for (Term &t : terms)
    t.coefficient = floorDivide(t.coefficient, g);
  return fromTerms(std::move(terms));
}

struct Interval {
  int64_t lo, hi;
};

std::optional<Interval> constantRange(const Expr &e);

std::optional<Interval> atomRange(const Atom &atom) {
  if (atom.kind == AtomKind::Name)
    return std::nullopt;
  if (atom.kind == AtomKind::Mod) {
    std::optional<int64_t> m = atom.args[1].constant();
    return m && *m > 0 ? std::optional<Interval>({0, *m - 1}) : std::nullopt;
  }
  std::optional<Interval> first = constantRange(atom.args[0]);
  for (size_t k = 1; first && k < atom.args.size(); ++k) {
    std::optional<Interval> other = constantRange(atom.args[k]);
    if (!other)
      return std::nullopt;
    if (atom.kind == AtomKind::Min)
      first = {std::min(first->lo, other->lo), std::min(first->hi, other->hi)};
    else if (atom.kind == AtomKind::Max)
      first = {std::max(first->lo, other->lo), std::max(first->hi, other->hi)};
    else if (other->lo == other->hi && other->lo > 0)
      first = {floorDivide(first->lo, other->lo), floorDivide(first->hi, other->lo)};
    else
      return std::nullopt;
  }
  return first;
}

/// Bounds that hold whatever the names are: known when names occur only below a constant modulus.
std::optional<Interval> constantRange(const Expr &e) {
  __int128 lo = 0, hi = 0;
  for (const Term &t : e.node().terms) {
    if (t.factors.size() > 1)
      return std::nullopt;
    Interval r{1, 1};
    if (!t.factors.empty()) {
      std::optional<Interval> a = atomRange(*t.factors[0]);
      if (!a)
        return std::nullopt;
      r = *a;
    }
    __int128 x = __int128(t.coefficient) * r.lo, y = __int128(t.coefficient) * r.hi;
    lo += std::min(x, y);
    hi += std::max(x, y);
  }
  if (lo <= INT64_MIN || hi >= INT64_MAX)
    return std::nullopt;
  return Interval{static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

/// (x // c + k) // b = (x + k*c) // (c*b) for a constant b > 0: flooring twice is flooring once.
std::optional<Expr> nestedDivision(const Expr &r, int64_t b) {
  Expr head = r - Expr(constantTerm(r));
  AtomRef atom = asAtom(head);
  if (!atom || atom->kind != AtomKind::FloorDiv)
    return std::nullopt;
  const Expr &c = atom->args[1];
  if (c.constant() == 0)
    return std::nullopt;
  Expr numerator = atom->args[0] + Expr(constantTerm(r)) * c, divisor = c * Expr(b);
  if (numerator.poisoned() || divisor.poisoned())
    return std::nullopt;
  return floordiv(numerator, divisor);
}

Expr divideByConstant(const Expr &q, Expr r, int64_t b) {
  int64_t g = std::gcd(content(r, false), b);
  r = scaleDown(r, g);
  b /= g;
  std::optional<Interval> range = constantRange(r);
  if (range && floorDivide(range->lo, b) == floorDivide(range->hi, b))
    return q + Expr(floorDivide(range->lo, b));
  if (std::optional<Expr> nested = nestedDivision(r, b))
    return q + *nested;
  return q + makeAtom(AtomKind::FloorDiv, {r, Expr(b)});
}

/// Terms k*m*(x % c) whose value modulo b only depends on x (b divides k*c) with x instead;
/// unchanged if none.
Expr dropInnerMod(const Expr &r, const Expr &b) {
  std::vector<Term> kept;
  Expr sum;
  for (const Term &t : r.node().terms) {
    size_t k = 0;
    auto droppable = [&](AtomRef f) {
      if (f->kind != AtomKind::Mod)
        return false;
      std::optional<int64_t> c = f->args[1].constant(), m = b.constant();
      if (!c || !m)
        return f->args[1] == b;
      return *c != 0 && static_cast<int64_t>(__int128(t.coefficient) * *c % *m) == 0;
    };
    while (k < t.factors.size() && !droppable(t.factors[k]))
      ++k;
    if (k == t.factors.size()) {
      kept.push_back(t);
      continue;
    }
    Term rest = t;
    rest.factors.erase(k);
    sum = sum + fromTerms({std::move(rest)}) * t.factors[k]->args[0];
  }
  return kept.size() == r.node().terms.size() ? r : sum + fromTerms(std::move(kept));
}

Expr modulusOfConstant(Expr r, int64_t b) {
  int64_t g = std::gcd(content(r, false), b);
  int64_t low = floorModulo(constantTerm(r), g);
  r = scaleDown(r, g);
  b /= g;
  std::optional<Interval> range = constantRange(r);
  if (range && floorDivide(range->lo, b) == floorDivide(range->hi, b))
    return Expr(g) * (r - Expr(floorDivide(range->lo, b)) * Expr(b)) + Expr(low);
  return Expr(g) * makeAtom(AtomKind::Mod, {r, Expr(b)}) + Expr(low);
}

bool leadingNegative(const Expr &e) { return e.node().terms.front().coefficient < 0; }

} // namespace

Division divide(const Expr &e, const Expr &divisor) {
  const Term &lead = divisor.node().terms.front();
  Expr quotient, rest = e;
  size_t done = 0; // terms of `rest` that stay
  for (int step = 0; done < rest.node().terms.size(); ++step) {
    const Term &t = rest.node().terms[done];
    auto factors = divideFactors(t.factors, lead.factors);
    int64_t q = factors ? floorDivide(t.coefficient, lead.coefficient) : 0;
    if (q == 0) {
      ++done;
      continue;
    }
    Expr part = fromTerms({Term{q, *factors}});
    bool stays = t.coefficient != q * lead.coefficient; // a remainder keeps its place
    quotient = quotient + part;
    rest = rest - part * divisor;
    if (rest.poisoned() || quotient.poisoned() || step > maxDivisionSteps)
      return {Expr(), e};
    done += stays;
  }
  return {quotient, rest};
}

std::optional<Expr> exactQuotient(const Expr &a, const Expr &b) {
  if (a.poisoned() || b.poisoned() || b.node().terms.empty())
    return std::nullopt;
  Division d = divide(a, b);
  if (!(d.remainder == Expr()))
    return std::nullopt;
  return d.quotient;
}

Expr floordiv(const Expr &a, const Expr &b) {
  if (a.poisoned() || b.poisoned())
    return a.poisoned() ? a : b;
  std::optional<int64_t> c = b.constant();
  if (c == 0)
    return makeAtom(AtomKind::FloorDiv, {a, b});
  if (leadingNegative(b))
    return floordiv(-a, -b);
  if (c == 1)
    return a;
  auto [q, r] = divide(a, b);
  if (c)
    return divideByConstant(q, r, *c);
  int64_t g = std::gcd(content(r, true), content(b, true));
  return q + makeAtom(AtomKind::FloorDiv, {scaleDown(r, g), scaleDown(b, g)});
}

Expr mod(const Expr &a, const Expr &b) {
  if (a.poisoned() || b.poisoned())
    return a.poisoned() ? a : b;
  std::optional<int64_t> c = b.constant();
  if (c == 0)
    return makeAtom(AtomKind::Mod, {a, b});
  if (leadingNegative(b))
    return -mod(-a, -b);
  Expr r = divide(a, b).remainder;
  for (int round = 0; round < 8; ++round) {
    Expr inner = dropInnerMod(r, b);
    if (inner == r || inner.poisoned())
      break;
    r = divide(inner, b).remainder;
  }
  if (c)
    return modulusOfConstant(r, *c);
  int64_t g = std::gcd(content(r, true), content(b, true));
  return Expr(g) * makeAtom(AtomKind::Mod, {scaleDown(r, g), scaleDown(b, g)});
}

Expr min(const Expr &a, const Expr &b) { return minMax(AtomKind::Min, {a, b}); }
Expr max(const Expr &a, const Expr &b) { return minMax(AtomKind::Max, {a, b}); }
Expr abs(const Expr &a) { return max(a, -a); }

Expr rebuild(AtomKind kind, const std::vector<Expr> &args) {
  if (kind == AtomKind::FloorDiv)
    return floordiv(args[0], args[1]);
  if (kind == AtomKind::Mod)
    return mod(args[0], args[1]);
  return minMax(kind, args);
}

} // namespace moac::shape
