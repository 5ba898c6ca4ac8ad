// Sizes, places and scalar code; see OnlineFrame.h.
#include "passes/OnlineFrame.h"
#include "passes/Decide.h"

#include "ir/IndexForm.h"
#include "ir/KernelFacts.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

OnlineFrame::OnlineFrame(const Online &online, const Nest &nest, const Schedule &schedule, OnlineSite &site)
    : online(online), nest(nest), schedule(schedule), site(site), b(site.blocks.builder), loc(nest.root->gen.getLoc()),
      loops(site.blocks, loc), outer(nest.depth) {
  for (const OnlineMember &member : online.members)
    if (member.blocks.stage)
      blocks.push_back(std::make_unique<OnlineBlocks>(member, schedule, site.blocks));
}

OnlineBlocks &OnlineFrame::blocksOf(const OnlineMember &member) {
  return **llvm::find_if(blocks, [&](const auto &each) { return each->member.stage == member.stage; });
}

LogicalResult OnlineFrame::sizes() {
  std::vector<std::string> tiles = schedule.sizes("online", nest.root->name());
  if (tiles.size() != (online.inParts ? 4 : 2))
    return nest.root->gen.emitError() << "an online group needs a tile of rows and one of the streamed axis, and the least length of a "
                                         "part and the most parts where it is divided";
  for (auto &each : blocks)
    if (failed(each->f.blockSizes()))
      return failure();
  IndexExprs &exprs = site.blocks.context.exprs;
  for (auto &each : blocks) {
    ContractionFrame &g = each->f;
    if (each->member.role == OnlineRole::Scores) {
      for (BlockArgument axis : g.c.reduced)
        assumeDomain(g.pointFacts, axis, exprs);
      continue;
    }
    shape::Expr index = shape::Expr::name(exprs.nameOf(g.c.reduced[0])); // a panel holds more than one row's domain has
    g.pointFacts.nonNegative(index);
    g.pointFacts.nonNegative(online.extent - index - shape::Expr(1));
  }
  constexpr int64_t pad = 16; // so that rows of a tile do not fall on one set of a cache
  tileRows = f().size(tiles[0]);
  tileKeys = f().size(tiles[1]);
  for (auto &each : blocks) // a panel of the streamed axis holds whole blocks
    if (each->member.role == OnlineRole::Scores)
      tileKeys = each->f.multipleUp(tileKeys, tiles[1], schedule.sizes("lanes", each->member.stage->name())[0]);
  pitch = online.hasRow() ? f().add(tileKeys, f().number(pad)) : tileKeys;
  rows = online.hasRow() ? extentOf(*nest.root, axisOf(*nest.root, online.row)) : f().number(1);
  keys = f().materialized(online.extent);
  if (online.inParts) {
    auto quotientUp = [&](Value x, Value y) { return f().apply(ScalarFn::floordiv_, f().add(x, f().sub(y, f().number(1))), y); };
    Value share = f().mul(quotientUp(quotientUp(keys, f().size(tiles[3])), tileKeys), tileKeys);
    partKeys = f().named(keyName() + "_part_len", f().max(f().size(tiles[2]), share));
    parts = f().named(keyName() + "_parts", quotientUp(keys, partKeys));
    mostParts = f().min(f().size(tiles[3]), f().add(f().apply(ScalarFn::floordiv_, keys, f().size(tiles[2])), f().number(1)));
    return success();
  }
  for (auto &each : blocks) {
    ContractionFrame &g = each->f;
    bool scores = each->member.role == OnlineRole::Scores;
    g.depth = scores ? g.materialized(exprs.toExpr(g.c.stage->root.upper(0))) : keys;
    g.tileLanes = g.add(g.lanes, g.laneBlock);
    g.tileRows = tileRows;
    g.tileDepth = g.depth;
    g.j0 = g.k0 = g.number(0);
    g.laneCount = g.lanes;
    g.depthCount = g.depth;
    g.pitch = g.pitchFor(g.depth);
  }
  ContractionFrame &any = blocks.front()->f;
  if (!any.batch)
    return success();
  constexpr int64_t together = 1 << 18; // elements of a panel of several indices of the batch
  Value largest = f().number(1);
  for (auto &each : blocks)
    largest = each->f.max(largest, each->f.mul(each->f.tileLanes, each->f.pitch));
  Value fit = f().apply(ScalarFn::floordiv_, f().number(together), largest);
  Value most = f().named(indexName(any.batch).str() + "_most", f().max(f().min(fit, any.batchExtent()), f().number(1)));
  for (auto &each : blocks)
    each->f.together = f().number(together), each->f.mostBatch = most;
  return success();
}

