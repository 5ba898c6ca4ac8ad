// The law of exp(t - m); see Rescale.h.
#include "passes/Rescale.h"
#include "passes/Decide.h"
#include "passes/SameValue.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

Stage *RescaleFinder::memberRead(Value value) {
  auto psi = value.getDefiningOp<PsiOp>();
  Stage *stage = psi ? graph.of(psi.getArray()) : nullptr;
  return stage && nest.axisOf.count(stage) ? stage : nullptr;
}

bool RescaleFinder::dependsOn(Value value, Stage &on) {
  bool found = false;
  visitSlice(value, [&](Operation *op) {
    auto psi = dyn_cast<PsiOp>(op);
    Stage *read = psi ? graph.of(psi.getArray()) : nullptr;
    found |= read && (read == &on || graph.dependsOn(read, &on));
  });
  return found;
}

std::optional<Rescale> RescaleFinder::of(Value value, Stage &stage, Stage &maximum) {
  by = &maximum;
  fn = {};
  guarded = false;
  std::optional<int> power = degree(value, stage);
  constexpr int most = 4;
  if (!power || *power < 0 || *power > most || (*power > 0 && (!maximum.root || maximum.root.getKind() != "max")))
    return std::nullopt;
  return Rescale{by, static_cast<unsigned>(*power), fn, guarded};
}

namespace {
FloatAttr numberOf(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
}
bool isZero(Value value) { return numberOf(value) && numberOf(value).getValue().isZero(); }
bool isLeast(Value value) {
  FloatAttr number = numberOf(value);
  return number && number.getValue().isInfinity() && number.getValue().isNegative();
}
} // namespace

/// where(m == -inf, 0, term)
std::optional<int> RescaleFinder::guardedDegree(WhereOp where, Stage &stage) {
  auto test = where.getCondition().getDefiningOp<ScalarOp>();
  if (!test || test.kind() != ScalarFn::eq_ || !isZero(where.thenValue()))
    return std::nullopt;
  bool tests = (memberRead(test.getOperand(0)) == by && isLeast(test.getOperand(1))) ||
               (memberRead(test.getOperand(1)) == by && isLeast(test.getOperand(0)));
  std::optional<int> power = tests ? degree(where.elseValue(), stage) : std::nullopt;
  guarded |= power && *power > 0;
  return power && *power > 0 ? power : std::nullopt;
}

/// where(t == -inf, 0, term): where the maximum is -inf, so is every t, and no term is left. Another choice of 0 says nothing about
/// such a row: it may leave terms, which are no numbers, or none.
std::optional<int> RescaleFinder::chosenDegree(WhereOp where, std::optional<int> power, Stage &stage) {
  if (!power || *power == 0)
    return power;
  auto test = where.getCondition().getDefiningOp<ScalarOp>();
  if (!test || test.kind() != ScalarFn::eq_ || !isZero(where.thenValue()))
    return std::nullopt;
  bool tests = (isLeast(test.getOperand(1)) && isTerm(test.getOperand(0), stage)) ||
               (isLeast(test.getOperand(0)) && isTerm(test.getOperand(1), stage));
  guarded |= tests;
  return tests ? power : std::nullopt;
}

/// The power of the factor in `value`.
std::optional<int> RescaleFinder::degree(Value value, Stage &stage) {
  if (!dependsOn(value, *by))
    return 0;
  if (Stage *read = memberRead(value))
    return read != by && !read->hasReduction() ? degree(read->gen.yielded(), *read) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (auto convert = dyn_cast<CastOp>(op))
    return isa<FloatType>(convert.getValue().getType()) ? degree(convert.getValue(), stage) : std::nullopt;
  if (auto where = dyn_cast<WhereOp>(op)) {
    if (dependsOn(where.getCondition(), *by))
      return guardedDegree(where, stage);
    std::optional<int> a = degree(where.thenValue(), stage), b = degree(where.elseValue(), stage);
    if (isZero(where.thenValue()) || isZero(where.elseValue()))
      return chosenDegree(where, isZero(where.thenValue()) ? b : a, stage);
    return a == b ? a : std::nullopt;
  }
  auto scalar = dyn_cast<ScalarOp>(op);
  return scalar ? productDegree(scalar, stage) : std::nullopt;
}

std::optional<int> RescaleFinder::productDegree(ScalarOp op, Stage &stage) {
  auto operand = [&](unsigned i) { return degree(op.getOperand(i), stage); };
  switch (op.kind()) {
  case ScalarFn::exp_:
  case ScalarFn::exp2_:
    return exponentDegree(op, stage);
  case ScalarFn::neg_:
    return operand(0);
  case ScalarFn::mul_:
  case ScalarFn::div_: {
    std::optional<int> a = operand(0), b = operand(1);
    if (!a || !b)
      return std::nullopt;
    return op.kind() == ScalarFn::mul_ ? *a + *b : *a - *b;
  }
  case ScalarFn::add_:
  case ScalarFn::sub_: {
    std::optional<int> a = operand(0), b = operand(1);
    return a == b ? a : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

std::optional<int> RescaleFinder::exponentDegree(ScalarOp op, Stage &stage) {
  if ((!fn.empty() && fn != op.getFn()) || !isShiftedTerm(op.getOperand(0), stage))
    return std::nullopt;
  fn = op.getFn();
  return 1;
}

/// t - m, where m is the maximum of t.
bool RescaleFinder::isShiftedTerm(Value exponent, Stage &stage) {
  if (Stage *read = memberRead(exponent); read && read != by && !read->hasReduction())
    return isShiftedTerm(read->gen.yielded(), *read);
  auto difference = exponent.getDefiningOp<ScalarOp>();
  if (!difference || difference.kind() != ScalarFn::sub_ || memberRead(difference.getOperand(1)) != by)
    return false;
  return isTerm(difference.getOperand(0), stage);
}

/// What the maximum is of.
bool RescaleFinder::isTerm(Value value, Stage &stage) {
  SameValue same;
  for (auto [own, other] : llvm::zip(nest.axisOf.at(by), nest.axisOf.at(&stage)))
    same.match(by->gen.entry().getArgument(own), stage.gen.entry().getArgument(other));
  same.match(by->root.term().getArgument(0), streamed.lookup(&stage));
  return same(by->root.termValue(), value);
}
