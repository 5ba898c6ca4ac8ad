// Parts and how they are combined; see OnlineParts.h.
#include "passes/OnlineParts.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void OnlineParts::run() {
  OpBuilder::InsertionGuard keep(b);
  rootPlace = o.site.storage.lookup(o.nest.root->gen.getResult());
  allocateStates();
  auto team = onf::ParallelOp::create(b, o.loc, o.site.blocks.work);
  OpBuilder::InsertPoint after = b.saveInsertionPoint();
  b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
  tile.allocate();
  o.f().apart([&] { foldPart(openShared(true)); });
  bool isDivided = o.nest.depth > 0; // else one thread combines
  if (!isDivided) {
    b.restoreInsertionPoint(after);
    o.space = "shared";
    tile.allocate("_all");
  }
  o.f().apart([&] {
    openShared(false);
    finish();
  });
}

void OnlineParts::allocateStates() {
  for (const OnlineMember &member : o.online.members) {
    if (!isState(member))
      continue;
    Value count = o.mostParts;
    for (unsigned loop = 0; loop < o.nest.depth; ++loop)
      count = o.f().mul(count, o.extentOf(*o.nest.root, o.axisOf(*o.nest.root, loop)));
    if (member.lane)
      count = o.f().mul(count, o.widthOf(member));
    Type type = member.stage->root.getResult().getType();
    states[member.stage] = onf::AllocOp::create(b, member.stage->gen.getLoc(), onf::BufferType::get(b.getContext(), type, "shared"),
                                                count, member.stage->name() + "_parts");
  }
}

/// Opens the loops of the nest, those of rows by tiles, and that over the parts; gives its index.
OnlineParts::Value OnlineParts::openShared(bool withParts) {
  unsigned left = o.nest.depth + (withParts ? 1 : 0), first = left;
  auto open = [&](const std::string &name, Value end, Value step = {}) {
    unsigned collapse = left == first ? first : 0;
    --left;
    return o.f().open(name, o.f().number(0), end, step, "parallel", collapse);
  };
  for (unsigned loop = 0; loop < o.nest.depth; ++loop) {
    std::string name = indexName(o.axisOf(*o.nest.root, loop)).str();
    Value extent = o.extentOf(*o.nest.root, o.axisOf(*o.nest.root, loop));
    if (loop == o.online.row)
      o.i0 = open(name + "_tile", extent, o.tileRows);
    else
      o.bindOuter(loop, open(name, extent));
  }
  Value part = withParts ? open(o.keyName() + "_part", o.parts) : Value();
  if (o.online.hasRow())
    o.rowCount = o.f().named(o.rowName() + "_len", o.f().min(o.tileRows, o.f().sub(o.rows, o.i0)));
  return part;
}

void OnlineParts::foldPart(Value part) {
  LoopFrame &f = o.f();
  o.hoistInvariants([](const OnlineMember &member) { return member.role != OnlineRole::Finished; });
  byRow.begin();
  f.apart([&] {
    Value from = f.mul(part, o.partKeys);
    tile.openKeys(from, f.named(o.keyName() + "_end", f.min(o.keys, f.add(from, o.partKeys))));
    tile.fold();
  });
  save(part);
}

/// Where the row at hand is along a loop of the nest.
OnlineParts::Value OnlineParts::indexOf(unsigned loop) { return loop == o.online.row ? o.f().add(o.i0, o.local) : o.outer[loop]; }

/// The place of a part's state for the row at hand.
OnlineParts::Value OnlineParts::stateAt(const OnlineMember &member, Value part, Value element) {
  LoopFrame &f = o.f();
  Value at = f.number(0);
  for (unsigned loop = 0; loop < o.nest.depth; ++loop) {
    Value extent = o.extentOf(*o.nest.root, o.axisOf(*o.nest.root, loop));
    at = f.add(f.mul(at, extent), indexOf(loop));
  }
  at = f.add(f.mul(at, o.parts), part);
  return element ? f.add(f.mul(at, o.widthOf(member)), element) : at;
}

void OnlineParts::save(Value part) {
  for (const OnlineMember &member : o.online.members)
    if (isState(member))
      o.f().apart([&] {
        o.openEachRow();
        Value lane = o.openLanes(member), place = o.at(o.local, o.widthOf(member), lane);
        Value state = o.load(member.stage->root.getResult().getType(), o.buffers[member.stage], place);
        onf::StoreOp::create(b, o.loc, state, states[member.stage], stateAt(member, part, lane), b.getUnitAttr(), UnitAttr());
      });
}

