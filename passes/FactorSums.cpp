// Moving factors out of sums; see FactorSums.h.
#include "passes/FactorSums.h"
#include "passes/Decide.h"
#include "passes/SameValue.h"
#include "passes/Slice.h"
#include "passes/StageNames.h"
#include "passes/Stages.h"

#include "ir/KernelFacts.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// What stands around the rest of a factor, outermost first: a division or product with something, or a choice of 0.
struct Wrapper {
  Operation *op;
  unsigned rest; ///< the operand, or the side of a `where`, that goes on
};

class FactorMover {
public:
  explicit FactorMover(KernelOp kernel) : kernel(kernel), graph(kernel), names(kernel) {}

  /// One sum at a time: the graph changes with each.
  bool moveOne() {
    for (auto &stage : graph.stages)
      if (stage->root && stage->root.getKind() == "add" && stage->root.rank() == 1 && isa<FloatType>(stage->root.getResult().getType()) &&
          !isChecked(stage->gen.yielded()) && move(*stage))
        return true;
    return llvm::any_of(graph.stages, [&](auto &stage) { return detach(*stage); });
  }

private:
  bool move(Stage &stage) {
    auto product = stage.root.termValue().getDefiningOp<ScalarOp>();
    const bool isProduct = product && product.kind() == ScalarFn::mul_;
    BlockArgument index = stage.root.term().getArgument(0);
    // One operand at a time: w * w has its factor twice.
    for (OpOperand &use : (isProduct ? product.getOperation() : stage.root.term().getTerminator())->getOpOperands()) {
      Value factor = use.get();
      if (auto psi = factor.getDefiningOp<PsiOp>()) {
        Stage *source = graph.of(psi.getArray());
        auto at = llvm::find(psi.getSubscripts(), index);
        if (!source || source->isResult || source->hasReduction() || isChecked(source->gen.yielded()) || !psi.getChecked().empty() ||
            at == psi.getSubscripts().end())
          continue;
        BlockArgument own = source->gen.entry().getArgument(at - psi.getSubscripts().begin());
        SmallVector<Wrapper> wrappers = wrappersOf(source->gen.yielded(), own, stage);
        if (!wrappers.empty()) {
          split(stage, use, *source, wrappers);
          return true;
        }
      } else if (SmallVector<Wrapper> wrappers = wrappersOf(factor, index, stage);
                 !wrappers.empty() || (isProduct && !isFreeOf(factor, index) && dependsOnRange(factor, stage))) {
        makeStage(stage, use, wrappers);
        return true;
      }
    }
    return false;
  }

  /// A result that is such a sum itself becomes a copy of it: sums are finished where they are formed.
  bool detach(Stage &stage) {
    if (!stage.isResult || !stage.root || stage.root.getKind() != "add" || stage.root.rank() != 1 || isChecked(stage.gen.yielded()))
      return false;
    auto product = stage.root.termValue().getDefiningOp<ScalarOp>();
    BlockArgument index = stage.root.term().getArgument(0);
    bool refers = product && product.kind() == ScalarFn::mul_ && llvm::any_of(product.getOperands(), [&](Value factor) {
      auto psi = factor.getDefiningOp<PsiOp>();
      Stage *source = psi ? graph.of(psi.getArray()) : nullptr;
      return source && !isFreeOf(factor, index) && !source->hasReduction() && dependsOnRange(source->gen.yielded(), stage);
    });
    if (refers)
      finishOutside(stage, nullptr, {}, {}, IRMapping());
    return refers;
  }

  static bool isZero(Value value) {
    auto constant = value.getDefiningOp<ConstantOp>();
    auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
    return number && number.getValue().isZero();
  }

