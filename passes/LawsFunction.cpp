// Laws of scalar functions: applied to arrays of one shape, or to every pair of elements.
#include "passes/PsiLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {

struct Mapping {
  static Value apply(Redex &read, MapOp op) {
    SmallVector<Value> elements;
    for (Value array : op.getArrays())
      elements.push_back(read.read(array, read.index));
    return read.stored(read.inlined(op.entry(), elements), op.arrayType().getElementType());
  }
};

// P2: i psi (A f B) == (i psi A) f (i psi B)
// Left to right; scalars pass through. The shapes are equal, so a check of i on each operand is the check on the result.
// Measure: height.
struct Zip : Law<Zip, MapOp>, Mapping {
  using Law::Law;
  static constexpr LawText text{"P2", "psi-zip", "i psi (A f B) == (i psi A) f (i psi B)", "A and B have one shape, or one is a scalar",
                                "Element by element: no array of the result is made before it is needed."};
  static bool applies(MapOp op) { return op.getArrays().size() > 1; }
  static bool keepsChecks(PsiOp, MapOp) { return true; }
  using Mapping::apply;
};

// P3: i psi (f A) == f (i psi A)
// Left to right. Measure: height.
struct Map : Law<Map, MapOp>, Mapping {
  using Law::Law;
  static constexpr LawText text{"P3", "psi-map", "i psi (f A) == f (i psi A)", "f is a scalar function, perhaps of further scalars",
                                "The function moves to the element."};
  static bool applies(MapOp op) { return op.getArrays().size() == 1; }
  static bool keepsChecks(PsiOp, MapOp) { return true; }
  using Mapping::apply;
};

// P14: (i ++ j) psi (A (outer f) B) == (i psi A) f (j psi B)
// Left to right; i is as long as A has axes. Measure: height.
struct Outer : Law<Outer, OuterOp> {
  using Law::Law;
  static constexpr LawText text{"P14", "psi-outer", "(i ++ j) psi (A (outer f) B) == (i psi A) f (j psi B)", "i is as long as A has axes",
                                "Every pair of elements; the table itself is stored only if somebody asks for it."};
  static bool keepsChecks(PsiOp, OuterOp) { return true; }
  static Value apply(Redex &read, OuterOp op) {
    size_t split = cast<ArrayType>(op.getLeft().getType()).rank();
    Value left = read.read(op.getLeft(), ArrayRef(read.index).take_front(split));
    Value right = read.read(op.getRight(), ArrayRef(read.index).drop_front(split));
    return read.stored(read.inlined(op.entry(), {left, right}), op.arrayType().getElementType());
  }
};

} // namespace

LawGroup moac::functionLaws() { return lawGroup<Zip, Map, Outer>(); }
