// Canonical minima and maxima.
//
// Nested ones are flattened, arguments that another one dominates by a constant are dropped, and
// what all arguments share is moved out: min(N + 1, M + 3) is min(M + 2, N) + 1. The steps repeat
// until nothing changes, so rebuilding a canonical minimum gives it back.
#include "ir/ShapeNode.h"

#include <algorithm>

namespace moac::shape {

namespace {

constexpr size_t maxArgs = 16;

AtomKind opposite(AtomKind kind) { return kind == AtomKind::Min ? AtomKind::Max : AtomKind::Min; }

/// arg = min(x, y) + rest spreads to x + rest, y + rest (and -max(x, y) + rest to rest - x, rest -
/// y), if it holds exactly one such atom.
std::vector<Expr> spread(AtomKind kind, const Expr &arg) {
  const Term *found = nullptr;
  for (const Term &t : arg.node().terms)
    for (AtomRef f : t.factors)
      if (f->kind == AtomKind::Min || f->kind == AtomKind::Max) {
        if (found || t.factors.size() != 1)
          return {arg};
        found = &t;
      }
  if (!found)
    return {arg};
  const Atom &atom = *found->factors[0];
  bool same = atom.kind == kind && found->coefficient == 1;
  bool mirrored = atom.kind == opposite(kind) && found->coefficient == -1;
  if (!same && !mirrored)
    return {arg};
  Expr rest = arg - fromTerms({*found});
  std::vector<Expr> out;
  for (const Expr &a : atom.args)
    out.push_back(same ? rest + a : rest - a);
  return out;
}

/// Drops each argument that never decides: one that is equal to another or worse by a constant.
void prune(AtomKind kind, std::vector<Expr> &args) {
  std::sort(args.begin(), args.end());
  args.erase(std::unique(args.begin(), args.end()), args.end());
  auto dominated = [&](size_t k) {
    for (size_t j = 0; j < args.size(); ++j) {
      std::optional<int64_t> gap = j == k ? std::nullopt : (args[k] - args[j]).constant();
      if (gap && (*gap > 0) == (kind == AtomKind::Min))
        return true;
    }
    return false;
  };
  std::vector<Expr> kept;
  for (size_t k = 0; k < args.size(); ++k)
    if (!dominated(k))
      kept.push_back(args[k]);
  args = std::move(kept);
}

/// What all arguments have in common: per monomial, if all coefficients have one sign, the
/// smallest.
Expr commonAddend(const std::vector<Expr> &args) {
  std::vector<Term> common;
  for (const Term &t : args[0].node().terms) {
    int64_t c = t.coefficient;
    for (const Expr &a : args) {
      const auto &terms = a.node().terms;
      auto it = std::find_if(terms.begin(), terms.end(),
                             [&](const Term &o) { return o.factors == t.factors; });
      int64_t other = it == terms.end() ? 0 : it->coefficient;
      if (other == 0 || (other < 0) != (c < 0)) {
        c = 0;
        break;
      }
      c = c < 0 ? std::max(c, other) : std::min(c, other);
    }
    if (c != 0)
      common.push_back({c, t.factors});
  }
  return fromTerms(std::move(common));
}

} // namespace

Expr minMax(AtomKind kind, std::vector<Expr> args) {
  Expr outside;
  for (int round = 0; round < 16; ++round) {
    for (const Expr &a : args)
      if (a.poisoned())
        return a;
    prune(kind, args);
    if (args.size() == 1)
      return args[0] + outside;
    Expr common = commonAddend(args);
    outside = outside + common;
    std::vector<Expr> flat;
    for (const Expr &a : args)
      for (Expr &part : spread(kind, a - common))
        flat.push_back(std::move(part));
    bool changed = !(common == Expr()) || flat.size() != args.size();
    if (flat.size() > maxArgs) {
      for (Expr &a : args)
        a = a - common;
      break;
    }
    args = std::move(flat);
    if (!changed)
      break;
  }
  return makeAtom(kind, std::move(args)) + outside;
}

} // namespace moac::shape
