/* wait.c: how a PE waits. Every wait of the library goes through moac_shmem_pause, so that each of
 * them makes progress, gives up the core when there are more PEs than cores, and ends with a status
 * when a PE died.
 *
 * Stages: spin (long when each PE has a core, short otherwise), then yield, then sleep on a futex;
 * a machine that is busy with others cuts the second stage short. The sender wakes sleepers with
 * one relaxed load in the common case; it may miss one that is just falling asleep, which then
 * wakes by itself after at most 2 ms.
 */
#define _GNU_SOURCE
#include "runtime/shmem/internal.h"
#include "runtime/shmem/scheduler.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BUSY_NS = 20000, CROWDED_WAITS = 256, FIRST_SLEEP_NS = 50000, LAST_DOUBLING = 5 };

static uint64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

Status moac_shmem_check_peers(Pe *pe, const char *call) {
  Control *control = pe->world->control;
  uint32_t exiting = atomic_load_explicit(&control->exiting, memory_order_relaxed);
  if (UNLIKELY(exiting != 0))
    return moac_shmem_fail(MOAC_SHMEM_EXITING, call, "global_exit(%d) was called",
                           (int)exiting - 1);
  if (LIKELY(atomic_load_explicit(&control->failures, memory_order_acquire) == 0))
    return MOAC_SHMEM_OK;
  for (int other = 0; other < pe->pes; ++other)
    if (atomic_load(&control->slots[other].state) == PE_FAILED)
      return moac_shmem_fail(MOAC_SHMEM_PE_FAILED, call, "PE %d %s (wait status 0x%x)", other,
                             control->slots[other].refused ? "could not join" : "died",
                             (unsigned)control->slots[other].wait_status);
  return MOAC_SHMEM_OK;
}

void moac_shmem_wake_slow(PeSlot *slot) {
  atomic_fetch_add(&slot->wakes, 1);
  syscall(SYS_futex, &slot->wakes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void moac_shmem_mark_failed(Control *control, int pe, int wait_status) {
  PeSlot *slot = &control->slots[pe];
  slot->wait_status = wait_status;
  if (atomic_exchange(&slot->state, PE_FAILED) != PE_FAILED)
    atomic_fetch_add(&control->failures, 1);
  for (int other = 0; other < control->pes; ++other)
    moac_shmem_wake_slow(&control->slots[other]);
}

static void sleep_until_woken(Pe *pe, Waiter *waiter) {
  uint32_t doublings = waiter->sleeps < LAST_DOUBLING ? waiter->sleeps : LAST_DOUBLING;
  struct timespec limit = {0, (long)FIRST_SLEEP_NS << doublings};
  atomic_fetch_add(&pe->slot->sleepers, 1);
  syscall(SYS_futex, &pe->slot->wakes, FUTEX_WAIT, waiter->seen, &limit, NULL, 0);
  atomic_fetch_sub(&pe->slot->sleepers, 1);
  waiter->sleeps++;
}

/* Over an engine nobody would wake this PE, and its engine must be kept going. Yet on a busy
 * machine one who naps gets a core back sooner than one who spins. */
static void nap(void) {
  struct timespec limit = {0, FIRST_SLEEP_NS};
  nanosleep(&limit, NULL);
}

/* A yield that comes back at once found nobody else who wants the core. One that does not says that
 * the machine is busy: then a sleeper that is woken gets its core sooner than a spinner, and the
 * next waits do not try to yield. False: go to sleep. */
static bool yield_core(Pe *pe) {
  int crowded = atomic_load_explicit(&pe->crowded, memory_order_relaxed);
  if (crowded > 0) {
    atomic_store_explicit(&pe->crowded, crowded - 1, memory_order_relaxed);
    return false;
  }
  uint64_t before = nanoseconds();
  sched_yield();
  if (nanoseconds() - before > BUSY_NS)
    atomic_store_explicit(&pe->crowded, CROWDED_WAITS, memory_order_relaxed);
  return true;
}

Status moac_shmem_pause(Pe *pe, Waiter *waiter, const char *call) {
  uint32_t poll = waiter->polls++;
  if (UNLIKELY(pe->world->scheduler != NULL)) {
    RETURN_IF_FAILED(moac_shmem_check_peers(pe, call));
    return moac_shmem_scheduler_wait(pe, poll == 0, call);
  }
  if (poll < (uint32_t)pe->spins) {
    relax();
    if ((poll & 63u) != 63u)
      return MOAC_SHMEM_OK;
  }
  if (pe->backend->progress != NULL)
    pe->backend->progress(pe);
  RETURN_IF_FAILED(moac_shmem_check_peers(pe, call));
  if (poll < (uint32_t)pe->spins)
    return MOAC_SHMEM_OK;
  if (poll < (uint32_t)(pe->spins + pe->yields) && yield_core(pe))
    ;
  else if (pe->world->own_slice != NULL)
    nap();
  else
    sleep_until_woken(pe, waiter);
  waiter->seen = atomic_load(&pe->slot->wakes);
  return MOAC_SHMEM_OK;
}
