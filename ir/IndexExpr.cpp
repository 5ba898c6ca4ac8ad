// SSA values of type index as algebra: see IndexExpr.h.
//
// Index arithmetic becomes arithmetic of Exprs. Arithmetic on typed integers (i32, i64 elements)
// wraps, so the algebra must not look through it: such a value is opaque and named by its
// structure.
#include "ir/IndexExpr.h"
#include "ir/Onf.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// Longer structural names are replaced by a short unique one.
constexpr size_t maxNameLength = 160;
} // namespace

StringRef moa::userName(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  if (!argument.getOwner()->getParentOp()) // a block still being filled
    return "";
  return llvm::TypeSwitch<Operation *, StringRef>(argument.getOwner()->getParentOp())
      .Case([&](KernelOp op) { return op.argName(i); })
      .Case([&](GenOp op) { return op.indexName(i); })
      .Case([&](RedOp op) { return i < op.rank() ? op.indexName(i) : StringRef(); })
      .Case([&](onf::FuncOp op) { return op.argName(i); })
      .Case([&](onf::ForOp op) { return op.getName(); })
      .Default(StringRef());
}

StringRef moa::userName(Value array) {
  if (auto argument = dyn_cast<BlockArgument>(array))
    return userName(argument);
  auto gen = array.getDefiningOp<GenOp>();
  return gen ? gen.getName() : StringRef();
}

IndexExprs::IndexExprs(Operation *kernel) {
  for (BlockArgument argument : kernel->getRegion(0).front().getArguments())
    claim(userName(argument), argument);
}

std::string IndexExprs::claim(StringRef wanted, Value value) {
  std::string base = wanted.empty() ? "v" : wanted.str(), name = base;
  for (unsigned &count = counts[base]; values.contains(name); ++count)
    name = base + "'" + std::to_string(count + 2);
  values[name] = value;
  names[value] = name;
  return name;
}

Value IndexExprs::valueOf(StringRef name) const { return values.lookup(name); }

Value IndexExprs::valueAt(StringRef name, Block *block) const {
  Value value = valueOf(name);
  auto index = dyn_cast_or_null<BlockArgument>(value);
  auto red = index ? dyn_cast_or_null<RedOp>(index.getOwner()->getParentOp()) : RedOp();
  if (!red || index.getOwner() != &red.term())
    return value;
  // The region of the reduction that holds the block.
  Region *region = block->getParent();
  while (region && region->getParentOp() != red)
    region = region->getParentRegion();
  if (!region || region->getRegionNumber() >= red.rank() || index.getArgNumber() >= region->front().getNumArguments())
    return value;
  return region->front().getArgument(index.getArgNumber());
}

/// Gives the indices around `index` their names: of two that a user calls alike the outer one keeps the word, whichever is
/// met first, and terms of a sum stand in one order.
void IndexExprs::nameAround(BlockArgument index) {
  Operation *binder = index.getOwner()->getParentOp();
  for (Block *block = binder ? binder->getBlock() : nullptr; block && block->getParentOp();
       block = block->getParentOp()->getBlock())
    for (BlockArgument outer : block->getArguments())
      if (outer.getType().isIndex() && !names.contains(outer))
        nameOf(outer); // names what is around it first
}

std::string IndexExprs::nameOf(Value value) {
  if (auto it = names.find(value); it != names.end())
    return it->second;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // The domain regions of a reduction see its earlier indices by arguments of their own.
    auto red = dyn_cast_or_null<RedOp>(argument.getOwner()->getParentOp());
    if (red && argument.getOwner()->getParent()->getRegionNumber() < red.rank())
      return names[value] = nameOf(red.term().getArgument(argument.getArgNumber()));
    nameAround(argument);
    return claim(userName(argument), value);
  }
  Memo memo;
  return opaqueName(value, memo);
}

std::optional<shape::Expr> IndexExprs::toInteger(Value value) {
  Type type = value.getType();
  if (type.isIndex())
    return toExpr(value);
  if (auto constant = value.getDefiningOp<ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue());
        integer && integer.getValue().getSignificantBits() <= 63)
      return shape::Expr(type.isUnsignedInteger()
                             ? static_cast<int64_t>(integer.getValue().getZExtValue())
                             : integer.getValue().getSExtValue());
  bool narrower =
      type.isUnsignedInteger() ? type.getIntOrFloatBitWidth() < 64 : type.isSignlessInteger();
  if (!narrower || type.isInteger(1))
    return std::nullopt;
  if (auto cast = value.getDefiningOp<CastOp>(); cast && cast.getValue().getType().isIndex())
    return type.isInteger(64) ? std::optional(toExpr(cast.getValue())) : std::nullopt;
  Memo memo;
  std::string text = structure(value, memo);
  return text.empty() ? std::nullopt : std::optional(shape::Expr::name(text));
}

