// The phases of a partitioned kernel as kernels of their own; see Partition.h.
#include "ir/IndexExpr.h"
#include "ir/MaterializeExpr.h"
#include "passes/FactorSums.h"
#include "passes/Partition.h"
#include "passes/Passes.h"
#include "passes/Slice.h"
#include "passes/StageNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

#include <limits>

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMAPARTITION
#include "passes/Passes.h.inc"

namespace {
using namespace moa;

/// Stages that nobody reads are no part of the kernel.
void eraseUnread(KernelOp kernel) {
  SmallVector<GenOp> all(kernel.entry().getOps<GenOp>());
  for (GenOp gen : llvm::reverse(all))
    if (gen.getResult().use_empty())
      gen.erase();
}

ArrayAttr withName(ArrayAttr names, StringRef name) {
  SmallVector<Attribute> all(names.begin(), names.end());
  all.push_back(StringAttr::get(names.getContext(), name));
  return ArrayAttr::get(names.getContext(), all);
}

BlockArgument addSymbol(KernelOp kernel, const std::string &name) {
  unsigned at = kernel.numSymbols();
  kernel.setSymbolsAttr(withName(kernel.getSymbols(), name));
  return kernel.entry().insertArgument(at, IndexType::get(kernel.getContext()), kernel.getLoc());
}

/// Gives the kernel other results, and leaves out what they do not need.
void returnOnly(KernelOp kernel, ArrayRef<GenOp> results) {
  Operation *old = kernel.entry().getTerminator();
  OpBuilder b(old);
  SmallVector<Value> values;
  SmallVector<Attribute> names, types;
  for (GenOp gen : results) {
    values.push_back(gen.getResult());
    names.push_back(gen.getNameAttr());
    types.push_back(TypeAttr::get(gen.getResult().getType()));
  }
  ReturnOp::create(b, old->getLoc(), values);
  old->erase();
  kernel.setResultsAttr(b.getArrayAttr(names));
  kernel.setResultTypesAttr(b.getArrayAttr(types));
  eraseUnread(kernel);
}

/// X.part: the divided axis runs from `lo` on.
class PartMaker {
public:
  PartMaker(KernelOp kernel, StageGraph &graph, const PartitionPlan &plan, const std::string &axis)
      : kernel(kernel), graph(graph), plan(plan), names(kernel) {
    lowName = names.fresh(axis + "_lo"), lengthName = names.fresh(axis + "_len");
    lo = addSymbol(kernel, lowName), length = addSymbol(kernel, lengthName);
  }

  void make() {
    for (auto &stage : graph.stages) {
      for (BlockArgument axis : indicesOf(*stage))
        if (plan.axes.contains(axis))
          shift(axis);
      retype(stage->gen);
    }
    for (const PartitionState &state : plan.states)
      for (BlockArgument index : state.stage->root.term().getArguments())
        if (plan.axes.contains(index))
          bound(state.stage->root, index.getArgNumber());
    SmallVector<GenOp> results;
    if (plan.isFree)
      for (Value value : cast<ReturnOp>(kernel.entry().back()).getValues())
        results.push_back(value.getDefiningOp<GenOp>());
    bool apart = llvm::any_of(plan.states, [](const PartitionState &state) { return !state.corrections.empty(); });
    unsigned highest = 0;
    for (const PartitionState &state : plan.states)
      highest = std::max(highest, state.stage->rank());
    llvm::DenseMap<Stage *, GenOp> copies;
    for (unsigned rank = 0; rank <= highest; ++rank) // the last is the root of a nest that all can join
      for (const PartitionState &state : plan.states)
        if (state.stage->rank() == rank)
          copies[state.stage] = apart ? copyOf(state.stage->gen) : state.stage->gen;
    for (const PartitionState &state : plan.states)
      results.push_back(copies[state.stage]);
    returnOnly(kernel, results);
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.entry());
    Location loc = kernel.getLoc();
    IndexExprs exprs(kernel);
    Value extent = materialize(plan.extent, b, loc, [&](const std::string &name) { return exprs.valueOf(name); });
    Value zero = indexConstant(b, loc, 0), end = ScalarOp::create(b, loc, b.getIndexType(), b.getStringAttr("add"), ValueRange{lo, length}, UnitAttr());
    auto atMost = [&](Value low, Value high) {
      Value holds = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("le"), ValueRange{low, high}, UnitAttr());
      RequireOp::create(b, loc, holds, "constraint", "a part lies in its axis");
    };
    atMost(zero, lo);
    atMost(zero, length);
    atMost(end, extent);
  }

  /// The axis of an input along which all reads stay in the part.
  std::optional<unsigned> axisInPart(BlockArgument input) {
    for (unsigned axis = 0; axis < cast<ArrayType>(input.getType()).extents().size(); ++axis)
      if (llvm::all_of(input.getUsers(), [&](Operation *user) { return shifted.contains(cast<PsiOp>(user).getSubscripts()[axis]); }))
        return axis;
    return std::nullopt;
  }

