// Laws of the rank operator: a function applied to cells is the function at the frame's index.
#include "passes/PsiLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {

struct Ranking {
  /// A check of a subscript inside the cell is one on the function's result; one in the frame would depend on what is read.
  static bool keepsChecks(PsiOp psi, OmegaOp op) {
    return llvm::all_of(psi.getChecked(), [&](int64_t axis) { return axis >= static_cast<int64_t>(op.frameRank()); }) &&
           isa<ArrayType>(op.yielded().getType());
  }

  static Value apply(Redex &read, OmegaOp op) {
    SmallVector<Value> frame, cells;
    for (Redex::Subscript i : ArrayRef(read.index).take_front(op.frameRank()))
      frame.push_back(i.value);
    for (unsigned k = 0; k < op.getArrays().size(); ++k) {
      Redex::Index at;
      for (Value subscript : op.frameIndex(k, frame))
        at.push_back({subscript});
      cells.push_back(read.read(op.getArrays()[k], at));
    }
    Value value = read.inlined(op.entry(), cells);
    auto cell = dyn_cast<ArrayType>(value.getType());
    if (cell)
      value = read.read(value, ArrayRef(read.index).drop_front(op.frameRank()));
    Type own = op.arrayType().getElementType();
    return cell && cell.getElementType() == own ? value : read.stored(value, own);
  }
};

// P17: (k ++ c) psi ((f omega<r>) A) == c psi (f (k psi A))
// Left to right; k is an index of the frame, the axes of A before its last r. Measure: height.
struct Cells : Law<Cells, OmegaOp>, Ranking {
  using Law::Law;
  static constexpr LawText text{"P17", "psi-omega", "(k ++ c) psi ((f omega<r>) A) == c psi (f (k psi A))",
                                "r is at most the rank of A; k is an index of the axes before the last r",
                                "The frame becomes loops, and f sees one cell. With f = red g this is g reduced along an axis that is not the leading one."};
  static bool applies(OmegaOp op) { return op.getArrays().size() == 1; }
  using Ranking::apply, Ranking::keepsChecks;
};

// P18: (i ++ j ++ k ++ c) psi (A (f omega<l r>) B) == c psi (((i ++ k) psi A) f ((j ++ k) psi B))
// Left to right; k pairs the trailing axes of the frames, as many as the shorter has. Measure: height.
struct CellPairs : Law<CellPairs, OmegaOp>, Ranking {
  using Law::Law;
  static constexpr LawText text{"P18", "psi-omega-pair", "(i ++ j ++ k ++ c) psi (A (f omega<l r>) B) == c psi (((i ++ k) psi A) f ((j ++ k) psi B))",
                                "the paired trailing axes of the frames have equal extents; one of i and j is empty",
                                "The frame rule: paired axes become loops that both operands share, unpaired ones loops of one operand alone."};
  static bool applies(OmegaOp op) { return op.getArrays().size() == 2; }
  using Ranking::apply, Ranking::keepsChecks;
};

} // namespace

LawGroup moac::rankLaws() { return lawGroup<Cells, CellPairs>(); }
