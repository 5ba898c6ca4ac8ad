// ψ-reduction: every read comes down to reads of parameters and stages, and no operation on whole arrays is left.
//
// The laws (PsiLaws.h) do the work, in whatever order MLIR's driver finds their redexes. Afterwards the kernel is looked
// over: an operation that no law removed would be a mistake of this compiler, and is reported as one.
#include "passes/Passes.h"
#include "passes/PsiLaws.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_PSIREDUCE
#include "passes/Passes.h.inc"

namespace {
struct PsiReduce : impl::PsiReduceBase<PsiReduce> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    addPsiLaws(set);
    laws = std::move(set);
    return success();
  }

  void runOnOperation() override {
    moa::KernelOp kernel = getOperation();
    prepareReads(kernel);
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
        .enableConstantCSE(false);
    if (failed(applyPatternsGreedily(kernel, laws, config)) || failed(verifyReduced(kernel)))
      return signalPassFailure();
    finishReads(kernel);
  }

  static LogicalResult verifyReduced(moa::KernelOp kernel) {
    WalkResult walked = kernel.walk([](Operation *op) {
      if (isa<moa::GenOp>(op))
        return WalkResult::advance();
      for (Type type : op->getResultTypes())
        if (isa<moa::ArrayType>(type)) {
          op->emitOpError("is left by the laws of psi-reduction; this is an error of the compiler");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  FrozenRewritePatternSet laws;
};
} // namespace
} // namespace moac
