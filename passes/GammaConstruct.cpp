// ONF by construction: DNF plus schedule gives loops. Nothing here transforms loops afterwards.
//
// One function for each kernel: entry requirements, whole-array scratch, then the nests in the schedule's order. Inside a
// nest every member stage is emitted in the kernel's order, so that a stage is finished before it is read.
#include "ir/Gamma.h"
#include "ir/IndexExpr.h"
#include "ir/ShapeNode.h"
#include "passes/BodyEmitter.h"
#include "passes/Nests.h"
#include "passes/Passes.h"
#include "passes/Schedule.h"
#include "passes/StageLoops.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMACONSTRUCT
#include "passes/Passes.h.inc"

namespace {
class Constructor {
public:
  explicit Constructor(moa::KernelOp kernel)
      : kernel(kernel), schedule(kernel), graph(kernel), b(kernel->getContext()) {}

  LogicalResult run() {
    makeFunction();
    requirements();
    SmallVector<Nest> nests;
    if (failed(readNests(nests)))
      return failure();
    for (Nest &nest : nests)
      place(nest);
    for (Nest &nest : nests)
      emit(nest);
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
    BodyEmitter emitter(b, values, storage);
    emitter.atEntry();
    for (auto require : kernel.entry().getOps<moa::RequireOp>())
      onf::RequireOp::create(b, require.getLoc(), emitter.emit(require.getCondition()), require.getStatus(), require.getText());
    for (auto [array, buffer] : pendingInputs)
      storage[array] = whole(buffer, cast<moa::ArrayType>(array.getType()));
  }

  Value materialize(const shape::Expr &e) {
    return moa::materialize(e, b, kernel.getLoc(), [&](const std::string &name) { return values[graph.exprs.valueOf(name)]; });
  }

  Storage whole(Value buffer, moa::ArrayType type) {
    Storage place{buffer, {}, {}, type.getColumnMajor()};
    for (auto [axis, extent] : llvm::enumerate(type.extents())) {
      place.axes.push_back(axis);
      place.extents.push_back(materialize(extent));
    }
    return place;
  }

  Stage *stageNamed(StringRef name) {
    for (auto &stage : graph.stages)
      if (stage->name() == name)
        return stage.get();
    return nullptr;
  }

  /// Nests as the schedule states them; refuses a placement that the reads do not allow.
  LogicalResult readNests(SmallVector<Nest> &nests) {
    for (Attribute attribute : kernel.getScheduleAttr()) {
      auto directive = cast<moa::DirectiveAttr>(attribute);
      if (directive.getVerb().getValue() != "nest")
        continue;
      Nest nest;
      nest.root = stageNamed(directive.getStage().getValue());
      if (!nest.root)
        return kernel.emitError() << "the schedule names no stage '" << directive.getStage().getValue() << "'";
      nest.depth = directive.getAxes().size();
      nest.axisOf[nest.root] = llvm::to_vector(llvm::seq(0u, nest.depth));
      for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it)
        if (it->get() != nest.root && schedule.placement((*it)->name()) == "at" &&
            schedule.axes("place", (*it)->name()).front() == nest.root->name() && failed(join(nest, **it)))
          return failure();
      for (auto &stage : graph.stages)
        if (nest.axisOf.count(stage.get()))
          nest.members.push_back(stage.get());
      nests.push_back(std::move(nest));
    }
    return success();
  }

  LogicalResult join(Nest &nest, Stage &stage) {
    std::optional<SmallVector<unsigned>> axes;
    if (stage.readers.empty())
      axes = llvm::to_vector(llvm::seq(0u, nest.depth));
    else
      axes = joinAxes(graph, nest, stage);
    if (!axes)
      return stage.gen.emitError() << "'" << stage.name() << "' cannot be placed at '" << nest.root->name()
                                   << "': it is read outside the nest or at other indices than its loops";
    nest.axisOf[&stage] = *axes;
    return success();
  }

  /// Whole arrays: results in the caller's memory, stored stages in shared scratch. Placed stages get theirs in the nest.
  void place(Nest &nest) {
    auto returned = cast<moa::ReturnOp>(kernel.entry().back()).getValues();
    for (Stage *stage : nest.members) {
      Value array = stage->gen.getResult();
      auto result = llvm::find(returned, array);
      if (result != returned.end()) {
        storage[array] = whole(outputs[result - returned.begin()], stage->gen.arrayType());
      } else if (stage == nest.root) {
        Value size = materialize(shape::total(stage->gen.arrayType().extents()));
        Value buffer = onf::AllocOp::create(b, stage->gen.getLoc(), bufferType(stage->gen.arrayType(), "shared"), size,
                                            stage->gen.getNameAttr());
        storage[array] = whole(buffer, stage->gen.arrayType());
      }
    }
  }

