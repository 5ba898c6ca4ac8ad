// Backward slices, free indices and guards of values inside gens; see Slice.h.
#include "passes/Slice.h"

#include <set>

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Operation *moac::binderOf(BlockArgument index) { return index.getOwner()->getParentOp(); }

bool moac::isIndex(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<GenOp, RedOp>(binderOf(argument)) && value.getType().isIndex();
}

StringRef moac::indexName(BlockArgument index) {
  Operation *binder = binderOf(index);
  auto names = isa<GenOp>(binder) ? cast<GenOp>(binder).getIndices() : cast<RedOp>(binder).getIndices();
  // The combine region of a fold has arguments that are no indices; they have no name.
  return index.getArgNumber() < names.size() ? cast<StringAttr>(names[index.getArgNumber()]).getValue() : "";
}

namespace {
/// The region-holding ancestor directly inside a kernel's body.
bool definedInKernelBody(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<KernelOp>(binderOf(argument));
  return isa<KernelOp>(value.getDefiningOp()->getParentOp());
}

/// Values that `op` reads from outside itself: operands and what its regions capture.
void forEachOutsideValue(Operation *op, llvm::function_ref<void(Value)> visit) {
  for (Value operand : op->getOperands())
    visit(operand);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Region *home = operand.getParentRegion();
        if (!op->isAncestor(home->getParentOp()))
          visit(operand);
      }
    });
}

void collect(Value value, IndexSet &free, llvm::SmallPtrSetImpl<Operation *> &seen);

void collect(Operation *op, IndexSet &free, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (seen.insert(op).second)
    forEachOutsideValue(op, [&](Value v) { collect(v, free, seen); });
}

void collect(Value value, IndexSet &free, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (definedInKernelBody(value))
    return;
  if (auto argument = dyn_cast<BlockArgument>(value))
    free.insert(argument);
  else
    collect(value.getDefiningOp(), free, seen);
}
} // namespace

void moac::collectFreeIndices(Value value, IndexSet &free) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  collect(value, free, seen);
}

void moac::collectFreeIndices(Operation *op, IndexSet &free) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  collect(op, free, seen);
}

bool moac::isFreeOf(Value value, BlockArgument index) {
  IndexSet free;
  collectFreeIndices(value, free);
  return !free.contains(index);
}

void moac::visitSlice(Value value, llvm::function_ref<void(Operation *)> visit) {
  SmallVector<Value> work = {value};
  llvm::DenseSet<Operation *> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || isa<GenOp>(op) || !seen.insert(op).second)
      continue;
    op->walk([&](Operation *inner) {
      visit(inner);
      llvm::append_range(work, inner->getOperands());
    });
  }
}

Value moac::cloneSlice(Value value, IRMapping &map, OpBuilder &builder) {
  if (map.contains(value))
    return map.lookup(value);
  if (definedInKernelBody(value))
    return value;
  Operation *op = value.getDefiningOp();
  assert(op && "a free index without a mapping");
  forEachOutsideValue(op, [&](Value outside) {
    if (!definedInKernelBody(outside))
      cloneSlice(outside, map, builder);
  });
  builder.clone(*op, map);
  return map.lookup(value);
}

Guards moac::guardsOf(Operation *op) {
  Guards guards;
  for (Operation *child = op, *parent = op->getParentOp(); parent && !isa<KernelOp>(parent);
       child = parent, parent = parent->getParentOp()) {
    Region *region = child->getParentRegion();
    if (auto where = dyn_cast<WhereOp>(parent))
      guards.conditions.push_back({where.getCondition(), region == &where.getThenRegion()});
    else if (auto red = dyn_cast<RedOp>(parent); red && region->getRegionNumber() >= red.rank())
      guards.reductions.push_back(red);
  }
  return guards;
}

void moac::distinguishIndices(GenOp stage) {
  std::set<std::string> taken;
  auto own = [&](ArrayAttr indices) {
    SmallVector<Attribute> names;
    for (Attribute attribute : indices) {
      std::string base = cast<StringAttr>(attribute).getValue().str(), name = base;
      for (unsigned count = 2; !taken.insert(name).second; ++count)
        name = base + std::to_string(count);
      names.push_back(StringAttr::get(stage.getContext(), name));
    }
    return ArrayAttr::get(stage.getContext(), names);
  };
  stage.setIndicesAttr(own(stage.getIndices()));
  stage.getBody().walk<WalkOrder::PreOrder>([&](RedOp red) { red.setIndicesAttr(own(red.getIndices())); });
}
