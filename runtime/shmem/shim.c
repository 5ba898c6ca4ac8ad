/* shim.c: the parts of the OpenSHMEM face that are more than a call: how failures end, the implicit
 * finalize, and the deprecated collectives over active sets.
 *
 * Active sets have no state of ours, so they are written over the caller's pSync array, which is
 * left as it was found: word 0 counts arrivals at the first PE, word 1 releases the others, word 2
 * holds a count. They are linear in the number of PEs; teams are the fast way.
 */
#define _GNU_SOURCE
#include "runtime/shmem/shim.h"

#include <stdio.h>
#include <stdlib.h>

bool moac_shmem_can_combine(moac_shmem_reduction op, moac_shmem_type type);
void moac_shmem_combine(moac_shmem_reduction op, moac_shmem_type type, int sources,
                        const char *const *source, char *target, size_t count);

void moac_shmem_shim_failed(moac_shmem_status status) {
  if (status != MOAC_SHMEM_EXITING)
    fprintf(stderr, "shmem: %s: %s\n", moac_shmem_status_text(status), moac_shmem_last_error());
  moac_shmem_global_exit(1);
}

/* A program that returns from main or calls exit(0) without finalize is finalized here, as the
 * standard wants. */
static void finalize_at_exit(int code, void *unused) {
  (void)unused;
  if (code == 0 && moac_shmem_initialized())
    moac_shmem_finalize();
}

void moac_shmem_shim_init(void) {
  static bool registered;
  if (moac_shmem_initialized())
    return;
  must(moac_shmem_init());
  if (!registered)
    on_exit(finalize_at_exit, NULL);
  registered = true;
}

int moac_shmem_num_contexts(shmem_team_t team, int set) {
  static int asked[256];
  int *entry = &asked[(uintptr_t)team % 256];
  if (set >= 0)
    *entry = set;
  return *entry;
}

void start_pes(int npes) { shmem_start_pes_(npes); }
int _my_pe(void) { return shmem_my_pe(); }
int _num_pes(void) { return shmem_n_pes(); }
void *shmalloc(size_t size) { return shmem_malloc(size); }
void shfree(void *object) { shmem_free(object); }
void *shmemalign(size_t alignment, size_t size) { return shmem_align(alignment, size); }
void *shrealloc(void *old, size_t size) { return shmem_realloc(old, size); }
void shmem_pcontrol(int level, ...) { (void)level; }

/* --- Active sets
 * ------------------------------------------------------------------------------------- */

static int member(moac_shmem_active set, int rank) {
  return set.first + rank * (1 << set.log_stride);
}

static int my_rank(moac_shmem_active set) { return (shmem_my_pe() - set.first) >> set.log_stride; }

static void await_long(long *word, long value) {
  moac_shmem_condition c = {word, 1, NULL, MOAC_SHMEM_I64, MOAC_SHMEM_EQ, &value, false, 0};
  must(moac_shmem_wait(MOAC_SHMEM_ALL, &c, NULL, NULL));
}

static void set_long(long *word, long value, int pe) {
  moac_shmem_atomic set = {MOAC_SHMEM_ATOMIC_SET, MOAC_SHMEM_I64, &value, NULL, NULL};
  must(moac_shmem_atomic_apply(SHMEM_CTX_DEFAULT, word, set, pe));
}

void moac_shmem_active_sync(moac_shmem_active set) {
  long one = 1;
  moac_shmem_atomic add = {MOAC_SHMEM_ATOMIC_ADD, MOAC_SHMEM_I64, &one, NULL, NULL};
  if (my_rank(set) != 0) {
    must(moac_shmem_fence(SHMEM_CTX_DEFAULT));
    must(moac_shmem_atomic_apply(SHMEM_CTX_DEFAULT, &set.sync[0], add, set.first));
    await_long(&set.sync[1], 1);
    set_long(&set.sync[1], SHMEM_SYNC_VALUE, shmem_my_pe());
    return;
  }
  await_long(&set.sync[0], set.size - 1);
  set_long(&set.sync[0], SHMEM_SYNC_VALUE, shmem_my_pe());
  must(moac_shmem_fence(SHMEM_CTX_DEFAULT));
  for (int rank = 1; rank < set.size; ++rank)
    set_long(&set.sync[1], 1, member(set, rank));
}

