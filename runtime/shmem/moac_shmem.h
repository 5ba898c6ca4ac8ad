/* moac_shmem.h: one-sided communication between processing elements (PEs), the whole public
 * interface.
 *
 * A program runs as P processes (`moac launch -n P PROGRAM`), as P threads of one process, or as P
 * coroutines of one thread under a seeded scheduler (the last two for tests). Each PE owns a
 * symmetric heap: an object allocated by all PEs together can be named by its local address and a
 * PE number. Every call returns a status; the text behind the last failure of this thread is
 * moac_shmem_last_error(). No call exits or aborts, except moac_shmem_global_exit.
 *
 * Ordering follows the API-level memory model of README.md: blocking calls complete locally, a
 * fence orders deliveries to one PE, a quiet completes everything, and only atomics, signals and
 * waits synchronise.
 *
 * The header is C11 and C++17; `shmem.h` maps the OpenSHMEM names onto it and `moac_shmem.f90` is
 * its Fortran face.
 */
#ifndef MOAC_SHMEM_H
#define MOAC_SHMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call can answer. Anything but OK leaves the arguments' memory as it was, unless the value
 * says otherwise. */
typedef enum moac_shmem_status {
  MOAC_SHMEM_OK = 0,
  MOAC_SHMEM_NOT_INITIALIZED,  /* call moac_shmem_init first (or finalize already ran) */
  MOAC_SHMEM_INVALID_ARGUMENT, /* an enum, count, stride or pointer is out of its range; fix the
                                  call */
  MOAC_SHMEM_INVALID_PE,       /* the PE number is not in 0..P-1 (or not in the team) */
  MOAC_SHMEM_INVALID_ADDRESS,  /* not in symmetric memory, or it runs past its end; no object */
  MOAC_SHMEM_INVALID_TEAM,     /* no such team, or this PE is no member of it */
  MOAC_SHMEM_INVALID_CONTEXT,  /* no such context */
  MOAC_SHMEM_SIZE_OVERFLOW,    /* count times element size does not fit a size_t */
  MOAC_SHMEM_OVERLAP,          /* source and destination overlap without being equal */
  MOAC_SHMEM_HEAP_EXHAUSTED, /* the symmetric heap cannot hold it; all PEs get this answer together
                              */
  MOAC_SHMEM_NO_RESOURCES,   /* no team or context slot is left: destroy some; or private memory,
                                which all PEs of an allocation are told */
  MOAC_SHMEM_MISMATCH,  /* PEs called different collectives, or one collective with different sizes;
                           destinations are undefined and the team must not be used again */
  MOAC_SHMEM_PE_FAILED, /* a PE died before finalize; waiting for it would never end */
  MOAC_SHMEM_EXITING,   /* another PE called global_exit; return to the caller and finish */
  MOAC_SHMEM_DEADLOCK,  /* coroutines only: every PE waits and nothing is in flight */
  MOAC_SHMEM_UNSUPPORTED, /* this backend cannot do it (for instance ptr over a network) */
  MOAC_SHMEM_SYSTEM       /* the operating system refused memory or a process; see last_error */
} moac_shmem_status;

/* A fixed text for a status, and this thread's last failure ("moac_shmem_put: PE 9 is not in
 * 0..3"). Never NULL. */
const char *moac_shmem_status_text(moac_shmem_status status);
const char *moac_shmem_last_error(void);

/* Element types, used by reductions, atomics and waits. f16 and bf16 reduce in f32 and are rounded
 * once. */
typedef enum moac_shmem_type {
  MOAC_SHMEM_I8,
  MOAC_SHMEM_I16,
  MOAC_SHMEM_I32,
  MOAC_SHMEM_I64,
  MOAC_SHMEM_U8,
  MOAC_SHMEM_U16,
  MOAC_SHMEM_U32,
  MOAC_SHMEM_U64,
  MOAC_SHMEM_F16,
  MOAC_SHMEM_BF16,
  MOAC_SHMEM_F32,
  MOAC_SHMEM_F64,
  MOAC_SHMEM_LONG_DOUBLE,
  MOAC_SHMEM_C64,
  MOAC_SHMEM_C128,
  MOAC_SHMEM_BOOL,
  MOAC_SHMEM_TYPES
} moac_shmem_type;
size_t moac_shmem_type_size(moac_shmem_type type); /* bytes; 0 for a value that is no type */

