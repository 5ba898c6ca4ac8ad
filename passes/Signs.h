// What is known of the sign of a scalar: of exponents, so far.
//
//     exp(t[k] - m)   with m = max[k](t[k])   has an exponent that is not positive
//
// Exponentials of such numbers are cheaper: they cannot overflow, only fade away. `moa.scalar exp` and `exp2` whose operand is
// known not to be positive (or is no number) get the attribute `nonpositive`.
#ifndef MOAC_PASSES_SIGNS_H
#define MOAC_PASSES_SIGNS_H

#include "ir/Moa.h"

namespace moac {

/// Writes `nonpositive` on the exponentials of a kernel in DNF.
void markExponents(moa::KernelOp kernel);

} // namespace moac

#endif
