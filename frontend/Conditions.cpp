// What is evaluated only when it is needed: where, and, or, chained comparisons. See Analyzer.h.
//
// A side that may be left out is translated into a block of its own, in a context that knows the
// condition. For `and` and `or` the block is dissolved again when evaluating it can neither fail
// nor cost: the strict operations keep conditions in a form that later passes recognise.
#include "frontend/Analyzer.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;
using moa::ScalarFn;

Analyzer::Branch Analyzer::branch(Value guard, bool holds, const std::function<Val()> &fill) {
  OpBuilder::InsertionGuard keep(emit.b);
  Branch result{std::make_unique<Block>(), {}};
  emit.b.setInsertionPointToEnd(result.block.get());
  ranges->enterGuard(guard, holds);
  result.val = fill();
  ranges->leave();
  return result;
}

Val Analyzer::where(const ast::Call &expr) {
  Val condition = visit(*expr.args[0]);
  bool scalar = condition.isBool();
  if (condition.isArray() && condition.scalarType().isInteger(1)) {
    // Each element decides for itself; nothing is known where the sides are translated.
  } else if (!isBool(condition, "the condition of 'where'")) {
    condition = poison();
  }
  Value guard = scalar ? condition.ir : Value();
  Branch yes = branch(guard, true, [&] { return visit(*expr.args[1]); });
  Branch no = branch(guard, false, [&] { return visit(*expr.args[2]); });
  if (condition.poison() || yes.val.poison() || no.val.poison()) {
    discard(std::move(yes.block));
    discard(std::move(no.block));
    return poison();
  }
  if (condition.isArray() || yes.val.isArray() || no.val.isArray())
    return whereArrays(condition, std::move(yes), std::move(no), expr.range);
  return whereScalars(condition, std::move(yes), std::move(no), expr.range);
}

Val Analyzer::whereScalars(const Val &condition, Branch yes, Branch no, SourceRange at) {
  Meeting met = emit.meet(Vals{yes.val, no.val}, at, "'where'", /*allowBool=*/true);
  if (!met) {
    discard(std::move(yes.block));
    discard(std::move(no.block));
    return poison();
  }
  auto op = moa::WhereOp::create(emit.b, emit.loc(at), met.type, condition.ir);
  auto finish = [&](Branch &side, Region &region) {
    OpBuilder::InsertionGuard keep(emit.b);
    region.push_back(side.block.release());
    emit.b.setInsertionPointToEnd(&region.front());
    moa::YieldOp::create(emit.b, emit.loc(side.val.range), emit.coerce(side.val, met));
  };
  finish(yes, op.getThenRegion());
  finish(no, op.getElseRegion());
  Val result = emit.make(met, op.getResult(), at);
  if (met.kind == Kind::WeakInt && yes.val.literal && no.val.literal)
    result.literal = std::pair(std::min(yes.val.literal->first, no.val.literal->first),
                               std::max(yes.val.literal->second, no.val.literal->second));
  if (yes.val.narrow && yes.val.narrow == no.val.narrow)
    result.narrow = yes.val.narrow;
  return result;
}

/// Some part is an array: the choice is made for each element, inside a gen, where the other side is
/// not read.
Val Analyzer::whereArrays(const Val &condition, Branch yes, Branch no, SourceRange at) {
  return genArrays({condition, yes.val, no.val}, at, [&](const Elements &elements) {
    Val chosen = condition.isArray() ? elements(0) : condition;
    auto into = [&](Branch &side, unsigned i) {
      OpBuilder::InsertionGuard keep(emit.b);
      emit.b.setInsertionPointToEnd(side.block.get());
      if (side.val.isArray())
        side.val = elements(i);
    };
    into(yes, 1);
    into(no, 2);
    return whereScalars(chosen, std::move(yes), std::move(no), at);
  });
}

Val Analyzer::logical(const ast::Logical &expr) {
  bool isAnd = expr.op == ast::Op::And;
  Val lhs = visit(*expr.lhs);
  return lazyLogic(
      isAnd, lhs, [&] { return visit(*expr.rhs); }, expr.range, isAnd ? "'and'" : "'or'");
}

namespace {
/// Evaluating these operations is always safe and takes no loop and no memory access.
bool isSpeculatable(Block &block) {
  return llvm::all_of(block, [](Operation &op) {
    if (auto scalar = dyn_cast<moa::ScalarOp>(op)) {
      bool divides = scalar.kind() == ScalarFn::floordiv_ || scalar.kind() == ScalarFn::mod_;
      return !divides || scalar.getOperand(1).getDefiningOp<moa::ConstantOp>();
    }
    return isa<moa::ConstantOp, moa::CastOp>(op);
  });
}
} // namespace

Val Analyzer::lazyLogic(bool isAnd, Val lhs, const std::function<Val()> &rhs, SourceRange at,
                        std::string_view text) {
  bool array = lhs.isArray();
  bool usable = array || isBool(lhs, text);
  Branch side = branch(usable && !array ? lhs.ir : Value(), isAnd, rhs);
  auto dissolve = [&] {
    Block *here = emit.b.getInsertionBlock();
    here->getOperations().splice(emit.b.getInsertionPoint(), side.block->getOperations());
  };
  ScalarFn fn = isAnd ? ScalarFn::and_ : ScalarFn::or_;
  if (usable && (array || side.val.isArray()) && !side.val.poison()) {
    dissolve();
    return mapArrays({lhs, side.val}, at, [&](const Elements &elements) {
      return logicOp(fn, {elements(0), elements(1)}, at, text);
    });
  }
  if (!usable || !isBool(side.val, text)) {
    discard(std::move(side.block));
    return poison();
  }
  if (isSpeculatable(*side.block)) {
    dissolve();
    return logicOp(fn, {lhs, side.val}, at, text);
  }
  Branch known{std::make_unique<Block>(), {}};
  {
    OpBuilder::InsertionGuard keep(emit.b);
    emit.b.setInsertionPointToEnd(known.block.get());
    known.val = emit.boolean(!isAnd, at);
  }
  if (isAnd)
    return whereScalars(lhs, std::move(side), std::move(known), at);
  return whereScalars(lhs, std::move(known), std::move(side), at);
}

Val Analyzer::compare(const ast::Compare &expr) { return chain(expr, 0, visit(*expr.operands[0])); }

/// `a <= b < c` is `a <= b and b < c` with b evaluated once.
Val Analyzer::chain(const ast::Compare &expr, size_t at, Val lhs) {
  Val rhs = visit(*expr.operands[at + 1]);
  ast::FnRef fn;
  fn.kind = ast::FnRef::Kind::Symbol;
  fn.op = expr.ops[at];
  fn.range = expr.opRanges[at];
  SourceRange pair = join(expr.operands[at]->range, expr.operands[at + 1]->range);
  Val first = apply(fn, {lhs, rhs}, pair);
  if (at + 1 == expr.ops.size() || first.poison())
    return first;
  return lazyLogic(
      true, first, [&] { return chain(expr, at + 1, rhs); }, expr.range, "'and'");
}

} // namespace moac::sema
