// Facts for proofs on kernels; see KernelFacts.h.
#include "ir/KernelFacts.h"
#include "ir/Presburger.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
bool isBoolConstant(Value value, bool expected) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && constant.getBoolValue() == expected;
}

void assumeComparison(shape::Facts &facts, ScalarOp op, bool holds, IndexExprs &exprs) {
  std::optional<shape::Expr> lhs = exprs.toInteger(op.getOperand(0)), rhs = exprs.toInteger(op.getOperand(1));
  if (!lhs || !rhs)
    return;
  shape::Expr a = *lhs, b = *rhs, one(1);
  ScalarFn fn = op.kind();
  if (!holds) {
    switch (fn) {
    case ScalarFn::lt_: fn = ScalarFn::ge_; break;
    case ScalarFn::le_: fn = ScalarFn::gt_; break;
    case ScalarFn::gt_: fn = ScalarFn::le_; break;
    case ScalarFn::ge_: fn = ScalarFn::lt_; break;
    case ScalarFn::ne_: fn = ScalarFn::eq_; break;
    case ScalarFn::eq_: fn = ScalarFn::ne_; break;
    default: return;
    }
  }
  switch (fn) {
  case ScalarFn::lt_: return facts.nonNegative(b - a - one);
  case ScalarFn::le_: return facts.nonNegative(b - a);
  case ScalarFn::gt_: return facts.nonNegative(a - b - one);
  case ScalarFn::ge_: return facts.nonNegative(a - b);
  case ScalarFn::eq_: return facts.equal(a, b);
  case ScalarFn::ne_: // away from a bound by one
    if (facts.proveNonNegative(a - b))
      facts.nonNegative(a - b - one);
    else if (facts.proveNonNegative(b - a))
      facts.nonNegative(b - a - one);
    return;
  default: return;
  }
}
} // namespace

void moa::assume(shape::Facts &facts, Value condition, bool holds, IndexExprs &exprs) {
  Operation *op = condition.getDefiningOp();
  if (auto where = dyn_cast_or_null<WhereOp>(op)) {
    // a and b is where(a, b, false); a or b is where(a, true, b).
    if (isBoolConstant(where.elseValue(), false) && holds) {
      assume(facts, where.getCondition(), true, exprs);
      assume(facts, where.thenValue(), true, exprs);
    } else if (isBoolConstant(where.thenValue(), true) && !holds) {
      assume(facts, where.getCondition(), false, exprs);
      assume(facts, where.elseValue(), false, exprs);
    }
    return;
  }
  auto scalar = dyn_cast_or_null<ScalarOp>(op);
  if (!scalar)
    return;
  switch (scalar.kind()) {
  case ScalarFn::not_: return assume(facts, scalar.getOperand(0), !holds, exprs);
  case ScalarFn::and_:
  case ScalarFn::or_:
    if ((scalar.kind() == ScalarFn::and_) == holds)
      for (Value operand : scalar.getOperands())
        assume(facts, operand, holds, exprs);
    return;
  default:
    if (scalarFnClass(scalar.kind()) == ScalarClass::Compare)
      assumeComparison(facts, scalar, holds, exprs);
  }
}

shape::Facts moa::entryFacts(KernelOp kernel, IndexExprs &exprs) {
  shape::Facts facts;
  auto extentsOf = [&](Type type) {
    for (const shape::Expr &e : cast<ArrayType>(type).extents())
      facts.nonNegative(e);
  };
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
    extentsOf(kernel.inputArg(i).getType());
  for (unsigned i = 0; i < kernel.getResults().size(); ++i)
    extentsOf(kernel.resultType(i));
  for (auto require : kernel.entry().getOps<RequireOp>())
    assume(facts, require.getCondition(), true, exprs);
  return facts;
}

void moa::assumeDomain(shape::Facts &facts, BlockArgument index, IndexExprs &exprs) {
  Operation *binder = index.getOwner()->getParentOp();
  unsigned i = index.getArgNumber();
  if (auto gen = dyn_cast<GenOp>(binder))
    facts.range(exprs.nameOf(index), shape::Expr(0), gen.arrayType().extents()[i]);
  else if (auto red = dyn_cast<RedOp>(binder); red && i < red.rank())
    facts.range(exprs.nameOf(index), exprs.toExpr(red.lower(i)), exprs.toExpr(red.upper(i)));
}

shape::Facts moa::factsAt(Operation *op, IndexExprs &exprs) {
  SmallVector<std::pair<Operation *, Region *>> path;
  for (Operation *parent = op->getParentOp(); parent && !isa<KernelOp>(parent); op = parent, parent = parent->getParentOp())
    path.push_back({parent, op->getParentRegion()});
  shape::Facts facts = entryFacts(op->getParentOfType<KernelOp>(), exprs);
  for (auto [parent, region] : llvm::reverse(path)) {
    auto red = dyn_cast<RedOp>(parent);
    if (auto where = dyn_cast<WhereOp>(parent))
      assume(facts, where.getCondition(), region == &where.getThenRegion(), exprs);
    else if (isa<GenOp>(parent) || (red && region->getRegionNumber() <= red.rank()))
      for (BlockArgument index : region->front().getArguments())
        assumeDomain(facts, index, exprs);
  }
  return facts;
}

bool moa::provesInRange(const shape::Facts &facts, PsiOp psi, unsigned axis, IndexExprs &exprs) {
  shape::Expr subscript = exprs.toExpr(psi.getSubscripts()[axis]);
  shape::Expr extent = cast<ArrayType>(psi.getArray().getType()).extents()[axis];
  return shape::provesNonNegative(facts, subscript) && shape::provesLess(facts, subscript, extent);
}
