// Reductions inside an expression: loops around registers; see BodyEmitter.h.
#include "passes/BodyEmitter.h"
#include "passes/Slice.h"
#include "passes/StageLoops.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
Value scalar(OpBuilder &b, Location loc, ScalarFn fn, Type type, ValueRange operands) {
  return ScalarOp::create(b, loc, type, b.getStringAttr(scalarFnName(fn)), operands, UnitAttr());
}
} // namespace

Value BodyEmitter::identity(OpBuilder &b, Location loc, StringRef kind, Type type) {
  return ConstantOp::create(b, loc, identityOf(kind, type));
}

std::pair<Value, Value> BodyEmitter::emitBounds(RedOp red, unsigned i) {
  for (unsigned k = 0; k < i; ++k)
    if (!red.domain(i).getArgument(k).use_empty())
      bind(red.domain(i).getArgument(k), emit(red.term().getArgument(k)));
  return {emit(red.lower(i)), emit(red.upper(i))};
}

void BodyEmitter::emitLoops(RedOp op, bool reverse, llvm::function_ref<void(const Bounds &)> body) {
  emitCaptured(op);
  SmallVector<StageLoop> loops;
  for (BlockArgument axis : op.term().getArguments())
    for (Digit &digit : context.lifted.of(axis))
      loops.push_back({axis, std::move(digit)});
  LiftedAxes::mark(loops);
  Bounds bounds(op.rank());
  emitLoopsFrom(op, reverse, loops, bounds, body);
}

void BodyEmitter::emitLoopsFrom(RedOp op, bool reverse, ArrayRef<StageLoop> loops, Bounds &bounds,
                                llvm::function_ref<void(const Bounds &)> body) {
  if (loops.empty())
    return body(bounds);
  OpBuilder::InsertionGuard keep(b);
  Known outer = known;
  unsigned i = loops.front().axis.getArgNumber();
  if (loops.front().first)
    bounds[i] = emitBounds(op, i);
  hoistDivisions(op.termValue());
  AxisLoop loop{op.term().getArgument(i), bounds[i].first, bounds[i].second, op.termValue()};
  loop.digit = loops.front().digit;
  loop.last = loops.front().last;
  loop.deepest = loops.size() == 1;
  loop.reverse = reverse;
  loop.accumulates = op;
  bool regroups = isa<FloatType>(op.getResult().getType()) && !op.isFold() && !op.isArg();
  if (loop.deepest && regroups && !reverse) {
    loop.role = "lanes"; // one sum for each lane, combined at the end: an order that depends on the extent alone
    loop.parts = partCount;
  }
  auto pieces = [&] { forPieces(loop, [&] { emitLoopsFrom(op, reverse, loops.drop_front(), bounds, body); }); };
  if (loop.role == "lanes")
    unswitch(op.termValue(), pieces);
  else
    pieces();
  known = std::move(outer);
}

Value BodyEmitter::emitReduction(RedOp op) { return op.isFold() ? emitFold(op) : op.isArg() ? emitArg(op) : emitCombined(op); }

Value BodyEmitter::emitCombined(RedOp op) {
  Location loc = op.getLoc();
  StringRef kind = op.getKind();
  Type type = op.getResult().getType();
  StringRef name = kind == "add" ? "sum" : kind == "mul" ? "product" : kind == "max" ? "largest" : kind == "min" ? "least" : kind;
  Value neutral = identity(b, loc, kind, type), parts;
  auto eachPart = [&](llvm::function_ref<void(Value)> body) {
    OpBuilder::InsertionGuard keep(b);
    body(openLoop(b, loc, indexConstant(b, loc, 0), partCount, "lane", "lanes"));
  };
  if (partCount) {
    parts = onf::AllocOp::create(b, loc, onf::BufferType::get(b.getContext(), type, "register"), partCount, (name + "_parts").str());
    eachPart([&](Value lane) { onf::StoreOp::create(b, loc, neutral, parts, lane, UnitAttr(), UnitAttr()); });
  }
  Value accumulator = registerVariable(loc, type, name, neutral);
  emitLoops(op, false, [&](const Bounds &) {
    Value term = emit(op.termValue());
    onf::UpdateOp::create(b, loc, b.getStringAttr(kind), term, part ? parts : accumulator, part, UnitAttr());
  });
  if (parts)
    eachPart([&](Value lane) {
      Value one = onf::LoadOp::create(b, loc, valueType(type), parts, lane);
      onf::UpdateOp::create(b, loc, b.getStringAttr(kind), one, accumulator, Value(), b.getUnitAttr());
    });
  return load(loc, accumulator);
}