typedef enum moac_shmem_reduction {
  MOAC_SHMEM_AND,
  MOAC_SHMEM_OR,
  MOAC_SHMEM_XOR,
  MOAC_SHMEM_MIN,
  MOAC_SHMEM_MAX,
  MOAC_SHMEM_SUM,
  MOAC_SHMEM_PROD,
  MOAC_SHMEM_REDUCTIONS
} moac_shmem_reduction;

typedef enum moac_shmem_comparison {
  MOAC_SHMEM_EQ,
  MOAC_SHMEM_NE,
  MOAC_SHMEM_GT,
  MOAC_SHMEM_GE,
  MOAC_SHMEM_LT,
  MOAC_SHMEM_LE
} moac_shmem_comparison;

typedef enum moac_shmem_atomic_op {
  MOAC_SHMEM_ATOMIC_FETCH,
  MOAC_SHMEM_ATOMIC_SET,
  MOAC_SHMEM_ATOMIC_ADD,
  MOAC_SHMEM_ATOMIC_SWAP,
  MOAC_SHMEM_ATOMIC_COMPARE_SWAP,
  MOAC_SHMEM_ATOMIC_AND,
  MOAC_SHMEM_ATOMIC_OR,
  MOAC_SHMEM_ATOMIC_XOR
} moac_shmem_atomic_op;

typedef enum moac_shmem_signal_op {
  MOAC_SHMEM_SIGNAL_SET,
  MOAC_SHMEM_SIGNAL_ADD
} moac_shmem_signal_op;

/* Handles are values packed into pointer types: cheap to compare, never dereferenced. */
typedef struct moac_shmem_context_handle *moac_shmem_context;
typedef struct moac_shmem_team_handle *moac_shmem_team;
#define MOAC_SHMEM_CONTEXT_INVALID ((moac_shmem_context)0)
#define MOAC_SHMEM_CONTEXT_DEFAULT ((moac_shmem_context)1)
#define MOAC_SHMEM_TEAM_INVALID ((moac_shmem_team)0)
#define MOAC_SHMEM_TEAM_WORLD ((moac_shmem_team)1)

/* --- Life of a PE
 * ------------------------------------------------------------------------------------------------
 */

/* Errors of every call that returns a status: NOT_INITIALIZED, except of init and run; where it waits
 * or sends, PE_FAILED, EXITING and, in coroutines, DEADLOCK. What it can answer besides is said at
 * each section or call. */

/* Joins the world named by the launcher's environment, or forms a world of one PE. Collective. May
 * be called again after finalize, by all. Errors: INVALID_ARGUMENT (already in one), SYSTEM,
 * NO_RESOURCES, HEAP_EXHAUSTED (of an engine), UNSUPPORTED (statics of more than 1 GiB). */
moac_shmem_status moac_shmem_init(void);
/* Completes all communication, waits for all PEs and leaves the world. Symmetric memory is
 * unmapped. Collective. Errors: INVALID_ARGUMENT (inside moac_shmem_run), MISMATCH. */
moac_shmem_status moac_shmem_finalize(void);
bool moac_shmem_initialized(void);
int moac_shmem_my_pe(void); /* -1 outside a world */
int moac_shmem_n_pes(void); /* 0 outside a world */
/* Ends every PE of the job with this exit code. Does not return in processes; in threads and
 * coroutines it ends the calling PE and every other PE gets EXITING. */
void moac_shmem_global_exit(int code);

