/* cuda_bench.h: what the parts of the bench share: a check that ends the program, symmetric memory,
 * the time of a kernel.
 */
#ifndef MOAC_TESTS_SHMEM_CUDA_BENCH_H
#define MOAC_TESTS_SHMEM_CUDA_BENCH_H

#include "runtime/shmem/moac_shmem_cuda.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { THREADS = 512, MAX_PES_HERE = 8, ROUNDS = 200, FLAG_STRIDE = 16, HIDDEN = 14336 };
extern int me, pes;

#define OK(call)                                                                                   \
  do {                                                                                             \
    if ((call) != 0) {                                                                             \
      fprintf(stderr, "%s:%d: PE %d: %s\n", __FILE__, __LINE__, me, #call);                        \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

template <typename T> T *symmetric(size_t count) {
  void *object = nullptr;
  OK(moac_shmem_cuda_calloc(count * sizeof(T), &object));
  return static_cast<T *>(object);
}

/* Addresses of one object on every PE. */
struct Peers {
  char *at[MAX_PES_HERE];
};
inline Peers peersOf(void *object) {
  Peers peers = {};
  for (int pe = 0; pe < pes; ++pe)
    OK(moac_shmem_cuda_ptr(object, pe, reinterpret_cast<void **>(&peers.at[pe])));
  return peers;
}

/* Microseconds of one kernel, from when all PEs are ready. */
template <typename F> double timed(F launch) {
  cudaEvent_t start, stop;
  float ms = 0;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  OK(moac_shmem_cuda_barrier(0));
  OK(cudaEventRecord(start));
  launch();
  OK(cudaGetLastError());
  OK(cudaEventRecord(stop));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&ms, start, stop));
  OK(moac_shmem_cuda_barrier(0));
  OK(cudaDeviceSynchronize());
  OK(cudaEventDestroy(start));
  OK(cudaEventDestroy(stop));
  return ms * 1e3;
}

/* cuda_workloads.cu: one line of the table each, for parts of `bytes` and for `count` tokens a PE.
 */
void scatterCase(size_t bytes);
void dispatchCase(int count);

#endif
