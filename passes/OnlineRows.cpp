// Loops over the rows of a tile; see OnlineRows.h.
#include "passes/OnlineRows.h"

#include "passes/Slice.h"

#include "ir/Onf.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void OnlineRows::begin() {
  for (const OnlineMember &member : o.online.members)
    if (member.role == OnlineRole::Reduced || member.role == OnlineRole::Accumulated)
      o.f().apart([&] {
        o.openEachRow();
        Value lane = o.openLanes(member);
        RedOp red = member.stage->root;
        o.store(BodyEmitter::identity(b, o.loc, red.getKind(), red.getResult().getType()), o.buffers[member.stage],
                o.at(o.local, o.widthOf(member), lane), true);
      });
}

/// The streamed indices of a row in this tile.
std::pair<OnlineRows::Value, OnlineRows::Value> OnlineRows::keysOf(Value row) {
  if (o.isWhole())
    return {o.k0, o.f().add(o.k0, o.keyCount)};
  auto [lo, hi] = o.keysOf(row);
  return {o.f().named(o.keyName() + "_from", o.f().add(o.k0, lo)), o.f().named(o.keyName() + "_to", o.f().add(o.k0, hi))};
}

void OnlineRows::accumulate(const OnlineMember &member) {
  Stage &stage = *member.stage;
  RedOp red = stage.root;
  Value sums = o.buffers[member.stage], width = o.widthOf(member);
  o.note(stage);
  o.f().apart([&] {
    Value row = o.openEachRow();
    Type type = red.getResult().getType();
    auto found = o.references.find(member.stage);
    bool isMean = found != o.references.end();
    if (isMean || member.shift || !member.rescales.empty())
      o.f().apart([&] {
        Value lane = o.openLanes(member), at = o.at(o.local, width, lane), before = o.load(type, sums, at);
        if (isMean)
          o.store(before, found->second.factor, at);
        else
          o.store(o.corrected(member, before, o.local, lane), sums, at);
      });
    auto [from, to] = keysOf(row);
    together(o.keyName(), from, to, [&](Value key, int64_t count) {
      fetchAhead(stage, red.termValue(), {red.term().getArgument(0), key, count}, {member.lane, o.f().number(0), width}, row);
      Value lane = o.openLanes(member), at = o.at(o.local, width, lane), sum = o.load(red.getResult().getType(), sums, at);
      for (int64_t i = 0; i < count; ++i) {
        BodyEmitter emitter = o.emitterFor(stage, row);
        emitter.enter(red.term().getArgument(0), o.f().add(key, o.f().number(i)));
        emitter.enterWhole(member.lane, lane);
        o.bindMeans(member, emitter, lane);
        sum = o.scalar("add", {sum, emitter.emit(red.termValue())});
      }
      o.store(sum, sums, at);
    });
    if (isMean)
      o.f().apart([&] {
        Value lane = o.openLanes(member), at = o.at(o.local, width, lane);
        Value before = o.load(type, found->second.factor, at);
        o.moveMean(stage, before, o.seen, o.load(type, sums, at), o.f().add(o.seen, o.keyCount), lane);
      });
  });
}

/// Several indices at once as far as they go, then one by one.
void OnlineRows::together(const std::string &name, Value from, Value to, llvm::function_ref<void(Value, int64_t)> body) {
  constexpr int64_t several = 4; // as many as share a load of what does not depend on the index, and hide additions
  LoopFrame &f = o.f();
  Value length = f.max(f.number(0), f.sub(to, from));
  Value end = f.named(name + "_whole", f.add(from, f.multiple(length, f.number(several))));
  f.apart([&] { body(f.open(name, from, end, f.number(several)), several); });
  f.apart([&] { body(f.open(name, end, to), 1); });
}

