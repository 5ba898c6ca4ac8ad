// Questions about the syntax tree that need no scope: spellings of operators, sub-expressions of a
// node.
#include "frontend/Ast.h"

namespace moac::ast {

std::string_view spelling(Op op) {
  static constexpr std::string_view texts[] = {
      "+", "-", "*", "/", "//", "%", "++", "==", "!=", "<", "<=", ">", ">=", "and", "or"};
  return texts[int(op)];
}

namespace {

using Visit = std::function<void(const Expr &)>;

void visitIf(const ExprPtr &child, const Visit &visit) {
  if (child)
    visit(*child);
}

void visitAll(const std::vector<ExprPtr> &children, const Visit &visit) {
  for (const ExprPtr &child : children)
    visitIf(child, visit);
}

void visitRanks(const Operator &op, const Visit &visit) {
  if (op.operand)
    visitRanks(*op.operand, visit);
  visitAll(op.ranks, visit);
}

void visitParts(const Reduce &reduce, const Visit &visit) {
  for (const Bind &bind : reduce.binds) {
    visitIf(bind.lo, visit);
    visitIf(bind.hi, visit);
  }
  visitIf(reduce.body, visit);
}

void visitParts(const Index &index, const Visit &visit) {
  visitIf(index.base, visit);
  for (const Subscript &subscript : index.subscripts)
    for (const ExprPtr *part : {&subscript.index, &subscript.lo, &subscript.hi, &subscript.step})
      visitIf(*part, visit);
}

void visitParts(const Section &section, const Visit &visit) {
  visitIf(section.lhs, visit);
  if (section.op)
    visitRanks(*section.op, visit);
  visitIf(section.rhs, visit);
}

template <typename T> void visitPair(const Expr &expr, const Visit &visit) {
  visitIf(static_cast<const T &>(expr).lhs, visit);
  visitIf(static_cast<const T &>(expr).rhs, visit);
}

} // namespace

void forEachChild(const Expr &expr, const Visit &visit) {
  switch (expr.kind) {
  case Expr::Kind::Number:
  case Expr::Kind::Constant:
  case Expr::Kind::NameUse:
    return;
  case Expr::Kind::Unary:
    return visitIf(static_cast<const Unary &>(expr).operand, visit);
  case Expr::Kind::Binary:
    return visitPair<Binary>(expr, visit);
  case Expr::Kind::Compare:
    return visitAll(static_cast<const Compare &>(expr).operands, visit);
  case Expr::Kind::Logical:
    return visitPair<Logical>(expr, visit);
  case Expr::Kind::Call:
    return visitAll(static_cast<const Call &>(expr).args, visit);
  case Expr::Kind::Reduce:
    return visitParts(static_cast<const Reduce &>(expr), visit);
  case Expr::Kind::Index:
    return visitParts(static_cast<const Index &>(expr), visit);
  case Expr::Kind::Vector:
    return visitAll(static_cast<const Vector &>(expr).elements, visit);
  case Expr::Kind::PrefixWord:
    return visitIf(static_cast<const PrefixWord &>(expr).operand, visit);
  case Expr::Kind::InfixWord:
    return visitPair<InfixWord>(expr, visit);
  case Expr::Kind::Section:
    return visitParts(static_cast<const Section &>(expr), visit);
  }
}

} // namespace moac::ast
