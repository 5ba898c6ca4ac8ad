// Lifting values out of gens; see Lift.h.
#include "passes/Lift.h"
#include "passes/Checks.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

GenOp moac::enclosingStage(Operation *op) {
  while (!isa<KernelOp>(op->getParentOp()))
    op = op->getParentOp();
  return dyn_cast<GenOp>(op);
}

Value moac::zeroOf(OpBuilder &b, Location loc, Type type) { return ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type))); }

Lifter::Lifter(KernelOp kernel) : kernel(kernel), exprs(kernel), entry(entryFacts(kernel, exprs)), names(kernel) {}

bool Lifter::isSymbolic(const shape::Expr &e) const {
  for (const std::string &name : e.names()) {
    auto argument = dyn_cast_or_null<BlockArgument>(exprs.valueOf(name));
    if (!argument || argument.getOwner()->getParentOp() != kernel)
      return false;
  }
  return !e.poisoned();
}

std::optional<shape::Expr> Lifter::extentOf(BlockArgument index) {
  Operation *binder = binderOf(index);
  if (auto gen = dyn_cast<GenOp>(binder))
    return gen.arrayType().extents()[index.getArgNumber()];
  auto red = dyn_cast<RedOp>(binder);
  if (!red || index.getArgNumber() >= red.rank() || index.getOwner() != &red.term())
    return std::nullopt; // an argument of a combine or domain region
  shape::Expr lo = exprs.toExpr(red.lower(index.getArgNumber())), hi = exprs.toExpr(red.upper(index.getArgNumber()));
  if (!(lo == shape::Expr(0)) || !isSymbolic(hi))
    return std::nullopt;
  return entry.proveNonNegative(hi) ? hi : shape::max(hi, shape::Expr(0));
}

void Lifter::sortFrame(Frame &frame) {
  auto depth = [](BlockArgument index) {
    unsigned count = 0;
    for (Operation *op = binderOf(index); !isa<KernelOp>(op); op = op->getParentOp())
      ++count;
    return std::make_pair(count, index.getArgNumber());
  };
  llvm::sort(frame.indices, [&](BlockArgument a, BlockArgument b) { return depth(a) < depth(b); });
  frame.extents.clear();
  for (BlockArgument index : frame.indices)
    frame.extents.push_back(*extentOf(index));
}

std::optional<Frame> Lifter::frameOf(Operation *op) {
  IndexSet free;
  collectFreeIndices(op, free);
  Frame frame;
  for (BlockArgument index : free) {
    if (!extentOf(index))
      return std::nullopt;
    frame.indices.push_back(index);
  }
  sortFrame(frame);
  return frame;
}

static bool provesNotZero(const shape::Facts &facts, Value divisor, IndexExprs &exprs) {
  std::optional<shape::Expr> e = divisor.getType().isIndex() ? std::optional(exprs.toExpr(divisor)) : exprs.toInteger(divisor);
  return e && (facts.provePositive(*e) || facts.provePositive(-*e));
}

/// Every psi and every division in `op` is proved without the guards around it.
bool Lifter::inRangeEverywhere(Operation *op, const Frame &frame) {
  shape::Facts outer = entry;
  for (BlockArgument index : frame.indices)
    assumeDomain(outer, index, exprs);
  bool proved = true;
  auto check = [&](Operation *inner) {
    proved = proved && !moa::isChecked(inner);
    if (!proved || !relyOnGuards(inner))
      return;
    // Facts of what lies between `op` and the read: domains and conditions inside `op` itself stay with it.
    shape::Facts facts = outer;
    SmallVector<std::pair<Operation *, Region *>> path;
    for (Operation *child = inner, *parent = inner->getParentOp(); child != op && op->isAncestor(parent);
         child = parent, parent = parent->getParentOp())
      path.push_back({parent, child->getParentRegion()});
    for (auto [parent, region] : llvm::reverse(path)) {
      if (auto where = dyn_cast<WhereOp>(parent))
        assume(facts, where.getCondition(), region == &where.getThenRegion(), exprs);
      else if (isa<RedOp, GenOp>(parent))
        for (BlockArgument index : region->front().getArguments())
          if (isIndex(index))
            assumeDomain(facts, index, exprs);
    }
    auto psi = dyn_cast<PsiOp>(inner);
    for (unsigned axis = 0; psi && axis < psi.getSubscripts().size(); ++axis)
      proved = proved && provesInRange(facts, psi, axis, exprs);
    if (!psi)
      proved = provesNotZero(facts, inner->getOperand(1), exprs);
  };
  // The slice: the operation itself and the definitions it reads inside the stage.
  llvm::SetVector<Operation *> slice;
  slice.insert(op);
  for (unsigned i = 0; i < slice.size() && proved; ++i) {
    slice[i]->walk([&](Operation *inner) {
      check(inner);
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && !slice[i]->isAncestor(def) && !isa<KernelOp>(def->getParentOp()))
          slice.insert(def);
    });
  }
  return proved;
}

