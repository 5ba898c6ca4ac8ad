// Words that rearrange arrays: take, drop, reverse, rotate, transpose, ++, reshape, ravel, iota.
// See Analyzer.h.
//
// Each makes one operation of the algebra (ir/MoaStructureOps.td) after its shape is found over
// symbols. What the operation needs (a take within its axis, equal totals) is proved, refuted with
// both shapes, or required at the kernel's entry.
#include "frontend/Analyzer.h"

using namespace mlir;
using llvm::dyn_cast;

namespace moac::sema {

using Kind = Val::Kind;

namespace {
shape::Expr product(const std::vector<shape::Expr> &extents) {
  shape::Expr total(1);
  for (const shape::Expr &extent : extents)
    total = total * extent;
  return total;
}

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }
} // namespace

/// An array the operation made; one of rank 0 is read at once.
Val Analyzer::made(Value array, SourceRange at, bool weakFloats) {
  Val result{Kind::Array, array, {}, {}, at};
  result.weakFloats = weakFloats;
  return result.rank() == 0 ? element(result, {}, at) : result;
}

moa::ArrayType Analyzer::typeLike(const Val &array, const std::vector<shape::Expr> &extents) {
  return moa::ArrayType::get(emit.b.getContext(), extents, array.arrayType().getElementType());
}

bool Analyzer::needsAxis(const Val &array, std::string_view what) {
  if (array.rank() > 0)
    return true;
  diags.report(diag::needsArray, array.range, what, emit.describe(array));
  return false;
}

Val Analyzer::infixWord(const ast::InfixWord &expr) {
  if (expr.word == Word::Psi)
    return psiWord(expr);
  Val lhs = visit(*expr.lhs), rhs = visit(*expr.rhs);
  return infix(expr.word, lhs, rhs, expr.range);
}

Val Analyzer::infix(Word word, const Val &lhs, const Val &rhs, SourceRange at) {
  if (lhs.poison() || rhs.poison())
    return poison();
  std::optional<Vals> elements = elementsOf(lhs, spelling(word));
  if (!elements)
    return poison();
  if (word == Word::Reshape)
    return reshape(*elements, rhs, at);
  if (word == Word::Psi)
    return psiOf(*elements, rhs, at);
  if (!needsAxis(rhs, spelling(word)))
    return poison();
  if (elements->size() > rhs.rank()) {
    auto report = diags.report(diag::tooManyElements, lhs.range, spelling(word), elements->size(),
                               originOf(rhs).text(), shapeText(rhs.extents()));
    noteDeclared(report, rhs);
    return poison();
  }
  switch (word) {
  case Word::Take:
    return take(*elements, rhs, at);
  case Word::Drop:
    return drop(*elements, rhs, at);
  case Word::Rotate:
    return rotate(*elements, rhs, at);
  default:
    return transpose(*elements, lhs.range, rhs, at);
  }
}

/// A take or drop count over symbols: its size, and whether it counts from the end. A sign that is
/// not known is required not to be negative.
std::optional<Analyzer::Count> Analyzer::countOf(const Val &value, std::string_view word) {
  std::optional<shape::Expr> count = lengthOf(value, "a count of " + quoted(word));
  if (!count)
    return std::nullopt;
  const shape::Facts &facts = ranges->entry;
  bool last = !facts.proveNonNegative(*count) && facts.proveNonNegative(-*count);
  if (!last)
    demand({moa::ScalarFn::ge_, *count, "extent", {}}, count->str() + " >= 0", value.range);
  return Count{last ? -*count : *count, last, value.range};
}

/// What a count must not exceed its axis by: proved, required at entry, or refuted here.
bool Analyzer::checkCount(std::string_view word, const Count &count, const Val &array,
                          unsigned axis) {
  shape::Expr extent = array.extents()[axis];
  if (ranges->entry.proveLess(extent, count.size)) {
    auto report =
        diags.report(diag::countTooLarge, count.range, word, count.size.str(), extent.str(), axis,
                     originOf(array).text(), shapeText(array.extents()));
    noteDeclared(report, array);
    return false;
  }
  demand({moa::ScalarFn::ge_, extent - count.size, "extent", {}},
         count.size.str() + " <= " + extent.str(), count.range);
  return true;
}

Val Analyzer::take(const Vals &counts, const Val &array, SourceRange at) {
  std::vector<shape::Expr> extents = array.extents();
  SmallVector<bool> last;
  std::vector<Cut> cuts;
  bool good = true, open = false;
  for (unsigned axis = 0; axis < counts.size(); ++axis) {
    std::optional<Count> count = countOf(counts[axis], "take");
    if (!count)
      return poison();
    // Under a condition nothing can be required at entry: what is not proved is checked when read.
    shape::Expr spare = extents[axis] - count->size;
    bool later = ranges->guarded() && !ranges->entry.proveNonNegative(spare) &&
                 !ranges->entry.provePositive(-spare);
    good &= later || checkCount("take", *count, array, axis);
    open |= later;
    shape::Expr lo = count->last ? spare : shape::Expr(0);
    cuts.push_back({lo, lo + count->size, extentValue(lo, at), 1, counts[axis].range, nullptr});
    extents[axis] = count->size;
    last.push_back(count->last);
  }
  if (!good)
    return poison();
  if (array.elements && counts.size() == 1 && extents[0].constant())
    return chosenRange(array, *cuts[0].lo.constant(), *extents[0].constant(), at);
  if (open)
    return slice(array, cuts, originOf(array), at);
  auto op = moa::TakeOp::create(emit.b, emit.loc(at), typeLike(array, extents), array.ir, last);
  return made(op, at, array.weakFloats);
}

