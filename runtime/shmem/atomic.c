/* atomic.c: atomic operations on a word of any PE, and signals: a put whose arrival a word
 * announces. */
#include "runtime/shmem/remote.h"

static bool supports(moac_shmem_atomic_op op, moac_shmem_type type) {
  switch (type) {
  case MOAC_SHMEM_I32:
  case MOAC_SHMEM_I64:
  case MOAC_SHMEM_U32:
  case MOAC_SHMEM_U64:
    return (unsigned)op <= MOAC_SHMEM_ATOMIC_XOR;
  case MOAC_SHMEM_F32:
  case MOAC_SHMEM_F64:
    return op == MOAC_SHMEM_ATOMIC_FETCH || op == MOAC_SHMEM_ATOMIC_SET ||
           op == MOAC_SHMEM_ATOMIC_SWAP;
  default:
    return false;
  }
}

static Status check_atomic(const char *name, const void *word, const moac_shmem_atomic *a) {
  if (!supports(a->op, a->type))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ARGUMENT, name, "no atomic %d for type %d",
                           (int)a->op, (int)a->type);
  if ((a->op == MOAC_SHMEM_ATOMIC_FETCH ? a->fetched : a->operand) == NULL ||
      (a->op == MOAC_SHMEM_ATOMIC_COMPARE_SWAP && a->compare == NULL))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ARGUMENT, name,
                           "a value that atomic %d needs is NULL", (int)a->op);
  if ((uintptr_t)word % moac_shmem_type_size(a->type) != 0)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, name, "%p is not aligned for an atomic",
                           word);
  return MOAC_SHMEM_OK;
}

static uint64_t word_value(const void *from, size_t bytes) {
  int32_t half;
  uint64_t whole;
  if (from == NULL)
    return 0;
  if (bytes == 8)
    return memcpy(&whole, from, 8), whole;
  return memcpy(&half, from, 4), (uint64_t)(int64_t)half;
}

static uint64_t value_after(const moac_shmem_atomic *a, uint64_t old, uint64_t operand,
                            uint64_t compare) {
  switch (a->op) {
  case MOAC_SHMEM_ATOMIC_ADD:
    return old + operand;
  case MOAC_SHMEM_ATOMIC_COMPARE_SWAP:
    return old == compare ? operand : old;
  case MOAC_SHMEM_ATOMIC_AND:
    return old & operand;
  case MOAC_SHMEM_ATOMIC_OR:
    return old | operand;
  case MOAC_SHMEM_ATOMIC_XOR:
    return old ^ operand;
  case MOAC_SHMEM_ATOMIC_FETCH:
    return old;
  default:
    return operand;
  }
}

/* Runs the operation with its old value kept, and writes it down. */
static Status traced_atomic(Remote remote, void *word, moac_shmem_atomic a, bool nbi) {
  Pe *pe = remote.pe;
  size_t bytes = moac_shmem_type_size(a.type);
  uint64_t old_bits = 0, stamp = moac_shmem_trace_stamp(pe);
  void *asked = a.fetched;
  bool reads = a.op != MOAC_SHMEM_ATOMIC_SET;
  a.fetched = reads ? &old_bits : NULL;
  RETURN_IF_FAILED(pe->backend->atomic(pe, remote.issue, word, &a, remote.at, false));
  if (asked != NULL)
    memcpy(asked, &old_bits, bytes);
  uint64_t old = word_value(&old_bits, bytes), operand = word_value(a.operand, bytes);
  TraceRange there = {word, bytes, remote.at};
  TraceRecord record = {
      .context = remote.issue.index, .com_id = remote.issue.com_id, .nbi = nbi && asked != NULL, .has_value = true};
  record.value = value_after(&a, old, operand, word_value(a.compare, bytes));
  if (record.nbi)
    record.dst = (TraceRange){asked, bytes, pe->pe};
  if (a.op == MOAC_SHMEM_ATOMIC_FETCH) {
    record.kind = "fetch";
    record.src = there;
  } else if (a.op == MOAC_SHMEM_ATOMIC_SET) {
    record.kind = "set";
    record.dst = there;
    record.stamp = stamp;
  } else {
    record.kind = "amo";
    record.mem = there;
    record.stamp = stamp;
    record.seen = moac_shmem_trace_stamp(pe);
    record.has_old = true;
    record.old = old;
    record.fail = a.op == MOAC_SHMEM_ATOMIC_COMPARE_SWAP && old != word_value(a.compare, bytes);
  }
  moac_shmem_trace_write(pe, &record);
  return MOAC_SHMEM_OK;
}

static Status apply(const char *name, moac_shmem_context context, void *word,
                    const moac_shmem_atomic *atomic, int rank, bool nbi) {
  Remote remote = {.at = 0};
  RETURN_IF_FAILED(check_atomic(name, word, atomic));
  RETURN_IF_FAILED(
      find_remote(name, context, word, moac_shmem_type_size(atomic->type), rank, &remote));
  schedule_point(remote.pe);
  if (UNLIKELY(remote.pe->trace != NULL))
    return traced_atomic(remote, word, *atomic, nbi);
  return remote.pe->backend->atomic(remote.pe, remote.issue, word, atomic, remote.at, nbi);
}

