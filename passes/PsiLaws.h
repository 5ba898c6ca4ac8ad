// How a law of ψ-reduction is written.
//
// A law says what a full read of an operation's result is: `i psi (reverse A)` becomes a read of A at another index. So each
// is a rewrite of moa.psi, found by the operation that defines the array read; at most one law applies to any read, and no
// law looks at what surrounds it, hence the order of rewriting does not change the result. A law is a struct with
//
//     static constexpr LawText text;                     // id, equation, ...
//     static mlir::Value apply(Redex &read, OpT op);     // the right side at the index of `read`
//     static bool keepsChecks(moa::PsiOp, OpT);          // optional: see Law
//
// and a place in the group of its file.
#ifndef MOAC_PASSES_PSILAWS_H
#define MOAC_PASSES_PSILAWS_H

#include "ir/IndexExpr.h"
#include "passes/Checks.h"
#include "passes/Laws.h"
#include "passes/StageNames.h"

#include "mlir/IR/PatternMatch.h"

namespace moac {

/// A read that is being rewritten: its index, and what a law needs to say what it becomes.
class Redex {
public:
  /// One subscript; a checked one is compared with its extent before the read.
  struct Subscript {
    mlir::Value value;
    bool checked = false;
  };
  using Index = llvm::SmallVector<Subscript>;

  Redex(moa::PsiOp psi, mlir::Location loc, mlir::PatternRewriter &builder);

  /// `at psi array`, or with fewer subscripts than axes the sub-array there.
  mlir::Value read(mlir::Value array, llvm::ArrayRef<Subscript> at);
  /// The same read without its checks.
  mlir::Value readUnchecked();
  /// A subscript as algebra, and algebra as a subscript in canonical form at the builder's place.
  shape::Expr expr(Subscript subscript);
  Subscript make(const shape::Expr &e, bool checked = false);
  /// `e` made smaller by what is known where the read stands.
  shape::Expr simplified(const shape::Expr &e);
  /// The value that `block` yields with these arguments, its operations cloned here.
  mlir::Value inlined(mlir::Block &block, mlir::ValueRange arguments);
  /// `value` as it is read from an element of type `elementType`: rounded if that is narrower.
  mlir::Value stored(mlir::Value value, mlir::Type elementType);
  /// One of `values`, all of one type, by position.
  mlir::Value select(Subscript position, mlir::ValueRange values);
  /// where(condition, then, else), each side evaluated only when taken.
  mlir::Value where(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> thenValue,
                    llvm::function_ref<mlir::Value()> elseValue);

  moa::PsiOp psi;
  Index index;
  mlir::Location loc; ///< of the operation that the law removes
  mlir::PatternRewriter &b;

private:
  moa::IndexExprs exprs;
};

/// A gen of full reads of `array`, named `name`: law P20. Axes get names of their extents and positions.
moa::GenOp gatherGen(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value array, llvm::StringRef name);
/// Makes the result of `op` a gen of its own right behind it, named after `base` and read by all who used it.
moa::GenOp nameArray(mlir::Operation *op, llvm::StringRef base, StageNames &names, mlir::RewriterBase &rewriter);
/// Says that a law fired on what `loc` came from.
void reportLaw(mlir::Location loc, const LawText &law, mlir::Operation *at);

/// The pattern of a law. Reads with checked subscripts are rewritten only by laws that keep checks; for others the checks become
/// a condition around the read first, so that they are those of the array as the user wrote it.
template <class LawT, class OpT> struct Law : mlir::OpRewritePattern<moa::PsiOp> {
  using mlir::OpRewritePattern<moa::PsiOp>::OpRewritePattern;

  static bool keepsChecks(moa::PsiOp, OpT) { return false; }

  mlir::LogicalResult matchAndRewrite(moa::PsiOp psi, mlir::PatternRewriter &rewriter) const final {
    auto op = psi.getArray().getDefiningOp<OpT>();
    if (!op || llvm::isa<moa::ArrayType>(psi.getResult().getType()) || !LawT::applies(op))
      return mlir::failure();
    if (!psi.getChecked().empty() && !LawT::keepsChecks(psi, op)) {
      rewriter.replaceOp(psi, behindChecks(psi, rewriter, [&] { return Redex(psi, psi.getLoc(), rewriter).readUnchecked(); }));
      return mlir::success();
    }
    Redex read(psi, op->getLoc(), rewriter);
    mlir::Value value = LawT::apply(read, op);
    reportLaw(op->getLoc(), LawT::text, psi);
    rewriter.replaceOp(psi, value);
    return mlir::success();
  }
  /// Two laws may share an operation (ravel and reshape): then each says which it means.
  static bool applies(OpT) { return true; }
};

/// Laws of one file: their patterns and their texts.
struct LawGroup {
  void (*add)(mlir::RewritePatternSet &patterns);
  std::vector<const LawText *> texts;
};
template <class... Laws> LawGroup lawGroup() {
  return {[](mlir::RewritePatternSet &patterns) { patterns.add<Laws...>(patterns.getContext()); }, {&Laws::text...}};
}
LawGroup readLaws();      ///< P1, P13, P19, P23
LawGroup moveLaws();      ///< P4 to P7, P9, P10, P21
LawGroup shapeLaws();     ///< P8, P11, P12
LawGroup functionLaws();  ///< P2, P3, P14
LawGroup reductionLaws(); ///< P15, P16, P22
LawGroup rankLaws();      ///< P17, P18
void addPsiLaws(mlir::RewritePatternSet &patterns);

/// P20, which is no rewrite of a read: an array that must exist becomes a gen.
const LawText &gatherText();

/// No operation in the computation of this index may fail, so it may be written anew from its algebra.
bool isAlgebraic(mlir::Value index);
/// `e` made smaller by the facts at `op`; names stay among those of `e`.
shape::Expr simplifyAt(mlir::Operation *op, const shape::Expr &e, moa::IndexExprs &exprs);

/// Makes scalars of data that stand outside of every stage stages of rank 0.
void stageScalars(moa::KernelOp kernel);

/// Writes the index arithmetic of every stage in canonical form, where that takes no more operations.
void canonicaliseIndices(moa::KernelOp kernel);

/// What the laws shrink: twice the operations between a read and the stages and parameters it comes to, and one more if it
/// is checked. Every law replaces a read by reads that have less.
unsigned readHeight(moa::PsiOp read);

/// What goes before and after the laws: arrays that are returned or computed for several readers become gens; then
/// subscripts are put in canonical form and stored weak integers become i64.
void prepareReads(moa::KernelOp kernel);
void finishReads(moa::KernelOp kernel);

} // namespace moac

#endif
