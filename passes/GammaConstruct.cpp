// ONF by construction: DNF plus schedule gives loops. Nothing here transforms loops afterwards.
//
// One function for each kernel: entry requirements, whole-array scratch, then the nests in the schedule's order. Inside a
// nest every member stage is emitted in the kernel's order, so that a stage is finished before it is read.
#include "ir/Gamma.h"
#include "ir/IndexExpr.h"
#include "ir/IndexForm.h"
#include "ir/KernelFacts.h"
#include "ir/ShapeNode.h"
#include "passes/BodyEmitter.h"
#include "passes/ContractionLoops.h"
#include "passes/NestPieces.h"
#include "passes/OnlineLoops.h"
#include "passes/Partition.h"
#include "passes/Passes.h"
#include "passes/Schedule.h"
#include "passes/Slice.h"
#include "passes/StageLoops.h"
#include "passes/WorkEstimate.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMACONSTRUCT
#include "passes/Passes.h.inc"

namespace {
class Constructor {
public:
  explicit Constructor(moa::KernelOp kernel)
      : kernel(kernel), schedule(kernel), graph(kernel), b(kernel->getContext()),
        entry(moa::entryFacts(kernel, graph.exprs)), context{graph.exprs, storage, Cuts(), Cuts(), {}, {}} {}

  LogicalResult run() {
    makeFunction();
    requirements();
    FailureOr<LiftedAxes> lifted = liftedAxes(kernel, graph, schedule);
    if (failed(lifted))
      return failure();
    context.lifted = std::move(*lifted);
    FailureOr<SmallVector<Nest>> nests = scheduledNests(kernel, graph, context.lifted);
    if (failed(nests))
      return failure();
    context.cuts = scheduledCuts("split", *nests, schedule, graph.exprs);
    context.lifts = scheduledCuts("lift", *nests, schedule, graph.exprs);
    for (Nest &nest : *nests)
      place(nest);
    for (Nest &nest : *nests)
      if (nest.contraction) {
        if (failed(emitContraction(nest)))
          return failure();
      } else if (nest.online) {
        if (failed(emitGroup(nest)))
          return failure();
      } else {
        emit(nest);
      }
    return success();
  }

private:
  void makeFunction() {
    Location loc = kernel.getLoc();
    b.setInsertionPoint(kernel);
    SmallVector<Attribute> inputTypes;
    for (unsigned i = 0; i < kernel.getInputs().size(); ++i)
      inputTypes.push_back(TypeAttr::get(kernel.inputArg(i).getType()));
    function = onf::FuncOp::create(b, loc, kernel.getSymName(), kernel.getSymbols(), kernel.getScalars(), kernel.getInputs(),
                                   kernel.getResults(), b.getArrayAttr(inputTypes), kernel.getResultTypes(),
                                   kernel.getOriginAttr());
    if (Attribute partition = kernel->getAttr("partition"))
      function->setAttr("partition", partition);
    Block &block = function.getBody().emplaceBlock();
    b.setInsertionPointToEnd(&block);
    for (BlockArgument argument : kernel.entry().getArguments()) {
      auto array = dyn_cast<moa::ArrayType>(argument.getType());
      Value value = block.addArgument(array ? bufferType(array, "argument") : argument.getType(), loc);
      values[argument] = value;
      if (array)
        pendingInputs.push_back({argument, value});
    }
    for (unsigned i = 0; i < kernel.getResults().size(); ++i)
      outputs.push_back(block.addArgument(bufferType(kernel.resultType(i), "argument"), loc));
  }

  onf::BufferType bufferType(moa::ArrayType array, StringRef space) {
    return onf::BufferType::get(b.getContext(), array.getElementType(), space);
  }

  void requirements() {
    BodyEmitter emitter(b, values, context, {});
    emitter.atEntry();
    for (auto require : kernel.entry().getOps<moa::RequireOp>())
      onf::RequireOp::create(b, require.getLoc(), emitter.emit(require.getCondition()), require.getStatus(), require.getText());
    for (auto [array, buffer] : pendingInputs)
      storage[array] = whole(buffer, cast<moa::ArrayType>(array.getType()));
  }

  Value materialize(const shape::Expr &e) {
    return moa::materialize(
        e, b, kernel.getLoc(), [&](const std::string &name) { return values[graph.exprs.valueOf(name)]; },
        [&](const shape::Expr &atom) { return context.hoisted.count(atom) ? context.hoisted[atom] : withoutFailure(atom); });
  }

