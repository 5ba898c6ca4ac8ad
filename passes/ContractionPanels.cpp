// Packing; see ContractionPanels.h.
#include "passes/ContractionPanels.h"

#include "ir/IndexForm.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Panel::Panel(ContractionFrame &frame, Value operand, BlockArgument axis) : f(frame), operand(operand), axis(axis) {
  IndexSet found;
  collectFreeIndices(operand, found);
  batched = f.batch && found.contains(f.batch);
  along = contiguous(axis);
  rowsAsTheyAre = !isLanes() && !along;
}

bool Panel::contiguous(BlockArgument index) {
  bool is = false;
  StageGraph graph(f.gen->getParentOfType<KernelOp>());
  visitSlice(operand, [&](Operation *op) {
    auto psi = dyn_cast<PsiOp>(op);
    is |= psi && graph.strideOf(psi, index) == shape::Expr(1);
  });
  return is;
}

void Panel::allocate(bool ofThread) {
  local = ofThread;
  batched = batched && !local;
  std::string name;
  if (auto psi = operand.getDefiningOp<PsiOp>())
    name = userName(psi.getArray()).str();
  name = (name.empty() ? f.c.stage->name() + (isLanes() ? "_lanes" : "_rows") : name) + "_pack";
  Value count = f.mul(longest(), f.pitchFor(f.min(f.tileDepth, f.depth)));
  if (batched) // what mostBatch panels have at most
    count = f.min(f.mul(f.batchExtent(), count), f.max(count, f.together));
  buffer = onf::AllocOp::create(f.b, f.loc, onf::BufferType::get(f.b.getContext(), f.type, local ? "thread" : "shared"), count,
                                f.b.getStringAttr(name), f.b.getUnitAttr());
}

/// How many indices of the axis the panel has at most, for one index of the batch.
Value Panel::longest() {
  return isLanes() ? f.min(f.tileLanes, f.add(f.lanes, f.laneBlock)) : f.min(f.tileRows, f.rows);
}

Value Panel::blockAt(Value batch, Value block) {
  return f.mul(batched ? f.add(f.mul(batch, longest()), block) : block, f.pitch);
}

Value Panel::elementAt(Value base, Value size, Value index, Value point) {
  if (rowsAsTheyAre)
    return f.add(f.add(base, f.mul(index, f.pitch)), point);
  return f.add(f.add(base, f.mul(point, size)), index);
}

Value Panel::load(Value base, Value size, Value index, Value point) {
  return onf::LoadOp::create(f.b, f.loc, f.type, buffer, elementAt(base, size, index, point));
}

/// Loops over the points of a tile; binds the axes and gives the number of the point. `first` is the index in the tile when
/// its loop is there already.
Value Panel::openDepth(StringRef innermost, Value first) {
  bool single = f.innerExtents.empty();
  Value point = first ? first : f.open(f.depthName(), f.number(0), f.depthCount, {}, single ? innermost : "sequential");
  f.bound[f.c.reduced[0]] = f.add(f.k0, point);
  for (auto [reduced, extent] : llvm::zip(ArrayRef(f.c.reduced).drop_front(), f.innerExtents)) {
    bool last = reduced == f.c.reduced.back();
    f.bound[reduced] = f.open(indexName(reduced).str(), f.number(0), extent, {}, last ? innermost : "sequential");
    point = f.add(f.mul(point, extent), f.bound[reduced]);
  }
  return point;
}

/// A loop divided among threads, together with the one over the batch where there is one.
Value Panel::openOver(const std::string &name, Value lo, Value hi, Value step, Value &batch) {
  batch = f.number(0);
  if (local)
    return f.open(name, lo, hi, step);
  if (!batched)
    return f.open(name, lo, hi, step, "parallel", 1);
  batch = f.open(ContractionFrame::inside(indexName(f.batch).str()), f.number(0), f.batchCount, {}, "parallel", 2);
  f.bound[f.batch] = f.add(f.t0, batch);
  return f.open(name, lo, hi, step, "parallel");
}

