// Laws of operations that combine elements: each becomes one moa.red over the axis that goes.
#include "ir/IndexForm.h"
#include "ir/MaterializeExpr.h"
#include "passes/PsiLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {

std::vector<shape::Expr> extentsOf(Value array) { return cast<ArrayType>(array.getType()).extents(); }

/// An index of a reduction: 0 <= name < upper.
struct Run {
  std::function<Value()> upper;
  std::string name;
};

/// red kind over the indices of `runs` of term(indices), stored as an element of the operation's result.
template <class OpT>
Value reduced(Redex &read, OpT op, Type type, ArrayRef<Run> runs, llvm::function_ref<Value(ValueRange)> term) {
  OpBuilder &b = read.b;
  SmallVector<StringRef> names;
  for (const Run &run : runs)
    names.push_back(run.name);
  auto count = static_cast<unsigned>(runs.size());
  auto red = RedOp::create(b, read.loc, op.isArg() ? b.getIndexType() : type, op.getKindAttr(), b.getStrArrayAttr(names),
                           op.getIdentityAttr(), count + (op.isFold() ? 2 : 1));
  {
    OpBuilder::InsertionGuard keep(b);
    auto block = [&](unsigned region, unsigned indices) {
      SmallVector<Type> types(indices, b.getIndexType());
      return b.createBlock(&red.getParts()[region], {}, types, SmallVector<Location>(indices, read.loc));
    };
    for (unsigned i = 0; i < count; ++i) {
      block(i, i);
      Value low = indexConstant(b, read.loc, 0);
      YieldOp::create(b, read.loc, ValueRange{low, runs[i].upper()});
    }
    Block *terms = block(count, count);
    YieldOp::create(b, read.loc, term(terms->getArguments()));
  }
  if (op.isFold())
    read.b.cloneRegionBefore(op.getCombine(), red.getParts()[count + 1], red.getParts()[count + 1].end());
  return read.stored(red.getResult(), op.arrayType().getElementType());
}

/// The axis that a reduction along the leading axis of `array` runs over.
std::string axisOf(Value array, unsigned axis) { return axisName(extentsOf(array)[axis], axis); }

Type elementValue(Value array) { return valueType(cast<ArrayType>(array.getType()).getElementType()); }

// P15: (i ++ j) psi (A f.g B) == red f over p of ((i ++ <p>) psi A) g ((<p> ++ j) psi B)
// Left to right; p runs over the last axis of A, which is the first of B. Measure: height.
struct Inner : Law<Inner, InnerOp> {
  using Law::Law;
  static constexpr LawText text{"P15", "psi-inner", "(i ++ j) psi (A f.g B) == red f over p of ((i ++ <p>) psi A) g ((<p> ++ j) psi B)",
                                "the last extent of A is the first of B",
                                "A product of arrays is a reduction of scalar products; neither operand is copied or transposed."};
  static Value apply(Redex &read, InnerOp op) {
    auto split = static_cast<size_t>(cast<ArrayType>(op.getLeft().getType()).rank() - 1);
    Redex::Index i(ArrayRef(read.index).take_front(split)), j(ArrayRef(read.index).drop_front(split));
    Run run{[&] { return read.make(extentsOf(op.getLeft()).back()).value; }, axisOf(op.getLeft(), split)};
    return reduced(read, op, valueType(op.arrayType().getElementType()), run, [&](ValueRange p) {
      i.push_back({p[0]});
      j.insert(j.begin(), {p[0]});
      Value left = read.read(op.getLeft(), i);
      return read.inlined(op.getTerm().front(), {left, read.read(op.getRight(), j)});
    });
  }
};

/// The axes of A that a leading axis of `array` holds in row-major order: those of the operand where `array` only joins them,
/// as a ravel does, else the leading axis itself.
std::pair<Value, unsigned> leadingAxes(Value array) {
  auto reshape = array.getDefiningOp<ReshapeOp>();
  if (!reshape)
    return {array, 1};
  std::vector<shape::Expr> to = extentsOf(array), from = extentsOf(reshape.getArray());
  if (from.size() < to.size())
    return {array, 1};
  size_t joined = from.size() - to.size() + 1;
  shape::Expr product(1);
  for (size_t axis = 0; axis < joined; ++axis)
    product = product * from[axis];
  bool same = product == to[0] && std::equal(to.begin() + 1, to.end(), from.begin() + static_cast<std::ptrdiff_t>(joined));
  return same && joined > 1 ? std::pair{reshape.getArray(), static_cast<unsigned>(joined)} : std::pair{array, 1u};
}

// P16: r psi ((red f) A) == red f over p of (<p> ++ r) psi A
// Left to right; p runs over the leading axis, or over the axes that it joins in their order. Measure: height.
struct Reduce : Law<Reduce, ReduceOp> {
  using Law::Law;
  static constexpr LawText text{"P16", "psi-reduce", "r psi ((red f) A) == red f over p of (<p> ++ r) psi A",
                                "f has an identity, or the axis is not empty",
                                "A reduction along the leading axis, right to left unless f may be regrouped."};
  static Value apply(Redex &read, ReduceOp op) {
    auto [array, count] = leadingAxes(op.getArray());
    SmallVector<Run> runs;
    for (unsigned axis = 0; axis < count; ++axis)
      runs.push_back({[&read, array = array, axis] { return read.make(extentsOf(array)[axis]).value; }, axisOf(array, axis)});
    return reduced(read, op, elementValue(array), runs, [&, array = array](ValueRange p) {
      Redex::Index index;
      for (Value one : p)
        index.push_back({one});
      llvm::append_range(index, read.index);
      return read.read(array, index);
    });
  }
};

// P22: (<i> ++ r) psi ((scan f) A) == red f over p < i + 1 of (<p> ++ r) psi A
// Left to right: each element reduces its own prefix. Measure: height.
struct Scan : Law<Scan, ScanOp> {
  using Law::Law;
  static constexpr LawText text{"P22", "psi-scan", "(<i> ++ r) psi ((scan f) A) == red f over p < i + 1 of (<p> ++ r) psi A", "always",
                                "Each element is the reduction of the prefix that ends there."};
  static Value apply(Redex &read, ScanOp op) {
    Run run{[&] { return read.make(read.expr(read.index.front()) + shape::Expr(1)).value; }, axisOf(op.getArray(), 0)};
    return reduced(read, op, elementValue(op.getArray()), run, [&](ValueRange p) {
      Redex::Index index = read.index;
      index.front() = {p[0]};
      return read.read(op.getArray(), index);
    });
  }
};

} // namespace

LawGroup moac::reductionLaws() { return lawGroup<Inner, Reduce, Scan>(); }