std::optional<SmallVector<Guards::Condition>> Lifter::neededGuards(Operation *op, Frame &frame) {
  SmallVector<Guards::Condition> needed;
  if (inRangeEverywhere(op, frame))
    return needed;
  Guards guards = guardsOf(op);
  // A reduction around `op` whose index is not in the frame guards it by not being empty; that is not a box of the frame.
  for (RedOp red : guards.reductions)
    for (BlockArgument index : red.term().getArguments())
      if (!llvm::is_contained(frame.indices, index))
        return std::nullopt;
  IndexSet free(frame.indices.begin(), frame.indices.end());
  for (Guards::Condition guard : guards.conditions)
    collectFreeIndices(guard.condition, free);
  for (BlockArgument index : free)
    if (!extentOf(index))
      return std::nullopt;
  // The stage's own axes guard too: an element that nobody asks for must not be computed.
  GenOp stage = enclosingStage(op);
  for (BlockArgument index : stage.entry().getArguments())
    free.insert(index);
  frame.indices.assign(free.begin(), free.end());
  sortFrame(frame);
  return guards.conditions;
}

GenOp Lifter::makeGen(Operation *op, const Frame &frame, ArrayRef<StringAttr> innerNames,
                      const std::vector<shape::Expr> &innerExtents, Type elementType, StringRef name, IRMapping &map) {
  OpBuilder b(enclosingStage(op));
  SmallVector<Attribute> axisNames;
  std::vector<shape::Expr> extents = frame.extents;
  for (BlockArgument index : frame.indices)
    axisNames.push_back(b.getStringAttr(indexName(index)));
  axisNames.append(innerNames.begin(), innerNames.end());
  extents.insert(extents.end(), innerExtents.begin(), innerExtents.end());
  auto gen = GenOp::create(b, op->getLoc(), ArrayType::get(b.getContext(), extents, elementType), b.getStringAttr(name),
                           b.getArrayAttr(axisNames));
  Block &body = gen.getBody().emplaceBlock();
  for (size_t i = 0; i < extents.size(); ++i)
    body.addArgument(b.getIndexType(), op->getLoc());
  for (auto [index, argument] : llvm::zip(frame.indices, body.getArguments()))
    map.map(index, argument);
  return gen;
}

Value Lifter::guardValue(ArrayRef<Guards::Condition> guards, IRMapping &map, OpBuilder &b) {
  Value all;
  auto clone = [](Guards::Condition guard, IRMapping &values, OpBuilder &at) -> Value {
    Value value = cloneSlice(guard.condition, values, at);
    return guard.holds ? value
                       : ScalarOp::create(at, value.getLoc(), at.getI1Type(), at.getStringAttr("not"), value, UnitAttr()).getResult();
  };
  for (Guards::Condition guard : llvm::reverse(guards)) {
    if (!all) {
      all = clone(guard, map, b);
      continue;
    }
    Location loc = guard.condition.getLoc();
    if (!relyOnGuards(guard.condition)) {
      all = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("and"), ValueRange{all, clone(guard, map, b)}, UnitAttr());
      continue;
    }
    auto both = WhereOp::create(b, loc, b.getI1Type(), all);
    OpBuilder inside = OpBuilder::atBlockEnd(&both.getThenRegion().emplaceBlock());
    IRMapping own = map; // what is cloned here is seen here only
    YieldOp::create(inside, loc, clone(guard, own, inside));
    OpBuilder otherwise = OpBuilder::atBlockEnd(&both.getElseRegion().emplaceBlock());
    YieldOp::create(otherwise, loc, ConstantOp::create(otherwise, loc, otherwise.getBoolAttr(false)).getResult());
    all = both.getResult();
  }
  return all;
}
