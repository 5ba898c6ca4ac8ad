// Register blocks of an online group; see OnlineProducts.h.
#include "passes/OnlineProducts.h"
#include "passes/RegisterBlock.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void OnlineProducts::scores(const OnlineMember &member) {
  const OnlineMember *follower = o.followerOf(member);
  const OnlineMember &kept = follower ? *follower : member;
  OnlineBlocks &own = o.blocksOf(member);
  ContractionFrame &g = own.f;
  o.note(*member.stage);
  if (follower)
    o.note(*follower->stage);
  g.apart([&] {
    Value j = g.open(g.laneName() + "_block", g.number(0), o.keyCount, g.laneBlock);
    Value width = g.named(g.laneName() + "_left", g.min(g.laneBlock, g.sub(o.keyCount, j)));
    Value y0 = g.named(ContractionFrame::nameOf(own.right.buffer) + "_at", own.right.blockAt(o.batchIn, g.add(o.k0, j)));
    auto openBlocks = [&](const std::string &name, Value lo, Value hi, Value step) { return g.open(name, lo, hi, step); };
    g.eachRowBlock(o.rowCount, openBlocks, [&](Value i, Value size) {
      Value x0 = g.named(ContractionFrame::nameOf(own.left.buffer) + "_at", own.left.blockAt(g.number(0), i));
      RegisterBlock sums(g, size);
      sums.accumulate(g.number(0), g.inner ? g.mul(g.depth, g.inner) : g.depth,
                      [&](Value row, Value p) { return own.left.load(x0, size, row, p); },
                      [&](Value lane, Value p) { return own.right.load(y0, g.laneBlock, lane, p); });
      sums.eachWidth(width, [&](Value end) {
        sums.each(end, [&](Value row, Value lane, Value sum) {
          BodyEmitter emitter = o.emitterFor(*kept.stage, g.add(o.i0, g.add(i, row)));
          emitter.enterWhole(kept.lane, g.add(o.k0, g.add(j, lane)));
          kept.stage->gen.getBody().walk([&](PsiOp psi) {
            if (psi.getArray() == member.stage->gen.getResult())
              emitter.bind(psi.getResult(), sum);
          });
          Value value = follower ? emitter.emit(kept.stage->gen.yielded()) : sum;
          Value at = g.add(g.mul(g.add(i, row), o.pitch), g.add(j, lane));
          onf::StoreOp::create(b, g.loc, value, o.buffers[kept.stage], at, b.getUnitAttr(), UnitAttr());
        });
      });
    });
  });
}

void OnlineProducts::accumulate(const OnlineMember &member) {
  OnlineBlocks &own = o.blocksOf(member);
  ContractionFrame &g = own.f;
  Value weights = o.buffers[o.sourceOf(member)], sumsBuffer = o.buffers[member.stage];
  o.note(*member.stage);
  g.apart([&] {
    Value p = g.open(g.laneName() + "_block", g.number(0), g.lanes, g.laneBlock);
    Value width = g.named(g.laneName() + "_left", g.min(g.laneBlock, g.sub(g.lanes, p)));
    Value y0 = g.named(ContractionFrame::nameOf(own.right.buffer) + "_at",
                       g.add(own.right.blockAt(o.batchIn, p), g.mul(o.k0, g.laneBlock)));
    auto openBlocks = [&](const std::string &name, Value lo, Value hi, Value step) { return g.open(name, lo, hi, step); };
    g.eachRowBlock(o.rowCount, openBlocks, [&](Value i, Value size) {
      auto [from, to] = commonKeys(i, size);
      auto weight = [&](Value row, Value key) {
        return o.load(g.type, weights, g.add(g.mul(g.add(i, row), o.pitch), key));
      };
      RegisterBlock sums(g, size);
      sums.accumulate(from, to, weight, [&](Value lane, Value key) { return own.right.load(y0, g.laneBlock, lane, key); });
      sums.eachWidth(width, [&](Value end) {
        sums.each(end, [&](Value row, Value lane, Value sum) {
          Value at = g.add(g.mul(g.add(i, row), g.lanes), g.add(p, lane)), before = o.load(g.type, sumsBuffer, at);
          o.store(o.scalar("add", {o.corrected(member, before, g.add(i, row)), sum}), sumsBuffer, at);
        });
        if (!o.isWhole())
          ragged(member, own, i, size, {from, to}, p, end, y0, weight);
      });
    });
  });
}

/// What all rows of a block have in common.
std::pair<Value, Value> OnlineProducts::commonKeys(Value first, Value size) {
  if (o.isWhole())
    return {o.f().number(0), o.keyCount};
  Value row = o.f().add(o.i0, first), last = o.f().sub(o.f().add(row, size), o.f().number(1));
  auto [lo, hi] = o.keysOf(row);
  auto [otherLo, otherHi] = o.keysOf(last);
  Value from = o.f().named(o.keyName() + "_from", o.f().max(lo, otherLo));
  return {from, o.f().named(o.keyName() + "_to", o.f().max(from, o.f().min(hi, otherHi)))};
}

/// What a row of a block has beyond that.
void OnlineProducts::ragged(const OnlineMember &member, OnlineBlocks &own, Value first, Value size, std::pair<Value, Value> common, Value p, Value end,
            Value y0, llvm::function_ref<Value(Value, Value)> weight) {
  ContractionFrame &g = own.f;
  g.apart([&] {
    Value row = g.openRows(size, "sequential");
    auto [lo, hi] = o.keysOf(g.add(g.add(o.i0, first), row));
    auto add = [&](Value from, Value to) {
      g.apart([&] {
        Value key = g.open(o.keyName(), from, to);
        Value lane = g.open(ContractionFrame::inside(g.laneName()), g.number(0), end, {}, "lanes");
        Value at = g.add(g.mul(g.add(first, row), g.lanes), g.add(p, lane));
        Value term = o.scalar("mul", {weight(row, key), own.right.load(y0, g.laneBlock, lane, key)});
        onf::UpdateOp::create(b, g.loc, b.getStringAttr("add"), term, o.buffers[member.stage], at, b.getUnitAttr());
      });
    };
    if (!(o.online.lo == shape::Expr(0)) || !(o.online.maskedLo == shape::Expr(0)))
      add(lo, g.min(hi, common.first));
    add(g.max(lo, common.second), hi);
  });
}
