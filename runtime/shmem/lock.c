/* lock.c: locks as tickets on PE 0: the first half of the symmetric long is the number being
 * served, the second the next ticket, so the lock is handed over in the order of arrival. Unlocking
 * completes the holder's operations first.
 */
#include "runtime/shmem/embedded.h"
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

static Status take(Pe *pe, uint32_t *half, moac_shmem_atomic_op op, uint32_t operand,
                   uint32_t compare, uint32_t *old) {
  moac_shmem_atomic atomic = {op, MOAC_SHMEM_U32, &operand, &compare, old};
  return pe->backend->atomic(pe, internal_issue(pe), half, &atomic, 0, false);
}

/* A lock is taken with the value that its last release wrote: the number being served. */
static void trace_lock(Pe *pe, const char *kind, long *lock, uint32_t value) {
  if (LIKELY(pe->trace == NULL))
    return;
  TraceRecord record = {
      .kind = kind, .lock = {lock, sizeof *lock, 0}, .has_value = true, .value = value};
  moac_shmem_trace_write(pe, &record);
}

static Status check_lock(Pe *pe, const char *name, long *lock) {
  if (sizeof(long) < 8 || (uintptr_t)lock % sizeof(long) != 0 ||
      !moac_shmem_symmetric(pe, lock, sizeof *lock))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, name, "%p is no symmetric long",
                           (void *)lock);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_lock(long *lock) {
  REQUIRE_PE(pe);
  uint32_t *serving = (uint32_t *)lock, mine, now;
  RETURN_IF_FAILED(check_lock(pe, __func__, lock));
  schedule_point(pe);
  moac_shmem_local_load_point(pe);
  RETURN_IF_FAILED(take(pe, serving + 1, MOAC_SHMEM_ATOMIC_ADD, 1, 0, &mine));
  Waiter waiter = {0};
  for (;;) {
    RETURN_IF_FAILED(take(pe, serving, MOAC_SHMEM_ATOMIC_FETCH, 0, 0, &now));
    if (now == mine)
      break;
    RETURN_IF_FAILED(moac_shmem_pause(pe, &waiter, __func__));
  }
  trace_lock(pe, "set_lock", lock, mine);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_unlock(long *lock) {
  REQUIRE_PE(pe);
  uint32_t served;
  Issue issue = {.index = 0};
  RETURN_IF_FAILED(check_lock(pe, __func__, lock));
  schedule_point(pe);
  find_context(pe, MOAC_SHMEM_CONTEXT_DEFAULT, &issue);
  RETURN_IF_FAILED(pe->backend->quiet(pe, issue));
  RETURN_IF_FAILED(take(pe, (uint32_t *)lock, MOAC_SHMEM_ATOMIC_FETCH, 0, 0, &served));
  trace_lock(pe, "clear_lock", lock, served + 1);
  return take(pe, (uint32_t *)lock, MOAC_SHMEM_ATOMIC_ADD, 1, 0, &served);
}

moac_shmem_status moac_shmem_try_lock(long *lock, bool *taken) {
  REQUIRE_PE(pe);
  uint32_t *serving = (uint32_t *)lock, now, next;
  RETURN_IF_FAILED(check_lock(pe, __func__, lock));
  schedule_point(pe);
  moac_shmem_local_load_point(pe);
  RETURN_IF_FAILED(take(pe, serving, MOAC_SHMEM_ATOMIC_FETCH, 0, 0, &now));
  RETURN_IF_FAILED(take(pe, serving + 1, MOAC_SHMEM_ATOMIC_COMPARE_SWAP, now + 1, now, &next));
  *taken = next == now;
  if (*taken)
    trace_lock(pe, "set_lock", lock, now);
  return moac_shmem_check_peers(pe, __func__);
}
