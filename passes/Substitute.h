// β-reduction: i psi (gen e) is e at i.
#ifndef MOAC_PASSES_SUBSTITUTE_H
#define MOAC_PASSES_SUBSTITUTE_H

#include "ir/Moa.h"

namespace moac {

/// Replaces every read of `gen` by its body at the subscripts and erases it. Precondition: all users are full reads. A
/// checked subscript keeps its check.
void substituteReads(moa::GenOp gen);

} // namespace moac

#endif
