/* rma.c: put and get in their blocking, non-blocking and strided forms: checks and rank
 * translation; the bytes are the backend's business.
 */
#include "runtime/shmem/internal.h"
#include "runtime/shmem/remote.h"

#include <stdlib.h>

bool moac_shmem_symmetric(Pe *pe, const void *object, size_t bytes) {
  size_t offset = (size_t)((const char *)object - pe->slice);
  if (LIKELY(offset < pe->slice_bytes && bytes <= pe->slice_bytes - offset))
    return true;
  for (int i = 0; i < pe->segment_count; ++i) {
    offset = (size_t)((const char *)object - pe->segments[i].local);
    if (offset < pe->segments[i].bytes && bytes <= pe->segments[i].bytes - offset)
      return true;
  }
  return false;
}

Status moac_shmem_remote_slow(Pe *pe, const char *name, moac_shmem_context context,
                              const void *object, size_t bytes, int rank) {
  Issue issue = {.index = 0};
  if (!find_context(pe, context, &issue))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_CONTEXT, name, "no such context");
  const Team *team = &pe->teams[issue.context->team];
  if (rank < 0 || rank >= team->size)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_PE, name, "PE %d is not in 0..%d", rank,
                           team->size - 1);
  if (!moac_shmem_symmetric(pe, object, bytes))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, name,
                           "%p and %zu bytes are not in a symmetric object", object, bytes);
  return moac_shmem_check_peers(pe, name);
}

static Status check_distinct(Pe *pe, const char *name, const void *target, const void *source,
                             size_t bytes, int at) {
  if (at == pe->pe && moac_shmem_overlap(target, source, bytes, bytes))
    return moac_shmem_fail(MOAC_SHMEM_OVERLAP, name, "%zu bytes at %p and at %p of the same PE",
                           bytes, target, source);
  return MOAC_SHMEM_OK;
}

static void trace_transfer(Pe *pe, const char *kind, Remote remote, TraceRange target,
                           TraceRange source, bool nbi) {
  TraceRecord record = {.kind = kind,
                        .context = remote.issue.index,
                        .com_id = remote.issue.com_id,
                        .nbi = nbi,
                        .nostore =
                            (remote.issue.context->options & MOAC_SHMEM_CONTEXT_NOSTORE) != 0,
                        .dst = target,
                        .src = source};
  moac_shmem_trace_write(pe, &record);
}

/* No bytes need no object, but still a context and a PE that exist. */
static inline const void *any_if_empty(const void *object, size_t bytes) {
  return bytes != 0 || self_pe() == NULL ? object : self_pe()->slice;
}

static Status put(const char *name, moac_shmem_context context, void *target, const void *source,
                  size_t bytes, int rank, bool nbi) {
  Remote remote = {.at = 0};
  RETURN_IF_FAILED(find_remote(name, context, any_if_empty(target, bytes), bytes, rank, &remote));
  if (UNLIKELY(bytes == 0))
    return MOAC_SHMEM_OK;
  Pe *pe = remote.pe;
  RETURN_IF_FAILED(check_distinct(pe, name, target, source, bytes, remote.at));
  schedule_point(pe);
  if (UNLIKELY(pe->trace != NULL))
    trace_transfer(pe, "put", remote, (TraceRange){target, bytes, remote.at},
                   (TraceRange){source, bytes, pe->pe}, nbi);
  return pe->backend->put(pe, remote.issue, target, source, bytes, remote.at, nbi);
}

static Status get(const char *name, moac_shmem_context context, void *target, const void *source,
                  size_t bytes, int rank, bool nbi) {
  Remote remote = {.at = 0};
  RETURN_IF_FAILED(find_remote(name, context, any_if_empty(source, bytes), bytes, rank, &remote));
  if (UNLIKELY(bytes == 0))
    return MOAC_SHMEM_OK;
  Pe *pe = remote.pe;
  RETURN_IF_FAILED(check_distinct(pe, name, target, source, bytes, remote.at));
  schedule_point(pe);
  if (UNLIKELY(pe->trace != NULL))
    trace_transfer(pe, "get", remote, (TraceRange){target, bytes, pe->pe},
                   (TraceRange){source, bytes, remote.at}, nbi);
  return pe->backend->get(pe, remote.issue, target, source, bytes, remote.at, nbi);
}

moac_shmem_status moac_shmem_put(moac_shmem_context context, void *target, const void *source,
                                 size_t bytes, int pe) {
  return put(__func__, context, target, source, bytes, pe, false);
}

moac_shmem_status moac_shmem_put_nbi(moac_shmem_context context, void *target, const void *source,
                                     size_t bytes, int pe) {
  return put(__func__, context, target, source, bytes, pe, true);
}

moac_shmem_status moac_shmem_get(moac_shmem_context context, void *target, const void *source,
                                 size_t bytes, int pe) {
  return get(__func__, context, target, source, bytes, pe, false);
}

moac_shmem_status moac_shmem_get_nbi(moac_shmem_context context, void *target, const void *source,
                                     size_t bytes, int pe) {
  return get(__func__, context, target, source, bytes, pe, true);
}

static Status check_strides(const char *name, moac_shmem_strides s) {
  size_t extent;
  if (s.block == 0 || s.target < s.block || s.source < s.block)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ARGUMENT, name,
                           "blocks of %zu bytes every %zu and %zu", s.block, s.target, s.source);
  if (__builtin_mul_overflow(s.count, s.target > s.source ? s.target : s.source, &extent))
    return moac_shmem_fail(MOAC_SHMEM_SIZE_OVERFLOW, name, "%zu blocks every %zu bytes", s.count,
                           s.target);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_iput(moac_shmem_context context, void *target, const void *source,
                                  moac_shmem_strides strides, int pe) {
  RETURN_IF_FAILED(check_strides(__func__, strides));
  for (size_t i = 0; i < strides.count; ++i)
    RETURN_IF_FAILED(put(__func__, context, (char *)target + i * strides.target,
                         (const char *)source + i * strides.source, strides.block, pe, false));
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_iget(moac_shmem_context context, void *target, const void *source,
                                  moac_shmem_strides strides, int pe) {
  RETURN_IF_FAILED(check_strides(__func__, strides));
  for (size_t i = 0; i < strides.count; ++i)
    RETURN_IF_FAILED(get(__func__, context, (char *)target + i * strides.target,
                         (const char *)source + i * strides.source, strides.block, pe, false));
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_ptr(const void *object, int at, void **address) {
  REQUIRE_PE(pe);
  *address = NULL;
  if (at < 0 || at >= pe->pes)
    return FAIL(MOAC_SHMEM_INVALID_PE, "PE %d is not in 0..%d", at, pe->pes - 1);
  if (!moac_shmem_symmetric(pe, object, 1))
    return FAIL(MOAC_SHMEM_INVALID_ADDRESS, "%p is not in a symmetric object", object);
  *address = pe->backend->ptr(pe, object, at);
  return *address != NULL ? MOAC_SHMEM_OK
                          : FAIL(MOAC_SHMEM_UNSUPPORTED, "no address for PE %d", at);
}

bool moac_shmem_addr_accessible(const void *address, int at) {
  Pe *pe = self_pe();
  return pe != NULL && at >= 0 && at < pe->pes && moac_shmem_symmetric(pe, address, 1);
}
