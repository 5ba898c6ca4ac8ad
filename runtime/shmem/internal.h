/* internal.h: what the files of this folder share: the world, a PE, contexts, teams and the table a
 * backend fills.
 *
 * Arena (one mapping that all PEs see):   control block | slice of PE 0 | slice of PE 1 | ... |
 * statics of each PE Slice (same layout on each PE):         sync areas, one per team slot | user
 * heap A symmetric address is translated by its offset in the slice, so sync words travel like user
 * data and the code above the table works over any backend.
 */
#ifndef MOAC_SHMEM_INTERNAL_H
#define MOAC_SHMEM_INTERNAL_H

#include "runtime/shmem/moac_shmem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef moac_shmem_status Status;
#define RETURN_IF_FAILED(call)                                                                     \
  do {                                                                                             \
    Status failed_ = (call);                                                                       \
    if (failed_ != MOAC_SHMEM_OK)                                                                  \
      return failed_;                                                                              \
  } while (0)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
  CACHE_LINE = 128,
  MAX_PES = 1024,
  TEAM_SLOTS = 64, /* one bit each in the word that team creation exchanges */
  CONTEXT_SLOTS = 256,
  MAIL_BYTES = 512, /* the largest contribution that the exchange below moves at once */
  SYNC_ROUNDS = 10, /* log2(MAX_PES) */
  INTERNAL_CONTEXT = 1,
  MAX_SEGMENTS = 4
};

/* --- Shared control block -----------------------------------------------------------------------
 */

typedef enum PeState { PE_ABSENT, PE_RUNNING, PE_FINALIZED, PE_FAILED } PeState;

typedef struct PeSlot {
  _Alignas(CACHE_LINE) _Atomic uint32_t state;
  int32_t wait_status;    /* of waitpid, when it failed */
  bool refused;           /* it failed in init, and may go on outside the world */
  uint64_t statics_bytes; /* published before the start-up barrier */
  uint64_t trace_clock;
  _Alignas(CACHE_LINE) _Atomic uint32_t sleepers; /* threads of this PE inside futex wait */
  _Atomic uint32_t wakes;
} PeSlot;

typedef struct Control {
  uint64_t magic;
  int32_t pes, cores;
  uint64_t slice_bytes, sync_bytes, statics_offset, arena_bytes, chaos_seed;
  uint64_t alignment; /* every slice starts on a multiple of it, in its own PE */
  char trace[256];
  _Alignas(CACHE_LINE) _Atomic uint32_t failures; /* PEs that died */
  _Atomic uint32_t exiting;                       /* exit code + 1, of global_exit */
  _Atomic uint32_t arrived;     /* start-up barrier, over all generations of init */
  _Atomic uint64_t epoch_limit; /* no counter of an earlier generation exceeds it */
  PeSlot slots[];
} Control;
#define CONTROL_MAGIC 0x6d6f61635f736d31u
#define STATICS_BYTES_MAX ((uint64_t)1 << 30)

/* --- World, PE -----------------------------------------------------------------------------------
 */

typedef enum WorldMode { WORLD_PROCESSES, WORLD_THREADS, WORLD_COROUTINES } WorldMode;

typedef struct World {
  WorldMode mode;
  Control *control;
  char *slices;                /* slice 0 */
  int arena_fd;                /* -1 when anonymous */
  bool inherited;              /* the file descriptor is the launcher's gift and stays open */
  struct Scheduler *scheduler; /* coroutines */
  char *own_slice;             /* of an engine; NULL when all slices are mapped */
  char *own_statics;           /* where the engine reaches this PE's statics; NULL: nowhere */
} World;

typedef struct Segment {
  char *local;
  size_t bytes, offset; /* offset in this PE's statics region */
} Segment;

typedef struct Context {
  bool used;
  int team; /* slot */
  long options;
  uint32_t com_id;
} Context;

typedef struct Team {
  bool used, broken; /* broken: a mismatch was seen */
  int slot, start, stride, size, rank;
  uint64_t calls; /* collectives begun */
  uint64_t syncs; /* dissemination barriers done */
  uint64_t mails; /* exchanges done */
  uint64_t base;  /* value all counters started from */
  char *area;     /* this PE's sync area, symmetric */
} Team;

typedef struct Pe {
  World *world;
  const struct Backend *backend;
  int pe, pes;
  char *slice;
  size_t slice_bytes;
  PeSlot *slot;
  Segment segments[MAX_SEGMENTS];
  int segment_count;
  char **statics; /* [pes] mapped statics regions, NULL without */
  uint64_t *statics_bytes;
  struct Heap *heap;
  struct Chaos *chaos;
  struct Trace *trace;
  pthread_mutex_t lock; /* contexts */
  Context contexts[CONTEXT_SLOTS];
  Team teams[TEAM_SLOTS];
  uint64_t used_teams;  /* bit per slot */
  uint64_t epoch_limit; /* no counter of a past team exceeds it */
  _Atomic int crowded;  /* sleeps that need not try to yield first: others take the cores */
  int spins, yields;    /* polls before giving up the core, and before falling asleep */
} Pe;

