// Loops over the rows of a tile; see OnlineRows.h.
#include "passes/OnlineRows.h"

#include "ir/Onf.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void OnlineRows::rowByRow(ArrayRef<OnlineMember> members) {
  if (llvm::all_of(members, [&](const OnlineMember &member) { return o.isFollower(member); }))
    return;
  Value row = o.openEachRow(), from = o.k0, to = o.f().add(o.k0, o.keyCount);
  if (!o.isWhole()) {
    auto [lo, hi] = o.keysOf(row);
    from = o.f().named(o.keyName() + "_from", o.f().add(o.k0, lo));
    to = o.f().named(o.keyName() + "_to", o.f().add(o.k0, hi));
  }
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
    if (member.role == OnlineRole::Streamed)
      streamed(member, emitter, from, to);
    else
      reduced(member, emitter, from, to);
  }
}

void OnlineRows::streamed(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to) {
  emitter.apart([&] {
    GenOp gen = member.stage->gen;
    emitter.unswitch(gen.yielded(), [&] {
      Value key = o.f().open(indexName(member.lane).str(), from, to, {}, "lanes");
      emitter.enter(member.lane, key);
      Value value = emitter.emit(gen.yielded());
      Value at = o.f().add(o.f().mul(o.local, o.pitch), o.f().sub(key, o.k0));
      onf::StoreOp::create(b, gen.getLoc(), value, o.buffers[member.stage], at, b.getUnitAttr(), UnitAttr());
    });
  });
}

void OnlineRows::reduced(const OnlineMember &member, BodyEmitter &emitter, Value from, Value to) {
  RedOp red = member.stage->root;
  Type type = red.getResult().getType();
  Value buffer = o.buffers[member.stage];
  emitter.confine(red.term().getArgument(0), from, to);
  constexpr int64_t chains = 2; // twice the lanes of a block: as many vectors as hide the latency of an addition
  emitter.reduceInParts(o.f().mul(o.f().number(chains), o.f().size(type.isF64() ? "MOAC_COLS_F64" : "MOAC_COLS_F32")));
  Value part = emitter.emit(red.getResult()), before = o.load(type, buffer, o.local);
  Value all = o.scalar(red.getKind(), {o.corrected(member, before, o.local), part});
  o.store(all, buffer, o.local);
  auto found = o.references.find(member.stage);
  if (found == o.references.end())
    return;
  // Terms refer to 0 while all are -inf: each is then exp(-inf), nothing, and not a NaN.
  Value zero = ConstantOp::create(b, o.loc, cast<TypedAttr>(b.getZeroAttr(type)));
  Value used = o.select(o.isLeast(all), zero, all);
  Value fallen = o.scalar(found->second.fn, {o.scalar("sub", {before, used})});
  fallen.getDefiningOp()->setAttr("nonpositive", b.getUnitAttr()); // a maximum does not fall
  Value factor = o.select(o.isLeast(before), zero, fallen);
  o.store(used, found->second.value, o.local);
  o.store(factor, found->second.factor, o.local);
  found->second.current = used;
}

void OnlineRows::settle() {
  for (auto &[stage, reference] : o.references)
    o.f().apart([&] {
      Value row = o.openEachRow();
      Type type = stage->gen.arrayType().getElementType();
      Value none = o.isLeast(o.load(type, o.buffers[stage], o.local));
      Value some = o.f().compare(ScalarFn::lt_, o.boundAt(o.online.lo, row), o.boundAt(o.online.hi, row));
      auto all = ScalarOp::create(b, o.loc, b.getI1Type(), b.getStringAttr("and"), ValueRange{none, some}, UnitAttr());
      auto branch = onf::IfOp::create(b, o.loc, all);
      b.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
      Value nan = ConstantOp::create(b, o.loc, b.getFloatAttr(type, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics())));
      for (const OnlineMember &member : o.online.members)
        if (llvm::any_of(member.rescales, [&](const Rescale &rescale) { return rescale.by == stage && !rescale.guarded; }))
          o.f().apart([&] {
            Value at = o.local;
            if (member.role == OnlineRole::Accumulated) {
              Value width = o.blocksOf(member).f.lanes, lane = o.f().open(indexName(member.lane).str(), o.f().number(0), width, {}, "lanes");
              at = o.f().add(o.f().mul(o.local, width), lane);
            }
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
      o.keep(*member.stage, o.buffers[member.stage], member.lane, zero, o.blocksOf(member).f.lanes);
    else if (auto found = o.buffers.find(member.stage); member.role == OnlineRole::Finished && found != o.buffers.end())
      o.keep(*member.stage, found->second, member.lane, zero, member.lane ? o.extentOf(*member.stage, member.lane) : Value());
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
    if (member.lane)
      emitter.enter(member.lane, o.f().open(indexName(member.lane).str(), o.f().number(0), o.extentOf(*member.stage, member.lane), {}, "lanes"));
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
