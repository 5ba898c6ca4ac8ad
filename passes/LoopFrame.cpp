// Index arithmetic and loops; see LoopFrame.h.
#include "passes/LoopFrame.h"
#include "passes/StageLoops.h"

#include "ir/Tuned.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Value LoopFrame::number(int64_t value) { return indexConstant(b, loc, value); }
Value LoopFrame::apply(ScalarFn fn, Value x, Value y) { return buildIndex(b, loc, fn, {x, y}); }
Value LoopFrame::named(const std::string &name, Value value) {
  return onf::NamedOp::create(b, loc, b.getIndexType(), value, name);
}
Value LoopFrame::compare(ScalarFn fn, Value x, Value y) {
  return ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr(scalarFnName(fn)), ValueRange{x, y}, UnitAttr());
}
Value LoopFrame::materialized(const shape::Expr &e) {
  return materialize(e, b, loc, [&](const std::string &name) { return site.values.lookup(site.context.exprs.valueOf(name)); });
}

Value LoopFrame::open(const std::string &name, Value lo, Value hi, Value step, StringRef role, unsigned collapse) {
  Value index = openLoop(b, loc, lo, hi, name, role, collapse);
  if (step)
    cast<onf::ForOp>(index.getParentBlock()->getParentOp()).getStepMutable().assign(step);
  return index;
}

void LoopFrame::apart(llvm::function_ref<void()> inside) {
  OpBuilder::InsertionGuard keep(b);
  inside();
}

Value LoopFrame::size(const std::string &word) {
  if (findTuned(word))
    return onf::TunedOp::create(b, loc, b.getIndexType(), word);
  return number(std::max(1, std::atoi(word.c_str())));
}
