// Index arithmetic in canonical form, so that `A[n - 1 - (n - 1 - i)]` and `A[i]` are one DNF however they came about.
//
// A subscript, a bound or a compared index is read as algebra, made smaller by the facts where it stands, and written anew if
// that takes no more operations than before.
#include "ir/KernelFacts.h"
#include "ir/MaterializeExpr.h"
#include "ir/ShapeNode.h"
#include "passes/PsiLaws.h"
#include "passes/Slice.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// The index arithmetic that computes `value`.
void collectCone(Value value, llvm::SmallPtrSetImpl<Operation *> &cone) {
  auto op = value.getDefiningOp<ScalarOp>();
  if (!op || !value.getType().isIndex() || !cone.insert(op).second)
    return;
  for (Value operand : op.getOperands())
    collectCone(operand, cone);
}

bool isIndexArithmetic(Value value) {
  return value.getType().isIndex() && value.getDefiningOp<ScalarOp>() != nullptr;
}

/// The algebra needs a part of the arithmetic no more that may fail, as x in x % 1: the failure is needed still.
bool dropsCheck(const llvm::SmallPtrSetImpl<Operation *> &cone, const shape::Expr &e, IndexExprs &exprs) {
  std::set<std::string> kept = e.names();
  for (Operation *op : cone)
    for (Value leaf : op->getOperands()) {
      Operation *definition = leaf.getDefiningOp();
      if (!definition || cone.contains(definition))
        continue;
      bool checked = false;
      visitSlice(leaf, [&](Operation *inner) { checked |= isChecked(inner); });
      if (checked && !kept.contains(exprs.nameOf(leaf)))
        return true;
    }
  return false;
}

/// The order of terms must not depend on what a user calls an index: outer indices before inner ones, behind symbols in capitals.
/// `back` gets the names that stand for the indices of `e` meanwhile.
shape::Expr orderedByDepth(const shape::Expr &e, IndexExprs &exprs, std::map<std::string, std::string> &back) {
  std::map<std::pair<unsigned, unsigned>, std::string> indices;
  for (const std::string &name : e.names()) {
    auto index = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
    if (!index || isa<KernelOp>(index.getOwner()->getParentOp()))
      continue;
    unsigned depth = 0;
    for (Operation *op = index.getOwner()->getParentOp(); op; op = op->getParentOp())
      ++depth;
    indices[{depth, index.getArgNumber()}] = name;
  }
  std::map<std::string, shape::Expr> forward;
  for (auto &[place, name] : indices) {
    std::string rank = std::to_string(back.size()), stand = "Z~" + std::string(3 - std::min<size_t>(rank.size(), 3), '0') + rank;
    forward[name] = shape::Expr::name(stand);
    back[stand] = name;
  }
  return e.substitute(forward);
}

void canonicalise(OpOperand &use) {
  Value old = use.get();
  llvm::SmallPtrSet<Operation *, 16> cone;
  collectCone(old, cone);
  if (!isAlgebraic(old))
    return;
  Operation *at = use.getOwner();
  IndexExprs exprs(at->getParentOfType<KernelOp>());
  shape::Expr e = exprs.toExpr(old);
  if (e.poisoned())
    return;
  if (dropsCheck(cone, e, exprs))
    return;
  std::map<std::string, std::string> back;
  e = orderedByDepth(simplifyAt(at, e, exprs), exprs, back);
  OpBuilder b(at);
  Value value = materialize(e, b, old.getLoc(), [&](const std::string &name) {
    auto index = back.find(name);
    return exprs.valueAt(index == back.end() ? name : index->second, at->getBlock());
  });
  llvm::SmallPtrSet<Operation *, 16> anew;
  collectCone(value, anew);
  if (anew.size() <= cone.size())
    use.set(value);
}
/// What a comparison of two known indices gives.
std::optional<bool> decided(Value condition) {
  auto compare = condition.getDefiningOp<ScalarOp>();
  if (!compare || compare.getNumOperands() != 2 || !compare.getOperand(0).getType().isIndex())
    return std::nullopt;
  auto known = [](Value value) {
    auto constant = value.getDefiningOp<ConstantOp>();
    return constant ? std::optional(cast<IntegerAttr>(constant.getValue()).getInt()) : std::nullopt;
  };
  std::optional<int64_t> a = known(compare.getOperand(0)), b = known(compare.getOperand(1));
  if (!a || !b)
    return std::nullopt;
  switch (compare.kind()) {
  case ScalarFn::eq_: return *a == *b;
  case ScalarFn::lt_: return *a < *b;
  default: return std::nullopt;
  }
}

/// A choice that is decided is the side taken; the laws make these two comparisons.
void takeDecidedSides(KernelOp kernel) {
  SmallVector<WhereOp> choices;
  kernel.walk([&](WhereOp op) { choices.push_back(op); });
  for (WhereOp op : choices)
    if (std::optional<bool> holds = decided(op.getCondition())) {
      Block &side = (*holds ? op.getThenRegion() : op.getElseRegion()).front();
      op.getResult().replaceAllUsesWith(side.getTerminator()->getOperand(0));
      side.getTerminator()->erase();
      op->getBlock()->getOperations().splice(op->getIterator(), side.getOperations());
      op.erase();
    }
}
} // namespace

bool moac::isAlgebraic(Value index) {
  llvm::SmallPtrSet<Operation *, 16> cone;
  collectCone(index, cone);
  return llvm::none_of(cone, [](Operation *op) { return cast<ScalarOp>(op).getChecked(); });
}

shape::Expr moac::simplifyAt(Operation *op, const shape::Expr &e, IndexExprs &exprs) {
  if (e.poisoned() || e.node().depth == 0)
    return e;
  const shape::Facts facts = factsAt(op, exprs);
  if (facts.contradictory())
    return e; // an empty domain proves anything: which of it is taken would depend on the order of rewriting
  shape::Expr simple = facts.simplify(e);
  std::set<std::string> before = e.names();
  // An equality may bring in a name whose value is not at hand here.
  for (const std::string &name : simple.names()) {
    auto argument = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
    if (!before.contains(name) && (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp())))
      return e;
  }
  return simple;
}

void moac::canonicaliseIndices(KernelOp kernel) {
  SmallVector<OpOperand *> uses;
  for (auto gen : kernel.entry().getOps<GenOp>())
    gen.getBody().walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isIndexArithmetic(op->getResult(0)))
        return; // part of a larger expression
      for (OpOperand &use : op->getOpOperands())
        if (isIndexArithmetic(use.get()))
          uses.push_back(&use);
    });
  llvm::for_each(uses, [](OpOperand *use) { canonicalise(*use); });
  takeDecidedSides(kernel);
  SmallVector<Operation *> scalars;
  kernel.walk([&](ScalarOp op) { scalars.push_back(op); });
  for (Operation *op : llvm::reverse(scalars))
    if (isOpTriviallyDead(op))
      op->erase();
}