  /// A division that may be by 0, in an extent: whether it fails is checked where an element is needed. Null for others.
  Value withoutFailure(const shape::Expr &e) {
    shape::AtomRef atom = shape::asAtom(e);
    bool divides = atom && (atom->kind == shape::AtomKind::FloorDiv || atom->kind == shape::AtomKind::Mod);
    if (!divides || entry.provePositive(atom->args[1]))
      return {};
    Location loc = kernel.getLoc();
    Value one = moa::indexConstant(b, loc, 1), divisor = moa::buildIndex(b, loc, moa::ScalarFn::max_, {materialize(atom->args[1]), one});
    moa::ScalarFn fn = atom->kind == shape::AtomKind::Mod ? moa::ScalarFn::mod_ : moa::ScalarFn::floordiv_;
    return moa::buildIndex(b, loc, fn, {materialize(atom->args[0]), divisor});
  }

  Storage whole(Value buffer, moa::ArrayType type) {
    Storage place;
    place.buffer = buffer;
    place.columnMajor = type.getColumnMajor();
    for (auto [axis, extent] : llvm::enumerate(type.extents())) {
      place.axes.push_back(axis);
      place.extents.push_back(materialize(extent));
    }
    return place;
  }

  /// Whole arrays: results in the caller's memory, stored stages in shared scratch. Placed stages get theirs in the nest.
  void place(Nest &nest) {
    auto returned = cast<moa::ReturnOp>(kernel.entry().back()).getValues();
    Stage *sharing = nullptr;
    for (Stage *stage : nest.members) {
      Value array = stage->gen.getResult();
      auto result = llvm::find(returned, array);
      if (result != returned.end()) {
        storage[array] = whole(outputs[result - returned.begin()], stage->gen.arrayType());
      } else if (stage == nest.root || stage == nest.contraction || nest.isReadOutside(*stage)) {
        Stage *reader = nest.root;
        if (stage == nest.contraction && stage != reader &&
            reader->gen.arrayType() == stage->gen.arrayType()) { // its reader overwrites it, element by element
          sharing = stage;
          continue;
        }
        Value size = materialize(shape::total(stage->gen.arrayType().extents()));
        Value buffer = onf::AllocOp::create(b, stage->gen.getLoc(), bufferType(stage->gen.arrayType(), "shared"), size,
                                            stage->gen.getNameAttr());
        storage[array] = whole(buffer, stage->gen.arrayType());
      }
    }
    if (sharing)
      storage[sharing->gen.getResult()] = storage[nest.root->gen.getResult()];
  }

  /// A contraction and its reader: in register blocks, or one sum after the other where its rows are few.
  LogicalResult emitContraction(Nest &nest) {
    std::optional<Contraction> contraction = contractionOf(graph, *nest.contraction);
    if (!contraction)
      return nest.root->gen.emitError() << "'" << nest.contraction->name() << "' has a tile but is no contraction";
    std::vector<std::string> few = schedule.sizes("few", nest.contraction->name());
    if (few.empty())
      return emitBlocks(nest, *contraction);
    Location loc = nest.root->gen.getLoc();
    Value rows = storage[nest.contraction->gen.getResult()].extents[contraction->row.getArgNumber()];
    Value are = moa::buildIndex(b, loc, moa::ScalarFn::le_, {rows, moa::indexConstant(b, loc, std::atoi(few[0].c_str()))});
    OpBuilder::InsertionGuard keep(b);
    auto branch = onf::IfOp::create(b, loc, are);
    b.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
    emitSums(nest, contraction->row);
    b.setInsertionPointToEnd(&branch.getElseRegion().emplaceBlock());
    return emitBlocks(nest, *contraction);
  }

  /// The rows innermost: what they share is read once.
  void emitSums(const Nest &blocks, BlockArgument row) {
    Nest nest = blocks;
    nest.contraction = nullptr;
    for (auto &[stage, axes] : nest.axisOf)
      std::rotate(axes.begin() + row.getArgNumber(), axes.begin() + row.getArgNumber() + 1, axes.end());
    std::rotate(nest.loops.begin() + row.getArgNumber(), nest.loops.begin() + row.getArgNumber() + 1, nest.loops.end());
    nest.firstParallel = 0, nest.parallel = nest.depth - 1;
    Value sum = blocks.contraction->gen.getResult();
    Storage stored = storage[sum];
    if (blocks.contraction != blocks.root)
      storage.erase(sum);
    emit(nest);
    storage[sum] = stored;
  }

