// Laws that end a read: composition of indices, and arrays whose elements are known outright.
#include "passes/PsiLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {

// P1: j psi (i psi A) == (i ++ j) psi A
// Left to right, for a full or partial j. Checked axes stay checked. Measure: height.
struct Compose : OpRewritePattern<PsiOp> {
  using OpRewritePattern<PsiOp>::OpRewritePattern;
  static constexpr LawText text{"P1", "psi-psi", "j psi (i psi A) == (i ++ j) psi A", "always",
                                "A read of a sub-array is a read of the whole with a longer index, so sub-arrays are never made."};

  LogicalResult matchAndRewrite(PsiOp outer, PatternRewriter &b) const final {
    auto inner = outer.getArray().getDefiningOp<PsiOp>();
    if (!inner)
      return failure();
    SmallVector<Value> subscripts(inner.getSubscripts());
    llvm::append_range(subscripts, outer.getSubscripts());
    SmallVector<int64_t> checked(inner.getChecked());
    for (int64_t axis : outer.getChecked())
      checked.push_back(axis + static_cast<int64_t>(inner.getSubscripts().size()));
    reportLaw(outer.getLoc(), text, outer);
    b.replaceOpWithNewOp<PsiOp>(outer, outer.getResult().getType(), inner.getArray(), subscripts, b.getDenseI64ArrayAttr(checked));
    return success();
  }
};

// P13: <i> psi (iota n) == i, and (i ++ <j>) psi (iota s) == i[j]
// Left to right. Measure: height.
struct Iota : Law<Iota, IotaOp> {
  using Law::Law;
  static constexpr LawText text{"P13", "psi-iota", "<i> psi (iota n) == i, (i ++ <j>) psi (iota s) == i[j]", "always",
                                "An array of indices is never stored: its elements are the loop indices themselves."};
  static Value apply(Redex &read, IotaOp) {
    if (read.index.size() == 1)
      return read.index.front().value;
    SmallVector<Value> indices;
    for (Redex::Subscript i : ArrayRef(read.index).drop_back())
      indices.push_back(i.value);
    return read.select(read.index.back(), indices);
  }
};

// P19: <i> psi <a b c> == the i-th of a, b, c
// Left to right; `shape A` is such a vector, of A's extents. Measure: height.
struct Vector : Law<Vector, VectorOp> {
  using Law::Law;
  static constexpr LawText text{"P19", "psi-vector", "<i> psi <a b c> == the i-th of a, b, c",
                                "always; `shape A` is the vector of A's extents, `dim A` and `total A` are numbers",
                                "Shapes are known before any data, so reading one is reading a symbol or a constant."};
  static Value apply(Redex &read, VectorOp op) {
    Type type = op.arrayType().getElementType();
    if (op.getElements().empty()) // nobody asks, but the read has to be of something
      return ConstantOp::create(read.b, read.loc, cast<TypedAttr>(read.b.getZeroAttr(valueType(type))));
    return read.stored(read.select(read.index.front(), op.getElements()), type);
  }
};

// P23: i psi (gen e) == e at i
// Left to right, for a gen that stands for an array without a name and is read once. Measure: height.
struct Substitute : Law<Substitute, GenOp> {
  using Law::Law;
  static constexpr LawText text{"P23", "psi-gen", "i psi (gen e) == e at i", "the gen has no name and is read once",
                                "A definition by index says what an element is; without a name it is said where it is read."};
  static bool applies(GenOp op) { return op->hasAttr("anonymous"); }
  static Value apply(Redex &read, GenOp op) {
    SmallVector<Value> index;
    for (Redex::Subscript i : read.index)
      index.push_back(i.value);
    return read.stored(read.inlined(op.entry(), index), op.arrayType().getElementType());
  }
};

} // namespace

LawGroup moac::readLaws() { return lawGroup<Compose, Iota, Vector, Substitute>(); }
