// Verifiers of the operator form's operations; the ids are sections of Semantics.md. Shapes are compared as text, which is canonical.
// Where the language asks for a proof (take within its axis, equal totals of a reshape), the frontend has given it or required it.
#include "ir/Moa.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
ArrayType typeOf(Value array) { return cast<ArrayType>(array.getType()); }

using Extents = SmallVector<StringAttr>;
Extents extentsOf(Value array) { return Extents(typeOf(array).getExtentTexts()); }

Extents join(Extents a, ArrayRef<StringAttr> b) {
  a.append(b.begin(), b.end());
  return a;
}

LogicalResult expectShape(Operation *op, ArrayType result, ArrayRef<StringAttr> expected, StringRef id) {
  if (result.getExtentTexts() == expected)
    return success();
  auto type = ArrayType::get(op->getContext(), expected, result.getElementType(), false);
  return op->emitOpError() << "has shape " << result.shapeText() << ", expected " << type.shapeText() << " [" << id << "]";
}

/// One block that takes `arguments` and yields one value of type `result`.
bool yieldsOne(Region &region, TypeRange arguments, Type result) {
  if (!region.hasOneBlock() || region.front().empty())
    return false;
  auto yield = dyn_cast<YieldOp>(region.front().back());
  return yield && yield.getNumOperands() == 1 && region.front().getArgumentTypes() == arguments &&
         yield.getOperand(0).getType() == result;
}

Type elementValue(Value array) { return valueType(typeOf(array).getElementType()); }

/// take and drop: trailing axes and the element type stay.
LogicalResult verifyPart(Operation *op, Value array, size_t given, ArrayType result) {
  ArrayType from = typeOf(array);
  if (given > static_cast<size_t>(from.rank()))
    return op->emitOpError() << "names " << given << " axes of shape " << from.shapeText() << " [part_c1]";
  bool same = result.rank() == from.rank() && result.getElementType() == from.getElementType() &&
              result.getExtentTexts().drop_front(given) == from.getExtentTexts().drop_front(given);
  return same ? success() : op->emitOpError("must keep the element type and the trailing axes [part_c2]");
}

/// Kind, combine region and identity of inner, reduce and scan; `type` is what is reduced.
template <class OpT> LogicalResult verifyReduction(OpT op, Type type, bool mayBeArg) {
  bool known = llvm::StringSwitch<bool>(op.getKind())
                   .Cases({"add", "mul", "max", "min", "any", "all", "fold"}, true)
                   .Cases({"argmax", "argmin"}, mayBeArg)
                   .Default(false);
  if (!known)
    return op.emitOpError() << "cannot reduce with '" << op.getKind() << "' [reduction_c1]";
  if (op.isFold() != !op.getCombine().empty() || (op.isFold() && !yieldsOne(op.getCombine(), {type, type}, type)))
    return op.emitOpError("needs a combine region from term and accumulator for fold, and only then [reduction_c2]");
  Type expected = op.isArg() ? IndexType::get(op.getContext()) : type;
  if (valueType(op.arrayType().getElementType()) != expected)
    return op.emitOpError() << "must have elements of type " << typeName(expected) << " [reduction_c3]";
  return success();
}
} // namespace

LogicalResult IotaOp::verify() {
  ArrayType type = arrayType();
  if (!type.getElementType().isIndex())
    return emitOpError("has weak integers for elements [iota_c1]");
  int64_t rank = type.rank();
  if (rank < 1 || (rank > 1 && type.getExtentTexts().back().getValue() != std::to_string(rank - 1)))
    return emitOpError() << "has shape " << type.shapeText() << ", which no iota has [iota_c2]";
  return success();
}

