// From the algebra's canonical sums of products to a tree of operations.
#include "emitters/ShapeTree.h"
#include "ir/ShapeNode.h"

namespace moac::tree {
namespace {

using Spelling = std::function<std::string(const std::string &)>;

Op opOf(shape::AtomKind kind) {
  switch (kind) {
  case shape::AtomKind::FloorDiv:
    return Op::floordiv_;
  case shape::AtomKind::Mod:
    return Op::mod_;
  case shape::AtomKind::Min:
    return Op::min_;
  default:
    return Op::max_;
  }
}

Expr atomTree(const shape::Atom &atom, const Spelling &spelling) {
  if (atom.kind == shape::AtomKind::Name)
    return name(spelling(atom.name));
  Expr out = fromShape(atom.args[0], spelling);
  for (size_t i = 1; i < atom.args.size(); ++i)
    out = apply(opOf(atom.kind), {std::move(out), fromShape(atom.args[i], spelling)});
  return out;
}

/// |coefficient| times the factors.
Expr magnitudeTree(const shape::Term &term, const Spelling &spelling) {
  const int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
  std::optional<Expr> out;
  if (size != 1 || term.factors.empty())
    out = integer(size);
  for (const shape::AtomRef &factor : term.factors) {
    Expr next = atomTree(*factor, spelling);
    out = out ? apply(Op::mul_, {std::move(*out), std::move(next)}) : std::move(next);
  }
  return *out;
}

} // namespace

Expr fromShape(const shape::Expr &e, const Spelling &spelling) {
  if (auto value = e.constant())
    return integer(*value);
  std::optional<Expr> sum;
  for (bool negative : {false, true})
    for (const shape::Term &term : e.node().terms) {
      if ((term.coefficient < 0) != negative)
        continue;
      Expr next = magnitudeTree(term, spelling);
      if (!sum)
        sum = negative ? apply(Op::neg_, {std::move(next)}) : std::move(next);
      else
        sum = apply(negative ? Op::sub_ : Op::add_, {std::move(*sum), std::move(next)});
    }
  return sum ? *sum : integer(0);
}

} // namespace moac::tree
