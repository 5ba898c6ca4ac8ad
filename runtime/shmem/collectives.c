/* collectives.c: broadcast, collect, fcollect, alltoall and alltoalls.
 *
 * The standard asks the program to have every destination ready before the first PE enters, so data
 * may be pushed at once: put, fence, flag; a PE leaves when it has met all others. The invariant
 * that keeps flags simple is that every flag sent in a call is awaited in that call.
 *
 *   broadcast <= 16 KiB   the root pushes to each PE
 *   broadcast larger      the root raises flags, all PEs pull at the same time and flag back: its
 *                         source is then free
 *   fcollect, alltoall    each PE pushes its block to each PE, its right neighbour first, so that
 *                         no PE is hit by all
 *   collect               the counts travel by exchange, then as fcollect at the offsets they give
 */
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

enum { PUSH_LIMIT = 16 * 1024 };

static Status require_symmetric(Call *call, const void *object, size_t bytes) {
  if (bytes != 0 && !moac_shmem_symmetric(call->pe, object, bytes))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, call->name,
                           "%p and %zu bytes are not in a symmetric object", object, bytes);
  return MOAC_SHMEM_OK;
}

static Status require_apart(Call *call, const void *target, size_t target_bytes, const void *source,
                            size_t source_bytes) {
  RETURN_IF_FAILED(require_symmetric(call, target, target_bytes));
  RETURN_IF_FAILED(require_symmetric(call, source, source_bytes));
  if (target_bytes != 0 && source_bytes != 0 &&
      (target == source || moac_shmem_overlap(target, source, target_bytes, source_bytes)))
    return moac_shmem_fail(MOAC_SHMEM_OVERLAP, call->name,
                           "target %p (%zu bytes) and source %p (%zu bytes)", target, target_bytes,
                           source, source_bytes);
  return MOAC_SHMEM_OK;
}

static Status times(Call *call, size_t bytes, size_t count, size_t *product) {
  if (__builtin_mul_overflow(bytes, count, product))
    return moac_shmem_fail(MOAC_SHMEM_SIZE_OVERFLOW, call->name, "%zu times %zu bytes", count,
                           bytes);
  return MOAC_SHMEM_OK;
}

/* --- Broadcast
 * --------------------------------------------------------------------------------------- */

static Status root_side(Call *call, void *target, const void *source, size_t bytes) {
  Team *team = call->team;
  for (int step = 1; step < team->size; ++step) {
    int to = (team->rank + step) % team->size;
    if (bytes <= PUSH_LIMIT)
      RETURN_IF_FAILED(moac_shmem_call_put(call, target, source, bytes, to));
    RETURN_IF_FAILED(moac_shmem_call_flag(call, to));
  }
  if (target != source && bytes != 0)
    memcpy(target, source, bytes);
  for (int rank = 0; bytes > PUSH_LIMIT && rank < team->size; ++rank)
    if (rank != team->rank)
      RETURN_IF_FAILED(moac_shmem_call_await(call, rank));
  return MOAC_SHMEM_OK;
}

static Status leaf_side(Call *call, void *target, const void *source, size_t bytes, int root) {
  RETURN_IF_FAILED(moac_shmem_call_await(call, root));
  if (bytes <= PUSH_LIMIT)
    return MOAC_SHMEM_OK;
  RETURN_IF_FAILED(moac_shmem_call_get(call, target, source, bytes, root));
  return moac_shmem_call_flag(call, root);
}

moac_shmem_status moac_shmem_broadcast(moac_shmem_team team, void *target, const void *source,
                                       size_t bytes, int root) {
  Call call;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, bytes * 1031 + (uint64_t)root));
  if (root < 0 || root >= call.team->size)
    return FAIL(MOAC_SHMEM_INVALID_PE, "root %d is not in 0..%d", root, call.team->size - 1);
  RETURN_IF_FAILED(require_symmetric(&call, target, bytes));
  RETURN_IF_FAILED(require_symmetric(&call, source, bytes));
  if (moac_shmem_overlap(target, source, bytes, bytes))
    return FAIL(MOAC_SHMEM_OVERLAP, "target %p and source %p, %zu bytes", target, source, bytes);
  bool is_root = call.team->rank == root;
  RETURN_IF_FAILED(is_root ? root_side(&call, target, source, bytes)
                           : leaf_side(&call, target, source, bytes, root));
  trace_call(&call, source, is_root ? bytes : 0, target, target == source && is_root ? 0 : bytes);
  return MOAC_SHMEM_OK;
}

/* --- Concatenation
 * ------------------------------------------------------------------------------------ */

