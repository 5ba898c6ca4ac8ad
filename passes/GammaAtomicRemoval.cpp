// Who adds the terms of each reduction of which a user's schedule says so, and what follows for the values it is made of.
//
// Several threads meet at one element iff a loop that is divided among them is missing from the element's index: a loop over
// terms. So an update needs to be atomic only there, and there are ways around it:
//
//     owner       no loop over terms is divided: what computes an element adds all its terms
//     recompute   the same, and the values that the terms are made of are computed again for each term; nothing of their
//                 extent is stored, which is what a divided loop over terms would have saved
//     private     the terms are divided in parts, each adds for itself, the parts are combined in their order (Online.h)
//
//
// Where a user wants the loop over terms divided all the same, each update is atomic, and on floats that is another order of the
// sum in each run: only with --fast-order.
//
// What is decided here is data: `reduce S [k] "owner"` for each stage, `place P inline` for what is computed again.
#include "passes/AxisChoice.h"
#include "passes/Passes.h"
#include "passes/ReduceStrategy.h"
#include "passes/Schedule.h"
#include "passes/Slice.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMAATOMICREMOVAL
#include "passes/Passes.h.inc"

namespace {
class Strategies {
public:
  Strategies(moa::KernelOp kernel, StageGraph &graph) : kernel(kernel), graph(graph), user(kernel), schedule(kernel) {}

  LogicalResult run() {
    for (const UserDirective &directive : user.all())
      for (unsigned i = 0; directive.is("reduce") && i < directive.names.size(); ++i)
        if (failed(apply(directive, i)))
          return failure();
    schedule.store(kernel);
    return success();
  }

private:
  /// The index of this stage's reduction that the user calls so.
  static BlockArgument reducedBy(Stage &stage, StringRef name) {
    for (const StageLoop &loop : allLoops(stage, LiftedAxes()))
      if (loop.isReduction() && isCalled(loop, stage, name))
        return loop.axis;
    return {};
  }

  LogicalResult apply(const UserDirective &directive, unsigned i) {
    StringRef name = directive.names[i];
    bool found = false, recomputed = false;
    std::string summed;
    stays.clear();
    for (auto &stage : graph.stages) {
      BlockArgument index = reducedBy(*stage, name);
      if (!index)
        continue;
      found = true;
      summed += (summed.empty() ? "'" : ", '") + stage->name() + "'";
      std::string said = schedule.mode("reduce", stage->name()).str();
      if (!said.empty() && said != directive.mode)
        return refuse(directive, i, "another directive says that the reduction of '" + stage->name() + "' over it goes by " + said + ", this one by " + directive.mode,
                      "a reduction has one strategy: leave one of the two out");
      if (said.empty())
        schedule.add("reduce", stage->name(), {indexName(index).str()}, directive.mode);
      if (directive.mode == "atomic" && failed(checkAtomic(directive, i, *stage, index)))
        return failure();
      if (directive.mode == "recompute" && failed(recompute(directive, i, *stage, index, recomputed)))
        return failure();
      report(*stage, stage->name() + ": the terms over " + indexName(index).str() + " by " + directive.mode.str());
    }
    if (!found)
      return refuse(directive, i, "it is no index of a reduction", "name one that a sum, a product, a maximum or a minimum runs over");
    if (directive.mode == "recompute" && !recomputed)
      return refuse(directive, i, "the terms of " + summed + " along it are made of nothing that can be computed again" + stays,
                    "say `reduce " + name + " : owner`, or nothing");
    return success();
  }

