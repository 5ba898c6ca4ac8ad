/* chaos.c: a backend on top of the embedded one that delivers as late and as disorderly as the
 * memory model allows, so that a program which forgot a fence fails here and not on a customer's
 * network.
 *
 * Each remote store, atomic or signal becomes a parcel in its PE's queue. A parcel may be delivered
 * when no put, atomic or signal of the same context and target PE from before an earlier fence is
 * queued (a fence orders nothing behind a get), and if it reads or stores in the own memory too, no
 * such one to the own PE; a signal only after its payload; a payload may
 * arrive in two pieces. Blocking puts copy their source at once, non-blocking ones read it when
 * delivered. Operations that return a value, and blocking ones on the own PE, run at once, after
 * what a fence put before them. Quiet drains.
 *
 * In coroutines the seeded scheduler delivers; elsewhere a helper thread does, so that nothing
 * depends on further calls.
 */
#define _GNU_SOURCE
#include "runtime/shmem/chaos.h"
#include "runtime/shmem/embedded.h"
#include "runtime/shmem/scheduler.h"

#include <stdlib.h>
#include <time.h>

enum { QUEUE_LIMIT = 64, NAP_NS = 20000 };

typedef enum Kind { PARCEL_PUT, PARCEL_GET, PARCEL_ATOMIC, PARCEL_SIGNAL } Kind;

typedef struct Parcel {
  Kind kind;
  int context, to;
  uint64_t epoch, add;
  char *target;       /* symmetric, of put and atomic; local, of get */
  const char *source; /* local, of put; symmetric, of get */
  char *copy;         /* owned source of a blocking put */
  size_t bytes;
  moac_shmem_atomic atomic;
  uint64_t operand, compare;
  bool has_signal;
  moac_shmem_signal signal;
} Parcel;

typedef struct Chaos {
  pthread_mutex_t lock;
  pthread_t helper;
  bool has_helper;
  _Atomic bool stop;
  uint64_t random;
  int own; /* PE */
  uint64_t epochs[CONTEXT_SLOTS];
  Parcel queue[QUEUE_LIMIT];
  int count;
} Chaos;

static Issue issue_of(Pe *pe, const Parcel *parcel) {
  return (Issue){
      .context = &pe->contexts[parcel->context], .index = parcel->context, .add = parcel->add};
}

/* Reads its source, or stores what it fetches, when it is delivered. */
static bool touches_own(const Parcel *parcel) {
  return parcel->kind == PARCEL_GET || (parcel->kind == PARCEL_PUT && parcel->copy == NULL) ||
         (parcel->kind == PARCEL_ATOMIC && parcel->atomic.fetched != NULL);
}

static bool deliverable(const Chaos *chaos, int index) {
  const Parcel *parcel = &chaos->queue[index];
  bool own = touches_own(parcel);
  for (int i = 0; i < chaos->count; ++i) {
    const Parcel *other = &chaos->queue[i];
    if (other->kind != PARCEL_GET && other->context == parcel->context &&
        (other->to == parcel->to || (own && other->to == chaos->own)) &&
        other->epoch < parcel->epoch)
      return false;
  }
  return true;
}

static void remove_parcel(Chaos *chaos, int index) {
  free(chaos->queue[index].copy);
  chaos->queue[index] = chaos->queue[--chaos->count];
}

/* The first part of a payload, cut at a multiple of 8 bytes; often all of it. */
static size_t piece(Chaos *chaos, size_t bytes) {
  uint64_t draw = next_random(&chaos->random);
  if (bytes <= 8 || (draw & 1u) == 0)
    return bytes;
  size_t cut = (size_t)((draw >> 8) % bytes) / 8 * 8;
  return cut == 0 ? bytes : cut;
}