void Panel::pack() {
  std::string name;
  if (auto psi = operand.getDefiningOp<PsiOp>())
    name = userName(psi.getArray()).str();
  name = name.empty() ? "an operand of " + f.c.stage->name() : name;
  onf::NoteOp::create(f.b, f.loc, name + (rowsAsTheyAre ? ", row by row of " : ", block by block along ") + indexName(axis).str());
  f.apart([&] { isLanes() ? packLanes() : rowsAsTheyAre ? packRows() : packRowBlocks(); });
}

void Panel::packRows() {
  Value batch, row = openOver(f.rowName(), f.number(0), f.rowCount, {}, batch);
  Value base = blockAt(batch, row);
  Value point = openDepth("lanes");
  f.store(evaluate(f.add(f.i0, row)), buffer, f.add(base, point));
}

void Panel::packRowBlocks() {
  Value batch, first = openOver(f.depthName(), f.number(0), f.depthCount, {}, batch);
  Value point = openDepth("sequential", first);
  auto openBlocks = [&](const std::string &name, Value lo, Value hi, Value step) { return f.open(name, lo, hi, step); };
  f.eachRowBlock(f.rowCount, openBlocks, [&](Value block, Value size) {
    Value row = f.openRows(size);
    Value at = elementAt(blockAt(batch, block), size, row, point);
    f.store(evaluate(f.add(f.add(f.i0, block), row)), buffer, at);
  });
}

void Panel::packLanes() {
  std::string name = f.laneName();
  Value whole = f.named(name + "_whole", f.multiple(f.laneCount, f.laneBlock));
  auto rest = [&](llvm::function_ref<Value()> openPoints, Value *batch) {
    auto some = onf::IfOp::create(f.b, f.loc, f.compare(ScalarFn::lt_, whole, f.laneCount));
    f.b.setInsertionPointToEnd(&some.getThenRegion().emplaceBlock());
    Value point = openPoints(), base = blockAt(*batch, whole), filled = f.sub(f.laneCount, whole);
    auto fill = [&](Value from, Value to, bool zeros) {
      f.apart([&] {
        Value lane = f.open(ContractionFrame::inside(name), from, to, {}, "lanes");
        Value value = zeros ? f.zero() : evaluate(f.add(f.add(f.j0, whole), lane));
        f.store(value, buffer, elementAt(base, f.laneBlock, lane, point));
      });
    };
    fill(f.number(0), filled, false);
    fill(filled, f.laneBlock, true);
  };
  Value batch;
  if (along) {
    // Rows of the source go to as many places as there are blocks; a few at a time, so that each place is visited less often.
    constexpr int64_t together = 4;
    bool single = f.innerExtents.empty();
    Value from = openOver(f.depthName() + (single ? "_block" : ""), f.number(0), f.depthCount, single ? f.number(together) : Value(), batch);
    auto openPoints = [&] {
      if (!single)
        return openDepth("sequential", from);
      Value count = f.min(f.number(together), f.sub(f.depthCount, from));
      return openDepth("sequential", f.add(from, f.open(ContractionFrame::inside(f.depthName()), f.number(0), count)));
    };
    f.apart([&] {
      Value block = f.open(name + "_block", f.number(0), whole, f.laneBlock), point = openPoints();
      Value lane = f.open(ContractionFrame::inside(name), f.number(0), f.laneBlock, {}, "lanes");
      Value at = elementAt(blockAt(batch, block), f.laneBlock, lane, point);
      f.store(evaluate(f.add(f.add(f.j0, block), lane)), buffer, at);
    });
    f.apart([&] { rest(openPoints, &batch); });
    return;
  }
  f.apart([&] {
    Value block = openOver(name + "_block", f.number(0), whole, f.laneBlock, batch);
    packBlockOfLanes(block, batch);
  });
  f.apart([&] {
    rest([&] { return openDepth("sequential", openOver(f.depthName(), f.number(0), f.depthCount, {}, batch)); }, &batch);
  });
}

/// The points of one block of lanes.
void Panel::packBlockOfLanes(Value block, Value batch) {
  Value base = blockAt(batch, block), point = openDepth();
  Value lane = f.open(ContractionFrame::inside(f.laneName()), f.number(0), f.laneBlock, {}, "lanes");
  f.store(evaluate(f.add(f.add(f.j0, block), lane)), buffer, elementAt(base, f.laneBlock, lane, point));
}
