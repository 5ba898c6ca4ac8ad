// What is known of compound atoms: their defining inequalities, and their simplification under
// facts.
//
// q = x // m with m >= 1 is m*q <= x <= m*q + m - 1; r = x % m lies in [0, m); mirrored for m <=
// -1. With an unknown sign of m nothing is said. A minimum is below each argument, a maximum above
// each.
#include "ir/ShapeProver.h"

#include <algorithm>

namespace moac::shape {

namespace {

constexpr int sideDepth = 4;

Expr without(const Expr &e, const Factors &factors) {
  Expr out = e;
  for (AtomRef f : factors)
    out = cofactor(out, *f);
  return out;
}

/// Atoms (with multiplicity) that divide every term of `e` and of `other`.
Factors commonFactors(const Expr &e, const Expr &other) {
  Factors out;
  Expr a = e, b = other;
  for (AtomRef f : other.node().terms.front().factors) {
    Expr ca = cofactor(a, *f), cb = cofactor(b, *f);
    if (ca.node().terms.size() != a.node().terms.size() ||
        cb.node().terms.size() != b.node().terms.size())
      continue;
    a = ca, b = cb;
    out.push_back(f);
  }
  return out;
}

} // namespace

void Search::learn(const Expr &e) {
  for (const Term &t : e.node().terms)
    for (AtomRef f : t.factors)
      if (f->kind != AtomKind::Name)
        if (base.meet(f))
          learnAtom(f);
}

void Search::learnAtom(AtomRef atom) {
  const Expr &self = atom->self;
  const Expr &x = atom->args[0];
  if (atom->kind == AtomKind::Min || atom->kind == AtomKind::Max) {
    bool isMin = atom->kind == AtomKind::Min;
    for (const Expr &arg : atom->args)
      base.add(isMin ? arg - self : self - arg);
    for (int bound : {1, 0}) {
      auto above = [&](const Expr &arg) { return prove(arg - Expr(bound), sideDepth); };
      if (!isMin || !std::all_of(atom->args.begin(), atom->args.end(), above))
        continue;
      base.add(self - Expr(bound));
      break;
    }
    return;
  }
  const Expr &m = atom->args[1];
  bool up = prove(m - Expr(1), sideDepth), down = !up && prove(-m - Expr(1), sideDepth);
  if (!up && !down)
    return;
  Expr rest = atom->kind == AtomKind::Mod ? self : x - m * self; // between 0 and m
  base.add(up ? rest : -rest);
  base.add(up ? m - Expr(1) - rest : rest - m - Expr(1));
  if (up && prove(x, sideDepth)) {
    base.add(x - self); // x % m <= x and x // m <= x
    base.add(self);
  }
}

std::optional<Expr> Search::simplifyDivision(const Atom &atom) {
  const Expr &x = atom.args[0], &m = atom.args[1];
  bool quotient = atom.kind == AtomKind::FloorDiv;
  std::optional<int64_t> c = m.constant();
  if (c == 0)
    return std::nullopt;
  std::optional<int> direction = c ? 1 : positive(m) ? std::optional<int>(1) : std::nullopt;
  if (!direction && positive(-m))
    direction = -1;
  if (!direction)
    return std::nullopt;
  if (x == Expr())
    return Expr();
  if (!c)
    if (Factors g = commonFactors(x, m); !g.empty()) {
      Expr factor(1);
      for (AtomRef f : g)
        factor = factor * fromAtom(f);
      // m != 0, so its factors are not 0 either; (x*g) % (m*g) = (x % m)*g.
      Expr a = without(x, g), b = without(m, g);
      return quotient ? floordiv(a, b) : mod(a, b) * factor;
    }
  // block*m <= x < (block + 1)*m for a small block, tried on the side where x can be.
  bool below = !quickly(*direction > 0 ? x : -x);
  for (int block : below ? std::vector<int>{-1} : std::vector<int>{0, 1}) {
    Expr low = x - Expr(block) * m, high = m - Expr(1) - low;
    if (*direction < 0)
      high = low - m - Expr(1), low = -low;
    if (quickly(low) && quickly(high))
      return quotient ? Expr(block) : low * Expr(*direction);
  }
  return std::nullopt;
}

std::optional<Expr> Search::simplifyMinMax(const Atom &atom) {
  std::vector<Expr> kept = atom.args;
  for (size_t k = 0; k < kept.size() && kept.size() > 1;) {
    bool dominated = false;
    for (size_t j = 0; j < kept.size() && !dominated; ++j)
      dominated =
          j != k && quickly(atom.kind == AtomKind::Min ? kept[k] - kept[j] : kept[j] - kept[k]);
    if (dominated)
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
    else
      ++k;
  }
  if (kept.size() == atom.args.size())
    return std::nullopt;
  return minMax(atom.kind, kept);
}

std::optional<Expr> Search::simplifyAtom(const Atom &atom) {
  switch (atom.kind) {
  case AtomKind::Name:
    return std::nullopt;
  case AtomKind::Min:
  case AtomKind::Max:
    return simplifyMinMax(atom);
  default:
    return simplifyDivision(atom);
  }
}

Expr Search::simplify(const Expr &e) {
  Expr out = e;
  for (int round = 0; round < 4; ++round) {
    if (out.poisoned() || out.node().depth == 0)
      break;
    Expr next = rewrite(out, [&](const Atom &a) { return simplifyAtom(a); });
    if (next == out)
      break;
    out = next;
  }
  return out;
}

} // namespace moac::shape
