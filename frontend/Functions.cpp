// Scalar operators and functions on values, with the rules of weak numbers. See Analyzer.h and
// Typing.h.
#include "frontend/Analyzer.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;
using moa::ScalarFn;

Val Analyzer::apply(const ast::FnRef &fn, Vals args, SourceRange at) {
  bool array = false;
  for (const Val &arg : args) {
    if (arg.poison())
      return poison();
    array |= arg.isArray();
  }
  if (!array)
    return applyScalar(fn, args, at);
  return mapArrays(
      args, at,
      [&](const Elements &elements) {
        Vals scalars;
        for (unsigned i = 0; i < args.size(); ++i)
          scalars.push_back(elements(i));
        return applyScalar(fn, scalars, at);
      },
      emit.text(fn.range));
}

Val Analyzer::applyScalar(const ast::FnRef &fn, const Vals &args, SourceRange at) {
  switch (fn.kind) {
  case ast::FnRef::Kind::Symbol:
    if (fn.op == ast::Op::Cat)
      break;
    return symbolOp(fn.op, args, at, "'" + std::string(ast::spelling(fn.op)) + "'");
  case ast::FnRef::Kind::FuncName:
    return funcCall(fn.func, args, at);
  case ast::FnRef::Kind::Cast:
    return emit.cast(args[0], emit.type(fn.type), at);
  case ast::FnRef::Kind::UserName:
    if (auto it = items.fns.find(fn.name); it != items.fns.end())
      return callFn(*it->second, args, at);
    break;
  case ast::FnRef::Kind::WordName:
    if (fn.word == Word::Max || fn.word == Word::Min)
      return maxMin(fn.word == Word::Max, args, at);
    break;
  }
  diags.report(diag::notAScalarFunction, fn.range, emit.text(fn.range));
  return poison();
}

Val Analyzer::symbolOp(ast::Op op, const Vals &args, SourceRange at, std::string_view text) {
  switch (op) {
  case ast::Op::Add:
    return arith(ScalarFn::add_, args, at, text);
  case ast::Op::Sub:
    return arith(ScalarFn::sub_, args, at, text);
  case ast::Op::Mul:
    return arith(ScalarFn::mul_, args, at, text);
  case ast::Op::Div:
    return divide(args, at);
  case ast::Op::FloorDiv:
  case ast::Op::Mod:
    return floorDivide(op == ast::Op::Mod, args, at);
  case ast::Op::Eq:
    return compareOp(ScalarFn::eq_, args, at, text);
  case ast::Op::Ne:
    return compareOp(ScalarFn::ne_, args, at, text);
  case ast::Op::Lt:
    return compareOp(ScalarFn::lt_, args, at, text);
  case ast::Op::Le:
    return compareOp(ScalarFn::le_, args, at, text);
  case ast::Op::Gt:
    return compareOp(ScalarFn::gt_, args, at, text);
  case ast::Op::Ge:
    return compareOp(ScalarFn::ge_, args, at, text);
  case ast::Op::And:
    return logicOp(ScalarFn::and_, args, at, text);
  case ast::Op::Or:
    return logicOp(ScalarFn::or_, args, at, text);
  case ast::Op::Cat:
    break;
  }
  return poison();
}

namespace {
std::optional<double> decimal(Value value) {
  auto op = value.getDefiningOp<moa::ConstantOp>();
  auto attr = op ? dyn_cast<FloatAttr>(op.getValue()) : FloatAttr();
  return attr ? std::optional(attr.getValueAsDouble()) : std::nullopt;
}

/// Literals among themselves: `-2.0*pi` is one constant, in f64 as it would be at run time.
std::optional<double> foldDecimals(ScalarFn fn, ArrayRef<Value> operands) {
  std::optional<double> a = decimal(operands[0]),
                        b = operands.size() > 1 ? decimal(operands[1]) : std::nullopt;
  if (a && fn == ScalarFn::neg_)
    return -*a;
  if (!a || !b)
    return std::nullopt;
  switch (fn) {
  case ScalarFn::add_:
    return *a + *b;
  case ScalarFn::sub_:
    return *a - *b;
  case ScalarFn::mul_:
    return *a * *b;
  case ScalarFn::div_:
    return *a / *b;
  default:
    return std::nullopt;
  }
}
} // namespace

Val Analyzer::arith(ScalarFn fn, const Vals &args, SourceRange at, std::string_view text) {
  Meeting met = emit.meet(args, at, text);
  if (!met)
    return poison();
  SmallVector<Value> operands;
  for (const Val &arg : args)
    operands.push_back(emit.coerce(arg, met));
  if (met.kind == Kind::WeakFloat)
    if (auto folded = foldDecimals(fn, operands))
      return emit.weakFloat(*folded, at);
  return emit.make(met, emit.op(fn, operands, at), at);
}

