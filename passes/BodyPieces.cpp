// Loops in pieces, and index arithmetic by the algebra where the facts of the place settle it; see
// BodyEmitter.h.
#include "ir/KernelFacts.h"
#include "ir/ShapeNode.h"
#include "passes/BodyEmitter.h"
#include "passes/Slice.h"
#include "passes/StageLoops.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// Names of the values that an index value is computed from, as the algebra sees it.
void collectLeaves(Value value, IndexExprs &exprs, BodyEmitter::Leaves &leaves) {
  auto scalar = value.getDefiningOp<ScalarOp>();
  if (scalar && value.getType().isIndex() && scalar.getOperand(0).getType().isIndex()) {
    for (Value operand : scalar.getOperands())
      collectLeaves(operand, exprs, leaves);
    return;
  }
  if (!value.getDefiningOp<ConstantOp>())
    leaves[exprs.nameOf(value)] = value;
}
} // namespace

Value BodyEmitter::emit(const shape::Expr &e, const Leaves &leaves, Location loc) {
  return materialize(
      e, b, loc,
      [&](const std::string &name) {
        auto leaf = leaves.find(name);
        return emit(leaf != leaves.end() ? leaf->second : context.exprs.valueOf(name));
      },
      [&](const shape::Expr &atom) {
        auto known = context.hoisted.find(atom);
        return known != context.hoisted.end() ? known->second : emitDivision(atom, leaves, loc);
      });
}

/// Null where the plain operation will do.
Value BodyEmitter::emitDivision(const shape::Expr &e, const Leaves &leaves, Location loc) {
  const shape::Atom &atom = *shape::asAtom(e);
  bool remainder = atom.kind == shape::AtomKind::Mod;
  if ((!remainder && atom.kind != shape::AtomKind::FloorDiv) || known.around.facts.provePositive(atom.args[1]))
    return {};
  Value divisor = emit(atom.args[1], leaves, loc), zero = indexConstant(b, loc, 0);
  Value dividend = emit(atom.args[0], leaves, loc);
  auto where = WhereOp::create(b, loc, b.getIndexType(), buildIndex(b, loc, ScalarFn::ne_, {divisor, zero}));
  OpBuilder::InsertionGuard keep(b);
  b.setInsertionPointToEnd(&where.getThenRegion().emplaceBlock());
  YieldOp::create(b, loc, buildIndex(b, loc, remainder ? ScalarFn::mod_ : ScalarFn::floordiv_, {dividend, divisor}));
  b.setInsertionPointToEnd(&where.getElseRegion().emplaceBlock());
  YieldOp::create(b, loc, zero);
  return where.getResult();
}

/// A comparison, modulus or minimum that the facts settle; null otherwise.
Value BodyEmitter::emitDecided(ScalarOp op) {
  Location loc = op.getLoc();
  IndexExprs &exprs = context.exprs;
  if (op.getResult().getType().isInteger(1)) {
    std::optional<bool> known = decide(op.getResult(), this->known.around.facts, exprs);
    return known ? ConstantOp::create(b, loc, b.getBoolAttr(*known)).getResult() : Value();
  }
  if (!isStep(op) || isChecked(op.getResult()))
    return {};
  shape::Expr e = exprs.toExpr(op.getResult()), simple = resolve(e, known.around);
  auto alike = [](const shape::Expr &x) { return shape::asAtom(x) != nullptr && !x.asName(); };
  if (simple == e && alike(e))
    return {};
  Leaves leaves;
  collectLeaves(op.getResult(), exprs, leaves);
  return emit(simple, leaves, loc);
}

Value BodyEmitter::flatOffset(PsiOp op, const Storage &place) {
  if (!place.origins.empty())
    return {};
  std::optional<shape::Expr> flat = moac::flatOffset(op, place.axes, known.around, context.exprs);
  if (!flat)
    return {};
  Leaves leaves;
  for (Value subscript : op.getSubscripts())
    collectLeaves(subscript, context.exprs, leaves);
  return emit(*flat, leaves, op.getLoc());
}

