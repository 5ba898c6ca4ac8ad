// The outer loops of a nest in pieces, and the boundaries that a schedule states.
//
// Outer loops are divided among threads and may be collapsed, so each combination of pieces is a
// perfect nest of its own: its bounds are known at entry. What runs inside sees the same facts
// whichever member of the nest it belongs to.
#ifndef MOAC_PASSES_NESTPIECES_H
#define MOAC_PASSES_NESTPIECES_H

#include "passes/Nests.h"
#include "passes/Pieces.h"

namespace moac {

/// One box of a nest's outer loops.
struct NestBlock {
  llvm::SmallVector<Piece> pieces; ///< one for each outer loop
  shape::Facts facts;              ///< of every member's names for these loops
};

/// Chooses boundaries of an axis among those that the code inside asks for.
using ChooseCuts = llvm::function_ref<std::vector<shape::Expr>(
    mlir::BlockArgument axis, llvm::ArrayRef<shape::Expr> asked)>;

/// The boxes of a nest, in order. `entry` holds outside; `isArgument` tells what is known there.
std::vector<NestBlock> blocksOf(Nest &nest, const shape::Facts &entry, moa::IndexExprs &exprs,
                                llvm::function_ref<bool(const std::string &)> isArgument,
                                ChooseCuts choose);

/// `split` (or `lift`) directives as expressions of axes.
Cuts scheduledCuts(llvm::StringRef verb, llvm::ArrayRef<Nest> nests, const Schedule &schedule,
                   moa::IndexExprs &exprs);
/// An expression as the schedule spells it: indices of the stage by their own words.
std::string spellCut(const shape::Expr &boundary, Stage &stage, moa::IndexExprs &exprs);

} // namespace moac

#endif
