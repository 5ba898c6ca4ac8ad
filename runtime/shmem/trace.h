/* trace.h: the record of what a program did, for `moac shmem-check` (format:
 * runtime/model/Trace.md). Each hook costs one test of a pointer when tracing is off.
 */
#ifndef MOAC_SHMEM_TRACE_H
#define MOAC_SHMEM_TRACE_H

#include "runtime/shmem/internal.h"

typedef struct TraceRange {
  const void *address; /* NULL: no such field */
  size_t bytes;
  int pe;
} TraceRange;

typedef struct TraceRecord {
  const char *kind;
  int context;
  bool nbi, nostore, has_value, has_old, fail;
  TraceRange dst, src, mem, sig, lock;
  uint64_t value, old, stamp; /* stamp 0: taken when the record is written */
  int team;                   /* slot + 1 for collectives, else 0 */
  uint64_t sequence;
  const char *name;
} TraceRecord;

bool moac_shmem_trace_start(Pe *pe);
void moac_shmem_trace_stop(Pe *pe);
void moac_shmem_trace_write(Pe *pe, const TraceRecord *record);
uint64_t moac_shmem_trace_stamp(Pe *pe);
/* Team ids in a trace are handed out in order of creation. */
void moac_shmem_trace_team(Pe *pe, const Team *team);

typedef enum TraceOrder { TRACE_FENCE, TRACE_QUIET } TraceOrder;
static inline void trace_order(Pe *pe, TraceOrder order, Issue issue) {
  if (LIKELY(pe->trace == NULL))
    return;
  TraceRecord record = {.kind = order == TRACE_FENCE ? "fence" : "quiet",
                        .context = issue.index,
                        .nostore = (issue.context->options & MOAC_SHMEM_CONTEXT_NOSTORE) != 0};
  moac_shmem_trace_write(pe, &record);
}

#endif