  LogicalResult emitBlocks(Nest &nest, const Contraction &contraction) {
    note(*nest.contraction);
    Stage *follower = nest.root == nest.contraction ? nullptr : nest.root;
    return moac::emitContraction(contraction, schedule, {b, values, context, entry, blockWork(nest), follower});
  }

  /// An online group, in tiles of rows.
  LogicalResult emitGroup(Nest &nest) {
    std::optional<Online> online = onlineOf(graph, nest);
    if (!online)
      return nest.root->gen.emitError() << "the stages placed at '" << nest.root->name() << "' are no online group";
    Value one = online->inParts && online->keepsNumbers() ? isOnePart(*online, nest) : Value();
    OpBuilder::InsertionGuard keep(b);
    if (one) {
      auto branch = onf::IfOp::create(b, nest.root->gen.getLoc(), one);
      b.setInsertionPointToEnd(&branch.getThenRegion().emplaceBlock());
      auto places = storage;
      emit(nest);
      storage = std::move(places);
      b.setInsertionPointToEnd(&branch.getElseRegion().emplaceBlock());
    }
    return emitOnline(*online, nest, schedule, {{b, values, context, entry, online->inParts ? estimateWork(nest) : blockWork(nest)}, storage});
  }

  /// The axis is too short to be divided: plain loops do it sooner.
  Value isOnePart(const Online &online, const Nest &nest) {
    std::vector<std::string> sizes = schedule.sizes("online", nest.root->name());
    Value least = moa::indexConstant(b, kernel.getLoc(), sizes.size() > 2 ? std::atoll(sizes[2].c_str()) : 0);
    return moa::buildIndex(b, kernel.getLoc(), moa::ScalarFn::le_, {materialize(online.extent), least});
  }

  /// Blocks are faster than what the estimate is meant for, and a team meets several times.
  Value blockWork(Nest &nest) {
    constexpr double faster = 1.0 / 256;
    Value scale = moa::ConstantOp::create(b, kernel.getLoc(), b.getF64FloatAttr(faster));
    return moa::ScalarOp::create(b, kernel.getLoc(), b.getF64Type(), b.getStringAttr("mul"), ValueRange{scale, estimateWork(nest)},
                                 UnitAttr());
  }

  /// The part of a placed stage that is alive inside the nest's outer loops: its other axes, for one thread. False when
  /// it has a place already.
  bool placeSlice(Nest &nest, Stage *stage) {
    Value array = stage->gen.getResult();
    if (storage.count(array))
      return false;
    moa::ArrayType type = stage->gen.arrayType();
    SmallVector<AxisRegion> regions = regionsOf(nest, *stage, graph.exprs);
    std::vector<shape::Expr> lengths;
    Storage place;
    place.columnMajor = type.getColumnMajor();
    bool partial = false;
    for (BlockArgument axis : nest.innerAxes(*stage)) {
      place.axes.push_back(axis.getArgNumber());
      shape::Expr extent = type.extents()[axis.getArgNumber()], length = extent;
      place.extents.push_back(materialize(extent));
      if (!regions.empty() && !regions[axis.getArgNumber()].whole) {
        partial = true;
        length = regions[axis.getArgNumber()].size;
        if (length.constant().value_or(0) < 1)
          length = shape::max(shape::Expr(1), length);
      }
      lengths.push_back(length);
    }
    if (partial)
      for (const shape::Expr &length : lengths)
        place.lengths.push_back(materialize(length));
    place.buffer = onf::AllocOp::create(b, stage->gen.getLoc(), bufferType(type, lengths.empty() ? "register" : "thread"),
                                        materialize(shape::total(lengths)), stage->gen.getNameAttr());
    storage[array] = place;
    return true;
  }