LogicalResult VectorOp::verify() {
  ArrayType type = arrayType();
  if (type.rank() != 1 || type.getExtentTexts().front().getValue() != std::to_string(getElements().size()))
    return emitOpError() << "of " << getElements().size() << " elements has shape " << type.shapeText() << " [vector_c1]";
  if (llvm::any_of(getElements().getTypes(), [&](Type t) { return t != valueType(type.getElementType()); }))
    return emitOpError("needs elements of one type [vector_c2]");
  return success();
}

LogicalResult TakeOp::verify() { return verifyPart(*this, getArray(), getLast().size(), arrayType()); }
LogicalResult DropOp::verify() { return verifyPart(*this, getArray(), getLast().size(), arrayType()); }

LogicalResult SliceOp::verify() {
  ArrayType from = typeOf(getArray());
  size_t given = getSteps().size();
  if (getStarts().size() != given || given > static_cast<size_t>(from.rank()))
    return emitOpError() << "needs a start and a step for each of at most " << from.rank() << " axes [slice_c1]";
  int64_t fixed = llvm::count(getSteps(), 0);
  bool negative = llvm::any_of(getSteps(), [](int64_t step) { return step < 0; });
  bool fits = arrayType().rank() == from.rank() - fixed && arrayType().getElementType() == from.getElementType() &&
              arrayType().getExtentTexts().drop_front(given - fixed) == from.getExtentTexts().drop_front(given);
  if (negative || !fits)
    return emitOpError("keeps the element type, the axes with a positive step and the trailing axes [slice_c2]");
  for (int64_t axis : getChecked())
    if (axis < 0 || axis >= static_cast<int64_t>(given))
      return emitOpError() << "checked axis " << axis << " has no start [slice_c3]";
  return success();
}

LogicalResult ReverseOp::verify() {
  return arrayType().rank() ? success() : emitOpError("needs an axis [reverse_c1]");
}

LogicalResult RotateOp::verify() {
  if (getAmounts().size() > static_cast<size_t>(arrayType().rank()))
    return emitOpError() << "has " << getAmounts().size() << " amounts for shape " << arrayType().shapeText() << " [rotate_c1]";
  return success();
}

LogicalResult TransposeOp::verify() {
  Extents from = extentsOf(getArray()), expected(from.size());
  llvm::SmallBitVector seen(from.size());
  bool good = getPermutation().size() == from.size();
  for (size_t k = 0; good && k < from.size(); ++k) {
    int64_t to = getPermutation()[k];
    good = to >= 0 && to < static_cast<int64_t>(from.size()) && !seen.test(to);
    if (good) {
      seen.set(to);
      expected[to] = from[k];
    }
  }
  if (!good)
    return emitOpError() << "needs a permutation of the " << from.size() << " axes [transpose_c1]";
  return expectShape(*this, arrayType(), expected, "transpose_c2");
}

LogicalResult CatOp::verify() {
  ArrayType left = typeOf(getLeft()), right = typeOf(getRight());
  if (left.rank() == 0 || left.rank() != right.rank() || left.getElementType() != right.getElementType() ||
      arrayType().getElementType() != left.getElementType())
    return emitOpError("needs arrays of one element type and one rank of at least 1 [cat_c1]");
  std::vector<shape::Expr> expected = left.extents();
  expected[0] = expected[0] + right.extents()[0];
  auto type = ArrayType::get(getContext(), expected, left.getElementType());
  return expectShape(*this, arrayType(), type.getExtentTexts(), "cat_c2");
}

LogicalResult MapOp::verify() {
  if (getArrays().empty())
    return emitOpError("needs an array [map_c1]");
  SmallVector<Type> elements;
  for (Value array : getArrays())
    elements.push_back(elementValue(array));
  if (!yieldsOne(getBody(), elements, valueType(arrayType().getElementType())))
    return emitOpError("must take an element of each operand and yield one of the result [map_c2]");
  return success();
}

LogicalResult OuterOp::verify() {
  if (!yieldsOne(getBody(), {elementValue(getLeft()), elementValue(getRight())}, valueType(arrayType().getElementType())))
    return emitOpError("must take an element of each operand and yield one of the result [outer_c1]");
  return expectShape(*this, arrayType(), join(extentsOf(getLeft()), extentsOf(getRight())), "outer_c2");
}

