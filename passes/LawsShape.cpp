// Laws of operations that join arrays or give their elements another shape.
#include "ir/Gamma.h"
#include "ir/MaterializeExpr.h"
#include "passes/PsiLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {

std::vector<shape::Expr> extentsOf(Value array) { return cast<ArrayType>(array.getType()).extents(); }

// P8: (<i> ++ r) psi (L ++ R) == where(i < n, (<i> ++ r) psi L, (<i - n> ++ r) psi R)
// Left to right; n is the extent of L. Each side is read only where it is meant. Both sides keep a check on i: on the left
// i < n holds, on the right i - n >= 0 does, and the other bounds are those of the whole. Measure: height.
struct Cat : Law<Cat, CatOp> {
  using Law::Law;
  static constexpr LawText text{"P8", "psi-cat", "(<i> ++ r) psi (L ++ R) == where(i < n, (<i> ++ r) psi L, (<i - n> ++ r) psi R)",
                                "n is the extent of L's leading axis",
                                "One statement becomes two, each over its own part of the axis; nothing is copied together."};
  static bool keepsChecks(PsiOp, CatOp) { return true; }
  static Value apply(Redex &read, CatOp op) {
    Redex::Index left = read.index, right = read.index;
    shape::Expr i = read.expr(left[0]), n = extentsOf(op.getLeft()).front();
    Value inLeft = buildIndex(read.b, read.loc, ScalarFn::lt_, {read.make(i).value, read.make(n).value});
    return read.where(
        inLeft, read.psi.getResult().getType(), [&] { return read.read(op.getLeft(), left); },
        [&] {
          right[0] = read.make(i - n, right[0].checked);
          return read.read(op.getRight(), right);
        });
  }
};

struct Reshaping {
  /// Reshaping what was reshaped is reshaping the original.
  static Value apply(Redex &read, ReshapeOp op) {
    Value source = op.getArray();
    while (auto inner = source.getDefiningOp<ReshapeOp>())
      source = inner.getArray();
    shape::Index i;
    for (Redex::Subscript subscript : read.index)
      i.push_back(read.expr(subscript));
    Redex::Index index;
    for (const shape::Expr &e : shape::reindexRow(i, op.arrayType().extents(), extentsOf(source)))
      index.push_back(read.make(read.simplified(e)));
    return read.read(source, index);
  }
};

// P11: i psi (s reshape A) == gamma'(gamma(i; s); rho A) psi A
// Left to right. Totals are equal, by proof or requirement. Where one shape splits or joins axes of the other no division
// is left. Measure: height.
struct Reshape : Law<Reshape, ReshapeOp>, Reshaping {
  using Law::Law;
  static constexpr LawText text{"P11", "psi-reshape", "i psi (s reshape A) == gamma'(gamma(i; s); rho A) psi A",
                                "the totals are equal: proved, or required at entry",
                                "The offset under the new shape is taken apart under the old one. Divisions stay only where extents do not divide each other."};
  static bool applies(ReshapeOp op) { return op.arrayType().rank() != 1; }
  using Reshaping::apply;
};

// P12: <k> psi (ravel A) == gamma'(k; rho A) psi A
// Left to right. Measure: height.
struct Ravel : Law<Ravel, ReshapeOp>, Reshaping {
  using Law::Law;
  static constexpr LawText text{"P12", "psi-ravel", "<k> psi (ravel A) == gamma'(k; rho A) psi A", "always",
                                "Position k in row-major order, taken apart by the extents of A."};
  static bool applies(ReshapeOp op) { return op.arrayType().rank() == 1; }
  using Reshaping::apply;
};

} // namespace

LawGroup moac::shapeLaws() { return lawGroup<Cat, Reshape, Ravel>(); }
