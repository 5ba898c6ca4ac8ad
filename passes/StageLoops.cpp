// Loops of one stage; see StageLoops.h.
#include "passes/StageLoops.h"
#include "ir/IndexForm.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Value moac::openLoop(OpBuilder &b, Location loc, Value lo, Value hi, StringRef name, StringRef role, unsigned collapse) {
  auto loop = onf::ForOp::create(b, loc, lo, hi, b.getStringAttr(name), b.getStringAttr(role), b.getI64IntegerAttr(collapse),
                                 UnitAttr());
  Block &block = loop.getBody().emplaceBlock();
  block.addArgument(b.getIndexType(), loc);
  b.setInsertionPointToEnd(&block);
  return block.getArgument(0);
}

namespace {
class StageLoops {
public:
  StageLoops(OpBuilder &b, Stage &stage, const Storage &place, ArrayRef<BlockArgument> inner, const Schedule &schedule,
             BodyEmitter &emitter)
      : b(b), stage(stage), place(place), emitter(emitter), loc(stage.gen.getLoc()), lanes(schedule.axes("lanes", stage.name())) {
    std::vector<std::string> names = schedule.axes("order", stage.name());
    for (const std::string &name : names)
      if (BlockArgument axis = axisNamed(name, inner))
        order.push_back(axis);
    for (BlockArgument axis : inner) // an axis that the schedule does not mention runs in the natural order
      if (!llvm::is_contained(order, axis))
        order.push_back(axis);
  }

  void emit() {
    note();
    auto isReduction = [](BlockArgument axis) { return isa<RedOp>(axis.getOwner()->getParentOp()); };
    auto firstReduction = llvm::find_if(order, isReduction);
    if (firstReduction == order.end())
      return emitElements(order);
    SmallVector<BlockArgument> outside(order.begin(), firstReduction), within(firstReduction, order.end());
    for (BlockArgument axis : outside)
      open(axis);
    auto free = llvm::make_filter_range(within, [&](BlockArgument axis) { return !isReduction(axis); });
    initialise(llvm::to_vector(free));
    RedOp red = stage.root;
    for (BlockArgument axis : within)
      open(axis);
    Value term = emitter.emit(red.termValue());
    onf::UpdateOp::create(b, loc, red.getKind(), term, place.buffer, offset());
  }

private:
  BlockArgument axisNamed(const std::string &name, ArrayRef<BlockArgument> inner) {
    for (BlockArgument axis : inner)
      if (indexName(axis) == name)
        return axis;
    if (stage.root)
      for (BlockArgument axis : stage.root.term().getArguments())
        if (indexName(axis) == name)
          return axis;
    return {};
  }

  /// A comment that says what the loops compute.
  void note() {
    constexpr size_t longest = 400;
    onf::NoteOp::create(b, loc, indexForm(stage.gen, longest));
  }

  void open(BlockArgument axis) {
    std::pair<Value, Value> bounds;
    if (auto red = dyn_cast<RedOp>(axis.getOwner()->getParentOp()))
      bounds = emitter.emitBounds(red, axis.getArgNumber());
    else
      bounds = {indexConstant(b, loc, 0), extentOf(axis)};
    StringRef role = axis == order.back() && llvm::is_contained(lanes, indexName(axis)) ? "lanes" : "sequential";
    emitter.bind(axis, openLoop(b, loc, bounds.first, bounds.second, indexName(axis), role));
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

  void initialise(ArrayRef<BlockArgument> axes) {
    OpBuilder::InsertionGuard keep(b);
    for (BlockArgument axis : axes)
      open(axis);
    Value neutral = BodyEmitter::identity(b, loc, stage.root.getKind(), stage.root.getResult().getType());
    onf::StoreOp::create(b, loc, neutral, place.buffer, offset(), UnitAttr(), b.getUnitAttr());
  }

  void emitElements(ArrayRef<BlockArgument> axes) {
    for (BlockArgument axis : axes)
      open(axis);
    if (mayFail()) { // so that a reader after a failure sees a number
      Type type = stage.gen.yielded().getType();
      Value zero = ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
      onf::StoreOp::create(b, loc, zero, place.buffer, offset(), UnitAttr(), UnitAttr());
    }
    Value value = emitter.emit(stage.gen.yielded());
    onf::StoreOp::create(b, loc, value, place.buffer, offset(), b.getUnitAttr(), UnitAttr());
  }

  /// Something that is checked stands between the start of an element and its store.
  bool mayFail() {
    return stage.gen.getBody().walk([](Operation *op) {
      auto psi = dyn_cast<PsiOp>(op);
      auto scalar = dyn_cast<ScalarOp>(op);
      bool checked = (psi && !psi.getChecked().empty()) || (scalar && scalar.getChecked());
      return checked ? WalkResult::interrupt() : WalkResult::advance();
    }).wasInterrupted();
  }

  OpBuilder &b;
  Stage &stage;
  const Storage &place;
  BodyEmitter &emitter;
  Location loc;
  std::vector<std::string> lanes;
  SmallVector<BlockArgument> order;
};
} // namespace

void moac::emitStageLoops(OpBuilder &b, Stage &stage, const Storage &place, ArrayRef<BlockArgument> inner,
                          const Schedule &schedule, BodyEmitter &emitter) {
  StageLoops(b, stage, place, inner, schedule, emitter).emit();
}