  /// Empty unless one of them is a reduction over the range of the sum.
  SmallVector<Wrapper> wrappersOf(Value value, BlockArgument index, Stage &sum) {
    SmallVector<Wrapper> wrappers;
    bool ofSameRange = false;
    while (true) {
      Value beside;
      unsigned rest = 0;
      Operation *op = value.getDefiningOp();
      if (auto scalar = dyn_cast_or_null<ScalarOp>(op)) {
        if (scalar.kind() == ScalarFn::div_ && isFreeOf(scalar.getOperand(1), index))
          beside = scalar.getOperand(1), rest = 0;
        else if (scalar.kind() == ScalarFn::mul_ && isFreeOf(scalar.getOperand(0), index))
          beside = scalar.getOperand(0), rest = 1;
        else if (scalar.kind() == ScalarFn::mul_ && isFreeOf(scalar.getOperand(1), index))
          beside = scalar.getOperand(1), rest = 0;
        if (beside)
          value = scalar.getOperand(rest);
      } else if (auto where = dyn_cast_or_null<WhereOp>(op); where && isFreeOf(where.getCondition(), index)) {
        if (isZero(where.thenValue()) || isZero(where.elseValue())) {
          beside = where.getCondition(), rest = isZero(where.thenValue()) ? 1 : 0;
          value = rest ? where.elseValue() : where.thenValue();
        }
      }
      if (!beside)
        return ofSameRange && isWeight(value) ? wrappers : SmallVector<Wrapper>();
      ofSameRange |= isa<ScalarOp>(op) && dependsOnRange(beside, sum); // a choice stays in the terms too
      wrappers.push_back({op, rest});
    }
  }