moac_shmem_status moac_shmem_atomic_apply(moac_shmem_context context, void *word,
                                          moac_shmem_atomic atomic, int pe) {
  return apply(__func__, context, word, &atomic, pe, false);
}

moac_shmem_status moac_shmem_atomic_apply_nbi(moac_shmem_context context, void *word,
                                              moac_shmem_atomic atomic, int pe) {
  return apply(__func__, context, word, &atomic, pe, true);
}

moac_shmem_status moac_shmem_atomic_set(moac_shmem_context context, uint64_t *word, uint64_t value,
                                        int pe) {
  moac_shmem_atomic set = {MOAC_SHMEM_ATOMIC_SET, MOAC_SHMEM_U64, &value, NULL, NULL};
  return apply(__func__, context, word, &set, pe, false);
}

moac_shmem_status moac_shmem_atomic_fetch(moac_shmem_context context, const uint64_t *word, int pe,
                                          uint64_t *value) {
  moac_shmem_atomic fetch = {MOAC_SHMEM_ATOMIC_FETCH, MOAC_SHMEM_U64, NULL, NULL, value};
  return apply(__func__, context, (void *)(uintptr_t)word, &fetch, pe, false);
}

moac_shmem_status moac_shmem_atomic_fetch_add(moac_shmem_context context, uint64_t *word,
                                              uint64_t value, int pe, uint64_t *old) {
  moac_shmem_atomic add = {MOAC_SHMEM_ATOMIC_ADD, MOAC_SHMEM_U64, &value, NULL, old};
  return apply(__func__, context, word, &add, pe, false);
}

/* --- Signals
 * --------------------------------------------------------------------------------------- */

/* Returns the number of an ADD, 0 of a SET. */
static uint64_t trace_signal(const char *kind, Remote remote, TraceRange target, TraceRange source,
                             moac_shmem_signal signal, bool nbi) {
  bool adds = signal.op == MOAC_SHMEM_SIGNAL_ADD;
  TraceRecord record = {.kind = kind,
                        .context = remote.issue.index,
                        .com_id = remote.issue.com_id,
                        .nbi = nbi,
                        .dst = target,
                        .src = source,
                        .sig = {signal.word, 8, remote.at},
                        .has_value = !adds,
                        .value = signal.value,
                        .add = adds ? moac_shmem_trace_next_add(remote.pe) : 0};
  moac_shmem_trace_write(remote.pe, &record);
  return record.add;
}

static Status put_signal(const char *name, moac_shmem_context context, void *target,
                         const void *source, size_t bytes, moac_shmem_signal signal, int rank,
                         bool nbi) {
  Remote remote = {.at = 0};
  if ((unsigned)signal.op > MOAC_SHMEM_SIGNAL_ADD)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ARGUMENT, name, "signal operation %d",
                           (int)signal.op);
  if ((uintptr_t)signal.word % 8 != 0)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, name, "signal word %p is not aligned",
                           (void *)signal.word);
  RETURN_IF_FAILED(find_remote(name, context, signal.word, sizeof *signal.word, rank, &remote));
  Pe *pe = remote.pe;
  if (bytes != 0 && !moac_shmem_symmetric(pe, target, bytes))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, name,
                           "%p and %zu bytes are not in a symmetric object", target, bytes);
  if (remote.at == pe->pe && moac_shmem_overlap(target, source, bytes, bytes))
    return moac_shmem_fail(MOAC_SHMEM_OVERLAP, name, "%zu bytes at %p and at %p", bytes, target,
                           source);
  schedule_point(pe);
  if (UNLIKELY(pe->trace != NULL))
    remote.issue.add =
        trace_signal(bytes == 0 ? (signal.op == MOAC_SHMEM_SIGNAL_SET ? "signal_set" : "signal_add")
                                : "put_signal",
                     remote, (TraceRange){bytes == 0 ? NULL : target, bytes, remote.at},
                     (TraceRange){bytes == 0 ? NULL : source, bytes, pe->pe}, signal, nbi);
  return pe->backend->put_signal(pe, remote.issue, target, source, bytes, signal, remote.at, nbi);
}

moac_shmem_status moac_shmem_put_signal(moac_shmem_context context, void *target,
                                        const void *source, size_t bytes, moac_shmem_signal signal,
                                        int pe) {
  return put_signal(__func__, context, target, source, bytes, signal, pe, false);
}

moac_shmem_status moac_shmem_put_signal_nbi(moac_shmem_context context, void *target,
                                            const void *source, size_t bytes,
                                            moac_shmem_signal signal, int pe) {
  return put_signal(__func__, context, target, source, bytes, signal, pe, true);
}

moac_shmem_status moac_shmem_signal_send(moac_shmem_context context, moac_shmem_signal signal,
                                         int pe) {
  return put_signal(__func__, context, NULL, NULL, 0, signal, pe, false);
}