void BodyEmitter::hoistDivisions(Value root) {
  IndexExprs &exprs = context.exprs;
  SmallVector<ScalarOp> found;
  visitLive(root, known.around.facts, exprs, [&](Operation *op, const shape::Facts &, unsigned) {
    if (!isStep(op) || known.values.contains(op->getResult(0)))
      return;
    auto scalar = cast<ScalarOp>(op);
    bool divides = scalar.kind() == ScalarFn::floordiv_ || scalar.kind() == ScalarFn::mod_;
    if (!divides || isChecked(scalar.getResult()))
      return;
    Leaves leaves;
    collectLeaves(scalar.getResult(), exprs, leaves);
    for (auto &[name, value] : leaves)
      if (!isa<BlockArgument>(value) || !known.values.contains(value))
        return;
    if (known.around.facts.provePositive(exprs.toExpr(scalar.getOperand(1))))
      found.push_back(scalar);
  });
  for (ScalarOp scalar : found)
    emit(scalar.getResult());
}

bool BodyEmitter::mayFail(Value root) {
  bool checks = false;
  visitLive(root, known.around.facts, context.exprs, [&](Operation *op, const shape::Facts &, unsigned) {
    checks |= moa::isChecked(op);
  });
  return checks;
}

void BodyEmitter::apart(llvm::function_ref<void()> emission) {
  OpBuilder::InsertionGuard keep(b);
  Known outer = known;
  emission();
  known = std::move(outer);
}

BodyEmitter::Range BodyEmitter::rangeOf(const AxisLoop &loop) {
  Location loc = binderOf(loop.axis)->getLoc();
  Range range{loop.lo, loop.hi, {}};
  if (Value reached = known.reached.lookup(loop.axis))
    range.lo = reached;
  if (auto part = known.confined.find(loop.axis); part != known.confined.end())
    std::tie(range.lo, range.hi) = part->second;
  if (loop.digit.span) {
    Value end = buildIndex(b, loc, ScalarFn::add_, {range.lo, emit(*loop.digit.span, {}, loc)});
    auto whole = loop.last ? known.whole.find(loop.axis) : known.whole.end();
    range.hi = whole == known.whole.end() ? buildIndex(b, loc, ScalarFn::min_, {end, range.hi}) : whole->second ? end : loop.hi;
  }
  if (!(loop.digit.step == shape::Expr(1)))
    range.step = emit(loop.digit.step, {}, loc);
  return range;
}

void BodyEmitter::wholeTiles(const AxisLoop &loop, llvm::function_ref<void()> inside) {
  Location loc = binderOf(loop.axis)->getLoc();
  Value end = buildIndex(b, loc, ScalarFn::add_, {known.reached.lookup(loop.axis), emit(*loop.digit.span, {}, loc)});
  Value fits = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr(scalarFnName(ScalarFn::le_)), ValueRange{end, loop.hi}, UnitAttr());
  auto branch = onf::IfOp::create(b, loc, fits);
  for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
    apart([&] {
      b.setInsertionPointToEnd(&side->emplaceBlock());
      known.whole[loop.axis] = side == &branch.getThenRegion();
      inside();
    });
}

/// Gives the loop of `index` its step and the copies of its body.
static void complete(Value index, Value step, unsigned copies) {
  auto loop = cast<onf::ForOp>(index.getParentBlock()->getParentOp());
  if (step)
    loop.getStepMutable().assign(step);
  if (copies > 0)
    loop->setAttr("copies", IntegerAttr::get(IntegerType::get(loop->getContext(), 64), copies));
}

void BodyEmitter::open(const AxisLoop &loop) {
  Range range = rangeOf(loop);
  StringRef name = loop.last ? indexName(loop.axis) : StringRef(loop.digit.name);
  Value index = openLoop(b, binderOf(loop.axis)->getLoc(), range.lo, range.hi, name, loop.role, loop.collapse, loop.reverse);
  complete(index, range.step, loop.copies);
  if (loop.last)
    enter(loop.axis, index);
  else
    reach(loop.axis, index);
}

