/*
 * moac.h: the whole C interface of libmoac-runtime, the small library that compiled kernels link
 * to.
 *
 * It holds what every kernel needs and what would be silly to repeat in each emitted file: the
 * meaning of the status a kernel returns, scratch memory that survives from one call to the next,
 * and the number of threads that a piece of work deserves. `moac compile --standalone` copies what
 * a kernel uses into the emitted file instead.
 *
 * C99 and later, C++11 and later. Every function may be called from any thread at any time; none of
 * them exits, prints, or sets errno. The runtime knows nothing of the compiler and depends on the C
 * library alone: if the program has an OpenMP runtime, whichever it is, the team size asks it.
 */
#ifndef MOAC_H
#define MOAC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MOAC_VERSION_MAJOR 0
#define MOAC_VERSION_MINOR 1
#define MOAC_VERSION_PATCH 0

/*
 * What a kernel returns. Zero is success. An error found when the kernel is entered leaves every
 * output untouched; an error found later (MOAC_INDEX, MOAC_DIVISION_BY_ZERO) may leave outputs
 * partly written, but never touches memory outside them. Values are part of the binary interface
 * and are never reused.
 */
enum moac_status {
  /* The outputs hold the result. An empty array is success too. */
  MOAC_OK = 0,
  /* An array that has elements was passed as a null pointer. Pass storage for it; empty arrays may
     be null. */
  MOAC_NULL_POINTER = -1,
  /* A symbol is negative, or an extent computed from symbols is, or an exact division in a shape
     leaves a remainder. Check the sizes against the kernel's signature. */
  MOAC_EXTENT = -2,
  /* A `where` condition of the kernel's signature does not hold for these symbols and scalar
     parameters. */
  MOAC_CONSTRAINT = -3,
  /* An index read from data left its axis, so a read outside an array was refused. The data is at
     fault, not the sizes; outputs may be partly written. */
  MOAC_INDEX = -4,
  /* The number of elements of an array, or of bytes, does not fit in 64 bits. No array of that size
     can exist: a symbol is probably garbage. */
  MOAC_OVERFLOW = -5,
  /* An output overlaps an input or another output. Pass separate storage. */
  MOAC_ALIASING = -6,
  /* Scratch memory could not be had. The call may be repeated later; the `_ws` form of the kernel
     takes memory of the caller's instead. */
  MOAC_NO_MEMORY = -7,
  /* An integer `//` or `%` met a zero divisor in the data; outputs may be partly written. */
  MOAC_DIVISION_BY_ZERO = -8,
  /* A kernel that is divided among processing elements could not reach the others, or was called
     outside of a SHMEM world; moac_shmem_last_error() says more. Outputs may be partly written. */
  MOAC_COMMUNICATION = -9
};

/* A short English phrase for a status, never null; "unknown status" for any other number. The
 * string is static. */
const char *moac_status_string(int status);

/*
 * Scratch memory of at least `bytes` bytes (zero is allowed), aligned to 64 bytes, contents
 * undefined; null if it cannot be had. Each thread keeps the last block that it released and hands
 * it out again when it is large enough, so a kernel called in a loop allocates once. Blocks may be
 * held several at a time, and released by another thread.
 */
void *moac_scratch_acquire(size_t bytes);

/* Gives a block of moac_scratch_acquire back; null is ignored. */
void moac_scratch_release(void *block);

/* Frees the block that the calling thread keeps. A thread that ends does this by itself. */
void moac_scratch_trim(void);

/*
 * How many threads a kernel should use for `work` units when one thread should have
 * `per_thread_work` of them at least: between 1 and the thread count that OpenMP allows here. 1
 * when the work is small, when the caller is already in an active parallel region, and when the
 * program has no OpenMP. A `per_thread_work` below 1 counts as 1.
 */
int moac_team_size(int64_t work, int64_t per_thread_work);

/*
 * Asks for the cache lines of `count` elements, the first at `first` and each `pitch` bytes behind
 * the one before, that will be written soon. For languages without a word for it; nothing happens
 * if `count` is not positive, and no address can be wrong.
 */
void moac_prefetch_write(const void *first, int64_t count, int64_t pitch);

#ifdef __cplusplus
}
#endif

#endif
