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
#include "passes/OnlineProducts.h"
#include "passes/OnlineRows.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
class OnlineEmitter {
public:
  OnlineEmitter(const Online &online, const Nest &nest, const Schedule &schedule, OnlineSite &site)
      : o(online, nest, schedule, site), online(online), b(site.blocks.builder), products(o), byRow(o) {}

  LogicalResult run() {
    if (failed(o.sizes()))
      return failure();
    OpBuilder::InsertionGuard keep(b);
    for (auto &each : o.blocks)
      each->right.allocate();
    o.probe();
    auto team = onf::ParallelOp::create(b, o.loc, o.site.blocks.work);
    b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    allocateTiles();
    openOuter();
    for (auto &each : o.blocks)
      each->right.pack();
    openRows();
    o.hoistInvariants();
    for (auto &each : o.blocks)
      if (each->member.role == OnlineRole::Scores)
        each->left.pack();
    begin();
    o.f().apart([&] {
      openKeys();
      tile();
    });
    byRow.settle();
    byRow.finish();
    return success();
  }

private:
  ContractionFrame &f() { return o.f(); }

  // ---- places

  void allocateTiles() {
    for (const OnlineMember &member : online.members)
      for (const Rescale &rescale : member.rescales)
        o.references[rescale.by].fn = rescale.fn;
    for (const OnlineMember &member : online.members) {
      Stage &stage = *member.stage;
      Location loc = stage.gen.getLoc();
      Type type = stage.gen.arrayType().getElementType();
      Value one = f().number(1);
      switch (member.role) {
      case OnlineRole::Scores:
        o.blocksOf(member).left.allocate(true);
        if (!o.followerOf(member))
          o.buffers[&stage] = o.allocate(loc, type, stage.name(), o.pitch);
        break;
      case OnlineRole::Streamed: {
        Stage *source = overwritten(stage);
        o.buffers[&stage] = source ? o.buffers[source] : o.allocate(loc, type, stage.name(), o.pitch);
        break;
      }
      case OnlineRole::Reduced:
        o.buffers[&stage] = o.allocate(loc, type, stage.name(), one);
        if (auto found = o.references.find(&stage); found != o.references.end()) {
          found->second.value = o.allocate(loc, type, stage.name() + "_used", one);
          found->second.factor = o.allocate(loc, type, stage.name() + "_factor", one);
        }
        break;
      case OnlineRole::Accumulated:
        o.buffers[&stage] = o.allocate(loc, type, stage.name(), o.blocksOf(member).f.lanes);
        break;
      case OnlineRole::Finished:
        if (!o.site.storage.count(stage.gen.getResult()))
          o.buffers[&stage] = o.allocate(loc, type, stage.name(), member.lane ? o.extentOf(stage, member.lane) : one);
        break;
      }
    }
  }

