// Vectors as values: `<2 N>`, `shape A`, and what words make of them. See Analyzer.h.
//
// Shapes, lengths and permutations are vectors of weak integers, and the types of what is made with
// them must be known here. So such a vector carries its elements (Val::elements), and arithmetic
// and structure words on it work on the elements at once: `(1 drop shape A) ++ <2>` is a shape
// again.
#include "frontend/Analyzer.h"

#include "ir/ShapeNode.h"

using namespace mlir;

namespace moac::sema {

using Kind = Val::Kind;

namespace {
constexpr size_t longest = 4096; ///< of a vector that is known element by element
constexpr int64_t maxRank = 16;
} // namespace

Val Analyzer::vector(const ast::Vector &expr) {
  Vals elements;
  bool good = true;
  for (const ast::ExprPtr &element : expr.elements) {
    elements.push_back(visit(*element));
    good &= !elements.back().poison();
  }
  return good ? vectorOf(elements, expr.range) : poison();
}

/// The vector of these scalars. Its elements are known if they are weak integers.
Val Analyzer::vectorOf(const Vals &elements, SourceRange at) {
  Meeting met{Kind::WeakInt, emit.b.getIndexType()};
  if (!elements.empty())
    met = emit.meet(elements, at, "a vector", /*allowBool=*/true);
  if (!met)
    return poison();
  SmallVector<Value> values;
  for (const Val &element : elements)
    values.push_back(emit.coerce(element, met));
  auto type =
      moa::ArrayType::get(emit.b.getContext(), {shape::Expr(int64_t(values.size()))}, met.type);
  Val result{Kind::Array, moa::VectorOp::create(emit.b, emit.loc(at), type, values), {}, {}, at};
  result.weakFloats = met.kind == Kind::WeakFloat;
  if (met.kind == Kind::WeakInt && elements.size() <= longest)
    result.elements = std::make_shared<Vals>(elements);
  return result;
}

Val Analyzer::shapeOf(const Val &array, SourceRange at) {
  Vals extents;
  for (const shape::Expr &extent : array.extents())
    extents.push_back(emit.scalarOf(extentValue(extent, at), at));
  return vectorOf(extents, at);
}

/// The elements of a word's left operand, one by one: a scalar stands for a vector of one element.
std::optional<Analyzer::Vals> Analyzer::elementsOf(const Val &vector, std::string_view word) {
  if (vector.isScalar())
    return Vals{vector};
  if (vector.elements)
    return *vector.elements;
  std::vector<shape::Expr> extents = vector.extents();
  std::optional<int64_t> length = extents.size() == 1 ? extents[0].constant() : std::nullopt;
  if (!length || *length > maxRank) {
    diags.report(diag::needsVector, vector.range, word, word == "iota" ? "" : " on its left", emit.describe(vector))
        .help(extents.size() == 1 ? "its length must be a constant: one element for each axis"
                                  : "");
    return std::nullopt;
  }
  Vals elements;
  for (int64_t i = 0; i < *length; ++i) {
    Value subscript = emit.intConstant(emit.b.getIndexType(), i, vector.range);
    elements.push_back(element(vector, {subscript}, vector.range));
    if (vector.ir.getDefiningOp<moa::IotaOp>())
      elements.back() = emit.weakInt(i, vector.range);
  }
  return elements;
}

/// A weak integer as part of a shape. Its divisors must not be zero, which is proved or required.
std::optional<shape::Expr> Analyzer::lengthOf(const Val &value, std::string_view what) {
  if (value.isArray()) {
    diags.report(diag::arrayForScalar, value.range, value.arrayType().shapeText());
    return std::nullopt;
  }
  Value ir = emit.index(value, what);
  if (!ir)
    return std::nullopt;
  shape::Expr length = exprs->toExpr(ir);
  if (!isExtent(length)) {
    diags.report(diag::notAnExtent, value.range, what, moa::IndexExprs::display(length))
        .help("the shape of an array is built from symbols; a part that depends on an index or on "
              "data is reduced with bounds: `sum[k in lo..hi](...)`");
    return std::nullopt;
  }
  for (shape::AtomRef atom : shape::atomsOf(length))
    if (atom->kind == shape::AtomKind::FloorDiv || atom->kind == shape::AtomKind::Mod)
      if (!atom->args[1].constant())
        demand({moa::ScalarFn::ne_, atom->args[1], "division", {}}, atom->args[1].str() + " != 0",
               value.range);
  return length;
}

/// The parts of a shape given by a vector; each is not negative, by proof or requirement.
std::optional<std::vector<shape::Expr>> Analyzer::extentsOf(const Vals &elements,
                                                            std::string_view what) {
  std::vector<shape::Expr> extents;
  for (const Val &value : elements) {
    std::optional<shape::Expr> extent = lengthOf(value, what);
    if (!extent || !checkNotNegative(*extent, value.range))
      return std::nullopt;
    extents.push_back(*extent);
  }
  return extents;
}

bool Analyzer::checkNotNegative(const shape::Expr &extent, SourceRange at) {
  if (ranges->entry.provePositive(-extent)) {
    diags.report(diag::negativeExtent, at, extent.str());
    return false;
  }
  requireExtent(extent, at, extent.str());
  return true;
}

bool Analyzer::checkRank(size_t rank, SourceRange at) {
  if (rank <= maxRank)
    return true;
  diags.report(diag::rankTooHigh, at, rank, maxRank);
  return false;
}

/// A word on a vector that is known: its elements chosen and ordered by `from`.
Val Analyzer::chosen(const Val &vector, const std::vector<size_t> &from, SourceRange at) {
  Vals elements;
  for (size_t i : from)
    elements.push_back((*vector.elements)[i]);
  return vectorOf(elements, at);
}

/// The elements of what a scalar function makes of known vectors of one length; empty when some
/// operand is not known.
std::shared_ptr<Analyzer::Vals>
Analyzer::knownElements(const Vals &args, const std::function<Val(const Elements &)> &body) {
  size_t length = 0;
  for (const Val &arg : args) {
    if (arg.isArray() ? !arg.elements : arg.kind != Kind::WeakInt)
      return nullptr;
    if (arg.isArray())
      length = arg.elements->size();
  }
  if (length > size_t(maxRank))
    return nullptr;
  auto result = std::make_shared<Vals>();
  for (size_t at = 0; at < length; ++at) {
    result->push_back(
        body([&](unsigned i) { return args[i].isArray() ? (*args[i].elements)[at] : args[i]; }));
    if (result->back().kind != Kind::WeakInt)
      return nullptr;
  }
  return result;
}

} // namespace moac::sema
