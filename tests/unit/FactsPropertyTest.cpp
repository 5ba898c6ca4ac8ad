// Soundness of the prover: random scopes, random claims; whatever is proved must hold at every
// point of a domain much larger than the one the claim was fitted to. Bounds are checked the same
// way, attained ones for exactness.
#include "tests/unit/ExprTrees.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace moac::shape;
using moac::testing::build;
using moac::testing::randomTree;
using moac::testing::Values;

namespace {

struct Ranged {
  std::string name;
  Expr lo, hi;
};

/// A scope in a form that can be both handed to Facts and enumerated.
struct Scope {
  std::vector<std::string> symbols;
  std::vector<Ranged> ranges;
  std::vector<Expr> known;
  std::vector<std::pair<Expr, Expr>> equal;

  Facts facts() const {
    Facts f;
    for (const Expr &e : known)
      f.nonNegative(e);
    for (const Ranged &r : ranges)
      f.range(r.name, r.lo, r.hi);
    for (const auto &[a, b] : equal)
      f.equal(a, b);
    return f;
  }

  bool holdsAt(const Values &at) const {
    for (const Expr &e : known)
      if (e.evaluate(at).value_or(-1) < 0)
        return false;
    for (const auto &[a, b] : equal)
      if (!a.evaluate(at) || a.evaluate(at) != b.evaluate(at))
        return false;
    return true;
  }

  static constexpr int64_t longest = 16;
  mutable bool cut = false; // a range was longer: not every point was visited

  /// Calls visit at every point with symbols in [lo, hi].
  template <typename Visit> void points(int64_t lo, int64_t hi, Visit visit) const {
    Values at;
    symbol(0, lo, hi, at, visit);
  }