shape::Expr IndexExprs::toExpr(Value value) {
  Memo memo;
  return convert(value, memo);
}

shape::Expr IndexExprs::convert(Value value, Memo &memo) {
  if (auto it = memo.find(value); it != memo.end())
    return it->second;
  std::optional<shape::Expr> result;
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      result = shape::Expr(integer.getInt());
  } else if (auto scalar = value.getDefiningOp<ScalarOp>()) {
    result = arithmetic(scalar, memo);
  }
  if (!result)
    result = shape::Expr::name(isa<BlockArgument>(value) ? nameOf(value) : opaqueName(value, memo));
  memo[value] = *result;
  return *result;
}

std::optional<shape::Expr> IndexExprs::arithmetic(ScalarOp op, Memo &memo) {
  if (!op.getResult().getType().isIndex() || !op.getOperand(0).getType().isIndex())
    return std::nullopt;
  shape::Expr a = convert(op.getOperand(0), memo);
  shape::Expr b = op.getNumOperands() > 1 ? convert(op.getOperand(1), memo) : shape::Expr();
  switch (op.kind()) {
  case ScalarFn::add_:
    return a + b;
  case ScalarFn::sub_:
    return a - b;
  case ScalarFn::mul_:
    return a * b;
  case ScalarFn::floordiv_:
    return shape::floordiv(a, b);
  case ScalarFn::mod_:
    return shape::mod(a, b);
  case ScalarFn::min_:
    return shape::min(a, b);
  case ScalarFn::max_:
    return shape::max(a, b);
  case ScalarFn::neg_:
    return -a;
  case ScalarFn::abs_:
    return shape::abs(a);
  default:
    return std::nullopt;
  }
}

/// Text that is equal for equal values: what an opaque value is called. Empty when there is none.
std::string IndexExprs::structure(Value value, Memo &memo) {
  if (value.getType().isIndex()) {
    shape::Expr e = convert(value, memo);
    return e.poisoned() ? "" : e.str();
  }
  if (auto it = names.find(value); it != names.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (!op || isa<GenOp>(op))
    return claim(userName(value), value);
  if (!isa<ConstantOp, ScalarOp, CastOp, PsiOp>(op))
    return "";
  std::string text;
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    llvm::raw_string_ostream(text) << constant.getValue();
    return text;
  }
  bool psi = isa<PsiOp>(op);
  if (auto scalar = dyn_cast<ScalarOp>(op))
    text = scalar.getFn().str() + "(";
  else if (!psi)
    text = typeName(value.getType()) + "(";
  for (unsigned i = 0, last = op->getNumOperands(); i < last; ++i) {
    std::string part = structure(op->getOperand(i), memo);
    if (part.empty() || text.size() + part.size() > maxNameLength)
      return "";
    text += part + (i + 1 == last ? "" : psi && i == 0 ? "[" : ", ");
  }
  return text + (psi ? "]" : ")");
}

std::string IndexExprs::opaqueName(Value value, Memo &memo) {
  if (auto it = names.find(value); it != names.end())
    return it->second;
  std::string text;
  if (auto cast = value.getDefiningOp<CastOp>()) {
    Type from = cast.getValue().getType();
    // A u64 beyond the signed range becomes another number: not the one its own structure names.
    if (isa<IntegerType>(from) && !from.isUnsignedInteger(64) && !from.isInteger(1))
      text = structure(cast.getValue(), memo);
  }
  if (text.empty())
    return claim("", value);
  names[value] = text;
  values.try_emplace(text, value);
  return text;
}

std::string IndexExprs::display(const shape::Expr &e) {
  std::string text = e.str(), out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'') {
      out += text[i];
      continue;
    }
    while (i + 1 < text.size() && isdigit(static_cast<unsigned char>(text[i + 1])))
      ++i;
  }
  return out;
}