private:
  /// Where an index does not count the elements of a part, it counts from the axis' beginning on.
  void shift(BlockArgument axis) {
    shiftUses(axis);
    if (auto red = dyn_cast<RedOp>(binderOf(axis)))
      for (unsigned later = axis.getArgNumber() + 1; later < red.rank(); ++later)
        shiftUses(red.domain(later).getArgument(axis.getArgNumber()));
  }

  void shiftUses(BlockArgument index) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : index.getUses())
      if (!countsInPart(use))
        uses.push_back(&use);
    if (uses.empty())
      return;
    OpBuilder b = OpBuilder::atBlockBegin(index.getOwner());
    Value at = ScalarOp::create(b, index.getLoc(), b.getIndexType(), b.getStringAttr("add"), ValueRange{index, lo}, UnitAttr());
    shifted.insert(at);
    for (OpOperand *use : uses)
      use->set(at);
  }

  bool countsInPart(OpOperand &use) {
    auto psi = dyn_cast<PsiOp>(use.getOwner());
    Stage *stage = psi && use.getOperandNumber() > 0 ? graph.of(psi.getArray()) : nullptr;
    return stage && plan.axes.contains(stage->gen.entry().getArgument(use.getOperandNumber() - 1));
  }

  void retype(GenOp gen) {
    std::vector<shape::Expr> extents = gen.arrayType().extents();
    for (BlockArgument axis : gen.entry().getArguments())
      if (plan.axes.contains(axis))
        extents[axis.getArgNumber()] = shape::Expr::name(lengthName);
    gen.getResult().setType(ArrayType::get(gen.getContext(), extents, gen.arrayType().getElementType(), gen.arrayType().getColumnMajor()));
  }

  void bound(RedOp red, unsigned i) {
    Operation *yield = red.domain(i).getTerminator();
    Value lower = red.lower(i), upper = red.upper(i);
    if (graph.exprs.toExpr(lower) == shape::Expr(0) && graph.exprs.toExpr(upper) == plan.extent)
      return yield->setOperand(1, length);
    OpBuilder b(yield);
    Location loc = red.getLoc();
    auto inPart = [&](Value bound) { return buildIndex(b, loc, ScalarFn::sub_, {bound, lo}); };
    yield->setOperand(0, buildIndex(b, loc, ScalarFn::max_, {inPart(lower), indexConstant(b, loc, 0)}));
    yield->setOperand(1, buildIndex(b, loc, ScalarFn::min_, {inPart(upper), length}));
  }

  /// A result of its own, so that the reduction itself can live in a tile.
  GenOp copyOf(GenOp gen) {
    OpBuilder b(kernel.entry().getTerminator());
    auto copy = GenOp::create(b, gen.getLoc(), gen.getResult().getType(), b.getStringAttr(names.fresh(gen.getName().str() + "_of_part")), gen.getIndices());
    Block &body = copy.getBody().emplaceBlock();
    SmallVector<Value> index;
    for (BlockArgument axis : gen.entry().getArguments())
      index.push_back(body.addArgument(axis.getType(), axis.getLoc()));
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    Value value = PsiOp::create(inside, gen.getLoc(), valueType(gen.arrayType().getElementType()), gen.getResult(), index, inside.getDenseI64ArrayAttr({}));
    YieldOp::create(inside, gen.getLoc(), value);
    return copy;
  }

  KernelOp kernel;
  StageGraph &graph;
  const PartitionPlan &plan;
  StageNames names;
  std::string lowName, lengthName;
  Value lo, length;
  llvm::DenseSet<Value> shifted;
};

