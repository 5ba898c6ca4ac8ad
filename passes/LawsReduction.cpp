// Laws of operations that combine elements: each becomes one moa.red over the axis that goes.
#include "ir/IndexForm.h"
#include "ir/MaterializeExpr.h"
#include "passes/PsiLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {

std::vector<shape::Expr> extentsOf(Value array) { return cast<ArrayType>(array.getType()).extents(); }

/// red kind over 0 <= p < upper of term(p), stored as an element of the operation's result.
template <class OpT>
Value reduced(Redex &read, OpT op, Type type, llvm::function_ref<Value()> upper, StringRef name,
              llvm::function_ref<Value(Value)> term) {
  OpBuilder &b = read.b;
  auto red = RedOp::create(b, read.loc, op.isArg() ? b.getIndexType() : type, op.getKindAttr(), b.getStrArrayAttr({name}),
                           op.getIdentityAttr(), op.isFold() ? 3 : 2);
  {
    OpBuilder::InsertionGuard keep(b);
    b.createBlock(&red.getParts()[0]);
    Value low = indexConstant(b, read.loc, 0);
    YieldOp::create(b, read.loc, ValueRange{low, upper()});
    Value p = b.createBlock(&red.getParts()[1], {}, b.getIndexType(), read.loc)->getArgument(0);
    YieldOp::create(b, read.loc, term(p));
  }
  if (op.isFold())
    read.b.cloneRegionBefore(op.getCombine(), red.getParts()[2], red.getParts()[2].end());
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
    auto upper = [&] { return read.make(extentsOf(op.getLeft()).back()).value; };
    return reduced(read, op, valueType(op.arrayType().getElementType()), upper, axisOf(op.getLeft(), split), [&](Value p) {
      i.push_back({p});
      j.insert(j.begin(), {p});
      Value left = read.read(op.getLeft(), i);
      return read.inlined(op.getTerm().front(), {left, read.read(op.getRight(), j)});
    });
  }
};

// P16: r psi ((red f) A) == red f over p of (<p> ++ r) psi A
// Left to right; p runs over the leading axis. Measure: height.
struct Reduce : Law<Reduce, ReduceOp> {
  using Law::Law;
  static constexpr LawText text{"P16", "psi-reduce", "r psi ((red f) A) == red f over p of (<p> ++ r) psi A",
                                "f has an identity, or the axis is not empty",
                                "A reduction along the leading axis, right to left unless f may be regrouped."};
  static Value apply(Redex &read, ReduceOp op) {
    auto upper = [&] { return read.make(extentsOf(op.getArray()).front()).value; };
    return reduced(read, op, elementValue(op.getArray()), upper, axisOf(op.getArray(), 0), [&](Value p) {
      Redex::Index index{{p}};
      llvm::append_range(index, read.index);
      return read.read(op.getArray(), index);
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
    auto upper = [&] { return read.make(read.expr(read.index.front()) + shape::Expr(1)).value; };
    return reduced(read, op, elementValue(op.getArray()), upper, axisOf(op.getArray(), 0), [&](Value p) {
      Redex::Index index = read.index;
      index.front() = {p};
      return read.read(op.getArray(), index);
    });
  }
};

} // namespace

LawGroup moac::reductionLaws() { return lawGroup<Inner, Reduce, Scan>(); }
