// What a pass over one axis needs of the formula itself: exponents that are below their maximum are marked, factors stand outside
// of sums, a sum of a whole array is one of its rows' sums.
#include "passes/FactorSums.h"
#include "passes/Passes.h"
#include "passes/RowSums.h"
#include "passes/Signs.h"
#include "passes/Slice.h"
#include "passes/UserSchedule.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMAFACTOR
#include "passes/Passes.h.inc"

namespace {
struct GammaFactor : impl::GammaFactorBase<GammaFactor> {
  void runOnOperation() override {
    markExponents(getOperation());
    if (UserSchedule(getOperation()).forbidsGroups() || Schedule(getOperation()).hasAny("nest") || getOperation()->hasAttr("device"))
      return;
    const bool rows = sumRows(getOperation());
    if (factorSums(getOperation()) || rows)
      for (auto gen : getOperation().entry().getOps<moa::GenOp>())
        distinguishIndices(gen);
  }
};
} // namespace
} // namespace moac
