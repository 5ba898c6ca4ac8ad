// Storage of known inequalities, and the small helpers on polynomials that proving needs.
#include "ir/ShapeProver.h"

#include <algorithm>
#include <numeric>

namespace moac::shape {

namespace {

constexpr size_t maxFacts = 400;

/// A term of `e` that is ±(min or max) and splits "e >= 0" into a conjunction, or null: e = r +
/// c*min(..) with c > 0 or e = r + c*max(..) with c < 0.
const Term *splittable(const Expr &e) {
  for (const Term &t : e.node().terms)
    if (t.factors.size() == 1) {
      AtomKind kind = t.factors[0]->kind;
      if ((kind == AtomKind::Min && t.coefficient > 0) ||
          (kind == AtomKind::Max && t.coefficient < 0))
        return &t;
    }
  return nullptr;
}

} // namespace

Expr tighten(const Expr &e) {
  int64_t g = 0;
  for (const Term &t : e.node().terms)
    if (!t.factors.empty())
      g = std::gcd(g, t.coefficient);
  if (g <= 1)
    return e;
  std::vector<Term> terms = e.node().terms;
  for (Term &t : terms)
    t.coefficient = floorDivide(t.coefficient, g);
  return fromTerms(std::move(terms));
}

void FactBase::add(const Expr &e) {
  if (e.poisoned() || facts.size() >= maxFacts)
    return;
  const Term *t = splittable(e);
  if (!t) {
    addOne(tighten(e));
    return;
  }
  Expr rest = e - fromTerms({*t});
  for (const Expr &arg : t->factors[0]->args)
    add(rest + Expr(t->coefficient) * arg);
}

void FactBase::addOne(const Expr &e) {
  if (e.constant() || e.poisoned())
    return;
  int64_t c = constantTerm(e);
  Expr head = e - Expr(c);
  if (std::optional<int64_t> known = lower(head); known && *known >= -c)
    return;
  auto [it, isNew] = byHead.try_emplace(head, facts.size());
  if (isNew)
    facts.push_back(e);
  else
    facts[it->second] = e;
}

std::optional<int64_t> FactBase::lower(const Expr &head) const {
  std::optional<int64_t> best;
  for (const FactBase *b = this; b; b = b->parent)
    if (auto it = b->byHead.find(head); it != b->byHead.end()) {
      int64_t bound = -constantTerm(b->facts[it->second]);
      best = best ? std::max(*best, bound) : bound;
    }
  return best;
}

bool FactBase::meet(AtomRef atom) {
  for (const FactBase *b = this; b; b = b->parent)
    if (b->met.contains(atom))
      return false;
  return met.insert(atom).second;
}

void Ranks::set(const std::string &name, int rank) {
  of[name] = rank;
  mask |= nameBit(name);
}

int Ranks::rank(const Atom &atom) const {
  if (!(atom.mask & mask))
    return 0;
  if (atom.kind == AtomKind::Name) {
    auto it = of.find(atom.name);
    return it == of.end() ? 0 : it->second;
  }
  int highest = 0;
  for (const Expr &a : atom.args)
    highest = std::max(highest, rank(a));
  return highest;
}

int Ranks::rank(const Expr &e) const {
  int highest = 0;
  if (e.node().mask & mask)
    for (const Term &t : e.node().terms)
      for (AtomRef f : t.factors)
        highest = std::max(highest, rank(*f));
  return highest;
}

std::vector<AtomRef> variables(const Expr &e, const Ranks &ranks) {
  struct Entry {
    AtomRef atom;
    int rank;
  };
  std::vector<Entry> found;
  for (const Term &t : e.node().terms)
    for (AtomRef f : t.factors) {
      bool known =
          std::any_of(found.begin(), found.end(), [&](const Entry &o) { return o.atom == f; });
      if (!known)
        found.push_back({f, ranks.rank(*f)});
    }
  std::sort(found.begin(), found.end(), [](const Entry &a, const Entry &b) {
    if (a.rank != b.rank)
      return a.rank > b.rank;
    return a.atom->depth != b.atom->depth ? a.atom->depth > b.atom->depth
                                          : compare(*a.atom, *b.atom) < 0;
  });
  std::vector<AtomRef> out;
  for (Entry &entry : found)
    out.push_back(entry.atom);
  return out;
}

bool holds(const Expr &e, const Atom &v) {
  if ((e.node().mask & v.mask) != v.mask)
    return false;
  const auto &terms = e.node().terms;
  return std::any_of(terms.begin(), terms.end(),
                     [&](const Term &t) { return t.factors.contains(v); });
}

Expr cofactor(const Expr &e, const Atom &v) {
  std::vector<Term> terms;
  for (const Term &t : e.node().terms) {
    const AtomRef *at = std::find(t.factors.begin(), t.factors.end(), &v);
    if (at == t.factors.end())
      continue;
    terms.push_back(t);
    terms.back().factors.erase(static_cast<size_t>(at - t.factors.begin()));
  }
  return fromTerms(std::move(terms));
}

Expr expandMods(const Expr &e) {
  return rewrite(e, [](const Atom &a) -> std::optional<Expr> {
    if (a.kind != AtomKind::Mod)
      return std::nullopt;
    return a.args[0] - a.args[1] * floordiv(a.args[0], a.args[1]);
  });
}

} // namespace moac::shape