/* The PE that the calling thread belongs to, or NULL. */
extern _Thread_local Pe *moac_shmem_thread_pe;
extern Pe *moac_shmem_process_pe;
static inline Pe *self_pe(void) {
  Pe *pe = moac_shmem_thread_pe;
  return LIKELY(pe != NULL) ? pe : moac_shmem_process_pe;
}

/* --- Backend table: what a new engine has to provide ---------------------------------------------
 */

/* An operation's context with the com_id that it carries. `add` is not 0 when a trace wants to hear
 * what an ADD signal found: whoever performs it calls moac_shmem_trace_added. */
typedef struct Issue {
  Context *context;
  int index;
  uint32_t com_id;
  uint64_t add;
} Issue;

/* Addresses are local symmetric ones, already checked; PE numbers are of the world. `nbi`
 * operations may keep using their local buffers until quiet. fence and quiet act on one context.
 * progress may be NULL. */
typedef struct Backend {
  const char *name;
  bool in_order; /* an operation is delivered before a later one of the same PE is issued */
  Status (*put)(Pe *pe, Issue issue, void *target, const void *source, size_t bytes, int to,
                bool nbi);
  Status (*get)(Pe *pe, Issue issue, void *target, const void *source, size_t bytes, int from,
                bool nbi);
  Status (*atomic)(Pe *pe, Issue issue, void *word, const moac_shmem_atomic *atomic, int at,
                   bool nbi);
  Status (*put_signal)(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                       moac_shmem_signal signal, int to, bool nbi);
  Status (*fence)(Pe *pe, Issue issue);
  Status (*quiet)(Pe *pe, Issue issue);
  void *(*ptr)(Pe *pe, const void *object, int at);
  void (*progress)(Pe *pe);
} Backend;

extern const Backend moac_shmem_embedded;
extern const Backend moac_shmem_chaos;
extern const Backend moac_shmem_engine_backend;

/* engine.c: joins the job of the engine in this shared object (engine.h). */
Status moac_shmem_engine_join(const char *path, World *world, int *number);
void moac_shmem_engine_barrier(void);
void moac_shmem_engine_exit(int code);

/* --- status.c ------------------------------------------------------------------------------------
 */

