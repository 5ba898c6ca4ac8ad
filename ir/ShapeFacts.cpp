// The public face of the prover: collects facts, prepares them once for each set, and asks the
// search.
#include "ir/ShapeBounds.h"

#include <algorithm>

namespace moac::shape {

void Facts::range(const std::string &name, const Expr &lo, const Expr &hi) {
  ranges.push_back({name, lo, hi});
  prepared.reset();
}

void Facts::nonNegative(const Expr &e) {
  known.push_back(e);
  prepared.reset();
}

void Facts::equal(const Expr &a, const Expr &b) {
  equalities.emplace_back(a, b);
  prepared.reset();
}

void Facts::each(const std::function<void(const Expr &)> &visit) const {
  for (const Range &r : ranges) {
    visit(Expr::name(r.name) - r.lo);
    visit(r.hi - Expr(1) - Expr::name(r.name));
  }
  for (const Expr &e : known)
    visit(e);
  for (const auto &[a, b] : equalities) {
    visit(a - b);
    visit(b - a);
  }
}

bool Facts::contradictory() const {
  auto fails = [](const Expr &e) { return e.constant().value_or(0) < 0; };
  return std::any_of(known.begin(), known.end(), fails) ||
         std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range &r) { return fails(r.hi - r.lo - Expr(1)); }) ||
         std::any_of(equalities.begin(), equalities.end(), [](const auto &sides) {
           return (sides.first - sides.second).constant().value_or(0) != 0;
         });
}

const Knowledge &Facts::knowledge() const {
  if (!prepared)
    prepared = std::make_shared<const Knowledge>(*this);
  return *prepared;
}

bool Facts::proveNonNegative(const Expr &e) const {
  if (e.poisoned())
    return false;
  if (std::optional<int64_t> c = e.constant())
    return *c >= 0;
  const Knowledge &k = knowledge();
  FactBase learnt(&k.base);
  Search search(k, learnt);
  Expr applied = k.apply(e);
  return search.attempt(applied, 150) || search.nonNegative(search.simplify(applied));
}

bool Facts::proveEqual(const Expr &a, const Expr &b) const {
  if (a == b)
    return !a.poisoned();
  const Knowledge &k = knowledge();
  FactBase learnt(&k.base);
  Search search(k, learnt);
  Expr difference = search.simplify(k.apply(a - b));
  if (difference.poisoned())
    return false;
  if (std::optional<int64_t> c = difference.constant())
    return *c == 0;
  Expr expanded = search.simplify(expandMods(difference));
  if (expanded == Expr())
    return true;
  return search.nonNegative(difference) && search.nonNegative(-difference);
}

Expr Facts::simplify(const Expr &e) const {
  if (e.poisoned() || e.node().depth == 0)
    return e;
  const Knowledge &k = knowledge();
  Expr best = e;
  // With equalities applied there may be more to see, but not always less to write.
  for (const Expr &start : {e, k.apply(e)}) {
    FactBase learnt(&k.base);
    Search search(k, learnt);
    Expr simple = k.reveal(search.simplify(start));
    if (!simple.poisoned() && simple.node().weight < best.node().weight)
      best = simple;
  }
  return best;
}

std::optional<std::map<std::string, int64_t>> Facts::counterexample(const Expr &e) const {
  const Knowledge &k = knowledge();
  std::set<std::string> names = e.names();
  for (const Range &r : ranges) {
    names.merge(r.lo.names()), names.merge(r.hi.names());
    names.insert(r.name);
  }
  for (const Expr &fact : known)
    names.merge(fact.names());
  for (const auto &[a, b] : equalities)
    names.merge((a - b).names());
  for (const Model &model : k.models) {
    std::map<std::string, int64_t> at;
    for (const std::string &name : names)
      if (std::optional<int64_t> v = valueAt(k.apply(Expr::name(name)), model))
        at[name] = *v;
    if (e.evaluate(at).value_or(0) < 0 && holdAt(at))
      return at;
  }
  return std::nullopt;
}

bool Facts::holdAt(const std::map<std::string, int64_t> &at) const {
  auto atLeast = [&](const Expr &x) { return x.evaluate(at).value_or(-1) >= 0; };
  for (const Range &r : ranges)
    if (!atLeast(Expr::name(r.name) - r.lo) || !atLeast(r.hi - Expr::name(r.name) - Expr(1)))
      return false;
  for (const auto &[a, b] : equalities)
    if (!a.evaluate(at) || a.evaluate(at) != b.evaluate(at))
      return false;
  return std::all_of(known.begin(), known.end(), atLeast);
}

