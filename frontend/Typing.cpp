// The meeting of types; see Typing.h.
#include "frontend/Typing.h"

using namespace mlir;

namespace moac::sema {

using moa::ScalarFn;
using Kind = Val::Kind;

mlir::Type Val::scalarType() const {
  return isArray() ? moa::valueType(arrayType().getElementType()) : ir.getType();
}

std::string Emit::describe(const Val &value) {
  switch (value.kind) {
  case Kind::WeakInt:
    return "integer";
  case Kind::WeakFloat:
    return "float";
  case Kind::Typed:
    return moa::typeName(value.ir.getType());
  case Kind::Array:
    return moa::typeName(value.arrayType().getElementType()) + " array " +
           value.arrayType().shapeText();
  case Kind::Poison:
    break;
  }
  return "nothing";
}

namespace {
bool isInteger(mlir::Type type) { return isa<IntegerType>(type) && !type.isInteger(1); }
} // namespace

/// Where a meeting and one more value meet; nothing (kind Poison) when they do not.
Meeting Emit::meetPair(const Meeting &a, const Val &value) {
  Meeting b{value.kind, value.ir.getType()};
  if (a.kind == b.kind && a.type == b.type)
    return a;
  if (a.kind == Kind::WeakInt && b.kind == Kind::WeakFloat)
    return b;
  if (a.kind == Kind::WeakFloat && b.kind == Kind::WeakInt)
    return a;
  const Meeting &typed = a.kind == Kind::Typed ? a : b;
  const Meeting &other = a.kind == Kind::Typed ? b : a;
  if (other.kind == Kind::Typed || typed.type.isInteger(1) ||
      (other.kind == Kind::WeakFloat && !isa<FloatType>(typed.type)))
    return {};
  return typed;
}

Meeting Emit::meet(std::span<const Val> values, SourceRange at, std::string_view what,
                   bool allowBool) {
  Meeting met;
  for (const Val &value : values) {
    if (value.poison())
      return {};
    if (value.isArray()) {
      diags.report(diag::arrayForScalar, value.range, value.arrayType().shapeText());
      return {};
    }
    if (value.isBool() && !allowBool) {
      diags.report(diag::boolArithmetic, value.range, what)
          .help("`where(" + code(value.range) + ", 1, 0)` makes a number of it");
      return {};
    }
  }
  for (const Val &value : values) {
    Meeting next = met ? meetPair(met, value) : Meeting{value.kind, value.ir.getType()};
    if (!next) {
      reportMismatch(values, value, met, at, what);
      return {};
    }
    met = next;
  }
  for (const Val &value : values)
    if (met.kind == Kind::Typed && value.kind == Kind::WeakInt && !literalFits(value, met.type))
      return {};
  return met;
}

void Emit::reportMismatch(std::span<const Val> values, const Val &culprit, const Meeting &met,
                          SourceRange at, std::string_view what) {
  std::string found = met.kind == Kind::Typed     ? moa::typeName(met.type)
                      : met.kind == Kind::WeakInt ? "integer"
                                                  : "float";
  auto &&report = diags.report(diag::typesDiffer, at, what, found, describe(culprit));
  // The cast that is certainly meant: to the wider float, or of an integer to the float it meets.
  const Val *typed = nullptr;
  for (const Val &value : values)
    if (value.kind == Kind::Typed && (!typed || isa<FloatType>(value.ir.getType())))
      typed = &value;
  auto castHelp = [&](const Val &value, const std::string &type) {
    report.help("write `" + type + "(" + code(value.range) + ")`");
  };
  for (const Val &value : values) {
    if (!typed || value.kind != Kind::Typed || &value == typed)
      continue;
    mlir::Type a = value.ir.getType(), b = typed->ir.getType();
    if (a.isInteger(1) || b.isInteger(1))
      return;
    bool widenB = isa<FloatType>(a) == isa<FloatType>(b) &&
                  a.getIntOrFloatBitWidth() > b.getIntOrFloatBitWidth();
    return widenB ? castHelp(*typed, moa::typeName(a)) : castHelp(value, moa::typeName(b));
  }
  if (typed && isInteger(typed->ir.getType()))
    castHelp(*typed, "f64");
}

bool Emit::literalFits(const Val &value, mlir::Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!value.literal || !integer)
    return true;
  auto [lo, hi] = *value.literal;
  unsigned width = integer.getWidth();
  bool fits = integer.isUnsigned() ? lo >= 0 && (width >= 63 || hi < int64_t(1) << width)
                                   : width >= 64 || (lo >= -(int64_t(1) << (width - 1)) &&
                                                     hi < int64_t(1) << (width - 1));
  if (!fits)
    diags.report(diag::literalRange, value.range, text(value.range), moa::typeName(type));
  return fits;
}

mlir::Value Emit::coerce(const Val &value, const Meeting &meeting) {
  return convert(value.ir, meeting.type, value.range);
}

mlir::Type Emit::defaultElementType(const Val &value) {
  if (value.kind == Kind::WeakInt)
    return b.getI64Type();
  return value.narrow ? value.narrow : value.ir.getType();
}

mlir::Value Emit::store(const Val &value, mlir::Type elementType, SourceRange at,
                        std::string_view name) {
  if (value.poison())
    return {};
  mlir::Type wanted = moa::valueType(elementType), found = value.ir.getType();
  auto refuse = [&](const std::string &help) {
    diags.report(diag::resultType, value.range, name, moa::typeName(elementType), describe(value))
        .help(help);
    return mlir::Value();
  };
  std::string cast = "write `" + moa::typeName(elementType) + "(" + code(value.range) + ")`";
  if (value.kind == Kind::WeakFloat && !isa<FloatType>(wanted))
    return refuse(wanted.isInteger(1) ? "" : cast);
  if (value.kind == Kind::WeakInt && wanted.isInteger(1))
    return refuse("a comparison gives bool");
  if (value.kind == Kind::Typed && found != wanted)
    return refuse(found.isInteger(1)
                      ? "`where(" + code(value.range) + ", 1, 0)` makes a number of it"
                  : wanted.isInteger(1) ? "a comparison gives bool"
                                        : cast);
  bool narrowInt = isInteger(wanted) && elementType != wanted;
  if (narrowInt && value.narrow != elementType && !(value.kind == Kind::WeakInt && value.literal))
    return refuse(cast);
  if (value.kind == Kind::WeakInt && !literalFits(value, elementType))
    return {};
  return convert(value.ir, wanted, at);
}

mlir::Value Emit::index(const Val &value, std::string_view what) {
  if (value.poison())
    return {};
  if (value.kind == Kind::WeakInt)
    return value.ir;
  if (value.kind == Kind::Typed && isInteger(value.ir.getType()))
    return convert(value.ir, b.getIndexType(), value.range);
  auto &&report = diags.report(diag::needsInteger, value.range, what, describe(value));
  if (value.kind == Kind::WeakFloat && text(value.range).find('/') != std::string::npos)
    report.help("`/` is real division; `//` divides integers, rounding down");
  else if (value.kind == Kind::Typed && isa<FloatType>(value.ir.getType()))
    report.help("write `i64(" + code(value.range) + ")`");
  return {};
}

Val Emit::cast(const Val &value, mlir::Type type, SourceRange at) {
  if (value.poison())
    return {};
  mlir::Type wide = moa::valueType(type);
  Val result{Kind::Typed, {}, {}, {}, at};
  result.ir = convert(value.ir, type, at);
  if (wide != type) {
    result.ir = convert(result.ir, wide, at);
    result.narrow = type;
  }
  return result;
}

} // namespace moac::sema