/// X.whole: reductions over the divided axis are those of the parts' values. `kernel` is a clone of the graph's.
class WholeMaker {
public:
  WholeMaker(KernelOp kernel, StageGraph &graph, const PartitionPlan &plan, const std::string &axis)
      : kernel(kernel), plan(plan), names(kernel), part(axis + "_part") {
    for (auto [stage, gen] : llvm::zip(graph.stages, kernel.entry().getOps<GenOp>()))
      genOf[stage.get()] = gen;
  }

  void make() {
    std::string symbol = names.fresh(part + "s");
    parts = addSymbol(kernel, symbol);
    for (const PartitionState &state : plan.states) {
      GenOp gen = genOf[state.stage];
      std::vector<shape::Expr> extents = {shape::Expr::name(symbol)};
      llvm::append_range(extents, gen.arrayType().extents());
      kernel.setInputsAttr(withName(kernel.getInputs(), names.fresh(gen.getName().str() + "_parts")));
      inputs[state.stage] = kernel.entry().addArgument(ArrayType::get(kernel.getContext(), extents, gen.arrayType().getElementType()), gen.getLoc());
    }
    for (const PartitionState &state : plan.states) {
      for (const PartitionState::Correction &correction : state.corrections)
        makeFactor(correction, genOf[state.stage]);
      combine(state);
    }
    eraseUnread(kernel);
  }

private:
  void combine(const PartitionState &state) {
    GenOp gen = genOf[state.stage];
    RedOp old = gen.yielded().getDefiningOp<RedOp>();
    Location loc = gen.getLoc();
    Type type = old.getResult().getType();
    StringAttr kind = old.getKindAttr();
    while (!gen.entry().empty())
      gen.entry().back().erase();
    OpBuilder b = OpBuilder::atBlockEnd(&gen.entry());
    auto red = RedOp::create(b, loc, type, kind, b.getStrArrayAttr({part}), TypedAttr(), 2);
    YieldOp::create(b, loc, red.getResult());
    b.setInsertionPointToEnd(&red.getParts()[0].emplaceBlock());
    YieldOp::create(b, loc, ValueRange{indexConstant(b, loc, 0), parts});
    Block &term = red.getParts()[1].emplaceBlock();
    Value index = term.addArgument(b.getIndexType(), loc);
    b.setInsertionPointToEnd(&term);
    SmallVector<Value> axes(gen.entry().getArguments());
    YieldOp::create(b, loc, corrected(state, 0, index, axes, b));
  }

  Value read(Value array, ArrayRef<Value> index, OpBuilder &b) {
    return PsiOp::create(b, kernel.getLoc(), valueType(cast<ArrayType>(array.getType()).getElementType()), array, index, b.getDenseI64ArrayAttr({}));
  }

