// The user's directives against the stages of the kernel: which loops and values they name, whether
// lifts are possible, and what they say of placement.
#include "passes/Packing.h"
#include "passes/Passes.h"
#include "passes/Slice.h"
#include "passes/UserSchedule.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMALIFT
#include "passes/Passes.h.inc"

namespace {
using moa::RedOp;

class Resolver {
public:
  Resolver(moa::KernelOp kernel, StageGraph &graph)
      : kernel(kernel), graph(graph), user(kernel), schedule(kernel) {}

  LogicalResult run() {
    for (auto &stage : graph.stages)
      for (BlockArgument axis : indicesOf(*stage))
        for (StringRef name : loopNames(axis))
          if (!name.contains('.'))
            known.insert(name.str());
    for (const UserDirective &directive : user.all())
      if (failed(directive.is("lift")    ? lift(directive)
                 : directive.is("place") ? place(directive)
                                         : loops(directive)))
        return failure();
    for (const std::string &name : kept)
      schedule.add("keep", name, {});
    schedule.store(kernel);
    return success();
  }

private:
  LogicalResult lift(const UserDirective &directive) {
    bool again = !pairs.insert({directive.names[1], directive.names[2]})
                      .second; // the same loops of another value
    for (unsigned name : {1u, 2u})
      if ((!again && known.count(directive.names[name].str())) ||
          directive.names[name].contains('.'))
        return user.refuse(directive, name, "cannot-lift", "there is a loop of that name already",
                           "the two new loops need names of their own");
    StringRef mode = directive.mode;
    bool cyclic = mode.consume_back(" cyclic");
    shape::Expr by = *shape::Expr::parse(std::string_view(mode.data(), mode.size()));
    bool found = false;
    std::vector<std::string> loops;
    for (auto &stage : graph.stages)
      for (const StageLoop &loop : allLoops(*stage, lifted)) {
        if (!isCalled(loop, *stage, directive.names[0]))
          continue;
        found = true;
        loops.push_back(stage->name() + "." + loop.digit.name);
        keep(*stage, loop, directive.names[0]);
        std::string word = loop.digit.name;
        auto red = dyn_cast<RedOp>(binderOf(loop.axis));
        shape::Expr extent = extentOf(loop.axis, graph.exprs);
        std::optional<std::string> reason;
        if (red && (red.isFold() || red.isArg()))
          reason = red.getKind().str() + " over '" + word + "' in '" + stage->name() +
                   "' takes its terms in order";
        else if (cyclic && !knownAtEntry(extent, graph.exprs))
          reason = "the bounds of '" + word + "' in '" + stage->name() +
                   "' depend on data or on other indices";
        else
          reason = lifted.lift(loop.axis, extent, word, by, cyclic, directive.names[1],
                               directive.names[2]);
        if (reason)
          return user.refuse(directive, 0, "cannot-lift", *reason, "");
      }
    if (!found)
      return unknownLoop(directive, 0);
    report("lift of " + llvm::join(loops, ", ") + " by " + directive.mode.str() + ": loops " + directive.names[1].str() + ", " + directive.names[2].str());
    known.insert(directive.names[1].str());
    known.insert(directive.names[2].str());
    return success();
  }

  /// Directives that name loops only.
  LogicalResult loops(const UserDirective &directive) {
    for (auto [i, name] : llvm::enumerate(directive.names)) {
      bool found = false;
      std::vector<std::string> means;
      for (auto &stage : graph.stages)
        for (const StageLoop &loop : allLoops(*stage, directive.is("reduce") ? LiftedAxes() : lifted)) // an axis, not one of its loops
          if (isCalled(loop, *stage, name)) {
            found = true;
            means.push_back(stage->name() + "." + loop.digit.name);
            if (!directive.leavesLoops())
              keep(*stage, loop, name);
          }
      if (!found)
        return unknownLoop(directive, i);
      report(directive.verb.str() + " " + name.str() + ": " + llvm::join(means, ", "));
    }
    return success();
  }

  /// Which loops of which values the user's words mean.
  void report(const std::string &text) {
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("gamma-lift").category("gamma").function(kernel.getSymName())) << text;
  }

  /// A sum whose loops are spoken of stays a stage: inside an expression it has no place in the
  /// order.
  void keep(Stage &stage, const StageLoop &loop, StringRef name) {
    if (loop.isReduction() || name.contains('.'))
      kept.insert(stage.name());
  }

  LogicalResult unknownLoop(const UserDirective &directive, unsigned name) {
    std::set<std::string> all;
    for (auto &stage : graph.stages)
      for (const StageLoop &loop : allLoops(*stage, lifted))
        all.insert(loop.digit.name != indexName(loop.axis) ? loop.digit.name
                                                           : loopNames(loop.axis).front().str());
    return user.refuse(directive, name, "unknown-loop", "there is no loop of that name",
                       "the loops are " + llvm::join(all, ", ") +
                           "; the axis of one value alone is called S.i");
  }

  LogicalResult place(const UserDirective &directive) {
    for (auto [i, name] : llvm::enumerate(directive.names)) {
      if (directive.mode == "at" && i + 1 == directive.names.size())
        break; // the loop
      auto stage =
          llvm::find_if(graph.stages, [&](auto &candidate) { return candidate->name() == name; });
      if (stage == graph.stages.end())
        return unknownValue(directive, i);
      if (!placed.insert((*stage)->name()).second)
        return user.refuse(directive, i, "cannot-place", "it has a place already", "say it once");
      if (directive.mode == "inline" && failed(placeInline(directive, i, **stage)))
        return failure();
      if (directive.mode == "at")
        kept.insert((*stage)->name());
      else
        schedule.add("place", (*stage)->name(), {}, directive.mode);
    }
    if (directive.mode != "at")
      return success();
    UserDirective last = directive;
    unsigned at = last.names.size() - 1;
    for (auto &stage : graph.stages)
      if (llvm::any_of(allLoops(*stage, lifted), [&](const StageLoop &loop) {
            return isCalled(loop, *stage, last.names[at]);
          }))
        return success();
    return unknownLoop(directive, at);
  }

  LogicalResult placeInline(const UserDirective &directive, unsigned name, Stage &stage) {
    if (stage.isResult)
      return user.refuse(directive, name, "cannot-place", "it is a result of the kernel",
                         "results are stored");
    if (stage.readChecked())
      return user.refuse(directive, name, "cannot-place",
                         "a subscript of it is checked at run time, which needs the array",
                         "store it");
    return success();
  }

  LogicalResult unknownValue(const UserDirective &directive, unsigned name) {
    std::string all;
    for (auto &stage : graph.stages)
      all += (all.empty() ? "" : ", ") + stage->name();
    return user.refuse(directive, name, "unknown-value", "the kernel has no value of that name",
                       "its values are " + all);
  }

  moa::KernelOp kernel;
  StageGraph &graph;
  UserSchedule user;
  Schedule schedule;
  LiftedAxes lifted;
  std::set<std::pair<StringRef, StringRef>> pairs; ///< made by lifts
  std::set<std::string> known, kept, placed;
};

struct GammaLift : impl::GammaLiftBase<GammaLift> {
  void runOnOperation() override {
    StageGraph written(getOperation());
    nameLoops(written);
    if (llvm::any_of(UserSchedule(getOperation()).all(), [](const UserDirective &directive) { return directive.is("pack"); })) {
      if (failed(makePacks(getOperation())))
        return signalPassFailure();
    }
    StageGraph graph(getOperation()); // with the copies
    nameLoops(graph);
    if (!UserSchedule(getOperation()).empty() && failed(Resolver(getOperation(), graph).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace moac
