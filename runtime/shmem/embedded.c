/* embedded.c: the default backend: every PE's memory is mapped, so an operation is the loads and
 * stores themselves.
 *
 * Order. Operations are performed when they are issued, so a put before a set in program order
 * needs no more than the release of the atomic store. What the hardware may still reorder is a
 * store before a later load: the model orders it across a fence (to one PE) and a quiet
 * (everything). A fence only notes that it happened, thread by thread; the full barrier is paid by
 * the next operation that loads, if there is one. Quiet pays at once, since it orders plain loads.
 */
#include "runtime/shmem/embedded.h"
#include "runtime/shmem/chaos.h"
#include "runtime/shmem/trace.h"

static _Thread_local bool fence_pending;

static inline void settle_fence(void) {
  if (UNLIKELY(fence_pending)) {
    atomic_thread_fence(memory_order_seq_cst);
    fence_pending = false;
  }
}

char *moac_shmem_embedded_translate(Pe *pe, const void *object, size_t bytes, int at) {
  size_t offset = (size_t)((const char *)object - pe->slice);
  if (LIKELY(offset < pe->slice_bytes))
    return pe->world->slices + (size_t)at * pe->slice_bytes + offset;
  return moac_shmem_statics_translate(pe, object, bytes, at);
}

static inline void copy(void *target, const void *source, size_t bytes) {
  if (bytes == 8 && (((uintptr_t)target | (uintptr_t)source) & 7u) == 0)
    __atomic_store_n((uint64_t *)target, *(const uint64_t *)source, __ATOMIC_RELAXED);
  else if (target != source)
    memcpy(target, source, bytes);
}

static Status embedded_put(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                           int to, bool nbi) {
  (void)issue, (void)nbi;
  char *there = moac_shmem_embedded_translate(pe, target, bytes, to);
  if (UNLIKELY(there == NULL))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, "put", "PE %d has no object at %p", to,
                           target);
  copy(there, source,
       bytes); /* wakes nobody: a put is no signal, and a sleeper looks again by itself */
  return MOAC_SHMEM_OK;
}

static Status embedded_get(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                           int from, bool nbi) {
  (void)issue, (void)nbi;
  char *there = moac_shmem_embedded_translate(pe, source, bytes, from);
  if (UNLIKELY(there == NULL))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, "get", "PE %d has no object at %p", from,
                           source);
  settle_fence();
  if (target != there)
    memcpy(target, there, bytes);
  return MOAC_SHMEM_OK;
}

static uint64_t apply64(uint64_t *word, const moac_shmem_atomic *atomic, uint64_t operand,
                        uint64_t compare) {
  switch (atomic->op) {
  case MOAC_SHMEM_ATOMIC_FETCH:
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
  case MOAC_SHMEM_ATOMIC_SET:
    __atomic_store_n(word, operand, __ATOMIC_RELEASE);
    return 0;
  case MOAC_SHMEM_ATOMIC_ADD:
    return __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL);
  case MOAC_SHMEM_ATOMIC_SWAP:
    return __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL);
  case MOAC_SHMEM_ATOMIC_COMPARE_SWAP:
    __atomic_compare_exchange_n(word, &compare, operand, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return compare;
  case MOAC_SHMEM_ATOMIC_AND:
    return __atomic_fetch_and(word, operand, __ATOMIC_ACQ_REL);
  case MOAC_SHMEM_ATOMIC_OR:
    return __atomic_fetch_or(word, operand, __ATOMIC_ACQ_REL);
  default:
    return __atomic_fetch_xor(word, operand, __ATOMIC_ACQ_REL);
  }
}

static uint32_t apply32(uint32_t *word, const moac_shmem_atomic *atomic, uint32_t operand,
                        uint32_t compare) {
  switch (atomic->op) {
  case MOAC_SHMEM_ATOMIC_FETCH:
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
  case MOAC_SHMEM_ATOMIC_SET:
    __atomic_store_n(word, operand, __ATOMIC_RELEASE);
    return 0;
  case MOAC_SHMEM_ATOMIC_ADD:
    return __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL);
  case MOAC_SHMEM_ATOMIC_SWAP:
    return __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL);
  case MOAC_SHMEM_ATOMIC_COMPARE_SWAP:
    __atomic_compare_exchange_n(word, &compare, operand, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return compare;
  case MOAC_SHMEM_ATOMIC_AND:
    return __atomic_fetch_and(word, operand, __ATOMIC_ACQ_REL);
  case MOAC_SHMEM_ATOMIC_OR:
    return __atomic_fetch_or(word, operand, __ATOMIC_ACQ_REL);
  default:
    return __atomic_fetch_xor(word, operand, __ATOMIC_ACQ_REL);
  }
}