void BodyEmitter::follow(BlockArgument axis, const BodyEmitter &other, BlockArgument like) {
  if (Value index = other.known.values.lookup(like)) {
    if (!known.values.contains(axis))
      enter(axis, index);
  } else if (Value reached = other.known.reached.lookup(like)) {
    reach(axis, reached);
  }
}

void BodyEmitter::forPieces(const AxisLoop &loop, llvm::function_ref<void()> inside) {
  if (loop.lo == loop.hi)
    return;
  if (!loop.last)
    return apart([&] {
      open(loop);
      inside();
    });
  IndexExprs &exprs = context.exprs;
  Location loc = binderOf(loop.axis)->getLoc();
  std::string name = exprs.nameOf(loop.axis);
  shape::Expr lo, hi;
  Leaves leaves;
  if (auto gen = dyn_cast<GenOp>(binderOf(loop.axis))) {
    hi = gen.arrayType().extents()[loop.axis.getArgNumber()];
  } else {
    auto red = cast<RedOp>(binderOf(loop.axis));
    Value lower = red.lower(loop.axis.getArgNumber()), upper = red.upper(loop.axis.getArgNumber());
    lo = exprs.toExpr(lower), hi = exprs.toExpr(upper);
    collectLeaves(lower, exprs, leaves);
    collectLeaves(upper, exprs, leaves);
  }
  Range range = rangeOf(loop);
  auto bound = [&](const std::string &word) { return isBound(word); };
  auto allowed = context.cuts.find(loop.axis);
  std::vector<shape::Expr> boundaries;
  if (allowed != context.cuts.end() && !range.step)
    for (const shape::Expr &at : boundariesOf(Inside{loop.root, name, loop.deepest, loop.accumulates},
                                              {lo, hi, bound}, known.around.facts, exprs))
      if (llvm::is_contained(allowed->second, at))
        boundaries.push_back(at);
  std::vector<Piece> pieces = {Piece{{lo}, {hi}, lo, hi, {}, {}}};
  if (!boundaries.empty())
    pieces = cut(lo, hi, boundaries, known.around.facts);
  if (loop.reverse)
    std::reverse(pieces.begin(), pieces.end());
  for (const Piece &piece : pieces)
    apart([&] {
      auto end = [&](ArrayRef<shape::Expr> ends, ScalarFn choose) {
        Value outermost = choose == ScalarFn::max_ ? loop.lo : loop.hi;
        Value value = choose == ScalarFn::max_ ? range.lo : range.hi;
        if (value == outermost) // all of the axis: the pieces say where they begin
          value = {};
        for (const shape::Expr &e : ends) {
          if (value && e == (choose == ScalarFn::max_ ? lo : hi))
            continue; // a tile lies inside
          Value next = e == lo ? loop.lo : e == hi ? loop.hi : emit(e, leaves, loc);
          value = value ? buildIndex(b, loc, choose, {value, next}) : next;
        }
        return value;
      };
      Range part{end(piece.los, ScalarFn::max_), end(piece.his, ScalarFn::min_), range.step};
      forPiece(loop, piece, part, inside);
    });
}

bool BodyEmitter::isBound(const std::string &name) {
  Value value = context.exprs.valueOf(name);
  return isa_and_nonnull<BlockArgument>(value) && known.values.contains(value);
}