  LogicalResult checkAtomic(const UserDirective &directive, unsigned i, Stage &stage, BlockArgument index) {
    if (!stage.root || stage.root.getKind() != "add" || !accumulatesInPlace(stage))
      return refuse(directive, i, "'" + stage.name() + "' is no sum that can be kept in its elements: its operation is another, or its terms are of another type than its elements",
                    "sums of f32, f64, i32 and i64 can be, of terms of that type (`i64(1)` in place of 1); otherwise `reduce " + directive.names[i] + " : owner`");
    Type element = stage.gen.arrayType().getElementType();
    auto integer = dyn_cast<IntegerType>(element);
    if (!element.isF32() && !element.isF64() && (!integer || integer.isUnsigned() || integer.getWidth() < 32))
      return refuse(directive, i, "the elements of '" + stage.name() + "' are of a type that has no atomic addition", "sums of f32, f64, i32 and i64 have one");
    if (isa<FloatType>(element) && !kernel->hasAttr("fast_order"))
      return refuse(directive, i, "the sum '" + stage.name() + "' is of floats: it would depend on the order in which threads come to add",
                    "`--fast-order` allows that; `reduce " + directive.names[i] + " : private` divides the terms and keeps the order");
    unsigned n = index.getArgNumber();
    IndexSet bounds;
    collectFreeIndices(stage.root.lower(n), bounds);
    collectFreeIndices(stage.root.upper(n), bounds);
    if (!bounds.empty() || llvm::any_of(stage.root.domain(n).getArguments(), [](BlockArgument other) { return !other.use_empty(); }))
      return refuse(directive, i, "which terms along it there are depends on other indices of '" + stage.name() + "', so that its loop cannot stand first, for the threads to divide",
                    "say `reduce " + directive.names[i] + " : owner`");
    bool inside = llvm::any_of(user.all(), [&](const UserDirective &other) {
      return other.is("place") && other.mode == "at" && llvm::is_contained(ArrayRef(other.names).drop_back(), stage.name());
    });
    if (inside || (!schedule.placement(stage.name()).empty() && schedule.placement(stage.name()) != "store"))
      return refuse(directive, i, "'" + stage.name() + "' is no whole array where it is placed, and threads could not share its elements", "leave the place of '" + stage.name() + "' open");
    schedule.add("keep", stage.name(), {});
    return success();
  }

  /// The values that the stage reads along these axes are computed where they are read, and so are those that they read along
  /// what of their own axes is read along these.
  LogicalResult recompute(const UserDirective &directive, unsigned i, Stage &stage, ArrayRef<BlockArgument> along, bool &any) {
    for (StageRead &read : stage.reads) {
      Stage *source = graph.of(read.psi.getArray());
      SmallVector<BlockArgument> inner;
      for (auto [axis, subscript] : llvm::zip(source->gen.entry().getArguments(), read.psi.getSubscripts()))
        if (llvm::any_of(along, [&](BlockArgument index) { return !isFreeOf(subscript, index); }))
          inner.push_back(axis);
      if (inner.empty())
        continue;
      if (source->isResult || source->readChecked()) {
        stays += (stays.empty() ? "; '" : ", '") + source->name() + "' is a result, or a subscript of it is checked at run time";
        continue;
      }
      any = true;
      StringRef place = schedule.placement(source->name());
      if (place == "inline" && done.count(source))
        continue;
      if (!place.empty() && place != "inline")
        return refuse(directive, i, "'" + source->name() + "', which the terms of '" + stage.name() + "' are made of, has another place already",
                      "leave the place of '" + source->name() + "' open");
      if (place.empty())
        schedule.add("place", source->name(), {}, "inline");
      done.insert(source);
      report(*source, source->name() + ": computed again for the terms of " + stage.name());
      if (failed(recompute(directive, i, *source, inner, any)))
        return failure();
    }
    return success();
  }

  void report(Stage &stage, const std::string &text) {
    remark::passed(stage.gen.getLoc(), remark::RemarkOpts::name("gamma-atomic-removal").category("gamma").function(kernel.getSymName())) << text;
  }

  LogicalResult refuse(const UserDirective &directive, unsigned i, const Twine &reason, const Twine &help) {
    return user.refuse(directive, i, "cannot-reduce", reason, help);
  }

  moa::KernelOp kernel;
  StageGraph &graph;
  UserSchedule user;
  Schedule schedule;
  std::set<Stage *> done;
  std::string stays; ///< what cannot be computed again, and why
};

struct GammaAtomicRemoval : impl::GammaAtomicRemovalBase<GammaAtomicRemoval> {
  void runOnOperation() override {
    if (Schedule(getOperation()).hasAny("nest"))
      return; // stated by whoever wrote the directives
    StageGraph graph(getOperation());
    if (failed(Strategies(getOperation(), graph).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace moac
