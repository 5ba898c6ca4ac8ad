/* moac_shmem_cuda.h: the SHMEM layer between GPUs, for CUDA code, over NVSHMEM.
 *
 * A PE is one process with one GPU. The processes and their world are those of moac_shmem.h: after
 * moac_shmem_init, moac_shmem_cuda_init gives each PE a symmetric heap in the memory of its GPU,
 * whose objects kernels and streams can name by local address and PE number. Host calls return a
 * status; device calls cannot fail, they are as undefined on wrong arguments as NVSHMEM's.
 *
 * Device calls with `block` in the name are made by all threads of a block together; the others by
 * one thread. A kernel that waits must have all its blocks resident.
 *
 * Targeted ordering. moac_shmem_block_fence orders everything that the block's threads wrote, to
 * any address: each thread pays for a fence over the whole system. Code that knows which data the
 * flag guards says so instead, and nothing else is ordered:
 *   - put_relaxed then set_release: the block's data goes out as relaxed stores to the peer's
 *     memory, and one release, by the thread that sets the flag, covers them;
 *   - send_packet / receive_packet: each 4 bytes of data travel with the round they belong to in
 *     one 8-byte store. There is no fence and no flag at all, for twice the bytes: for small data.
 * Both need peers whose memory this GPU can reach (moac_shmem_cuda_ptr).
 */
#ifndef MOAC_SHMEM_CUDA_H
#define MOAC_SHMEM_CUDA_H

#include "moac_shmem.h"

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective, after moac_shmem_init: takes the GPU (its number modulo those of this machine) and
 * joins the world of GPUs. Errors: NOT_INITIALIZED, SYSTEM (no GPU, or NVSHMEM does not start),
 * UNSUPPORTED (more PEs on a machine than it has GPUs). */
moac_shmem_status moac_shmem_cuda_init(int device);
moac_shmem_status moac_shmem_cuda_finalize(void); /* before moac_shmem_finalize; collective */
/* Collective; *object is zero-filled, NULL on failure. Errors: HEAP_EXHAUSTED. */
moac_shmem_status moac_shmem_cuda_calloc(size_t bytes, void **object);
moac_shmem_status moac_shmem_cuda_free(void *object);
/* Where this GPU can load and store `object` of PE pe. UNSUPPORTED when it cannot. */
moac_shmem_status moac_shmem_cuda_ptr(const void *object, int pe, void **address);
moac_shmem_status moac_shmem_cuda_barrier(cudaStream_t stream); /* completes what came before */
moac_shmem_status moac_shmem_cuda_put_signal(void *target, const void *source, size_t bytes,
                                             moac_shmem_signal signal, int pe, cudaStream_t stream);
