// IR as index form; see IndexForm.h.
#include "ir/IndexForm.h"
#include "ir/IndexExpr.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// Binding strength, loosest first; an operand that binds less than its place asks for is put in parentheses.
enum Precedence { Loose, Logic, Comparison, Sum, Product, Prefix, Tight };

struct Infix {
  const char *text;
  Precedence precedence;
};

std::optional<Infix> infixOf(ScalarFn fn) {
  switch (fn) {
  case ScalarFn::add_: return Infix{" + ", Sum};
  case ScalarFn::sub_: return Infix{" - ", Sum};
  case ScalarFn::mul_: return Infix{"*", Product};
  case ScalarFn::div_: return Infix{" / ", Product};
  case ScalarFn::floordiv_: return Infix{" // ", Product};
  case ScalarFn::mod_: return Infix{" % ", Product};
  case ScalarFn::eq_: return Infix{" == ", Comparison};
  case ScalarFn::ne_: return Infix{" != ", Comparison};
  case ScalarFn::lt_: return Infix{" < ", Comparison};
  case ScalarFn::le_: return Infix{" <= ", Comparison};
  case ScalarFn::gt_: return Infix{" > ", Comparison};
  case ScalarFn::ge_: return Infix{" >= ", Comparison};
  case ScalarFn::and_: return Infix{" and ", Logic};
  case ScalarFn::or_: return Infix{" or ", Logic};
  default: return std::nullopt;
  }
}

class Writer {
public:
  Writer(size_t limit, Notation notation) : limit(limit), glyphs(notation == Notation::Moa) {}

  std::string text(Value value, Precedence place) {
    if (used > limit)
      return "...";
    auto [out, precedence] = write(value);
    used += out.size();
    return precedence < place ? "(" + out + ")" : out;
  }

private:
  using Written = std::pair<std::string, Precedence>;

