/* scheduler.c: PEs as coroutines. The scheduler picks the next PE, or a delivery of the chaos
 * engine, by a generator that is a function of the seed alone: the same seed repeats the same
 * execution, instruction for instruction.
 *
 * Deadlock: every live PE has polled its condition since the last event anybody caused, and nothing
 * is in flight.
 *
 * A coroutine is entered once with setcontext; from then on switches are _setjmp and _longjmp,
 * which leave the signal mask alone and so need no system call.
 */
#define _GNU_SOURCE
#include "runtime/shmem/scheduler.h"
#include "runtime/shmem/chaos.h"

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK_BYTES = 256 * 1024 };

typedef struct Coroutine {
  ucontext_t first; /* where it begins */
  jmp_buf where;    /* where it left off */
  Pe *pe;           /* what self_pe() answers while it runs */
  uint64_t polled;  /* `events` when its condition was last seen false */
  bool live, begun;
} Coroutine;

typedef struct Scheduler {
  jmp_buf home;
  Coroutine *all;
  int count, live, current;
  uint64_t random, events;
  uint64_t laziness; /* a delivery comes before a step when the draw has none of these bits */
  bool deadlock;
  void (*body)(World *, int, void *);
  World *world;
  void *argument;
} Scheduler;

static void back_to_scheduler(Scheduler *scheduler) {
  Coroutine *me = &scheduler->all[scheduler->current];
  me->pe = moac_shmem_thread_pe;
  if (_setjmp(me->where) == 0)
    _longjmp(scheduler->home, 1);
}

static void finish(Scheduler *scheduler) {
  scheduler->all[scheduler->current].live = false;
  scheduler->live--;
  scheduler->events++;
  _longjmp(scheduler->home, 1);
}

static void entry(unsigned low, unsigned high) {
  Scheduler *scheduler = (Scheduler *)(((uintptr_t)high << 32) | low);
  scheduler->body(scheduler->world, scheduler->current, scheduler->argument);
  finish(scheduler);
}

void moac_shmem_scheduler_end(Pe *pe) { finish(pe->world->scheduler); }

void moac_shmem_schedule_point_slow(Pe *pe) {
  Scheduler *scheduler = pe->world->scheduler;
  scheduler->events++;
  if ((next_random(&scheduler->random) & 1u) != 0)
    back_to_scheduler(scheduler);
}

Status moac_shmem_scheduler_wait(Pe *pe, bool fresh, const char *call) {
  Scheduler *scheduler = pe->world->scheduler;
  if (fresh)
    scheduler->events++;
  scheduler->all[scheduler->current].polled = scheduler->events;
  back_to_scheduler(scheduler);
  if (scheduler->deadlock)
    return moac_shmem_fail(MOAC_SHMEM_DEADLOCK, call, "every PE waits and nothing is in flight");
  return MOAC_SHMEM_OK;
}

/* Delivers something of a random PE; false when nothing is in flight anywhere. */
static bool deliver(Scheduler *scheduler) {
  int first = (int)(next_random(&scheduler->random) % (unsigned)scheduler->count);
  for (int step = 0; step < scheduler->count; ++step) {
    Pe *pe = scheduler->all[(first + step) % scheduler->count].pe;
    if (pe != NULL && pe->chaos != NULL && moac_shmem_chaos_deliver_one(pe)) {
      scheduler->events++;
      return true;
    }
  }
  return false;
}

static bool all_stuck(Scheduler *scheduler) {
  for (int pe = 0; pe < scheduler->count; ++pe)
    if (scheduler->all[pe].live && scheduler->all[pe].polled != scheduler->events)
      return false;
  return true;
}

/* Into the current coroutine. Does not return; the way back is `home`. */
static void enter(Coroutine *coroutine) {
  if (coroutine->begun)
    _longjmp(coroutine->where, 1);
  coroutine->begun = true;
  setcontext(&coroutine->first);
}

static void resume(Scheduler *scheduler, int pe) {
  scheduler->current = pe;
  moac_shmem_thread_pe = scheduler->all[pe].pe;
  if (_setjmp(scheduler->home) == 0)
    enter(&scheduler->all[scheduler->current]);
  Coroutine *left = &scheduler->all[scheduler->current];
  if (!left->live)
    left->pe = moac_shmem_thread_pe; /* its queue may still hold deliveries */
  moac_shmem_thread_pe = NULL;
}

static void seed_scheduler(Scheduler *scheduler, uint64_t seed) {
  scheduler->random = seed;
  scheduler->laziness =
      ((uint64_t)2 << (next_random(&scheduler->random) % 6)) - 1; /* 1 in 2 to 1 in 64 */
}

void moac_shmem_scheduler_reseed(Pe *pe, uint64_t seed) {
  seed_scheduler(pe->world->scheduler, seed);
}

static void loop(Scheduler *scheduler) {
  while (scheduler->live > 0) {
    uint64_t draw = next_random(&scheduler->random);
    if ((draw & scheduler->laziness) == 0)
      deliver(scheduler);
    if (all_stuck(scheduler) && !deliver(scheduler))
      scheduler->deadlock = true;
    int pick = (int)((draw >> 8) % (unsigned)scheduler->live), pe = 0;
    while (!scheduler->all[pe].live || pick-- > 0)
      ++pe;
    resume(scheduler, pe);
  }
}

Status moac_shmem_scheduler_run(World *world, uint64_t seed, void (*body)(World *, int, void *),
                                void *argument) {
  int count = world->control->pes;
  size_t stacks = (size_t)count * STACK_BYTES;
  Coroutine *all = calloc((size_t)count, sizeof *all);
  char *stack = mmap(NULL, stacks, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == NULL || stack == MAP_FAILED) {
    free(all);
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "stacks for %d coroutines", count);
  }
  Scheduler scheduler = {.all = all,
                         .count = count,
                         .live = count,
                         .events = 1,
                         .body = body,
                         .world = world,
                         .argument = argument};
  seed_scheduler(&scheduler, seed);
  world->scheduler = &scheduler;
  for (int pe = 0; pe < count; ++pe) {
    all[pe].live = true;
    getcontext(&all[pe].first);
    all[pe].first.uc_stack.ss_sp = stack + (size_t)pe * STACK_BYTES;
    all[pe].first.uc_stack.ss_size = STACK_BYTES;
    all[pe].first.uc_link = NULL;
    makecontext(&all[pe].first, (void (*)(void))entry, 2, (unsigned)(uintptr_t)&scheduler,
                (unsigned)((uintptr_t)&scheduler >> 32));
  }
  loop(&scheduler);
  world->scheduler = NULL;
  munmap(stack, stacks);
  free(all);
  return scheduler.deadlock ? FAIL(MOAC_SHMEM_DEADLOCK, "every PE waits and nothing is in flight")
                            : MOAC_SHMEM_OK;
}
