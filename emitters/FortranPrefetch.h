// Prefetches as calls: Fortran has no such statement, the runtime library has such a function.
//
// A loop of prefetches that walks through an array in even steps becomes one call for each of them,
// with the number of elements and the bytes from one to the next; any other prefetch is a call for
// one element. Only those of elements that will be written: what is read comes in streams that
// processors follow by themselves, and there a call costs as much as it brings.
#ifndef MOAC_EMITTERS_FORTRANPREFETCH_H
#define MOAC_EMITTERS_FORTRANPREFETCH_H

#include "emitters/LoopTree.h"

namespace moac::emit {

/// Replaces prefetches of `kernel` by calls of moac_prefetch_write, and drops those for reading.
void callPrefetches(tree::Kernel &kernel);

} // namespace moac::emit

#endif