  /// The value of a part, with the corrections from `i` on.
  Value corrected(const PartitionState &state, unsigned i, Value index, ArrayRef<Value> axes, OpBuilder &b) {
    SmallVector<Value> at = {index};
    if (i == state.corrections.size()) {
      llvm::append_range(at, axes);
      return read(inputs[state.stage], at, b);
    }
    const PartitionState::Correction &correction = state.corrections[i];
    SmallVector<Value> row;
    for (unsigned axis : correction.axes)
      row.push_back(axes[axis]);
    llvm::append_range(at, row);
    Location loc = kernel.getLoc();
    Value own = read(inputs[correction.maximum], at, b), all = read(genOf[correction.maximum].getResult(), row, b);
    auto type = cast<FloatType>(own.getType());
    Value least = ConstantOp::create(b, loc, FloatAttr::get(type, -std::numeric_limits<double>::infinity()));
    auto scalar = [&](StringRef fn, Value x, Value y, Type result) -> Value {
      return ScalarOp::create(b, loc, result, b.getStringAttr(fn), y ? ValueRange{x, y} : ValueRange{x}, UnitAttr());
    };
    Value nothing = scalar("eq", own, least, b.getI1Type()), rest = scalar(correction.law.guarded ? "eq" : "ne", all, least, b.getI1Type());
    // Where no part has anything: no number, or 0 if the formula says so. That the condition speaks of the maximum of all
    // also keeps these reductions from being an online group, which would ask for the guard in the formula's form.
    nothing = scalar(correction.law.guarded ? "or" : "and", nothing, rest, b.getI1Type());
    Type result = cast<ArrayType>(inputs[state.stage].getType()).getElementType();
    auto where = WhereOp::create(b, loc, valueType(result), nothing);
    OpBuilder yes = OpBuilder::atBlockEnd(&where.getThenRegion().emplaceBlock());
    YieldOp::create(yes, loc, ValueRange{ConstantOp::create(yes, loc, cast<TypedAttr>(yes.getZeroAttr(valueType(result))))});
    OpBuilder no = OpBuilder::atBlockEnd(&where.getElseRegion().emplaceBlock());
    Value factor = read(factors[{correction.maximum, correction.law.fn.str()}], at, no);
    if (type != valueType(result))
      factor = CastOp::create(no, loc, valueType(result), factor);
    Value value = corrected(state, i + 1, index, axes, no);
    for (unsigned power = 0; power < correction.law.power; ++power)
      value = ScalarOp::create(no, loc, valueType(result), no.getStringAttr("mul"), ValueRange{factor, value}, UnitAttr());
    YieldOp::create(no, loc, value);
    return where.getResult();
  }

  /// The factors that correct the parts, computed once for all that they correct: fn(maximum of the part - maximum).
  void makeFactor(const PartitionState::Correction &correction, GenOp before) {
    Value &made = factors[{correction.maximum, correction.law.fn.str()}];
    if (made)
      return;
    OpBuilder b(before);
    Location loc = before.getLoc();
    GenOp maximum = genOf[correction.maximum];
    auto type = cast<ArrayType>(inputs[correction.maximum].getType());
    SmallVector<Attribute> indices = {b.getStringAttr(part)};
    llvm::append_range(indices, maximum.getIndices());
    auto gen = GenOp::create(b, loc, type, b.getStringAttr(names.fresh(maximum.getName().str() + "_factor")), b.getArrayAttr(indices));
    Block &body = gen.getBody().emplaceBlock();
    for (size_t i = 0; i < indices.size(); ++i)
      body.addArgument(b.getIndexType(), loc);
    b.setInsertionPointToEnd(&body);
    SmallVector<Value> at(body.getArguments());
    Value own = read(inputs[correction.maximum], at, b), all = read(maximum.getResult(), ArrayRef(at).drop_front(), b);
    Value fallen = ScalarOp::create(b, loc, own.getType(), b.getStringAttr("sub"), ValueRange{own, all}, UnitAttr());
    Value factor = ScalarOp::create(b, loc, own.getType(), b.getStringAttr(correction.law.fn), fallen, UnitAttr());
    factor.getDefiningOp()->setAttr("nonpositive", b.getUnitAttr()); // no part's maximum is above that of all
    YieldOp::create(b, loc, factor);
    made = gen.getResult();
  }

  KernelOp kernel;
  const PartitionPlan &plan;
  StageNames names;
  std::string part;
  Value parts;
  llvm::DenseMap<Stage *, GenOp> genOf;
  llvm::DenseMap<Stage *, Value> inputs;
  std::map<std::pair<Stage *, std::string>, Value> factors;
};