void OnlineParts::combine() {
  o.openEachRow();
  for (auto &[stage, reference] : o.references)
    this->reference(*stage, reference);
  o.f().apart([&] {
    Value part = o.f().open(o.keyName() + "_part", o.f().number(0), o.parts);
    if (llvm::any_of(o.references, [](auto &each) { return each.second.isMean(); }))
      o.seen = o.f().min(o.partKeys, o.f().sub(o.keys, o.f().mul(part, o.partKeys)));
    for (auto &[stage, reference] : o.references) {
      Type type = stage->gen.arrayType().getElementType();
      if (reference.isMean()) {
        o.f().apart([&, stage = stage] {
          Value lane = o.openLanes(*o.online.of(stage));
          Value state = o.load(type, states[stage], stateAt(*o.online.of(stage), part, lane));
          Value all = o.load(type, o.buffers[stage], o.at(o.local, o.widthOf(*o.online.of(stage)), lane));
          o.moveMean(*stage, state, o.seen, all, o.keys, lane);
        });
        continue;
      }
      Value before = o.load(type, states[stage], stateAt(*o.online.of(stage), part, {}));
      Value zero = ConstantOp::create(b, o.loc, cast<TypedAttr>(b.getZeroAttr(type)));
      Value fallen = o.scalar(reference.fn, {o.scalar("sub", {before, o.load(type, reference.value, o.at(o.local))})});
      fallen.getDefiningOp()->setAttr("nonpositive", b.getUnitAttr()); // no part's maximum is above that of all
      o.store(o.select(o.isLeast(before), zero, fallen), reference.factor, o.at(o.local));
    }
    for (const OnlineMember &member : o.online.members)
      if (isState(member) && !o.references.count(member.stage))
        o.f().apart([&] {
          Value lane = o.openLanes(member), place = o.at(o.local, o.widthOf(member), lane);
          Type type = member.stage->root.getResult().getType();
          Value state = o.load(type, states[member.stage], stateAt(member, part, lane));
          onf::UpdateOp::create(b, o.loc, b.getStringAttr(member.stage->root.getKind()), o.corrected(member, state, o.local, lane),
                                o.buffers[member.stage], place, b.getUnitAttr());
        });
  });
}

/// A maximum or sum that others refer to, of all parts.
void OnlineParts::reference(Stage &stage, OnlineReference &reference) {
  Type type = stage.gen.arrayType().getElementType();
  const OnlineMember &member = *o.online.of(&stage);
  Value buffer = o.buffers[&stage], place = o.at(o.local);
  o.f().apart([&] {
    Value part = o.f().open(o.keyName() + "_part", o.f().number(0), o.parts);
    Value lane = o.openLanes(member), place = o.at(o.local, o.widthOf(member), lane);
    Value state = o.load(type, states[&stage], stateAt(member, part, lane));
    o.store(o.scalar(stage.root.getKind(), {o.load(type, buffer, place), state}), buffer, place);
  });
  if (reference.isMean())
    return;
  Value all = o.load(type, buffer, place), zero = ConstantOp::create(b, o.loc, cast<TypedAttr>(b.getZeroAttr(type)));
  o.store(o.select(o.isLeast(all), zero, all), reference.value, place);
}

void OnlineParts::finish() {
  o.hoistInvariants([](const OnlineMember &member) { return member.role == OnlineRole::Finished; });
  byRow.begin();
  onf::NoteOp::create(b, o.loc, "The parts, combined in their order.");
  o.f().apart([&] { combine(); });
  byRow.settle();
  byRow.finish();
  storeRoot();
}

/// A reduction that is what the nest is for.
void OnlineParts::storeRoot() {
  Stage &root = *o.nest.root;
  const OnlineMember *member = o.online.of(&root);
  if (member->role == OnlineRole::Finished)
    return;
  Value lane = o.openLanes(*member);
  Value value = o.load(root.root.getResult().getType(), o.buffers[&root], o.at(o.local, o.widthOf(*member), lane));
  SmallVector<Value> subscripts(root.rank(), lane);
  for (unsigned loop = 0; loop < o.nest.depth; ++loop)
    subscripts[o.axisOf(root, loop).getArgNumber()] = indexOf(loop);
  onf::StoreOp::create(b, o.loc, value, rootPlace.buffer, rootPlace.offset(b, o.loc, subscripts), b.getUnitAttr(), UnitAttr());
  o.site.storage[root.gen.getResult()] = rootPlace; // later nests read it there
}
