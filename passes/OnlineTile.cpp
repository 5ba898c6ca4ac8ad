// A tile's places and what is folded; see OnlineTile.h.
#include "passes/OnlineTile.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void OnlineTile::allocate(const std::string &suffix) {
  o.buffers.clear();
  o.references.clear();
  for (const OnlineMember &member : o.online.members)
    for (const Rescale &rescale : member.rescales)
      o.references[rescale.by].fn = rescale.fn;
  for (const OnlineMember &member : o.online.members)
    if (member.shift)
      o.references[member.shift->by], o.references[member.shift->other];
  for (const OnlineMember &member : o.online.members) {
    Stage &stage = *member.stage;
    Location loc = stage.gen.getLoc();
    std::string name = stage.name() + suffix;
    Type type = stage.gen.arrayType().getElementType();
    switch (member.role) {
    case OnlineRole::Scores:
      o.blocksOf(member).left.allocate(true);
      if (!o.followerOf(member))
        o.buffers[&stage] = o.allocate(loc, type, name, o.pitch);
      break;
    case OnlineRole::Streamed: {
      Stage *source = overwritten(stage);
      o.buffers[&stage] = source ? o.buffers[source] : o.allocate(loc, type, name, o.pitch);
      break;
    }
    case OnlineRole::Reduced:
    case OnlineRole::Accumulated:
      o.buffers[&stage] = o.allocate(loc, type, name, o.widthOf(member));
      if (auto found = o.references.find(&stage); found != o.references.end()) {
        bool isMean = found->second.isMean();
        found->second.value = o.allocate(loc, type, name + (isMean ? "_mean" : "_used"), o.widthOf(member));
        found->second.factor = o.allocate(loc, type, name + (isMean ? "_fall" : "_factor"), o.widthOf(member));
      }
      break;
    case OnlineRole::Finished:
      if (!o.site.storage.count(stage.gen.getResult()))
        o.buffers[&stage] = o.allocate(loc, type, name, o.widthOf(member));
      break;
    }
  }
}

/// A streamed stage whose last reader is this one, element by element.
Stage *OnlineTile::overwritten(Stage &stage) {
  for (StageRead &read : stage.reads)
    for (const OnlineMember &member : o.online.members)
      if (member.stage->gen.getResult() == read.psi.getArray() && o.buffers.count(member.stage) &&
          (member.role == OnlineRole::Streamed || member.role == OnlineRole::Scores) &&
          member.stage->gen.arrayType().getElementType() == stage.gen.arrayType().getElementType() &&
          llvm::all_of(member.stage->readers, [&](StageRead &other) { return o.positionOf(other.reader) <= o.positionOf(&stage); }))
        return member.stage;
  return nullptr;
}

void OnlineTile::openKeys(Value from, Value to) {
  Value first = from;
  if (!o.isWhole()) {
    Value last = o.online.hasRow() ? o.f().sub(o.f().add(o.i0, o.rowCount), o.f().number(1)) : Value();
    Value lo = o.f().max(from, o.f().min(o.lowAt(o.i0), o.lowAt(last)));
    from = o.f().named(o.keyName() + "_first", o.f().multiple(lo, o.tileKeys));
    to = o.f().named(o.keyName() + "_end", o.f().min(to, o.f().max(o.highAt(o.i0), o.highAt(last))));
  }
  o.k0 = o.f().open(o.keyName() + "_tile", from, to, o.tileKeys);
  o.keyCount = o.f().named(o.keyName() + "_len", o.f().min(o.tileKeys, o.f().sub(to, o.k0)));
  o.seen = o.f().sub(o.k0, first);
  for (const OnlineMember &member : o.online.members)
    if (member.role == OnlineRole::Scores || member.role == OnlineRole::Streamed)
      if (auto found = o.buffers.find(member.stage); found != o.buffers.end())
        o.keep(*member.stage, found->second, member.lane, o.k0, o.pitch);
  for (auto &[stage, reference] : o.references)
    if (!reference.isMean())
      o.keep(*stage, reference.value, {}, {}, {});
}

void OnlineTile::fold() {
  for (size_t i = 0; i < o.online.members.size();) {
    const OnlineMember &member = o.online.members[i];
    if (member.role == OnlineRole::Scores)
      products.scores(member);
    else if (member.role == OnlineRole::Accumulated)
      o.online.inParts ? byRow.accumulate(member) : products.accumulate(member);
    if (member.role != OnlineRole::Streamed && member.role != OnlineRole::Reduced) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < o.online.members.size() && (o.online.members[end].role == OnlineRole::Streamed || o.online.members[end].role == OnlineRole::Reduced))
      ++end;
    o.f().apart([&] { byRow.rowByRow(ArrayRef(o.online.members).slice(i, end - i)); });
    i = end;
  }
}