/// Brings what a block of indices further on will read along a loop. Memory alone limits these loops, and arithmetic between two
/// reads delays the next. It is brought to the second level only, where what comes next of memory in order arrives too: the first
/// has few lines on the way at a time, and asking for more of them makes the loop wait.
void OnlineRows::fetchAhead(Stage &stage, Value root, Moving moving, Along along, Value row) {
  constexpr int64_t distance = 64, line = 64; // indices; bytes
  constexpr int64_t most = 1024;              // of a row, in bytes: what follows the hardware sees coming
  LoopFrame &f = o.f();
  if (moving.count == 1)
    return;
  SmallVector<PsiOp> reads;
  visitSlice(root, [&](Operation *op) {
    auto psi = dyn_cast<PsiOp>(op);
    Storage place = psi ? o.site.storage.lookup(psi.getArray()) : Storage();
    if (!place.buffer || !place.lengths.empty() || psi.getSubscripts().size() != place.axes.size())
      return;
    Value contiguous = place.columnMajor ? psi.getSubscripts().front() : psi.getSubscripts().back();
    if (contiguous == along.axis && llvm::is_contained(psi.getSubscripts(), moving.axis))
      reads.push_back(psi);
  });
  for (PsiOp psi : reads)
    f.apart([&] {
      std::string name = indexName(moving.axis).str();
      Value first = f.named(name + "_next", f.min(f.add(moving.at, f.number(distance)), f.sub(o.keys, f.number(moving.count))));
      Storage place = o.site.storage.lookup(psi.getArray());
      int64_t bytes = llvm::divideCeil(cast<ArrayType>(psi.getArray().getType()).getElementType().getIntOrFloatBitWidth(), 8);
      Value end = f.min(along.hi, f.add(along.lo, f.number(most / bytes)));
      Value point = f.open(indexName(along.axis).str(), along.lo, end, f.number(line / bytes));
      for (int64_t i = 0; i < moving.count; ++i) {
        BodyEmitter emitter = o.emitterFor(stage, row);
        emitter.enterWhole(moving.axis, f.add(first, f.number(i)));
        emitter.enterWhole(along.axis, point);
        SmallVector<Value> subscripts;
        for (Value subscript : psi.getSubscripts())
          subscripts.push_back(emitter.emit(subscript));
        onf::PrefetchOp::create(b, o.loc, place.buffer, place.offset(b, o.loc, subscripts), b.getUnitAttr());
      }
    });
}

/// The sums for all indices have the same terms' domain.
bool OnlineRows::haveOneLoop(const OnlineMember &member) {
  RedOp red = member.stage->root;
  return red && red.rank() == 1 && red.getKind() == "add" && isFreeOf(red.lower(0), member.lane) && isFreeOf(red.upper(0), member.lane);
}