static inline uint64_t load_operand(const void *operand, size_t bytes) {
  uint64_t value = 0;
  uint32_t half = 0;
  if (operand == NULL)
    return 0;
  if (bytes == 8)
    memcpy(&value, operand, 8);
  else
    memcpy(&half, operand, 4);
  return bytes == 8 ? value : half;
}

static Status embedded_atomic(Pe *pe, Issue issue, void *word, const moac_shmem_atomic *atomic,
                              int at, bool nbi) {
  (void)issue, (void)nbi;
  size_t bytes = moac_shmem_type_size(atomic->type);
  char *there = moac_shmem_embedded_translate(pe, word, bytes, at);
  if (UNLIKELY(there == NULL))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, "atomic", "PE %d has no object at %p", at,
                           word);
  uint64_t operand = load_operand(atomic->operand, bytes),
           compare = load_operand(atomic->compare, bytes), old;
  if (atomic->op != MOAC_SHMEM_ATOMIC_SET)
    settle_fence();
  if (bytes == 8) {
    old = apply64((uint64_t *)there, atomic, operand, compare);
    if (atomic->fetched != NULL)
      memcpy(atomic->fetched, &old, 8);
  } else {
    uint32_t half = apply32((uint32_t *)there, atomic, (uint32_t)operand, (uint32_t)compare);
    if (atomic->fetched != NULL)
      memcpy(atomic->fetched, &half, 4);
  }
  if (atomic->op != MOAC_SHMEM_ATOMIC_FETCH)
    wake_pe(pe, at);
  return MOAC_SHMEM_OK;
}

static Status embedded_put_signal(Pe *pe, Issue issue, void *target, const void *source,
                                  size_t bytes, moac_shmem_signal signal, int to, bool nbi) {
  (void)nbi;
  char *there = bytes == 0 ? NULL : moac_shmem_embedded_translate(pe, target, bytes, to);
  char *word = moac_shmem_embedded_translate(pe, signal.word, sizeof *signal.word, to);
  if (UNLIKELY(word == NULL || (bytes != 0 && there == NULL)))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, "put_signal", "PE %d has no such object",
                           to);
  if (bytes != 0)
    copy(there, source, bytes);
  if (signal.op == MOAC_SHMEM_SIGNAL_SET)
    __atomic_store_n((uint64_t *)word, signal.value, __ATOMIC_RELEASE);
  else
    trace_added(pe, issue, signal,
                __atomic_fetch_add((uint64_t *)word, signal.value, __ATOMIC_ACQ_REL));
  wake_pe(pe, to);
  return MOAC_SHMEM_OK;
}

static Status embedded_fence(Pe *pe, Issue issue) {
  (void)pe, (void)issue;
  atomic_thread_fence(memory_order_acq_rel);
  fence_pending = true;
  return MOAC_SHMEM_OK;
}

static Status embedded_quiet(Pe *pe, Issue issue) {
  (void)pe, (void)issue;
  atomic_thread_fence(memory_order_seq_cst);
  fence_pending = false;
  return MOAC_SHMEM_OK;
}

static void *embedded_ptr(Pe *pe, const void *object, int at) {
  return moac_shmem_embedded_translate(pe, object, 1, at);
}

void moac_shmem_local_load_point(Pe *pe) {
  settle_fence();
  if (UNLIKELY(pe->chaos != NULL))
    moac_shmem_chaos_settle(pe);
}

const Backend moac_shmem_embedded = {
    .name = "embedded",
    .in_order = true,
    .put = embedded_put,
    .get = embedded_get,
    .atomic = embedded_atomic,
    .put_signal = embedded_put_signal,
    .fence = embedded_fence,
    .quiet = embedded_quiet,
    .ptr = embedded_ptr,
    .progress = NULL,
};