  /// At most 1, so that what it is multiplied with leaves the range of numbers no sooner than the formula's terms: an
  /// exponential below its maximum, or 0 by choice.
  bool isWeight(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto scalar = dyn_cast_or_null<ScalarOp>(op))
      return (scalar.kind() == ScalarFn::exp_ || scalar.kind() == ScalarFn::exp2_) && scalar->hasAttr("nonpositive");
    if (auto where = dyn_cast_or_null<WhereOp>(op))
      return (isZero(where.thenValue()) || isWeight(where.thenValue())) && (isZero(where.elseValue()) || isWeight(where.elseValue()));
    auto psi = dyn_cast_or_null<PsiOp>(op);
    Stage *source = psi ? graph.of(psi.getArray()) : nullptr;
    return source && isWeight(source->gen.yielded());
  }

  bool dependsOnRange(Value value, Stage &sum) {
    bool found = false;
    visitSlice(value, [&](Operation *op) {
      auto psi = dyn_cast<PsiOp>(op);
      Stage *source = psi ? graph.of(psi.getArray()) : nullptr;
      found |= source && source->root && source->root.rank() == 1 && sameRange(*source, sum);
    });
    return found;
  }

  /// Both run over as many indices, axes of their own aside.
  bool sameRange(Stage &a, Stage &b) {
    auto length = [&](Stage &stage) {
      std::map<std::string, shape::Expr> words;
      for (BlockArgument axis : stage.gen.entry().getArguments())
        words[graph.exprs.nameOf(axis)] = shape::Expr::name("axis " + indexName(axis).str());
      return (graph.exprs.toExpr(stage.root.upper(0)) - graph.exprs.toExpr(stage.root.lower(0))).substitute(words);
    };
    return length(a) == length(b);
  }

  /// P = e / c becomes a stage of e; the sum reads that, and what reads the sum applies the rest.
  void split(Stage &sum, OpOperand &factor, Stage &source, ArrayRef<Wrapper> wrappers) {
    auto psi = factor.get().getDefiningOp<PsiOp>();
    GenOp terms = unlessThere(cloneWithout(source.gen, innermost(wrappers), names.fresh(source.name() + "_terms")), sum);
    IRMapping subscripts;
    for (auto [own, subscript] : llvm::zip(source.gen.entry().getArguments(), psi.getSubscripts()))
      subscripts.map(own, subscript);
    OpBuilder b(psi);
    auto read = PsiOp::create(b, psi.getLoc(), psi.getResult().getType(), terms.getResult(), psi.getSubscripts(), psi.getCheckedAttr());
    finishOutside(sum, &factor, read.getResult(), wrappers, subscripts);
    shareTerms(terms);
  }

  /// A factor that stands in the term itself: the rest becomes a stage over what it depends on.
  void makeStage(Stage &sum, OpOperand &use, ArrayRef<Wrapper> wrappers) {
    Value factor = use.get();
    Value rest = wrappers.empty() ? factor : innermost(wrappers);
    OpBuilder b(sum.gen);
    std::vector<shape::Expr> extents;
    SmallVector<Attribute> words;
    SmallVector<Value> subscripts;
    IndexSet free;
    collectFreeIndices(rest, free);
    std::vector<shape::Expr> own = sum.gen.arrayType().extents();
    for (BlockArgument axis : sum.gen.entry().getArguments())
      if (free.contains(axis)) {
        extents.push_back(own[axis.getArgNumber()]);
        words.push_back(b.getStringAttr(indexName(axis)));
        subscripts.push_back(axis);
      }
    BlockArgument index = sum.root.term().getArgument(0);
    // As far as the sum goes; where that depends on an axis, as far as what it reads (a read may stand behind a choice, though).
    shape::Expr upper = graph.exprs.toExpr(sum.root.upper(0));
    bool isKnown = llvm::all_of(upper.names(), [&](const std::string &name) {
      auto argument = dyn_cast_or_null<BlockArgument>(graph.exprs.valueOf(name));
      return argument && isa<KernelOp>(argument.getOwner()->getParentOp());
    });
    extents.push_back(isKnown ? upper : extentAlong(rest, index).value_or(upper));
    words.push_back(b.getStringAttr(indexName(index)));
    subscripts.push_back(index);
    auto type = ArrayType::get(b.getContext(), extents, rest.getType());
    auto terms = GenOp::create(b, sum.gen.getLoc(), type, b.getStringAttr(names.fresh(sum.name() + "_terms")), b.getArrayAttr(words));
    Block &body = terms.getBody().emplaceBlock();
    IRMapping map;
    for (Value subscript : subscripts)
      map.map(subscript, body.addArgument(b.getIndexType(), terms.getLoc()));
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    YieldOp::create(inside, terms.getLoc(), cloneSlice(rest, map, inside));
    OpBuilder at = OpBuilder(factor.getDefiningOp());
    auto read = PsiOp::create(at, factor.getLoc(), factor.getType(), terms.getResult(), subscripts, at.getDenseI64ArrayAttr({}));
    if (wrappers.empty()) {
      factor.replaceUsesWithIf(read.getResult(), [&](OpOperand &use) { return sum.root->isAncestor(use.getOwner()); });
      eraseDead(sum.root.term());
      eraseDead(sum.gen.entry());
      return shareTerms(terms);
    }
    IRMapping same; // what stands outside is in the sum's own stage
    for (BlockArgument axis : sum.gen.entry().getArguments())
      same.map(axis, axis);
    finishOutside(sum, &use, read.getResult(), wrappers, same);
    shareTerms(terms);
  }

  /// The extent of an array that is read at the index alone.
  std::optional<shape::Expr> extentAlong(Value value, BlockArgument index) {
    std::optional<shape::Expr> extent;
    visitSlice(value, [&](Operation *op) {
      if (auto psi = dyn_cast<PsiOp>(op))
        for (auto [subscript, length] : llvm::zip(psi.getSubscripts(), cast<ArrayType>(psi.getArray().getType()).extents()))
          if (subscript == index && !extent)
            extent = length;
    });
    return extent;
  }

  static Value innermost(ArrayRef<Wrapper> wrappers) {
    const Wrapper &last = wrappers.back();
    if (auto where = dyn_cast<WhereOp>(last.op))
      return last.rest ? where.elseValue() : where.thenValue();
    return last.op->getOperand(last.rest);
  }

  /// The stage, or the one before `sum` that is the same: both factors of w * w have the same terms.
  GenOp unlessThere(GenOp terms, Stage &sum) {
    for (auto other : kernel.entry().getOps<GenOp>()) {
      if (other == sum.gen)
        break;
      if (other == terms || other.getResult().getType() != terms.getResult().getType())
        continue;
      SameValue same;
      for (auto [axis, index] : llvm::zip(terms.entry().getArguments(), other.entry().getArguments()))
        same.match(axis, index);
      if (same(terms.yielded(), other.yielded())) {
        terms.erase();
        return other;
      }
    }
    return terms;
  }

  /// The stage without what stands around `rest`.
  GenOp cloneWithout(GenOp gen, Value rest, const std::string &name) {
    OpBuilder b(gen);
    auto terms = GenOp::create(b, gen.getLoc(), gen.getResult().getType(), b.getStringAttr(name), gen.getIndices());
    Block &body = terms.getBody().emplaceBlock();
    IRMapping map;
    for (BlockArgument axis : gen.entry().getArguments())
      map.map(axis, body.addArgument(axis.getType(), axis.getLoc()));
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    YieldOp::create(inside, gen.getLoc(), cloneSlice(rest, map, inside));
    return terms;
  }

  /// The sum of the rest becomes a stage before `sum`, which applies the wrappers to its elements.
  void finishOutside(Stage &sum, OpOperand *factor, Value rest, ArrayRef<Wrapper> wrappers, IRMapping outside) {
    GenOp gen = sum.gen;
    if (factor)
      factor->set(withChoices(rest, wrappers, outside));
    GenOp inner = cloneWithout(gen, sum.root.getResult(), names.fresh(gen.getName().str() + "_sum"));
    eraseDead(cast<RedOp>(inner.yielded().getDefiningOp()).term());
    OpBuilder b(gen.entry().getTerminator());
    Value value = PsiOp::create(b, gen.getLoc(), sum.root.getResult().getType(), inner.getResult(), gen.entry().getArguments(),
                                b.getDenseI64ArrayAttr({}));
    for (Value whole = value; const Wrapper &wrapper : llvm::reverse(wrappers))
      value = wrapped(wrapper, value, whole, b, outside);
    if (!wrappers.empty())
      value = unlessEmpty(sum, value, b);
    cast<YieldOp>(gen.entry().getTerminator()).getValuesMutable().assign(value);
    eraseDead(gen.entry());
    for (auto other : llvm::make_early_inc_range(kernel.entry().getOps<GenOp>()))
      if (other.getResult().use_empty())
        other.erase();
    remark::passed(gen.getLoc(), remark::RemarkOpts::name("factor-sums").category("online"))
        << gen.getName() << ": a factor free of the sum's index stands outside of it";
  }

  /// A sum of nothing is 0, whatever the factor would have been.
  Value unlessEmpty(Stage &sum, Value value, OpBuilder &b) {
    shape::Expr length = graph.exprs.toExpr(sum.root.upper(0)) - graph.exprs.toExpr(sum.root.lower(0));
    if (entryFacts(kernel, graph.exprs).provePositive(length))
      return value;
    IRMapping outside;
    for (BlockArgument axis : sum.gen.entry().getArguments())
      outside.map(axis, axis);
    Location loc = sum.root.getLoc();
    auto bound = [&](Value end) {
      IRMapping map = outside;
      return cloneSlice(end, map, b);
    };
    Value some = ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("lt"), ValueRange{bound(sum.root.lower(0)), bound(sum.root.upper(0))},
                                  UnitAttr());
    auto choice = WhereOp::create(b, loc, value.getType(), some);
    OpBuilder inside = OpBuilder::atBlockEnd(&choice.getThenRegion().emplaceBlock());
    YieldOp::create(inside, loc, value);
    inside = OpBuilder::atBlockEnd(&choice.getElseRegion().emplaceBlock());
    YieldOp::create(inside, loc, ConstantOp::create(inside, loc, cast<TypedAttr>(b.getZeroAttr(value.getType()))).getResult());
    return choice.getResult();
  }

  /// What remains of a term: the choices of 0 stand there as well as outside.
  static Value withChoices(Value rest, ArrayRef<Wrapper> wrappers, IRMapping &outside) {
    OpBuilder b(rest.getContext());
    b.setInsertionPointAfterValue(rest);
    for (const Wrapper &wrapper : llvm::reverse(wrappers)) {
      auto where = dyn_cast<WhereOp>(wrapper.op);
      if (!where)
        continue;
      IRMapping map = outside;
      auto choice = WhereOp::create(b, where.getLoc(), rest.getType(), cloneSlice(where.getCondition(), map, b));
      for (auto [region, rests] : {std::pair(&choice.getThenRegion(), wrapper.rest == 0), std::pair(&choice.getElseRegion(), wrapper.rest == 1)}) {
        OpBuilder inside = OpBuilder::atBlockEnd(&region->emplaceBlock());
        Value side = rest;
        if (!rests)
          side = ConstantOp::create(inside, where.getLoc(), cast<TypedAttr>(b.getZeroAttr(rest.getType())));
        YieldOp::create(inside, where.getLoc(), side);
      }
      rest = choice.getResult();
    }
    return rest;
  }

  /// What the factor was around, around a value; where a choice of 0 is taken, the sum is of what the choice leaves.
  static Value wrapped(const Wrapper &wrapper, Value value, Value sum, OpBuilder &b, IRMapping &outside) {
    if (auto where = dyn_cast<WhereOp>(wrapper.op)) {
      auto choice = WhereOp::create(b, where.getLoc(), value.getType(), cloneSlice(where.getCondition(), outside, b));
      for (auto [region, rests] : {std::pair(&choice.getThenRegion(), wrapper.rest == 0), std::pair(&choice.getElseRegion(), wrapper.rest == 1)}) {
        OpBuilder inside = OpBuilder::atBlockEnd(&region->emplaceBlock());
        YieldOp::create(inside, where.getLoc(), rests ? value : sum);
      }
      return choice.getResult();
    }
    auto scalar = cast<ScalarOp>(wrapper.op);
    SmallVector<Value> operands(2);
    operands[wrapper.rest] = value;
    operands[1 - wrapper.rest] = cloneSlice(scalar.getOperand(1 - wrapper.rest), outside, b);
    return ScalarOp::create(b, scalar.getLoc(), scalar.getResult().getType(), scalar.getFnAttr(), operands, UnitAttr());
  }

  static void eraseDead(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  /// Terms of other sums that are the same expression are read from the stage: exp(S - m) is computed once.
  void shareTerms(GenOp terms) {
    if (!isa_and_nonnull<ScalarOp>(terms.yielded().getDefiningOp()))
      return;
    for (auto gen : kernel.entry().getOps<GenOp>()) {
      auto root = gen.yielded().getDefiningOp<RedOp>();
      if (!root || root.rank() != 1 || root.termValue().getType() != terms.yielded().getType())
        continue;
      std::optional<SmallVector<Value>> at = matching(terms, root);
      if (!at)
        continue;
      if (terms->isBeforeInBlock(gen) || canMove(terms, gen)) {
        if (!terms->isBeforeInBlock(gen))
          terms->moveBefore(gen);
        OpBuilder b(root.term().getTerminator());
        Value read = PsiOp::create(b, root.getLoc(), root.termValue().getType(), terms.getResult(), *at, b.getDenseI64ArrayAttr({}));
        cast<YieldOp>(root.term().getTerminator()).getValuesMutable().assign(read);
        eraseDead(root.term());
      }
    }
  }

  /// All that the stage reads is there before `gen`.
  static bool canMove(GenOp terms, GenOp gen) {
    bool can = true;
    terms.getBody().walk([&](PsiOp psi) {
      Operation *source = psi.getArray().getDefiningOp();
      can &= !source || source->isBeforeInBlock(gen);
    });
    return can;
  }

  /// The subscripts at which the stage's element is the term: its axes by name order, the last one the index of the sum.
  std::optional<SmallVector<Value>> matching(GenOp terms, RedOp root) {
    auto gen = root->getParentOfType<GenOp>();
    SmallVector<Value> candidates(gen.entry().getArguments().begin(), gen.entry().getArguments().end());
    candidates.push_back(root.term().getArgument(0));
    unsigned rank = terms.entry().getNumArguments();
    SmallVector<Value> chosen;
    std::function<bool()> extend = [&]() -> bool {
      if (chosen.size() == rank) {
        SameValue same;
        for (auto [axis, index] : llvm::zip(terms.entry().getArguments(), chosen))
          same.match(axis, index);
        return same(terms.yielded(), root.termValue());
      }
      std::vector<shape::Expr> extents = terms.arrayType().extents();
      for (Value candidate : candidates) {
        if (llvm::is_contained(chosen, candidate))
          continue;
        auto argument = cast<BlockArgument>(candidate);
        bool fits = argument.getOwner() != &gen.entry() || gen.arrayType().extents()[argument.getArgNumber()] == extents[chosen.size()];
        if (!fits)
          continue;
        chosen.push_back(candidate);
        if (extend())
          return true;
        chosen.pop_back();
      }
      return false;
    };
    constexpr size_t mostAxes = 6;
    if (candidates.size() > mostAxes + 1 || rank > candidates.size() || !extend())
      return std::nullopt;
    return chosen;
  }

  KernelOp kernel;
  StageGraph graph;
  StageNames names;
};
} // namespace

bool moac::factorSums(KernelOp kernel) {
  bool any = false;
  constexpr unsigned most = 16; // each rewriting leaves fewer factors; a bound all the same
  for (unsigned i = 0; i < most && FactorMover(kernel).moveOne(); ++i)
    any = true;
  return any;
}
