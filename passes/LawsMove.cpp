// Laws of operations that only move elements: the index changes, the element does not.
#include "passes/PsiLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {

std::vector<shape::Expr> extentsOf(Value array) { return cast<ArrayType>(array.getType()).extents(); }

/// The index of a take or drop: shifted by n - m on the axes where the kept part is the last one.
Redex::Index shifted(Redex &read, Value from, ArrayType to, ArrayRef<bool> last, bool shiftWhere) {
  std::vector<shape::Expr> n = extentsOf(from), m = to.extents();
  Redex::Index index = read.index;
  for (auto [axis, end] : llvm::enumerate(last))
    if (end == shiftWhere)
      index[axis] = read.make(read.expr(index[axis]) + n[axis] - m[axis]);
  return index;
}

struct Transposition {
  static bool reverses(TransposeOp op) {
    ArrayRef<int64_t> to = op.getPermutation();
    for (size_t k = 0; k < to.size(); ++k)
      if (to[k] + static_cast<int64_t>(k) + 1 != static_cast<int64_t>(to.size()))
        return false;
    return true;
  }
  static Value apply(Redex &read, TransposeOp op) {
    Redex::Index index;
    for (int64_t to : op.getPermutation())
      index.push_back(read.index[to]);
    return read.read(op.getArray(), index);
  }
};

// P4: i psi (transpose A) == (reverse i) psi A
// Left to right. A checked subscript is checked where it goes. Measure: height.
struct Transpose : Law<Transpose, TransposeOp>, Transposition {
  using Law::Law;
  static constexpr LawText text{"P4", "psi-transpose", "i psi (transpose A) == (reverse i) psi A", "always",
                                "Transposing costs nothing: the axes are read in the other order."};
  static bool applies(TransposeOp op) { return reverses(op); }
  static bool keepsChecks(PsiOp, TransposeOp) { return true; }
  using Transposition::apply;
};

// P5: i psi (v transpose A) == i[v] psi A
// Left to right. A checked subscript is checked where it goes. Measure: height.
struct Permute : Law<Permute, TransposeOp>, Transposition {
  using Law::Law;
  static constexpr LawText text{"P5", "psi-permute", "i psi (v transpose A) == i[v] psi A", "v is a permutation of the axes",
                                "Axis k of A becomes axis v[k], so subscript k of A is subscript v[k] of the result."};
  static bool applies(TransposeOp op) { return !reverses(op); }
  static bool keepsChecks(PsiOp, TransposeOp) { return true; }
  using Transposition::apply;
};

// P6: (<i> ++ r) psi (m take A) == (<i> ++ r) psi A, and (<n - m + i> ++ r) psi A for the last m
// Left to right. m <= n has been proved or required. Measure: height.
struct Take : Law<Take, TakeOp> {
  using Law::Law;
  static constexpr LawText text{"P6", "psi-take", "(<i> ++ r) psi (m take A) == (<i> ++ r) psi A; the last m: (<n - m + i> ++ r) psi A",
                                "m <= n, the extent of the axis: proved, or required at entry",
                                "The first elements keep their index, the last ones are shifted by what is left out."};
  static Value apply(Redex &read, TakeOp op) {
    return read.read(op.getArray(), shifted(read, op.getArray(), op.arrayType(), op.getLast(), true));
  }
};

// P7: (<i> ++ r) psi (d drop A) == (<d + i> ++ r) psi A, and (<i> ++ r) psi A when the end is dropped
// Left to right. d <= n has been proved or required. Measure: height.
struct Drop : Law<Drop, DropOp> {
  using Law::Law;
  static constexpr LawText text{"P7", "psi-drop", "(<i> ++ r) psi (d drop A) == (<d + i> ++ r) psi A; at the end: (<i> ++ r) psi A",
                                "d <= n, the extent of the axis: proved, or required at entry",
                                "No copy of the rest is made: reads start d elements later."};
  static Value apply(Redex &read, DropOp op) {
    return read.read(op.getArray(), shifted(read, op.getArray(), op.arrayType(), op.getLast(), false));
  }
};

// P9: (<i> ++ r) psi (reverse A) == (<n - 1 - i> ++ r) psi A
// Left to right. i lies in its axis exactly where n - 1 - i does. Measure: height.
struct Reverse : Law<Reverse, ReverseOp> {
  using Law::Law;
  static constexpr LawText text{"P9", "psi-reverse", "(<i> ++ r) psi (reverse A) == (<n - 1 - i> ++ r) psi A",
                                "n is the extent of the leading axis", "Reversing is reading backwards; twice is not at all."};
  static bool keepsChecks(PsiOp, ReverseOp) { return true; }
  static Value apply(Redex &read, ReverseOp op) {
    Redex::Index index = read.index;
    shape::Expr mirrored = extentsOf(op.getArray()).front() - shape::Expr(1) - read.expr(index[0]);
    index[0] = read.make(mirrored, index[0].checked);
    return read.read(op.getArray(), index);
  }
};

// P10: (<i> ++ r) psi (s rotate A) == (<(i + s) mod n> ++ r) psi A
// Left to right, on each leading axis that has an amount, n its own extent. Where there is an element, n > 0. Measure: height.
struct Rotate : Law<Rotate, RotateOp> {
  using Law::Law;
  static constexpr LawText text{"P10", "psi-rotate", "(<i> ++ r) psi (s rotate A) == (<(i + s) mod n> ++ r) psi A",
                                "n is the extent of the axis that s turns; s may be negative or larger than n",
                                "A periodic neighbour is a shifted read that wraps; the loops peel the wrap off where they can."};
  static Value apply(Redex &read, RotateOp op) {
    Redex::Index index = read.index;
    std::vector<shape::Expr> n = extentsOf(op.getArray());
    for (auto [axis, amount] : llvm::enumerate(op.getAmounts())) {
      shape::Expr turned = shape::mod(read.expr(index[axis]) + read.expr({amount}), n[axis]);
      index[axis] = read.make(read.simplified(turned));
    }
    return read.read(op.getArray(), index);
  }
};

// P21: (<i> ++ r) psi A[lo:hi:step] == (<lo + step*i> ++ r) psi A, and r psi A[j] == (<j> ++ r) psi A
// Left to right. Axes that the slice lists as checked are checked at the read. Measure: height.
struct Slice : Law<Slice, SliceOp> {
  using Law::Law;
  static constexpr LawText text{"P21", "psi-slice", "(<i> ++ r) psi A[lo:hi:step] == (<lo + step*i> ++ r) psi A; r psi A[j] == (<j> ++ r) psi A",
                                "0 <= lo <= hi <= n is proved or required; an axis of which it is neither is checked at each read",
                                "A slice is a shifted, strided read."};
  static Value apply(Redex &read, SliceOp op) {
    Redex::Index index;
    ArrayRef<Redex::Subscript> rest = read.index;
    for (auto [start, step] : llvm::zip(op.getStarts(), op.getSteps())) {
      Redex::Subscript at{start};
      if (step != 0) {
        at = read.make(read.expr(at) + shape::Expr(step) * read.expr(rest.front()));
        rest = rest.drop_front();
      }
      index.push_back(at);
    }
    index.append(rest.begin(), rest.end());
    for (int64_t axis : op.getChecked())
      index[axis].checked = true;
    return read.read(op.getArray(), index);
  }
};

} // namespace

LawGroup moac::moveLaws() { return lawGroup<Transpose, Permute, Take, Drop, Reverse, Rotate, Slice>(); }
