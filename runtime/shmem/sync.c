/* sync.c: what collectives are made of: a call number that all members count alike, flags between
 * pairs of members, and an exchange of small contributions and a barrier, both by dissemination: in
 * log2 P rounds.
 *
 * Each team slot has a sync area in every slice:
 *   words: own call | sync round 0..9 | pad | flag from rank 0..P-1 | mail flag from rank 0..P-1
 *   mail:  [2][P][MAIL_BYTES]
 * A word holds counter << 16 | tag. Counters only grow, so a flag is never reset and a late reader
 * misses nothing; two writes by one PE to one word are separated by a fence. The exchange needs two
 * mail buffers and no credit: nobody can start exchange n+2 before all members have begun n+1, that
 * is, have read n.
 *
 * The tag is a digest of what the members must agree on. A member that meets another tag, or sees
 * that its partner is inside another call, reports MISMATCH instead of waiting for ever.
 */
#include "runtime/shmem/internal.h"
#include "runtime/shmem/trace.h"

#define CALL_BROKEN UINT64_MAX
enum { FEW = 8 }; /* members that raise a flag at each other */
enum { WORD_CALL = 0, WORD_ROUND = 1, WORD_FLAGS = 1 + SYNC_ROUNDS + 1 };

static uint64_t *area_word(const Team *team, int index) { return (uint64_t *)team->area + index; }
static uint64_t *flag_word(const Team *team, int rank) {
  return area_word(team, WORD_FLAGS + rank);
}
static uint64_t *mail_word(const Call *call, int rank) {
  return area_word(call->team, WORD_FLAGS + call->pe->pes + rank);
}
static char *mail_box(const Call *call, uint64_t number, int rank) {
  char *boxes = (char *)area_word(call->team, (WORD_FLAGS + 2 * call->pe->pes + 15) / 16 * 16);
  return boxes + ((number & 1u) * (uint64_t)call->pe->pes + (uint64_t)rank) * MAIL_BYTES;
}

static uint64_t peek(Pe *pe, uint64_t *word, int at) {
  uint64_t value = 0;
  moac_shmem_atomic fetch = {MOAC_SHMEM_ATOMIC_FETCH, MOAC_SHMEM_U64, NULL, NULL, &value};
  pe->backend->atomic(pe, internal_issue(pe), word, &fetch, at, false);
  return value;
}

static Status raise_word(Call *call, uint64_t *word, uint64_t counter, int rank) {
  uint64_t value = counter << 16 | call->tag;
  moac_shmem_atomic set = {MOAC_SHMEM_ATOMIC_SET, MOAC_SHMEM_U64, &value, NULL, NULL};
  Pe *pe = call->pe;
  RETURN_IF_FAILED(pe->backend->fence(pe, internal_issue(pe)));
  return pe->backend->atomic(pe, internal_issue(pe), word, &set, team_pe(call->team, rank), false);
}

/* After a mismatch the members' counters differ for good: the team is closed, and its call word
 * says so to whoever waits for this PE. */
static void close_team(Call *call) {
  call->team->broken = true;
  __atomic_store_n(area_word(call->team, WORD_CALL), CALL_BROKEN, __ATOMIC_RELEASE);
}

static Status mismatch(Call *call, int rank) {
  close_team(call);
  return moac_shmem_fail(MOAC_SHMEM_MISMATCH, call->name,
                         "rank %d of the team called something else or gave up", rank);
}

Status moac_shmem_call_give_up(Call *call, Status status) {
  close_team(call);
  return status;
}

/* Did the partner leave for another call? Only asked while nothing arrives. */
static bool partner_left(Call *call, int rank) {
  uint64_t there = peek(call->pe, area_word(call->team, WORD_CALL), team_pe(call->team, rank));
  bool broken = there == CALL_BROKEN;
  bool other = (there >> 16) == call->number && (uint16_t)there != call->tag;
  bool gone = (there >> 16) > call->number && call->pe->backend->in_order;
  return broken || other || gone;
}

static Status await_word(Call *call, uint64_t *word, uint64_t counter, int rank) {
  Waiter waiter = {0};
  bool left = false;
  for (;;) {
    uint64_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if ((seen >> 16) >= counter)
      return (seen >> 16) == counter && (uint16_t)seen != call->tag ? mismatch(call, rank)
                                                                    : MOAC_SHMEM_OK;
    if (UNLIKELY(left)) /* and its flag has not arrived between the two looks */
      return mismatch(call, rank);
    RETURN_IF_FAILED(moac_shmem_pause(call->pe, &waiter, call->name));
    if (waiter.polls > (uint32_t)call->pe->spins || waiter.polls % 256 == 255)
      left = partner_left(call, rank);
  }
}

Status moac_shmem_call_begin(Call *call, moac_shmem_team handle, const char *name,
                             uint64_t agreed) {
  Pe *pe = self_pe();
  if (pe == NULL)
    return moac_shmem_fail(MOAC_SHMEM_NOT_INITIALIZED, name, "called outside init and finalize");
  Team *team = moac_shmem_find_team(pe, handle);
  if (team == NULL)
    return moac_shmem_fail(MOAC_SHMEM_INVALID_TEAM, name, "no such team");
  RETURN_IF_FAILED(moac_shmem_check_peers(pe, name));
  if (team->broken)
    return moac_shmem_fail(MOAC_SHMEM_MISMATCH, name,
                           "an earlier collective on this team did not match");
  uint64_t digest = 0xcbf29ce484222325u;
  for (const char *c = name; *c != '\0'; ++c)
    digest = (digest ^ (uint8_t)*c) * 0x100000001b3u;
  digest = (digest ^ agreed) * 0x9e3779b97f4a7c15u;
  *call = (Call){pe, team, name, ++team->calls, (uint16_t)(digest >> 48)};
  __atomic_store_n(area_word(team, WORD_CALL), call->number << 16 | call->tag, __ATOMIC_RELEASE);
  schedule_point(pe);
  return MOAC_SHMEM_OK;
}

