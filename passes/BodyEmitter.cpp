// Emission of scalar code; see BodyEmitter.h. Reductions are in BodyReductions.cpp, loops in pieces
// and index algebra in BodyPieces.cpp.
#include "passes/BodyEmitter.h"
#include "passes/Checks.h"
#include "passes/Slice.h"

#include "ir/KernelFacts.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// Nothing in these regions needs a statement: no reduction, no check.
bool isPlain(Operation *op) {
  bool plain = true;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      plain = plain && !isa<RedOp>(inner) && !isChecked(inner);
    });
  return plain;
}

/// A side of the choice reads an array or is arithmetic on floating-point numbers: compilers do neither for lanes that do
/// not need it, unless the machine has masks.
bool needsBranch(WhereOp where, llvm::function_ref<bool(Value)> isKnown) {
  auto counts = [](Operation *op) { return isa<PsiOp>(op) || (isa<ScalarOp>(op) && isa<FloatType>(op->getResult(0).getType())); };
  bool found = false;
  for (Region &region : where->getRegions())
    region.walk([&](Operation *op) {
      found |= counts(op) || llvm::any_of(op->getOperands(), [&](Value from) { // read before the choice in the DNF, behind it when printed
        return from.getDefiningOp() && !isKnown(from) && counts(from.getDefiningOp());
      });
    });
  return found;
}

Value compare(OpBuilder &b, Location loc, ScalarFn fn, Value x, Value y) {
  return ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr(scalarFnName(fn)), ValueRange{x, y}, UnitAttr());
}
} // namespace

Value BodyEmitter::emit(Value value) {
  if (auto it = known.values.find(value); it != known.values.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  Value result;
  if (auto scalar = dyn_cast<ScalarOp>(op))
    result = emitScalar(scalar);
  else if (auto psi = dyn_cast<PsiOp>(op))
    result = emitRead(psi);
  else if (auto where = dyn_cast<WhereOp>(op))
    result = emitWhere(where);
  else if (auto red = dyn_cast<RedOp>(op))
    result = emitReduction(red);
  else if (auto convert = dyn_cast<CastOp>(op)) {
    Value operand = emit(convert.getValue());
    result = CastOp::create(b, op->getLoc(), value.getType(), operand);
  } else if (auto fail = dyn_cast<FailOp>(op)) {
    guard(op->getLoc(), ConstantOp::create(b, op->getLoc(), b.getBoolAttr(false)), fail.getStatus());
    result = ConstantOp::create(b, op->getLoc(), cast<TypedAttr>(b.getZeroAttr(value.getType())));
  } else
    result = b.clone(*op)->getResult(0); // a constant
  known.values[value] = result;
  return result;
}

/// The rest of the statement runs only if the condition holds.
void BodyEmitter::guard(Location loc, Value condition, StringRef status) {
  if (entry) {
    onf::RequireOp::create(b, loc, condition, status, status);
    return;
  }
  auto check = onf::IfOp::create(b, loc, condition);
  OpBuilder other = OpBuilder::atBlockEnd(&check.getElseRegion().emplaceBlock());
  onf::FailOp::create(other, loc, status);
  b.setInsertionPointToEnd(&check.getThenRegion().emplaceBlock());
}

Value BodyEmitter::emitScalar(ScalarOp op) {
  if (Value decided = emitDecided(op))
    return decided;
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(emit(operand));
  if (op.getChecked()) {
    Value zero = ConstantOp::create(b, op.getLoc(), cast<TypedAttr>(b.getZeroAttr(operands[1].getType())));
    guard(op.getLoc(), compare(b, op.getLoc(), ScalarFn::ne_, operands[1], zero), "division");
  }
  Value value = b.createOrFold<ScalarOp>(op.getLoc(), op.getResult().getType(), op.getFnAttr(), operands, UnitAttr());
  if (Operation *made = value.getDefiningOp(); made && op->hasAttr("nonpositive")) // of its operand (Signs.h)
    made->setAttr("nonpositive", b.getUnitAttr());
  return value;
}

Value BodyEmitter::emitRead(PsiOp op) {
  SmallVector<Value> subscripts;
  for (Value subscript : op.getSubscripts())
    subscripts.push_back(emit(subscript));
  Location loc = op.getLoc();
  const Storage &place = context.storage.find(op.getArray())->second;
  for (int64_t axis : op.getChecked()) {
    const auto *kept = llvm::find(place.axes, static_cast<unsigned>(axis));
    Value extent = place.extents[kept - place.axes.begin()];
    if (!known.inside.insert({subscripts[axis], extent}).second)
      continue; // checked on the way here
    Value inside = compare(b, loc, ScalarFn::le_, indexConstant(b, loc, 0), subscripts[axis]);
    Value below = compare(b, loc, ScalarFn::lt_, subscripts[axis], extent);
    Value both = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("and"), ValueRange{inside, below}, UnitAttr());
    guard(loc, both, "index");
  }
  Value offset = flatOffset(op, place);
  if (!offset)
    offset = place.offset(b, loc, subscripts);
  return onf::LoadOp::create(b, loc, op.getResult().getType(), place.buffer, offset);
}

