// Sizes and arithmetic around register blocks; see ContractionFrame.h.
#include "passes/ContractionFrame.h"

#include "ir/KernelFacts.h"
#include "ir/Tuned.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

ContractionFrame::ContractionFrame(const Contraction &c, const Schedule &schedule, ContractionSite &site)
    : LoopFrame(site, c.stage->gen.getLoc()), c(c), schedule(schedule), gen(c.stage->gen), type(c.stage->root.getResult().getType()) {
  if (!c.outer.empty())
    batch = c.outer.back();
}

Value ContractionFrame::openRows(Value size, StringRef role) {
  auto one = size.getDefiningOp<ConstantOp>();
  if (one && cast<IntegerAttr>(one.getValue()).getInt() == 1)
    return number(0);
  return open(inside(rowName()), number(0), size, {}, role);
}

void ContractionFrame::eachRowBlock(Value count, llvm::function_ref<Value(const std::string &, Value, Value, Value)> openBlocks,
                                    llvm::function_ref<void(Value, Value)> body) {
  Value done = number(0), left = count;
  for (const std::string &word : rowBlocks) {
    apart([&] {
      bool last = word == rowBlocks.back();
      Value block = size(word);
      Value end = last ? count : add(done, multiple(left, block));
      if (!last)
        end = named(rowName() + (word == rowBlocks.front() ? "_whole" : "_most"), end);
      Value next = end, rest = last ? Value() : apply(ScalarFn::mod_, left, block);
      apart([&] {
        Value index = openBlocks(rowName() + "_block", done, end, last ? Value() : block);
        body(index, block);
      });
      done = next;
      left = rest;
    });
  }
}

void ContractionFrame::store(Value value, Value buffer, Value offset) {
  onf::StoreOp::create(b, loc, value, buffer, offset, UnitAttr(), UnitAttr());
}

Value ContractionFrame::operand(Value factor, BlockArgument axis, Value index) {
  BodyEmitter emitter(b, site.values, site.context, pointFacts);
  for (auto [bindsAxis, value] : bound)
    emitter.enter(cast<BlockArgument>(bindsAxis), value);
  emitter.enter(axis, index);
  return emitter.emit(factor);
}

LogicalResult ContractionFrame::blockSizes() {
  std::string name = c.stage->name();
  rowBlocks = schedule.sizes("unroll", name);
  std::vector<std::string> laneBlocks = schedule.sizes("lanes", name);
  if (rowBlocks.empty() || rowBlocks.back() != "1" || laneBlocks.size() != 1)
    return gen.emitError() << "the schedule of '" << name << "' needs blocks of rows down to 1 and a block of lanes";
  laneBlock = size(laneBlocks[0]);
  rows = extentOf(c.row);
  lanes = extentOf(c.lane);
  RedOp red = c.stage->root;
  for (unsigned i = 1; i < red.rank(); ++i) {
    innerExtents.push_back(materialized(site.context.exprs.toExpr(red.upper(i))));
    inner = inner ? mul(inner, innerExtents.back()) : innerExtents.back();
  }
  facts = site.facts;
  for (BlockArgument axis : gen.entry().getArguments())
    assumeDomain(facts, axis, site.context.exprs);
  pointFacts = facts;
  return success();
}

LogicalResult ContractionFrame::sizes() {
  if (failed(blockSizes()))
    return failure();
  for (BlockArgument axis : c.reduced)
    assumeDomain(pointFacts, axis, site.context.exprs);
  std::string name = c.stage->name();
  std::vector<std::string> tiles = schedule.sizes("tile", name), chunks = schedule.sizes("parallel", name);
  if (tiles.size() != (batch ? 4 : 3) || chunks.size() != 2)
    return gen.emitError() << "the schedule of '" << name << "' needs a tile of lanes, rows, depth and the last axis outside "
                           << "them, and a chunk of rows and lanes";
  tileLanes = multipleUp(size(tiles[0]), tiles[0], schedule.sizes("lanes", name)[0]);
  tileRows = size(tiles[1]);
  tileDepth = size(tiles[2]);
  chunkRows = mul(size(chunks[0]), size(rowBlocks[0]));
  chunkLanes = mul(size(chunks[1]), laneBlock);
  depth = materialized(site.context.exprs.toExpr(c.stage->root.upper(0)));
  if (batch) { // as many as the elements of a panel allow
    Value points = pitchFor(min(tileDepth, depth));
    Value largest = mul(max(min(tileRows, rows), min(tileLanes, add(lanes, laneBlock))), points);
    together = size(tiles[3]);
    Value fit = apply(ScalarFn::floordiv_, together, largest);
    mostBatch = named(indexName(batch).str() + "_most", max(min(fit, extentOf(batch)), number(1)));
  }
  return success();
}

std::string ContractionFrame::pointName() const {
  std::string name;
  for (BlockArgument axis : c.reduced)
    name += (name.empty() ? "" : "_") + indexName(axis).str();
  return name;
}

/// A tile of lanes holds whole blocks.
Value ContractionFrame::multipleUp(Value tile, const std::string &tileWord, const std::string &blockWord) {
  int64_t most = 1;
  if (std::optional<Tuned> tuned = findTuned(blockWord))
    most = *std::max_element(tuned->values.begin(), tuned->values.end());
  else
    most = std::max(1, std::atoi(blockWord.c_str()));
  int64_t wanted = std::max(1, std::atoi(tileWord.c_str()));
  return wanted % most == 0 ? tile : number((wanted + most - 1) / most * most);
}
