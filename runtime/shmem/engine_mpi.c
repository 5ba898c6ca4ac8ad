/* engine_mpi.c: the engine over MPI-3 one-sided communication, for sites without an OpenSHMEM. One
 * window holds every PE's memory and stays locked; atomics are accumulates, and since MPI has no
 * fence that is cheaper than completion, a fence is a flush. Atomics are flushed at once: a
 * deferred one would need its operand kept.
 *
 * Open MPI's only one-sided component that crosses a network without special hardware refuses
 * MPI_THREAD_MULTIPLE, so the threads of a PE take turns here. A program may have its own MPI: then
 * this is a guest in it, and a PE of ours is a rank of its.
 */
#include "runtime/shmem/engine.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static MPI_Win window = MPI_WIN_NULL;
static char *base;        /* aligned start of this PE's memory */
static MPI_Aint *skipped; /* [pes] bytes before it in each PE's window */
static int me, count;
static bool guest; /* MPI is the program's */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static bool start(int *pe, int *pes) {
  int provided = 0, running = 0;
  MPI_Initialized(&running);
  guest = running != 0;
  if (!guest && MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
    return false;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  *pe = me;
  *pes = count;
  return true;
}

static void *memory(size_t bytes) {
  char *raw = NULL;
  skipped = calloc((size_t)count, sizeof *skipped);
  if (skipped == NULL ||
      MPI_Win_allocate((MPI_Aint)(bytes + MOAC_SHMEM_ENGINE_ALIGNMENT), 1, MPI_INFO_NULL,
                       MPI_COMM_WORLD, &raw, &window) != MPI_SUCCESS)
    return NULL;
  MPI_Aint own =
      (MPI_Aint)((MOAC_SHMEM_ENGINE_ALIGNMENT - (uintptr_t)raw % MOAC_SHMEM_ENGINE_ALIGNMENT) %
                 MOAC_SHMEM_ENGINE_ALIGNMENT);
  MPI_Allgather(&own, 1, MPI_AINT, skipped, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  return base = raw + own;
}

static MPI_Aint place(const void *object, int at) {
  return skipped[at] + (MPI_Aint)((const char *)object - base);
}

/* Counts of MPI are ints. */
enum { PIECE = 1 << 30 };

static void put(void *target, const void *source, size_t bytes, int to, bool nbi) {
  pthread_mutex_lock(&turn);
  for (size_t done = 0; done < bytes; done += PIECE) {
    int now = bytes - done < PIECE ? (int)(bytes - done) : PIECE;
    MPI_Put((const char *)source + done, now, MPI_BYTE, to, place((char *)target + done, to), now,
            MPI_BYTE, window);
  }
  if (!nbi)
    MPI_Win_flush_local(to, window);
  pthread_mutex_unlock(&turn);
}

static void get(void *target, const void *source, size_t bytes, int from, bool nbi) {
  pthread_mutex_lock(&turn);
  for (size_t done = 0; done < bytes; done += PIECE) {
    int now = bytes - done < PIECE ? (int)(bytes - done) : PIECE;
    MPI_Get((char *)target + done, now, MPI_BYTE, from, place((const char *)source + done, from),
            now, MPI_BYTE, window);
  }
  if (!nbi)
    MPI_Win_flush(from, window);
  pthread_mutex_unlock(&turn);
}

static MPI_Op operation(moac_shmem_atomic_op op) {
  switch (op) {
  case MOAC_SHMEM_ATOMIC_FETCH:
    return MPI_NO_OP;
  case MOAC_SHMEM_ATOMIC_ADD:
    return MPI_SUM;
  case MOAC_SHMEM_ATOMIC_AND:
    return MPI_BAND;
  case MOAC_SHMEM_ATOMIC_OR:
    return MPI_BOR;
  case MOAC_SHMEM_ATOMIC_XOR:
    return MPI_BXOR;
  default:
    return MPI_REPLACE;
  }
}

static uint64_t atomic(void *word, moac_shmem_atomic_op op, size_t bytes, uint64_t operand,
                       uint64_t compare, int at) {
  MPI_Datatype type = bytes == 8 ? MPI_UINT64_T : MPI_UINT32_T;
  uint64_t old = 0; /* little-endian: a 4-byte value is the low half */
  pthread_mutex_lock(&turn);
  if (op == MOAC_SHMEM_ATOMIC_COMPARE_SWAP)
    MPI_Compare_and_swap(&operand, &compare, &old, type, at, place(word, at), window);
  else
    MPI_Fetch_and_op(&operand, &old, type, at, place(word, at), operation(op), window);
  MPI_Win_flush(at, window);
  pthread_mutex_unlock(&turn);
  return old;
}

static void complete(void) {
  pthread_mutex_lock(&turn);
  MPI_Win_flush_all(window);
  MPI_Win_sync(window);
  pthread_mutex_unlock(&turn);
}

static void progress(void) {
  int ignored = 0;
  if (pthread_mutex_trylock(&turn) != 0)
    return; /* another thread keeps it going */
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &ignored, MPI_STATUS_IGNORE);
  MPI_Win_sync(window);
  pthread_mutex_unlock(&turn);
}

static void barrier(void) {
  if (window != MPI_WIN_NULL)
    complete();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void end(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static void stop(void) {
  int over = 0;
  MPI_Finalized(&over);
  if (over == 0) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    if (!guest)
      MPI_Finalize();
  }
  free(skipped);
}

const moac_shmem_engine moac_shmem_engine_table = {
    .version = MOAC_SHMEM_ENGINE_VERSION,
    .name = "mpi",
    .start = start,
    .memory = memory,
    .put = put,
    .get = get,
    .atomic = atomic,
    .fence = complete,
    .quiet = complete,
    .progress = progress,
    .barrier = barrier,
    .exit = end,
    .stop = stop,
};