void OnlineFrame::bindOuter(unsigned loop, Value index) {
  outer[loop] = index;
  for (auto &each : blocks)
    each->f.bound[axisOf(*each->member.stage, loop)] = index;
}

BodyEmitter OnlineFrame::emitterFor(Stage &stage, Value row) {
  BodyEmitter emitter(b, site.blocks.values, site.blocks.context, site.blocks.facts);
  for (unsigned loop = 0; loop < nest.depth; ++loop)
    emitter.enterWhole(axisOf(stage, loop), loop == online.row ? row : outer[loop]);
  for (auto [value, known] : invariants.lookup(&stage))
    emitter.bind(value, known);
  return emitter;
}

void OnlineFrame::hoistInvariants(llvm::function_ref<bool(const OnlineMember &)> needed) {
  invariants.clear();
  for (const OnlineMember &member : online.members)
    if (needed(member))
      hoistInvariants(*member.stage);
}

void OnlineFrame::hoistInvariants(Stage &stage) {
  auto isInvariant = [&](Operation *op) {
    if (op->getNumResults() != 1 || !isa<FloatType>(op->getResult(0).getType()) || isa<ConstantOp, PsiOp, RedOp>(op) || isChecked(op->getResult(0)))
      return false;
    IndexSet free;
    collectFreeIndices(op, free);
    bool reads = false;
    visitSlice(op->getResult(0), [&](Operation *inner) { reads |= isa<PsiOp, RedOp>(inner); });
    return free.empty() && !reads;
  };
  for (Operation &op : stage.gen.entry().without_terminator()) {
    bool needed = llvm::any_of(op.getUsers(), [&](Operation *user) { return !isInvariant(user); });
    if (!isInvariant(&op) || !needed)
      continue;
    Value value = BodyEmitter(b, site.blocks.values, site.blocks.context, site.blocks.facts).emit(op.getResult(0));
    Type type = value.getType();
    Value variable = onf::AllocOp::create(b, op.getLoc(), onf::BufferType::get(b.getContext(), type, "register"), f().number(1),
                                          stage.name() + "_part");
    onf::StoreOp::create(b, op.getLoc(), value, variable, Value(), UnitAttr(), UnitAttr());
    invariants[&stage].push_back({op.getResult(0), onf::LoadOp::create(b, op.getLoc(), type, variable, Value())});
  }
}

Value OnlineFrame::boundAt(const shape::Expr &bound, Value row) { return emitterFor(*nest.root, row).emit(bound, {}, loc); }

Value OnlineFrame::needed(const shape::Expr &bound, const shape::Expr &masked, Value row) {
  return bound == masked ? boundAt(bound, row) : select(finite, boundAt(masked, row), boundAt(bound, row));
}

void OnlineFrame::probe() {
  if (!isMasked())
    return;
  Value all = ConstantOp::create(b, loc, b.getBoolAttr(true));
  for (const OnlineMember &member : online.members)
    if (member.role == OnlineRole::Accumulated) {
      Type type = member.stage->root.getResult().getType();
      Value zero = ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
      Value sum = onf::AllocOp::create(b, loc, onf::BufferType::get(b.getContext(), type, "register"), f().number(1),
                                       member.stage->name() + "_probe");
      onf::StoreOp::create(b, loc, zero, sum, Value(), UnitAttr(), UnitAttr());
      probe(member, sum);
      Value none = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("eq"),
                                    ValueRange{onf::LoadOp::create(b, loc, type, sum, Value()), zero}, UnitAttr());
      all = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("and"), ValueRange{all, none}, UnitAttr());
    }
  Value flag = onf::AllocOp::create(b, loc, onf::BufferType::get(b.getContext(), b.getI1Type(), "register"), f().number(1), "finite");
  onf::StoreOp::create(b, loc, all, flag, Value(), UnitAttr(), UnitAttr());
  finite = onf::LoadOp::create(b, loc, b.getI1Type(), flag, Value());
}

