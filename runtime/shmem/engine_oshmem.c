/* engine_oshmem.c: the engine over an installed OpenSHMEM 1.4, such as Open MPI's. Only names of
 * that version are used. Built as a shared object of its own, where the compiler wrapper is found.
 *
 * Open MPI makes every writable mapping below the symbol _end symmetric and has room for 32. It
 * means the end of the program, but a library that is loaded late finds its own _end, and with it
 * the data of every library in the process. The _end below comes first in the search order of what
 * this object loads; at address 0 it leaves nothing to be found, which is right: the runtime moves
 * global variables into the heap itself.
 */
#include "runtime/shmem/engine.h"

#include <shmem.h>

__asm__(".globl _end\n.set _end, 0");

/* Open MPI's tests look and do nothing else, and its waits do not come back: what both lack has a
 * name of its own there. Other OpenSHMEMs progress when a test fails. */
extern void opal_progress(void) __attribute__((weak));
static long *probe; /* never changes */

static bool start(int *pe, int *pes) {
  int provided = 0;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0)
    return false;
  *pe = shmem_my_pe();
  *pes = shmem_n_pes();
  return true;
}

static void *memory(size_t bytes) {
  char *base = shmem_align(MOAC_SHMEM_ENGINE_ALIGNMENT, bytes + sizeof *probe);
  if (base != NULL) {
    probe = (long *)(base + (bytes + sizeof *probe - 1) / sizeof *probe * sizeof *probe);
    *probe = 0;
  }
  return base;
}

static void put(void *target, const void *source, size_t bytes, int to, bool nbi) {
  (nbi ? shmem_putmem_nbi : shmem_putmem)(target, source, bytes, to);
}

static void get(void *target, const void *source, size_t bytes, int from, bool nbi) {
  (nbi ? shmem_getmem_nbi : shmem_getmem)(target, source, bytes, from);
}

/* Open MPI 4.1 computes nothing right in the fetching forms of and, or and xor, and its 4-byte
 * compare_swap overwrites its own stack. Both become compare_swaps of the 8 bytes around the word.
 */
static uint64_t changed(moac_shmem_atomic_op op, uint64_t old, uint64_t operand) {
  switch (op) {
  case MOAC_SHMEM_ATOMIC_AND:
    return old & operand;
  case MOAC_SHMEM_ATOMIC_OR:
    return old | operand;
  case MOAC_SHMEM_ATOMIC_XOR:
    return old ^ operand;
  default:
    return operand;
  }
}

static uint64_t change(void *word, moac_shmem_atomic_op op, size_t bytes, uint64_t operand,
                       uint64_t compare, int at) {
  unsigned long *cell = (unsigned long *)((uintptr_t)word & ~(uintptr_t)7);
  unsigned shift = ((uintptr_t)word & 7u) * 8u;
  uint64_t mask = (bytes == 8 ? UINT64_MAX : UINT32_MAX) << shift;
  uint64_t seen = shmem_ulong_atomic_fetch(cell, at);
  for (;;) {
    uint64_t old = (seen & mask) >> shift;
    if (op == MOAC_SHMEM_ATOMIC_COMPARE_SWAP && old != compare)
      return old;
    uint64_t wanted = (seen & ~mask) | ((changed(op, old, operand) << shift) & mask);
    uint64_t found = shmem_ulong_atomic_compare_swap(cell, seen, wanted, at);
    if (found == seen)
      return old;
    seen = found;
  }
}

static uint64_t atomic(void *word, moac_shmem_atomic_op op, size_t bytes, uint64_t operand,
                       uint64_t compare, int at) {
  bool wide = bytes == 8;
  unsigned half = (unsigned)operand;
  switch (op) {
  case MOAC_SHMEM_ATOMIC_FETCH:
    return wide ? shmem_ulong_atomic_fetch(word, at) : shmem_uint_atomic_fetch(word, at);
  case MOAC_SHMEM_ATOMIC_SET:
    if (wide)
      shmem_ulong_atomic_set(word, operand, at);
    else
      shmem_uint_atomic_set(word, half, at);
    return 0;
  case MOAC_SHMEM_ATOMIC_ADD:
    return wide ? shmem_ulong_atomic_fetch_add(word, operand, at)
                : shmem_uint_atomic_fetch_add(word, half, at);
  case MOAC_SHMEM_ATOMIC_SWAP:
    return wide ? shmem_ulong_atomic_swap(word, operand, at)
                : shmem_uint_atomic_swap(word, half, at);
  case MOAC_SHMEM_ATOMIC_COMPARE_SWAP:
    if (wide)
      return shmem_ulong_atomic_compare_swap(word, compare, operand, at);
    break;
  default:
    break;
  }
  return change(word, op, bytes, operand, compare, at);
}

static void progress(void) {
  if (opal_progress != NULL)
    opal_progress();
  else
    (void)shmem_long_test(probe, SHMEM_CMP_NE, 0);
}

const moac_shmem_engine moac_shmem_engine_table = {
    .version = MOAC_SHMEM_ENGINE_VERSION,
    .name = "oshmem",
    .start = start,
    .memory = memory,
    .put = put,
    .get = get,
    .atomic = atomic,
    .fence = shmem_fence,
    .quiet = shmem_quiet,
    .progress = progress,
    .barrier = shmem_barrier_all,
    .exit = shmem_global_exit,
    .stop = shmem_finalize,
};