/// Functions of floats; weak integers become weak floats.
Val Analyzer::floatFn(ScalarFn fn, const Vals &args, SourceRange at, std::string_view text) {
  Meeting met = emit.meet(args, at, text);
  if (!met)
    return poison();
  if (met.kind == Kind::WeakInt)
    met = {Kind::WeakFloat, emit.b.getF64Type()};
  if (!isa<FloatType>(met.type)) {
    for (const Val &arg : args)
      if (arg.kind == Kind::Typed) {
        diags.report(diag::needsFloat, arg.range, text, emit.describe(arg))
            .help("write `f64(" + emit.code(arg.range) + ")`");
        break;
      }
    return poison();
  }
  SmallVector<Value> operands;
  for (const Val &arg : args)
    operands.push_back(emit.coerce(arg, met));
  if (met.kind == Kind::WeakFloat)
    if (auto folded = foldDecimals(fn, operands))
      return emit.weakFloat(*folded, at);
  return emit.make(met, emit.op(fn, operands, at), at);
}

/// `/` divides reals: weak integers become weak floats, integer elements are refused.
Val Analyzer::divide(const Vals &args, SourceRange at) {
  Meeting met = emit.meet(args, at, "'/'");
  if (met && isa<IntegerType>(met.type)) {
    auto real = [&](const Val &arg) {
      return arg.kind == Kind::Typed ? "f64(" + emit.code(arg.range) + ")" : emit.text(arg.range);
    };
    diags.report(diag::integerDivision, at, moa::typeName(met.type))
        .help("`" + emit.text(args[0].range) + " // " + emit.text(args[1].range) +
              "` rounds down; the real quotient is `" + real(args[0]) + " / " + real(args[1]) +
              "`");
    return poison();
  }
  return met ? floatFn(ScalarFn::div_, args, at, "'/'") : poison();
}

namespace {
std::optional<int64_t> integer(Value value) {
  auto op = value.getDefiningOp<moa::ConstantOp>();
  auto attr = op ? dyn_cast<IntegerAttr>(op.getValue()) : IntegerAttr();
  return attr ? std::optional(attr.getValue().getSExtValue()) : std::nullopt;
}
} // namespace

/// `//` and `%` floor. On floats they are spelled by floor; on integers a zero divisor is a status.
Val Analyzer::floorDivide(bool modulus, const Vals &args, SourceRange at) {
  std::string_view text = modulus ? "'%'" : "'//'";
  Meeting met = emit.meet(args, at, text);
  if (!met)
    return poison();
  Value a = emit.coerce(args[0], met), b = emit.coerce(args[1], met);
  if (isa<FloatType>(met.type)) {
    Value floored = emit.op(ScalarFn::floor_, {emit.op(ScalarFn::div_, {a, b}, at)}, at);
    if (modulus)
      floored = emit.op(ScalarFn::sub_, {a, emit.op(ScalarFn::mul_, {b, floored}, at)}, at);
    return emit.make(met, floored, at);
  }
  std::optional<int64_t> divisor = integer(b);
  if (divisor && *divisor == 0) {
    diags.report(diag::divisionByZero, args[1].range);
    return poison();
  }
  Value result = emit.op(modulus ? ScalarFn::mod_ : ScalarFn::floordiv_, {a, b}, at);
  if (auto op = result.getDefiningOp<moa::ScalarOp>(); op && !divisor && op.getOperand(1) == b)
    ranges->addDivision(op, args[1].range);
  return emit.make(met, result, at);
}

Val Analyzer::compareOp(ScalarFn fn, const Vals &args, SourceRange at, std::string_view text) {
  bool equality = fn == ScalarFn::eq_ || fn == ScalarFn::ne_;
  Meeting met = emit.meet(args, at, text, equality);
  if (!met)
    return poison();
  return emit.scalarOf(emit.op(fn, {emit.coerce(args[0], met), emit.coerce(args[1], met)}, at), at);
}

bool Analyzer::isBool(const Val &value, std::string_view what) {
  if (value.poison())
    return false;
  if (value.isBool())
    return true;
  diags.report(diag::needsBool, value.range, what, emit.describe(value))
      .help(value.isScalar() ? "write `" + emit.text(value.range) + " != 0`" : "");
  return false;
}

Val Analyzer::logicOp(ScalarFn fn, const Vals &args, SourceRange at, std::string_view text) {
  SmallVector<Value> operands;
  for (const Val &arg : args) {
    if (!isBool(arg, text))
      return poison();
    operands.push_back(arg.ir);
  }
  return emit.scalarOf(emit.op(fn, operands, at), at);
}

Val Analyzer::maxMin(bool max, const Vals &args, SourceRange at) {
  std::string_view text = max ? "'max'" : "'min'";
  Meeting met = emit.meet(args, at, text);
  if (!met)
    return poison();
  Value result;
  for (const Val &arg : args) {
    Value operand = emit.coerce(arg, met);
    result =
        result ? emit.op(max ? ScalarFn::max_ : ScalarFn::min_, {result, operand}, at) : operand;
  }
  return emit.make(met, result, at);
}

Val Analyzer::funcCall(Func func, const Vals &args, SourceRange at) {
  std::string text = "'" + std::string(spelling(func)) + "'";
  if (func == Func::Abs)
    return arith(ScalarFn::abs_, args, at, text);
  // The names of all other functions are those of the moa dialect.
  auto fn = moa::scalarFnFromName(spelling(func));
  if (fn && moa::scalarFnClass(*fn) == moa::ScalarClass::Float)
    return floatFn(*fn, args, at, text);
  diags.report(diag::notAScalarFunction, at, spelling(func));
  return poison();
}

} // namespace moac::sema