  void emit(Nest &nest) {
    Location loc = nest.root->gen.getLoc();
    OpBuilder::InsertionGuard keep(b);
    Value work = nest.parallel > 0 ? estimateWork(nest) : Value();
    hoistDivisions(nest);
    if (nest.parallel > 0) {
      auto team = onf::ParallelOp::create(b, loc, work);
      b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    }
    for (Stage *stage : nest.members)
      if (!nest.innerAxes(*stage).empty())
        placeSlice(nest, stage);
    auto allowed = [&](BlockArgument axis, ArrayRef<shape::Expr> asked) {
      const std::vector<shape::Expr> &cuts = context.cuts[axis];
      std::vector<shape::Expr> chosen;
      llvm::copy_if(asked, std::back_inserter(chosen), [&](const shape::Expr &at) { return llvm::is_contained(cuts, at); });
      return chosen;
    };
    auto isArgument = [&](const std::string &name) { return values.count(graph.exprs.valueOf(name)) != 0; };
    std::vector<NestBlock> blocks = blocksOf(nest, entry, graph.exprs, isArgument, allowed);
    bool noteOnce = blocks.size() > 1 && nest.members.size() == 1;
    if (noteOnce)
      note(*nest.root);
    for (const NestBlock &block : blocks)
      emit(nest, block, noteOnce);
  }

  /// A comment that says what the loops compute.
  void note(Stage &stage) {
    constexpr size_t longest = 400;
    onf::NoteOp::create(b, stage.gen.getLoc(), moa::indexForm(stage.gen, longest));
  }

  /// One box of the nest's outer loops, with all members inside.
  void emit(Nest &nest, const NestBlock &block, bool noted) {
    Location loc = nest.root->gen.getLoc();
    OpBuilder::InsertionGuard keep(b);
    SmallVector<std::pair<Value, Value>> bounds;
    std::string text;
    for (auto [piece, loop] : llvm::zip(block.pieces, nest.loops)) {
      bounds.push_back({extreme(piece.los, moa::ScalarFn::max_), extreme(piece.his, moa::ScalarFn::min_)});
      std::string part = piece.text(indexName(loop.axis).str());
      text += (text.empty() || part.empty() ? "" : ", ") + part;
    }
    if (!text.empty())
      onf::NoteOp::create(b, loc, text);
    BodyEmitter around(b, values, context, block.facts);
    SmallVector<Value> scalars; // variables of loop bodies
    for (unsigned level = 0; level <= nest.depth; ++level) {
      if (level > 0)
        around.open(outerLoop(nest, level - 1, bounds[level - 1]));
      SmallVector<Stage *> here;
      llvm::copy_if(nest.members, std::back_inserter(here), [&](Stage *stage) { return nest.level[stage] == level; });
      for (Stage *stage : here)
        if (placeSlice(nest, stage))
          scalars.push_back(stage->gen.getResult());
      for (Stage *stage : here)
        emitMember(nest, *stage, block, around, noted);
    }
    for (Value scalar : scalars)
      storage.erase(scalar);
  }

  void emitMember(Nest &nest, Stage &stage, const NestBlock &block, BodyEmitter &around, bool noted) {
    OpBuilder::InsertionGuard stagePlace(b);
    if (!noted)
      note(stage);
    BodyEmitter emitter(b, values, context, block.facts);
    for (auto [loop, axis] : llvm::zip(nest.loops, nest.axisOf[&stage]))
      if (axis != Nest::none)
        emitter.follow(stage.gen.entry().getArgument(axis), around, loop.axis);
    SmallVector<AxisRegion> regions = regionsOf(nest, stage, graph.exprs);
    Storage &place = storage[stage.gen.getResult()];
    if (!place.lengths.empty())
      confine(nest, stage, regions, place, emitter, around);
    Value shared = schedule.mode("reduce", stage.name()) == "atomic" ? estimateWork(nest) : Value();
    emitStageLoops(b, stage, place, loopOrder(nest, stage, schedule, context.lifted, regions), schedule, emitter, shared);
  }

