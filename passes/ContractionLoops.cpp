// Loops around register blocks; see ContractionLoops.h.
//
//     for other axes, t_tile, j_tile, i_tile, k_tile   sequential; t is the last of the other axes
//       pack y(k, j) and x(i, k) for t of the tile    by all threads (ContractionPanels.h)
//       for t of the tile, chunks of i and j           divided among threads
//         for blocks of lanes, blocks of rows
//           block = sum over k of products             in registers
//           C = block, or C += block after the first k0
//         what reads C there, after the last k0
//
// The order in which the terms of an element are combined depends on k alone: k runs through the blocks of k0, each is
// summed from zero. Rows that do not fill a block go into smaller ones; lanes that do not are padded with zeros and not
// stored.
#include "passes/ContractionFrame.h"
#include "passes/ContractionPanels.h"
#include "passes/RegisterBlock.h"

#include "ir/IndexForm.h"
#include "ir/KernelFacts.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class BlockLoops {
public:
  BlockLoops(const Contraction &c, const Schedule &schedule, ContractionSite &site)
      : f(c, schedule, site), left(f, c.rowOperand, c.row), right(f, c.laneOperand, c.lane) {}

  LogicalResult run() {
    if (failed(f.sizes()))
      return failure();
    OpBuilder::InsertionGuard keep(f.b);
    left.allocate();
    right.allocate();
    auto team = onf::ParallelOp::create(f.b, f.loc, f.site.work);
    f.b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    tiles();
    right.pack();
    left.pack();
    compute();
    return success();
  }

