// Online groups: reductions over one axis that use each other, folded in one pass over that axis.
//
//     m[i]    = max[k](S[i, k])                        S[i, k] computed for a tile of rows and keys,
//     l[i]    = sum[k](exp(S[i, k] - m[i]))            m, l and O combined with what they were,
//     O[i, p] = sum[k](exp(S[i, k] - m[i]) * V[k, p])  l and O corrected when m has grown (Rescale.h), or a sum of
//                                                      differences from a mean when that has moved (Moments.h)
//
// Members of a nest form such a group when each is one of the roles below. Nothing of the size of the axis is then stored:
// the values along it live in a tile. Where rows share what they are multiplied with, sums of products run in register blocks,
// like contractions. Where they do not (one query, or keys of its own for each) memory is what limits, and the axis itself is
// divided: each part gives m, l and O of its own, which are combined in the parts' order.
#ifndef MOAC_PASSES_ONLINE_H
#define MOAC_PASSES_ONLINE_H

#include "passes/Contraction.h"
#include "passes/Moments.h"
#include "passes/Rescale.h"

namespace moac {

enum class OnlineRole {
  Scores,      ///< a sum of products for each row and index of the streamed axis
  Streamed,    ///< computed for each row and index of the streamed axis, without a reduction
  Reduced,     ///< a reduction over the streamed axis, one value for each row
  Accumulated, ///< a sum over it of products of a streamed value and an operand that has no row: a block for each row
  Finished,    ///< computed for each row once the reductions are done
};

struct OnlineMember {
  Stage *stage;
  OnlineRole role;
  mlir::BlockArgument lane = {};             ///< the axis beside those of the frame, if any: the streamed one, or another
  Contraction blocks = {};                   ///< of Scores and Accumulated
  llvm::SmallVector<Rescale> rescales = {};  ///< of Reduced and Accumulated
  std::optional<Shift> shift = {};           ///< of these too, in place of rescales
  std::vector<MeanUse> means = {};           ///< what of its body stands for means so far
};

struct Online {
  llvm::SmallVector<OnlineMember, 4> members; ///< in the kernel's order but for their roles: see the loops
  unsigned row = Nest::none;               ///< the loop of the nest whose indices are the rows of a tile, if there is one
  bool inParts = false;                    ///< the streamed axis is divided, and nothing runs in register blocks
  shape::Expr extent;                      ///< of the streamed axis
  shape::Expr lo, hi;                      ///< the domain of the reductions, in names of the root's axes
  /// What is left of the domain where a maximum's terms are not -inf by a condition on indices (a mask): the terms that refer to
  /// it are 0 elsewhere, as long as what they are multiplied with is finite. The domain itself when there is no such condition.
  shape::Expr maskedLo, maskedHi;
  Stage *first = nullptr;                  ///< the reduction that names the streamed axis

  const OnlineMember *of(Stage *stage) const {
    const auto *found = llvm::find_if(members, [&](const OnlineMember &member) { return member.stage == stage; });
    return found == members.end() ? nullptr : found;
  }
  /// Nothing but numbers is carried along the axis.
  bool keepsNumbers() const {
    return llvm::all_of(members, [](const OnlineMember &member) {
      return (member.role == OnlineRole::Reduced || member.role == OnlineRole::Finished) && !member.lane;
    });
  }
  bool hasRow() const { return row != Nest::none; }
};

/// The axes whose tiles may have any length, with the places of these in the directive: rows of the root, and the streamed one.
/// None where the streamed axis is divided.
llvm::SmallVector<std::pair<unsigned, mlir::BlockArgument>> tiledAxes(const Online &online, const Nest &nest);

/// The group that the nest's members form; nothing when some member has no role in it.
std::optional<Online> onlineOf(StageGraph &graph, const Nest &nest);
/// Members that neither run along the streamed axis nor depend on what does: they can be computed before.
llvm::SmallVector<Stage *> beforeStream(StageGraph &graph, const Nest &nest);
/// The nest rooted here that is an online group, if there is one; `isFree` says which stages may join.
std::optional<Nest> onlineNest(StageGraph &graph, Stage &root, llvm::function_ref<bool(Stage &)> isFree);

} // namespace moac

#endif
