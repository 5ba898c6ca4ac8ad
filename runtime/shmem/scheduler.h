/* scheduler.h: PEs as coroutines of one thread, switched by a seeded scheduler, so that one seed is
 * one interleaving. It exists for the memory model's tests, which run each program under many
 * seeds.
 */
#ifndef MOAC_SHMEM_SCHEDULER_H
#define MOAC_SHMEM_SCHEDULER_H

#include "runtime/shmem/internal.h"

/* Runs body once per PE of `world` until all ended. DEADLOCK when all PEs wait and nothing is in
 * flight. */
Status moac_shmem_scheduler_run(World *world, uint64_t seed, void (*body)(World *, int, void *),
                                void *argument);
/* Lets others run while this PE waits; `fresh` says that it did something since its last wait. */
Status moac_shmem_scheduler_wait(Pe *pe, bool fresh, const char *call);
/* From now on the interleaving follows this seed. */
void moac_shmem_scheduler_reseed(Pe *pe, uint64_t seed);
/* Another coroutine of this PE: its number, or -1 when there are too many. */
int moac_shmem_scheduler_start(Pe *pe, void (*body)(void *), void *argument);
Status moac_shmem_scheduler_join(Pe *pe, int number);
/* Ends the calling PE's coroutine. Does not return. */
void moac_shmem_scheduler_end(Pe *pe);

/* One step of splitmix64: the generator of scheduler and chaos. */
static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

#endif
