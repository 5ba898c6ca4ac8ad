// Substitution for reads of gens and for symbols in types; see Substitute.h.
#include "passes/Substitute.h"
#include "passes/Checks.h"
#include "passes/Slice.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

void moac::substituteReads(GenOp gen) {
  for (Operation *user : llvm::make_early_inc_range(gen.getResult().getUsers())) {
    auto psi = cast<PsiOp>(user);
    OpBuilder b(psi);
    Value value = behindChecks(psi, b, [&] {
      IRMapping map;
      for (auto [index, subscript] : llvm::zip(gen.entry().getArguments(), psi.getSubscripts()))
        map.map(index, subscript);
      for (Operation &op : gen.entry().without_terminator())
        b.clone(op, map);
      return map.lookupOrDefault(gen.yielded());
    });
    SmallVector<CastOp> casts;
    for (Operation *reader : psi.getResult().getUsers())
      if (auto cast = dyn_cast<CastOp>(reader))
        casts.push_back(cast);
    psi.getResult().replaceAllUsesWith(value);
    psi.erase();
    for (CastOp cast : casts) // a weak integer that was stored as i64 is itself again
      if (Value same = dyn_cast_if_present<Value>(cast.fold(CastOp::FoldAdaptor(ArrayRef<Attribute>{Attribute()}, cast)))) {
        cast.getResult().replaceAllUsesWith(same);
        cast.erase();
      }
  }
  gen.erase();
}

Type moac::substituteSymbols(Type type, const SymbolValues &symbols) {
  auto array = dyn_cast<ArrayType>(type);
  if (!array)
    return type;
  std::vector<shape::Expr> extents;
  for (const shape::Expr &e : array.extents())
    extents.push_back(e.substitute(symbols));
  return ArrayType::get(type.getContext(), extents, array.getElementType(), array.getColumnMajor());
}

void moac::substituteSymbols(Operation *root, const SymbolValues &symbols) {
  auto replace = [&](Value value) { value.setType(substituteSymbols(value.getType(), symbols)); };
  root->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), replace);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), replace);
  });
}
