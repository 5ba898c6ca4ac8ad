/* chaos.h: delivery in any order that the memory model allows. See chaos.c. */
#ifndef MOAC_SHMEM_CHAOS_H
#define MOAC_SHMEM_CHAOS_H

#include "runtime/shmem/internal.h"

bool moac_shmem_chaos_start(Pe *pe, uint64_t seed);
void moac_shmem_chaos_reseed(Pe *pe, uint64_t seed);
void moac_shmem_chaos_stop(Pe *pe); /* drops what is still queued */
/* Delivers one random deliverable operation of this PE; false when its queue is empty. */
bool moac_shmem_chaos_deliver_one(Pe *pe);
/* Before the default context's next access to this PE's own memory: what a fence of the context put
 * before that. */
void moac_shmem_chaos_settle(Pe *pe);
/* All that this PE's context has in flight to a PE. */
void moac_shmem_chaos_deliver_to(Pe *pe, int context, int to);

#endif
