// Loops around register blocks; see ContractionLoops.h.
//
//     for j_tile, i_tile, k_tile                       sequential
//       pack y(k, j) as [j/lanes][k][j%lanes]     by all threads
//       pack x(i, k) as [i/rows][k][i%rows]       by all threads
//       for chunks of i and j                     divided among threads
//         for blocks of lanes, blocks of rows
//           block = sum over k of products        in registers
//           C = block, or C += block after the first k0
//         what reads C there, after the last k0
//
// The order in which the terms of an element are combined depends on k alone: k runs through the blocks of k0, each is
// summed from zero. Rows that do not fill a block go into smaller ones; lanes that do not are padded with zeros and not
// stored. All indices of blocks are relative to what is around them: the element is at i_tile + i_chunk + i_block + ii.
#include "passes/ContractionLoops.h"
#include "passes/Slice.h"
#include "passes/StageLoops.h"

#include "ir/IndexForm.h"
#include "ir/KernelFacts.h"
#include "ir/Tuned.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class BlockBuilder {
public:
  BlockBuilder(const Contraction &c, const Schedule &schedule, ContractionSite &site)
      : c(c), schedule(schedule), site(site), b(site.builder), loc(c.stage->gen.getLoc()), gen(c.stage->gen),
        type(c.stage->root.getResult().getType()) {}

  LogicalResult run() {
    if (failed(sizes()))
      return failure();
    OpBuilder::InsertionGuard keep(b);
    rowPanel = panel(c.rowOperand, "rows", mul(min(tileRows, rows), pitchFor(min(tileDepth, depth))));
    lanePanel = panel(c.laneOperand, "lanes", mul(min(tileLanes, add(lanes, laneBlock)), pitchFor(min(tileDepth, depth))));
    auto team = onf::ParallelOp::create(b, loc, site.work);
    b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    for (BlockArgument axis : c.outer)
      bound[axis] = open(indexName(axis).str(), number(0), extentOf(axis));
    std::string i = indexName(c.row).str(), j = indexName(c.lane).str(), k = indexName(c.reduced[0]).str();
    j0 = open(j + "_tile", number(0), lanes, tileLanes);
    laneCount = named(j + "_len", min(tileLanes, sub(lanes, j0)));
    i0 = open(i + "_tile", number(0), rows, tileRows);
    rowCount = named(i + "_len", min(tileRows, sub(rows, i0)));
    k0 = open(k + "_tile", number(0), max(depth, number(1)), tileDepth); // an empty sum is stored too
    depthCount = named(k + "_len", min(tileDepth, sub(depth, k0)));
    pitch = pitchFor(depthCount);
    packLanes();
    packRows();
    compute();
    return success();
  }

