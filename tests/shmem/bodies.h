/* bodies.h: test programs of the SHMEM layer. Each body runs on every PE of a world, whatever the
 * world is made of: ShmemTest.cpp runs them on threads and coroutines, selftest.c on processes. A
 * failed check prints PE and line.
 */
#ifndef MOAC_TESTS_SHMEM_BODIES_H
#define MOAC_TESTS_SHMEM_BODIES_H

#include "runtime/shmem/moac_shmem.h"

#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int bodiesFailed; /* counted atomically */

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: PE %d: %s (%s)\n", __FILE__, __LINE__, moac_shmem_my_pe(),           \
              #condition, moac_shmem_last_error());                                                \
      __atomic_fetch_add(&bodiesFailed, 1, __ATOMIC_RELAXED);                                      \
    }                                                                                              \
  } while (0)
#define OK(call) CHECK((call) == MOAC_SHMEM_OK)
#define DEFAULT MOAC_SHMEM_CONTEXT_DEFAULT
#define WORLD MOAC_SHMEM_TEAM_WORLD

typedef struct Body {
  const char *name;
  void (*run)(void *);
} Body;
extern const Body bodies[];
extern const int bodyCount;

void heapBody(void *);
void putGetBody(void *);
void atomicBody(void *);
void signalBody(void *);
void conditionBody(void *);
void orderBody(void *);
void lockBody(void *);
void teamBody(void *);
void collectiveBody(void *);
void reduceBody(void *);
void scanBody(void *);
void alternatingBody(void *);
void errorBody(void *);
void typeBody(void *);

/* A deterministic value for element i as PE p would make it in round r. */
static inline int64_t valueOf(int p, size_t i, int r) {
  return 1000003 * ((int64_t)p + 1) + 31 * (int64_t)i + 7 * (int64_t)r;
}
/* Allocates on all PEs; NULL (after a failed check) when it cannot. */
void *symmetric(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
