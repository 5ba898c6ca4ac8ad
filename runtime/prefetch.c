/*
 * Prefetching for languages that cannot say it: Fortran has no such statement, and blocks of results
 * that lie far apart in memory are slow without it.
 */
#include "moac.h"

#ifdef __GNUC__
#define PREFETCH(address, writes) __builtin_prefetch(address, writes)
#else
#define PREFETCH(address, writes) ((void)(address))
#endif

void moac_prefetch_read(const void *first, int64_t count, int64_t pitch) {
  uintptr_t address = (uintptr_t)first;
  for (int64_t i = 0; i < count; ++i, address += (uintptr_t)pitch)
    PREFETCH((const void *)address, 0);
}

void moac_prefetch_write(const void *first, int64_t count, int64_t pitch) {
  uintptr_t address = (uintptr_t)first;
  for (int64_t i = 0; i < count; ++i, address += (uintptr_t)pitch)
    PREFETCH((const void *)address, 1);
}
