// Building scalar operations with their places in the source; see Typing.h.
#include "frontend/Typing.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

Emit::Emit(MLIRContext *context, Diagnostics &diags) : b(context), diags(diags) {}

std::string Emit::text(SourceRange range) const {
  return std::string(diags.sourceManager().text(range));
}

std::string Emit::code(SourceRange range) const {
  std::string all = text(range);
  int depth = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    depth += all[i] == '(' ? 1 : all[i] == ')' ? -1 : 0;
    if (depth == 0)
      return i + 1 == all.size() && i > 0 ? all.substr(1, all.size() - 2) : all;
  }
  return all;
}

std::string countText(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

Location Emit::loc(SourceRange range) {
  if (!range.valid())
    return FileLineColLoc::get(b.getContext(), "", 0, 0);
  const SourceManager &sources = diags.sourceManager();
  LineColumn begin = sources.lineColumn(range.file, range.begin);
  return FileLineColLoc::get(b.getStringAttr(sources.path(range.file)), begin.line, begin.column);
}

mlir::Type Emit::type(ElementType type) {
  return moa::typeFromName(b.getContext(), spelling(type));
}

Val Emit::weakInt(int64_t value, SourceRange range) {
  return {Kind::WeakInt,
          intConstant(b.getIndexType(), value, range),
          {},
          std::pair(value, value),
          range};
}

Val Emit::weakFloat(double value, SourceRange range) {
  return {Kind::WeakFloat, constant(b.getF64Type(), value, range), {}, {}, range};
}

Val Emit::boolean(bool value, SourceRange range) {
  return {Kind::Typed, intConstant(b.getI1Type(), value, range), {}, {}, range};
}

Val Emit::scalarOf(mlir::Value value, SourceRange range) {
  Kind kind = value.getType().isIndex() ? Kind::WeakInt : Kind::Typed;
  return make({kind, value.getType()}, value, range);
}

Val Emit::elementOf(const Val &array, mlir::Value value, SourceRange range) {
  Val result = scalarOf(value, range);
  if (array.weakFloats)
    result.kind = Kind::WeakFloat;
  if (mlir::Type storage = array.arrayType().getElementType(); storage != value.getType())
    result.narrow = storage;
  return result;
}

Val Emit::make(const Meeting &meeting, mlir::Value value, SourceRange range) {
  Val result{meeting.kind, value, {}, {}, range};
  // Arithmetic on literals is folded and counts as a literal.
  auto constantOp = value.getDefiningOp<moa::ConstantOp>();
  if (auto integer = constantOp ? dyn_cast<IntegerAttr>(constantOp.getValue()) : IntegerAttr();
      integer && meeting.kind == Kind::WeakInt)
    result.literal = std::pair(integer.getInt(), integer.getInt());
  return result;
}

mlir::Value Emit::constant(mlir::Type type, double value, SourceRange at) {
  return moa::ConstantOp::create(b, loc(at), type, b.getFloatAttr(type, value));
}

mlir::Value Emit::intConstant(mlir::Type type, int64_t value, SourceRange at) {
  return moa::ConstantOp::create(b, loc(at), type, b.getIntegerAttr(type, value));
}

/// `value` as `type`. A constant becomes a constant, so that a literal is rounded once and stays
/// readable.
mlir::Value Emit::convert(mlir::Value value, mlir::Type type, SourceRange at) {
  if (value.getType() == type)
    return value;
  if (auto constantOp = value.getDefiningOp<moa::ConstantOp>()) {
    auto integer = dyn_cast<IntegerAttr>(constantOp.getValue());
    auto decimal = dyn_cast<FloatAttr>(constantOp.getValue());
    if (integer && value.getType().isIndex() && isa<FloatType>(type))
      return constant(type, static_cast<double>(integer.getInt()), at);
    if (integer && value.getType().isIndex() && isa<IntegerType>(type) && !type.isInteger(1)) {
      APInt bits(64, static_cast<uint64_t>(integer.getInt()), true);
      auto attr = IntegerAttr::get(type, bits.trunc(type.getIntOrFloatBitWidth()));
      return moa::ConstantOp::create(b, loc(at), type, attr);
    }
    if (decimal && isa<FloatType>(type))
      return constant(type, decimal.getValueAsDouble(), at);
  }
  return moa::CastOp::create(b, loc(at), type, value);
}

mlir::Value Emit::op(moa::ScalarFn fn, ArrayRef<mlir::Value> operands, SourceRange at) {
  bool compares = moa::scalarFnClass(fn) == moa::ScalarClass::Compare;
  mlir::Type type = compares ? b.getI1Type() : operands.front().getType();
  auto name = b.getStringAttr(moa::scalarFnName(fn));
  if (type.isIndex())
    return b.createOrFold<moa::ScalarOp>(loc(at), type, name, operands, /*checked=*/UnitAttr());
  return moa::ScalarOp::create(b, loc(at), type, name, operands, /*checked=*/UnitAttr());
}

} // namespace moac::sema