private:
  // ---- index arithmetic

  Value number(int64_t value) { return indexConstant(b, loc, value); }
  Value apply(ScalarFn fn, Value x, Value y) { return buildIndex(b, loc, fn, {x, y}); }
  Value add(Value x, Value y) { return apply(ScalarFn::add_, x, y); }
  Value sub(Value x, Value y) { return apply(ScalarFn::sub_, x, y); }
  Value mul(Value x, Value y) { return apply(ScalarFn::mul_, x, y); }
  Value min(Value x, Value y) { return apply(ScalarFn::min_, x, y); }
  Value max(Value x, Value y) { return apply(ScalarFn::max_, x, y); }
  Value multiple(Value x, Value block) { return mul(apply(ScalarFn::floordiv_, x, block), block); }
  Value named(const std::string &name, Value value) { return onf::NamedOp::create(b, loc, b.getIndexType(), value, name); }
  Value compare(ScalarFn fn, Value x, Value y) {
    return ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr(scalarFnName(fn)), ValueRange{x, y}, UnitAttr());
  }

  Value materialized(const shape::Expr &e) {
    return materialize(e, b, loc, [&](const std::string &name) { return site.values.lookup(site.context.exprs.valueOf(name)); });
  }
  Value extentOf(BlockArgument axis) { return materialized(gen.arrayType().extents()[axis.getArgNumber()]); }

  Value open(const std::string &name, Value lo, Value hi, Value step = {}, StringRef role = "sequential", unsigned collapse = 0) {
    Value index = openLoop(b, loc, lo, hi, name, role, collapse);
    if (step)
      cast<onf::ForOp>(index.getParentBlock()->getParentOp()).getStepMutable().assign(step);
    return index;
  }

  /// Runs `inside` at the end of what is emitted here, then comes back.
  void apart(llvm::function_ref<void()> inside) {
    OpBuilder::InsertionGuard keep(b);
    inside();
  }

  // ---- sizes

  LogicalResult sizes() {
    std::string name = c.stage->name();
    std::vector<std::string> tiles = schedule.sizes("tile", name), chunks = schedule.sizes("parallel", name);
    rowBlocks = schedule.sizes("unroll", name);
    std::vector<std::string> laneBlocks = schedule.sizes("lanes", name);
    if (tiles.size() != 3 || chunks.size() != 2 || rowBlocks.empty() || rowBlocks.back() != "1" || laneBlocks.size() != 1)
      return gen.emitError() << "the schedule of '" << name << "' needs a tile of lanes, rows and depth, a chunk of rows and lanes, "
                             << "blocks of rows down to 1 and a block of lanes";
    laneBlock = size(laneBlocks[0]);
    tileLanes = multipleUp(size(tiles[0]), tiles[0], laneBlocks[0]);
    tileRows = size(tiles[1]);
    tileDepth = size(tiles[2]);
    chunkRows = mul(size(chunks[0]), size(rowBlocks[0]));
    chunkLanes = mul(size(chunks[1]), laneBlock);
    rows = extentOf(c.row);
    lanes = extentOf(c.lane);
    RedOp red = c.stage->root;
    depth = materialized(site.context.exprs.toExpr(red.upper(0)));
    for (unsigned i = 1; i < red.rank(); ++i) {
      innerExtents.push_back(materialized(site.context.exprs.toExpr(red.upper(i))));
      inner = inner ? mul(inner, innerExtents.back()) : innerExtents.back();
    }
    for (BlockArgument axis : c.outer)
      assumeDomain(site.facts, axis, site.context.exprs);
    assumeDomain(site.facts, c.row, site.context.exprs);
    assumeDomain(site.facts, c.lane, site.context.exprs);
    for (BlockArgument axis : c.reduced)
      assumeDomain(site.facts, axis, site.context.exprs);
    return success();
  }

  Value size(const std::string &word) {
    if (findTuned(word))
      return onf::TunedOp::create(b, loc, b.getIndexType(), word);
    return number(std::max(1, std::atoi(word.c_str())));
  }

  /// A tile of lanes holds whole blocks.
  Value multipleUp(Value tile, const std::string &tileWord, const std::string &blockWord) {
    int64_t most = 1;
    if (std::optional<Tuned> tuned = findTuned(blockWord))
      most = *std::max_element(tuned->values.begin(), tuned->values.end());
    int64_t wanted = std::max(1, std::atoi(tileWord.c_str()));
    return wanted % most == 0 ? tile : number((wanted + most - 1) / most * most);
  }

  /// Distance of two rows of a panel: one more than the points of a tile, so that panels do not fall on one set of a cache.
  Value pitchFor(Value depths) { return add(inner ? mul(depths, inner) : depths, number(1)); }

  // ---- panels

  Value panel(Value operand, const std::string &what, Value count) {
    std::string name;
    if (auto psi = operand.getDefiningOp<PsiOp>())
      name = userName(psi.getArray()).str();
    name = (name.empty() ? c.stage->name() + "_" + what : name) + "_pack";
    return onf::AllocOp::create(b, loc, onf::BufferType::get(b.getContext(), type, "shared"), count, b.getStringAttr(name),
                                b.getUnitAttr());
  }

  /// Some read of the operand is contiguous along the axis.
  bool contiguous(Value operand, BlockArgument axis) {
    bool found = false;
    SmallVector<Value> work = {operand};
    llvm::DenseSet<Operation *> seen;
    StageGraph graph(gen->getParentOfType<KernelOp>());
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || !seen.insert(op).second)
        continue;
      op->walk([&](PsiOp psi) { found |= graph.strideOf(psi, axis) == shape::Expr(1); });
      llvm::append_range(work, op->getOperands());
    }
    return found;
  }

  /// Loops over the points of a tile, the first divided among threads when `shared`; binds the axes and gives the number
  /// of the point.
  Value openDepth(bool shared) {
    std::string name = indexName(c.reduced[0]).str();
    Value k = open(name, number(0), depthCount, {}, shared ? "parallel" : "sequential", shared ? 1 : 0);
    bound[c.reduced[0]] = add(k0, k);
    Value point = k;
    for (auto [axis, extent] : llvm::zip(ArrayRef(c.reduced).drop_front(), innerExtents)) {
      bound[axis] = open(indexName(axis).str(), number(0), extent);
      point = add(mul(point, extent), bound[axis]);
    }
    return point;
  }

  Value operand(Value factor, BlockArgument axis, Value index) {
    BodyEmitter emitter(b, site.values, site.context, site.facts);
    for (auto [bindsAxis, value] : bound)
      emitter.enter(cast<BlockArgument>(bindsAxis), value);
    emitter.enter(axis, index);
    return emitter.emit(factor);
  }

  void store(Value value, Value buffer, Value offset) {
    onf::StoreOp::create(b, loc, value, buffer, offset, UnitAttr(), UnitAttr());
  }

  void packLanes() {
    note(c.laneOperand, c.lane);
    std::string name = indexName(c.lane).str();
    Value whole = named(name + "_whole", multiple(laneCount, laneBlock));
    bool along = contiguous(c.laneOperand, c.lane);
    auto fill = [&](Value block, Value point, Value from, Value to, bool zeros) {
      Value lane = open(inside(name), from, to, {}, "lanes");
      Value at = add(add(mul(block, pitch), mul(point, laneBlock)), lane);
      store(zeros ? zero() : operand(c.laneOperand, c.lane, add(add(j0, block), lane)), lanePanel, at);
    };
    auto blocks = [&](Value point, bool shared) {
      apart([&] {
        Value block = open(name + "_block", number(0), whole, laneBlock, shared ? "parallel" : "sequential", shared ? 1 : 0);
        Value p = point ? point : openDepth(false);
        fill(block, p, number(0), laneBlock, false);
      });
      apart([&] {
        auto rest = onf::IfOp::create(b, loc, compare(ScalarFn::lt_, whole, laneCount));
        b.setInsertionPointToEnd(&rest.getThenRegion().emplaceBlock());
        Value p = point ? point : openDepth(shared);
        apart([&] { fill(whole, p, number(0), sub(laneCount, whole), false); });
        apart([&] { fill(whole, p, sub(laneCount, whole), laneBlock, true); });
      });
    };
    apart([&] {
      if (along)
        blocks(openDepth(true), false);
      else
        blocks({}, true);
    });
  }

  void packRows() {
    note(c.rowOperand, c.row);
    std::string name = indexName(c.row).str();
    bool along = contiguous(c.rowOperand, c.row);
    apart([&] {
      Value point = along ? openDepth(true) : Value();
      eachRowBlock(rowCount, !along, [&](Value block, Value size) {
        Value p = point ? point : openDepth(false);
        Value row = openRows(size);
        Value at = add(add(mul(block, pitch), mul(p, size)), row);
        store(operand(c.rowOperand, c.row, add(add(i0, block), row)), rowPanel, at);
      });
    });
  }

  /// The rows of a block; no loop for one.
  Value openRows(Value size, StringRef role = "unroll") {
    auto one = size.getDefiningOp<ConstantOp>();
    if (one && cast<IntegerAttr>(one.getValue()).getInt() == 1)
      return number(0);
    return open(inside(indexName(c.row).str()), number(0), size, {}, role);
  }

  /// One loop for each size of block: full ones, then smaller ones for what is left.
  void eachRowBlock(Value count, bool shared, llvm::function_ref<void(Value, Value)> body) {
    std::string name = indexName(c.row).str();
    Value done = number(0), left = count;
    for (const std::string &word : rowBlocks) {
      apart([&] {
        bool last = word == rowBlocks.back();
        Value block = size(word);
        Value end = last ? count : add(done, multiple(left, block));
        if (!last)
          end = named(name + (word == rowBlocks.front() ? "_whole" : "_most"), end);
        Value next = end, rest = last ? Value() : apply(ScalarFn::mod_, left, block);
        apart([&] {
          Value index = open(name + "_block", done, end, last ? Value() : block, shared ? "parallel" : "sequential", shared ? 1 : 0);
          body(index, block);
        });
        done = next;
        left = rest;
      });
    }
  }

  // ---- blocks

  void compute() {
    std::string i = indexName(c.row).str(), j = indexName(c.lane).str();
    apart([&] {
      i1 = open(i + "_chunk", number(0), rowCount, chunkRows, "parallel", 2);
      j1 = open(j + "_chunk", number(0), laneCount, chunkLanes, "parallel");
      Value rowsHere = named(i + "_here", min(chunkRows, sub(rowCount, i1)));
      Value lanesHere = named(j + "_here", min(chunkLanes, sub(laneCount, j1)));
      apart([&] {
        Value j2 = open(j + "_block", number(0), lanesHere, laneBlock);
        Value width = sub(lanesHere, j2);
        eachRowBlock(rowsHere, false, [&](Value i2, Value size) { block(i2, size, j2, width); });
      });
      if (site.follower)
        finish(rowsHere, lanesHere);
    });
  }

  void block(Value i2, Value size, Value j2, Value width) {
    std::string i = indexName(c.row).str(), j = indexName(c.lane).str();
    Value firstRow = named(i, add(add(i0, i1), i2)), firstLane = named(j, add(add(j0, j1), j2));
    Value left = named(nameOf(rowPanel) + "_at", mul(add(i1, i2), pitch));
    Value right = named(nameOf(lanePanel) + "_at", mul(add(j1, j2), pitch));
    Value sums = onf::AllocOp::create(b, loc, onf::BufferType::get(b.getContext(), type, "register"), mul(size, laneBlock),
                                      c.stage->name() + "_block");
    auto each = [&](Value laneEnd, llvm::function_ref<void(Value, Value, Value)> body) {
      apart([&] {
        Value row = openRows(size);
        Value lane = open(inside(j), number(0), laneEnd, {}, "lanes");
        body(row, lane, add(mul(row, laneBlock), lane));
      });
    };
    each(laneBlock, [&](Value, Value, Value at) { store(zero(), sums, at); });
    apart([&] {
      Value row = openRows(size, "sequential");
      auto [buffer, offset] = element(*c.stage, add(firstRow, row), firstLane);
      onf::PrefetchOp::create(b, loc, buffer, offset);
    });
    apart([&] {
      Value p = open(pointName(), number(0), inner ? mul(depthCount, inner) : depthCount);
      each(laneBlock, [&](Value row, Value lane, Value at) {
        Value x = onf::LoadOp::create(b, loc, type, rowPanel, add(add(left, mul(p, size)), row));
        Value y = onf::LoadOp::create(b, loc, type, lanePanel, add(add(right, mul(p, laneBlock)), lane));
        Value product = ScalarOp::create(b, loc, type, b.getStringAttr("mul"), ValueRange{x, y}, UnitAttr());
        onf::UpdateOp::create(b, loc, b.getStringAttr("add"), product, sums, at, b.getUnitAttr());
      });
    });
    auto full = onf::IfOp::create(b, loc, compare(ScalarFn::ge_, width, laneBlock));
    for (Region *side : {&full.getThenRegion(), &full.getElseRegion()})
      apart([&] {
        b.setInsertionPointToEnd(&side->emplaceBlock());
        Value end = side == &full.getThenRegion() ? laneBlock : width;
        auto first = onf::IfOp::create(b, loc, compare(ScalarFn::eq_, k0, number(0)));
        for (Region *when : {&first.getThenRegion(), &first.getElseRegion()})
          apart([&] {
            b.setInsertionPointToEnd(&when->emplaceBlock());
            each(end, [&](Value row, Value lane, Value at) {
              combine(sums, at, add(firstRow, row), add(firstLane, lane), when == &first.getThenRegion());
            });
          });
      });
  }

  /// The first tile of the sum starts an element, the others add to it.
  void combine(Value sums, Value at, Value row, Value lane, bool first) {
    Value value = onf::LoadOp::create(b, loc, type, sums, at);
    auto [buffer, offset] = element(*c.stage, row, lane);
    if (!first) {
      onf::UpdateOp::create(b, loc, b.getStringAttr("add"), value, buffer, offset, b.getUnitAttr());
      return;
    }
    bool opens = first && !(site.follower && sharesBuffer());
    onf::StoreOp::create(b, loc, value, buffer, offset, UnitAttr(), opens ? b.getUnitAttr() : UnitAttr());
  }

  bool sharesBuffer() {
    return site.context.storage.lookup(gen.getResult()).buffer == site.context.storage.lookup(site.follower->gen.getResult()).buffer;
  }

  std::pair<Value, Value> element(Stage &stage, Value row, Value lane) {
    SmallVector<Value> subscripts;
    for (BlockArgument axis : gen.entry().getArguments())
      subscripts.push_back(axis == c.row ? row : axis == c.lane ? lane : bound.lookup(axis));
    Storage place = site.context.storage.lookup(stage.gen.getResult());
    return {place.buffer, place.offset(b, loc, subscripts)};
  }

  /// After the last tile of the sum: the stage that reads its elements.
  void finish(Value rowsHere, Value lanesHere) {
    auto last = onf::IfOp::create(b, loc, compare(ScalarFn::ge_, add(k0, tileDepth), depth));
    b.setInsertionPointToEnd(&last.getThenRegion().emplaceBlock());
    note(*site.follower);
    Value row = open(inside(indexName(c.row).str()), number(0), rowsHere);
    Value lane = open(inside(indexName(c.lane).str()), number(0), lanesHere, {}, "lanes");
    Value i = add(add(i0, i1), row), j = add(add(j0, j1), lane);
    shape::Facts facts = site.facts;
    GenOp reader = site.follower->gen;
    for (BlockArgument axis : reader.entry().getArguments())
      assumeDomain(facts, axis, site.context.exprs);
    BodyEmitter emitter(b, site.values, site.context, facts);
    for (BlockArgument axis : gen.entry().getArguments()) {
      Value value = axis == c.row ? i : axis == c.lane ? j : bound.lookup(axis);
      emitter.enter(reader.entry().getArgument(axis.getArgNumber()), value);
    }
    Value value = emitter.emit(reader.yielded());
    auto [buffer, offset] = element(*site.follower, i, j);
    onf::StoreOp::create(b, loc, value, buffer, offset, b.getUnitAttr(), UnitAttr());
  }

  // ---- names and notes

  /// The index inside a block.
  static std::string inside(const std::string &axis) { return axis.size() == 1 ? axis + axis : axis + "_in"; }
  std::string pointName() {
    std::string name;
    for (BlockArgument axis : c.reduced)
      name += (name.empty() ? "" : "_") + indexName(axis).str();
    return name;
  }
  static std::string nameOf(Value buffer) { return buffer.getDefiningOp<onf::AllocOp>().getName().str(); }
  Value zero() { return ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type))); }

  const Contraction &c;
  const Schedule &schedule;
  ContractionSite &site;
  OpBuilder &b;
  Location loc;
  GenOp gen;
  Type type;
  std::vector<std::string> rowBlocks;
  Value laneBlock, tileLanes, tileRows, tileDepth, chunkRows, chunkLanes;
  Value rows, lanes, depth, inner;
  SmallVector<Value> innerExtents;
  Value rowPanel, lanePanel;
  llvm::MapVector<Value, Value> bound; ///< what the axes are at the place of emission
  Value i0, j0, k0, i1, j1, rowCount, laneCount, depthCount, pitch;

  void note(Value operand, BlockArgument axis) {
    std::string name;
    if (auto psi = operand.getDefiningOp<PsiOp>())
      name = userName(psi.getArray()).str();
    onf::NoteOp::create(b, loc, (name.empty() ? "an operand of " + c.stage->name() : name) + ", block by block along " +
                                    indexName(axis).str());
  }
  void note(Stage &stage);
};

void BlockBuilder::note(Stage &stage) {
  constexpr size_t longest = 400;
  onf::NoteOp::create(b, loc, moa::indexForm(stage.gen, longest));
}
} // namespace

LogicalResult moac::emitContraction(const Contraction &contraction, const Schedule &schedule, ContractionSite site) {
  return BlockBuilder(contraction, schedule, site).run();
}
