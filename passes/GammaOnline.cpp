// Online groups: what a pass in tiles needs as an array in its tile is kept from being inlined.
#include "passes/Online.h"
#include "passes/Passes.h"
#include "passes/Slice.h"
#include "passes/UserSchedule.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace moac {
#define GEN_PASS_DEF_GAMMAONLINE
#include "passes/Passes.h.inc"

namespace {
struct GammaOnline : impl::GammaOnlineBase<GammaOnline> {
  void runOnOperation() override {
    Schedule schedule(getOperation());
    if (UserSchedule(getOperation()).forbidsGroups() || schedule.hasAny("nest") || getOperation()->hasAttr("device"))
      return; // stated by whoever wrote the directives
    StageGraph graph(getOperation());
    for (Nest &nest : defaultNests(graph)) {
      std::optional<Online> online = onlineOf(graph, nest);
      if (!online)
        continue;
      markBelow(*online);
      for (const OnlineMember &member : online->members)
        if (member.blocks.stage || isWeight(*online, member) || ((online->inParts || getOperation()->hasAttr("phase")) && member.stage->hasReduction()))
          schedule.add("keep", member.stage->name(), {});
      if (online->hasRow() && !nest.root->isResult) // what reads it would need the reductions, each an array
        schedule.add("keep", nest.root->name(), {});
      remark::passed(nest.root->gen.getLoc(), remark::RemarkOpts::name("gamma-online").category("online"))
          << nest.root->name() << ": one pass over " << indexName(online->first->root.term().getArgument(0)).str() << " for "
          << std::to_string(online->members.size()) << " stages";
    }
    schedule.store(getOperation());
  }

  /// Exponents of the group are below their maximum wherever the group computes them, also where a domain is part of an axis.
  void markBelow(const Online &online) {
    llvm::DenseSet<Value> maxima;
    for (const OnlineMember &member : online.members)
      for (const Rescale &rescale : member.rescales)
        maxima.insert(rescale.by->gen.getResult());
    for (const OnlineMember &member : online.members)
      if (member.role == OnlineRole::Streamed)
        member.stage->gen.getBody().walk([&](moa::ScalarOp op) {
          auto difference = op.getOperands().empty() ? moa::ScalarOp() : op.getOperand(0).getDefiningOp<moa::ScalarOp>();
          bool isExponential = op.kind() == moa::ScalarFn::exp_ || op.kind() == moa::ScalarFn::exp2_;
          if (!isExponential || !difference || difference.kind() != moa::ScalarFn::sub_)
            return;
          auto psi = difference.getOperand(1).getDefiningOp<moa::PsiOp>();
          if (psi && maxima.contains(psi.getArray()))
            op->setAttr("nonpositive", UnitAttr::get(op.getContext()));
        });
  }

  /// Its elements are used for all lanes of a sum.
  static bool isWeight(const Online &online, const OnlineMember &member) {
    return llvm::any_of(online.members, [&](const OnlineMember &other) {
      return other.role == OnlineRole::Accumulated && member.role == OnlineRole::Streamed &&
             llvm::any_of(member.stage->readers, [&](const StageRead &read) { return read.reader == other.stage; });
    });
  }
};
} // namespace
} // namespace moac
