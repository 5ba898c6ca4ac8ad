// What surrounds the laws: which arrays are kept before they run, and how the kernel is left after them.
#include "passes/PsiLaws.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// An operation that gives elements their values, and is worth doing once; others only say where an element comes from.
bool computes(Operation *op) { return isa<CatOp, MapOp, OuterOp, InnerOp, ReduceOp, ScanOp, OmegaOp>(op); }

bool isStructure(Operation *op) {
  return computes(op) || isa<IotaOp, VectorOp, TakeOp, DropOp, SliceOp, ReverseOp, RotateOp, TransposeOp, ReshapeOp>(op);
}

/// How often an element of `array` is asked for in the text, up to two: each use of a cell, or of an array that only moves
/// elements, counts by itself.
unsigned readers(Value array) {
  unsigned count = 0;
  for (OpOperand &use : array.getUses()) {
    Operation *user = use.getOwner();
    bool moves = (isStructure(user) && !computes(user)) || (isa<PsiOp>(user) && isa<ArrayType>(user->getResult(0).getType()));
    if (auto omega = dyn_cast<OmegaOp>(user)) {
      BlockArgument cell = omega.entry().getArgument(use.getOperandNumber());
      count += isa<ArrayType>(cell.getType()) ? readers(cell) : 1;
    } else {
      count += moves ? readers(user->getResult(0)) : 1;
    }
    if (count > 1)
      break;
  }
  return count;
}

/// The stage or result that a computation ends up in: what names derived from it begin with.
std::string ownerOf(Operation *op) {
  for (unsigned steps = 0; steps < 64 && !op->use_empty(); ++steps) {
    Operation *user = *op->user_begin();
    if (auto ret = dyn_cast<ReturnOp>(user))
      return cast<StringAttr>(ret->getParentOfType<KernelOp>().getResults()[op->use_begin()->getOperandNumber()]).str();
    for (Operation *parent = user->getParentOp(); parent; parent = parent->getParentOp())
      if (auto gen = dyn_cast<GenOp>(parent); gen && isa<KernelOp>(parent->getParentOp()))
        return gen.getName().str();
    while (user && !isStructure(user))
      user = user->getParentOp();
    if (!user || user->getNumResults() != 1)
      break;
    op = user;
  }
  return "";
}

std::string derivedName(Operation *op) {
  std::string word = op->getName().stripDialect().str(), owner = ownerOf(op);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    word = llvm::StringSwitch<std::string>(reduce.getKind()).Case("add", "sum").Case("mul", "prod").Default(reduce.getKind().str());
  return owner.empty() ? word : owner + "_" + word;
}

/// Each result is a gen of the kernel that no other result is.
void ownResults(KernelOp kernel) {
  auto ret = cast<ReturnOp>(kernel.entry().back());
  llvm::SmallPtrSet<Operation *, 4> taken;
  OpBuilder b(ret);
  for (unsigned i = 0; i < ret.getNumOperands(); ++i) {
    auto gen = ret.getOperand(i).getDefiningOp<GenOp>();
    if (gen && !gen->hasAttr("anonymous") && taken.insert(gen).second)
      continue;
    gen = gatherGen(b, ret.getLoc(), ret.getOperand(i), cast<StringAttr>(kernel.getResults()[i]).getValue());
    gen.getResult().setType(cast<ArrayType>(ret.getOperand(i).getType()));
    ret.setOperand(i, gen.getResult());
    taken.insert(gen);
    reportLaw(ret.getLoc(), gatherText(), gen);
  }
}

/// A weak integer is stored as i64.
void storeWeakIntegers(GenOp gen) {
  ArrayType type = gen.arrayType();
  if (!type.getElementType().isIndex())
    return;
  Location loc = gen.getLoc();
  OpBuilder b(gen.entry().getTerminator());
  Type stored = b.getI64Type();
  gen.entry().getTerminator()->setOperand(0, CastOp::create(b, loc, stored, gen.yielded()));
  gen.getResult().setType(ArrayType::get(b.getContext(), type.getExtentTexts(), stored, type.getColumnMajor()));
  for (Operation *user : llvm::make_early_inc_range(gen.getResult().getUsers())) {
    auto psi = cast<PsiOp>(user);
    b.setInsertionPointAfter(psi);
    psi.getResult().setType(stored);
    auto cast = CastOp::create(b, psi.getLoc(), b.getIndexType(), psi.getResult());
    psi.getResult().replaceAllUsesExcept(cast.getResult(), cast);
  }
}
} // namespace

void moac::prepareReads(KernelOp kernel) {
  ownResults(kernel);
  StageNames names(kernel);
  SmallVector<Operation *> shared;
  kernel.walk([&](Operation *op) {
    bool nameless = isa<GenOp>(op) && op->hasAttr("anonymous");
    if ((!nameless && !computes(op)) || readers(op->getResult(0)) < 2)
      return;
    if (nameless) // a stage already, and now for good
      op->removeAttr("anonymous");
    else
      shared.push_back(op);
  });
  IRRewriter rewriter(kernel.getContext());
  for (Operation *op : shared)
    nameArray(op, derivedName(op), names, rewriter);
}

void moac::finishReads(KernelOp kernel) {
  stageScalars(kernel);
  canonicaliseIndices(kernel);
  SmallVector<GenOp> gens;
  kernel.walk([&](GenOp gen) { gens.push_back(gen); });
  llvm::for_each(gens, storeWeakIntegers);
}