moac_shmem_status moac_shmem_cuda_signal_wait_until(uint64_t *word,
                                                    moac_shmem_comparison comparison,
                                                    uint64_t operand, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
#include <nvshmem.h>
#include <nvshmemx.h>

#define MOAC_SHMEM_DEVICE static __device__ __forceinline__

MOAC_SHMEM_DEVICE int moac_shmem_device_signal_op(moac_shmem_signal_op op) {
  return op == MOAC_SHMEM_SIGNAL_SET ? NVSHMEM_SIGNAL_SET : NVSHMEM_SIGNAL_ADD;
}

MOAC_SHMEM_DEVICE int moac_shmem_device_comparison(moac_shmem_comparison comparison) {
  const int all[] = {NVSHMEM_CMP_EQ, NVSHMEM_CMP_NE, NVSHMEM_CMP_GT,
                     NVSHMEM_CMP_GE, NVSHMEM_CMP_LT, NVSHMEM_CMP_LE};
  return all[comparison];
}

/* --- The calls of the host's interface, from device code ----------------------------------------
 */

MOAC_SHMEM_DEVICE void moac_shmem_block_put_nbi(void *target, const void *source, size_t bytes,
                                                int pe) {
  nvshmemx_putmem_nbi_block(target, source, bytes, pe);
}

MOAC_SHMEM_DEVICE void moac_shmem_block_put_signal(void *target, const void *source, size_t bytes,
                                                   moac_shmem_signal signal, int pe) {
  nvshmemx_putmem_signal_block(target, source, bytes, signal.word, signal.value,
                               moac_shmem_device_signal_op(signal.op), pe);
}

MOAC_SHMEM_DEVICE void moac_shmem_block_put_signal_nbi(void *target, const void *source,
                                                       size_t bytes, moac_shmem_signal signal,
                                                       int pe) {
  nvshmemx_putmem_signal_nbi_block(target, source, bytes, signal.word, signal.value,
                                   moac_shmem_device_signal_op(signal.op), pe);
}

MOAC_SHMEM_DEVICE void moac_shmem_device_signal_send(moac_shmem_signal signal, int pe) {
  nvshmemx_signal_op(signal.word, signal.value, moac_shmem_device_signal_op(signal.op), pe);
}

MOAC_SHMEM_DEVICE uint64_t moac_shmem_device_signal_wait_until(uint64_t *word,
                                                               moac_shmem_comparison comparison,
                                                               uint64_t operand) {
  return nvshmem_signal_wait_until(word, moac_shmem_device_comparison(comparison), operand);
}

MOAC_SHMEM_DEVICE void moac_shmem_device_fence(void) { nvshmem_fence(); }
MOAC_SHMEM_DEVICE void moac_shmem_device_quiet(void) { nvshmem_quiet(); }

/* Orders what the threads of the block have written before what they write after. */
MOAC_SHMEM_DEVICE void moac_shmem_block_fence(void) {
  __threadfence_system();
  __syncthreads();
}

/* --- Targeted ordering: `peer` is an address of moac_shmem_cuda_ptr ------------------------------
 */

/* Relaxed stores; 16-byte aligned, a multiple of 16 bytes. */
MOAC_SHMEM_DEVICE void moac_shmem_block_put_relaxed(void *peer, const void *source, size_t bytes) {
  uint4 *to = (uint4 *)peer;
  const uint4 *from = (const uint4 *)source;
  for (size_t i = threadIdx.x; i < bytes / sizeof(uint4); i += blockDim.x) {
    uint4 v = from[i];
    asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to + i), "r"(v.x),
                 "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
  }
}

/* All threads; the word becomes visible after what the block's threads stored before. */
MOAC_SHMEM_DEVICE void moac_shmem_block_set_release(uint64_t *peer_word, uint64_t value) {
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(peer_word), "l"(value) : "memory");
}

/* All threads; what was stored before the word reached value is visible to the block after. */
MOAC_SHMEM_DEVICE void moac_shmem_block_wait_acquire(const uint64_t *word, uint64_t value) {
  if (threadIdx.x == 0) {
    uint64_t seen;
    do
      asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(seen) : "l"(word) : "memory");
    while (seen < value);
  }
  __syncthreads();
}

/* Two words of data with their round; any two packets are independent. A round number may be used
 * again on the same packet only after the receiver has answered for the one before. */
typedef uint4 moac_shmem_packet;

MOAC_SHMEM_DEVICE void moac_shmem_send_packet(moac_shmem_packet *peer, uint2 data, uint32_t round) {
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1,%2};" ::"l"(peer),
               "l"((uint64_t)round << 32 | data.x), "l"((uint64_t)round << 32 | data.y)
               : "memory");
}

MOAC_SHMEM_DEVICE uint2 moac_shmem_receive_packet(const moac_shmem_packet *packet, uint32_t round) {
  uint64_t a, b;
  do
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0,%1}, [%2];"
                 : "=l"(a), "=l"(b)
                 : "l"(packet)
                 : "memory");
  while ((uint32_t)(a >> 32) != round || (uint32_t)(b >> 32) != round);
  return make_uint2((uint32_t)a, (uint32_t)b);
}
#endif
#endif