  /// A streamed stage whose last reader is this one, element by element.
  Stage *overwritten(Stage &stage) {
    for (StageRead &read : stage.reads)
      for (const OnlineMember &member : online.members)
        if (member.stage->gen.getResult() == read.psi.getArray() && o.buffers.count(member.stage) &&
            (member.role == OnlineRole::Streamed || member.role == OnlineRole::Scores) &&
            member.stage->gen.arrayType().getElementType() == stage.gen.arrayType().getElementType() &&
            llvm::all_of(member.stage->readers, [&](StageRead &other) { return o.positionOf(other.reader) <= o.positionOf(&stage); }))
          return member.stage;
    return nullptr;
  }

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
    Value t0 = f().open(name(batchLoop) + "_tile", f().number(0), f().batchExtent(), f().mostBatch);
    Value count = f().named(name(batchLoop) + "_len", f().min(f().mostBatch, f().sub(f().batchExtent(), t0)));
    for (auto &each : o.blocks)
      each->f.t0 = t0, each->f.batchCount = count;
  }

  void openRows() {
    o.batchIn = f().number(0);
    if (batchLoop != Nest::none) {
      std::string name = indexName(o.axisOf(*o.nest.root, batchLoop)).str();
      o.batchIn = f().open(ContractionFrame::inside(name), f().number(0), f().batchCount, {}, "parallel", 2);
      o.i0 = f().open(o.rowName() + "_tile", f().number(0), o.rows, o.tileRows, "parallel");
      o.bindOuter(batchLoop, f().named(name, f().add(f().t0, o.batchIn)));
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

  void begin() {
    for (const OnlineMember &member : online.members)
      if (member.role == OnlineRole::Reduced || member.role == OnlineRole::Accumulated)
        f().apart([&] {
          Value row = f().open(ContractionFrame::inside(o.rowName()), f().number(0), o.rowCount), at = row;
          if (member.role == OnlineRole::Accumulated) {
            Value width = o.blocksOf(member).f.lanes, lane = f().open(indexName(member.lane).str(), f().number(0), width, {}, "lanes");
            at = f().add(f().mul(row, width), lane);
          }
          Value neutral = BodyEmitter::identity(b, o.loc, member.stage->root.getKind(), member.stage->root.getResult().getType());
          o.store(neutral, o.buffers[member.stage], at, true);
        });
  }

  /// The tiles that some row of this tile needs.
  void openKeys() {
    Value from = f().number(0), to = o.keys;
    if (!o.isWhole()) {
      Value last = f().sub(f().add(o.i0, o.rowCount), f().number(1));
      Value lo = f().max(f().number(0), f().min(o.lowAt(o.i0), o.lowAt(last)));
      from = f().named(o.keyName() + "_first", f().multiple(lo, o.tileKeys));
      to = f().named(o.keyName() + "_end", f().min(o.keys, f().max(o.highAt(o.i0), o.highAt(last))));
    }
    o.k0 = f().open(o.keyName() + "_tile", from, to, o.tileKeys);
    o.keyCount = f().named(o.keyName() + "_len", f().min(o.tileKeys, f().sub(to, o.k0)));
    for (const OnlineMember &member : online.members)
      if (member.role == OnlineRole::Scores || member.role == OnlineRole::Streamed)
        if (auto found = o.buffers.find(member.stage); found != o.buffers.end())
          o.keep(*member.stage, found->second, member.lane, o.k0, o.pitch);
    for (auto &[stage, reference] : o.references)
      o.keep(*stage, reference.value, {}, {}, {});
  }

  void tile() {
    for (size_t i = 0; i < online.members.size();) {
      const OnlineMember &member = online.members[i];
      if (member.role == OnlineRole::Scores)
        products.scores(member);
      else if (member.role == OnlineRole::Accumulated)
        products.accumulate(member);
      if (member.role != OnlineRole::Streamed && member.role != OnlineRole::Reduced) {
        ++i;
        continue;
      }
      size_t end = i;
      while (end < online.members.size() && (online.members[end].role == OnlineRole::Streamed || online.members[end].role == OnlineRole::Reduced))
        ++end;
      f().apart([&] { byRow.rowByRow(ArrayRef(online.members).slice(i, end - i)); });
      i = end;
    }
  }

  OnlineFrame o;
  const Online &online;
  OpBuilder &b;
  OnlineProducts products;
  OnlineRows byRow;
  unsigned batchLoop = Nest::none;
};
} // namespace

LogicalResult moac::emitOnline(const Online &online, const Nest &nest, const Schedule &schedule, OnlineSite site) {
  return OnlineEmitter(online, nest, schedule, site).run();
}

void moac::scheduleOnline(StageGraph &graph, const Online &online, const Nest &nest, Schedule &schedule) {
  // The tile of values along the streamed axis and the sums of its rows are for the first two levels of cache.
  constexpr int64_t rows = 48, keys = 256;
  std::string root = nest.root->name();
  std::string row = indexName(nest.root->gen.entry().getArgument(nest.axisOf.at(nest.root)[online.row])).str();
  std::string key = indexName(online.first->root.term().getArgument(0)).str();
  schedule.add("online", root, {row, key}, std::to_string(rows) + ", " + std::to_string(keys));
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
    schedule.add("unroll", member.stage->name(), {indexName(c.row).str()}, "MOAC_ROWS, 1");
    schedule.add("lanes", member.stage->name(), {indexName(c.lane).str()}, isDouble ? "MOAC_COLS_F64" : "MOAC_COLS_F32");
  }
}
