// Facts made ready for proving.
//
// Equalities are solved first: `L == 2*H` replaces L everywhere, `D % 2 == 0` writes D as 2*q with
// a fresh q (which stands for D // 2, so every quotient of D by 2 becomes exact), and an equality
// that fits neither form stays as two inequalities. Inequalities of a product, N*M >= 1, give those
// of its factors.
#include "ir/ShapeProver.h"

#include <algorithm>

namespace moac::shape {

namespace {

/// A name that occurs in `e` once, alone, with coefficient 1 or -1: e = c*name + rest with rest
/// free of it.
std::vector<std::pair<std::string, int64_t>> loneNames(const Expr &e) {
  std::vector<std::pair<std::string, int64_t>> out;
  for (const Term &t : e.node().terms) {
    bool unit = t.coefficient == 1 || t.coefficient == -1;
    if (!unit || t.factors.size() != 1 || t.factors[0]->kind != AtomKind::Name)
      continue;
    const std::string &name = t.factors[0]->name;
    if (!(e - fromTerms({t})).mentions(name))
      out.emplace_back(name, t.coefficient);
  }
  return out;
}

} // namespace

Expr Knowledge::apply(const Expr &e) const {
  Expr out = e;
  for (int round = 0; round < 3; ++round) {
    Expr next = solved.empty() ? out : out.substitute(solved);
    for (const auto &[from, to] : atomRules)
      next = rewrite(next, [&](const Atom &a) -> std::optional<Expr> {
        return &a == asAtom(from) ? std::optional<Expr>(to) : std::nullopt;
      });
    if (next == out)
      break;
    out = next;
  }
  return out;
}

void Knowledge::bind(const std::string &name, const Expr &value) {
  for (auto &[other, old] : solved)
    old = old.substitute({{name, value}});
  for (auto &[from, to] : atomRules)
    to = to.substitute({{name, value}});
  solved[name] = value;
}

/// ±(A % B) + r = 0 with A = ±name + rest: name becomes a multiple of B plus what it needs.
bool Knowledge::solveDivisibility(const Expr &difference) {
  for (const Term &t : difference.node().terms) {
    if (t.factors.size() != 1 || t.factors[0]->kind != AtomKind::Mod)
      continue;
    Expr others = difference - fromTerms({t});
    std::optional<Expr> remainder = exactQuotient(-others, Expr(t.coefficient));
    const Expr &a = t.factors[0]->args[0], &b = t.factors[0]->args[1];
    if (!remainder)
      continue;
    for (const auto &[name, sign] : loneNames(a)) {
      if (b.mentions(name) || remainder->mentions(name))
        continue;
      std::string q = "$" + std::to_string(fresh.size());
      Expr rest = a - Expr(sign) * Expr::name(name);
      Expr value = Expr(sign) * (b * Expr::name(q) + *remainder - rest);
      if (value.poisoned())
        continue;
      fresh.emplace(q, reveal(floordiv(a, b)));
      if (int r = std::max(ranks.rank(a), ranks.rank(b)))
        ranks.set(q, r);
      bind(name, value);
      return true;
    }
  }
  return false;
}

bool Knowledge::solveName(const Expr &difference) {
  std::vector<std::pair<std::string, int64_t>> names = loneNames(difference);
  if (names.empty())
    return false;
  auto inner = [&](const auto &a, const auto &b) {
    int ra = ranks.rank(Expr::name(a.first)), rb = ranks.rank(Expr::name(b.first));
    return ra != rb ? ra < rb : a.first < b.first;
  };
  const auto &[name, sign] = *std::max_element(names.begin(), names.end(), inner);
  Expr rest = difference - Expr(sign) * Expr::name(name);
  bind(name, sign == 1 ? -rest : rest);
  return true;
}

/// An equality that fixes one compound atom: kept as a rewrite, and as inequalities besides.
bool Knowledge::solveAtom(const Expr &difference) {
  for (const Term &t : difference.node().terms) {
    bool unit = t.coefficient == 1 || t.coefficient == -1;
    if (!unit || t.factors.size() != 1 || t.factors[0]->kind == AtomKind::Name)
      continue;
    Expr rest = difference - fromTerms({t});
    if (rest.node().depth >= t.factors[0]->depth)
      continue; // could rewrite for ever
    atomRules.emplace_back(fromAtom(t.factors[0]), t.coefficient == 1 ? -rest : rest);
    return true;
  }
  return false;
}

void Knowledge::solve(const Expr &a, const Expr &b) {
  Expr difference = apply(a - b);
  if (difference.poisoned() || difference.constant())
    return;
  if (solveDivisibility(difference) || solveName(difference))
    return;
  pending.push_back(difference);
  pending.push_back(-difference);
  solveAtom(difference);
}

/// From g*E >= 1 with g >= 0 follow g >= 1 and E >= 1, over the integers.
void Knowledge::derivePositiveFactors() {
  for (size_t k = 0; k < base.facts.size(); ++k) {
    Expr fact = base.facts[k];
    if (constantTerm(fact) >= 0)
      continue;
    Expr head = fact - Expr(constantTerm(fact));
    Factors factors = head.node().terms.front().factors;
    for (AtomRef f : factors) {
      Expr g = fromAtom(f), rest = cofactor(head, *f);
      if (rest.constant() || rest.node().terms.size() != head.node().terms.size())
        continue;
      std::optional<int64_t> lower = base.lower(g);
      bool restKnown = base.lower(rest).value_or(-1) >= 0;
      if (lower.value_or(-1) < 0 && !restKnown)
        continue;
      base.add(g - Expr(1));
      base.add(rest - Expr(1));
    }
  }
}

/// From X >= Y with Y a product of positive names follows X >= 1: where i < P, j < Q and P*Q == N*M,
/// neither N nor M is 0.
void Knowledge::derivePositiveProducts() {
  auto isPositive = [&](const Term &t) {
    return t.coefficient == -1 && std::all_of(t.factors.begin(), t.factors.end(), [&](AtomRef f) {
             return base.lower(fromAtom(f)).value_or(0) >= 1;
           });
  };
  for (size_t k = 0; k < base.facts.size(); ++k) {
    const Expr fact = base.facts[k];
    const std::vector<Term> &terms = fact.node().terms;
    if (terms.size() != 2 || terms[1].factors.size() < 2)
      continue;
    for (size_t side : {0, 1})
      if (terms[1 - side].coefficient == 1 && isPositive(terms[side]))
        base.add(fromTerms({terms[1 - side]}) - Expr(1));
  }
}

Search::Search(const Knowledge &knowledge, FactBase &base) : ranks(knowledge.ranks), base(base) {
  for (const Model &m : knowledge.models)
    models.push_back(&m);
}

Knowledge::Knowledge(const Facts &facts) {
  int rank = 0;
  for (const auto &r : facts.ranges)
    ranks.set(r.name, ++rank);
  for (const auto &[a, b] : facts.equalities)
    solve(a, b);
  for (const auto &r : facts.ranges) {
    pending.push_back(r.hi - r.lo - Expr(1));
    pending.push_back(Expr::name(r.name) - r.lo);
    pending.push_back(r.hi - Expr(1) - Expr::name(r.name));
  }
  pending.insert(pending.end(), facts.known.begin(), facts.known.end());
  for (Expr &e : pending) {
    e = apply(e);
    base.add(e);
  }
  derivePositiveFactors();
  derivePositiveProducts();
  derivePositiveFactors();
  std::vector<SampleRange> sampled;
  for (const auto &r : facts.ranges)
    if (!solved.contains(r.name))
      sampled.push_back({r.name, apply(r.lo), apply(r.hi)});
  models = sampleModels(sampled, base.facts);
  Search search(*this, base);
  for (const Expr &e : pending)
    if (!e.poisoned() && e.node().depth > 0) {
      Expr simple = search.simplify(e);
      base.add(simple);
      search.settle(simple);
    }
  derivePositiveFactors();
}

} // namespace moac::shape
