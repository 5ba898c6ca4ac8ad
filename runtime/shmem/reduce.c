/* reduce.c: reductions, reduce-scatter and scans. All combine in the order of team ranks, element
 * by element, so the result is the same bits whatever arrives first and whichever algorithm runs.
 *
 *   small (<= 512 bytes)   exchange of the operands, every PE combines all of them
 *   reduce, larger         after a sync, PE r pulls chunk r of every source block by block,
 *                          combines, and pushes the result to all targets. Chunk r of a source is
 *                          read by PE r alone, so target may be source.
 *   reduce-scatter         after a sync each PE pulls its chunk of every source; all meet when done
 *                          reading
 *   scan, larger           windows of 512 bytes through the exchange
 */
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 16 * 1024 };

/* A reduction's operands, in bytes and elements. */
typedef struct Job {
  moac_shmem_reduction op;
  moac_shmem_type type;
  size_t element;
  char *target;
  const char *source;
} Job;

static Status check_job(Call *call, const Job *job, size_t target_count, size_t source_count) {
  size_t target_bytes, source_bytes;
  if (!moac_shmem_can_combine(job->op, job->type))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ARGUMENT, call->name, "no reduction %d for type %d",
                           (int)job->op, (int)job->type);
  if (__builtin_mul_overflow(target_count, job->element, &target_bytes) ||
      __builtin_mul_overflow(source_count, job->element, &source_bytes))
    return moac_shmem_fail(MOAC_SHMEM_SIZE_OVERFLOW, call->name, "%zu elements of %zu bytes",
                           source_count, job->element);
  if ((target_bytes != 0 && !moac_shmem_symmetric(call->pe, job->target, target_bytes)) ||
      (source_bytes != 0 && !moac_shmem_symmetric(call->pe, job->source, source_bytes)))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_ADDRESS, call->name,
                           "target %p or source %p is not symmetric", (void *)job->target,
                           (const void *)job->source);
  if (moac_shmem_overlap(job->target, job->source, target_bytes, source_bytes))
    return moac_shmem_fail(MOAC_SHMEM_OVERLAP, call->name, "target %p and source %p",
                           (void *)job->target, (const void *)job->source);
  return MOAC_SHMEM_OK;
}

static void trace_job(Call *call, const Job *job, size_t target_count, size_t source_count) {
  trace_call(call, job->source, source_count * job->element, job->target,
             target_count * job->element);
}

/* Combines ranks first..last-1 out of mail boxes. */
static void combine_mail(const Job *job, const char *all, int first, int last, char *target,
                         size_t count) {
  const char *sources[MAX_PES];
  for (int rank = first; rank < last; ++rank)
    sources[rank - first] = all + (size_t)rank * MAIL_BYTES;
  moac_shmem_combine(job->op, job->type, last - first, sources, target, count);
}

/* Pulls elements [from, from+count) of all sources into scratch and combines them to `result`. */
static Status pull_block(Call *call, const Job *job, size_t from, size_t count, char *scratch,
                         char *result) {
  const char *sources[MAX_PES];
  Pe *pe = call->pe;
  size_t bytes = count * job->element;
  for (int rank = 0; rank < call->team->size; ++rank) {
    const char *object = job->source + from * job->element;
    const char *mapped =
        pe->backend->in_order ? pe->backend->ptr(pe, object, team_pe(call->team, rank)) : NULL;
    char *copy = scratch + (size_t)rank * BLOCK_BYTES;
    if (mapped == NULL)
      RETURN_IF_FAILED(moac_shmem_call_get(call, copy, object, bytes, rank));
    sources[rank] = mapped != NULL ? mapped : copy;
  }
  moac_shmem_combine(job->op, job->type, call->team->size, sources, result, count);
  return MOAC_SHMEM_OK;
}

/* P blocks to pull into and one for the result. */
static char *make_scratch(Call *call) {
  return malloc(((size_t)call->team->size + 1) * BLOCK_BYTES);
}

static Status reduce_chunk(Call *call, const Job *job, size_t first, size_t last, char *scratch) {
  size_t step = BLOCK_BYTES / job->element;
  char *result = scratch + (size_t)call->team->size * BLOCK_BYTES;
  for (size_t from = first; from < last; from += step) {
    size_t count = last - from < step ? last - from : step;
    RETURN_IF_FAILED(pull_block(call, job, from, count, scratch, result));
    for (int to = 0; to < call->team->size; ++to)
      RETURN_IF_FAILED(moac_shmem_call_put(call, job->target + from * job->element, result,
                                           count * job->element, to));
  }
  return MOAC_SHMEM_OK;
}

