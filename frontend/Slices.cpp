// Slices `A[1:-1, ::2, j]` and the word psi. See Analyzer.h.
//
// A slice is a start, a length and a step for each axis. The length becomes an extent, so it must
// be made of symbols even where the start depends on an index: `A[i : i + W]`. Bounds over symbols
// are proved, refuted or required at entry; others are judged with the definition, as subscripts
// are.
#include "frontend/Analyzer.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

/// One bound of a slice; with a leading minus it counts from the end. Null after a report.
Value Analyzer::sliceBound(const ast::Expr *bound, const shape::Expr &missing,
                           const shape::Expr &extent, SourceRange at) {
  if (!bound)
    return extentValue(missing, at);
  Val val = visit(*bound);
  Value value = val.poison() ? Value() : emit.index(val, "a bound of a slice");
  if (!value || emit.text(bound->range).front() != '-')
    return value;
  return emit.op(moa::ScalarFn::add_, {extentValue(extent, at), value}, at);
}

/// The part of an axis that `lo:hi:step` keeps.
std::optional<Analyzer::Cut> Analyzer::slicePart(const ast::Subscript &sub,
                                                 const shape::Expr &extent) {
  Cut cut;
  cut.range = sub.range;
  cut.start = sliceBound(sub.lo.get(), shape::Expr(0), extent, sub.range);
  Value end = sliceBound(sub.hi.get(), extent, extent, sub.range);
  std::optional<int64_t> step = 1;
  if (sub.step) {
    Val val = visit(*sub.step);
    Value value = val.poison() ? Value() : emit.index(val, "a step");
    if (!value)
      return std::nullopt;
    step = exprs->toExpr(value).constant();
    if (!step || *step < 1) {
      diags.report(diag::badStep, sub.step->range, emit.text(sub.step->range))
          .help("with indices any step can be written: `B[i: n] = A[s*i]`");
      return std::nullopt;
    }
  }
  if (!cut.start || !end)
    return std::nullopt;
  cut.lo = exprs->toExpr(cut.start);
  cut.hi = exprs->toExpr(end);
  cut.step = *step;
  shape::Expr length = cut.hi - cut.lo;
  if (isExtent(length))
    return cut;
  diags
      .report(diag::notAnExtent, sub.range, "the length of a slice",
              moa::IndexExprs::display(length))
      .help("both bounds may depend on an index, but their distance is built from symbols; else "
            "reduce with bounds: `sum[k in lo..hi](...)`");
  return std::nullopt;
}

/// 0 <= lo <= hi <= extent for the bounds over symbols: proved, refuted or required. Under a
/// condition only that lengths are not negative.
bool Analyzer::checkSlices(const Val &array, const std::vector<Cut> &cuts,
                           const ArrayOrigin &origin) {
  bool good = true;
  std::vector<shape::Expr> extents = array.extents();
  for (unsigned axis = 0; axis < cuts.size() && good; ++axis) {
    const Cut &cut = cuts[axis];
    if (!cut.step)
      continue;
    auto refuted = [&](const shape::Expr &extreme) {
      auto report = diags.report(diag::sliceOutside, cut.range, moa::IndexExprs::display(cut.lo),
                                 moa::IndexExprs::display(cut.hi), extreme.str(),
                                 extents[axis].str(), axis, origin.text(), shapeText(extents));
      if (origin.declared.valid())
        report.note(origin.declared, "'" + origin.name + "' has shape " + shapeText(extents));
      good = false;
    };
    const shape::Facts &facts = ranges->entry;
    bool known = knownAtEntry(cut.lo) && knownAtEntry(cut.hi) && !ranges->guarded();
    shape::Expr over = cut.hi - extents[axis];
    if (facts.provePositive(cut.lo - cut.hi))
      diags.report(diag::sliceBackwards, cut.range, moa::IndexExprs::display(cut.lo),
                   moa::IndexExprs::display(cut.hi)),
          good = false;
    else if (known && facts.provePositive(over))
      refuted(cut.hi);
    else if (known && facts.provePositive(-cut.lo))
      refuted(cut.lo);
    if (!good)
      break;
    auto need = [&](const shape::Expr &value, const std::string &text) {
      demand({moa::ScalarFn::ge_, value, "extent", {}}, text, cut.range);
    };
    if (known) {
      need(cut.lo, cut.lo.str() + " >= 0");
      need(-over, cut.hi.str() + " <= " + extents[axis].str());
    }
    need(cut.hi - cut.lo,
         moa::IndexExprs::display(cut.lo) + " <= " + moa::IndexExprs::display(cut.hi));
  }
  return good;
}