/// Adds 0*x for every x: 0, or no number if some x is infinite or none.
void OnlineFrame::probe(const OnlineMember &member, Value sum) {
  onf::NoteOp::create(b, loc, "What the mask leaves out counts only if a factor of it is not finite.");
  ContractionFrame &g = blocksOf(member).f;
  IndexSet free;
  collectFreeIndices(member.blocks.laneOperand, free);
  OpBuilder::InsertionGuard keep(b);
  auto saved = g.bound;
  for (BlockArgument axis : member.blocks.outer)
    if (free.contains(axis))
      g.bound[axis] = g.open(indexName(axis).str(), g.number(0), g.extentOf(axis));
  g.bound[g.c.reduced[0]] = g.open(keyName(), g.number(0), keys);
  Value lane = g.open(g.laneName(), g.number(0), g.lanes, {}, "lanes");
  Value x = g.operand(g.c.laneOperand, g.c.lane, lane);
  Value zero = ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(x.getType())));
  onf::UpdateOp::create(b, loc, b.getStringAttr("add"), scalar("mul", {zero, x}), sum, Value(), b.getUnitAttr());
  g.bound = std::move(saved);
}

Value OnlineFrame::allocate(Location where, Type type, const std::string &name, Value width) {
  bool isVariable = !online.hasRow() && !width;
  Value count = online.hasRow() ? f().min(tileRows, rows) : f().number(1), size = width ? f().mul(count, width) : count;
  return onf::AllocOp::create(b, where, onf::BufferType::get(b.getContext(), type, isVariable ? "register" : space), size, name);
}

Value OnlineFrame::at(Value localRow, Value width, Value element) {
  if (!width)
    return online.hasRow() ? localRow : Value();
  return online.hasRow() ? f().add(f().mul(localRow, width), element) : element;
}

void OnlineFrame::keep(Stage &stage, Value buffer, BlockArgument lane, Value from, Value width) {
  Storage place;
  place.buffer = buffer;
  std::vector<shape::Expr> extents = stage.gen.arrayType().extents();
  auto add = [&](BlockArgument axis, Value origin, Value length) {
    place.axes.push_back(axis.getArgNumber());
    place.extents.push_back(f().materialized(extents[axis.getArgNumber()]));
    place.origins.push_back(origin);
    place.lengths.push_back(length);
  };
  if (online.hasRow())
    add(axisOf(stage, online.row), i0, tileRows);
  if (lane)
    add(lane, from, width);
  site.storage[stage.gen.getResult()] = place;
}

Value OnlineFrame::scalar(StringRef fn, ValueRange operands) {
  Type type = operands[0].getType();
  return ScalarOp::create(b, loc, type, b.getStringAttr(fn), operands, UnitAttr());
}
Value OnlineFrame::least(Type type) { return ConstantOp::create(b, loc, identityOf("max", type)); }
Value OnlineFrame::isLeast(Value value) {
  return ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("eq"), ValueRange{value, least(value.getType())}, UnitAttr());
}
Value OnlineFrame::select(Value condition, Value taken, Value other) {
  auto where = WhereOp::create(b, loc, taken.getType(), condition);
  for (auto [region, value] : {std::pair(&where.getThenRegion(), taken), std::pair(&where.getElseRegion(), other)}) {
    OpBuilder inside = OpBuilder::atBlockEnd(&region->emplaceBlock());
    YieldOp::create(inside, loc, value);
  }
  return where.getResult();
}
void OnlineFrame::store(Value value, Value buffer, Value offset, bool opens) {
  onf::StoreOp::create(b, loc, value, buffer, offset, UnitAttr(), opens ? b.getUnitAttr() : UnitAttr());
}
void OnlineFrame::note(Stage &stage) {
  constexpr size_t longest = 400;
  onf::NoteOp::create(b, stage.gen.getLoc(), indexForm(stage.gen, longest));
}

unsigned OnlineFrame::positionOf(Stage *stage) {
  return llvm::find_if(online.members, [&](const OnlineMember &m) { return m.stage == stage; }) - online.members.begin();
}

Value OnlineFrame::extentOf(Stage &stage, BlockArgument axis) { return f().materialized(stage.gen.arrayType().extents()[axis.getArgNumber()]); }

