// The laws of an online group's reductions; see OnlineLaws.h.
#include "passes/OnlineLaws.h"

using namespace mlir;
using namespace moac;
using namespace moac::moa;

namespace {
/// A sum of differences from means, where the group runs over all of the axis: its terms so far can be counted.
bool findShift(Online &online, OnlineMember &member, MomentFinder &moments) {
  std::optional<Shift> shift = moments.of(*member.stage);
  if (!shift)
    return false;
  for (Stage *sum : {shift->by, shift->other}) {
    const OnlineMember *reference = online.of(sum);
    if (!reference || (reference->role != OnlineRole::Reduced && reference->role != OnlineRole::Accumulated) || !!reference->lane != !!member.lane)
      return false;
  }
  if (!(online.lo == shape::Expr(0)) || !(online.hi == online.extent))
    return false;
  member.shift = shift;
  member.means = moments.usesIn(*member.stage);
  return true;
}
} // namespace

bool moac::findLaws(Online &online, RescaleFinder &rescale, MomentFinder &moments, llvm::function_ref<bool(Stage &)> isReduction, bool &blocksFit) {
  for (OnlineMember &member : online.members) {
    if (!isReduction(*member.stage))
      continue;
    if (findShift(online, member, moments))
      blocksFit = false;
    for (OnlineMember &earlier : online.members) {
      bool refers = &earlier != &member && isReduction(*earlier.stage) && rescale.dependsOn(member.stage->root.termValue(), *earlier.stage);
      if (!refers || (member.shift && (member.shift->by == earlier.stage || member.shift->other == earlier.stage)))
        continue;
      if (member.shift || earlier.role != OnlineRole::Reduced)
        return false;
      std::optional<Rescale> found = rescale.of(member.stage->root.termValue(), *member.stage, *earlier.stage);
      if (!found || member.stage->root.getKind() != "add")
        return false;
      if (found->power > 0)
        member.rescales.push_back(*found);
    }
    bool choice = member.role == OnlineRole::Accumulated &&
                  member.stage->root.term().walk([](WhereOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (choice && llvm::none_of(member.rescales, [](const Rescale &rescale) { return rescale.guarded; }))
      blocksFit = false;
  }
  return true;
}