  /// The part of a stage that is needed here: where its loops begin and end, and where its buffer begins.
  void confine(Nest &nest, Stage &stage, ArrayRef<AxisRegion> regions, Storage &place, BodyEmitter &emitter, BodyEmitter &around) {
    Location loc = stage.gen.getLoc();
    auto value = [&](const shape::Expr &e) {
      return moa::materialize(e, b, loc, [&](const std::string &name) {
        for (const StageLoop &loop : nest.loops)
          if (name == reachedName(loop.axis, graph.exprs) || name == graph.exprs.nameOf(loop.axis))
            return around.reachedBy(loop.axis);
        return values[graph.exprs.valueOf(name)];
      });
    };
    place.origins.clear();
    for (auto [axis, extent] : llvm::zip(place.axes, place.extents)) {
      const AxisRegion &region = regions[axis];
      Value zero = moa::indexConstant(b, loc, 0), origin = region.whole ? zero : value(region.lo);
      place.origins.push_back(origin);
      if (region.whole)
        continue;
      Value lo = moa::buildIndex(b, loc, moa::ScalarFn::max_, {zero, origin});
      Value hi = moa::buildIndex(b, loc, moa::ScalarFn::min_, {value(region.hi), extent});
      emitter.confine(stage.gen.entry().getArgument(axis), lo, hi);
    }
  }

  AxisLoop outerLoop(Nest &nest, unsigned i, std::pair<Value, Value> bound) {
    AxisLoop loop{nest.loops[i].axis, bound.first, bound.second};
    loop.digit = nest.loops[i].digit;
    loop.last = nest.loops[i].last;
    bool parallel = i >= nest.firstParallel && i < nest.firstParallel + nest.parallel;
    if (parallel)
      loop.role = "parallel";
    loop.collapse = i == nest.firstParallel ? nest.parallel : 0;
    return loop;
  }

  Value extreme(ArrayRef<shape::Expr> ends, moa::ScalarFn choose) {
    Value value = materialize(ends[0]);
    for (const shape::Expr &end : ends.drop_front())
      value = moa::buildIndex(b, kernel.getLoc(), choose, {value, materialize(end)});
    return value;
  }

  /// Divisions in boundaries that are known at entry are computed once: the shift of a rotation, `s % N`.
  void hoistDivisions(Nest &nest) {
    auto known = [&](const std::string &name) { return values.count(graph.exprs.valueOf(name)) != 0; };
    for (auto &[axis, boundaries] : context.cuts) {
      Stage *stage = graph.of(enclosingGen(axis));
      for (const shape::Expr &boundary : boundaries)
        for (shape::AtomRef atom : shape::atomsOf(boundary)) {
          bool divides = atom->kind == shape::AtomKind::FloorDiv || atom->kind == shape::AtomKind::Mod;
          if (divides && llvm::is_contained(nest.members, stage) && llvm::all_of(shape::fromAtom(atom).names(), known))
            hoist(*atom, nest.root->gen.getLoc());
        }
    }
  }

  static Value enclosingGen(Value axis) {
    Operation *op = axis.getParentBlock()->getParentOp();
    while (!isa<moa::GenOp>(op))
      op = op->getParentOp();
    return op->getResult(0);
  }

  void hoist(const shape::Atom &atom, Location loc) {
    const shape::Expr &self = shape::fromAtom(&atom), &divisor = atom.args[1];
    if (context.hoisted.count(self))
      return;
    if (atom.kind == shape::AtomKind::Mod && entry.proveNonNegative(divisor)) {
      entry.nonNegative(self);
      entry.nonNegative(divisor - self);
    }
    context.hoisted[self] = BodyEmitter(b, values, context, entry).emit(self, {}, loc);
  }

  Value estimateWork(Nest &nest) {
    return moac::estimateWork(b, nest, graph, values, [&](const shape::Expr &e) { return materialize(e); });
  }

  moa::KernelOp kernel;
  Schedule schedule;
  StageGraph graph;
  OpBuilder b;
  onf::FuncOp function;
  llvm::DenseMap<Value, Value> values;
  llvm::DenseMap<Value, Storage> storage;
  shape::Facts entry; ///< what holds once the requirements are checked
  EmitterContext context;
  SmallVector<std::pair<Value, Value>> pendingInputs;
  SmallVector<Value> outputs;
};

struct GammaConstruct : impl::GammaConstructBase<GammaConstruct> {
  void runOnOperation() override {
    SmallVector<moa::KernelOp> kernels(getOperation().getOps<moa::KernelOp>());
    for (moa::KernelOp kernel : kernels) {
      if (!kernel.getDnf() || !kernel.getScheduleAttr()) {
        kernel.emitOpError("needs a DNF and a schedule");
        return signalPassFailure();
      }
      if (failed(Constructor(kernel).run()))
        return signalPassFailure();
      kernel.erase();
    }
    if (failed(joinPartitions(getOperation())))
      signalPassFailure();
  }
};
} // namespace
} // namespace moac
