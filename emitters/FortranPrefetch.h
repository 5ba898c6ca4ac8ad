// Prefetches as calls: Fortran has no such statement, the runtime library has two such functions.
//
// A loop of prefetches that walks through an array in even steps becomes one call for each of them,
// with the number of elements and the bytes from one to the next; any other prefetch is a call for
// one element.
#ifndef MOAC_EMITTERS_FORTRANPREFETCH_H
#define MOAC_EMITTERS_FORTRANPREFETCH_H

#include "emitters/LoopTree.h"

namespace moac::emit {

/// Replaces every prefetch of `kernel` by a call of moac_prefetch_read or moac_prefetch_write.
void callPrefetches(tree::Kernel &kernel);

} // namespace moac::emit

#endif
