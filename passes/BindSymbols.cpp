// Specialisation: a symbol becomes a constant everywhere, and the kernel requires it at entry.
//
// The signature does not change, so a specialised kernel can stand where the general one stood; a call with another
// value returns the extent status.
#include "passes/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_BINDSYMBOLS
#include "passes/Passes.h.inc"

namespace {
using Substitution = std::map<std::string, shape::Expr>;

Type substitute(Type type, const Substitution &symbols) {
  auto array = dyn_cast<moa::ArrayType>(type);
  if (!array)
    return type;
  std::vector<shape::Expr> extents;
  for (const shape::Expr &e : array.extents())
    extents.push_back(e.substitute(symbols));
  return moa::ArrayType::get(type.getContext(), extents, array.getElementType(), array.getColumnMajor());
}

struct BindSymbols : impl::BindSymbolsBase<BindSymbols> {
  using impl::BindSymbolsBase<BindSymbols>::BindSymbolsBase;

  void runOnOperation() override {
    moa::KernelOp kernel = getOperation();
    Substitution values;
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.entry());
    for (const std::string &binding : bindings) {
      auto [name, number] = StringRef(binding).split('=');
      int64_t value;
      if (number.getAsInteger(10, value)) {
        kernel.emitError() << "malformed binding '" << binding << "'";
        return signalPassFailure();
      }
      for (unsigned i = 0; i < kernel.numSymbols(); ++i)
        if (kernel.argName(i) == name)
          bind(kernel.symbolArg(i), value, binding, b), values[name.str()] = shape::Expr(value);
    }
    if (!values.empty())
      rewriteTypes(kernel, values);
  }

  void bind(BlockArgument symbol, int64_t value, StringRef text, OpBuilder &b) {
    Location loc = symbol.getLoc();
    auto constant = moa::ConstantOp::create(b, loc, b.getIndexAttr(value));
    symbol.replaceAllUsesWith(constant.getResult());
    Value same = moa::ScalarOp::create(b, loc, b.getI1Type(), b.getStringAttr("eq"), ValueRange{symbol, constant}, UnitAttr());
    moa::RequireOp::create(b, loc, same, "extent", text);
  }

  void rewriteTypes(moa::KernelOp kernel, const Substitution &values) {
    SmallVector<Attribute> results;
    for (Attribute type : kernel.getResultTypes())
      results.push_back(TypeAttr::get(substitute(cast<TypeAttr>(type).getValue(), values)));
    kernel.setResultTypesAttr(ArrayAttr::get(kernel.getContext(), results));
    for (BlockArgument argument : kernel.entry().getArguments())
      argument.setType(substitute(argument.getType(), values));
    kernel.walk([&](Operation *op) {
      for (Value result : op->getResults())
        result.setType(substitute(result.getType(), values));
    });
  }
};
} // namespace
} // namespace moac
