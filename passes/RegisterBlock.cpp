// Loops of a register block; see RegisterBlock.h.
#include "passes/RegisterBlock.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

RegisterBlock::RegisterBlock(ContractionFrame &frame, Value size) : f(frame), size(size) {
  sums = onf::AllocOp::create(f.b, f.loc, onf::BufferType::get(f.b.getContext(), f.type, "register"), f.mul(size, f.laneBlock),
                              f.c.stage->name() + "_block");
  over(f.laneBlock, [&](Value, Value, Value at) { f.store(f.zero(), sums, at); });
}

void RegisterBlock::accumulate(Value from, Value to, Operand x, Operand y) {
  f.apart([&] {
    Value p = f.open(f.pointName(), from, to);
    over(f.laneBlock, [&](Value row, Value lane, Value at) {
      Value left = x(row, p), right = y(lane, p);
      Value product = ScalarOp::create(f.b, f.loc, f.type, f.b.getStringAttr("mul"), ValueRange{left, right}, UnitAttr());
      onf::UpdateOp::create(f.b, f.loc, f.b.getStringAttr("add"), product, sums, at, f.b.getUnitAttr());
    });
  });
}

void RegisterBlock::eachWidth(Value width, llvm::function_ref<void(Value)> inside) {
  auto full = onf::IfOp::create(f.b, f.loc, f.compare(ScalarFn::eq_, width, f.laneBlock));
  for (Region *side : {&full.getThenRegion(), &full.getElseRegion()})
    f.apart([&] {
      f.b.setInsertionPointToEnd(&side->emplaceBlock());
      inside(side == &full.getThenRegion() ? f.laneBlock : width);
    });
}

void RegisterBlock::each(Value end, llvm::function_ref<void(Value, Value, Value)> body) {
  over(end, [&](Value row, Value lane, Value at) { body(row, lane, onf::LoadOp::create(f.b, f.loc, f.type, sums, at)); });
}

void RegisterBlock::over(Value end, llvm::function_ref<void(Value, Value, Value)> body) {
  f.apart([&] {
    Value row = f.openRows(size);
    // Where a block ends before its last lane, its rows stay a loop: the sums would have more uses than clang follows when it
    // looks for arrays that fit in registers.
    auto rows = dyn_cast_or_null<onf::ForOp>(f.b.getInsertionBlock()->getParentOp());
    if (end != f.laneBlock && rows && rows.getRole() == "unroll")
      rows->setAttr("copies", f.b.getI64IntegerAttr(1));
    Value lane = f.open(ContractionFrame::inside(f.laneName()), f.number(0), end, {}, "lanes");
    body(row, lane, f.add(f.mul(row, f.laneBlock), lane));
  });
}
