// Specialisation: a symbol becomes a constant everywhere, and the kernel requires it at entry.
//
// The signature does not change, so a specialised kernel can stand where the general one stood; a call with another
// value returns the extent status.
#include "passes/Passes.h"
#include "passes/Substitute.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_BINDSYMBOLS
#include "passes/Passes.h.inc"

namespace {
struct BindSymbols : impl::BindSymbolsBase<BindSymbols> {
  using impl::BindSymbolsBase<BindSymbols>::BindSymbolsBase;

  void runOnOperation() override {
    moa::KernelOp kernel = getOperation();
    SymbolValues values;
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

  void rewriteTypes(moa::KernelOp kernel, const SymbolValues &values) {
    SmallVector<Attribute> results;
    for (Attribute type : kernel.getResultTypes())
      results.push_back(TypeAttr::get(substituteSymbols(cast<TypeAttr>(type).getValue(), values)));
    kernel.setResultTypesAttr(ArrayAttr::get(kernel.getContext(), results));
    substituteSymbols(kernel, values);
  }
};
} // namespace
} // namespace moac
