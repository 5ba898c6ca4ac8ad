/* shim.h: what the generated OpenSHMEM functions are written with: status to nothing, element
 * counts to bytes, and collectives over active sets.
 */
#ifndef MOAC_SHMEM_SHIM_H
#define MOAC_SHMEM_SHIM_H

#define SHMEM_NO_GENERICS
#include "runtime/shmem/shmem.h"

#include <limits.h>
#include <string.h>

#define WEAK __attribute__((weak))
#define MOAC_SHMEM_CHAR (CHAR_MIN < 0 ? MOAC_SHMEM_I8 : MOAC_SHMEM_U8)

/* Says why on stderr and ends the job: for functions that cannot return a status. */
void moac_shmem_shim_failed(moac_shmem_status status);
void moac_shmem_shim_init(void);

/* The num_contexts that the program asked for when it made the team; set >= 0 changes it. */
int moac_shmem_num_contexts(shmem_team_t team, int set);

static inline void must(moac_shmem_status status) {
  if (__builtin_expect(status != MOAC_SHMEM_OK, 0))
    moac_shmem_shim_failed(status);
}
/* For functions whose int tells success (0) from failure. */
static inline int said(moac_shmem_status status) {
  return status == MOAC_SHMEM_OK ? 0 : (int)status;
}
static inline void configure(shmem_team_t team, const shmem_team_config_t *config, long mask) {
  if (team != SHMEM_TEAM_INVALID)
    moac_shmem_num_contexts(
        team, (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0 && config != NULL ? config->num_contexts : 0);
}
/* An allocation that is refused answers NULL; that PEs differ or die is beyond what NULL can say.
 */
static inline void allocated(moac_shmem_status status) {
  if (status != MOAC_SHMEM_HEAP_EXHAUSTED && status != MOAC_SHMEM_SIZE_OVERFLOW &&
      status != MOAC_SHMEM_INVALID_ARGUMENT && status != MOAC_SHMEM_NO_RESOURCES &&
      status != MOAC_SHMEM_INVALID_ADDRESS)
    must(status);
}
static inline size_t bytes_of(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}
/* Strides in elements; a stride below the block gives what the layer below refuses. */
static inline moac_shmem_strides strided(ptrdiff_t dst, ptrdiff_t sst, size_t block, size_t count,
                                         size_t size) {
  moac_shmem_strides strides = {dst < 1 ? 0 : bytes_of((size_t)dst, size),
                                sst < 1 ? 0 : bytes_of((size_t)sst, size), bytes_of(block, size),
                                count};
  return strides;
}

/* PEs first, first + 2^log, ...; sync is the caller's symmetric work array of SHMEM_SYNC_SIZE
 * longs. */
typedef struct moac_shmem_active {
  int first, log_stride, size;
  long *sync;
} moac_shmem_active;
void moac_shmem_active_sync(moac_shmem_active set);
void moac_shmem_active_broadcast(moac_shmem_active set, void *dest, const void *source, int root,
                                 size_t count, size_t size);
void moac_shmem_active_collect(moac_shmem_active set, void *dest, const void *source, size_t count,
                               size_t size);
void moac_shmem_active_fcollect(moac_shmem_active set, void *dest, const void *source, size_t count,
                                size_t size);
void moac_shmem_active_alltoall(moac_shmem_active set, void *dest, const void *source, size_t count,
                                size_t size);
void moac_shmem_active_alltoalls(moac_shmem_active set, void *dest, const void *source,
                                 ptrdiff_t dst, ptrdiff_t sst, size_t count, size_t size);
void moac_shmem_active_reduce(moac_shmem_active set, moac_shmem_reduction op, moac_shmem_type type,
                              void *dest, const void *source, int count);

#endif
