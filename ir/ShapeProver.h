// The engine behind Facts, private to this library.
//
// To prove e >= 0 the search eliminates names from the innermost range outwards: with e = A*v + b,
// A of known sign and a fact c*v + d >= 0 of the right direction, |c|*e - |A|*fact no longer holds
// v and is smaller, so proving it (plus |c| - 1, as values are integers) suffices. Floor divisions
// and moduli take part as names with the facts of their definition, minima and maxima as names or
// by cases. Fuel bounds everything.
#ifndef MOAC_IR_SHAPEPROVER_H
#define MOAC_IR_SHAPEPROVER_H

#include "ir/ShapeModels.h"

#include <unordered_set>

namespace moac::shape {

struct ExprHash {
  size_t operator()(const Expr &e) const { return e.hash(); }
};

/// e >= 0 iff the result >= 0: the names' coefficients made coprime, the constant floored.
Expr tighten(const Expr &e);

/// Facts "e >= 0", at most one for each non-constant part, on top of those of an enclosing base.
class FactBase {
public:
  explicit FactBase(const FactBase *parent = nullptr) : parent(parent) {}
  /// Splits minima and maxima where that gives conjunctions; drops what is constant or weaker.
  void add(const Expr &e);
  /// The largest known constant L with head >= L; `head` has no constant term.
  std::optional<int64_t> lower(const Expr &head) const;
  /// A new atom is recorded once: true the first time.
  bool meet(AtomRef atom);
  template <typename Visit> void each(Visit visit) const {
    for (const FactBase *b = this; b; b = b->parent)
      for (size_t k = 0; k < b->facts.size(); ++k)
        visit(b->facts[k]);
  }
  std::vector<Expr> facts;

private:
  void addOne(const Expr &e);
  const FactBase *parent;
  std::unordered_map<Expr, size_t, ExprHash> byHead;
  std::unordered_set<AtomRef> met;
};

/// Position of each ranged name, 1 for the outermost; everything else has rank 0.
struct Ranks {
  std::unordered_map<std::string, int> of;
  uint64_t mask = 0;
  void set(const std::string &name, int rank);
  int rank(const Expr &e) const;
  int rank(const Atom &atom) const;
};

class Knowledge;

/// One query's search. What it learns of atoms goes into `base`.
class Search {
public:
  /// `models` are points at which all facts hold.
  Search(const Ranks &ranks, FactBase &base, std::vector<const Model *> models)
      : ranks(ranks), base(base), models(std::move(models)) {}
  Search(const Knowledge &knowledge, FactBase &base);

  /// Straightforward elimination with little fuel.
  bool attempt(const Expr &e, int fuelLimit) { return attempt(e, fuelLimit, false, 0); }
  /// Tries the strategies from cheap to dear.
  bool nonNegative(const Expr &e);
  /// A short attempt, for side conditions.
  bool quickly(const Expr &e);
  bool positive(const Expr &e) { return quickly(e - Expr(1)); }
  /// 1 for e >= 0, -1 for e <= 0 (0 is told as 1), nothing if neither is proved.
  std::optional<int> sign(const Expr &e);
  /// Resolves atoms by what is known: x // m for x in [0, m), min(a, b) for a <= b, N*s // s for s
  /// != 0.
  Expr simplify(const Expr &e);
  /// Adds the defining inequalities of every atom in `e`.
  void learn(const Expr &e);
  /// The same outside a proof, with fuel of its own.
  void settle(const Expr &e);

private:
  struct Candidate {
    Expr goal;
    size_t size;
  };
  bool prove(const Expr &goal, int depth);
  bool attempt(const Expr &e, int fuelLimit, bool wideSearch, int splitLimit, int depth = 14);
  bool evident(const Expr &e) const;
  std::optional<int64_t> termBound(const Term &t) const;
  bool byFactor(const Expr &e, int depth);
  bool byElimination(const Expr &e, int depth);
  bool eliminate(const Expr &e, AtomRef v, int depth);
  std::optional<bool> byCases(const Expr &e, int depth);
  bool reaches(const Expr &fact, const Atom &v) const;
  bool byVertices(const Expr &e, AtomRef v, const Expr &slope, int depth);
  std::optional<Expr> combine(const Expr &e, const Expr &slope, const Expr &fact, AtomRef v,
                              int direction, int depth);
  std::optional<int> signWithin(const Expr &e, int depth);
  void learnAtom(AtomRef atom);
  std::optional<Expr> simplifyAtom(const Atom &atom);
  std::optional<Expr> simplifyDivision(const Atom &atom);
  std::optional<Expr> simplifyMinMax(const Atom &atom);

  bool refuted(const Expr &e) const;

  const Ranks &ranks;
  FactBase &base;
  std::vector<const Model *> models;
  std::unordered_map<Expr, int, ExprHash> memo; // depth at which it failed; `proved` when it holds
  int fuel = 0, splits = 0, shortAttempts = 300;
  bool wide = false;
};

/// Top-level atoms of `e`, innermost first.
std::vector<AtomRef> variables(const Expr &e, const Ranks &ranks);
/// The cofactor of `v` in the terms that hold it (which may hold it again); 0 if none does.
Expr cofactor(const Expr &e, const Atom &v);
bool holds(const Expr &e, const Atom &v);
/// x % m as x - m*(x // m), everywhere.
Expr expandMods(const Expr &e);

/// All facts of a scope, normalised once: equalities solved, inequalities ready for the search.
class Knowledge {
public:
  explicit Knowledge(const Facts &facts);
  /// The expression with equalities applied; fresh names may stand for quotients.
  Expr apply(const Expr &e) const;
  /// Fresh names replaced by what they stand for.
  Expr reveal(const Expr &e) const { return fresh.empty() ? e : e.substitute(fresh); }

  Ranks ranks;
  FactBase base;
  std::vector<Model> models;

private:
  void solve(const Expr &a, const Expr &b);
  bool solveDivisibility(const Expr &difference);
  bool solveName(const Expr &difference);
  bool solveAtom(const Expr &difference);
  void bind(const std::string &name, const Expr &value);
  void derivePositiveFactors();
  void derivePositiveProducts();

  std::map<std::string, Expr> solved, fresh;
  std::vector<std::pair<Expr, Expr>> atomRules;
  std::vector<Expr> pending; // inequalities, before equalities are applied
};

} // namespace moac::shape

#endif
