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
#include "runtime/shmem/trace.h"

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

/* BESIDE: further threads of PEs at a time. */
enum { STACK_BYTES = 256 * 1024, BESIDE = 16 };

typedef struct Coroutine {
  ucontext_t first; /* where it begins */
  jmp_buf where;    /* where it left off */
  Pe *pe;           /* what self_pe() answers while it runs */
  TraceSite site;   /* what moac_shmem_at said in it */
  uint64_t polled;  /* `events` when its condition was last seen false */
  bool live, begun;
  void (*body)(void *); /* of a further thread of a PE */
  void *argument;
} Coroutine;

typedef struct Scheduler {
  jmp_buf home;
  Coroutine *all;
  int count, live, current; /* count: of PEs, which come first */
  char *stack;
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
  me->site = moac_shmem_trace_site();
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
  Coroutine *me = &scheduler->all[scheduler->current];
  if (me->body != NULL)
    me->body(me->argument);
  else
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
  for (int pe = 0; pe < scheduler->count + BESIDE; ++pe)
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
  moac_shmem_at(scheduler->all[pe].site.file, scheduler->all[pe].site.line);
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

static void prepare(Scheduler *scheduler, int number) {
  Coroutine *made = &scheduler->all[number];
  *made = (Coroutine){.live = true};
  getcontext(&made->first);
  made->first.uc_stack.ss_sp = scheduler->stack + (size_t)number * STACK_BYTES;
  made->first.uc_stack.ss_size = STACK_BYTES;
  made->first.uc_link = NULL;
  makecontext(&made->first, (void (*)(void))entry, 2, (unsigned)(uintptr_t)scheduler,
              (unsigned)((uintptr_t)scheduler >> 32));
}

int moac_shmem_scheduler_start(Pe *pe, void (*body)(void *), void *argument) {
  Scheduler *scheduler = pe->world->scheduler;
  for (int number = scheduler->count; number < scheduler->count + BESIDE; ++number) {
    if (scheduler->all[number].live)
      continue;
    prepare(scheduler, number);
    scheduler->all[number].pe = pe;
    scheduler->all[number].body = body;
    scheduler->all[number].argument = argument;
    scheduler->live++;
    scheduler->events++;
    return number;
  }
  return -1;
}

Status moac_shmem_scheduler_join(Pe *pe, int number) {
  Status status = MOAC_SHMEM_OK;
  for (bool fresh = true; pe->world->scheduler->all[number].live; fresh = false) {
    Status now = moac_shmem_scheduler_wait(pe, fresh, "moac_shmem_thread_join");
    status = status == MOAC_SHMEM_OK ? now : status; /* it ends all the same: its waits fail too */
  }
  return status;
}

Status moac_shmem_scheduler_run(World *world, uint64_t seed, void (*body)(World *, int, void *),
                                void *argument) {
  int count = world->control->pes;
  size_t stacks = (size_t)(count + BESIDE) * STACK_BYTES;
  Coroutine *all = calloc((size_t)(count + BESIDE), sizeof *all);
  char *stack = mmap(NULL, stacks, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == NULL || stack == MAP_FAILED) {
    free(all);
    return FAIL(MOAC_SHMEM_NO_RESOURCES, "stacks for %d coroutines", count);
  }
  Scheduler scheduler = {.all = all,
                         .count = count,
                         .live = count,
                         .stack = stack,
                         .events = 1,
                         .body = body,
                         .world = world,
                         .argument = argument};
  seed_scheduler(&scheduler, seed);
  world->scheduler = &scheduler;
  for (int pe = 0; pe < count; ++pe)
    prepare(&scheduler, pe);
  loop(&scheduler);
  world->scheduler = NULL;
  munmap(stack, stacks);
  free(all);
  return scheduler.deadlock ? FAIL(MOAC_SHMEM_DEADLOCK, "every PE waits and nothing is in flight")
                            : MOAC_SHMEM_OK;
}
