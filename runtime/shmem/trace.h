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
  uint32_t com_id; /* of the operation or plain access */
  bool nbi, nostore, has_value, has_old, fail, atomic, acquire, release;
  TraceRange dst, src, mem, sig, lock;
  uint64_t value, old, stamp; /* stamp 0: taken when the record is written */
  uint64_t seen;              /* of an update: a stamp from behind it; 0: none */
  uint64_t add; /* of an ADD signal: its number; value and old follow when it is delivered */
  int team;     /* slot + 1 for collectives, else 0 */
  uint64_t sequence;
  const char *name;
  const int *to; /* of a quiet: the PEs of the world that it names, at most 32 */
  size_t to_count;
} TraceRecord;

bool moac_shmem_trace_start(Pe *pe);
void moac_shmem_trace_stop(Pe *pe);
void moac_shmem_trace_write(Pe *pe, const TraceRecord *record);
uint64_t moac_shmem_trace_stamp(Pe *pe);
/* Team ids in a trace are handed out in order of creation. */
void moac_shmem_trace_team(Pe *pe, const Team *team);

/* A finished collective with the memory of this PE that it read and wrote. */
/* What moac_shmem_at said on this thread. */
typedef struct TraceSite {
  const char *file;
  int line;
} TraceSite;
TraceSite moac_shmem_trace_site(void);
void moac_shmem_trace_call(const Call *call, const char *kind, TraceRange source,
                           TraceRange target);
static inline void trace_call(const Call *call, const void *source, size_t source_bytes,
                              const void *target, size_t target_bytes) {
  if (UNLIKELY(call->pe->trace != NULL))
    moac_shmem_trace_call(
        call, "coll", (TraceRange){source_bytes == 0 ? NULL : source, source_bytes, call->pe->pe},
        (TraceRange){target_bytes == 0 ? NULL : target, target_bytes, call->pe->pe});
}
static inline void trace_sync(const Call *call, const char *kind) {
  if (UNLIKELY(call->pe->trace != NULL))
    moac_shmem_trace_call(call, kind, (TraceRange){NULL, 0, 0}, (TraceRange){NULL, 0, 0});
}

/* ADD signals are numbered, since what they find is known only when they are delivered. */
uint64_t moac_shmem_trace_next_add(Pe *pe);
void moac_shmem_trace_added(Pe *pe, uint64_t add, uint64_t old, uint64_t value);
static inline void trace_added(Pe *pe, Issue issue, moac_shmem_signal signal, uint64_t old) {
  if (UNLIKELY(issue.add != 0))
    moac_shmem_trace_added(pe, issue.add, old, old + signal.value);
}

typedef enum TraceOrder { TRACE_FENCE, TRACE_QUIET } TraceOrder;
static inline void trace_order(Pe *pe, TraceOrder order, Issue issue) {
  if (LIKELY(pe->trace == NULL))
    return;
  TraceRecord record = {.kind = order == TRACE_FENCE ? "fence" : "quiet",
                        .context = issue.index,
                        .com_id = issue.com_id,
                        .nostore = (issue.context->options & MOAC_SHMEM_CONTEXT_NOSTORE) != 0};
  moac_shmem_trace_write(pe, &record);
}

static inline void trace_pe_quiet(Pe *pe, Issue issue, const int *to, size_t count) {
  if (LIKELY(pe->trace == NULL))
    return;
  TraceRecord record = {.kind = "quiet",
                        .context = issue.index,
                        .com_id = issue.com_id,
                        .nostore = (issue.context->options & MOAC_SHMEM_CONTEXT_NOSTORE) != 0,
                        .to = to,
                        .to_count = count};
  moac_shmem_trace_write(pe, &record);
}

#endif