/// The slice itself; what is not proved of it yet is judged with the definition.
Val Analyzer::slice(const Val &array, const std::vector<Cut> &cuts, const ArrayOrigin &origin,
                    SourceRange at) {
  std::vector<shape::Expr> from = array.extents(), extents;
  SmallVector<Value> starts;
  SmallVector<int64_t> steps;
  std::vector<Ranges::Axis> axes;
  for (const Cut &cut : cuts) {
    starts.push_back(cut.start);
    steps.push_back(cut.step);
    axes.push_back({cut.start, cut.range, cut.direct, std::nullopt});
    if (!cut.step)
      continue;
    axes.back().span = cut.hi - cut.lo;
    shape::Expr step(cut.step);
    extents.push_back(shape::floordiv(cut.hi - cut.lo + step - shape::Expr(1), step));
  }
  if (array.elements && cuts.size() == 1 && cuts[0].lo.constant() && cuts[0].step == 1 &&
      extents[0].constant())
    return chosenRange(array, *cuts[0].lo.constant(), *extents[0].constant(), at);
  extents.insert(extents.end(), from.begin() + static_cast<std::ptrdiff_t>(cuts.size()),
                 from.end());
  auto op =
      moa::SliceOp::create(emit.b, emit.loc(at), typeLike(array, extents), array.ir, starts, steps);
  ranges->addRead(op, std::move(axes), origin);
  return made(op, at, array.weakFloats);
}

/// `<i j> psi A`; an index alone gives its extent as it does in brackets.
Val Analyzer::psiWord(const ast::InfixWord &expr) {
  std::vector<IndexInfo *> direct;
  if (auto *vector = llvm::dyn_cast<ast::Vector>(expr.lhs.get()))
    for (const ast::ExprPtr &element : vector->elements)
      direct.push_back(asIndex(*element));
  else
    direct.push_back(asIndex(*expr.lhs));
  Val lhs = visit(*expr.lhs), rhs = visit(*expr.rhs);
  std::optional<Vals> elements;
  if (!lhs.poison() && !rhs.poison())
    elements = elementsOf(lhs, "psi");
  if (!elements) {
    for (IndexInfo *index : direct)
      if (index)
        index->tainted = true;
    return poison();
  }
  direct.resize(elements->size());
  return psiOf(*elements, rhs, expr.range, direct);
}

Val Analyzer::psiOf(const Vals &subscripts, const Val &array, SourceRange at,
                    const std::vector<IndexInfo *> &direct) {
  std::vector<Cut> cuts;
  bool good = true;
  for (unsigned i = 0; i < subscripts.size(); ++i) {
    Cut cut;
    cut.range = subscripts[i].range;
    cut.direct = i < direct.size() ? direct[i] : nullptr;
    cut.start = emit.index(subscripts[i], "a subscript");
    good &= cut.start != nullptr;
    cuts.push_back(cut);
  }
  if (good && cuts.size() > array.rank()) {
    auto report = diags.report(diag::tooManySubscripts, cuts[array.rank()].range, cuts.size(),
                               array.isArray() ? originOf(array).name : emit.text(array.range),
                               shapeText(array.extents()));
    noteDeclared(report, array);
    good = false;
  }
  if (!good) {
    for (const Cut &cut : cuts)
      if (cut.direct)
        cut.direct->tainted = true;
    return poison();
  }
  return cuts.empty() ? array : read(array, cuts, originOf(array), at);
}

} // namespace moac::sema
