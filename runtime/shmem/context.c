/* context.c: contexts (ordering domains), fence and quiet.
 *
 * A handle packs the slot (low 16 bits, plus one) and a com_id (high 32 bits), so that tagging an
 * operation is arithmetic. PE numbers given with a context are ranks of its team.
 */
#include "runtime/shmem/chaos.h"
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

static moac_shmem_context pack(int index, uint32_t com_id) {
  return (moac_shmem_context)(((uintptr_t)com_id << 32) | (uintptr_t)(index + 1));
}

moac_shmem_context moac_shmem_tag(moac_shmem_context context, uint32_t com_id) {
  return pack((int)((uintptr_t)context & 0xffffu) - 1, com_id);
}

uint32_t moac_shmem_com_id(moac_shmem_context context) {
  Pe *pe = self_pe();
  Issue issue = {.index = 0};
  return pe != NULL && find_context(pe, context, &issue) ? issue.com_id : 0;
}

uint32_t moac_shmem_access_com_id(const void *object) {
  Pe *pe = self_pe();
  return pe != NULL ? moac_shmem_heap_com_id(pe->heap, object) : 0;
}

moac_shmem_status moac_shmem_context_create(moac_shmem_team team, long options, uint32_t com_id,
                                            moac_shmem_context *context) {
  REQUIRE_PE(pe);
  long known =
      MOAC_SHMEM_CONTEXT_PRIVATE | MOAC_SHMEM_CONTEXT_SERIALIZED | MOAC_SHMEM_CONTEXT_NOSTORE;
  *context = MOAC_SHMEM_CONTEXT_INVALID;
  Team *of = moac_shmem_find_team(pe, team);
  if (of == NULL)
    return FAIL(MOAC_SHMEM_INVALID_TEAM, "no such team");
  if ((options & ~known) != 0)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "options 0x%lx", options);
  Status status = MOAC_SHMEM_NO_RESOURCES;
  pthread_mutex_lock(&pe->lock);
  for (int index = INTERNAL_CONTEXT + 1; index < CONTEXT_SLOTS && status != MOAC_SHMEM_OK;
       ++index) {
    if (pe->contexts[index].used)
      continue;
    pe->contexts[index] = (Context){true, of->slot, options, com_id};
    *context = pack(index, 0);
    status = MOAC_SHMEM_OK;
  }
  pthread_mutex_unlock(&pe->lock);
  return status == MOAC_SHMEM_OK ? status
                                 : FAIL(status, "all %d contexts are in use", CONTEXT_SLOTS);
}

static Status require(Pe *pe, moac_shmem_context context, const char *name, Issue *issue) {
  if (UNLIKELY(!find_context(pe, context, issue)))
    return moac_shmem_fail(MOAC_SHMEM_INVALID_CONTEXT, name, "no such context");
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_context_destroy(moac_shmem_context context) {
  REQUIRE_PE(pe);
  Issue issue = {.index = 0};
  RETURN_IF_FAILED(require(pe, context, __func__, &issue));
  if (issue.index <= INTERNAL_CONTEXT)
    return FAIL(MOAC_SHMEM_INVALID_CONTEXT, "the default context stays");
  RETURN_IF_FAILED(moac_shmem_quiet(context));
  pthread_mutex_lock(&pe->lock);
  issue.context->used = false;
  pthread_mutex_unlock(&pe->lock);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_context_team(moac_shmem_context context, moac_shmem_team *team) {
  REQUIRE_PE(pe);
  Issue issue = {.index = 0};
  *team = MOAC_SHMEM_TEAM_INVALID;
  RETURN_IF_FAILED(require(pe, context, __func__, &issue));
  *team = (moac_shmem_team)(uintptr_t)(issue.context->team + 1);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_fence(moac_shmem_context context) {
  REQUIRE_PE(pe);
  Issue issue = {.index = 0};
  schedule_point(pe);
  RETURN_IF_FAILED(require(pe, context, __func__, &issue));
  trace_order(pe, TRACE_FENCE, issue);
  return pe->backend->fence(pe, issue);
}

enum { NAMED_AT_ONCE = 32 }; /* PEs in one record of a trace */

/* Where others deliver when asked, a quiet for one PE is a quiet. */
static Status quiet_named(Pe *pe, Issue issue, const int *pes, size_t count) {
  const Team *team = &pe->teams[issue.context->team];
  int world[NAMED_AT_ONCE];
  for (size_t i = 0; i < count; ++i)
    world[i] = team_pe(team, pes[i]);
  for (size_t i = 0; pe->chaos != NULL && i < count; ++i)
    moac_shmem_chaos_deliver_to(pe, issue.index, world[i]);
  RETURN_IF_FAILED(pe->chaos != NULL ? moac_shmem_embedded.quiet(pe, issue)
                                     : pe->backend->quiet(pe, issue));
  trace_pe_quiet(pe, issue, world, count);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_pe_quiet(moac_shmem_context context, const int *pes, size_t count) {
  REQUIRE_PE(pe);
  Issue issue = {.index = 0};
  schedule_point(pe);
  RETURN_IF_FAILED(require(pe, context, __func__, &issue));
  if (pes == NULL && count != 0)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "%zu PEs, but no list", count);
  int size = pe->teams[issue.context->team].size;
  for (size_t i = 0; i < count; ++i)
    if (pes[i] < 0 || pes[i] >= size)
      return FAIL(MOAC_SHMEM_INVALID_PE, "PE %d is not in 0..%d", pes[i], size - 1);
  for (size_t at = 0; at < count; at += NAMED_AT_ONCE)
    RETURN_IF_FAILED(
        quiet_named(pe, issue, pes + at, count - at < NAMED_AT_ONCE ? count - at : NAMED_AT_ONCE));
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_quiet(moac_shmem_context context) {
  REQUIRE_PE(pe);
  Issue issue = {.index = 0};
  schedule_point(pe);
  RETURN_IF_FAILED(require(pe, context, __func__, &issue));
  RETURN_IF_FAILED(pe->backend->quiet(pe, issue));
  trace_order(pe, TRACE_QUIET, issue);
  return MOAC_SHMEM_OK;
}