  std::string text() const {
    std::string out;
    for (const Ranged &r : ranges)
      out += r.name + " in " + r.lo.str() + " .. " + r.hi.str() + "; ";
    for (const Expr &e : known)
      out += e.str() + " >= 0; ";
    for (const auto &[a, b] : equal)
      out += a.str() + " == " + b.str() + "; ";
    return out;
  }

private:
  template <typename Visit>
  void symbol(size_t k, int64_t lo, int64_t hi, Values &at, Visit visit) const {
    if (k == symbols.size())
      return range(0, at, visit);
    for (int64_t v = lo; v <= hi; ++v) {
      at[symbols[k]] = v;
      symbol(k + 1, lo, hi, at, visit);
    }
  }
  template <typename Visit> void range(size_t k, Values &at, Visit visit) const {
    if (k == ranges.size()) {
      if (holdsAt(at))
        visit(at);
      return;
    }
    std::optional<int64_t> lo = ranges[k].lo.evaluate(at), hi = ranges[k].hi.evaluate(at);
    for (int64_t v = lo.value_or(0); lo && hi && v < *hi; ++v) {
      if (v == *lo + longest) {
        cut = true;
        break;
      }
      at[ranges[k].name] = v;
      range(k + 1, at, visit);
    }
    at.erase(ranges[k].name);
  }
};

class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  int pick(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

  Expr tree(const std::vector<std::string> &names, int depth) {
    return build(randomTree(random, names, depth));
  }

  Scope scope() {
    Scope s;
    s.symbols = {"N", "M"};
    if (pick(2))
      s.symbols.push_back("s");
    std::vector<std::string> names = s.symbols;
    for (const std::string &n : s.symbols)
      if (pick(4))
        s.known.push_back(Expr::name(n) - Expr(pick(3)));
    for (const char *name : {"i", "j"}) {
      Expr lo = pick(3) ? Expr(0) : tree(names, 1), hi = pick(2) ? tree(names, 2) : tree(names, 0);
      s.ranges.push_back({name, lo, hi});
      names.push_back(name);
    }
    for (int k = pick(3); k > 0; --k)
      s.known.push_back(tree(names, 2));
    if (pick(3) == 0)
      s.equal.emplace_back(mod(tree(s.symbols, 0), pick(2) ? Expr(2) : tree(s.symbols, 0)),
                           Expr(0));
    if (pick(4) == 0)
      s.equal.emplace_back(tree(names, 0), tree(names, 1));
    return s;
  }

  /// Something a kernel might subscript with, or any tree.
  Expr claim(const Scope &s) {
    std::vector<std::string> names = s.symbols;
    for (const Ranged &r : s.ranges)
      names.insert(names.end(), {r.name, r.name});
    return tree(names, 1 + pick(3));
  }

private:
  std::mt19937 random;
};

bool usable(const Scope &s) {
  for (const Ranged &r : s.ranges)
    if (r.lo.poisoned() || r.hi.poisoned())
      return false;
  return true;
}

std::string show(const Values &at) {
  std::string out;
  for (const auto &[name, value] : at)
    out += name + "=" + std::to_string(value) + " ";
  return out;
}

TEST(FactsProperty, NothingFalseIsProved) {
  const unsigned seed = moac::testing::seed();
  SCOPED_TRACE("MOAC_SEED=" + std::to_string(seed));
  Generator random(seed);
  int proofs = 0;
  for (int round = 0; round < 300; ++round) {
    Scope scope = random.scope();
    if (!usable(scope))
      continue;
    Facts facts = scope.facts();
    for (int k = 0; k < 6; ++k) {
      Expr e = random.claim(scope);
      std::optional<int64_t> least; // over a small domain, so that the claim is tight
      scope.points(-1, 3, [&](const Values &at) {
        if (std::optional<int64_t> v = e.evaluate(at); v && (!least || *v < *least))
          least = v;
      });
      if (!least)
        continue;
      Expr claim = e - Expr(*least);
      if (!facts.proveNonNegative(claim))
        continue;
      ++proofs;
      scope.points(-3, 6, [&](const Values &at) {
        std::optional<int64_t> v = claim.evaluate(at);
        ASSERT_TRUE(!v || *v >= 0) << scope.text() << " => " << claim.str() << " at " << show(at);
      });
      if (HasFatalFailure())
        return;
    }
  }
  EXPECT_GT(proofs, 150);
}

TEST(FactsProperty, BoundsHoldAndAttainedOnesAreReached) {
  const unsigned seed = moac::testing::seed() + 1;
  SCOPED_TRACE("MOAC_SEED=" + std::to_string(seed - 1));
  Generator random(seed);
  int bounds = 0, attained = 0;
  for (int round = 0; round < 250; ++round) {
    Scope scope = random.scope();
    if (!usable(scope))
      continue;
    Facts facts = scope.facts();
    Expr e = random.claim(scope);
    std::optional<Expr> top = facts.attainedMax(e), bottom = facts.attainedMin(e);
    std::optional<Expr> upper = facts.upperBound(e, {"i", "j"}), lower = facts.lowerBound(e, {"j"});
    std::map<Values, std::pair<int64_t, int64_t>> extremes; // by symbols
    auto check = [&](const Values &at) {
      std::optional<int64_t> v = e.evaluate(at);
      if (!v)
        return;
      Values symbols = at;
      symbols.erase("i"), symbols.erase("j");
      auto [it, isNew] = extremes.try_emplace(symbols, *v, *v);
      it->second = {std::min(it->second.first, *v), std::max(it->second.second, *v)};
      if (std::optional<int64_t> b = upper ? upper->evaluate(at) : std::nullopt)
        ASSERT_LE(*v, *b) << scope.text() << e.str() << " <= " << upper->str() << " at "
                          << show(at);
      if (std::optional<int64_t> b = lower ? lower->evaluate(at) : std::nullopt)
        ASSERT_GE(*v, *b) << scope.text() << e.str() << " >= " << lower->str() << " at "
                          << show(at);
    };
    if (upper || lower || top || bottom)
      scope.points(-2, 5, check);
    if (HasFatalFailure())
      return;
    bounds += upper.has_value() + lower.has_value();
    attained += top.has_value() + bottom.has_value();
    for (const auto &[symbols, range] : extremes) {
      if (scope.cut)
        break;
      if (std::optional<int64_t> v = top ? top->evaluate(symbols) : std::nullopt)
        ASSERT_EQ(*v, range.second)
            << scope.text() << e.str() << " max " << top->str() << show(symbols);
      if (std::optional<int64_t> v = bottom ? bottom->evaluate(symbols) : std::nullopt)
        ASSERT_EQ(*v, range.first)
            << scope.text() << e.str() << " min " << bottom->str() << show(symbols);
    }
  }
  EXPECT_GT(bounds, 100);
  EXPECT_GT(attained, 25);
}

} // namespace
