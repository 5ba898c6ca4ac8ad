// Answers of the prover about conditions and index arithmetic; see Decide.h.
#include "passes/Decide.h"
#include "ir/Gamma.h"
#include "ir/ShapeProver.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

std::optional<Comparison> moac::comparisonOf(ScalarOp op, IndexExprs &exprs) {
  if (scalarFnClass(op.kind()) != ScalarClass::Compare || !op.getOperand(0).getType().isIndex() ||
      isChecked(op.getResult()))
    return std::nullopt;
  shape::Expr a = exprs.toExpr(op.getOperand(0)), b = exprs.toExpr(op.getOperand(1)), one(1);
  switch (op.kind()) {
  case ScalarFn::lt_:
    return Comparison{b - a - one};
  case ScalarFn::le_:
    return Comparison{b - a};
  case ScalarFn::gt_:
    return Comparison{a - b - one};
  case ScalarFn::ge_:
    return Comparison{a - b};
  case ScalarFn::eq_:
    return Comparison{a - b, true};
  case ScalarFn::ne_:
    return Comparison{a - b, true, true};
  default:
    return std::nullopt;
  }
}

namespace {
bool anyChecked(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<GenOp>(op) || !seen.insert(op).second)
    return false;
  bool found = moa::isChecked(op);
  for (Value operand : op->getOperands())
    found = found || anyChecked(operand, seen);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      found = found || moa::isChecked(inner);
      for (Value operand : inner->getOperands())
        found = found || anyChecked(operand, seen);
    });
  return found;
}
} // namespace

bool moac::isChecked(Value value) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  return anyChecked(value, seen);
}

std::optional<bool> moac::decide(const Comparison &comparison, const shape::Facts &facts) {
  const shape::Expr &p = comparison.p, one(1);
  bool atLeast = facts.proveNonNegative(p);
  if (!comparison.equality) {
    if (atLeast || facts.proveNonNegative(-p - one))
      return atLeast != comparison.negated;
    return std::nullopt;
  }
  bool atMost = facts.proveNonNegative(-p);
  if (atLeast && atMost)
    return !comparison.negated;
  if (facts.proveNonNegative(p - one) || facts.proveNonNegative(-p - one))
    return comparison.negated;
  return std::nullopt;
}

namespace {
std::optional<bool> decideLogic(ScalarOp op, const shape::Facts &facts, IndexExprs &exprs) {
  std::optional<bool> a = decide(op.getOperand(0), facts, exprs);
  if (op.kind() == ScalarFn::not_)
    return a ? std::optional(!*a) : std::nullopt;
  bool absorbing = op.kind() == ScalarFn::or_;
  std::optional<bool> b = decide(op.getOperand(1), facts, exprs);
  if ((a == absorbing && (b || !isChecked(op.getOperand(1)))) ||
      (b == absorbing && (a || !isChecked(op.getOperand(0)))))
    return absorbing;
  return a && b ? std::optional(!absorbing) : std::nullopt;
}
} // namespace

std::optional<bool> moac::decide(Value condition, const shape::Facts &facts, IndexExprs &exprs) {
  Operation *op = condition.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getValue().getBoolValue();
  if (auto where = dyn_cast_or_null<WhereOp>(op)) {
    if (std::optional<bool> side = decide(where.getCondition(), facts, exprs))
      return decide(*side ? where.thenValue() : where.elseValue(), facts, exprs);
    if (isChecked(where.getCondition()))
      return std::nullopt;
    std::optional<bool> taken = decide(where.thenValue(), facts, exprs);
    return taken && taken == decide(where.elseValue(), facts, exprs) ? taken : std::nullopt;
  }
  auto scalar = dyn_cast_or_null<ScalarOp>(op);
  if (!scalar)
    return std::nullopt;
  if (scalarFnClass(scalar.kind()) == ScalarClass::Logic)
    return decideLogic(scalar, facts, exprs);
  std::optional<Comparison> comparison = comparisonOf(scalar, exprs);
  return comparison ? decide(*comparison, facts) : std::nullopt;
}

// ---- constants --------------------------------------------------------------------------------

namespace {
bool isZero(TypedAttr value) {
  if (auto number = dyn_cast_or_null<FloatAttr>(value))
    return number.getValue().isZero();
  auto integer = dyn_cast_or_null<IntegerAttr>(value);
  return integer && integer.getValue().isZero();
}

TypedAttr zero(Type type) { return cast<TypedAttr>(Builder(type.getContext()).getZeroAttr(type)); }

TypedAttr constantScalar(ScalarOp op, const shape::Facts &facts, IndexExprs &exprs) {
  Type type = op.getResult().getType();
  auto operand = [&](unsigned i) { return constantUnder(op.getOperand(i), facts, exprs); };
  if (op.kind() == ScalarFn::neg_ && isZero(operand(0)))
    return zero(type);
  if (op.kind() == ScalarFn::mul_ && !isa<FloatType>(type) &&
      (isZero(operand(0)) || isZero(operand(1))))
    return zero(type);
  if (op.kind() == ScalarFn::exp_ || op.kind() == ScalarFn::exp2_) {
    auto exponent = dyn_cast_or_null<FloatAttr>(operand(0));
    if (exponent && exponent.getValue().isInfinity() && exponent.getValue().isNegative())
      return zero(type);
  }
  if (type.isInteger(1))
    if (std::optional<bool> known = decide(op.getResult(), facts, exprs))
      return Builder(type.getContext()).getBoolAttr(*known);
  return {};
}
} // namespace

