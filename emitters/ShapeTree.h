// Extents as loop-tree expressions.
#ifndef MOAC_EMITTERS_SHAPETREE_H
#define MOAC_EMITTERS_SHAPETREE_H

#include "emitters/LoopTree.h"
#include "ir/Shape.h"

#include <functional>

namespace moac::tree {

/// `e` as an Index expression; `spelling` gives each name's spelling in the target. Positive terms
/// come first, so that `N - 1` does not become `-1 + N`.
Expr fromShape(const shape::Expr &e,
               const std::function<std::string(const std::string &)> &spelling);

} // namespace moac::tree

#endif
