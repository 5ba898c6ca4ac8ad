// Scalars that were computed from arrays outside of every stage: `A / sqrt(sum(A * A))`, with the sum made once.
//
// The DNF has computations in stages only. A reduction at the kernel's level becomes a stage of rank 0, and so does any other
// scalar of data that stages use; each use reads it there.
#include "passes/PsiLaws.h"
#include "passes/Slice.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// The stage that first uses a value of the kernel's body, for names derived from it.
std::string firstUser(Value value) {
  for (Operation *user : value.getUsers())
    for (Operation *parent = user; parent; parent = parent->getParentOp())
      if (auto gen = dyn_cast<GenOp>(parent); gen && isa<KernelOp>(parent->getParentOp()))
        return gen.getName().str() + "_";
  return "";
}

StringRef wordOf(Operation *op) {
  if (auto red = dyn_cast<RedOp>(op))
    return llvm::StringSwitch<StringRef>(red.getKind()).Case("add", "sum").Case("mul", "prod").Default(red.getKind());
  auto scalar = dyn_cast<ScalarOp>(op);
  return scalar ? scalar.getFn() : op->getName().stripDialect();
}

class ScalarStages {
public:
  explicit ScalarStages(KernelOp kernel) : kernel(kernel), names(kernel), b(kernel.getContext()) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(kernel.entry()))
      if (!isa<GenOp, RequireOp, ReturnOp>(op) && dependsOnData(&op)) {
        data.insert(&op);
        if (isa<RedOp>(op) || usedInStage(op.getResult(0)))
          makeStage(&op);
      }
    for (Operation *op : llvm::reverse(data))
      if (op->use_empty())
        op->erase();
  }

private:
  bool dependsOnData(Operation *op) const {
    if (isa<PsiOp, RedOp>(op))
      return true;
    bool depends = false;
    op->walk([&](Operation *inner) {
      depends |= isa<PsiOp, RedOp>(inner) || llvm::any_of(inner->getOperands(), [&](Value v) { return data.contains(v.getDefiningOp()); });
    });
    return depends;
  }

  bool usedInStage(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return !isa<KernelOp>(user->getParentOp()) && !isInData(user); });
  }
  /// Inside the region of a scalar of the kernel's body: that one becomes a stage itself.
  bool isInData(Operation *op) const {
    while (!isa<KernelOp>(op->getParentOp()))
      op = op->getParentOp();
    return !isa<GenOp>(op);
  }

  /// value = gen[] of value; uses read it where they are.
  void makeStage(Operation *op) {
    Value value = op->getResult(0);
    Location loc = op->getLoc();
    if (auto psi = dyn_cast<PsiOp>(op); !psi || psi.getArray().getDefiningOp<GenOp>() == nullptr || !psi.getSubscripts().empty()) {
      b.setInsertionPointAfter(op);
      auto type = ArrayType::get(b.getContext(), ArrayRef<StringAttr>{}, value.getType(), false);
      auto gen = GenOp::create(b, loc, type, b.getStringAttr(names.fresh(firstUser(value) + wordOf(op).str())), b.getArrayAttr({}));
      b.setInsertionPointToStart(b.createBlock(&gen.getBody()));
      IRMapping map;
      Value own = cloneWithData(op, map);
      YieldOp::create(b, loc, own);
      stageOf[op] = gen.getResult();
    } else {
      stageOf[op] = psi.getArray();
    }
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses()))
      if (!isa<KernelOp>(use.getOwner()->getParentOp()) && !isInData(use.getOwner())) {
        b.setInsertionPoint(use.getOwner());
        use.set(readStage(op, loc));
      }
  }

  Value readStage(Operation *op, Location loc) {
    return PsiOp::create(b, loc, op->getResult(0).getType(), stageOf.lookup(op), ValueRange{}, b.getDenseI64ArrayAttr({}));
  }

  /// `op` and the scalars of data it needs, at the builder's place; those that are stages are read.
  Value cloneWithData(Operation *op, IRMapping &map) {
    llvm::SetVector<Operation *> needed;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && def != op && data.contains(def))
          needed.insert(def);
    });
    for (Operation *def : needed)
      if (!map.contains(def->getResult(0)))
        map.map(def->getResult(0), stageOf.contains(def) ? readStage(def, def->getLoc()) : cloneWithData(def, map));
    return b.clone(*op, map)->getResult(0);
  }

  KernelOp kernel;
  StageNames names;
  OpBuilder b;
  llvm::SetVector<Operation *> data;
  llvm::DenseMap<Operation *, Value> stageOf;
};
} // namespace

void moac::stageScalars(KernelOp kernel) { ScalarStages(kernel).run(); }
