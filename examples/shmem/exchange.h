/* exchange.h: what the three workloads share: symmetric memory, time, and a stop when a call fails.
 */
#ifndef MOAC_EXAMPLES_SHMEM_EXCHANGE_H
#define MOAC_EXAMPLES_SHMEM_EXCHANGE_H

#include "runtime/shmem/moac_shmem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The com_id that tags the exchanged data when targeted ordering is asked for. */
enum { DATA_COM = 1 };

static inline void must(moac_shmem_status status) {
  if (status != MOAC_SHMEM_OK) {
    fprintf(stderr, "%s: %s\n", moac_shmem_status_text(status), moac_shmem_last_error());
    moac_shmem_global_exit(1);
  }
}

static inline void *symmetric(size_t bytes, bool targeted) {
  void *object = NULL;
  must(targeted ? moac_shmem_malloc_tagged(bytes, DATA_COM, &object)
                : moac_shmem_malloc(bytes, &object));
  memset(object, 0, bytes);
  must(moac_shmem_barrier(MOAC_SHMEM_TEAM_WORLD));
  return object;
}

/* A context whose fences order the exchanged data alone, or the default one. */
static inline moac_shmem_context exchange_context(bool targeted) {
  moac_shmem_context context = MOAC_SHMEM_CONTEXT_DEFAULT;
  if (targeted)
    must(moac_shmem_context_create(MOAC_SHMEM_TEAM_WORLD, 0, DATA_COM, &context));
  return context;
}

static inline double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline bool has_option(int argc, char **argv, const char *name) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0)
      return true;
  return false;
}

#endif
