// The one place that lists the parts of every node; see AstWalk.h.
#include "frontend/AstWalk.h"

#include "llvm/Support/Casting.h"

using llvm::cast;

namespace moac::ast {

using Visit = std::function<void(const Expr &)>;

namespace {
void call(const ExprPtr &part, const Visit &visit) {
  if (part)
    visit(*part);
}

void call(const std::vector<ExprPtr> &parts, const Visit &visit) {
  for (const ExprPtr &part : parts)
    call(part, visit);
}

void partsOf(const Reduce &reduce, const Visit &visit) {
  for (const Bind &bind : reduce.binds) {
    call(bind.lo, visit);
    call(bind.hi, visit);
  }
  call(reduce.body, visit);
}

void partsOf(const Index &index, const Visit &visit) {
  call(index.base, visit);
  for (const Subscript &sub : index.subscripts) {
    call(sub.index, visit);
    call(sub.lo, visit);
    call(sub.hi, visit);
    call(sub.step, visit);
  }
}

void partsOf(const Section &section, const Visit &visit) {
  call(section.lhs, visit);
  for (const Operator *op = section.op.get(); op; op = op->operand.get())
    call(op->ranks, visit);
  call(section.rhs, visit);
}
} // namespace

void forEachPart(const Expr &expr, const Visit &visit) {
  auto both = [&](const ExprPtr &lhs, const ExprPtr &rhs) {
    call(lhs, visit);
    call(rhs, visit);
  };
  switch (expr.kind) {
  case Expr::Kind::Number:
  case Expr::Kind::Constant:
  case Expr::Kind::NameUse:
    return;
  case Expr::Kind::Unary:
    return call(cast<Unary>(expr).operand, visit);
  case Expr::Kind::Binary:
    return both(cast<Binary>(expr).lhs, cast<Binary>(expr).rhs);
  case Expr::Kind::Compare:
    return call(cast<Compare>(expr).operands, visit);
  case Expr::Kind::Logical:
    return both(cast<Logical>(expr).lhs, cast<Logical>(expr).rhs);
  case Expr::Kind::Call:
    return call(cast<Call>(expr).args, visit);
  case Expr::Kind::Reduce:
    return partsOf(cast<Reduce>(expr), visit);
  case Expr::Kind::Index:
    return partsOf(cast<Index>(expr), visit);
  case Expr::Kind::Vector:
    return call(cast<Vector>(expr).elements, visit);
  case Expr::Kind::PrefixWord:
    return call(cast<PrefixWord>(expr).operand, visit);
  case Expr::Kind::InfixWord:
    return both(cast<InfixWord>(expr).lhs, cast<InfixWord>(expr).rhs);
  case Expr::Kind::Section:
    return partsOf(cast<Section>(expr), visit);
  }
}

void forEachExpr(const Expr &expr, const Visit &visit) {
  visit(expr);
  forEachPart(expr, [&](const Expr &part) { forEachExpr(part, visit); });
}

void forEachExpr(const Block &block, const Visit &visit) {
  Visit all = [&](const Expr &expr) { forEachExpr(expr, visit); };
  for (const StmtPtr &stmt : block) {
    if (auto *define = llvm::dyn_cast<Define>(stmt.get())) {
      for (const LhsIndex &index : define->indices)
        call(index.extent, all);
      call(define->value, all);
    } else if (auto *many = llvm::dyn_cast<DefineMany>(stmt.get())) {
      call(many->args, all);
    } else if (auto *iterate = llvm::dyn_cast<Iterate>(stmt.get())) {
      call(iterate->lo, all);
      call(iterate->hi, all);
      for (const Carry &carry : iterate->carries)
        call(carry.init, all);
      forEachExpr(iterate->body, visit);
    }
  }
}

} // namespace moac::ast