static void deliver(Pe *pe, int index) {
  Chaos *chaos = pe->chaos;
  Parcel *parcel = &chaos->queue[index];
  Issue issue = issue_of(pe, parcel);
  if (parcel->kind == PARCEL_PUT && parcel->bytes != 0) {
    size_t now = piece(chaos, parcel->bytes);
    moac_shmem_embedded.put(pe, issue, parcel->target, parcel->source, now, parcel->to, false);
    parcel->target += now;
    parcel->source += now;
    parcel->bytes -= now;
  } else if (parcel->kind == PARCEL_GET) {
    moac_shmem_embedded.get(pe, issue, parcel->target, parcel->source, parcel->bytes, parcel->to,
                            false);
  } else if (parcel->kind == PARCEL_ATOMIC) {
    parcel->atomic.operand = &parcel->operand;
    parcel->atomic.compare = &parcel->compare;
    moac_shmem_embedded.atomic(pe, issue, parcel->target, &parcel->atomic, parcel->to, false);
  } else if (parcel->kind == PARCEL_SIGNAL) {
    moac_shmem_embedded.put_signal(pe, issue, NULL, NULL, 0, parcel->signal, parcel->to, false);
  }
  if (parcel->kind == PARCEL_PUT && parcel->bytes != 0)
    return;
  if (parcel->kind == PARCEL_PUT && parcel->has_signal)
    parcel->kind = PARCEL_SIGNAL;
  else
    remove_parcel(chaos, index);
}

static bool matches(const Parcel *parcel, int context, int to, uint64_t before) {
  return (context < 0 || parcel->context == context) && (to < 0 || parcel->to == to) &&
         parcel->epoch < before;
}

/* Delivers in random order all parcels of a context (-1: any) to a PE (-1: any) from before epoch
 * `before`, and those to the own PE that hold them up. */
static void drain(Pe *pe, int context, int to, uint64_t before) {
  Chaos *chaos = pe->chaos;
  for (;;) {
    int found[QUEUE_LIMIT], count = 0;
    bool held_up = false;
    for (int i = 0; i < chaos->count; ++i)
      if (matches(&chaos->queue[i], context, to, before)) {
        if (deliverable(chaos, i))
          found[count++] = i;
        else
          held_up = true;
      }
    for (int i = 0; held_up && count == 0 && i < chaos->count; ++i)
      if (matches(&chaos->queue[i], context, chaos->own, before) && deliverable(chaos, i))
        found[count++] = i;
    if (count == 0)
      return;
    deliver(pe, found[next_random(&chaos->random) % (unsigned)count]);
  }
}

static bool deliver_random(Pe *pe) {
  Chaos *chaos = pe->chaos;
  int found[QUEUE_LIMIT], count = 0;
  for (int i = 0; i < chaos->count; ++i)
    if (deliverable(chaos, i))
      found[count++] = i;
  if (count == 0)
    return false;
  deliver(pe, found[next_random(&chaos->random) % (unsigned)count]);
  return true;
}

void moac_shmem_chaos_settle(Pe *pe) {
  pthread_mutex_lock(&pe->chaos->lock);
  drain(pe, 0, pe->pe, pe->chaos->epochs[0]);
  pthread_mutex_unlock(&pe->chaos->lock);
}

void moac_shmem_chaos_deliver_to(Pe *pe, int context, int to) {
  pthread_mutex_lock(&pe->chaos->lock);
  drain(pe, context, to, UINT64_MAX);
  pthread_mutex_unlock(&pe->chaos->lock);
}

bool moac_shmem_chaos_deliver_one(Pe *pe) {
  pthread_mutex_lock(&pe->chaos->lock);
  bool delivered = deliver_random(pe);
  pthread_mutex_unlock(&pe->chaos->lock);
  return delivered;
}

/* --- The backend
 * ------------------------------------------------------------------------------------ */

