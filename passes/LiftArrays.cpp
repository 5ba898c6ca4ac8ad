// Arrays inside arrays: a row defined for each i is a matrix. The DNF has stages only at the kernel's level.
#include "passes/Lift.h"
#include "passes/Passes.h"
#include "passes/Substitute.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_LIFTARRAYS
#include "passes/Passes.h.inc"

namespace {
/// where(guard, value, 0) around the value that `build` makes.
Value guarded(OpBuilder &b, Location loc, Value guard, Type type, llvm::function_ref<Value(OpBuilder &)> build) {
  if (!guard)
    return build(b);
  auto where = moa::WhereOp::create(b, loc, type, guard);
  OpBuilder thenBuilder = OpBuilder::atBlockEnd(&where.getThenRegion().emplaceBlock());
  moa::YieldOp::create(thenBuilder, loc, build(thenBuilder));
  OpBuilder elseBuilder = OpBuilder::atBlockEnd(&where.getElseRegion().emplaceBlock());
  moa::YieldOp::create(elseBuilder, loc, zeroOf(elseBuilder, loc, type));
  return where.getResult();
}

bool lift(moa::GenOp nested, Lifter &lifter) {
  auto frame = lifter.frameOf(nested);
  if (!frame)
    return false;
  auto guards = lifter.neededGuards(nested, *frame);
  if (!guards)
    return false;
  SmallVector<StringAttr> names;
  for (Attribute name : nested.getIndices())
    names.push_back(cast<StringAttr>(name));
  moa::ArrayType type = nested.arrayType();
  IRMapping map;
  auto gen = lifter.makeGen(nested, *frame, names, type.extents(), type.getElementType(),
                            lifter.freshName(nested.getName().str()), map);
  auto arguments = gen.entry().getArguments().drop_front(frame->indices.size());
  for (auto [own, argument] : llvm::zip(nested.entry().getArguments(), arguments))
    map.map(own, argument);
  OpBuilder b = OpBuilder::atBlockEnd(&gen.entry());
  Value guard = lifter.guardValue(*guards, map, b);
  Value value = guarded(b, nested.getLoc(), guard, nested.yielded().getType(),
                        [&](OpBuilder &at) { return cloneSlice(nested.yielded(), map, at); });
  moa::YieldOp::create(b, nested.getLoc(), value);

  for (Operation *user : llvm::make_early_inc_range(nested.getResult().getUsers())) {
    auto psi = cast<moa::PsiOp>(user);
    SmallVector<Value> subscripts(frame->indices.begin(), frame->indices.end());
    llvm::append_range(subscripts, psi.getSubscripts());
    SmallVector<int64_t> checked;
    for (int64_t axis : psi.getChecked())
      checked.push_back(axis + frame->indices.size());
    OpBuilder at(psi);
    auto read = moa::PsiOp::create(at, psi.getLoc(), psi.getResult().getType(), gen.getResult(), subscripts,
                                   at.getDenseI64ArrayAttr(checked));
    psi.getResult().replaceAllUsesWith(read.getResult());
    psi.erase();
  }
  nested.erase();
  return true;
}

struct LiftArrays : impl::LiftArraysBase<LiftArrays> {
  void runOnOperation() override {
    SmallVector<moa::GenOp> nested; // inner before outer
    getOperation().walk([&](moa::GenOp gen) {
      if (!isa<moa::KernelOp>(gen->getParentOp()))
        nested.push_back(gen);
    });
    Lifter lifter(getOperation());
    for (moa::GenOp gen : nested) {
      // A lone partial use (a return inside a gen does not exist) cannot occur: reads are full by now.
      if (!lift(gen, lifter))
        substituteReads(gen);
    }
  }
};
} // namespace
} // namespace moac