Val Analyzer::drop(const Vals &counts, const Val &array, SourceRange at) {
  std::vector<shape::Expr> extents = array.extents();
  SmallVector<bool> last;
  bool good = true;
  shape::Expr first;
  for (unsigned axis = 0; axis < counts.size(); ++axis) {
    std::optional<Count> count = countOf(counts[axis], "drop");
    if (!count)
      return poison();
    good &= checkCount("drop", *count, array, axis);
    extents[axis] = extents[axis] - count->size;
    first = count->last ? shape::Expr(0) : count->size;
    last.push_back(count->last);
  }
  if (!good)
    return poison();
  if (array.elements && counts.size() == 1 && extents[0].constant())
    return chosenRange(array, *first.constant(), *extents[0].constant(), at);
  auto op = moa::DropOp::create(emit.b, emit.loc(at), typeLike(array, extents), array.ir, last);
  return made(op, at, array.weakFloats);
}

/// Elements lo, lo + 1, .. of a vector that is known.
Val Analyzer::chosenRange(const Val &vector, int64_t lo, int64_t length, SourceRange at) {
  std::vector<size_t> from;
  for (int64_t i = 0; i < length; ++i)
    from.push_back(static_cast<size_t>(lo + i));
  return chosen(vector, from, at);
}

Val Analyzer::rotate(const Vals &amounts, const Val &array, SourceRange at) {
  SmallVector<Value> values;
  for (const Val &amount : amounts) {
    values.push_back(emit.index(amount, "a rotation"));
    if (!values.back())
      return poison();
  }
  auto op = moa::RotateOp::create(emit.b, emit.loc(at), array.arrayType(), array.ir, values);
  return made(op, at, array.weakFloats);
}

/// Axis k of the operand becomes axis v[k].
Val Analyzer::transpose(const Vals &vector, SourceRange vectorRange, const Val &array,
                        SourceRange at) {
  SmallVector<int64_t> to;
  std::set<int64_t> seen;
  for (const Val &value : vector) {
    Value ir = emit.index(value, "a part of a permutation");
    if (!ir)
      return poison();
    int64_t axis = exprs->toExpr(ir).constant().value_or(-1);
    if (axis >= 0 && axis < static_cast<int64_t>(array.rank()) && seen.insert(axis).second)
      to.push_back(axis);
  }
  if (to.size() != array.rank()) {
    auto report = diags.report(diag::notAPermutation, vectorRange, emit.text(vectorRange),
                               originOf(array).text(), shapeText(array.extents()));
    noteDeclared(report, array);
    report.help("axis k becomes axis v[k]: v holds each of 0 to " +
                std::to_string(array.rank() - 1) + " once, as a constant");
    return poison();
  }
  return transposed(array, to, at);
}

Val Analyzer::transposed(const Val &array, ArrayRef<int64_t> to, SourceRange at) {
  std::vector<shape::Expr> from = array.extents(), extents(from.size());
  for (size_t k = 0; k < from.size(); ++k)
    extents[to[k]] = from[k];
  auto op = moa::TransposeOp::create(emit.b, emit.loc(at), typeLike(array, extents), array.ir, to);
  return made(op, at, array.weakFloats);
}

/// A scalar as the vector of it.
Val Analyzer::atLeastVector(const Val &value) {
  return value.isArray() ? value : vectorOf({value}, value.range);
}

Val Analyzer::reshape(const Vals &shape, const Val &value, SourceRange at) {
  std::optional<std::vector<shape::Expr>> extents = extentsOf(shape, "an extent of 'reshape'");
  Val array = atLeastVector(value);
  if (!extents || array.poison() || !checkRank(extents->size(), at))
    return poison();
  shape::Expr wanted = product(*extents), found = product(array.extents());
  const shape::Facts &facts = ranges->entry;
  if (facts.proveLess(wanted, found) || facts.proveLess(found, wanted)) {
    auto report = diags.report(diag::totalsDiffer, at, shapeText(*extents), wanted.str(),
                               originOf(value).text(), shapeText(value.extents()), found.str());
    noteDeclared(report, value);
    report.help("a reshape keeps every element: it neither repeats nor cuts");
    return poison();
  }
  demand({moa::ScalarFn::eq_, wanted - found, "extent", {}}, wanted.str() + " == " + found.str(),
         at);
  auto op = moa::ReshapeOp::create(emit.b, emit.loc(at), typeLike(array, *extents), array.ir);
  return made(op, at, array.weakFloats);
}