/* How moac_shmem_run forms a world inside this process. Zero-fill it and set what you need. */
typedef enum moac_shmem_mode { MOAC_SHMEM_THREADS, MOAC_SHMEM_COROUTINES } moac_shmem_mode;
typedef struct moac_shmem_run_options {
  int pes;              /* 1..1024 */
  moac_shmem_mode mode; /* coroutines run under a scheduler that is a pure function of the seed */
  size_t heap_bytes;    /* per PE; 0 means 1 MiB */
  uint64_t chaos_seed;  /* 0: deliver at once; otherwise delay and reorder deliveries as the model
                           allows */
  const char *trace;    /* NULL, or a folder that receives one trace file per PE */
} moac_shmem_run_options;
/* Runs body(argument) once per PE, each between an implicit init and finalize. Returns the first
 * failure of the machinery itself: OK, INVALID_ARGUMENT, SYSTEM, DEADLOCK, EXITING or PE_FAILED (a
 * body that did not return). */
moac_shmem_status moac_shmem_run(const moac_shmem_run_options *options, void (*body)(void *),
                                 void *argument);

/* Another thread of this PE, whose calls are the PE's: in moac_shmem_run a thread that does not start
 * so belongs to no PE. Under coroutines it is one too, of at most 16 at a time. Each is joined once.
 * Errors: INVALID_ARGUMENT (NULL), NO_RESOURCES, SYSTEM; of join also DEADLOCK. */
typedef struct moac_shmem_thread moac_shmem_thread;
moac_shmem_status moac_shmem_thread_start(void (*body)(void *), void *argument,
                                          moac_shmem_thread **thread);
moac_shmem_status moac_shmem_thread_join(moac_shmem_thread *thread);

/* For tests, in a world that was started with a chaos seed: the deliveries of this PE follow a new
 * seed from now on; in coroutines PE 0's call renews the schedule too. Errors: INVALID_ARGUMENT. */
moac_shmem_status moac_shmem_reseed(uint64_t seed);
/* A point between plain accesses: under coroutines another PE may run, elsewhere deliveries may
 * arrive. It orders nothing. */
void moac_shmem_step(void);

/* --- Symmetric heap: every call here is collective over all PEs with equal arguments
 * ------------------------------- */

/* *object receives the local address, or NULL for 0 bytes and on failure. Errors: HEAP_EXHAUSTED,
 * MISMATCH (other arguments on another PE), NO_RESOURCES; calloc: SIZE_OVERFLOW; align:
 * INVALID_ARGUMENT; realloc and free: INVALID_ADDRESS (no object begins there). */
moac_shmem_status moac_shmem_malloc(size_t bytes, void **object);
moac_shmem_status moac_shmem_calloc(size_t count, size_t size,
                                    void **object); /* also SIZE_OVERFLOW */
moac_shmem_status moac_shmem_align(size_t alignment, size_t bytes,
                                   void **object); /* a power of two up to 64 KiB in threads and
                                                      over engines, 1 GiB in processes */
/* As malloc; plain accesses to the object carry com_id (see below). Operations do not: ADR-004. */
moac_shmem_status moac_shmem_malloc_tagged(size_t bytes, uint32_t com_id, void **object);
/* Where it stands if there is room, else a copy elsewhere; `old` stays when that fails too. */
moac_shmem_status moac_shmem_realloc(void *old, size_t bytes, void **object);
moac_shmem_status moac_shmem_free(void *object); /* NULL is no action */

/* The address at which this PE can load and store `object` of PE pe. Errors: INVALID_PE,
 * INVALID_ADDRESS, UNSUPPORTED when there is none. */
moac_shmem_status moac_shmem_ptr(const void *object, int pe, void **address);
bool moac_shmem_addr_accessible(const void *address, int pe);

/* --- Contexts and targeted ordering
 * -------------------------------------------------------------------------------- */

/* Errors: INVALID_CONTEXT; of create INVALID_TEAM, INVALID_ARGUMENT (options), NO_RESOURCES. */

/* A context is one ordering domain. PRIVATE and SERIALIZED promise less concurrency; NOSTORE says
 * that the program does not expect fence and quiet on it to order plain stores. */
enum {
  MOAC_SHMEM_CONTEXT_PRIVATE = 1,
  MOAC_SHMEM_CONTEXT_SERIALIZED = 2,
  MOAC_SHMEM_CONTEXT_NOSTORE = 4
};
/* com_id 0 is GLOBAL and orders everything; a call with com_id c > 0 orders plain accesses of c
 * only. */
