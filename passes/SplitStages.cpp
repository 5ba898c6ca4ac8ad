// Each reduction becomes a stage, so that it is computed once for each index it depends on: O[b,i,p] = N / D with
// D = sum[k] P[b,i,k] free of p is one D for all p. The normal form that results is the DNF.
#include "passes/Checks.h"
#include "passes/Lift.h"
#include "passes/Passes.h"
#include "passes/SameValue.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_SPLITSTAGES
#include "passes/Passes.h.inc"

namespace {
StringRef word(StringRef kind) {
  return llvm::StringSwitch<StringRef>(kind).Case("add", "sum").Case("mul", "prod").Default(kind);
}

/// where(guard, bound, other) at the end of a domain region. What must not be computed elsewhere is computed under the guard.
Value guardedBound(Block &domain, Value bound, Value guard, llvm::function_ref<Value(OpBuilder &)> other) {
  OpBuilder b(domain.getTerminator());
  auto where = moa::WhereOp::create(b, bound.getLoc(), bound.getType(), guard);
  OpBuilder inside = OpBuilder::atBlockEnd(&where.getThenRegion().emplaceBlock());
  IRMapping map;
  if (relyOnGuards(bound))
    for (Operation &op : llvm::make_range(domain.begin(), where->getIterator()))
      inside.clone(op, map);
  moa::YieldOp::create(inside, bound.getLoc(), map.lookupOrDefault(bound));
  OpBuilder outside = OpBuilder::atBlockEnd(&where.getElseRegion().emplaceBlock());
  moa::YieldOp::create(outside, bound.getLoc(), other(outside));
  return where.getResult();
}

/// red over a domain that is empty where the guard fails: [lo, hi) becomes [lo, where(guard, hi, lo)).
void guardDomain(moa::RedOp red, Value guard) {
  Block &domain = red.domain(0);
  Operation *yield = domain.getTerminator();
  Value lo = yield->getOperand(0), hi = yield->getOperand(1);
  auto zero = [&](OpBuilder &b) { return zeroOf(b, red.getLoc(), lo.getType()); };
  Value top = guardedBound(domain, hi, guard, [&](OpBuilder &b) { return relyOnGuards(lo) ? zero(b) : lo; });
  if (relyOnGuards(lo))
    yield->setOperand(0, guardedBound(domain, lo, guard, zero));
  yield->setOperand(1, top);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(domain)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// A copy of `red` that computes under its own indices what must not be computed where its guard fails.
moa::RedOp cloneUnderGuard(moa::RedOp red, IRMapping &map, OpBuilder &b) {
  Operation *stage = enclosingStage(red);
  auto outside = [&](Operation *whole, llvm::function_ref<void(OpOperand &)> visit) {
    whole->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (Operation *def = operand.get().getDefiningOp(); def && stage->isAncestor(def) && !whole->isAncestor(def))
          visit(operand);
    });
  };
  outside(red, [&](OpOperand &operand) {
    if (!relyOnGuards(operand.get()))
      cloneSlice(operand.get(), map, b);
  });
  auto own = cast<moa::RedOp>(b.clone(*red, map));
  std::vector<IRMapping> local(own->getNumRegions(), map);
  outside(own, [&](OpOperand &operand) {
    Region *region = operand.getOwner()->getParentRegion();
    while (region->getParentOp() != own)
      region = region->getParentOp()->getParentRegion();
    OpBuilder start = OpBuilder::atBlockBegin(&region->front());
    operand.set(cloneSlice(operand.get(), local[region->getRegionNumber()], start));
  });
  return own;
}

/// The stored type of a weak integer is i64.
Type storedType(Type type) { return type.isIndex() ? IntegerType::get(type.getContext(), 64) : type; }

void split(moa::RedOp red, Lifter &lifter) {
  auto frame = lifter.frameOf(red);
  if (!frame)
    return;
  auto guards = lifter.neededGuards(red, *frame);
  if (!guards || (!guards->empty() && red.isFold()))
    return;
  moa::GenOp owner = enclosingStage(red);
  Type type = red.getResult().getType();
  IRMapping map;
  auto gen = lifter.makeGen(red, *frame, {}, {}, storedType(type),
                            lifter.freshName((owner.getName() + "_" + word(red.getKind())).str()), map);
  OpBuilder b = OpBuilder::atBlockEnd(&gen.entry());
  Value guard = lifter.guardValue(*guards, map, b);
  Value value = guard ? cloneUnderGuard(red, map, b).getResult() : cloneSlice(red.getResult(), map, b);
  if (guard)
    guardDomain(value.getDefiningOp<moa::RedOp>(), guard);
  if (value.getType() != storedType(type))
    value = moa::CastOp::create(b, red.getLoc(), storedType(type), value);
  moa::YieldOp::create(b, red.getLoc(), value);

  OpBuilder at(red);
  Value read = moa::PsiOp::create(at, red.getLoc(), storedType(type), gen.getResult(),
                                  SmallVector<Value>(frame->indices.begin(), frame->indices.end()),
                                  at.getDenseI64ArrayAttr({}));
  if (read.getType() != type)
    read = moa::CastOp::create(at, red.getLoc(), type, read);
  red.getResult().replaceAllUsesWith(read);
  red.erase();
}

struct SplitStages : impl::SplitStagesBase<SplitStages> {
  void runOnOperation() override {
    removeUnused();
    SmallVector<moa::GenOp> stages(getOperation().entry().getOps<moa::GenOp>());
    Lifter lifter(getOperation());
    for (moa::GenOp stage : stages) {
      SmallVector<moa::RedOp> reds; // inner before outer
      stage.walk([&](moa::RedOp red) {
        if (stage.yielded() != red.getResult())
          reds.push_back(red);
      });
      for (moa::RedOp red : reds)
        split(red, lifter);
    }
    for (auto stage : getOperation().entry().getOps<moa::GenOp>())
      distinguishIndices(stage);
    mergeEqual();
    removeUnused();
    getOperation().setDnf(true);
  }

  /// A stage that no name in the program stands for and that computes what an earlier one does is that one: words that expand
  /// into the same maximum share it.
  void mergeEqual() {
    SmallVector<moa::GenOp> kept;
    for (auto stage : llvm::make_early_inc_range(getOperation().entry().getOps<moa::GenOp>())) {
      auto *same = stage->hasAttr("source") ? kept.end() : llvm::find_if(kept, [&](moa::GenOp earlier) { return areEqual(earlier, stage); });
      if (same == kept.end()) {
        kept.push_back(stage);
        continue;
      }
      stage.getResult().replaceAllUsesWith(same->getResult());
      stage.erase();
    }
  }
  static bool areEqual(moa::GenOp a, moa::GenOp b) {
    if (a.getResult().getType() != b.getResult().getType())
      return false;
    SameValue same;
    for (auto [x, y] : llvm::zip(a.entry().getArguments(), b.entry().getArguments()))
      same.match(x, y);
    return same(a.yielded(), b.yielded());
  }

  /// What laws have left behind must neither become a stage nor be scheduled.
  void removeUnused() {
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
} // namespace moac
