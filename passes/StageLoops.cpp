// Loops of one stage; see StageLoops.h.
#include "passes/StageLoops.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Value moac::openLoop(OpBuilder &b, Location loc, Value lo, Value hi, StringRef name, StringRef role, unsigned collapse,
                     bool reverse) {
  auto loop = onf::ForOp::create(b, loc, lo, hi, Value(), b.getStringAttr(name), b.getStringAttr(role), b.getI64IntegerAttr(collapse),
                                 reverse ? b.getUnitAttr() : UnitAttr());
  Block &block = loop.getBody().emplaceBlock();
  block.addArgument(b.getIndexType(), loc);
  b.setInsertionPointToEnd(&block);
  return block.getArgument(0);
}

namespace {
class StageLoops {
public:
  StageLoops(OpBuilder &b, Stage &stage, const Storage &place, ArrayRef<StageLoop> order, const Schedule &schedule,
             BodyEmitter &emitter, Value shared)
      : b(b), stage(stage), place(place), emitter(emitter), shared(shared), loc(stage.gen.getLoc()), schedule(schedule), lanes(schedule.axes("lanes", stage.name())),
        order(order) {}

  void emit() {
    auto isReduction = [](const StageLoop &loop) { return loop.isReduction(); };
    const auto *firstReduction = llvm::find_if(order, isReduction);
    if (firstReduction == order.end())
      return over(order, stage.gen.yielded(), {}, [&] { element(); });
    ArrayRef<StageLoop> outside(order.begin(), firstReduction), within(firstReduction, order.end());
    over(outside, stage.root.termValue(), {}, [&] {
      auto free = llvm::make_filter_range(within, [&](const StageLoop &loop) { return !isReduction(loop); });
      emitter.apart([&] { initialise(llvm::to_vector(free)); });
      OpBuilder::InsertionGuard keep(b);
      if (shared)
        b.setInsertionPointToEnd(&onf::ParallelOp::create(b, loc, shared).getBody().emplaceBlock());
      over(within, stage.root.termValue(), stage.root, [&] {
        Value term = emitter.emit(stage.root.termValue());
        auto update = onf::UpdateOp::create(b, loc, stage.root.getKind(), term, place.buffer, offset());
        update.setAtomic(bool(shared));
      });
    });
  }

private:
  /// Runs `inside` in these loops, each in its pieces.
  void over(ArrayRef<StageLoop> loops, Value root, RedOp accumulates, llvm::function_ref<void()> inside) {
    if (loops.empty())
      return inside();
    // Once all other loops of the innermost axis are open, it can be told whether its tile is whole.
    bool tileKnown = order.back().digit.span && !order.back().isReduction() && std::all_of(loops.begin(), &order.back(), [&](const StageLoop &loop) { return loop.axis != order.back().axis; });
    if (tileKnown && !asked && llvm::is_contained(lanes, order.back().digit.name) && emitter.inTile(order.back().axis)) {
      asked = true;
      emitter.wholeTiles(loopOf(order.back()), [&] { over(loops, root, accumulates, inside); });
      asked = false;
      return;
    }
    AxisLoop loop = loopOf(loops.front());
    loop.root = root;
    loop.accumulates = accumulates;
    loop.deepest = &loops.front() == &order.back();
    emitter.hoistDivisions(root);
    auto pieces = [&] { emitter.forPieces(loop, [&] { over(loops.drop_front(), root, accumulates, inside); }); };
    if (loop.role == "lanes")
      emitter.unswitch(root, pieces);
    else
      pieces();
  }

  AxisLoop loopOf(const StageLoop &of) {
    AxisLoop loop{of.axis, {}, {}, {}};
    loop.digit = of.digit;
    loop.last = of.last;
    if (auto red = dyn_cast<RedOp>(binderOf(of.axis)))
      std::tie(loop.lo, loop.hi) = emitter.emitBounds(red, of.axis.getArgNumber());
    else
      loop.lo = indexConstant(b, loc, 0), loop.hi = extentOf(of.axis);
    if (shared && &of == &order.front())
      loop.role = "parallel", loop.collapse = 1;
    else if (of.axis == order.back().axis && of.last && llvm::is_contained(lanes, of.digit.name))
      loop.role = "lanes";
    else if (std::optional<unsigned> copies = copiesOf(of.digit.name))
      loop.role = "unroll", loop.copies = *copies;
    return loop;
  }

  /// The `unroll` of a loop; several loops of a stage may be unrolled.
  std::optional<unsigned> copiesOf(StringRef name) {
    for (DirectiveAttr d : schedule.all())
      if (d.getVerb().getValue() == "unroll" && d.getStage().getValue() == stage.name() &&
          cast<StringAttr>(d.getAxes()[0]).getValue() == name) {
        unsigned copies = 0;
        constexpr unsigned most = 64;
        return d.getMode().getValue().getAsInteger(10, copies) ? 0 : std::min(copies, most);
      }
    return std::nullopt;
  }

  Value extentOf(BlockArgument axis) {
    const auto *kept = llvm::find(place.axes, axis.getArgNumber());
    return place.extents[kept - place.axes.begin()];
  }

  Value offset() {
    SmallVector<Value> subscripts;
    for (BlockArgument axis : stage.gen.entry().getArguments())
      subscripts.push_back(llvm::is_contained(place.axes, axis.getArgNumber()) ? emitter.emit(axis) : Value());
    return place.offset(b, loc, subscripts);
  }

  void initialise(ArrayRef<StageLoop> loops) {
    for (const StageLoop &loop : loops)
      emitter.open(loopOf(loop));
    Value neutral = BodyEmitter::identity(b, loc, stage.root.getKind(), stage.root.getResult().getType());
    onf::StoreOp::create(b, loc, neutral, place.buffer, offset(), UnitAttr(), b.getUnitAttr());
  }

  void element() {
    if (emitter.mayFail(stage.gen.yielded())) { // so that a reader after a failure sees a number
      Type type = stage.gen.yielded().getType();
      Value zero = ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
      onf::StoreOp::create(b, loc, zero, place.buffer, offset(), UnitAttr(), UnitAttr());
    }
    Value value = emitter.emit(stage.gen.yielded());
    onf::StoreOp::create(b, loc, value, place.buffer, offset(), b.getUnitAttr(), UnitAttr());
  }

  OpBuilder &b;
  Stage &stage;
  const Storage &place;
  BodyEmitter &emitter;
  Value shared; ///< the work of the team that divides the first loop
  Location loc;
  const Schedule &schedule;
  std::vector<std::string> lanes;
  ArrayRef<StageLoop> order;
  bool asked = false; ///< whether the tile of lanes is whole
};
} // namespace

void moac::emitStageLoops(OpBuilder &b, Stage &stage, const Storage &place, ArrayRef<StageLoop> order,
                          const Schedule &schedule, BodyEmitter &emitter, Value shared) {
  StageLoops(b, stage, place, order, schedule, emitter, shared).emit();
}