#define MOAC_SHMEM_COM_GLOBAL 0u
moac_shmem_status moac_shmem_context_create(moac_shmem_team team, long options, uint32_t com_id,
                                            moac_shmem_context *context);
moac_shmem_status moac_shmem_context_destroy(moac_shmem_context context); /* implies quiet */
moac_shmem_status moac_shmem_context_team(moac_shmem_context context, moac_shmem_team *team);
/* The same ordering domain, for one operation whose com_id is the given one (24 bits). */
moac_shmem_context moac_shmem_tag(moac_shmem_context context, uint32_t com_id);
/* The com_id of operations through `context`, and that of plain accesses to `object`. */
uint32_t moac_shmem_com_id(moac_shmem_context context);
uint32_t moac_shmem_access_com_id(const void *object);

moac_shmem_status moac_shmem_fence(moac_shmem_context context); /* orders deliveries to each PE */
moac_shmem_status
moac_shmem_quiet(moac_shmem_context context); /* completes all operations of the context */
/* Completes those of its operations that go to the `count` PEs named, numbered as its team does.
 * Errors: INVALID_CONTEXT, INVALID_PE, INVALID_ARGUMENT (NULL with a count). */
moac_shmem_status moac_shmem_pe_quiet(moac_shmem_context context, const int *pes, size_t count);

/* --- Remote memory: destinations of put and sources of get are symmetric; PE numbers are the
 * context's team's ------ */

/* Errors: INVALID_CONTEXT, INVALID_PE, INVALID_ADDRESS, OVERLAP (within one PE); of strided calls
 * INVALID_ARGUMENT and SIZE_OVERFLOW. */

moac_shmem_status moac_shmem_put(moac_shmem_context context, void *target, const void *source,
                                 size_t bytes, int pe);
moac_shmem_status moac_shmem_get(moac_shmem_context context, void *target, const void *source,
                                 size_t bytes, int pe);
/* The source of put_nbi and the target of get_nbi belong to the runtime until quiet. */
moac_shmem_status moac_shmem_put_nbi(moac_shmem_context context, void *target, const void *source,
                                     size_t bytes, int pe);
moac_shmem_status moac_shmem_get_nbi(moac_shmem_context context, void *target, const void *source,
                                     size_t bytes, int pe);
/* `count` blocks of `block` bytes; strides are in bytes and at least `block`. */
typedef struct moac_shmem_strides {
  size_t target, source, block, count;
} moac_shmem_strides;
moac_shmem_status moac_shmem_iput(moac_shmem_context context, void *target, const void *source,
                                  moac_shmem_strides strides, int pe);
moac_shmem_status moac_shmem_iget(moac_shmem_context context, void *target, const void *source,
                                  moac_shmem_strides strides, int pe);

/* --- Atomics: 4- and 8-byte types; and/or/xor and add for integers, fetch/set/swap also for floats
 * ----------------- */

/* Errors: INVALID_CONTEXT, INVALID_PE, INVALID_ADDRESS (or not aligned), INVALID_ARGUMENT (no such
 * operation of the type, or a pointer that it wants is NULL). */

typedef struct moac_shmem_atomic {
  moac_shmem_atomic_op op;
  moac_shmem_type type;
  const void *operand; /* set, add, swap, compare_swap, and, or, xor */
  const void *compare; /* compare_swap */
  void *fetched;       /* receives the old value when not NULL; required by fetch */
} moac_shmem_atomic;
moac_shmem_status moac_shmem_atomic_apply(moac_shmem_context context, void *word,
                                          moac_shmem_atomic atomic, int pe);
/* *atomic.fetched belongs to the runtime until quiet. */
moac_shmem_status moac_shmem_atomic_apply_nbi(moac_shmem_context context, void *word,
                                              moac_shmem_atomic atomic, int pe);
moac_shmem_status moac_shmem_atomic_set(moac_shmem_context context, uint64_t *word, uint64_t value,
                                        int pe);