Status moac_shmem_call_put(Call *call, void *target, const void *source, size_t bytes, int rank) {
  Pe *pe = call->pe;
  if (bytes == 0)
    return MOAC_SHMEM_OK;
  return pe->backend->put(pe, internal_issue(pe), target, source, bytes, team_pe(call->team, rank),
                          false);
}

Status moac_shmem_call_get(Call *call, void *target, const void *source, size_t bytes, int rank) {
  Pe *pe = call->pe;
  if (bytes == 0)
    return MOAC_SHMEM_OK;
  return pe->backend->get(pe, internal_issue(pe), target, source, bytes, team_pe(call->team, rank),
                          false);
}

Status moac_shmem_call_flag(Call *call, int rank) {
  return raise_word(call, flag_word(call->team, call->team->rank), call->number, rank);
}

Status moac_shmem_call_await(Call *call, int rank) {
  return await_word(call, flag_word(call->team, rank), call->number, rank);
}

Status moac_shmem_call_sync(Call *call) {
  Team *team = call->team;
  uint64_t number = ++team->syncs;
  for (int round = 0, distance = 1; distance < team->size; ++round, distance *= 2) {
    int to = (team->rank + distance) % team->size;
    int from = (team->rank - distance + team->size) % team->size;
    RETURN_IF_FAILED(raise_word(call, area_word(team, WORD_ROUND + round), number, to));
    RETURN_IF_FAILED(await_word(call, area_word(team, WORD_ROUND + round), number, from));
  }
  return MOAC_SHMEM_OK;
}

Status moac_shmem_call_meet(Call *call) {
  Team *team = call->team;
  if (team->size > FEW) {
    RETURN_IF_FAILED(call->pe->backend->quiet(call->pe, internal_issue(call->pe)));
    return moac_shmem_call_sync(call);
  }
  for (int step = 1; step < team->size; ++step)
    RETURN_IF_FAILED(moac_shmem_call_flag(call, (team->rank + step) % team->size));
  for (int rank = 0; rank < team->size; ++rank)
    if (rank != team->rank)
      RETURN_IF_FAILED(moac_shmem_call_await(call, rank));
  return MOAC_SHMEM_OK;
}

/* The boxes of `count` ranks up to this one, to the same places of another member: they may go
 * round the end of the row. */
static Status send_boxes(Call *call, uint64_t number, int count, size_t bytes, int to) {
  int last = call->team->rank, first = last - count + 1, size = call->team->size;
  if (first < 0) {
    char *boxes = mail_box(call, number, first + size);
    size_t all = ((size_t)-first - 1) * MAIL_BYTES + bytes;
    RETURN_IF_FAILED(moac_shmem_call_put(call, boxes, boxes, all, to));
    first = 0;
  }
  char *boxes = mail_box(call, number, first);
  size_t all = (size_t)(last - first) * MAIL_BYTES + bytes;
  return moac_shmem_call_put(call, boxes, boxes, all, to);
}

/* In rounds: after each a member has the boxes of twice as many ranks below it, and in the next it
 * hands on all that the receiver lacks. */
Status moac_shmem_call_exchange(Call *call, const void *mine, size_t bytes, const char **all) {
  Team *team = call->team;
  uint64_t number = ++team->mails;
  memcpy(mail_box(call, number, team->rank), mine, bytes);
  for (int distance = 1; distance < team->size; distance *= 2) {
    int to = (team->rank + distance) % team->size;
    int from = (team->rank - distance + team->size) % team->size;
    int count = distance < team->size - distance ? distance : team->size - distance;
    RETURN_IF_FAILED(send_boxes(call, number, count, bytes, to));
    RETURN_IF_FAILED(raise_word(call, mail_word(call, team->rank), number, to));
    RETURN_IF_FAILED(await_word(call, mail_word(call, from), number, from));
  }
  *all = mail_box(call, number, 0);
  return MOAC_SHMEM_OK;
}

void moac_shmem_team_open(Pe *pe, int slot, int start, int stride, int size, uint64_t base) {
  size_t bytes = moac_shmem_sync_area_bytes(pe->pes);
  Team *team = &pe->teams[slot];
  *team = (Team){.used = true, .slot = slot, .start = start, .stride = stride, .size = size};
  team->rank = (pe->pe - start) / stride;
  team->calls = team->syncs = team->mails = team->base = base;
  team->area = pe->slice + (size_t)slot * bytes;
  pe->used_teams |= (uint64_t)1 << slot;
}

moac_shmem_status moac_shmem_sync(moac_shmem_team team) {
  Call call;
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, 0));
  RETURN_IF_FAILED(moac_shmem_call_sync(&call));
  trace_sync(&call, "sync");
  return MOAC_SHMEM_OK;
}

moac_shmem_status moac_shmem_barrier(moac_shmem_team team) {
  Call call;
  Issue issue = {.index = 0};
  RETURN_IF_FAILED(moac_shmem_call_begin(&call, team, __func__, 0));
  find_context(call.pe, MOAC_SHMEM_CONTEXT_DEFAULT, &issue);
  RETURN_IF_FAILED(call.pe->backend->quiet(call.pe, issue));
  RETURN_IF_FAILED(moac_shmem_call_sync(&call));
  trace_sync(&call, "barrier");
  return MOAC_SHMEM_OK;
}
