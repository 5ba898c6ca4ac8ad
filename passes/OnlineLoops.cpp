// Loops of an online group; see OnlineLoops.h.
//
//     for other axes, b_tile                              sequential; b is the last of the other axes
//       pack the operands of lanes, whole                  by all threads
//       for b of the tile, i_tile                          divided among threads
//         m = -inf, l = 0, O = 0                           for the rows of the tile
//         for k_tile                                       from 0 on, in steps that depend on nothing
//           S = sums of products                           in register blocks
//           for rows: m, exp(m - before), P, l             along the lanes
//           O = O * factor + sums of products of P         in register blocks
//         what reads m, l and O
//
// The terms of an element are combined tile by tile: an order that depends on the streamed axis alone. Where the domain
// depends on the row, tiles that no row needs are not visited, and a row combines its own terms only.
#include "passes/OnlineParts.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class OnlineTiles {
public:
  OnlineTiles(const Online &online, const Nest &nest, const Schedule &schedule, OnlineSite &site)
      : o(online, nest, schedule, site), online(online), b(site.blocks.builder), tile(o), byRow(o) {}

  LogicalResult run() {
    if (failed(o.sizes()))
      return failure();
    if (online.inParts)
      return OnlineParts(o).run(), success();
    OpBuilder::InsertionGuard keep(b);
    for (auto &each : o.blocks)
      each->right.allocate();
    o.probe();
    auto team = onf::ParallelOp::create(b, o.loc, o.site.blocks.work);
    b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    tile.allocate();
    openOuter();
    for (auto &each : o.blocks)
      each->right.pack();
    openRows();
    o.hoistInvariants([](const OnlineMember &) { return true; });
    for (auto &each : o.blocks)
      if (each->member.role == OnlineRole::Scores)
        each->left.pack();
    byRow.begin();
    o.f().apart([&] {
      tile.openKeys(f().number(0), o.keys);
      tile.fold();
    });
    byRow.settle();
    byRow.finish();
    return success();
  }

private:
  LoopFrame &f() { return o.f(); }

  // ---- loops

  void openOuter() {
    auto name = [&](unsigned loop) { return indexName(o.axisOf(*o.nest.root, loop)).str(); };
    batchLoop = Nest::none;
    for (unsigned loop = 0; loop < o.nest.depth; ++loop)
      if (loop != online.row)
        batchLoop = loop;
    for (unsigned loop = 0; loop < o.nest.depth; ++loop)
      if (loop != online.row && loop != batchLoop)
        o.bindOuter(loop, f().open(name(loop), f().number(0), o.extentOf(*o.nest.root, o.axisOf(*o.nest.root, loop))));
    if (batchLoop == Nest::none)
      return;
    ContractionFrame &any = o.blocks.front()->f;
    Value t0 = f().open(name(batchLoop) + "_tile", f().number(0), any.batchExtent(), any.mostBatch);
    Value count = f().named(name(batchLoop) + "_len", f().min(any.mostBatch, f().sub(any.batchExtent(), t0)));
    for (auto &each : o.blocks)
      each->f.t0 = t0, each->f.batchCount = count;
  }

  void openRows() {
    o.batchIn = f().number(0);
    if (batchLoop != Nest::none) {
      ContractionFrame &any = o.blocks.front()->f;
      std::string name = indexName(o.axisOf(*o.nest.root, batchLoop)).str();
      o.batchIn = f().open(ContractionFrame::inside(name), f().number(0), any.batchCount, {}, "parallel", 2);
      o.i0 = f().open(o.rowName() + "_tile", f().number(0), o.rows, o.tileRows, "parallel");
      o.bindOuter(batchLoop, f().named(name, f().add(any.t0, o.batchIn)));
    } else {
      o.i0 = f().open(o.rowName() + "_tile", f().number(0), o.rows, o.tileRows, "parallel", 1);
    }
    if (!o.isWhole()) { // rows have more or less of the axis
      Operation *shared = o.i0.getParentBlock()->getParentOp();
      if (batchLoop != Nest::none)
        shared = shared->getParentOp();
      shared->setAttr("uneven", b.getUnitAttr());
    }
    o.rowCount = f().named(o.rowName() + "_len", f().min(o.tileRows, f().sub(o.rows, o.i0)));
    for (auto &each : o.blocks)
      each->f.i0 = o.i0, each->f.rowCount = o.rowCount;
  }

  OnlineFrame o;
  const Online &online;
  OpBuilder &b;
  OnlineTile tile;
  OnlineRows byRow;
  unsigned batchLoop = Nest::none;
};
} // namespace

LogicalResult moac::emitOnline(const Online &online, const Nest &nest, const Schedule &schedule, OnlineSite site) {
  return OnlineTiles(online, nest, schedule, site).run();
}

SmallVector<std::pair<unsigned, BlockArgument>> moac::tiledAxes(const Online &online, const Nest &nest) {
  if (online.inParts || !online.hasRow())
    return {};
  return {{0, nest.root->gen.entry().getArgument(nest.axisOf.at(nest.root)[online.row])}, {1, online.first->root.term().getArgument(0)}};
}

/// The tile of values along the streamed axis and the sums of its rows are for the first two levels of cache. Parts are as many
/// as keep the threads of a large machine busy, and long enough to be worth combining: numbers are summed sooner than rows.
static StringRef tileSizes(const Online &online) {
  auto all = [&](llvm::function_ref<bool(const OnlineMember &)> fits) {
    return llvm::all_of(online.members, [&](const OnlineMember &member) { return member.role == OnlineRole::Finished || fits(member); });
  };
  if (!online.inParts)
    return "48, 256";
  if (all([](const OnlineMember &member) { return member.role == OnlineRole::Reduced; }))
    return "1, 2048, 8192, 256";
  bool sumsRows = all([](const OnlineMember &member) {
    return member.role == OnlineRole::Reduced || (member.role == OnlineRole::Streamed && member.stage->hasReduction());
  });
  return sumsRows || all([](const OnlineMember &member) { return member.role == OnlineRole::Accumulated; }) ? "1, 64, 64, 256"
                                                                                                         : "1, 256, 1024, 256";
}

void moac::scheduleOnline(StageGraph &graph, const Online &online, const Nest &nest, Schedule &schedule) {
  std::string root = nest.root->name(), key = indexName(online.first->root.term().getArgument(0)).str();
  std::vector<std::string> axes = {key};
  if (online.hasRow())
    axes.insert(axes.begin(), indexName(nest.root->gen.entry().getArgument(nest.axisOf.at(nest.root)[online.row])).str());
  schedule.add("online", root, axes, tileSizes(online));
  for (const OnlineMember &member : online.members) {
    if (!member.blocks.stage)
      continue;
    const Contraction &c = member.blocks;
    bool isDouble = member.stage->root.getResult().getType().isF64();
    std::vector<std::string> packed;
    for (BlockArgument axis : c.reduced)
      packed.push_back(indexName(axis).str());
    packed.push_back(indexName(c.lane).str());
    schedule.add("pack", member.stage->name(), packed);
    schedule.add("unroll", member.stage->name(), {indexName(c.row).str()}, "MOAC_ROWS, 4, 1");
    schedule.add("lanes", member.stage->name(), {indexName(c.lane).str()}, isDouble ? "MOAC_COLS_F64" : "MOAC_COLS_F32");
  }
}