moac_shmem_status moac_shmem_atomic_fetch(moac_shmem_context context, const uint64_t *word, int pe,
                                          uint64_t *value);
moac_shmem_status moac_shmem_atomic_fetch_add(moac_shmem_context context, uint64_t *word,
                                              uint64_t value, int pe, uint64_t *old);

/* --- Signals
 * -------------------------------------------------------------------------------------------------------
 */

/* Errors: those of put; INVALID_ADDRESS also for the word, INVALID_ARGUMENT for operation or
 * comparison, OVERLAP also of payload and word. */

/* Delivers the payload, then updates *signal on the same PE. bytes may be 0. */
typedef struct moac_shmem_signal {
  uint64_t *word, value;
  moac_shmem_signal_op op;
} moac_shmem_signal;
moac_shmem_status moac_shmem_put_signal(moac_shmem_context context, void *target,
                                        const void *source, size_t bytes, moac_shmem_signal signal,
                                        int pe);
moac_shmem_status moac_shmem_put_signal_nbi(moac_shmem_context context, void *target,
                                            const void *source, size_t bytes,
                                            moac_shmem_signal signal, int pe);
moac_shmem_status moac_shmem_signal_send(moac_shmem_context context, moac_shmem_signal signal,
                                         int pe);
moac_shmem_status moac_shmem_signal_fetch(const uint64_t *word, uint64_t *value); /* of this PE */
/* *value (may be NULL) receives the satisfying value. */
moac_shmem_status moac_shmem_signal_wait_until(const uint64_t *word,
                                               moac_shmem_comparison comparison, uint64_t operand,
                                               uint64_t *value);

/* --- Waiting on words of this PE
 * ----------------------------------------------------------------------------------- */

/* Errors: INVALID_ARGUMENT (type, comparison, or NULL with words), INVALID_ADDRESS (not aligned). */

/* A condition on `count` words: words[i] OP operand (or operands[i] when `vector`). status[i] != 0
 * excludes word i. */
typedef struct moac_shmem_condition {
  const void *words;
  size_t count;
  const int *status;    /* may be NULL */
  moac_shmem_type type; /* 2-, 4- and 8-byte integers */
  moac_shmem_comparison comparison;
  const void *operand;
  bool vector;
  uint32_t com_id; /* of a wait or test, which has no context; 0: it orders all that follows */
} moac_shmem_condition;
typedef enum moac_shmem_which { MOAC_SHMEM_ALL, MOAC_SHMEM_ANY, MOAC_SHMEM_SOME } moac_shmem_which;
/* *hits: ALL: 1; ANY: the index of a word that holds, SIZE_MAX when all are excluded; SOME: how
 * many hold, their indices in indices[]. */
moac_shmem_status moac_shmem_wait(moac_shmem_which which, const moac_shmem_condition *condition,
                                  size_t *indices, size_t *hits);
/* As wait, without waiting: *hits is 0 (ALL, SOME) or SIZE_MAX (ANY) when it does not hold now. */
moac_shmem_status moac_shmem_test(moac_shmem_which which, const moac_shmem_condition *condition,
                                  size_t *indices, size_t *hits);

/* --- Teams: split calls are collective over the parent; a PE outside the new team gets
 * TEAM_INVALID ---------------- */

/* Errors: INVALID_TEAM; of the splits INVALID_ARGUMENT (ranks outside the parent), NO_RESOURCES (64
 * teams), MISMATCH. */

moac_shmem_status moac_shmem_team_split_strided(moac_shmem_team parent, int start, int stride,
                                                int size, moac_shmem_team *team);
moac_shmem_status moac_shmem_team_split_2d(moac_shmem_team parent, int x_range,
                                           moac_shmem_team *x_team, moac_shmem_team *y_team);
moac_shmem_status moac_shmem_team_destroy(moac_shmem_team team); /* collective over the team */
int moac_shmem_team_my_pe(moac_shmem_team team);                 /* -1 for no member */
int moac_shmem_team_n_pes(moac_shmem_team team);                 /* -1 for no team */
int moac_shmem_team_translate_pe(moac_shmem_team from, int pe,
                                 moac_shmem_team to); /* -1 when there is none */

