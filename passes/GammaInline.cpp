// Recompute or keep: the only question that ψ-reduction leaves open for a named value.
//
// Inlining is free of meaning (values are pure), so cost alone decides. Readers are decided before what they read, hence
// the number of evaluations of a stage is known when its turn comes.
#include "passes/Passes.h"
#include "passes/AxisChoice.h"
#include "passes/Schedule.h"
#include "passes/Stages.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMAINLINE
#include "passes/Passes.h.inc"

namespace {
struct Plan {
  double evaluations = 0; ///< of the stage's body
  double sites = 1;       ///< places in the code where the body stands
  bool inlined = false;
};

constexpr double storeCost = 1, loadCost = 1;
constexpr double maxOperations = 2000; ///< of one stage after substitution: keeps the emitted source readable

/// The reduction runs best with a reduction axis innermost, so it loses nothing inside an expression.
bool prefersRegister(StageGraph &graph, Stage &stage);

struct GammaInline : impl::GammaInlineBase<GammaInline> {
  void runOnOperation() override {
    Schedule schedule(getOperation());
    if (!schedule.empty())
      return;
    StageGraph graph(getOperation());
    std::map<Stage *, Plan> plans;
    for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it) {
      Stage &stage = **it;
      Plan &plan = plans[&stage];
      double reads = 0, sites = 0;
      for (StageRead &read : stage.readers) {
        reads += plans[read.reader].evaluations * read.timesPerElement;
        sites += plans[read.reader].sites;
      }
      plan.inlined = decide(graph, stage, reads, sites);
      plan.evaluations = plan.inlined ? reads : stage.elements;
      plan.sites = plan.inlined ? sites : 1;
      if (plan.inlined)
        schedule.add("place", stage.name(), {}, "inline");
    }
    schedule.store(getOperation());
  }

  bool decide(StageGraph &graph, Stage &stage, double reads, double sites) {
    if (stage.isResult || stage.readers.empty() || stage.readChecked() || sites * stage.size > maxOperations)
      return false;
    double recompute = reads * stage.cost;
    double keep = stage.elements * (stage.cost + storeCost) + reads * loadCost;
    bool inlined = recompute <= keep;
    if (stage.hasReduction())
      inlined = sites == 1 && reads <= stage.elements && (!stage.root || stage.rank() == 0 || prefersRegister(graph, stage));
    remark::passed(stage.gen.getLoc(), remark::RemarkOpts::name("gamma-inline").category("gamma"))
        << stage.name() << (inlined ? " is recomputed where it is read" : " is kept") << ": recompute " << std::to_string(recompute)
        << ", keep " << std::to_string(keep);
    return inlined;
  }
};

bool prefersRegister(StageGraph &graph, Stage &stage) {
  auto name = innermostAxis(graph, stage, stage.gen.entry().getArguments());
  return !name || isa<moa::RedOp>(name.getOwner()->getParentOp());
}
} // namespace
} // namespace moac
