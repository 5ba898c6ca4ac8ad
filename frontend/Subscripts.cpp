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

/// The same of a value: where the array it is was declared.
ArrayOrigin Analyzer::originOf(const Val &value) {
  llvm::StringRef name = value.isArray() ? moa::userName(value.ir) : "";
  Entity *entity = name.empty() ? nullptr : names.find(std::string_view(name));
  if (entity && entity->val.ir == value.ir)
    return {name.str(), entity->declared};
  return {};
}

void Analyzer::noteDeclared(DiagnosticBuilder &report, const Val &array) {
  if (ArrayOrigin origin = originOf(array); origin.declared.valid())
    report.note(origin.declared, "'" + origin.name + "' has shape " + shapeText(array.extents()));
}

/// One element, at subscripts known to be in range.
Val Analyzer::element(const Val &array, ArrayRef<Value> subscripts, SourceRange at) {
  mlir::Type type = moa::valueType(array.arrayType().getElementType());
  auto op = moa::PsiOp::create(emit.b, emit.loc(at), type, array.ir, subscripts);
  return emit.elementOf(array, op.getResult(), at);
}

Val Analyzer::index(const ast::Index &expr) {
  Val array = visit(*expr.base);
  bool failed = array.poison(), slices = false;
  std::vector<Cut> cuts;
  for (const ast::Subscript &sub : expr.subscripts) {
    slices |= sub.isSlice;
    size_t axis = cuts.size();
    shape::Expr extent = axis < array.rank() ? array.extents()[axis] : shape::Expr(0);
    std::optional<Cut> cut =
        sub.isSlice ? slicePart(sub, extent) : subscript(*sub.index, sub.range);
    failed |= !cut || !(cut->start || sub.isSlice);
    cuts.push_back(cut.value_or(Cut{}));
  }
  if (!failed && !array.isArray()) {
    auto report = diags.report(diag::notAnArray, expr.base->range, emit.text(expr.base->range));
    if (ArrayOrigin origin = originOf(*expr.base); origin.declared.valid())
      report.note(origin.declared, "'" + origin.name + "' has shape <>");
    failed = true;
  }
  if (failed) {
    // What the read would have said about its indices is lost: no message may follow from that.
    for (const Cut &cut : cuts)
      if (cut.direct)
        cut.direct->tainted = true;
    return poison();
  }
  ArrayOrigin origin = originOf(*expr.base);
  if (cuts.size() > array.rank()) {
    auto report =
        diags.report(diag::tooManySubscripts, expr.subscripts[array.rank()].range, cuts.size(),
                     emit.text(expr.base->range), shapeText(array.extents()));
    if (origin.declared.valid())
      report.note(origin.declared, "'" + origin.name + "' is declared here");
    return poison();
  }
  if (slices)
    return checkSlices(array, cuts, origin) ? slice(array, cuts, origin, expr.range) : poison();
  return read(array, cuts, origin, expr.range);
}

/// A subscript that is an index: it fixes its axis. Without a start after a report.
std::optional<Analyzer::Cut> Analyzer::subscript(const ast::Expr &expr, SourceRange range) {
  Cut cut;
  cut.range = range;
  cut.direct = asIndex(expr);
  inSubscript = llvm::isa<ast::NameUse>(expr);
  Val val = visit(expr);
  inSubscript = false;
  cut.start = val.poison() ? Value() : emit.index(val, "a subscript");
  return cut;
}

/// A read at subscripts that fix leading axes.
Val Analyzer::read(const Val &array, const std::vector<Cut> &cuts, const ArrayOrigin &origin,
                   SourceRange at) {
  moa::ArrayType type = array.arrayType();
  if (array.elements && cuts.size() == 1)
    if (auto k = exprs->toExpr(cuts[0].start).constant();
        k && *k >= 0 && *k < static_cast<int64_t>(array.elements->size()))
      return (*array.elements)[static_cast<size_t>(*k)];
  std::vector<Ranges::Axis> axes;
  SmallVector<Value> subscripts;
  for (const Cut &cut : cuts) {
    axes.push_back({cut.start, cut.range, cut.direct, std::nullopt});
    subscripts.push_back(cut.start);
  }
  bool full = subscripts.size() == array.rank();
  mlir::Type result = moa::valueType(type.getElementType());
  if (!full) {
    std::vector<shape::Expr> extents = type.extents();
    extents.erase(extents.begin(),
                  extents.begin() + static_cast<std::ptrdiff_t>(subscripts.size()));
    result = typeLike(array, extents);
  }
  auto op = moa::PsiOp::create(emit.b, emit.loc(at), result, array.ir, subscripts);
  ranges->addRead(op, std::move(axes), origin);
  return full ? emit.elementOf(array, op.getResult(), at)
              : made(op.getResult(), at, array.weakFloats);
}

} // namespace moac::sema