/* --- Collectives: called by all PEs of the team in the same order; buffers are symmetric
 * --------------------------- */

/* Errors: INVALID_TEAM, MISMATCH, INVALID_ADDRESS, OVERLAP (equal buffers are none where a call works
 * in place: fcollect, reductions, scans, a broadcast), SIZE_OVERFLOW; broadcast: INVALID_PE (root);
 * alltoalls, reductions and scans: INVALID_ARGUMENT; reductions: NO_RESOURCES, which closes the team. */

moac_shmem_status
moac_shmem_barrier(moac_shmem_team team); /* quiet on the default context, then sync */
moac_shmem_status moac_shmem_sync(moac_shmem_team team);
moac_shmem_status moac_shmem_broadcast(moac_shmem_team team, void *target, const void *source,
                                       size_t bytes,
                                       int root); /* the root's target is written too */
moac_shmem_status moac_shmem_fcollect(moac_shmem_team team, void *target, const void *source,
                                      size_t bytes);
moac_shmem_status moac_shmem_collect(moac_shmem_team team, void *target, const void *source,
                                     size_t bytes); /* `bytes` may differ between PEs */
moac_shmem_status moac_shmem_alltoall(moac_shmem_team team, void *target, const void *source,
                                      size_t bytes);
moac_shmem_status moac_shmem_alltoalls(moac_shmem_team team, void *target, const void *source,
                                       moac_shmem_strides strides); /* `count` blocks to each PE */

/* Reductions combine in the order of team ranks 0..P-1, so results are the same bits for any
 * arrival order. `count` is in elements; target may equal source. MAX, MIN and scans need an order,
 * AND, OR and XOR need integers. */
moac_shmem_status moac_shmem_reduce(moac_shmem_team team, moac_shmem_reduction op,
                                    moac_shmem_type type, void *target, const void *source,
                                    size_t count);
/* PE r receives elements r*count..(r+1)*count-1 of the reduction; source has P*count elements. */
moac_shmem_status moac_shmem_reduce_scatter(moac_shmem_team team, moac_shmem_reduction op,
                                            moac_shmem_type type, void *target, const void *source,
                                            size_t count);
/* Combines PEs 0..r (inclusive) or 0..r-1; an exclusive scan gives PE 0 zeros. SUM only. */
moac_shmem_status moac_shmem_scan(moac_shmem_team team, bool inclusive, moac_shmem_type type,
                                  void *target, const void *source, size_t count);

/* --- Locks (a symmetric long, zero when free)
 * ---------------------------------------------------------------------- */

/* Errors: INVALID_ADDRESS. */

moac_shmem_status moac_shmem_lock(long *lock);
moac_shmem_status moac_shmem_unlock(long *lock);
moac_shmem_status moac_shmem_try_lock(long *lock, bool *taken);

/* --- Traces for moac shmem-check: no effect unless the run asked for a trace
 * ---------------------------------------- */

/* The source position of the calls that follow on this thread; file must stay valid. */
void moac_shmem_at(const char *file, int line);
#define MOAC_SHMEM_HERE() moac_shmem_at(__FILE__, __LINE__)
/* Announces a plain load or store of this PE's symmetric memory. */
void moac_shmem_note_load(const void *address, size_t bytes);
void moac_shmem_note_store(const void *address, size_t bytes);
/* The same for an access to PE `at` through moac_shmem_ptr; `object` is this PE's address of it.
 * ATOMIC: with an atomic of the language; ACQUIRE, RELEASE: its memory order. */
enum {
  MOAC_SHMEM_NOTE_STORE = 1,
  MOAC_SHMEM_NOTE_ATOMIC = 2,
  MOAC_SHMEM_NOTE_ACQUIRE = 4,
  MOAC_SHMEM_NOTE_RELEASE = 8
};
#define MOAC_SHMEM_NOTE_COM(com_id) ((int)((uint32_t)(com_id) << 8)) /* instead of the object's */
void moac_shmem_note_access(const void *object, size_t bytes, int at, int flags);

#ifdef __cplusplus
}
#endif
#endif
