// Whether an expression grows or falls with an index: then its extremes over a range are at the range's ends.
#ifndef MOAC_PASSES_MONOTONE_H
#define MOAC_PASSES_MONOTONE_H

#include "ir/Shape.h"

namespace moac {

/// 1 when `e` does not fall as the index grows, -1 when it does not rise, 0 when it is free of it; nothing when unknown.
std::optional<int> directionOf(const shape::Expr &e, const std::string &index);

} // namespace moac

#endif