/// What regions of `op` read from outside runs before `op`, as it does in the DNF; but for checks that always hold inside,
/// as 0 < N does in the terms of a sum over N: outside they might not, and nobody would ask.
void BodyEmitter::emitCaptured(Operation *op) {
  const bool holds = !mayFail(op->getResult(0));
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()) && !isa<ArrayType>(operand.getType()) &&
            !(holds && isChecked(operand)))
          emit(operand);
    });
}

Value BodyEmitter::emitWhere(WhereOp op) {
  if (std::optional<bool> side = decide(op.getCondition(), known.around.facts, context.exprs))
    return emit(*side ? op.thenValue() : op.elseValue());
  if (auto answer = known.answers.find(op); answer != known.answers.end())
    return emit(answer->second ? op.thenValue() : op.elseValue());
  Value condition = emit(op.getCondition());
  for (bool taken : {true, false})
    if (auto fail = (taken ? op.elseValue() : op.thenValue()).getDefiningOp<FailOp>())
      return emitBehind(op, condition, taken, fail.getStatus());
  emitCaptured(op);
  return isPlain(op) ? emitPlainWhere(op, condition) : emitBranchingWhere(op, condition);
}

void BodyEmitter::unswitch(Value root, llvm::function_ref<void()> inside, unsigned most) {
  WhereOp found;
  SmallVector<Value> pending = {root};
  llvm::DenseSet<Operation *> seen;
  auto isKnown = [&](Value value) { return known.values.contains(value); };
  while (most > 0 && !pending.empty() && !found) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    // A side of another choice may not be computed at all: only what stands outside of them.
    if (!op || isa<GenOp, RedOp>(op) || known.values.contains(op->getResult(0)) || !seen.insert(op).second)
      continue;
    auto where = dyn_cast<WhereOp>(op);
    if (where && isPlain(op) && needsBranch(where, isKnown) && isSettledBefore(where.getCondition()) && !known.answers.contains(op) &&
        !decide(where.getCondition(), known.around.facts, context.exprs))
      found = where;
    llvm::append_range(pending, op->getOperands());
  }
  if (!found)
    return inside();
  auto branch = onf::IfOp::create(b, found.getLoc(), emit(found.getCondition()));
  for (bool taken : {true, false})
    apart([&] {
      b.setInsertionPointToEnd(&(taken ? branch.getThenRegion() : branch.getElseRegion()).emplaceBlock());
      assume(known.around.facts, found.getCondition(), taken, context.exprs);
      known.answers[found] = taken;
      unswitch(root, inside, most - 1);
    });
}

/// Everything that the condition depends on is bound, nothing in it is checked, and what it reads is there without the
/// loops that follow: these may be empty.
bool BodyEmitter::isSettledBefore(Value condition) {
  IndexSet free;
  collectFreeIndices(condition, free);
  return !isChecked(condition) && llvm::all_of(free, [&](BlockArgument index) { return known.values.contains(index); }) &&
         isProvedHere(condition);
}

