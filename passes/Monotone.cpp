// Directions of sums, minima and maxima; see Monotone.h.
#include "passes/Monotone.h"

#include "ir/ShapeNode.h"

using namespace moac;

std::optional<int> moac::directionOf(const shape::Expr &e, const std::string &index) {
  if (!e.mentions(index))
    return 0;
  if (e.asName())
    return 1;
  int all = 0;
  auto add = [&](std::optional<int> one) {
    bool fits = one && (all == 0 || *one == 0 || *one == all);
    all = fits && *one != 0 ? *one : all;
    return fits;
  };
  if (shape::AtomRef atom = shape::asAtom(e)) {
    if (atom->kind != shape::AtomKind::Min && atom->kind != shape::AtomKind::Max)
      return std::nullopt;
    for (const shape::Expr &argument : atom->args)
      if (!add(directionOf(argument, index)))
        return std::nullopt;
    return all;
  }
  for (const shape::Term &term : e.node().terms) {
    std::optional<int> one = 0;
    for (const shape::AtomRef &factor : term.factors)
      if (shape::Expr atom = shape::fromAtom(factor); atom.mentions(index))
        one = term.factors.size() == 1 ? directionOf(atom, index) : std::nullopt;
    if (one && term.coefficient < 0)
      one = -*one;
    if (!add(one))
      return std::nullopt;
  }
  return all;
}
