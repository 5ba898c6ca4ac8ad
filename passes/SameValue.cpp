// Structural comparison; see SameValue.h.
#include "passes/SameValue.h"

using namespace mlir;
using namespace moac;

bool SameValue::operator()(Value a, Value b) {
  if (auto pair = pairs.find(a); pair != pairs.end())
    return pair->second == b;
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  // What lives in the kernel's body is the same only if it is one value; effects have no value to compare.
  if (!x || !y || isa<moa::GenOp>(x) || x->getName() != y->getName() || x->getNumOperands() != y->getNumOperands() ||
      x->getNumRegions() != y->getNumRegions() || a.getType() != b.getType())
    return false;
  auto words = [](Operation *op) { // the names of a reduction's indices say nothing
    NamedAttrList list(op->getAttrs());
    list.erase("indices");
    return list.getDictionary(op->getContext());
  };
  if (words(x) != words(y))
    return false;
  for (auto [p, q] : llvm::zip(x->getOperands(), y->getOperands()))
    if (!(*this)(p, q))
      return false;
  for (auto [p, q] : llvm::zip(x->getRegions(), y->getRegions()))
    if (!sameBlock(p.front(), q.front()))
      return false;
  return true;
}

bool SameValue::sameBlock(Block &a, Block &b) {
  if (a.getNumArguments() != b.getNumArguments() || a.getTerminator()->getNumOperands() != b.getTerminator()->getNumOperands())
    return false;
  for (auto [p, q] : llvm::zip(a.getArguments(), b.getArguments()))
    match(p, q);
  for (auto [p, q] : llvm::zip(a.getTerminator()->getOperands(), b.getTerminator()->getOperands()))
    if (!(*this)(p, q))
      return false;
  return true;
}