struct GammaPartition : impl::GammaPartitionBase<GammaPartition> {
  void runOnOperation() override {
    for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>()))
      if (std::optional<UserDirective> directive = partitionOf(kernel); directive && failed(divide(kernel, *directive)))
        return signalPassFailure();
  }

  static std::optional<UserDirective> partitionOf(KernelOp kernel) {
    Schedule schedule(kernel);
    unsigned number = 0;
    for (DirectiveAttr directive : schedule.all()) {
      if (directive.getVerb().getValue() == "partition" && !kernel->hasAttr("phase")) {
        UserDirective found{number, directive.getVerb().getValue(), directive.getMode().getValue(), {}};
        for (Attribute name : directive.getAxes())
          found.names.push_back(cast<StringAttr>(name).getValue());
        return found;
      }
      ++number;
    }
    return std::nullopt;
  }

  /// More than one axis: the second is refused.
  static LogicalResult checkSingle(KernelOp kernel, const UserDirective &first, const UserSchedule &user) {
    constexpr const char *reason = "another axis is divided already", *help = "one axis of a kernel can be divided among PEs";
    if (first.names.size() > 1)
      return user.refuse(first, 1, "cannot-partition", reason, help);
    unsigned number = 0;
    Schedule schedule(kernel);
    for (DirectiveAttr directive : schedule.all())
      if (number++ > first.number && directive.getVerb().getValue() == "partition")
        return user.refuse({number - 1, "partition", "", {cast<StringAttr>(directive.getAxes()[0]).getValue()}}, 0, "cannot-partition", reason, help);
    return success();
  }

  LogicalResult divide(KernelOp kernel, const UserDirective &directive) {
    UserSchedule user(kernel);
    if (failed(checkSingle(kernel, directive, user)))
      return failure();
    std::string name = kernel.getSymName().str(), axis = directive.names[0].substr(directive.names[0].rfind('.') + 1).str();
    OpBuilder b(kernel->getContext());
    b.setInsertionPointAfter(kernel);
    auto part = cast<KernelOp>(b.clone(*kernel));
    part.setSymName(name + ".part");
    part->setAttr("phase", b.getUnitAttr());
    factorSums(part);
    StageGraph graph(part);
    nameLoops(graph);
    FailureOr<PartitionPlan> plan = planPartition(graph, user, directive);
    if (failed(plan))
      return failure();
    KernelOp whole;
    if (!plan->isFree) {
      whole = cast<KernelOp>(b.clone(*part));
      whole.setSymName(name + ".whole");
      whole.removeScheduleAttr();
      WholeMaker(whole, graph, *plan, axis).make();
    }
    PartMaker maker(part, graph, *plan, axis);
    maker.make();
    record(kernel, directive, axis, *plan, maker, part, whole);
    return success();
  }

  /// What the functions are composed by, once they are loops: which arrays a PE has, and how the axis is divided.
  void record(KernelOp kernel, const UserDirective &directive, const std::string &axis, const PartitionPlan &plan, PartMaker &maker, KernelOp part, KernelOp whole) {
    Builder b(kernel->getContext());
    SmallVector<Attribute> owned;
    for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
      BlockArgument input = part.inputArg(i);
      bool ends = whole && !whole.inputArg(i).use_empty();
      std::optional<unsigned> along = ends ? std::nullopt : maker.axisInPart(input);
      bool single = cast<ArrayType>(input.getType()).extents().empty();
      owned.push_back(b.getStringAttr(single ? "all" : input.use_empty() && !ends ? "unused" : along ? "axis " + std::to_string(*along) : "gather"));
    }
    kernel->setAttr("partition", b.getDictionaryAttr({b.getNamedAttr("axis", b.getStringAttr(axis)),
                                                      b.getNamedAttr("extent", b.getStringAttr(plan.extent.str())),
                                                      b.getNamedAttr("free", b.getBoolAttr(plan.isFree)),
                                                      b.getNamedAttr("length", b.getStringAttr(directive.mode)),
                                                      b.getNamedAttr("owned", b.getArrayAttr(owned))}));
    kernel.removeScheduleAttr(); // its own loops are those of one machine; the phases follow the rest
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("gamma-partition").category("gamma"))
        << axis << " is divided among PEs as " << (plan.isFree ? "an axis of results" : "a reduction");
  }
};
} // namespace
} // namespace moac
