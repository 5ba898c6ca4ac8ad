/* remote.h: the checks at the head of every call that names an object of another PE, short enough
 * to be inlined. */
#ifndef MOAC_SHMEM_REMOTE_H
#define MOAC_SHMEM_REMOTE_H

#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

typedef struct Remote {
  Pe *pe;
  Issue issue;
  int at; /* world PE */
} Remote;

/* The full checks with their texts. */
Status moac_shmem_remote_slow(Pe *pe, const char *name, moac_shmem_context context,
                              const void *object, size_t bytes, int rank);

static inline Status find_remote(const char *name, moac_shmem_context context, const void *object,
                                 size_t bytes, int rank, Remote *remote) {
  Pe *pe = remote->pe = self_pe();
  if (UNLIKELY(pe == NULL))
    return moac_shmem_fail(MOAC_SHMEM_NOT_INITIALIZED, name, "called outside init and finalize");
  Control *control = pe->world->control;
  size_t offset = (size_t)((const char *)object - pe->slice);
  bool good = find_context(pe, context, &remote->issue);
  const Team *team = good ? &pe->teams[remote->issue.context->team] : NULL;
  good = good && (unsigned)rank < (unsigned)team->size && offset < pe->slice_bytes &&
         bytes <= pe->slice_bytes - offset &&
         atomic_load_explicit(&control->failures, memory_order_relaxed) == 0 &&
         atomic_load_explicit(&control->exiting, memory_order_relaxed) == 0;
  if (UNLIKELY(!good))
    RETURN_IF_FAILED(moac_shmem_remote_slow(pe, name, context, object, bytes, rank));
  team = &pe->teams[remote->issue.context->team];
  remote->at = team_pe(team, rank);
  return MOAC_SHMEM_OK;
}

#endif