static Status push_blocks(Call *call, void *target, const void *source, size_t bytes) {
  Team *team = call->team;
  for (int step = 1; step <= team->size; ++step) {
    int to = (team->rank + step) % team->size;
    RETURN_IF_FAILED(moac_shmem_call_put(call, target, source, bytes, to));
  }
  return moac_shmem_call_meet(call);
}

moac_shmem_status moac_shmem_fcollect(moac_shmem_team team, void *target, const void *source,
                                      size_t bytes) {
  Call call;
  size_t total;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, bytes));
  RETURN_IF_FAILED(times(&call, bytes, (size_t)call.team->size, &total));
  char *mine = (char *)target + (size_t)call.team->rank * bytes;
  if (source == mine) /* in place: the own block already stands where it belongs */
    RETURN_IF_FAILED(require_symmetric(&call, target, total));
  else
    RETURN_IF_FAILED(require_apart(&call, target, total, source, bytes));
  RETURN_IF_FAILED(push_blocks(&call, mine, source, bytes));
  trace_call(&call, source, bytes, target, total);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_collect(moac_shmem_team team, void *target, const void *source,
                                     size_t bytes) {
  Call call;
  const char *all;
  uint64_t mine = bytes, before = 0, total = 0;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, 0));
  RETURN_IF_FAILED(moac_shmem_call_exchange(&call, &mine, sizeof mine, &all));
  for (int rank = 0; rank < call.team->size; ++rank) {
    uint64_t count;
    memcpy(&count, all + (size_t)rank * MAIL_BYTES, sizeof count);
    if (rank == call.team->rank)
      before = total;
    if (__builtin_add_overflow(total, count, &total))
      return FAIL(MOAC_SHMEM_SIZE_OVERFLOW, "the counts of %d PEs", call.team->size);
  }
  RETURN_IF_FAILED(require_apart(&call, target, total, source, bytes));
  RETURN_IF_FAILED(push_blocks(&call, (char *)target + before, source, bytes));
  trace_call(&call, source, bytes, target, total);
  return MOAC_SHMEM_OK;
}

/* --- Transposition
 * ------------------------------------------------------------------------------------- */

moac_shmem_status moac_shmem_alltoall(moac_shmem_team team, void *target, const void *source,
                                      size_t bytes) {
  Call call;
  size_t total;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, bytes));
  RETURN_IF_FAILED(times(&call, bytes, (size_t)call.team->size, &total));
  RETURN_IF_FAILED(require_apart(&call, target, total, source, total));
  char *mine = (char *)target + (size_t)call.team->rank * bytes;
  for (int step = 1; step <= call.team->size; ++step) {
    int to = (call.team->rank + step) % call.team->size;
    RETURN_IF_FAILED(
        moac_shmem_call_put(&call, mine, (const char *)source + (size_t)to * bytes, bytes, to));
  }
  RETURN_IF_FAILED(moac_shmem_call_meet(&call));
  trace_call(&call, source, total, target, total);
  return MOAC_SHMEM_OK;
}

static Status put_strided(Call *call, char *target, const char *source, moac_shmem_strides s,
                          int to) {
  size_t me = (size_t)call->team->rank;
  for (size_t i = 0; i < s.count; ++i)
    RETURN_IF_FAILED(moac_shmem_call_put(call, target + (me * s.count + i) * s.target,
                                         source + ((size_t)to * s.count + i) * s.source, s.block,
                                         to));
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_alltoalls(moac_shmem_team team, void *target, const void *source,
                                       moac_shmem_strides s) {
  Call call;
  size_t blocks, target_bytes = 0, source_bytes = 0;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, s.count * 8191 + s.block));
  if (s.block == 0 || s.target < s.block || s.source < s.block)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "blocks of %zu bytes every %zu and %zu", s.block,
                s.target, s.source);
  if (s.count != 0) {
    RETURN_IF_FAILED(times(&call, s.count, (size_t)call.team->size, &blocks));
    RETURN_IF_FAILED(times(&call, s.target, blocks, &target_bytes));
    RETURN_IF_FAILED(times(&call, s.source, blocks, &source_bytes));
    RETURN_IF_FAILED(require_apart(&call, target, target_bytes - s.target + s.block, source,
                                   source_bytes - s.source + s.block));
  }
  for (int step = 1; step <= call.team->size; ++step) {
    int to = (call.team->rank + step) % call.team->size;
    RETURN_IF_FAILED(put_strided(&call, target, source, s, to));
  }
  RETURN_IF_FAILED(moac_shmem_call_meet(&call));
  trace_call(&call, source, source_bytes, target, target_bytes);
  return MOAC_SHMEM_OK;
}