/// Reads and divisions in the definition of `value` are in order by the facts of this place.
bool BodyEmitter::isProvedHere(Value value) {
  llvm::SetVector<Operation *> slice;
  auto add = [&](Value part) {
    Operation *op = part.getDefiningOp();
    if (op && !isa<KernelOp>(op->getParentOp()) && !known.values.contains(part))
      slice.insert(op);
  };
  add(value);
  bool proved = true;
  for (unsigned i = 0; i < slice.size() && proved; ++i)
    slice[i]->walk([&](Operation *inner) {
      auto psi = dyn_cast<PsiOp>(inner);
      if (!psi && relyOnGuards(inner)) {
        Value divisor = inner->getOperand(1);
        proved &= divisor.getType().isIndex() && known.around.facts.provePositive(context.exprs.toExpr(divisor));
      }
      for (unsigned axis = 0; psi && axis < psi.getSubscripts().size(); ++axis)
        proved = proved && provesInRange(known.around.facts, psi, axis, context.exprs);
      llvm::for_each(inner->getOperands(), add);
    });
  return proved;
}

/// One side fails: the other one, and the rest of the statement, behind a guard.
Value BodyEmitter::emitBehind(WhereOp op, Value condition, bool taken, StringRef status) {
  Location loc = op.getLoc();
  Value holds = taken ? condition : ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("not"), condition, UnitAttr());
  guard(loc, holds, status);
  assume(known.around.facts, op.getCondition(), taken, context.exprs);
  return emit(taken ? op.thenValue() : op.elseValue());
}

Value BodyEmitter::emitPlainWhere(WhereOp op, Value condition) {
  auto where = WhereOp::create(b, op.getLoc(), op.getResult().getType(), condition);
  auto fill = [&](Region &region, Value value, bool taken) {
    OpBuilder::InsertionGuard keep(b);
    Known outer = known; // what a side computes is not known outside of it
    b.setInsertionPointToEnd(&region.emplaceBlock());
    assume(known.around.facts, op.getCondition(), taken, context.exprs);
    YieldOp::create(b, op.getLoc(), emit(value));
    known = std::move(outer);
  };
  fill(where.getThenRegion(), op.thenValue(), true);
  fill(where.getElseRegion(), op.elseValue(), false);
  return where.getResult();
}

Value BodyEmitter::emitBranchingWhere(WhereOp op, Value condition) {
  Location loc = op.getLoc();
  Type type = op.getResult().getType();
  Value zero = ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  Value variable = registerVariable(loc, type, "choice", zero);
  auto branch = onf::IfOp::create(b, loc, condition);
  auto fill = [&](Region &region, Value value, bool taken) {
    OpBuilder::InsertionGuard keep(b);
    Known outer = known;
    b.setInsertionPointToEnd(&region.emplaceBlock());
    assume(known.around.facts, op.getCondition(), taken, context.exprs);
    onf::StoreOp::create(b, loc, emit(value), variable, Value(), UnitAttr(), UnitAttr());
    known = std::move(outer);
  };
  fill(branch.getThenRegion(), op.thenValue(), true);
  fill(branch.getElseRegion(), op.elseValue(), false);
  return load(loc, variable);
}

Value BodyEmitter::registerVariable(Location loc, Type type, StringRef name, Value initial) {
  auto bufferType = onf::BufferType::get(b.getContext(), type, "register");
  Value variable = onf::AllocOp::create(b, loc, bufferType, indexConstant(b, loc, 1), name);
  if (initial)
    onf::StoreOp::create(b, loc, initial, variable, Value(), UnitAttr(), UnitAttr());
  return variable;
}

Value BodyEmitter::load(Location loc, Value buffer) {
  Type type = valueType(cast<onf::BufferType>(buffer.getType()).getElementType());
  return onf::LoadOp::create(b, loc, type, buffer, Value());
}