/* A place at the end of the queue; the caller fills it with the lock held. */
static Parcel *enqueue(Pe *pe, Issue issue, int to) {
  Chaos *chaos = pe->chaos;
  while (chaos->count == QUEUE_LIMIT)
    deliver_random(pe);
  Parcel *parcel = &chaos->queue[chaos->count++];
  *parcel = (Parcel){
      .context = issue.index, .to = to, .epoch = chaos->epochs[issue.index], .add = issue.add};
  return parcel;
}

static void run_now(Pe *pe, Issue issue, int to) {
  drain(pe, issue.index, to, pe->chaos->epochs[issue.index]);
}

static Status queue_put(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                        const moac_shmem_signal *signal, int to, bool nbi) {
  char *copy = NULL;
  if (!nbi && bytes != 0) {
    run_now(pe, issue, pe->pe); /* the source may be what a fence ordered before this */
    copy = malloc(bytes);
    if (copy == NULL)
      return moac_shmem_fail(MOAC_SHMEM_NO_RESOURCES, "put",
                             "no memory to keep %zu bytes in flight", bytes);
    memcpy(copy, source, bytes);
  }
  Parcel *parcel = enqueue(pe, issue, to);
  parcel->kind = bytes == 0 ? PARCEL_SIGNAL : PARCEL_PUT;
  parcel->target = target;
  parcel->source = copy != NULL ? copy : source;
  parcel->copy = copy;
  parcel->bytes = bytes;
  parcel->has_signal = signal != NULL;
  if (signal != NULL)
    parcel->signal = *signal;
  return MOAC_SHMEM_OK;
}

static Status chaos_put(Pe *pe, Issue issue, void *target, const void *source, size_t bytes, int to,
                        bool nbi) {
  Status status = MOAC_SHMEM_OK;
  pthread_mutex_lock(&pe->chaos->lock);
  if (to == pe->pe && !nbi) {
    run_now(pe, issue, to);
    status = moac_shmem_embedded.put(pe, issue, target, source, bytes, to, nbi);
  } else {
    status = queue_put(pe, issue, target, source, bytes, NULL, to, nbi);
  }
  pthread_mutex_unlock(&pe->chaos->lock);
  return status;
}

static Status chaos_put_signal(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                               moac_shmem_signal signal, int to, bool nbi) {
  Status status = MOAC_SHMEM_OK;
  pthread_mutex_lock(&pe->chaos->lock);
  if (to == pe->pe && !nbi) {
    run_now(pe, issue, to);
    status = moac_shmem_embedded.put_signal(pe, issue, target, source, bytes, signal, to, nbi);
  } else {
    status = queue_put(pe, issue, target, source, bytes, &signal, to, nbi);
  }
  pthread_mutex_unlock(&pe->chaos->lock);
  return status;
}

static Status chaos_get(Pe *pe, Issue issue, void *target, const void *source, size_t bytes,
                        int from, bool nbi) {
  Status status = MOAC_SHMEM_OK;
  pthread_mutex_lock(&pe->chaos->lock);
  if (nbi) {
    Parcel *parcel = enqueue(pe, issue, from);
    parcel->kind = PARCEL_GET;
    parcel->target = target;
    parcel->source = source;
    parcel->bytes = bytes;
  } else {
    run_now(pe, issue, from);
    run_now(pe, issue, pe->pe);
    status = moac_shmem_embedded.get(pe, issue, target, source, bytes, from, nbi);
  }
  pthread_mutex_unlock(&pe->chaos->lock);
  return status;
}

static Status chaos_atomic(Pe *pe, Issue issue, void *word, const moac_shmem_atomic *atomic, int at,
                           bool nbi) {
  Status status = MOAC_SHMEM_OK;
  bool now = nbi ? false : atomic->fetched != NULL || at == pe->pe;
  pthread_mutex_lock(&pe->chaos->lock);
  if (now) {
    run_now(pe, issue, at);
    status = moac_shmem_embedded.atomic(pe, issue, word, atomic, at, nbi);
  } else {
    size_t bytes = moac_shmem_type_size(atomic->type);
    Parcel *parcel = enqueue(pe, issue, at);
    parcel->kind = PARCEL_ATOMIC;
    parcel->target = word;
    parcel->atomic = *atomic;
    if (atomic->operand != NULL)
      memcpy(&parcel->operand, atomic->operand, bytes);
    if (atomic->compare != NULL)
      memcpy(&parcel->compare, atomic->compare, bytes);
  }
  pthread_mutex_unlock(&pe->chaos->lock);
  return status;
}