namespace {
/// The element type two joined arrays have.
mlir::Type joinedType(const Val &a, const Val &b, const Meeting &met) {
  mlir::Type own = a.arrayType().getElementType();
  return own == b.arrayType().getElementType() ? own : met.type;
}
} // namespace

/// `L ++ R`: trailing shapes agree and the element types meet.
Val Analyzer::cat(const Val &lhs, const Val &rhs, SourceRange at) {
  if (lhs.poison() || rhs.poison() || !needsAxis(lhs, "++") || !needsAxis(rhs, "++"))
    return poison();
  std::vector<shape::Expr> a = lhs.extents(), b = rhs.extents();
  bool equal = a.size() == b.size();
  size_t differs = 1;
  for (; equal && differs < a.size(); ++differs)
    if (!(equal = same(a[differs], b[differs])))
      break;
  if (!equal) {
    auto report = diags.report(diag::cannotJoin, at, shapeText(a), shapeText(b));
    report.note(lhs.range, "this has shape " + shapeText(a))
        .note(rhs.range, "this has shape " + shapeText(b));
    if (a.size() == b.size())
      helpEqual(report, a[differs], b[differs]);
    else
      report.help("a row is joined as an array of one row: `<1, ...> reshape row`");
    return poison();
  }
  Meeting met = meetElements(lhs, rhs, at, "'++'");
  if (!met)
    return poison();
  if (lhs.elements && rhs.elements) {
    Vals all(*lhs.elements);
    all.insert(all.end(), rhs.elements->begin(), rhs.elements->end());
    return vectorOf(all, at);
  }
  mlir::Type type = joinedType(lhs, rhs, met);
  Val left = withElements(lhs, type, met), right = withElements(rhs, type, met);
  a[0] = a[0] + b[0];
  auto joined = moa::ArrayType::get(emit.b.getContext(), a, type);
  auto op = moa::CatOp::create(emit.b, emit.loc(at), joined, left.ir, right.ir);
  return made(op, at, met.kind == Kind::WeakFloat);
}

/// Where the elements of two arrays meet.
Meeting Analyzer::meetElements(const Val &a, const Val &b, SourceRange at, std::string_view what) {
  Block probe; // holds nothing: the rules of meeting look at kinds and types
  Vals scalars;
  for (const Val *array : {&a, &b})
    scalars.push_back(
        emit.elementOf(*array, probe.addArgument(array->scalarType(), emit.loc(at)), array->range));
  return emit.meet(scalars, at, what, /*allowBool=*/true);
}

/// The array with its elements converted to what they met as.
Val Analyzer::withElements(const Val &array, mlir::Type elementType, const Meeting &met) {
  if (array.arrayType().getElementType() == elementType)
    return array;
  return mapArrays({array}, array.range, [&](const Elements &elements) {
    return emit.make(met, emit.coerce(elements(0), met), array.range);
  });
}

/// `shape A`, `iota n`, `ravel A`, `reverse A`, `transpose A`, `dim A`, `total A`.
Val Analyzer::structureWord(Word word, const Val &value, SourceRange at) {
  if (value.poison())
    return poison();
  switch (word) {
  case Word::Shape:
    return shapeOf(value, at);
  case Word::Dim:
    return emit.weakInt(static_cast<int64_t>(value.rank()), at);
  case Word::Total:
    return emit.scalarOf(extentValue(product(value.extents()), at), at);
  case Word::Iota:
    return iota(value, at);
  case Word::Ravel: {
    Val array = atLeastVector(value);
    if (array.poison() || array.rank() == 1)
      return array;
    auto type = typeLike(array, {product(array.extents())});
    return made(moa::ReshapeOp::create(emit.b, emit.loc(at), type, array.ir), at, array.weakFloats);
  }
  default:
    break;
  }
  if (!needsAxis(value, spelling(word)))
    return poison();
  if (word == Word::Transpose) {
    SmallVector<int64_t> to;
    for (size_t k = value.rank(); k-- > 0;)
      to.push_back(static_cast<int64_t>(k));
    return transposed(value, to, at);
  }
  if (value.elements) {
    std::vector<size_t> from;
    for (size_t k = value.elements->size(); k-- > 0;)
      from.push_back(k);
    return chosen(value, from, at);
  }
  auto op = moa::ReverseOp::create(emit.b, emit.loc(at), value.arrayType(), value.ir);
  return made(op, at, value.weakFloats);
}

/// `iota n` is 0, 1, .. n-1; `iota s` the array of index vectors of shape s.
Val Analyzer::iota(const Val &value, SourceRange at) {
  std::optional<Vals> elements = elementsOf(value, "iota");
  std::optional<std::vector<shape::Expr>> extents;
  if (elements)
    extents = extentsOf(*elements, "the length of 'iota'");
  if (!extents || !checkRank(extents->size() + 1, at))
    return poison();
  if (value.isArray())
    extents->push_back(shape::Expr(static_cast<int64_t>(elements->size())));
  auto type = moa::ArrayType::get(emit.b.getContext(), *extents, emit.b.getIndexType());
  return {Kind::Array, moa::IotaOp::create(emit.b, emit.loc(at), type), {}, {}, at};
}

} // namespace moac::sema
