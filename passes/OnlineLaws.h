// Which law corrects each reduction of an online group when what its terms refer to changes.
#ifndef MOAC_PASSES_ONLINELAWS_H
#define MOAC_PASSES_ONLINELAWS_H

#include "passes/Online.h"

namespace moac {

/// Gives the members that are reductions their laws; false when one of them has none. `blocksFit` becomes false where register
/// blocks cannot do what the law asks for.
bool findLaws(Online &online, RescaleFinder &rescale, MomentFinder &moments, llvm::function_ref<bool(Stage &)> isReduction, bool &blocksFit);

} // namespace moac

#endif
