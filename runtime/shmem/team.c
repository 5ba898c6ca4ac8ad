/* team.c: teams are strided sets of PEs with a sync area each.
 *
 * Creation is collective over the parent: members exchange which slots they have free and how far
 * their counters ever ran, so all pick the same slot and start its counters above anything that an
 * earlier team left in the flags. Disjoint children of one split share a slot number; a sync area
 * belongs to one PE.
 */
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

static moac_shmem_team pack(int slot) { return (moac_shmem_team)(uintptr_t)(slot + 1); }

Team *moac_shmem_find_team(Pe *pe, moac_shmem_team handle) {
  uintptr_t slot = (uintptr_t)handle - 1;
  return slot < TEAM_SLOTS && pe->teams[slot].used ? &pe->teams[slot] : NULL;
}

/* What the members of the parent know together. */
typedef struct Agreement {
  uint64_t used, limit;
} Agreement;

static uint64_t largest_counter(const Team *team) {
  uint64_t most = team->calls > team->syncs ? team->calls : team->syncs;
  return most > team->mails ? most : team->mails;
}

uint64_t moac_shmem_largest_counter(Pe *pe) {
  uint64_t most = pe->epoch_limit;
  for (int slot = 0; slot < TEAM_SLOTS; ++slot) {
    uint64_t own = pe->teams[slot].used ? largest_counter(&pe->teams[slot]) : 0;
    most = own > most ? own : most;
  }
  return most;
}

static Status agree(Call *call, Agreement *sum) {
  Pe *pe = call->pe;
  Agreement mine = {pe->used_teams, pe->epoch_limit};
  const char *all;
  *sum = mine;
  RETURN_IF_FAILED(moac_shmem_call_exchange(call, &mine, sizeof mine, &all));
  for (int rank = 0; rank < call->team->size; ++rank) {
    Agreement other;
    memcpy(&other, all + (size_t)rank * MAIL_BYTES, sizeof other);
    sum->used |= other.used;
    sum->limit = other.limit > sum->limit ? other.limit : sum->limit;
  }
  return MOAC_SHMEM_OK;
}

static int take_slot(Agreement *sum) {
  if (sum->used == UINT64_MAX)
    return -1;
  int slot = __builtin_ctzll(~sum->used);
  sum->used |= (uint64_t)1 << slot;
  return slot;
}

/* Opens the team when this PE is a member; every PE of the parent has reserved the slot only for
 * its members. */
static moac_shmem_team open_team(Pe *pe, int slot, int start, int stride, int size, uint64_t base) {
  int distance = pe->pe - start;
  bool member = distance % stride == 0 && distance / stride >= 0 && distance / stride < size;
  if (!member)
    return MOAC_SHMEM_TEAM_INVALID;
  moac_shmem_team_open(pe, slot, start, stride, size, base);
  moac_shmem_trace_team(pe, &pe->teams[slot]);
  return pack(slot);
}

moac_shmem_status moac_shmem_team_split_strided(moac_shmem_team parent, int start, int stride,
                                                int size, moac_shmem_team *team) {
  Call call;
  Agreement sum;
  *team = MOAC_SHMEM_TEAM_INVALID;
  uint64_t agreed =
      (uint64_t)(uint32_t)start << 40 ^ (uint64_t)(uint32_t)stride << 20 ^ (uint64_t)(uint32_t)size;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, parent, __func__, agreed));
  const Team *of = call.team;
  int64_t last = (int64_t)start + ((int64_t)size - 1) * stride;
  if (size < 1 || start < 0 || start >= of->size || last < 0 || last >= of->size ||
      (stride == 0 && size > 1))
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "ranks %d, %d steps of %d, in a team of %d", start,
                size, stride, of->size);
  RETURN_IF_FAILED(agree(&call, &sum));
  int slot = take_slot(&sum);
  if (slot < 0)
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "all %d teams are in use", TEAM_SLOTS);
  int step = size == 1 ? 1 : stride * of->stride;
  *team = open_team(call.pe, slot, team_pe(of, start), step, size, sum.limit);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_team_split_2d(moac_shmem_team parent, int x_range,
                                           moac_shmem_team *x_team, moac_shmem_team *y_team) {
  Call call;
  Agreement sum;
  *x_team = *y_team = MOAC_SHMEM_TEAM_INVALID;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, parent, __func__, (uint64_t)(uint32_t)x_range));
  if (x_range < 1)
    return FAIL(MOAC_SHMEM_INVALID_ARGUMENT, "x range %d", x_range);
  RETURN_IF_FAILED(agree(&call, &sum));
  int x_slot = take_slot(&sum), y_slot = take_slot(&sum);
  if (y_slot < 0)
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "all %d teams are in use", TEAM_SLOTS);
  const Team of = *call.team; /* opening may not move it, but reads better as a value */
  int columns = x_range < of.size ? x_range : of.size;
  int x = of.rank % columns, y = of.rank / columns;
  int row_size = of.size - y * columns < columns ? of.size - y * columns : columns;
  int column_size = (of.size - x + columns - 1) / columns;
  *x_team = open_team(call.pe, x_slot, team_pe(&of, y * columns), of.stride, row_size, sum.limit);
  *y_team =
      open_team(call.pe, y_slot, team_pe(&of, x), of.stride * columns, column_size, sum.limit);
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_team_destroy(moac_shmem_team handle) {
  REQUIRE_PE(pe);
  Team *team = moac_shmem_find_team(pe, handle);
  if (team == NULL || team->slot == 0)
    return FAIL(MOAC_SHMEM_INVALID_TEAM, "no team that can be destroyed");
  RETURN_IF_FAILED(moac_shmem_sync(handle)); /* all members have left its collectives */
  for (int index = INTERNAL_CONTEXT + 1; index < CONTEXT_SLOTS; ++index)
    if (pe->contexts[index].used && pe->contexts[index].team == team->slot)
      RETURN_IF_FAILED(moac_shmem_context_destroy((moac_shmem_context)(uintptr_t)(index + 1)));
  uint64_t most = largest_counter(team);
  pe->epoch_limit = most > pe->epoch_limit ? most : pe->epoch_limit;
  pe->used_teams &= ~((uint64_t)1 << team->slot);
  team->used = false;
  return MOAC_SHMEM_OK;
}

int moac_shmem_team_my_pe(moac_shmem_team handle) {
  Pe *pe = self_pe();
  Team *team = pe == NULL ? NULL : moac_shmem_find_team(pe, handle);
  return team == NULL ? -1 : team->rank;
}

int moac_shmem_team_n_pes(moac_shmem_team handle) {
  Pe *pe = self_pe();
  Team *team = pe == NULL ? NULL : moac_shmem_find_team(pe, handle);
  return team == NULL ? -1 : team->size;
}

int moac_shmem_team_translate_pe(moac_shmem_team from, int rank, moac_shmem_team to) {
  Pe *pe = self_pe();
  Team *a = pe == NULL ? NULL : moac_shmem_find_team(pe, from);
  Team *b = pe == NULL ? NULL : moac_shmem_find_team(pe, to);
  if (a == NULL || b == NULL || rank < 0 || rank >= a->size)
    return -1;
  int distance = team_pe(a, rank) - b->start;
  int there = distance / b->stride;
  return distance % b->stride == 0 && there >= 0 && there < b->size ? there : -1;
}