std::optional<shape::Facts> moac::factsOfElement(PsiOp psi, const shape::Facts &facts,
                                                 IndexExprs &exprs) {
  auto gen = psi.getArray().getDefiningOp<GenOp>();
  if (!gen || isChecked(psi.getResult()) || isChecked(gen.yielded()))
    return std::nullopt;
  shape::Facts inside = facts;
  for (auto [index, subscript] : llvm::zip(gen.entry().getArguments(), psi.getSubscripts()))
    inside.equal(shape::Expr::name(exprs.nameOf(index)), exprs.toExpr(subscript));
  return inside;
}

TypedAttr moac::constantUnder(Value value, const shape::Facts &facts, IndexExprs &exprs) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op))
    return constant.getValue();
  if (auto scalar = dyn_cast_or_null<ScalarOp>(op))
    return constantScalar(scalar, facts, exprs);
  if (auto convert = dyn_cast_or_null<CastOp>(op))
    return isZero(constantUnder(convert.getValue(), facts, exprs)) ? zero(value.getType())
                                                                   : TypedAttr();
  if (auto psi = dyn_cast_or_null<PsiOp>(op)) {
    std::optional<shape::Facts> inside = factsOfElement(psi, facts, exprs);
    return inside ? constantUnder(psi.getArray().getDefiningOp<GenOp>().yielded(), *inside, exprs)
                  : TypedAttr();
  }
  auto where = dyn_cast_or_null<WhereOp>(op);
  if (!where)
    return {};
  std::optional<bool> side = decide(where.getCondition(), facts, exprs);
  if (side)
    return constantUnder(*side ? where.thenValue() : where.elseValue(), facts, exprs);
  TypedAttr taken = constantUnder(where.thenValue(), facts, exprs);
  return taken && taken == constantUnder(where.elseValue(), facts, exprs) ? taken : TypedAttr();
}

TypedAttr moac::identityOf(StringRef kind, Type type) {
  Builder b(type.getContext());
  if (kind == "mul" || kind == "all")
    return cast<TypedAttr>(b.getOneAttr(type));
  if (kind != "max" && kind != "min")
    return cast<TypedAttr>(b.getZeroAttr(type));
  bool least = kind == "max";
  if (auto real = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type, APFloat::getInf(real.getFloatSemantics(), least));
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger();
  APInt value = least ? (isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width))
                      : (isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width));
  return b.getIntegerAttr(type, value);
}

// ---- index arithmetic -------------------------------------------------------------------------

bool moac::isStep(Operation *op) {
  auto scalar = dyn_cast_or_null<ScalarOp>(op);
  if (!scalar || !scalar.getResult().getType().isIndex())
    return false;
  ScalarFn fn = scalar.kind();
  return fn == ScalarFn::floordiv_ || fn == ScalarFn::mod_ || fn == ScalarFn::min_ ||
         fn == ScalarFn::max_;
}

std::optional<int64_t> moac::quotientOf(const shape::Expr &x, const shape::Expr &m,
                                        const shape::Facts &facts) {
  constexpr int64_t furthest = 2;
  auto notBelow = [&](int64_t q) { return facts.proveNonNegative(x - shape::Expr(q) * m); };
  auto notAbove = [&](int64_t q) { return facts.proveLess(x, shape::Expr(q + 1) * m); };
  int64_t q = 0;
  if (notBelow(0)) {
    for (; q <= furthest; ++q)
      if (notAbove(q))
        return q == 0 || notBelow(q) ? std::optional(q) : std::nullopt;
    return std::nullopt;
  }
  for (q = -1; q >= -furthest; --q)
    if (notBelow(q))
      return notAbove(q) ? std::optional(q) : std::nullopt;
  return std::nullopt;
}

std::optional<Wrapped> moac::wrapInvariant(const shape::Expr &x, const shape::Expr &m,
                                           const std::string &axis, const shape::Facts &facts) {
  if (!x.mentions(axis) || m.mentions(axis) || !facts.provePositive(m))
    return std::nullopt;
  std::vector<shape::Term> varying, fixed;
  for (const shape::Term &term : x.node().terms) {
    bool varies = llvm::any_of(term.factors, [&](shape::AtomRef atom) {
      return shape::fromAtom(atom).mentions(axis);
    });
    (varies ? varying : fixed).push_back(term);
  }
  shape::Expr rest = shape::fromTerms(fixed);
  if (rest == shape::Expr() || rest.constant())
    return std::nullopt;
  return Wrapped{shape::fromTerms(varying) + shape::mod(rest, m), rest};
}