void BodyEmitter::forPiece(const AxisLoop &loop, const Piece &piece, const Range &range,
                           llvm::function_ref<void()> inside) {
  Location loc = binderOf(loop.axis)->getLoc();
  std::string name = context.exprs.nameOf(loop.axis);
  shape::Facts outside = known.around.facts;
  piece.assume(known.around.facts, name);
  if (loop.accumulates && termIsIdentity(loop.accumulates, known.around.facts, context.exprs))
    return;
  if (std::string text = piece.text(indexName(loop.axis).str()); !text.empty())
    onf::NoteOp::create(b, loc, text);
  auto lifts = context.lifts.find(loop.axis);
  if (lifts != context.lifts.end() && loop.deepest && !loop.reverse && !range.step && loop.collapse == 0)
    if (auto along = divisionAlong(loop.root, name, known.around, context.exprs);
        along && llvm::is_contained(lifts->second, shape::floordiv(along->x, along->m)))
      return forQuotients(loop, *along, {range.lo, range.hi}, !outside.provePositive(along->m), inside);
  Value lo = loop.parts && !range.step ? forParts(loop, range, inside) : range.lo;
  bool isEdge = loop.role == "lanes" && piece.isSingle(outside); // lanes would cost more than they do
  Value index = openLoop(b, loc, lo, range.hi, indexName(loop.axis), isEdge ? "sequential" : loop.role, loop.collapse, loop.reverse);
  complete(index, range.step, loop.copies);
  enter(loop.axis, index);
  inside();
}

/// Whole runs of parts, each part for itself; gives where the rest begins.
Value BodyEmitter::forParts(const AxisLoop &loop, const Range &range, llvm::function_ref<void()> inside) {
  Location loc = binderOf(loop.axis)->getLoc();
  auto op = [&](ScalarFn fn, Value x, Value y) { return buildIndex(b, loc, fn, {x, y}); };
  Value length = op(ScalarFn::max_, indexConstant(b, loc, 0), op(ScalarFn::sub_, range.hi, range.lo));
  Value runs = op(ScalarFn::mul_, op(ScalarFn::floordiv_, length, loop.parts), loop.parts);
  std::string name = indexName(loop.axis).str();
  Value end = onf::NamedOp::create(b, loc, b.getIndexType(), op(ScalarFn::add_, range.lo, runs), name + "_runs");
  apart([&] {
    Value first = openLoop(b, loc, range.lo, end, name + "_run", "sequential");
    complete(first, loop.parts, 0);
    part = openLoop(b, loc, indexConstant(b, loc, 0), loop.parts, "lane", "lanes");
    enter(loop.axis, op(ScalarFn::add_, first, part));
    inside();
    part = {};
  });
  return end;
}

/// The loop lifted by m: over the quotients q of x = index + rest, with the indices of each q inside.
void BodyEmitter::forQuotients(const AxisLoop &loop, Quotient along, std::pair<Value, Value> bounds, bool mayBeZero,
                               llvm::function_ref<void()> inside) {
  Location loc = binderOf(loop.axis)->getLoc();
  IndexExprs &exprs = context.exprs;
  auto op = [&](ScalarFn fn, Value x, Value y) { return buildIndex(b, loc, fn, {x, y}); };
  Value one = indexConstant(b, loc, 1);
  Value rest = emit(along.x - shape::Expr::name(exprs.nameOf(loop.axis)), {}, loc);
  Value size = emit(along.m, {}, loc), divisor = mayBeZero ? op(ScalarFn::max_, size, one) : size;
  Value first = op(ScalarFn::floordiv_, op(ScalarFn::add_, rest, bounds.first), divisor);
  Value last = op(ScalarFn::floordiv_, op(ScalarFn::sub_, op(ScalarFn::add_, rest, bounds.second), one), divisor);
  onf::NoteOp::create(b, loc, "q is " + IndexExprs::display(shape::floordiv(along.x, along.m)));
  Value q = openLoop(b, loc, first, op(ScalarFn::add_, last, one), "q", "sequential");
  along.value = shape::Expr::name(exprs.claim("q", q));
  bind(q, q);
  shape::Expr begin = along.value * along.m;
  known.around.facts.nonNegative(along.x - begin);
  known.around.facts.nonNegative(begin + along.m - shape::Expr(1) - along.x);
  known.around.quotients.push_back(along);
  Value start = op(ScalarFn::sub_, op(ScalarFn::mul_, q, size), rest);
  Value from = op(ScalarFn::max_, bounds.first, start);
  Value to = op(ScalarFn::min_, bounds.second, op(ScalarFn::add_, start, size));
  enter(loop.axis, openLoop(b, loc, from, to, indexName(loop.axis), loop.role));
  inside();
}
