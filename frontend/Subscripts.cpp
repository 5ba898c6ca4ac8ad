// Reading arrays: full subscripts give a scalar, fewer the sub-array of the remaining axes. See
// Analyzer.h.
#include "frontend/Analyzer.h"

using namespace mlir;
using llvm::dyn_cast;

namespace moac::sema {

using Kind = Val::Kind;

/// The index that `expr` consists of, if it is one alone.
IndexInfo *Analyzer::asIndex(const ast::Expr &expr) {
  auto *use = dyn_cast<ast::NameUse>(&expr);
  Entity *entity = use ? scope->find(use->name) : nullptr;
  return entity ? entity->index : nullptr;
}

/// Where a message about an array can point to, besides the place it is used at.
ArrayOrigin Analyzer::originOf(const ast::Expr &expr) {
  if (auto *use = dyn_cast<ast::NameUse>(&expr))
    if (Entity *entity = scope->find(use->name))
      return {use->name, entity->declared};
  return {};
}

/// One element, at subscripts known to be in range.
Val Analyzer::element(const Val &array, ArrayRef<Value> subscripts, SourceRange at) {
  mlir::Type storage = array.arrayType().getElementType(), type = moa::valueType(storage);
  auto op = moa::PsiOp::create(emit.b, emit.loc(at), type, array.ir, subscripts);
  Val result = emit.scalarOf(op.getResult(), at);
  if (storage != type)
    result.narrow = storage;
  return result;
}

Val Analyzer::index(const ast::Index &expr) {
  Val array = visit(*expr.base);
  SmallVector<Value> subscripts;
  std::vector<IndexInfo *> direct;
  bool failed = array.poison();
  for (const ast::Subscript &sub : expr.subscripts) {
    if (sub.isSlice) {
      notYet(sub.range, "slices");
      failed = true;
      continue;
    }
    direct.push_back(asIndex(*sub.index));
    Val val = visit(*sub.index);
    Value subscript = val.poison() ? Value() : emit.index(val, "a subscript");
    failed |= !subscript;
    subscripts.push_back(subscript);
  }
  if (!failed && !array.isArray()) {
    auto report = diags.report(diag::notAnArray, expr.base->range, emit.text(expr.base->range));
    if (ArrayOrigin origin = originOf(*expr.base); origin.declared.valid())
      report.note(origin.declared, "'" + origin.name + "' has shape <>");
    failed = true;
  }
  if (failed) {
    // What the read would have said about its indices is lost: no message may follow from that.
    for (IndexInfo *index : direct)
      if (index)
        index->tainted = true;
    return poison();
  }
  return read(array, expr, subscripts, std::move(direct));
}

Val Analyzer::read(const Val &array, const ast::Index &expr, ArrayRef<Value> subscripts,
                   std::vector<IndexInfo *> direct) {
  moa::ArrayType type = array.arrayType();
  ArrayOrigin origin = originOf(*expr.base);
  if (subscripts.size() > static_cast<size_t>(type.rank())) {
    auto report =
        diags.report(diag::tooManySubscripts, expr.subscripts[type.rank()].range, subscripts.size(),
                     emit.text(expr.base->range), shapeText(type.extents()));
    if (origin.declared.valid())
      report.note(origin.declared, "'" + origin.name + "' is declared here");
    return poison();
  }
  std::vector<SourceRange> places;
  for (const ast::Subscript &sub : expr.subscripts)
    places.push_back(sub.range);
  bool full = subscripts.size() == static_cast<size_t>(type.rank());
  mlir::Type storage = type.getElementType(), result = moa::valueType(storage);
  if (!full) {
    std::vector<shape::Expr> extents = type.extents();
    extents.erase(extents.begin(), extents.begin() + subscripts.size());
    result = moa::ArrayType::get(emit.b.getContext(), extents, storage);
  }
  auto op = moa::PsiOp::create(emit.b, emit.loc(expr.range), result, array.ir, subscripts);
  ranges->addRead(op, std::move(places), std::move(direct), origin);
  if (!full)
    return {Kind::Array, op.getResult(), {}, {}, expr.range};
  Val value = emit.scalarOf(op.getResult(), expr.range);
  if (storage != result)
    value.narrow = storage;
  return value;
}

} // namespace moac::sema
