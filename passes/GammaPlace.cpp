// Substitution of the stages that the schedule places inline.
#include "passes/Passes.h"
#include "passes/Schedule.h"
#include "passes/Slice.h"
#include "passes/Substitute.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMAPLACE
#include "passes/Passes.h.inc"

namespace {
struct GammaPlace : impl::GammaPlaceBase<GammaPlace> {
  void runOnOperation() override {
    Schedule schedule(getOperation());
    // Readers stand later, so substituting in order of definition leaves a read of the next stage in each of its clones.
    for (auto gen : llvm::make_early_inc_range(getOperation().entry().getOps<moa::GenOp>()))
      if (schedule.placement(gen.getName()) == "inline") {
        auto readers = llvm::count_if(gen.getResult().getUsers(), [](Operation *user) { return isa<moa::PsiOp>(user); });
        remark::passed(gen.getLoc(), remark::RemarkOpts::name("gamma-place").category("gamma").function(getOperation().getSymName()))
            << gen.getName().str() + ": computed where it is read, in " + std::to_string(readers) + (readers == 1 ? " place" : " places");
        substituteReads(gen);
      }
    for (auto gen : getOperation().entry().getOps<moa::GenOp>())
      distinguishIndices(gen);
  }
};
} // namespace
} // namespace moac