private:
  void tiles() {
    for (BlockArgument axis : f.c.outer)
      if (axis != f.batch)
        f.bound[axis] = f.open(indexName(axis).str(), f.number(0), f.extentOf(axis));
    std::string i = f.rowName(), j = f.laneName(), k = f.depthName();
    if (f.batch) {
      std::string t = indexName(f.batch).str();
      f.t0 = f.open(t + "_tile", f.number(0), f.batchExtent(), f.mostBatch);
      f.batchCount = f.named(t + "_len", f.min(f.mostBatch, f.sub(f.batchExtent(), f.t0)));
    }
    f.j0 = f.open(j + "_tile", f.number(0), f.lanes, f.tileLanes);
    f.laneCount = f.named(j + "_len", f.min(f.tileLanes, f.sub(f.lanes, f.j0)));
    f.i0 = f.open(i + "_tile", f.number(0), f.rows, f.tileRows);
    f.rowCount = f.named(i + "_len", f.min(f.tileRows, f.sub(f.rows, f.i0)));
    f.k0 = f.open(k + "_tile", f.number(0), f.max(f.depth, f.number(1)), f.tileDepth); // an empty sum is stored too
    f.depthCount = f.named(k + "_len", f.min(f.tileDepth, f.sub(f.depth, f.k0)));
    f.pitch = f.pitchFor(f.depthCount);
  }

  void compute() {
    std::string i = f.rowName(), j = f.laneName();
    f.apart([&] {
      batchIn = f.number(0);
      if (f.batch) {
        batchIn = f.open(ContractionFrame::inside(indexName(f.batch).str()), f.number(0), f.batchCount, {}, "parallel", 3);
        f.bound[f.batch] = f.add(f.t0, batchIn);
      }
      i1 = f.open(i + "_chunk", f.number(0), f.rowCount, f.chunkRows, "parallel", f.batch ? 0 : 2);
      j1 = f.open(j + "_chunk", f.number(0), f.laneCount, f.chunkLanes, "parallel");
      if (f.batch)
        f.bound[f.batch] = f.named(indexName(f.batch).str(), f.bound[f.batch]);
      Value rowsHere = f.named(i + "_here", f.min(f.chunkRows, f.sub(f.rowCount, i1)));
      Value lanesHere = f.named(j + "_here", f.min(f.chunkLanes, f.sub(f.laneCount, j1)));
      f.apart([&] {
        Value j2 = f.open(j + "_block", f.number(0), lanesHere, f.laneBlock);
        Value width = f.named(j + "_left", f.min(f.laneBlock, f.sub(lanesHere, j2)));
        auto openBlocks = [&](const std::string &name, Value lo, Value hi, Value step) { return f.open(name, lo, hi, step); };
        f.eachRowBlock(rowsHere, openBlocks, [&](Value i2, Value size) { block(i2, size, j2, width); });
      });
      if (f.site.follower)
        finish(rowsHere, lanesHere);
    });
  }

  void block(Value i2, Value size, Value j2, Value width) {
    Value firstRow = f.named(f.rowName(), f.add(f.add(f.i0, i1), i2)), firstLane = f.named(f.laneName(), f.add(f.add(f.j0, j1), j2));
    Value x0 = f.named(ContractionFrame::nameOf(left.buffer) + "_at", left.blockAt(batchIn, f.add(i1, i2)));
    Value y0 = f.named(ContractionFrame::nameOf(right.buffer) + "_at", right.blockAt(batchIn, f.add(j1, j2)));
    RegisterBlock sums(f, size);
    f.apart([&] { // a row of the block may lie on three lines
      Value row = f.openRows(size, "sequential"), last = f.sub(width, f.number(1));
      for (Value lane : {firstLane, f.add(firstLane, f.apply(ScalarFn::floordiv_, width, f.number(2))), f.add(firstLane, last)}) {
        auto [buffer, offset] = element(*f.c.stage, f.add(firstRow, row), lane);
        onf::PrefetchOp::create(f.b, f.loc, buffer, offset, UnitAttr());
      }
    });
    sums.accumulate(f.number(0), f.inner ? f.mul(f.depthCount, f.inner) : f.depthCount,
                    [&](Value row, Value p) { return left.load(x0, size, row, p); },
                    [&](Value lane, Value p) { return right.load(y0, f.laneBlock, lane, p); });
    sums.eachWidth(width, [&](Value end) {
      auto first = onf::IfOp::create(f.b, f.loc, f.compare(ScalarFn::eq_, f.k0, f.number(0)));
      for (Region *when : {&first.getThenRegion(), &first.getElseRegion()})
        f.apart([&] {
          f.b.setInsertionPointToEnd(&when->emplaceBlock());
          sums.each(end, [&](Value row, Value lane, Value sum) {
            combine(sum, f.add(firstRow, row), f.add(firstLane, lane), when == &first.getThenRegion());
          });
        });
    });
  }

  /// The first tile of the sum starts an element, the others add to it.
  void combine(Value value, Value row, Value lane, bool first) {
    auto [buffer, offset] = element(*f.c.stage, row, lane);
    if (!first) {
      onf::UpdateOp::create(f.b, f.loc, f.b.getStringAttr("add"), value, buffer, offset, f.b.getUnitAttr());
      return;
    }
    bool opens = first && !(f.site.follower && sharesBuffer());
    onf::StoreOp::create(f.b, f.loc, value, buffer, offset, UnitAttr(), opens ? f.b.getUnitAttr() : UnitAttr());
  }

  bool sharesBuffer() {
    return f.site.context.storage.lookup(f.gen.getResult()).buffer == f.site.context.storage.lookup(f.site.follower->gen.getResult()).buffer;
  }

  std::pair<Value, Value> element(Stage &stage, Value row, Value lane) {
    SmallVector<Value> subscripts;
    for (BlockArgument axis : f.gen.entry().getArguments())
      subscripts.push_back(axis == f.c.row ? row : axis == f.c.lane ? lane : f.bound.lookup(axis));
    Storage place = f.site.context.storage.lookup(stage.gen.getResult());
    return {place.buffer, place.offset(f.b, f.loc, subscripts)};
  }

  /// After the last tile of the sum: the stage that reads its elements.
  void finish(Value rowsHere, Value lanesHere) {
    auto last = onf::IfOp::create(f.b, f.loc, f.compare(ScalarFn::ge_, f.add(f.k0, f.tileDepth), f.depth));
    f.b.setInsertionPointToEnd(&last.getThenRegion().emplaceBlock());
    note(*f.site.follower);
    Value row = f.open(ContractionFrame::inside(f.rowName()), f.number(0), rowsHere);
    Value lane = f.open(ContractionFrame::inside(f.laneName()), f.number(0), lanesHere, {}, "lanes");
    Value i = f.add(f.add(f.i0, i1), row), j = f.add(f.add(f.j0, j1), lane);
    shape::Facts facts = f.facts;
    GenOp reader = f.site.follower->gen;
    for (BlockArgument axis : reader.entry().getArguments())
      assumeDomain(facts, axis, f.site.context.exprs);
    BodyEmitter emitter(f.b, f.site.values, f.site.context, facts);
    for (BlockArgument axis : f.gen.entry().getArguments()) {
      Value value = axis == f.c.row ? i : axis == f.c.lane ? j : f.bound.lookup(axis);
      emitter.enter(reader.entry().getArgument(axis.getArgNumber()), value);
    }
    Value value = emitter.emit(reader.yielded());
    auto [buffer, offset] = element(*f.site.follower, i, j);
    onf::StoreOp::create(f.b, f.loc, value, buffer, offset, f.b.getUnitAttr(), UnitAttr());
  }

  void note(Stage &stage) {
    constexpr size_t longest = 400;
    onf::NoteOp::create(f.b, f.loc, moa::indexForm(stage.gen, longest));
  }

  ContractionFrame f;
  Panel left, right;
  Value batchIn, i1, j1;
};
} // namespace

LogicalResult moac::emitContraction(const Contraction &contraction, const Schedule &schedule, ContractionSite site) {
  return BlockLoops(contraction, schedule, site).run();
}
