// Walks over Exprs: names, substitution, evaluation.
//
// Substitution rebuilds through the simplifying constructors, so its result is canonical again; an
// expression that mentions nothing of interest is returned as it is, found by the name mask.
#include "ir/ShapeNode.h"

namespace moac::shape {

namespace {

using Wide = __int128;

void collectNames(const Expr &e, std::set<std::string> &out) {
  for (const Term &t : e.node().terms)
    for (AtomRef f : t.factors) {
      if (f->kind == AtomKind::Name)
        out.insert(f->name);
      for (const Expr &a : f->args)
        collectNames(a, out);
    }
}

bool mentionsName(const Expr &e, const std::string &name, uint64_t bit) {
  if (!(e.node().mask & bit))
    return false;
  for (const Term &t : e.node().terms)
    for (AtomRef f : t.factors) {
      if (f->kind == AtomKind::Name && f->name == name)
        return true;
      for (const Expr &a : f->args)
        if (mentionsName(a, name, bit))
          return true;
    }
  return false;
}

void collectAtoms(const Expr &e, std::set<AtomRef> &visited, std::vector<AtomRef> &out) {
  for (const Term &t : e.node().terms)
    for (AtomRef f : t.factors) {
      if (!visited.insert(f).second)
        continue;
      for (const Expr &a : f->args)
        collectAtoms(a, visited, out);
      out.push_back(f);
    }
}

using AtomMap = std::function<std::optional<Expr>(AtomRef)>;

/// Replaces every top-level atom for which `map` gives a value.
Expr mapAtoms(const Expr &e, const AtomMap &map) {
  std::vector<Term> kept;
  Expr sum;
  for (const Term &t : e.node().terms) {
    Term rest{t.coefficient, {}};
    Expr product(1);
    bool changed = false;
    for (AtomRef f : t.factors) {
      std::optional<Expr> value = map(f);
      if (!value)
        rest.factors.push_back(f);
      else
        product = product * *value, changed = true;
    }
    if (changed)
      sum = sum + product * fromTerms({std::move(rest)});
    else
      kept.push_back(t);
  }
  return kept.size() == e.node().terms.size() ? e : sum + fromTerms(std::move(kept));
}

Expr substituteIn(const Expr &e, const std::map<std::string, Expr> &values, uint64_t mask) {
  if (!(e.node().mask & mask))
    return e;
  return mapAtoms(e, [&](AtomRef f) -> std::optional<Expr> {
    if (!(f->mask & mask))
      return std::nullopt;
    if (f->kind == AtomKind::Name) {
      auto it = values.find(f->name);
      return it == values.end() ? std::nullopt : std::optional<Expr>(it->second);
    }
    std::vector<Expr> args;
    bool changed = false;
    for (const Expr &a : f->args) {
      args.push_back(substituteIn(a, values, mask));
      changed = changed || !(args.back() == a);
    }
    return changed ? std::optional<Expr>(rebuild(f->kind, args)) : std::nullopt;
  });
}

std::optional<Wide> evaluateWide(const Expr &e, const std::map<std::string, int64_t> &values);

std::optional<Wide> evaluateAtom(const Atom &atom, const std::map<std::string, int64_t> &values) {
  if (atom.kind == AtomKind::Name) {
    auto it = values.find(atom.name);
    return it == values.end() ? std::nullopt : std::optional<Wide>(it->second);
  }
  std::optional<Wide> result;
  for (const Expr &arg : atom.args) {
    std::optional<Wide> v = evaluateWide(arg, values);
    if (!v)
      return std::nullopt;
    if (!result) {
      result = v;
    } else if (atom.kind == AtomKind::Min || atom.kind == AtomKind::Max) {
      if ((*v < *result) == (atom.kind == AtomKind::Min))
        result = v;
    } else {
      if (*v == 0)
        return std::nullopt;
      Wide q = *result / *v, r = *result % *v;
      bool inexact = r != 0 && (r < 0) != (*v < 0);
      result = atom.kind == AtomKind::FloorDiv ? q - inexact : r + (inexact ? *v : 0);
    }
  }
  return result;
}

std::optional<Wide> evaluateWide(const Expr &e, const std::map<std::string, int64_t> &values) {
  Wide sum = 0;
  for (const Term &t : e.node().terms) {
    Wide product = t.coefficient;
    for (AtomRef f : t.factors) {
      std::optional<Wide> v = evaluateAtom(*f, values);
      if (!v || __builtin_mul_overflow(product, *v, &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

} // namespace

std::set<std::string> Expr::names() const {
  std::set<std::string> out;
  collectNames(*this, out);
  return out;
}

bool Expr::mentions(const std::string &name) const {
  return mentionsName(*this, name, nameBit(name));
}

Expr Expr::substitute(const std::map<std::string, Expr> &values) const {
  uint64_t mask = 0;
  for (const auto &[name, value] : values)
    mask |= nameBit(name);
  return substituteIn(*this, values, mask);
}

std::optional<int64_t> Expr::evaluate(const std::map<std::string, int64_t> &values) const {
  if (poisoned())
    return std::nullopt;
  std::optional<Wide> v = evaluateWide(*this, values);
  if (!v || *v < INT64_MIN || *v > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(*v);
}

Expr rewrite(const Expr &e, const Replace &replace) {
  return mapAtoms(e, [&](AtomRef f) -> std::optional<Expr> {
    if (f->kind == AtomKind::Name)
      return replace(*f);
    std::vector<Expr> args;
    bool changed = false;
    for (const Expr &a : f->args) {
      args.push_back(rewrite(a, replace));
      changed = changed || !(args.back() == a);
    }
    if (!changed)
      return replace(*f);
    Expr built = rebuild(f->kind, args);
    if (AtomRef atom = asAtom(built); atom && atom->kind != AtomKind::Name)
      if (std::optional<Expr> value = replace(*atom))
        return value;
    return built;
  });
}

std::vector<AtomRef> atomsOf(const Expr &e) {
  std::set<AtomRef> visited;
  std::vector<AtomRef> out;
  collectAtoms(e, visited, out);
  return out;
}

} // namespace moac::shape