/// Sums of a streamed member, several indices side by side: they share a loop over the terms.
void OnlineRows::sums(const OnlineMember &member, Value row, Value from, Value to) {
  RedOp red = member.stage->root;
  Type type = red.getResult().getType();
  together(indexName(member.lane).str(), from, to, [&](Value key, int64_t count) {
    std::vector<BodyEmitter> emitters;
    SmallVector<Value> sums;
    for (int64_t i = 0; i < count; ++i) {
      emitters.push_back(o.emitterFor(*member.stage, row));
      emitters.back().enterWhole(member.lane, o.f().add(key, o.f().number(i)));
      sums.push_back(onf::AllocOp::create(b, o.loc, onf::BufferType::get(b.getContext(), type, "register"), o.f().number(1), "sum"));
      o.store(BodyEmitter::identity(b, o.loc, red.getKind(), type), sums.back(), Value(), true);
    }
    auto [lo, hi] = emitters.front().emitBounds(red, 0);
    BlockArgument axis = red.term().getArgument(0);
    fetchAhead(*member.stage, red.termValue(), {member.lane, key, count}, {axis, lo, hi}, row);
    o.f().apart([&] {
      Value point = o.f().open(indexName(axis).str(), lo, hi, {}, "lanes");
      for (auto [emitter, sum] : llvm::zip(emitters, sums)) {
        emitter.enterWhole(axis, point);
        onf::UpdateOp::create(b, o.loc, b.getStringAttr(red.getKind()), emitter.emit(red.termValue()), sum, Value(), b.getUnitAttr());
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      Value place = o.at(o.local, o.pitch, o.f().sub(o.f().add(key, o.f().number(i)), o.k0));
      onf::StoreOp::create(b, o.loc, o.load(type, sums[i], Value()), o.buffers[member.stage], place, b.getUnitAttr(), UnitAttr());
    }
  });
}

void OnlineRows::rowByRow(ArrayRef<OnlineMember> members) {
  if (llvm::all_of(members, [&](const OnlineMember &member) { return o.isFollower(member); }))
    return;
  Value row = o.openEachRow();
  auto [from, to] = keysOf(row);
  for (auto &[stage, reference] : o.references)
    reference.current = {};
  for (const OnlineMember &member : members) {
    if (o.isFollower(member))
      continue;
    o.note(*member.stage);
    BodyEmitter emitter = o.emitterFor(*member.stage, row);
    member.stage->gen.getBody().walk([&](PsiOp psi) {
      for (auto &[stage, reference] : o.references)
        if (reference.current && psi.getArray() == stage->gen.getResult())
          emitter.bind(psi.getResult(), reference.current);
    });
    o.bindMeans(member, emitter);
    if (member.role == OnlineRole::Streamed && haveOneLoop(member))
      sums(member, row, from, to);
    else if (member.role == OnlineRole::Streamed)
      streamed(member, emitter, from, to);
    else
      reduced(member, emitter, from, to);
  }
}

void OnlineRows::streamed(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to) {
  emitter.apart([&] {
    GenOp gen = member.stage->gen;
    emitter.unswitch(gen.yielded(), [&] {
      Value key = o.f().open(indexName(member.lane).str(), from, to, {}, member.stage->hasReduction() ? "sequential" : "lanes");
      emitter.enterWhole(member.lane, key);
      Value value = emitter.emit(gen.yielded());
      Value at = o.at(o.local, o.pitch, o.f().sub(key, o.k0));
      onf::StoreOp::create(b, gen.getLoc(), value, o.buffers[member.stage], at, b.getUnitAttr(), UnitAttr());
    });
  });
}

void OnlineRows::reduced(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to) {
  RedOp red = member.stage->root;
  Type type = red.getResult().getType();
  Value buffer = o.buffers[member.stage];
  emitter.confine(red.term().getArgument(0), from, to);
  emitter.reduceInParts(o.f().size(type.isF64() ? "MOAC_SUMS_F64" : "MOAC_SUMS_F32"));
  Value at = o.at(o.local), part = emitter.emit(red.getResult()), before = o.load(type, buffer, at);
  Value all = o.scalar(red.getKind(), {o.corrected(member, before, o.local), part});
  o.store(all, buffer, at);
  auto found = o.references.find(member.stage);
  if (found == o.references.end())
    return;
  if (found->second.isMean())
    return o.moveMean(*member.stage, before, o.seen, all, o.f().add(o.seen, o.keyCount), {});
  // Terms refer to 0 while all are -inf: each is then exp(-inf), nothing, and not a NaN.
  Value zero = ConstantOp::create(b, o.loc, cast<TypedAttr>(b.getZeroAttr(type)));
  Value used = o.select(o.isLeast(all), zero, all);
  Value fallen = o.scalar(found->second.fn, {o.scalar("sub", {before, used})});
  fallen.getDefiningOp()->setAttr("nonpositive", b.getUnitAttr()); // a maximum does not fall
  Value factor = o.select(o.isLeast(before), zero, fallen);
  o.store(used, found->second.value, at);
  o.store(factor, found->second.factor, at);
  found->second.current = used;
}

void OnlineRows::settle() {
  for (auto &[stage, reference] : llvm::make_filter_range(o.references, [](auto &each) { return !each.second.isMean(); }))
    o.f().apart([&, stage = stage] {
      Value row = o.openEachRow();
      Type type = stage->gen.arrayType().getElementType();
      Value none = o.isLeast(o.load(type, o.buffers[stage], o.at(o.local)));
      Value some = o.f().compare(ScalarFn::lt_, o.boundAt(o.online.lo, row), o.boundAt(o.online.hi, row));
      auto all = ScalarOp::create(b, o.loc, b.getI1Type(), b.getStringAttr("and"), ValueRange{none, some}, UnitAttr());
      auto branch = onf::IfOp::create(b, o.loc, all);
      b.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
      Value nan = ConstantOp::create(b, o.loc, b.getFloatAttr(type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics())));
      for (const OnlineMember &member : o.online.members)
        if (llvm::any_of(member.rescales, [&](const Rescale &rescale) { return rescale.by == stage && !rescale.guarded; }))
          o.f().apart([&] {
            Value at = o.at(o.local, o.widthOf(member), o.openLanes(member));
            o.store(nan, o.buffers[member.stage], at);
          });
    });
}

void OnlineRows::finish() {
  Value zero = o.f().number(0);
  for (const OnlineMember &member : o.online.members)
    if (member.role == OnlineRole::Reduced)
      o.keep(*member.stage, o.buffers[member.stage], {}, {}, {});
    else if (member.role == OnlineRole::Accumulated)
      o.keep(*member.stage, o.buffers[member.stage], member.lane, zero, o.widthOf(member));
    else if (auto found = o.buffers.find(member.stage); member.role == OnlineRole::Finished && found != o.buffers.end())
      o.keep(*member.stage, found->second, member.lane, zero, o.widthOf(member));
  Value row = o.openEachRow();
  for (const OnlineMember &member : o.online.members)
    if (member.role == OnlineRole::Finished)
      o.f().apart([&] { finished(member, row); });
}

void OnlineRows::finished(const OnlineMember &member, Value row) {
  GenOp gen = member.stage->gen;
  o.note(*member.stage);
  BodyEmitter emitter = o.emitterFor(*member.stage, row);
  auto element = [&] {
    if (Value lane = o.openLanes(member))
      emitter.enterWhole(member.lane, lane);
    Value value = emitter.emit(gen.yielded());
    SmallVector<Value> subscripts;
    for (BlockArgument axis : gen.entry().getArguments())
      subscripts.push_back(emitter.emit(axis));
    Storage place = o.site.storage.lookup(gen.getResult());
    onf::StoreOp::create(b, gen.getLoc(), value, place.buffer, place.offset(b, gen.getLoc(), subscripts), b.getUnitAttr(), UnitAttr());
  };
  if (member.lane)
    emitter.unswitch(gen.yielded(), element);
  else
    element();
}
