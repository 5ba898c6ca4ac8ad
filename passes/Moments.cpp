// The law of (t - mean of t); see Moments.h.
#include "passes/Moments.h"
#include "passes/SameValue.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
ScalarOp scalarOf(Value value, ScalarFn fn) {
  auto op = value.getDefiningOp<ScalarOp>();
  return op && op.kind() == fn ? op : ScalarOp();
}
bool isTwo(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number && number.getValueAsDouble() == 2;
}
} // namespace

Stage *MomentFinder::memberRead(Value value) {
  auto psi = value.getDefiningOp<PsiOp>();
  Stage *stage = psi ? graph.of(psi.getArray()) : nullptr;
  return stage && nest.axisOf.count(stage) ? stage : nullptr;
}

/// sum / n, where n is the number of the sum's terms; also as a stage of its own.
Stage *MomentFinder::meanOf(Value value) {
  if (Stage *read = memberRead(value); read && !read->hasReduction())
    return meanOf(read->gen.yielded());
  ScalarOp quotient = scalarOf(value, ScalarFn::div_);
  Stage *sum = quotient ? memberRead(quotient.getOperand(0)) : nullptr;
  auto count = quotient ? quotient.getOperand(1).getDefiningOp<CastOp>() : CastOp();
  if (!sum || !sum->root || sum->root.rank() != 1 || sum->root.getKind() != "add" || !count || !count.getValue().getType().isIndex())
    return nullptr;
  IndexExprs &exprs = graph.exprs;
  bool fits = exprs.toExpr(count.getValue()) == exprs.toExpr(sum->root.upper(0)) && exprs.toExpr(sum->root.lower(0)) == shape::Expr(0);
  return fits ? sum : nullptr;
}

/// t - mean of t: the sum of t.
Stage *MomentFinder::differenceFrom(Value factor, Stage &stage) {
  ScalarOp difference = scalarOf(factor, ScalarFn::sub_);
  Stage *sum = difference ? meanOf(difference.getOperand(1)) : nullptr;
  return sum && isTermOf(*sum, difference.getOperand(0), stage) ? sum : nullptr;
}

bool MomentFinder::isTermOf(Stage &sum, Value value, Stage &stage) {
  SameValue same;
  for (auto [own, other] : llvm::zip(nest.axisOf.at(&sum), nest.axisOf.at(&stage)))
    same.match(sum.gen.entry().getArgument(own), stage.gen.entry().getArgument(other));
  SmallVector<BlockArgument> own = nest.innerAxes(sum), other = nest.innerAxes(stage);
  if (own.size() != other.size())
    return false;
  for (auto [a, b] : llvm::zip(own, other))
    same.match(a, b);
  same.match(sum.root.term().getArgument(0), stage.root.term().getArgument(0));
  return same(sum.root.termValue(), value);
}

std::optional<Shift> MomentFinder::of(Stage &stage) {
  if (!stage.root || stage.root.rank() != 1 || stage.root.getKind() != "add")
    return std::nullopt;
  Value term = stage.root.termValue();
  ScalarOp product = scalarOf(term, ScalarFn::mul_), square = scalarOf(term, ScalarFn::pow_);
  if (!product && !(square && isTwo(square.getOperand(1))))
    return std::nullopt;
  ScalarOp factors = product ? product : square;
  Stage *by = differenceFrom(factors.getOperand(0), stage);
  Stage *other = square ? by : differenceFrom(factors.getOperand(1), stage);
  return by && other ? std::optional(Shift{by, other}) : std::nullopt;
}

std::vector<MeanUse> MomentFinder::usesIn(Stage &stage) {
  std::vector<MeanUse> uses;
  stage.gen.getBody().walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isa<PsiOp, ScalarOp>(op))
      if (Stage *sum = meanOf(op->getResult(0)))
        uses.push_back({op->getResult(0), sum});
  });
  return uses;
}