/// argmax: the first index whose term is not exceeded; a NaN exceeds everything but a NaN.
Value BodyEmitter::emitArg(RedOp op) {
  Location loc = op.getLoc();
  Type type = op.termValue().getType(), boolean = b.getI1Type();
  ScalarFn better = op.getKind() == "argmax" ? ScalarFn::gt_ : ScalarFn::lt_;
  Value zero = ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  Value best = registerVariable(loc, type, "best", zero);
  Value at = registerVariable(loc, b.getIndexType(), "at", indexConstant(b, loc, -1));
  // Where a bound uses an earlier index, the terms are counted: their position has no closed form.
  bool counted = false;
  for (unsigned i = 0; i < op.rank(); ++i)
    counted |= llvm::any_of(op.domain(i).getArguments(), [](BlockArgument index) { return !index.use_empty(); });
  Value count = counted ? registerVariable(loc, b.getIndexType(), "count", indexConstant(b, loc, 0)) : Value();
  emitLoops(op, false, [&](const Bounds &bounds) {
    Value term = emit(op.termValue()), leader = load(loc, best);
    Value first = buildIndex(b, loc, ScalarFn::lt_, {load(loc, at), indexConstant(b, loc, 0)});
    Value take = scalar(b, loc, ScalarFn::or_, boolean, {first, scalar(b, loc, better, boolean, {term, leader})});
    if (isa<FloatType>(type)) {
      Value isNan = scalar(b, loc, ScalarFn::ne_, boolean, {term, term});
      Value leaderIsNumber = scalar(b, loc, ScalarFn::eq_, boolean, {leader, leader});
      take = scalar(b, loc, ScalarFn::or_, boolean, {take, scalar(b, loc, ScalarFn::and_, boolean, {isNan, leaderIsNumber})});
    }
    Value position = emit(op.term().getArgument(0));
    if (counted)
      position = load(loc, count);
    for (unsigned i = 0; !counted && op.rank() > 1 && i < op.rank(); ++i) {
      Value own = buildIndex(b, loc, ScalarFn::sub_, {emit(op.term().getArgument(i)), bounds[i].first});
      Value extent = buildIndex(b, loc, ScalarFn::sub_, {bounds[i].second, bounds[i].first});
      position = i == 0 ? own : buildIndex(b, loc, ScalarFn::add_, {buildIndex(b, loc, ScalarFn::mul_, {position, extent}), own});
    }
    auto branch = onf::IfOp::create(b, loc, take);
    if (counted)
      onf::StoreOp::create(b, loc, buildIndex(b, loc, ScalarFn::add_, {position, indexConstant(b, loc, 1)}), count, Value(), UnitAttr(),
                           UnitAttr());
    OpBuilder::InsertionGuard keep(b);
    b.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
    onf::StoreOp::create(b, loc, term, best, Value(), UnitAttr(), UnitAttr());
    onf::StoreOp::create(b, loc, position, at, Value(), UnitAttr(), UnitAttr());
  });
  return load(loc, at);
}

/// Right to left: the accumulator starts at the identity, or at the last term when there is none.
Value BodyEmitter::emitFold(RedOp op) {
  Location loc = op.getLoc();
  Type type = op.getResult().getType();
  TypedAttr neutral = op.getIdentityAttr();
  Value initial = ConstantOp::create(b, loc, neutral ? neutral : cast<TypedAttr>(b.getZeroAttr(type)));
  Value accumulator = registerVariable(loc, type, "folded", initial);
  Value no = ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value started = neutral ? Value() : registerVariable(loc, b.getI1Type(), "started", no);
  emitLoops(op, true, [&](const Bounds &) {
    Value term = emit(op.termValue());
    OpBuilder::InsertionGuard keep(b);
    if (started) {
      auto branch = onf::IfOp::create(b, loc, load(loc, started));
      OpBuilder other = OpBuilder::atBlockEnd(&branch.getElseRegion().emplaceBlock());
      onf::StoreOp::create(other, loc, term, accumulator, Value(), UnitAttr(), UnitAttr());
      onf::StoreOp::create(other, loc, ConstantOp::create(other, loc, other.getBoolAttr(true)), started, Value(), UnitAttr(), UnitAttr());
      b.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
    }
    bind(op.combine().getArgument(0), term);
    bind(op.combine().getArgument(1), load(loc, accumulator));
    onf::StoreOp::create(b, loc, emit(op.combine().getTerminator()->getOperand(0)), accumulator, Value(), UnitAttr(), UnitAttr());
  });
  return load(loc, accumulator);
}