static Status reduce_large(Call *call, const Job *job, size_t count) {
  size_t size = (size_t)call->team->size, rank = (size_t)call->team->rank;
  size_t first = count / size * rank + (rank < count % size ? rank : count % size);
  size_t last = first + count / size + (rank < count % size);
  char *scratch = make_scratch(call);
  if (scratch == NULL)
    return moac_shmem_call_give_up(
        call, moac_shmem_fail(MOAC_SHMEM_NO_RESOURCES, call->name, "no scratch for %zu PEs", size));
  Status status = moac_shmem_call_sync(call);
  if (status == MOAC_SHMEM_OK)
    status = reduce_chunk(call, job, first, last, scratch);
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_call_meet(call);
  free(scratch);
  return status;
}

static uint64_t digest(moac_shmem_reduction op, moac_shmem_type type, size_t count) {
  return ((uint64_t)count * MOAC_SHMEM_REDUCTIONS + (uint64_t)op) * MOAC_SHMEM_TYPES +
         (uint64_t)type;
}

moac_shmem_status moac_shmem_reduce(moac_shmem_team team, moac_shmem_reduction op,
                                    moac_shmem_type type, void *target, const void *source,
                                    size_t count) {
  Call call;
  const char *all;
  Job job = {op, type, moac_shmem_type_size(type), target, source};
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, digest(op, type, count)));
  RETURN_IF_FAILED(check_job(&call, &job, count, count));
  if (count * job.element > MAIL_BYTES) {
    RETURN_IF_FAILED(reduce_large(&call, &job, count));
    trace_job(&call, &job, count, count);
    return MOAC_SHMEM_OK;
  }
  RETURN_IF_FAILED(moac_shmem_call_exchange(&call, source, count * job.element, &all));
  combine_mail(&job, all, 0, call.team->size, target, count);
  trace_job(&call, &job, count, count);
  return MOAC_SHMEM_OK;
}

/* The result may not be written before everybody has read this PE's source when the two share
 * memory. */
static Status scatter_chunk(Call *call, const Job *job, size_t count, char *scratch, char *result) {
  size_t step = BLOCK_BYTES / job->element, base = (size_t)call->team->rank * count;
  for (size_t from = 0; from < count; from += step) {
    size_t some = count - from < step ? count - from : step;
    RETURN_IF_FAILED(
        pull_block(call, job, base + from, some, scratch, result + from * job->element));
  }
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_reduce_scatter(moac_shmem_team team, moac_shmem_reduction op,
                                            moac_shmem_type type, void *target, const void *source,
                                            size_t count) {
  Call call;
  size_t total = 0;
  Job job = {op, type, moac_shmem_type_size(type), target, source};
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, digest(op, type, count)));
  if (__builtin_mul_overflow(count, (size_t)call.team->size, &total))
    return FAIL(MOAC_SHMEM_SIZE_OVERFLOW, "%zu elements from each of %d PEs", count,
                call.team->size);
  RETURN_IF_FAILED(check_job(&call, &job, count, total));
  size_t bytes = count * job.element;
  bool in_place = target == source;
  char *scratch = make_scratch(&call), *kept = in_place ? malloc(bytes + 1) : NULL;
  Status status = MOAC_SHMEM_OK;
  if (scratch == NULL || (in_place && kept == NULL))
    status = moac_shmem_call_give_up(&call, FAIL(MOAC_SHMEM_NO_RESOURCES,
                                                 "no scratch for %d PEs and %zu bytes",
                                                 call.team->size, bytes));
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_call_sync(&call);
  if (status == MOAC_SHMEM_OK)
    status = scatter_chunk(&call, &job, count, scratch, in_place ? kept : target);
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_call_meet(&call);
  if (status == MOAC_SHMEM_OK && in_place)
    memcpy(target, kept, bytes);
  if (status == MOAC_SHMEM_OK)
    trace_job(&call, &job, count, total);
  free(kept);
  free(scratch);
  return status;
}

static void scan_window(const Job *job, Call *call, const char *all, bool inclusive, char *target,
                        size_t count) {
  int last = call->team->rank + (inclusive ? 1 : 0);
  if (last == 0)
    memset(target, 0, count * job->element);
  else
    combine_mail(job, all, 0, last, target, count);
}

moac_shmem_status moac_shmem_scan(moac_shmem_team team, bool inclusive, moac_shmem_type type,
                                  void *target, const void *source, size_t count) {
  Call call;
  const char *all;
  Job job = {MOAC_SHMEM_SUM, type, moac_shmem_type_size(type), target, source};
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__,
                                         digest(MOAC_SHMEM_SUM, type, count) * 2 + inclusive));
  RETURN_IF_FAILED(check_job(&call, &job, count, count));
  size_t step = MAIL_BYTES / job.element;
  for (size_t from = 0; from < count; from += step) {
    size_t some = count - from < step ? count - from : step;
    RETURN_IF_FAILED(
        moac_shmem_call_exchange(&call, job.source + from * job.element, some * job.element, &all));
    scan_window(&job, &call, all, inclusive, job.target + from * job.element, some);
  }
  trace_job(&call, &job, count, count);
  return MOAC_SHMEM_OK;
}