namespace {
std::optional<shape::Expr> resolveDivision(const shape::Atom &atom, const Surroundings &around) {
  const shape::Expr &x = atom.args[0], &m = atom.args[1];
  bool remainder = atom.kind == shape::AtomKind::Mod;
  for (const Quotient &known : around.quotients)
    if (known.x == x && known.m == m)
      return remainder ? x - known.value * m : known.value;
  if (std::optional<int64_t> q = quotientOf(x, m, around.facts))
    return remainder ? x - shape::Expr(*q) * m : shape::Expr(*q);
  for (const std::string &axis : llvm::reverse(around.axes)) {
    std::optional<Wrapped> wrapped = wrapInvariant(x, m, axis, around.facts);
    std::optional<int64_t> q =
        wrapped ? quotientOf(wrapped->value, m, around.facts) : std::nullopt;
    if (q)
      return remainder ? wrapped->value - shape::Expr(*q) * m
                       : shape::Expr(*q) + shape::floordiv(wrapped->rest, m);
  }
  return std::nullopt;
}

/// The argument that is proved to be the least (greatest), if one is.
std::optional<shape::Expr> resolveExtreme(const shape::Atom &atom, const shape::Facts &facts) {
  bool least = atom.kind == shape::AtomKind::Min;
  for (const shape::Expr &candidate : atom.args)
    if (llvm::all_of(atom.args, [&](const shape::Expr &other) {
          return facts.proveNonNegative(least ? other - candidate : candidate - other);
        }))
      return candidate;
  return std::nullopt;
}
} // namespace

shape::Expr moac::resolve(const shape::Expr &e, const Surroundings &around) {
  return shape::rewrite(e, [&](const shape::Atom &atom) -> std::optional<shape::Expr> {
    switch (atom.kind) {
    case shape::AtomKind::Name:
      return std::nullopt;
    case shape::AtomKind::FloorDiv:
    case shape::AtomKind::Mod:
      return resolveDivision(atom, around);
    default:
      return resolveExtreme(atom, around.facts);
    }
  });
}

shape::Expr moac::mergeDivisions(const shape::Expr &e, const shape::Facts &facts) {
  return shape::rewrite(e, [&](const shape::Atom &atom) -> std::optional<shape::Expr> {
    shape::AtomRef inner =
        atom.kind == shape::AtomKind::FloorDiv ? shape::asAtom(atom.args[0]) : nullptr;
    if (!inner || inner->kind != shape::AtomKind::FloorDiv || !facts.provePositive(atom.args[1]))
      return std::nullopt;
    return shape::floordiv(inner->args[0], inner->args[1] * atom.args[1]);
  });
}

std::optional<shape::Expr> moac::flatOffset(PsiOp psi, ArrayRef<unsigned> axes,
                                            const Surroundings &around, IndexExprs &exprs) {
  auto type = cast<ArrayType>(psi.getArray().getType());
  shape::Index subscripts;
  shape::Extents extents;
  unsigned divisions = 0;
  for (unsigned axis : axes) {
    subscripts.push_back(resolve(exprs.toExpr(psi.getSubscripts()[axis]), around));
    extents.push_back(type.extents()[axis]);
    divisions += countDivisions(subscripts.back());
  }
  if (divisions == 0)
    return std::nullopt;
  shape::Facts facts = around.facts; // the subscripts are in range, so no extent is 0
  for (const shape::Expr &extent : extents)
    facts.nonNegative(extent - shape::Expr(1));
  shape::Expr offset = type.getColumnMajor() ? shape::gammaCol(subscripts, extents)
                                             : shape::gammaRow(subscripts, extents);
  shape::Expr flat = mergeDivisions(shape::expandMods(offset), facts);
  return flat.poisoned() || countDivisions(flat) > 0 ? std::nullopt : std::optional(flat);
}

SmallVector<shape::Expr> moac::dividedSubscripts(PsiOp psi, const Surroundings &around,
                                                 IndexExprs &exprs) {
  auto axes = llvm::to_vector(llvm::seq(0u, static_cast<unsigned>(psi.getSubscripts().size())));
  SmallVector<shape::Expr> divided;
  for (Value subscript : psi.getSubscripts())
    if (shape::Expr e = resolve(exprs.toExpr(subscript), around);
        countDivisions(e) > 0 && !isChecked(subscript))
      divided.push_back(e);
  if (!divided.empty() && flatOffset(psi, axes, around, exprs))
    divided.clear();
  return divided;
}

unsigned moac::countDivisions(const shape::Expr &e) {
  return llvm::count_if(shape::atomsOf(e), [](shape::AtomRef atom) {
    return atom->kind == shape::AtomKind::FloorDiv || atom->kind == shape::AtomKind::Mod;
  });
}
