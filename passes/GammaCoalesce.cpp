// Which axis of each stage runs innermost, so that memory is walked in unit steps.
//
// An access costs nothing along an axis on which it does not depend, one along an axis whose step is one element, and several
// times that where each step touches another line (on a device: another transaction). The cost of an axis is that of the
// accesses of one step along it; a reduction axis adds into a register, which waits for itself, a free axis under a reduction
// reads and writes the element. The result is data: `coalesce S [p, k]`, the axes that may run innermost, best first.
#include "passes/AxisChoice.h"
#include "passes/OnDevice.h"
#include "passes/Passes.h"
#include "passes/Schedule.h"
#include "passes/Slice.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMACOALESCE
#include "passes/Passes.h.inc"

namespace {
using namespace moa;

/// Costs of one access in the innermost loop, in units of a unit-stride access.
constexpr double invariant = 0, unit = 1, strided = 8;
/// A sum into one register waits for itself: the latency of an addition over its throughput.
constexpr double chain = 3;

double strideCost(const std::optional<shape::Expr> &stride) {
  auto constant = stride ? stride->constant() : std::nullopt;
  if (!constant)
    return strided;
  return *constant == 0 ? invariant : std::abs(*constant) == 1 ? unit : strided;
}

/// The step of a read along an axis; none where a subscript takes the index from memory: the next element may be anywhere.
std::optional<shape::Expr> stepOf(StageGraph &graph, PsiOp psi, BlockArgument axis) {
  shape::Expr step = graph.strideOf(psi, axis);
  auto isFree = [&](Value subscript) { return isFreeOf(subscript, axis); };
  return step == shape::Expr(0) && !llvm::all_of(psi.getSubscripts(), isFree) ? std::nullopt : std::optional(step);
}

/// An axis that may run innermost, and what a step along it costs.
struct Candidate {
  BlockArgument axis;
  double cost;
};

struct GammaCoalesce : impl::GammaCoalesceBase<GammaCoalesce> {
  void runOnOperation() override {
    Schedule schedule(getOperation());
    if (schedule.hasAny("nest"))
      return; // stated by whoever wrote the directives
    schedule.remove("coalesce");
    StageGraph graph(getOperation());
    for (auto &stage : graph.stages) {
      std::vector<Candidate> ranked = rank(graph, *stage);
      if (ranked.empty())
        continue;
      std::vector<std::string> names;
      for (const Candidate &candidate : ranked)
        names.push_back(indexName(candidate.axis).str());
      bool across = jumpsOtherwise(graph, *stage, ranked.front().axis);
      schedule.add("coalesce", stage->name(), names, across ? "across" : "");
      report(graph, *stage, ranked, across);
    }
    schedule.store(getOperation());
  }

private:
  static bool isFree(BlockArgument axis) { return isa<GenOp>(binderOf(axis)); }

  /// Best first. Ties go to a reduction axis, then to the last free axis.
  static std::vector<Candidate> rank(StageGraph &graph, Stage &stage) {
    std::vector<Candidate> ranked;
    auto consider = [&](const Candidate &candidate) {
      auto cheaper = [](const Candidate &a, const Candidate &b) { return a.cost < b.cost; };
      ranked.insert(llvm::upper_bound(ranked, candidate, cheaper), candidate);
    };
    if (stage.root)
      for (BlockArgument axis : llvm::reverse(stage.root.term().getArguments()))
        consider({axis, readCost(graph, stage, axis) + chain});
    for (BlockArgument axis : llvm::reverse(stage.gen.entry().getArguments())) {
      if (stage.root && (!accumulatesInPlace(stage) || !boundsFreeOf(stage.root, axis, graph.exprs)))
        continue;
      double write = strideCost(graph.writeStride(stage, axis.getArgNumber()));
      consider({axis, readCost(graph, stage, axis) + (stage.root ? 2 : 1) * write});
    }
    return ranked;
  }

  static double readCost(StageGraph &graph, Stage &stage, BlockArgument axis) {
    double cost = 0;
    stage.gen.getBody().walk([&](PsiOp psi) { cost += strideCost(stepOf(graph, psi, axis)); });
    return cost;
  }

  /// The bounds of the reduction are known without this axis, so the axis can run inside.
  static bool boundsFreeOf(RedOp red, BlockArgument axis, IndexExprs &exprs) {
    for (unsigned i = 0; i < red.rank(); ++i)
      for (Value bound : {red.lower(i), red.upper(i)})
        for (const std::string &name : exprs.toExpr(bound).names())
          if (Value value = exprs.valueOf(name); value == axis || !isa_and_nonnull<BlockArgument>(value))
            return false;
    return true;
  }

  /// A long reduction that would jump over the memory which `axis` walks.
  static bool jumpsOtherwise(StageGraph &graph, Stage &stage, BlockArgument axis) {
    constexpr int64_t few = 16; // terms: what they read stays in the cache
    if (!stage.root || !isFree(axis) || onDevice(stage.gen))
      return false;
    BlockArgument reduced = stage.root.term().getArguments().back();
    std::optional<int64_t> terms = graph.exprs.toExpr(stage.root.upper(stage.root.rank() - 1)).constant();
    bool jumps = false;
    stage.root.term().walk([&](PsiOp psi) {
      jumps |= strideCost(stepOf(graph, psi, reduced)) == strided && strideCost(stepOf(graph, psi, axis)) == unit;
    });
    return jumps && terms.value_or(few) >= few;
  }

  // ---- remarks

  static std::string nameOf(PsiOp psi) {
    if (auto gen = psi.getArray().getDefiningOp<GenOp>())
      return gen.getName().str();
    auto argument = cast<BlockArgument>(psi.getArray());
    return cast<KernelOp>(argument.getOwner()->getParentOp()).argName(argument.getArgNumber()).str();
  }

  /// "j: A by 0, B by 1, C by 1, cost 3": the arrays with their steps along an axis, each pair once, and what one costs.
  static std::string steps(StageGraph &graph, Stage &stage, const Candidate &candidate) {
    std::vector<std::string> parts;
    auto add = [&](const std::string &array, const std::optional<shape::Expr> &step) {
      std::string part = array + (step ? " by " + step->str() : " anywhere");
      if (!llvm::is_contained(parts, part))
        parts.push_back(part);
    };
    stage.gen.getBody().walk([&](PsiOp psi) { add(nameOf(psi), stepOf(graph, psi, candidate.axis)); });
    if (isFree(candidate.axis))
      add(stage.name(), graph.writeStride(stage, candidate.axis.getArgNumber()));
    std::string text;
    llvm::raw_string_ostream(text) << indexName(candidate.axis) << ": " << llvm::join(parts, ", ") << ", cost "
                                   << llvm::format("%g", candidate.cost);
    return text;
  }

  void report(StageGraph &graph, Stage &stage, ArrayRef<Candidate> ranked, bool across) {
    std::string text = stage.name() + ": innermost is " + steps(graph, stage, ranked.front());
    if (ranked.size() > 1)
      text += "; next is " + steps(graph, stage, ranked[1]);
    if (across)
      text += "; the reduction would jump over memory";
    remark::passed(stage.gen.getLoc(), remark::RemarkOpts::name("gamma-coalesce").category("gamma").function(getOperation().getSymName()))
        << text;
  }
};
} // namespace
} // namespace moac