static void put_to(moac_shmem_active set, int rank, void *dest, const void *source, size_t bytes) {
  if (bytes != 0 && !(member(set, rank) == shmem_my_pe() && dest == source))
    must(moac_shmem_put(SHMEM_CTX_DEFAULT, dest, source, bytes, member(set, rank)));
}

/* What was put before it is there for everybody after it. */
static void complete(moac_shmem_active set) {
  must(moac_shmem_quiet(SHMEM_CTX_DEFAULT));
  moac_shmem_active_sync(set);
}

/* The root's own dest stays as it is: that is the rule for active sets. */
void moac_shmem_active_broadcast(moac_shmem_active set, void *dest, const void *source, int root,
                                 size_t count, size_t size) {
  for (int rank = 0; my_rank(set) == root && rank < set.size; ++rank)
    if (rank != root)
      put_to(set, rank, dest, source, bytes_of(count, size));
  complete(set);
}

void moac_shmem_active_fcollect(moac_shmem_active set, void *dest, const void *source, size_t count,
                                size_t size) {
  size_t bytes = bytes_of(count, size);
  for (int rank = 0; rank < set.size; ++rank)
    put_to(set, rank, (char *)dest + (size_t)my_rank(set) * bytes, source, bytes);
  complete(set);
}

void moac_shmem_active_collect(moac_shmem_active set, void *dest, const void *source, size_t count,
                               size_t size) {
  long before = 0, other = 0;
  set_long(&set.sync[2], (long)bytes_of(count, size), shmem_my_pe());
  moac_shmem_active_sync(set);
  for (int rank = 0; rank < my_rank(set); before += other, ++rank)
    must(moac_shmem_get(SHMEM_CTX_DEFAULT, &other, &set.sync[2], sizeof other, member(set, rank)));
  for (int rank = 0; rank < set.size; ++rank)
    put_to(set, rank, (char *)dest + before, source, bytes_of(count, size));
  complete(set);
  set_long(&set.sync[2], SHMEM_SYNC_VALUE, shmem_my_pe());
}

void moac_shmem_active_alltoall(moac_shmem_active set, void *dest, const void *source, size_t count,
                                size_t size) {
  size_t bytes = bytes_of(count, size);
  for (int rank = 0; rank < set.size; ++rank)
    put_to(set, rank, (char *)dest + (size_t)my_rank(set) * bytes,
           (const char *)source + (size_t)rank * bytes, bytes);
  complete(set);
}

void moac_shmem_active_alltoalls(moac_shmem_active set, void *dest, const void *source,
                                 ptrdiff_t dst, ptrdiff_t sst, size_t count, size_t size) {
  size_t to = (size_t)my_rank(set) * count;
  for (int rank = 0; rank < set.size; ++rank)
    for (size_t i = 0; i < count; ++i)
      put_to(set, rank, (char *)dest + (to + i) * bytes_of((size_t)dst, size),
             (const char *)source + ((size_t)rank * count + i) * bytes_of((size_t)sst, size), size);
  complete(set);
}

/* Every PE pulls and combines all sources in the order of the set, into private memory until all
 * have read. */
void moac_shmem_active_reduce(moac_shmem_active set, moac_shmem_reduction op, moac_shmem_type type,
                              void *dest, const void *source, int count) {
  size_t size = moac_shmem_type_size(type),
         bytes = bytes_of(count < 0 ? SIZE_MAX : (size_t)count, size);
  char *result = malloc(2 * bytes + 2 * sizeof(long double)),
       *other = result + (bytes + 15) / 16 * 16;
  if (result == NULL || !moac_shmem_can_combine(op, type))
    moac_shmem_shim_failed(MOAC_SHMEM_NO_RESOURCES);
  moac_shmem_active_sync(set);
  for (int rank = 0; rank < set.size && bytes != 0; ++rank) {
    must(moac_shmem_get(SHMEM_CTX_DEFAULT, rank == 0 ? result : other, source, bytes,
                        member(set, rank)));
    const char *pair[2] = {result, other};
    if (rank != 0)
      moac_shmem_combine(op, type, 2, pair, result, (size_t)count);
  }
  moac_shmem_active_sync(set);
  if (bytes != 0)
    memcpy(dest, result, bytes);
  free(result);
}