const OnlineMember *OnlineFrame::followerOf(const OnlineMember &scores) {
  if (scores.stage->readers.size() != 1)
    return nullptr;
  const OnlineMember *reader = online.of(scores.stage->readers[0].reader);
  if (reader->role != OnlineRole::Streamed)
    return nullptr;
  for (StageRead &read : reader->stage->reads)
    if (online.members.end() != llvm::find_if(online.members, [&](const OnlineMember &m) {
          return m.stage->gen.getResult() == read.psi.getArray() && m.stage != scores.stage;
        }))
      return nullptr;
  // What else it reads for each row and streamed index streams better row by row than block by block.
  bool streams = reader->stage->gen.getBody().walk([&](PsiOp psi) {
    bool other = psi.getArray() != scores.stage->gen.getResult() && llvm::is_contained(psi.getSubscripts(), reader->lane);
    return other ? WalkResult::interrupt() : WalkResult::advance();
  }).wasInterrupted();
  return streams ? nullptr : reader;
}

bool OnlineFrame::isFollower(const OnlineMember &member) {
  return llvm::any_of(online.members, [&](const OnlineMember &m) { return m.role == OnlineRole::Scores && followerOf(m) == &member; });
}

Stage *OnlineFrame::sourceOf(const OnlineMember &member) {
  Value array = member.blocks.rowOperand.getDefiningOp<PsiOp>().getArray();
  for (const OnlineMember &other : online.members)
    if (other.stage->gen.getResult() == array)
      return other.stage;
  return nullptr;
}

Value OnlineFrame::openEachRow() {
  if (!online.hasRow())
    return local = f().number(0), Value();
  local = f().open(ContractionFrame::inside(rowName()), f().number(0), rowCount);
  return f().named(rowName(), f().add(i0, local));
}

Value OnlineFrame::openLanes(const OnlineMember &member) {
  return member.lane ? f().open(indexName(member.lane).str(), f().number(0), widthOf(member), {}, "lanes") : Value();
}

std::pair<Value, Value> OnlineFrame::keysOf(Value row) {
  auto inTile = [&](Value bound) { return f().max(f().number(0), f().min(f().sub(bound, k0), keyCount)); };
  return {inTile(lowAt(row)), inTile(highAt(row))};
}

Value OnlineFrame::corrected(const OnlineMember &member, Value sum, Value localRow, Value lane) {
  for (const Rescale &rescale : member.rescales) {
    OnlineReference &reference = references[rescale.by];
    Value factor = load(sum.getType(), reference.factor, at(localRow));
    for (unsigned i = 0; i < rescale.power; ++i)
      sum = scalar("mul", {sum, factor});
  }
  if (!member.shift)
    return sum;
  auto fallen = [&](Stage *by) { return load(sum.getType(), references[by].factor, at(localRow, widthOf(*online.of(by)), lane)); };
  Value count = CastOp::create(b, loc, sum.getType(), seen);
  return scalar("add", {sum, scalar("mul", {count, scalar("mul", {fallen(member.shift->by), fallen(member.shift->other)})})});
}

void OnlineFrame::moveMean(Stage &stage, Value before, Value seen, Value all, Value count, Value lane) {
  OnlineReference &reference = references[&stage];
  Type type = all.getType();
  Value place = at(local, widthOf(*online.of(&stage)), lane), zero = ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  auto mean = [&](Value sum, Value terms) { return scalar("div", {sum, CastOp::create(b, loc, type, terms)}); };
  auto either = [&](Value x, Value y) { return ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("or"), ValueRange{x, y}, UnitAttr()); };
  Value was = mean(before, seen), now = mean(all, count);
  Value stays = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("eq"), ValueRange{was, now}, UnitAttr()); // also at infinity
  Value still = either(f().compare(ScalarFn::eq_, seen, f().number(0)), stays);
  store(select(still, zero, scalar("sub", {was, now})), reference.factor, place);
  store(now, reference.value, place);
}

void OnlineFrame::bindMeans(const OnlineMember &member, BodyEmitter &emitter, Value lane) {
  for (const MeanUse &use : member.means) {
    Value place = at(local, widthOf(*online.of(use.sum)), lane);
    emitter.bind(use.value, load(use.value.getType(), references[use.sum].value, place));
  }
}
