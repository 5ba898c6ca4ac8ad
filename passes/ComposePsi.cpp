// Law psi-psi: j psi (i psi A) == (i ++ j) psi A. It shrinks the number of partial reads, so it terminates.
#include "passes/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_COMPOSEPSI
#include "passes/Passes.h.inc"

namespace {
/// gen[i...] A[i...]: the array itself, as a stage of its own.
moa::GenOp copyGen(OpBuilder &b, Location loc, Value array, StringRef name) {
  auto type = cast<moa::ArrayType>(array.getType());
  SmallVector<Attribute> names;
  for (int64_t i = 0; i < type.rank(); ++i)
    names.push_back(b.getStringAttr("i" + std::to_string(i)));
  auto gen = moa::GenOp::create(b, loc, type, b.getStringAttr(name), b.getArrayAttr(names));
  Block &body = gen.getBody().emplaceBlock();
  for (int64_t i = 0; i < type.rank(); ++i)
    body.addArgument(b.getIndexType(), loc);
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  Value element = moa::PsiOp::create(inner, loc, moa::valueType(type.getElementType()), array,
                                     SmallVector<Value>(body.getArguments()), inner.getDenseI64ArrayAttr({}));
  moa::YieldOp::create(inner, loc, element);
  return gen;
}

moa::PsiOp compose(moa::PsiOp outer, moa::PsiOp inner) {
  SmallVector<Value> subscripts(inner.getSubscripts());
  llvm::append_range(subscripts, outer.getSubscripts());
  SmallVector<int64_t> checked(inner.getChecked());
  for (int64_t axis : outer.getChecked())
    checked.push_back(axis + inner.getSubscripts().size());
  OpBuilder b(outer);
  auto full = moa::PsiOp::create(b, outer.getLoc(), outer.getResult().getType(), inner.getArray(), subscripts,
                                 b.getDenseI64ArrayAttr(checked));
  remark::passed(outer.getLoc(), remark::RemarkOpts::name("psi-psi").category("psi")) << "j psi (i psi A) == (i ++ j) psi A";
  outer.getResult().replaceAllUsesWith(full.getResult());
  outer.erase();
  return full;
}

struct ComposePsi : impl::ComposePsiBase<ComposePsi> {
  void runOnOperation() override {
    // In order of definition: a read of a read comes later, and composing it leaves a shorter chain in its place.
    SmallVector<moa::PsiOp> partial;
    llvm::DenseMap<Operation *, unsigned> place;
    getOperation().walk<WalkOrder::PreOrder>([&](moa::PsiOp psi) {
      if (isa<moa::ArrayType>(psi.getResult().getType())) {
        place[psi] = partial.size();
        partial.push_back(psi);
      }
    });
    for (unsigned i = 0; i < partial.size(); ++i) {
      moa::PsiOp psi = partial[i];
      for (Operation *user : llvm::make_early_inc_range(psi.getResult().getUsers())) {
        auto outer = dyn_cast<moa::PsiOp>(user);
        if (!outer || outer.getArray() != psi.getResult())
          continue;
        auto known = place.find(outer);
        unsigned at = known == place.end() ? 0 : known->second;
        moa::PsiOp full = compose(outer, psi);
        if (at)
          partial[at] = full;
      }
      if (!psi.getResult().use_empty()) {
        OpBuilder b(psi->getContext());
        b.setInsertionPointAfter(psi);
        auto gen = copyGen(b, psi.getLoc(), psi.getResult(), "part");
        psi.getResult().replaceUsesWithIf(gen.getResult(), [&](OpOperand &use) { return !gen->isAncestor(use.getOwner()); });
        auto read = cast<moa::PsiOp>(gen.yielded().getDefiningOp());
        compose(read, psi);
      }
      psi.erase();
    }
    ownResults();
  }

  /// Each result is a gen of the kernel that no other result is.
  void ownResults() {
    auto kernel = getOperation();
    auto ret = cast<moa::ReturnOp>(kernel.entry().back());
    llvm::SmallPtrSet<Operation *, 4> taken;
    OpBuilder b(ret);
    for (unsigned i = 0; i < ret.getNumOperands(); ++i) {
      auto gen = ret.getOperand(i).getDefiningOp<moa::GenOp>();
      if (gen && taken.insert(gen).second)
        continue;
      auto copy = copyGen(b, ret.getLoc(), ret.getOperand(i), cast<StringAttr>(kernel.getResults()[i]).getValue());
      ret.setOperand(i, copy.getResult());
      taken.insert(copy);
    }
  }
};
} // namespace
} // namespace moac
