// Recompute or keep: the only question that ψ-reduction leaves open for a named value.
//
// Inlining is free of meaning (values are pure), so cost alone decides. Readers are decided before what they read, hence
// the number of evaluations of a stage is known when its turn comes.
#include "passes/Passes.h"
#include "passes/AxisChoice.h"
#include "passes/Contraction.h"
#include "passes/UserSchedule.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMAINLINE
#include "passes/Passes.h.inc"

namespace {
struct Plan {
  double evaluations = 0; ///< of the stage's body
  double sites = 1;       ///< places in the code where the body stands
  bool captured = false;  ///< a reader reduces over terms that take the value from outside of them
  bool inlined = false;
};

constexpr double storeCost = 1, loadCost = 1;
constexpr double maxOperations = 2000; ///< of one stage after substitution: keeps the emitted source readable

/// The only reader can finish the blocks of a contraction: it is a result, or goes into other contractions only.
bool finishedByReader(Stage &stage, StageGraph &graph) {
  Stage *reader = stage.readers.size() == 1 ? stage.readers[0].reader : nullptr;
  return reader && (reader->isResult || llvm::all_of(reader->readers, [&](StageRead &read) {
                      return contractionOf(graph, *read.reader).has_value();
                    }));
}

/// The reduction runs best with a reduction axis innermost, so it loses nothing inside an expression.
bool prefersRegister(Stage &stage) {
  BlockArgument innermost = innermostAxis(stage, stage.gen.entry().getArguments());
  return !innermost || isa<moa::RedOp>(innermost.getOwner()->getParentOp());
}

struct GammaInline : impl::GammaInlineBase<GammaInline> {
  void runOnOperation() override {
    Schedule schedule(getOperation());
    if (schedule.hasAny("nest"))
      return; // stated by whoever wrote the directives
    UserSchedule user(getOperation());
    StageGraph graph(getOperation());
    std::map<Stage *, Plan> plans;
    for (auto it = graph.stages.rbegin(); it != graph.stages.rend(); ++it) {
      Stage &stage = **it;
      Plan &plan = plans[&stage];
      double reads = 0;
      plan.sites = 0;
      for (StageRead &read : stage.readers) {
        double share = 1;
        if (std::optional<Contraction> packed = contractionOf(graph, *read.reader))
          share = packedShare(graph, *packed, read.psi);
        reads += plans[read.reader].evaluations * read.timesPerElement * share;
        plan.sites += plans[read.reader].sites;
        moa::RedOp root = read.reader->root;
        plan.captured |= (root && !root->isAncestor(read.psi)) || (plans[read.reader].inlined && plans[read.reader].captured);
      }
      StringRef said = schedule.placement(stage.name());
      if (said == "inline" && plan.sites * stage.size > maxOperations)
        return refuse(user, stage, plan.sites);
      plan.inlined = said.empty() ? decide(graph, stage, reads, plan, schedule.has("keep", stage.name())) : said == "inline";
      plan.evaluations = plan.inlined ? reads : stage.elements;
      plan.sites = plan.inlined ? plan.sites : 1;
      if (plan.inlined && said.empty())
        schedule.add("place", stage.name(), {}, "inline");
    }
    schedule.store(getOperation());
  }

  void refuse(const UserSchedule &user, Stage &stage, double sites) {
    for (const UserDirective &directive : user.all())
      for (auto [i, name] : llvm::enumerate(directive.names))
        if (directive.is("place") && directive.mode == "inline" && name == stage.name())
          (void)user.refuse(directive, i, "cannot-place", figure(stage.size) + " operations would stand in " + figure(sites) + " places", "store it");
        else if (directive.is("reduce") && directive.mode == "recompute" && i == 0)
          (void)user.refuse(directive, i, "cannot-reduce", figure(stage.size) + " operations of '" + stage.name() + "' would stand in " + figure(sites) + " places", "say `owner`, and leave the place of '" + stage.name() + "' open");
    signalPassFailure();
  }

  bool decide(StageGraph &graph, Stage &stage, double reads, const Plan &plan, bool kept) {
    auto [inlined, reason] = kept ? std::pair(false, std::string("the schedule speaks of it")) : judge(graph, stage, reads, plan);
    remark::passed(stage.gen.getLoc(), remark::RemarkOpts::name("gamma-inline").category("gamma").function(getOperation().getSymName()))
        << stage.name() << ": " << (inlined ? "inlined: " : "stored: ") << reason;
    return inlined;
  }

  /// Whether to recompute the stage where it is read, and why, for the reader of `explain`.
  std::pair<bool, std::string> judge(StageGraph &graph, Stage &stage, double reads, const Plan &plan) {
    const double sites = plan.sites;
    if (stage.isResult)
      return {false, "a result"};
    if (stage.readers.empty())
      return {false, "nobody reads it"};
    if (stage.readChecked())
      return {false, "it is read with a check"};
    if (sites * stage.size > maxOperations)
      return {false, figure(stage.size) + " operations would stand in " + figure(sites) + " places"};
    if (contractionOf(graph, stage) && finishedByReader(stage, graph))
      return {false, "a contraction: it runs in register blocks"};
    if (stage.hasReduction()) {
      if (sites > 1)
        return {false, "a reduction that is read in " + figure(sites) + " places"};
      if (reads > stage.elements)
        return {false, "a reduction; each element is read " + figure(reads / stage.elements) + " times"};
      if (plan.captured) // loops over free axes may run inside those of the reader's reduction
        return {false, "a reduction that every term of another one takes"};
      if (stage.root && stage.rank() > 0 && !prefersRegister(stage))
        return {false, "a reduction that runs best outside its innermost axis"};
      return {true, "a reduction that is read once for each element"};
    }
    double recompute = reads * stage.cost;
    double keep = stage.elements * (stage.cost + storeCost) + reads * loadCost;
    return {recompute <= keep, "recomputing costs " + figure(recompute) + ", keeping it " + figure(keep) + " (all extents " +
                                   figure(StageGraph::sampleSize) + ")"};
  }

  static std::string figure(double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.4g", value);
    return text;
  }
};

} // namespace
} // namespace moac
