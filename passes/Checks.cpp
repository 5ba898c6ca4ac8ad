// Checks as conditions; see Checks.h.
#include "passes/Checks.h"
#include "ir/IndexExpr.h"
#include "ir/MaterializeExpr.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// 0 <= subscript and subscript < extent; of a constant that is not negative the second alone.
Value inside(PsiOp psi, int64_t axis, IndexExprs &exprs, OpBuilder &b) {
  Location loc = psi.getLoc();
  Value subscript = psi.getSubscripts()[axis];
  Value extent = materialize(cast<ArrayType>(psi.getArray().getType()).extents()[axis], b, loc,
                             [&](const std::string &name) { return exprs.valueAt(name, b.getInsertionBlock()); });
  Value below = buildIndex(b, loc, ScalarFn::lt_, {subscript, extent});
  APInt known;
  if (matchPattern(subscript, m_ConstantInt(&known)) && !known.isNegative())
    return below;
  Value above = buildIndex(b, loc, ScalarFn::le_, {indexConstant(b, loc, 0), subscript});
  return ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("and"), ValueRange{above, below}, UnitAttr());
}
} // namespace

Value moac::behindChecks(PsiOp psi, OpBuilder &b, llvm::function_ref<Value()> element) {
  Location loc = psi.getLoc();
  IndexExprs exprs(psi->getParentOfType<KernelOp>());
  Value all;
  for (int64_t axis : psi.getChecked()) {
    Value one = inside(psi, axis, exprs, b);
    all = all ? ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("and"), ValueRange{all, one}, UnitAttr()).getResult() : one;
  }
  if (!all)
    return element();
  auto where = WhereOp::create(b, loc, psi.getResult().getType(), all);
  OpBuilder::InsertionGuard keep(b);
  b.createBlock(&where.getThenRegion());
  YieldOp::create(b, loc, element());
  b.createBlock(&where.getElseRegion());
  YieldOp::create(b, loc, FailOp::create(b, loc, psi.getResult().getType(), "index").getResult());
  return where.getResult();
}

bool moac::relyOnGuards(Operation *op) {
  if (isa<PsiOp>(op) || isChecked(op))
    return true;
  auto scalar = dyn_cast<ScalarOp>(op);
  bool divides = scalar && (scalar.kind() == ScalarFn::floordiv_ || scalar.kind() == ScalarFn::mod_);
  APInt divisor;
  return divides && !(matchPattern(scalar.getOperand(1), m_ConstantInt(&divisor)) && !divisor.isZero());
}

bool moac::relyOnGuards(Value value) {
  llvm::SetVector<Operation *> slice;
  if (Operation *op = value.getDefiningOp(); op && !isa<KernelOp>(op->getParentOp()))
    slice.insert(op);
  bool found = false;
  for (unsigned i = 0; i < slice.size() && !found; ++i)
    slice[i]->walk([&](Operation *inner) {
      found |= relyOnGuards(inner);
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && !isa<KernelOp>(def->getParentOp()))
          slice.insert(def);
    });
  return found;
}