/// The ranges with equalities applied, without the names that an equality replaced.
std::vector<Facts::Range> Facts::boundRanges() const {
  const Knowledge &k = knowledge();
  std::vector<Range> out;
  for (const Range &r : ranges)
    if (k.apply(Expr::name(r.name)).mentions(r.name))
      out.push_back({r.name, k.apply(r.lo), k.apply(r.hi)});
  return out;
}

/// What is known of symbols alone.
Facts Facts::symbolFacts() const {
  auto free = [&](const Expr &e) {
    for (const Range &r : ranges)
      if (e.mentions(r.name))
        return false;
    return true;
  };
  Facts out;
  for (const Range &r : ranges)
    if (free(r.lo) && free(r.hi))
      out.nonNegative(r.hi - r.lo - Expr(1));
  for (const Expr &e : known)
    if (free(e))
      out.nonNegative(e);
  for (const auto &[a, b] : equalities)
    if (free(a) && free(b))
      out.equal(a, b);
  return out;
}

/// Whether the point (a value over symbols for each ranged name) satisfies every fact, where each
/// fact and `e` are defined: no divisor may be 0 there.
bool Facts::contains(const std::map<std::string, Expr> &point, const Expr &e) const {
  const Knowledge &k = knowledge();
  Facts symbols = symbolFacts();
  // Facts are checked as they were given: with equalities applied they would confirm themselves.
  std::map<std::string, Expr> whole;
  for (const Range &r : ranges)
    whole[r.name] = k.reveal(k.apply(Expr::name(r.name)).substitute(point));
  auto at = [&](const Expr &x) { return x.substitute(whole); };
  auto defined = [&](const Expr &x) {
    for (AtomRef atom : atomsOf(x)) {
      if (atom->kind != AtomKind::FloorDiv && atom->kind != AtomKind::Mod)
        continue;
      Expr divisor = at(atom->args[1]);
      if (!symbols.provePositive(divisor) && !symbols.provePositive(-divisor))
        return false;
    }
    return true;
  };
  if (!defined(e))
    return false;
  for (const Range &r : ranges) {
    Expr value = at(Expr::name(r.name));
    if (!defined(r.lo) || !defined(r.hi) || !symbols.proveNonNegative(value - at(r.lo)) ||
        !symbols.proveLess(value, at(r.hi)))
      return false;
  }
  for (const Expr &fact : known)
    if (!defined(fact) || !symbols.proveNonNegative(at(fact)))
      return false;
  for (const auto &[a, b] : equalities)
    if (!defined(a) || !defined(b) || !symbols.proveEqual(at(a), at(b)))
      return false;
  return true;
}

std::optional<Expr> Facts::attained(const Expr &e, bool upper) const {
  if (e.poisoned())
    return std::nullopt;
  const Knowledge &k = knowledge();
  FactBase learnt(&k.base);
  Search search(k, learnt);
  Bounds bounds(search, boundRanges());
  for (bool idleHigh : {false, true}) {
    std::map<std::string, Expr> point;
    std::optional<Expr> value = bounds.extreme(search.simplify(k.apply(e)), upper, idleHigh, point);
    if (!value || value->poisoned())
      return std::nullopt;
    Expr shown = k.reveal(*value);
    bool free = true;
    for (const Range &r : ranges)
      free = free && !shown.mentions(r.name);
    bool bounding = free && proveNonNegative(upper ? shown - e : e - shown);
    if (bounding && contains(point, e))
      return shown;
  }
  return std::nullopt;
}

std::optional<Expr> Facts::attainedMax(const Expr &e) const { return attained(e, true); }
std::optional<Expr> Facts::attainedMin(const Expr &e) const { return attained(e, false); }

std::optional<Expr> Facts::bounded(const Expr &e, const std::set<std::string> &eliminate,
                                   bool upper) const {
  if (e.poisoned())
    return std::nullopt;
  const Knowledge &k = knowledge();
  FactBase learnt(&k.base);
  Search search(k, learnt);
  Bounds bounds(search, boundRanges());
  std::optional<Expr> value = bounds.eliminate(k.apply(e), eliminate, upper);
  if (!value)
    return std::nullopt;
  Expr shown = k.reveal(*value);
  for (const std::string &name : eliminate)
    if (shown.mentions(name))
      return std::nullopt;
  return shown;
}

std::optional<Expr> Facts::upperBound(const Expr &e, const std::set<std::string> &eliminate) const {
  return bounded(e, eliminate, true);
}

std::optional<Expr> Facts::lowerBound(const Expr &e, const std::set<std::string> &eliminate) const {
  return bounded(e, eliminate, false);
}

} // namespace moac::shape
