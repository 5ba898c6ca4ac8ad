// Each reduction becomes a stage, so that it is computed once for each index it depends on: O[b,i,p] = N / D with
// D = sum[k] P[b,i,k] free of p is one D for all p. The normal form that results is the DNF.
#include "passes/Lift.h"
#include "passes/Passes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_SPLITSTAGES
#include "passes/Passes.h.inc"

namespace {
StringRef word(StringRef kind) {
  return llvm::StringSwitch<StringRef>(kind).Case("add", "sum").Case("mul", "prod").Default(kind);
}

/// red over a domain that is empty where the guard fails: [lo, hi) becomes [lo, where(guard, hi, lo)).
void guardDomain(moa::RedOp red, Value guard) {
  Operation *yield = red.domain(0).getTerminator();
  OpBuilder b(yield);
  Value lo = yield->getOperand(0), hi = yield->getOperand(1);
  auto where = moa::WhereOp::create(b, red.getLoc(), hi.getType(), guard);
  OpBuilder thenBuilder = OpBuilder::atBlockEnd(&where.getThenRegion().emplaceBlock());
  moa::YieldOp::create(thenBuilder, red.getLoc(), hi);
  OpBuilder elseBuilder = OpBuilder::atBlockEnd(&where.getElseRegion().emplaceBlock());
  moa::YieldOp::create(elseBuilder, red.getLoc(), lo);
  yield->setOperand(1, where.getResult());
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
  Value value = cloneSlice(red.getResult(), map, b);
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
    getOperation().setDnf(true);
  }
};
} // namespace
} // namespace moac
