// Bounds of expressions over ranged names.
//
// Names are eliminated from the innermost outwards: where the expression is monotone in a name, the
// end of the range replaces it; elsewhere an upper bound takes every term on its own. An attained
// bound is trusted only after two checks: it bounds the expression (proved), and the point that
// reaches it lies in the domain (proved from facts about symbols alone).
#include "ir/ShapeBounds.h"

#include <algorithm>

namespace moac::shape {

namespace {

/// Terms of an expression that share the same factors depending on one name.
struct Group {
  Factors varying;
  Expr slope; // free of the name
};

std::vector<Group> groupsBy(const Expr &e, const std::string &name) {
  std::vector<Group> groups;
  for (const Term &t : e.node().terms) {
    Term rest{t.coefficient, {}};
    Factors varying;
    for (AtomRef f : t.factors)
      (fromAtom(f).mentions(name) ? varying : rest.factors).push_back(f);
    auto it = std::find_if(groups.begin(), groups.end(),
                           [&](const Group &g) { return g.varying == varying; });
    if (it == groups.end())
      it = groups.insert(groups.end(), Group{varying, Expr()});
    it->slope = it->slope + fromTerms({std::move(rest)});
  }
  return groups;
}

} // namespace

/// Not only where guards hold: at both ends of the range as well.
bool Bounds::nonNegativeThroughout(const Expr &e, const Range &r) {
  return search.quickly(e) && search.quickly(e.substitute({{r.name, r.lo}})) &&
         search.quickly(e.substitute({{r.name, r.hi - Expr(1)}}));
}

/// How values move with one name: 1 up, -1 down, 0 not at all; nothing when unknown.
std::optional<int> Bounds::direction(const Expr &e, const Range &r) {
  int result = 0;
  for (const Group &g : groupsBy(e, r.name)) {
    if (g.varying.empty())
      continue;
    std::optional<int> slope = search.sign(g.slope);
    if (!slope)
      return std::nullopt;
    int product = 0; // a product moves up if its factors do and none is negative
    for (AtomRef f : g.varying) {
      std::optional<int> d = direction(*f, r);
      bool fits = g.varying.size() == 1 || (d == 1 && nonNegativeThroughout(fromAtom(f), r));
      if (!d || !fits)
        return std::nullopt;
      product = *d;
    }
    product *= *slope;
    if (product != 0 && result == -product)
      return std::nullopt;
    result = product != 0 ? product : result;
  }
  return result;
}

std::optional<int> Bounds::direction(const Atom &atom, const Range &r) {
  switch (atom.kind) {
  case AtomKind::Name:
    return 1;
  case AtomKind::Mod:
    return std::nullopt;
  case AtomKind::FloorDiv: {
    if (atom.args[1].mentions(r.name))
      return std::nullopt;
    std::optional<int> d = direction(atom.args[0], r);
    std::optional<int> s = search.sign(atom.args[1]); // its sign suffices: it is not 0
    return d && s ? std::optional<int>(*d * *s) : std::nullopt;
  }
  default:
    break;
  }
  int result = 0;
  for (const Expr &arg : atom.args) {
    std::optional<int> d = direction(arg, r);
    if (!d || (*d != 0 && result == -*d))
      return std::nullopt;
    result = *d != 0 ? *d : result;
  }
  return result;
}

std::optional<Expr> Bounds::atomBound(const Atom &atom, const Range &r, bool upper) {
  switch (atom.kind) {
  case AtomKind::Name:
    return upper ? r.hi - Expr(1) : r.lo;
  case AtomKind::Mod:
    if (atom.args[1].mentions(r.name) || !search.positive(atom.args[1]))
      return std::nullopt;
    return upper ? atom.args[1] - Expr(1) : Expr();
  case AtomKind::FloorDiv: {
    if (atom.args[1].mentions(r.name) || !search.positive(atom.args[1]))
      return std::nullopt;
    std::optional<Expr> x = bound(atom.args[0], r, upper);
    return x ? std::optional<Expr>(floordiv(*x, atom.args[1])) : std::nullopt;
  }
  default:
    break;
  }
  std::vector<Expr> args;
  for (const Expr &arg : atom.args) {
    std::optional<Expr> b = bound(arg, r, upper);
    if (b)
      args.push_back(*b);
    else if (upper == (atom.kind == AtomKind::Max))
      return std::nullopt; // every argument counts; otherwise any one bounds
  }
  return args.empty() ? std::nullopt : std::optional<Expr>(minMax(atom.kind, args));
}

/// A bound of `e` without the name of `r`.
std::optional<Expr> Bounds::bound(const Expr &e, const Range &r, bool upper) {
  if (!e.mentions(r.name))
    return e;
  if (std::optional<int> d = direction(e, r))
    return e.substitute({{r.name, (*d > 0) == upper ? r.hi - Expr(1) : r.lo}});
  Expr sum;
  for (const Group &g : groupsBy(e, r.name)) {
    if (g.varying.empty()) {
      sum = sum + g.slope;
      continue;
    }
    std::optional<int> s = search.sign(g.slope);
    std::optional<Expr> product = Expr(1);
    for (AtomRef f : g.varying) {
      bool fits = s && (g.varying.size() == 1 || search.quickly(fromAtom(f)));
      std::optional<Expr> b = fits ? atomBound(*f, r, (*s > 0) == upper) : std::nullopt;
      if (b && g.varying.size() > 1 && !search.quickly(*b))
        return std::nullopt;
      if (!b)
        return std::nullopt;
      product = *product * *b;
    }
    sum = sum + g.slope * *product;
  }
  return sum;
}

std::optional<Expr> Bounds::eliminate(Expr e, const std::set<std::string> &names, bool upper) {
  for (size_t k = ranges.size(); k-- > 0;) {
    if (!names.contains(ranges[k].name) || !e.mentions(ranges[k].name))
      continue;
    std::optional<Expr> b = bound(e, ranges[k], upper);
    if (!b || b->poisoned())
      return std::nullopt;
    e = search.simplify(*b);
  }
  for (const std::string &name : names)
    if (e.mentions(name))
      return std::nullopt;
  return e;
}

std::optional<Expr> Bounds::extreme(Expr e, bool upper, bool idleHigh,
                                    std::map<std::string, Expr> &point) {
  std::vector<std::pair<std::string, Expr>> ends;
  for (size_t k = ranges.size(); k-- > 0;) {
    const Range &r = ranges[k];
    std::optional<int> d = direction(e, r);
    if (!d)
      return std::nullopt;
    bool high = *d == 0 ? idleHigh : (*d > 0) == upper;
    ends.emplace_back(r.name, high ? r.hi - Expr(1) : r.lo);
    e = search.simplify(e.substitute({ends.back()}));
  }
  for (size_t k = ends.size(); k-- > 0;) // outermost first: inner ends may mention outer names
    point[ends[k].first] = ends[k].second.substitute(point);
  return e;
}

} // namespace moac::shape
