/*
 * Prefetching for languages that cannot say it: Fortran has no such statement, and blocks of results
 * whose rows lie far apart in memory are slow without it.
 */
#include "moac.h"

#ifdef __GNUC__
#define PREFETCH(address) __builtin_prefetch((const void *)(address), 1)
#else
#define PREFETCH(address) ((void)(address))
#endif

void moac_prefetch_write(const void *first, int64_t count, int64_t pitch) {
  uintptr_t address = (uintptr_t)first;
  for (int64_t i = 0; i < count; ++i, address += (uintptr_t)pitch)
    PREFETCH(address);
}
