// Factors that do not depend on the index of a sum stand outside of it:
//
//     sum[k](x[k] / c)              == sum[k](x[k]) / c      also c * x
//     sum[k](where(b, 0, x[k] / c)) == s, or s / c unless b, for s = sum[k](where(b, 0, x[k])) and b free of k
//
// Applied where c is itself a reduction over the same range as k, as the sum of a softmax is: without it the sum can be
// formed in the pass that forms c. Only for x that are at most 1 (exponentials below their maximum): otherwise the sum of the x
// may leave the range of numbers where the formula, which may have divided for this reason, does not. The factor may stand in a
// stage that the term reads; what remains of that stage becomes one of its own, and the same expression in other terms is read
// from it. A sum of nothing is 0 whatever c is.
#ifndef MOAC_PASSES_FACTORSUMS_H
#define MOAC_PASSES_FACTORSUMS_H

#include "ir/Moa.h"

namespace moac {

/// Rewrites the sums of a kernel in DNF; true if something changed.
bool factorSums(moa::KernelOp kernel);

} // namespace moac

#endif