  Written write(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto it = bound.find(value); it != bound.end())
        return {it->second, Tight};
      return {userName(argument).str(), Tight};
    }
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast<ConstantOp>(op))
      return number(constant.getValue());
    if (auto scalar = dyn_cast<ScalarOp>(op))
      return function(scalar);
    if (auto cast = dyn_cast<CastOp>(op)) {
      // An integer that becomes a weak one, and a weak one that meets a type, are not written in the language.
      bool silent = cast.getValue().getType().isIndex() || (value.getType().isIndex() && isa<IntegerType>(cast.getValue().getType()));
      return silent ? write(cast.getValue()) : Written{typeName(value.getType()) + "(" + text(cast.getValue(), Loose) + ")", Tight};
    }
    if (auto psi = dyn_cast<PsiOp>(op))
      return read(psi);
    if (auto where = dyn_cast<WhereOp>(op))
      return conditional(where);
    if (auto red = dyn_cast<RedOp>(op))
      return reduction(red);
    if (isa<FailOp>(op))
      return {"fail", Tight};
    return {"?", Tight};
  }

  Written read(PsiOp psi) {
    std::string name = userName(psi.getArray()).str(), index;
    if (psi.getSubscripts().empty())
      return {name, Tight};
    for (Value subscript : psi.getSubscripts())
      index += (index.empty() ? "" : glyphs ? " " : ", ") + text(subscript, glyphs && psi.getSubscripts().size() > 1 ? Prefix : Loose);
    return glyphs ? Written{"<" + index + "> ψ " + name, Prefix} : Written{name + "[" + index + "]", Tight};
  }

  /// The operator's text; MoA has signs of its own.
  std::string sign(ScalarFn fn, const char *ascii) const {
    if (!glyphs)
      return ascii;
    switch (fn) {
    case ScalarFn::mul_: return " × ";
    case ScalarFn::div_: return " ÷ ";
    case ScalarFn::le_: return " ≤ ";
    case ScalarFn::ge_: return " ≥ ";
    case ScalarFn::ne_: return " ≠ ";
    default: return ascii;
    }
  }

  Written number(Attribute attribute) {
    if (auto boolean = dyn_cast<BoolAttr>(attribute))
      return {boolean.getValue() ? "true" : "false", Tight};
    if (auto integer = dyn_cast<IntegerAttr>(attribute))
      return {llvm::toString(integer.getValue(), 10, !integer.getType().isUnsignedInteger()), Tight};
    APFloat value = cast<FloatAttr>(attribute).getValue();
    if (value.isInfinity())
      return {value.isNegative() ? "-inf" : "inf", value.isNegative() ? Prefix : Tight};
    if (value.isNaN())
      return {"nan", Tight};
    SmallString<24> digits;
    value.toString(digits);
    return {digits.str().str(), value.isNegative() ? Prefix : Tight};
  }

  Written function(ScalarOp op) {
    if (auto infix = infixOf(op.kind())) {
      // The right operand of - / // % must bind tighter, so that a - (b - c) keeps its parentheses.
      auto right = static_cast<Precedence>(infix->precedence + 1);
      auto left = infix->precedence == Comparison ? right : infix->precedence;
      return {text(op.getOperand(0), left) + sign(op.kind(), infix->text) + text(op.getOperand(1), right), infix->precedence};
    }
    if (op.kind() == ScalarFn::neg_)
      return {"-" + text(op.getOperand(0), Prefix), Prefix};
    if (op.kind() == ScalarFn::not_)
      return {"not " + text(op.getOperand(0), Comparison), Logic};
    std::string out = op.getFn().str() + "(";
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      out += (i ? ", " : "") + text(operand, Loose);
    return {out + ")", Tight};
  }

  static bool isConstant(Value value, bool expected) {
    APInt constant;
    return matchPattern(value, m_ConstantInt(&constant)) && constant.getBitWidth() == 1 && constant.getBoolValue() == expected;
  }

  Written conditional(WhereOp op) {
    if (isConstant(op.elseValue(), false))
      return {text(op.getCondition(), Logic) + " and " + text(op.thenValue(), Logic), Logic};
    if (isConstant(op.thenValue(), true))
      return {text(op.getCondition(), Comparison) + " or " + text(op.elseValue(), Comparison), Logic};
    return {"where(" + text(op.getCondition(), Loose) + ", " + text(op.thenValue(), Loose) + ", " + text(op.elseValue(), Loose) + ")",
            Tight};
  }

  Written reduction(RedOp red) {
    std::string kind = red.getKind().str(), out;
    if (glyphs && !red.isArg() && !red.isFold())
      out = llvm::StringSwitch<std::string>(kind).Case("add", "+").Case("mul", "×").Case("max", "⌈").Case("min", "⌊").Case("any", "∨").Default("∧") + " red";
    else
      out = llvm::StringSwitch<std::string>(kind).Case("add", "sum").Case("mul", "prod").Default(kind);
    if (red.isFold()) {
      bound[red.combine().getArgument(0)] = "a";
      bound[red.combine().getArgument(1)] = "b";
      out = "red[" + text(red.combine().getTerminator()->getOperand(0), Loose) + ", ";
    } else {
      out += "[";
    }
    for (unsigned i = 0; i < red.rank(); ++i) {
      for (unsigned k = 0; k < i; ++k)
        bound[red.domain(i).getArgument(k)] = red.indexName(k).str();
      std::string lo = text(red.lower(i), Sum), hi = text(red.upper(i), Sum);
      out += (i ? ", " : "") + red.indexName(i).str() + (lo == "0" ? " < " + hi : " in " + lo + ".." + hi);
    }
    return {out + "](" + text(red.termValue(), Loose) + ")", Tight};
  }

  llvm::DenseMap<Value, std::string> bound;
  size_t limit, used = 0;
  bool glyphs;
};
} // namespace

std::string moa::indexForm(Value scalar, size_t limit, Notation notation) { return Writer(limit, notation).text(scalar, Loose); }

std::string moa::indexForm(GenOp gen, size_t limit, Notation notation) {
  bool glyphs = notation == Notation::Moa;
  std::string name = gen.getName().str(), index;
  for (unsigned i = 0; i < gen.getIndices().size(); ++i)
    index += (i == 0 ? "" : glyphs ? " " : ", ") + gen.indexName(i).str();
  std::string left = index.empty() ? name : glyphs ? "<" + index + "> ψ " + name : name + "[" + index + "]";
  return left + " = " + indexForm(gen.yielded(), limit, notation);
}

std::string moa::indexForm(KernelOp kernel) {
  std::string out;
  for (auto gen : kernel.entry().getOps<GenOp>())
    out += indexForm(gen) + "\n";
  return out;
}

std::string moa::axisName(const shape::Expr &extent, unsigned position) {
  std::optional<std::string> symbol = extent.asName();
  return (symbol ? llvm::StringRef(*symbol).lower() : "a") + std::to_string(position);
}
