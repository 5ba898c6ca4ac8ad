// Loops in pieces, and index arithmetic by the algebra where the facts of the place settle it; see
// BodyEmitter.h.
#include "ir/Gamma.h"
#include "ir/KernelFacts.h"
#include "ir/ShapeProver.h"
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
  if ((!remainder && atom.kind != shape::AtomKind::FloorDiv) || known.facts.provePositive(atom.args[1]))
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
    std::optional<bool> known = decide(op.getResult(), this->known.facts, exprs);
    return known ? ConstantOp::create(b, loc, b.getBoolAttr(*known)).getResult() : Value();
  }
  if (!isStep(op) || op.getChecked())
    return {};
  shape::Expr e = exprs.toExpr(op.getResult()), simple = resolve(e, known.axes, known.facts);
  auto alike = [](const shape::Expr &x) { return shape::asAtom(x) != nullptr && !x.asName(); };
  if (simple == e && alike(e))
    return {};
  Leaves leaves;
  collectLeaves(op.getResult(), exprs, leaves);
  return emit(simple, leaves, loc);
}

/// The offset of a read whose divisions cancel in γ: A[x // M, x % M] of a row-major A is at x.
Value BodyEmitter::flatOffset(PsiOp op, const Storage &place) {
  shape::Index subscripts;
  shape::Extents extents;
  Leaves leaves;
  unsigned divisions = 0;
  for (unsigned axis : place.axes) {
    subscripts.push_back(context.exprs.toExpr(op.getSubscripts()[axis]));
    extents.push_back(cast<ArrayType>(op.getArray().getType()).extents()[axis]);
    collectLeaves(op.getSubscripts()[axis], context.exprs, leaves);
    divisions += countDivisions(subscripts.back());
  }
  if (divisions == 0)
    return {};
  shape::Expr offset = place.columnMajor ? shape::gammaCol(subscripts, extents)
                                         : shape::gammaRow(subscripts, extents);
  shape::Expr flat = shape::expandMods(offset);
  if (flat.poisoned() || countDivisions(flat) > 0)
    return {};
  return emit(flat, leaves, op.getLoc());
}

void BodyEmitter::hoistDivisions(Value root) {
  IndexExprs &exprs = context.exprs;
  SmallVector<ScalarOp> found;
  visitLive(root, known.facts, exprs, [&](Operation *op, const shape::Facts &, unsigned) {
    if (!isStep(op) || known.values.contains(op->getResult(0)))
      return;
    auto scalar = cast<ScalarOp>(op);
    bool divides = scalar.kind() == ScalarFn::floordiv_ || scalar.kind() == ScalarFn::mod_;
    if (!divides || scalar.getChecked())
      return;
    Leaves leaves;
    collectLeaves(scalar.getResult(), exprs, leaves);
    for (auto &[name, value] : leaves)
      if (!isa<BlockArgument>(value) || !known.values.contains(value))
        return;
    if (known.facts.provePositive(exprs.toExpr(scalar.getOperand(1))))
      found.push_back(scalar);
  });
  for (ScalarOp scalar : found)
    emit(scalar.getResult());
}

bool BodyEmitter::mayFail(Value root) {
  bool checks = false;
  visitLive(root, known.facts, context.exprs, [&](Operation *op, const shape::Facts &, unsigned) {
    auto psi = dyn_cast<PsiOp>(op);
    auto scalar = dyn_cast<ScalarOp>(op);
    checks |= (psi && !psi.getChecked().empty()) || (scalar && scalar.getChecked());
  });
  return checks;
}

void BodyEmitter::apart(llvm::function_ref<void()> emission) {
  OpBuilder::InsertionGuard keep(b);
  Known outer = known;
  emission();
  known = std::move(outer);
}

void BodyEmitter::forPieces(const AxisLoop &loop, llvm::function_ref<void()> inside) {
  if (loop.lo == loop.hi)
    return;
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
  auto bound = [&](const std::string &word) {
    Value value = exprs.valueOf(word);
    return isa_and_nonnull<BlockArgument>(value) && known.values.contains(value);
  };
  auto allowed = context.cuts.find(loop.axis);
  std::vector<shape::Expr> boundaries;
  if (allowed != context.cuts.end())
    for (const shape::Expr &at : boundariesOf(Inside{loop.root, name, loop.deepest}, {lo, hi, bound},
                                              known.facts, exprs))
      if (llvm::is_contained(allowed->second, at))
        boundaries.push_back(at);
  std::vector<Piece> pieces = {Piece{{lo}, {hi}, lo, hi, {}, {}}};
  if (!boundaries.empty())
    pieces = cut(lo, hi, boundaries, known.facts);
  if (loop.reverse)
    std::reverse(pieces.begin(), pieces.end());
  for (const Piece &piece : pieces) {
    OpBuilder::InsertionGuard keep(b);
    Known outer = known;
    auto end = [&](ArrayRef<shape::Expr> ends, ScalarFn choose) {
      Value value;
      for (const shape::Expr &e : ends) {
        Value next = e == lo ? loop.lo : e == hi ? loop.hi : emit(e, leaves, loc);
        value = value ? buildIndex(b, loc, choose, {value, next}) : next;
      }
      return value;
    };
    Value from = end(piece.los, ScalarFn::max_), to = end(piece.his, ScalarFn::min_);
    piece.assume(known.facts, name);
    if (!loop.accumulates || !termIsIdentity(loop.accumulates, known.facts, exprs)) {
      if (std::string text = piece.text(name); !text.empty())
        onf::NoteOp::create(b, loc, text);
      enter(loop.axis, openLoop(b, loc, from, to, indexName(loop.axis), loop.role, 0, loop.reverse));
      inside();
    }
    known = std::move(outer);
  }
}
