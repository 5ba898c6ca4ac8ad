// See BodyCopy.h.
#include "passes/BodyCopy.h"
#include "ir/MaterializeExpr.h"

using namespace mlir;
using namespace moac;
using moa::ScalarFn;

static bool isScalar(Operation *op) { return isa<moa::ConstantOp, moa::ScalarOp, moa::CastOp, moa::WhereOp, onf::TunedOp, onf::NamedOp>(op); }

void BodyCopy::copy() {
  Block *into = b.getInsertionBlock();
  Operation *last = into->empty() ? nullptr : &into->back();
  for (Operation &op : from.entry())
    if (!isa<onf::RequireOp>(op))
      b.clone(op, map);
  auto copied = [&] {
    SmallVector<Operation *> found;
    for (Block::iterator it = last ? std::next(Block::iterator(last)) : into->begin(); it != into->end(); ++it)
      found.push_back(&*it);
    return found;
  };
  SmallVector<Operation *> all = copied();
  for (Operation *op : llvm::reverse(all))
    if (isScalar(op) && op->use_empty())
      op->erase();
  if (before.isSet())
    sizesBefore(copied());
}

void BodyCopy::rebase(Block &block, Value buffer, Value base) {
  for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
    if (!block.getParentOp()->isProperAncestor(user) || isa<onf::GatherOp>(user))
      continue;
    if (Block *at = user->getBlock(); at != &block && !block.findAncestorOpInBlock(*user))
      continue;
    OpBuilder here(user);
    auto move = [&](MutableOperandRange offset) {
      Value old = offset.empty() ? Value() : Value(offset[0].get());
      offset.assign(old ? moa::buildIndex(here, user->getLoc(), ScalarFn::add_, {base, old}) : base);
    };
    if (auto load = dyn_cast<onf::LoadOp>(user))
      move(load.getOffsetMutable());
    else if (auto store = dyn_cast<onf::StoreOp>(user))
      move(store.getOffsetMutable());
    else if (auto update = dyn_cast<onf::UpdateOp>(user))
      move(update.getOffsetMutable());
    else if (auto prefetch = dyn_cast<onf::PrefetchOp>(user))
      prefetch.getOffsetMutable().assign(moa::buildIndex(here, user->getLoc(), ScalarFn::add_, {base, prefetch.getOffset()}));
  }
}

/// Memory is had before the loop around a phase: buffers of the kernel stand there, sizes of those of threads too.
void BodyCopy::sizesBefore(ArrayRef<Operation *> copies) {
  for (Operation *copy : copies)
    copy->walk([&](Operation *op) {
      if (auto alloc = dyn_cast<onf::AllocOp>(op)) {
        StringRef space = cast<onf::BufferType>(alloc.getBuffer().getType()).getSpace();
        if (space == "register")
          return;
        if (Value size = hoisted(alloc.getSize()))
          alloc.getSizeMutable().assign(size);
        if (space == "shared") {
          alloc->moveBefore(before.getBlock(), before.getPoint());
          alloc.setRefilled(true); // for each part: no element is final
          for (Operation *user : alloc.getBuffer().getUsers())
            if (auto store = dyn_cast<onf::StoreOp>(user))
              store.setFinishes(false), store.setOpens(false);
        }
      } else if (auto team = dyn_cast<onf::ParallelOp>(op)) {
        if (Value work = hoisted(team.getWork()))
          team.getWorkMutable().assign(work);
      }
    });
}

/// The value as it is before the loop, for the largest part; null when it is not known there.
Value BodyCopy::hoisted(Value value) {
  if (Value known = most.lookupOrNull(value))
    return known;
  if (value.getParentBlock() == before.getBlock())
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !isScalar(op) || op->getNumRegions() > 0)
    return {};
  if (auto named = dyn_cast<onf::NamedOp>(op))
    return hoisted(named.getValue());
  for (Value operand : op->getOperands()) {
    Value known = hoisted(operand);
    if (!known)
      return {};
    most.map(operand, known);
  }
  OpBuilder::InsertionGuard keep(b);
  b.restoreInsertionPoint(before);
  return b.clone(*op, most)->getResult(0);
}