LogicalResult InnerOp::verify() {
  Extents left = extentsOf(getLeft()), right = extentsOf(getRight());
  if (left.empty() || right.empty())
    return emitOpError("needs an axis on both sides [inner_c1]");
  Type type = valueType(arrayType().getElementType());
  if (!yieldsOne(getTerm(), {elementValue(getLeft()), elementValue(getRight())}, type))
    return emitOpError("must take an element of each operand and yield the term [inner_c2]");
  if (failed(verifyReduction(*this, type, false)))
    return failure();
  left.pop_back();
  return expectShape(*this, arrayType(), join(left, ArrayRef(right).drop_front()), "inner_c3");
}

LogicalResult ReduceOp::verify() {
  Extents from = extentsOf(getArray());
  if (from.empty())
    return emitOpError("needs an axis [reduce_c1]");
  if (failed(verifyReduction(*this, elementValue(getArray()), true)))
    return failure();
  return expectShape(*this, arrayType(), ArrayRef(from).drop_front(), "reduce_c2");
}

LogicalResult ScanOp::verify() {
  Extents from = extentsOf(getArray());
  if (from.empty())
    return emitOpError("needs an axis [scan_c1]");
  if (failed(verifyReduction(*this, elementValue(getArray()), true)))
    return failure();
  return expectShape(*this, arrayType(), from, "scan_c2");
}

LogicalResult OmegaOp::verify() {
  size_t count = getArrays().size();
  if (count < 1 || count > 2 || getRanks().size() != count)
    return emitOpError("takes one or two arrays and a rank for each [omega_c1]");
  SmallVector<Type> cells;
  for (auto [array, rank] : llvm::zip(getArrays(), getRanks())) {
    ArrayType type = typeOf(array);
    if (rank < 0 || rank > type.rank())
      return emitOpError() << "rank " << rank << " does not fit shape " << type.shapeText() << " [omega_c2]";
    cells.push_back(rank == 0 ? valueType(type.getElementType())
                              : Type(ArrayType::get(getContext(), type.getExtentTexts().take_back(rank), type.getElementType(), false)));
  }
  auto yield = entry().empty() ? YieldOp() : dyn_cast<YieldOp>(entry().back());
  if (!yield || yield.getNumOperands() != 1 || entry().getArgumentTypes() != TypeRange(cells))
    return emitOpError("must take a cell of each operand and yield one value [omega_c3]");
  Extents expected = extentsOf(getArrays()[0]);
  expected.resize(frameRank(0));
  if (count == 2) { // u ++ v ++ x
    Extents other = extentsOf(getArrays()[1]);
    other.resize(frameRank(1));
    auto x = llvm::to_vector(ArrayRef(expected).take_back(paired()));
    expected.resize(frameRank(0) - paired());
    expected = join(expected, ArrayRef(other).drop_back(paired()));
    expected = join(expected, x);
  }
  auto cell = dyn_cast<ArrayType>(yielded().getType());
  Type element = cell ? valueType(cell.getElementType()) : yielded().getType();
  if (element != valueType(arrayType().getElementType()))
    return emitOpError("yields another element type than it has [omega_c4]");
  return expectShape(*this, arrayType(), cell ? join(expected, cell.getExtentTexts()) : expected, "omega_c5");
}

SmallVector<Value> OmegaOp::frameIndex(unsigned i, ValueRange result) {
  if (getArrays().size() < 2)
    return SmallVector<Value>(result.take_front(frameRank(0)));
  unsigned u = frameRank(0) - paired(), v = frameRank(1) - paired();
  SmallVector<Value> index(i == 0 ? result.take_front(u) : result.slice(u, v));
  llvm::append_range(index, result.slice(u + v, paired()));
  return index;
}