/* Records the text and returns status. */
Status moac_shmem_fail(Status status, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define FAIL(status, ...) moac_shmem_fail(status, __func__, __VA_ARGS__)
#define REQUIRE_PE(name)                                                                           \
  Pe *name = self_pe();                                                                            \
  if (UNLIKELY(name == NULL))                                                                      \
  return FAIL(MOAC_SHMEM_NOT_INITIALIZED, "called outside init and finalize")

/* --- arena.c, world.c, statics.c, heap.c
 * ---------------------------------------------------------- */

/* Sizes of a world; the same text is used by the launcher and by moac_shmem_run. */
typedef struct ArenaPlan {
  int pes;
  size_t heap_bytes;
  uint64_t chaos_seed;
  const char *trace;
} ArenaPlan;
/* launch_engine.c: becomes the engine's launcher for this job; returns an exit code when that
 * fails. hosts: names separated by commas, or NULL for this host. */
int moac_launch_engine(const char *engine, const char *hosts, const ArenaPlan *plan,
                       char **program);
/* Makes a nameless shared file (or an anonymous mapping) and fills its control block. */
Status moac_shmem_arena_create(const ArenaPlan *plan, bool anonymous, World *world);
Status moac_shmem_arena_attach(int fd, int pe, World *world);
void moac_shmem_arena_release(World *world);
size_t moac_shmem_sync_area_bytes(int pes);
/* "64M" and the like; false for anything else. The environment's SHMEM_SYMMETRIC_SIZE, or 128 MiB.
 */
bool moac_shmem_parse_size(const char *text, size_t *bytes);
size_t moac_shmem_heap_from_environment(void);

Status moac_shmem_pe_enter(World *world, int number, Pe **made);
void moac_shmem_pe_leave(Pe *pe);
Status moac_shmem_statics_share(Pe *pe); /* moves this program's writable pages into the arena */
Status moac_shmem_statics_map_peers(Pe *pe);
/* Over an engine: the bytes that the program's writable pages take (0: too many to move), and
 * moving them to where world->own_statics sees them too; the PEs then compare what they have. */
size_t moac_shmem_statics_size(void);
Status moac_shmem_statics_twin(Pe *pe);
Status moac_shmem_statics_compare(Pe *pe);
void *moac_shmem_statics_translate(Pe *pe, const void *object, size_t bytes, int at);
/* phase: the base's distance from an address aligned as the arena promises. */
struct Heap *moac_shmem_heap_create(char *base, size_t bytes, size_t phase);
void moac_shmem_heap_destroy(struct Heap *heap);
uint32_t moac_shmem_heap_com_id(struct Heap *heap, const void *object);

/* --- wait.c
 * --------------------------------------------------------------------------------------- */

/* One poll loop: `Waiter w = {0}; while (!ready) RETURN_IF_FAILED(moac_shmem_pause(pe, &w, name));` It
 * spins, then yields, then sleeps until woken or 2 ms later; it makes progress and notices dead
 * PEs. */
typedef struct Waiter {
  uint32_t polls, sleeps, seen;
  bool armed;
} Waiter;
Status moac_shmem_pause(Pe *pe, Waiter *waiter, const char *call);
void moac_shmem_wake_slow(PeSlot *slot);
/* Tells all PEs that one is gone. */
void moac_shmem_mark_failed(Control *control, int pe, int wait_status);
/* After a store that another PE may be waiting for. */
static inline void wake_pe(Pe *pe, int at) {
  PeSlot *slot = &pe->world->control->slots[at];
  if (UNLIKELY(atomic_load_explicit(&slot->sleepers, memory_order_relaxed) != 0))
    moac_shmem_wake_slow(slot);
}
/* OK, or PE_FAILED or EXITING with a text. */
Status moac_shmem_check_peers(Pe *pe, const char *call);

/* --- contexts, teams, sync
 * ------------------------------------------------------------------------- */

/* Resolves a handle; false for no context. */
static inline bool find_context(Pe *pe, moac_shmem_context handle, Issue *issue) {
  uintptr_t bits = (uintptr_t)handle;
  uint32_t index = (uint32_t)(bits & 0xffffu) - 1u;
  if (UNLIKELY(index >= CONTEXT_SLOTS || !pe->contexts[index].used))
    return false;
  issue->context = &pe->contexts[index];
  issue->index = (int)index;
  issue->com_id = (uint32_t)(bits >> 32);
  if (issue->com_id == 0)
    issue->com_id = issue->context->com_id;
  return true;
}
static inline Issue internal_issue(Pe *pe) {
  Issue issue = {.context = &pe->contexts[INTERNAL_CONTEXT], .index = INTERNAL_CONTEXT};
  return issue;
}
Team *moac_shmem_find_team(Pe *pe, moac_shmem_team handle);
static inline int team_pe(const Team *team, int rank) { return team->start + rank * team->stride; }

/* A collective in progress: who, which call, and the tag that its flags carry. */
typedef struct Call {
  Pe *pe;
  Team *team;
  const char *name;
  uint64_t number; /* of this collective on the team */
  uint16_t tag;    /* digest of what all PEs must agree on */
} Call;
Status moac_shmem_call_begin(Call *call, moac_shmem_team handle, const char *name, uint64_t agreed);
Status moac_shmem_call_sync(Call *call);
/* mine[bytes] of every member arrives in *all, rank-major with stride MAIL_BYTES; valid
 * until the next exchange but one on this team. bytes <= MAIL_BYTES. */
Status moac_shmem_call_exchange(Call *call, const void *mine, size_t bytes, const char **all);
Status moac_shmem_call_put(Call *call, void *target, const void *source, size_t bytes, int rank);
Status moac_shmem_call_get(Call *call, void *target, const void *source, size_t bytes, int rank);
/* This PE cannot do its part: the others, who would wait for it, are told. Returns status. */
Status moac_shmem_call_give_up(Call *call, Status status);
/* "My part of this call has arrived at you", and the wait for the same from rank. */
Status moac_shmem_call_flag(Call *call, int rank);
Status moac_shmem_call_await(Call *call, int rank);
/* Every member has done its part of this call, and it has arrived here. */
Status moac_shmem_call_meet(Call *call);
/* No counter of this PE's teams, past or present, exceeds it. */
uint64_t moac_shmem_largest_counter(Pe *pe);
void moac_shmem_team_open(Pe *pe, int slot, int start, int stride, int size, uint64_t base);

/* --- checks, used at the head of public calls
 * ------------------------------------------------------- */

/* True when [object, object+bytes) lies in a symmetric object of this PE. */
bool moac_shmem_symmetric(Pe *pe, const void *object, size_t bytes);
bool moac_shmem_overlap(const void *a, const void *b, size_t bytes_a, size_t bytes_b);

/* combine.c: dest[i] = sources[0][i] op sources[1][i] op ...; false when the type has no such
 * operation. */
bool moac_shmem_can_combine(moac_shmem_reduction op, moac_shmem_type type);
void moac_shmem_combine(moac_shmem_reduction op, moac_shmem_type type, int sources,
                        const char *const *source, char *target, size_t count);

/* A point at which the coroutine scheduler may switch; nothing elsewhere. */
void moac_shmem_schedule_point_slow(Pe *pe);
static inline void schedule_point(Pe *pe) {
  if (UNLIKELY(pe->world->scheduler != NULL))
    moac_shmem_schedule_point_slow(pe);
}

#endif