  /// The part of a placed stage that is alive inside the nest's outer loops: its other axes, for one thread.
  void placeSlice(Nest &nest, Stage *stage) {
    Value array = stage->gen.getResult();
    if (storage.count(array))
      return;
    moa::ArrayType type = stage->gen.arrayType();
    std::vector<shape::Expr> extents;
    Storage place;
    place.columnMajor = type.getColumnMajor();
    for (BlockArgument axis : nest.innerAxes(*stage)) {
      place.axes.push_back(axis.getArgNumber());
      extents.push_back(type.extents()[axis.getArgNumber()]);
      place.extents.push_back(materialize(extents.back()));
    }
    place.buffer = onf::AllocOp::create(b, stage->gen.getLoc(), bufferType(type, extents.empty() ? "register" : "thread"),
                                        materialize(shape::total(extents)), stage->gen.getNameAttr());
    storage[array] = place;
  }

  void emit(Nest &nest) {
    Location loc = nest.root->gen.getLoc();
    OpBuilder::InsertionGuard keep(b);
    if (nest.depth > 0) {
      Value work = estimateWork(nest);
      auto team = onf::ParallelOp::create(b, loc, work);
      b.setInsertionPointToEnd(&team.getBody().emplaceBlock());
    }
    for (Stage *stage : nest.members)
      if (!nest.innerAxes(*stage).empty())
        placeSlice(nest, stage);
    SmallVector<Value> outer;
    std::vector<shape::Expr> extents = nest.root->gen.arrayType().extents();
    for (unsigned i = 0; i < nest.depth; ++i) {
      auto loop = openLoop(b, loc, moa::indexConstant(b, loc, 0), materialize(extents[i]), nest.root->gen.indexName(i),
                           "parallel", i == 0 ? nest.depth : 0);
      outer.push_back(loop);
    }
    for (Stage *stage : nest.members)
      placeSlice(nest, stage); // scalars: variables of the loop body
    for (Stage *stage : nest.members) {
      OpBuilder::InsertionGuard stagePlace(b);
      BodyEmitter emitter(b, values, storage);
      for (unsigned i = 0; i < nest.depth; ++i)
        emitter.bind(stage->gen.entry().getArgument(nest.axisOf[stage][i]), outer[i]);
      emitStageLoops(b, *stage, storage[stage->gen.getResult()], nest.innerAxes(*stage), schedule, emitter);
    }
  }

  /// Innermost iterations of the nest times their cost, as far as they are known at entry: a polynomial of the extents.
  Value estimateWork(Nest &nest) {
    shape::Expr work;
    for (Stage *stage : nest.members) {
      shape::Expr product(std::max<int64_t>(1, std::llround(elementCost(*stage))));
      for (const shape::Expr &extent : stage->gen.arrayType().extents())
        product = product * extent;
      stage->gen.getBody().walk([&](moa::RedOp red) {
        for (unsigned i = 0; i < red.rank(); ++i) {
          shape::Expr extent = graph.exprs.toExpr(red.upper(i)) - graph.exprs.toExpr(red.lower(i));
          if (llvm::all_of(extent.names(), [&](const std::string &name) { return values.count(graph.exprs.valueOf(name)) != 0; }))
            product = product * extent;
        }
      });
      work = work + product;
    }
    return asFloat(work, nest.root->gen.getLoc());
  }

  /// A polynomial in floating point, where it cannot overflow.
  Value asFloat(const shape::Expr &e, Location loc) {
    auto combine = [&](StringRef fn, Value x, Value y) -> Value {
      return moa::ScalarOp::create(b, loc, b.getF64Type(), b.getStringAttr(fn), ValueRange{x, y}, UnitAttr());
    };
    Value sum;
    for (const shape::Term &term : e.node().terms) {
      Value product = moa::ConstantOp::create(b, loc, b.getF64FloatAttr(static_cast<double>(term.coefficient)));
      for (const shape::AtomRef &factor : term.factors)
        product = combine("mul", product, moa::CastOp::create(b, loc, b.getF64Type(), materialize(shape::fromAtom(factor))));
      sum = sum ? combine("add", sum, product) : product;
    }
    return sum ? sum : moa::ConstantOp::create(b, loc, b.getF64FloatAttr(0)).getResult();
  }

  /// Cost of one innermost iteration.
  double elementCost(Stage &stage) {
    double cost = 0;
    stage.gen.getBody().walk([&](Operation *op) { cost += operationCost(op); });
    return cost;
  }

  moa::KernelOp kernel;
  Schedule schedule;
  StageGraph graph;
  OpBuilder b;
  onf::FuncOp function;
  llvm::DenseMap<Value, Value> values;
  llvm::DenseMap<Value, Storage> storage;
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
  }
};
} // namespace
} // namespace moac
