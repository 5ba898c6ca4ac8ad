// Facts as an integer polyhedron; see Presburger.h. Constraints are collected first over variables numbered as they are met, so that
// the polyhedron is made once, with its final number of columns.
#include "ir/Presburger.h"
#include "ir/ShapeNode.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"

using namespace mlir;

namespace moac::shape {
namespace {
constexpr unsigned mostVariables = 14, mostConstraints = 60;
constexpr int64_t largestCoefficient = int64_t(1) << 31;

/// constant + Σ coefficient * variable, by variable number.
struct Linear {
  std::map<unsigned, int64_t> coefficients;
  int64_t constant = 0;
};

class Polyhedron {
public:
  /// Adds e >= 0.
  void nonNegative(const Expr &e) {
    if (!e.poisoned())
      constraints.push_back(linear(e));
  }

  bool empty() const {
    if (tooLarge || variables.size() > mostVariables || constraints.size() > mostConstraints)
      return false;
    auto space = presburger::PresburgerSpace::getSetSpace(variables.size());
    presburger::IntegerPolyhedron set(space);
    for (const Linear &one : constraints) {
      SmallVector<int64_t> row(variables.size() + 1, 0);
      for (auto [variable, coefficient] : one.coefficients)
        row[variable] = coefficient;
      row.back() = one.constant;
      set.addInequality(row);
    }
    return set.isEmpty() || set.isIntegerEmpty();
  }

private:
  unsigned variable(const std::string &name) {
    return variables.try_emplace(name, static_cast<unsigned>(variables.size())).first->second;
  }

  Linear linear(const Expr &e) {
    Linear out;
    for (const Term &term : e.node().terms) {
      tooLarge = tooLarge || term.coefficient >= largestCoefficient || term.coefficient <= -largestCoefficient;
      if (term.factors.empty())
        out.constant += term.coefficient;
      else if (term.factors.size() == 1)
        add(out, *term.factors[0], term.coefficient);
      else
        out.coefficients[variable(fromTerms({{1, term.factors}}).str())] += term.coefficient;
    }
    return out;
  }

  void add(Linear &out, const Atom &atom, int64_t coefficient) {
    std::optional<int64_t> divisor = atom.args.size() == 2 ? atom.args[1].constant() : std::nullopt;
    bool divides = divisor && *divisor > 0 && *divisor < largestCoefficient;
    if (atom.kind == AtomKind::Mod && divides) { // a % m = a - m * (a // m)
      Linear rest = linear(atom.args[0] - atom.args[1] * floordiv(atom.args[0], atom.args[1]));
      for (auto [v, c] : rest.coefficients)
        out.coefficients[v] += coefficient * c;
      out.constant += coefficient * rest.constant;
      return;
    }
    out.coefficients[define(fromAtom(&atom))] += coefficient;
  }

  /// The variable that stands for an atom; what defines it is added the first time.
  unsigned define(const Expr &e) {
    AtomRef atom = asAtom(e);
    std::string name = e.str();
    if (auto known = variables.find(name); known != variables.end())
      return known->second;
    unsigned self = variable(name);
    if (!atom)
      return self;
    auto against = [&](const Expr &other, int64_t sign) { // sign * (other - self)
      Linear row = linear(other);
      for (auto &[v, c] : row.coefficients)
        c *= sign;
      row.constant *= sign;
      row.coefficients[self] -= sign;
      constraints.push_back(std::move(row));
    };
    if (atom->kind == AtomKind::Min || atom->kind == AtomKind::Max)
      for (const Expr &argument : atom->args)
        against(argument, atom->kind == AtomKind::Min ? 1 : -1);
    std::optional<int64_t> divisor = atom->args.size() == 2 ? atom->args[1].constant() : std::nullopt;
    if (atom->kind == AtomKind::FloorDiv && divisor && *divisor > 0 && *divisor < largestCoefficient) {
      Linear low = linear(atom->args[0]), high; // 0 <= a - m*q <= m - 1
      low.coefficients[self] -= *divisor;
      for (auto [v, c] : low.coefficients)
        high.coefficients[v] = -c;
      high.constant = *divisor - 1 - low.constant;
      constraints.push_back(std::move(low));
      constraints.push_back(std::move(high));
    }
    return self;
  }

  std::map<std::string, unsigned> variables;
  std::vector<Linear> constraints;
  bool tooLarge = false;
};
} // namespace

bool polyhedronProvesNonNegative(const Facts &facts, const Expr &e) {
  if (e.poisoned())
    return false;
  Polyhedron points;
  points.nonNegative(Expr(-1) - e);
  facts.each([&](const Expr &fact) { points.nonNegative(fact); });
  return points.empty();
}

bool provesNonNegative(const Facts &facts, const Expr &e) {
  return facts.proveNonNegative(e) || polyhedronProvesNonNegative(facts, e);
}

} // namespace moac::shape
