/*
 * Scratch memory that is kept between calls.
 *
 * A kernel that needs a temporary array is often called many times with the same sizes; allocating
 * (and, for large blocks, having the system map and clear pages) on every call can cost more than a
 * small kernel. So each thread keeps one released block, the largest it has seen last, and gives it
 * back when a request fits. No lock is needed: a block is kept by the thread that released it,
 * whoever acquired it.
 *
 *     [ header, 64 bytes: size ][ block, 64-byte aligned ... ]
 */
#define _POSIX_C_SOURCE 200809L
#include "moac.h"

#include <pthread.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

struct header {
  size_t bytes; /* of the block, without this header */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t kept; /* struct header * of the calling thread's kept block */
static int kept_works;

static void make_key(void) { kept_works = pthread_key_create(&kept, free) == 0; }

static struct header *take_kept(void) {
  struct header *h;
  pthread_once(&once, make_key);
  if (!kept_works)
    return NULL;
  h = pthread_getspecific(kept);
  if (h)
    pthread_setspecific(kept, NULL);
  return h;
}

/* Keeps `h`, or frees it when the thread cannot keep anything. */
static void keep(struct header *h) {
  pthread_once(&once, make_key);
  if (!kept_works || pthread_setspecific(kept, h) != 0)
    free(h);
}

void *moac_scratch_acquire(size_t bytes) {
  void *memory = NULL;
  struct header *h = take_kept();
  if (h && h->bytes >= bytes)
    return (char *)h + ALIGNMENT;
  free(h); /* too small: the larger block will take its place */
  if (bytes > SIZE_MAX / 2 - 2 * (size_t)ALIGNMENT)
    return NULL;
  bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (posix_memalign(&memory, ALIGNMENT, ALIGNMENT + bytes) != 0)
    return NULL;
  h = memory;
  h->bytes = bytes;
  return (char *)memory + ALIGNMENT;
}

void moac_scratch_release(void *block) {
  struct header *given, *other;
  if (!block)
    return;
  given = (struct header *)((char *)block - ALIGNMENT);
  other = take_kept();
  if (other && other->bytes > given->bytes) {
    struct header *larger = other;
    other = given;
    given = larger;
  }
  free(other);
  keep(given);
}

void moac_scratch_trim(void) { free(take_kept()); }