static Status chaos_fence(Pe *pe, Issue issue) {
  pthread_mutex_lock(&pe->chaos->lock);
  pe->chaos->epochs[issue.index]++;
  pthread_mutex_unlock(&pe->chaos->lock);
  return moac_shmem_embedded.fence(pe, issue);
}

static Status chaos_quiet(Pe *pe, Issue issue) {
  pthread_mutex_lock(&pe->chaos->lock);
  drain(pe, issue.index, -1, UINT64_MAX);
  pthread_mutex_unlock(&pe->chaos->lock);
  return moac_shmem_embedded.quiet(pe, issue);
}

static void *chaos_ptr(Pe *pe, const void *object, int at) {
  return moac_shmem_embedded.ptr(pe, object, at);
}

/* The scheduler of coroutines delivers by itself, when its seed says so. */
static void chaos_progress(Pe *pe) {
  if (pe->world->scheduler == NULL)
    moac_shmem_chaos_deliver_one(pe);
}

/* --- Life
 * ------------------------------------------------------------------------------------------------
 */

static void *helper_main(void *argument) {
  Pe *pe = argument;
  Chaos *chaos = pe->chaos;
  uint64_t random =
      (uint64_t)pe->pe * 0x5bf03635u + 1; /* not the queue's generator: that needs the lock */
  while (!atomic_load(&chaos->stop)) {
    struct timespec nap = {0, (long)(next_random(&random) % (10 * NAP_NS))};
    nanosleep(&nap, NULL);
    moac_shmem_chaos_deliver_one(pe);
  }
  return NULL;
}

bool moac_shmem_chaos_start(Pe *pe, uint64_t seed) {
  Chaos *chaos = calloc(1, sizeof *chaos);
  if (chaos == NULL)
    return false;
  pthread_mutex_init(&chaos->lock, NULL);
  chaos->own = pe->pe;
  pe->chaos = chaos;
  moac_shmem_chaos_reseed(pe, seed);
  pe->backend = &moac_shmem_chaos;
  if (pe->world->mode != WORLD_COROUTINES)
    chaos->has_helper = pthread_create(&chaos->helper, NULL, helper_main, pe) == 0;
  return pe->world->mode == WORLD_COROUTINES || chaos->has_helper;
}

void moac_shmem_chaos_reseed(Pe *pe, uint64_t seed) {
  pthread_mutex_lock(&pe->chaos->lock);
  pe->chaos->random = seed * 0x9e3779b97f4a7c15u + (uint64_t)pe->pe;
  pthread_mutex_unlock(&pe->chaos->lock);
}

void moac_shmem_chaos_stop(Pe *pe) {
  Chaos *chaos = pe->chaos;
  atomic_store(&chaos->stop, true);
  if (chaos->has_helper)
    pthread_join(chaos->helper, NULL);
  while (chaos->count > 0)
    remove_parcel(chaos, chaos->count - 1);
  pthread_mutex_destroy(&chaos->lock);
  free(chaos);
  pe->chaos = NULL;
}

const Backend moac_shmem_chaos = {
    .name = "chaos",
    .in_order = false,
    .put = chaos_put,
    .get = chaos_get,
    .atomic = chaos_atomic,
    .put_signal = chaos_put_signal,
    .fence = chaos_fence,
    .quiet = chaos_quiet,
    .ptr = chaos_ptr,
    .progress = chaos_progress,
};
