/* cuda_bench.cu: what the layer between GPUs costs and what targeted ordering saves, on two or more
 * GPUs of one machine. It checks every result it times.
 *
 *   moac-launch -n 2 shmem-cuda-bench [check]
 *
 * First every call of the layer is checked, on streams and in kernels, also with one PE, which then
 * sends to itself. put_signal: our call against NVSHMEM's own, one way of a ping-pong between PEs 0
 * and 1.
 */
#include "tests/shmem/cuda_bench.h"

#include <string>

int me, pes;

/* --- put_signal --------------------------------------------------------------------------------
 */

template <bool ours>
__device__ void sendSignal(char *to, const char *from, size_t bytes, uint64_t *flag, uint64_t value,
                           int pe) {
  if (ours)
    moac_shmem_block_put_signal_nbi(to, from, bytes, {flag, value, MOAC_SHMEM_SIGNAL_SET}, pe);
  else
    nvshmemx_putmem_signal_nbi_block(to, from, bytes, flag, value, NVSHMEM_SIGNAL_SET, pe);
}

template <bool ours>
__global__ void pingPong(char *box, const char *source, size_t bytes, uint64_t *flags, int rounds,
                         uint64_t base, int me) {
  size_t share = bytes / gridDim.x, at = share * blockIdx.x;
  uint64_t *flag = flags + blockIdx.x * FLAG_STRIDE;
  for (int round = 1; round <= rounds; ++round) {
    if (me == 0)
      sendSignal<ours>(box + at, source + at, share, flag, base + round, 1);
    if (threadIdx.x == 0) {
      if (ours)
        moac_shmem_device_signal_wait_until(flag, MOAC_SHMEM_GE, base + round);
      else
        nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, base + round);
    }
    __syncthreads();
    if (me == 1)
      sendSignal<ours>(box + at, source + at, share, flag, base + round, 0);
  }
}

static void putSignal(size_t bytes, int blocks) {
  char *box = symmetric<char>(bytes), *source = symmetric<char>(bytes);
  uint64_t *flags = symmetric<uint64_t>(size_t(blocks) * FLAG_STRIDE), base = 0;
  int rounds = bytes > (size_t(1) << 22) ? 20 : ROUNDS;
  std::vector<double> best(2, 1e30);
  std::vector<char> back(bytes);
  OK(cudaMemset(source, 40 + me, bytes));
  for (int attempt = 0; attempt < 12; ++attempt) {
    double took = timed([&] {
      if (me < 2 && attempt % 2 == 0)
        pingPong<true><<<blocks, THREADS>>>(box, source, bytes, flags, rounds, base, me);
      else if (me < 2)
        pingPong<false><<<blocks, THREADS>>>(box, source, bytes, flags, rounds, base, me);
    });
    base += rounds;
    best[attempt % 2] = std::min(best[attempt % 2], took / rounds / 2);
  }
  OK(cudaMemcpy(back.data(), box, bytes, cudaMemcpyDeviceToHost));
  for (size_t i = 0; me < 2 && i < bytes; ++i)
    OK(back[i] != 40 + 1 - me);
  if (me == 0)
    printf("put_signal %9zu B %3d blocks  ours %8.2f us %6.1f GB/s  nvshmem %8.2f us %6.1f GB/s  "
           "ratio %.3f\n",
           bytes, blocks, best[0], bytes / best[0] * 1e-3, best[1], bytes / best[1] * 1e-3,
           best[0] / best[1]);
  OK(moac_shmem_cuda_free(flags));
  OK(moac_shmem_cuda_free(source));
  OK(moac_shmem_cuda_free(box));
}

/* --- Streams: the host's calls ------------------------------------------------------------------
 */

static void streams() {
  int next = (me + 1) % pes, last = (me + pes - 1) % pes;
  uint64_t *flag = symmetric<uint64_t>(1);
  int *box = symmetric<int>(1024), *source = symmetric<int>(1024);
  std::vector<int> host(1024, me + 7);
  OK(cudaMemcpy(source, host.data(), 4096, cudaMemcpyHostToDevice));
  OK(moac_shmem_cuda_barrier(0));
  OK(moac_shmem_cuda_put_signal(box, source, 4096, {flag, 1, MOAC_SHMEM_SIGNAL_ADD}, next, 0));
  OK(moac_shmem_cuda_signal_wait_until(flag, MOAC_SHMEM_EQ, 1, 0));
  OK(cudaMemcpy(host.data(), box, 4096, cudaMemcpyDeviceToHost));
  OK(host[0] != last + 7 || host[1023] != last + 7);
  OK(moac_shmem_cuda_put_signal(box, source, 4, {flag, 1, MOAC_SHMEM_SIGNAL_ADD}, pes, 0) !=
     MOAC_SHMEM_INVALID_PE);
  OK(moac_shmem_cuda_barrier(0));
  OK(cudaDeviceSynchronize());
  OK(moac_shmem_cuda_free(source));
  OK(moac_shmem_cuda_free(box));
  OK(moac_shmem_cuda_free(flag));
  if (me == 0)
    printf("streams: right\n");
}

/* --- The calls of kernels, each in a box and with a flag of its own: everyone sends to the right
 * ---
 */

enum { BOX = 4096, WAYS_TO_SEND = 4 };

struct Calls {
  char *boxes, *source; /* [WAYS_TO_SEND][BOX], [BOX] filled with a byte of this PE */
  uint64_t *flags;      /* [WAYS_TO_SEND] */
  moac_shmem_packet *packets;
  char *nextBoxes; /* the three of the next PE, as this GPU sees them */
  uint64_t *nextFlags;
  moac_shmem_packet *nextPackets;
  int next, from; /* from: the byte that the last PE sends */
};

__device__ void awaitFlag(uint64_t *flag) {
  if (threadIdx.x == 0)
    moac_shmem_device_signal_wait_until(flag, MOAC_SHMEM_GE, 1);
  __syncthreads();
}

__device__ void checkBox(const char *box, int from, int *wrong) {
  for (int i = threadIdx.x; i < BOX; i += blockDim.x)
    if (__ldcg(box + i) != from)
      atomicAdd(wrong, 1);
}

__global__ void deviceCalls(Calls c, int *wrong) {
  moac_shmem_block_put_nbi(c.boxes, c.source, BOX, c.next);
  __syncthreads();
  if (threadIdx.x == 0) {
    moac_shmem_device_fence();
    moac_shmem_device_signal_send({c.flags, 1, MOAC_SHMEM_SIGNAL_SET}, c.next);
  }
  awaitFlag(c.flags);
  checkBox(c.boxes, c.from, wrong);
  moac_shmem_block_put_signal(c.boxes + BOX, c.source, BOX, {c.flags + 1, 1, MOAC_SHMEM_SIGNAL_ADD},
                              c.next);
  awaitFlag(c.flags + 1);
  checkBox(c.boxes + BOX, c.from, wrong);
  moac_shmem_block_put_signal_nbi(c.boxes + 2 * BOX, c.source, BOX,
                                  {c.flags + 2, 1, MOAC_SHMEM_SIGNAL_SET}, c.next);
  awaitFlag(c.flags + 2);
  if (threadIdx.x == 0)
    moac_shmem_device_quiet();
  checkBox(c.boxes + 2 * BOX, c.from, wrong);
  moac_shmem_block_put_relaxed(c.nextBoxes + 3 * BOX, c.source, BOX);
  moac_shmem_block_set_release(c.nextFlags + 3, 1);
  moac_shmem_block_wait_acquire(c.flags + 3, 1);
  checkBox(c.boxes + 3 * BOX, c.from, wrong);
  uint32_t word = uint8_t(c.source[0]), expected = uint8_t(c.from);
  moac_shmem_send_packet(c.nextPackets + threadIdx.x, make_uint2(word, threadIdx.x), 1);
  uint2 got = moac_shmem_receive_packet(c.packets + threadIdx.x, 1);
  if (got.x != expected || got.y != threadIdx.x)
    atomicAdd(wrong, 1);
}

static void device() {
  Calls c = {};
  c.boxes = symmetric<char>(WAYS_TO_SEND * BOX), c.source = symmetric<char>(BOX);
  c.flags = symmetric<uint64_t>(WAYS_TO_SEND), c.packets = symmetric<moac_shmem_packet>(THREADS);
  c.next = (me + 1) % pes, c.from = 40 + (me + pes - 1) % pes;
  c.nextBoxes = peersOf(c.boxes).at[c.next];
  c.nextFlags = reinterpret_cast<uint64_t *>(peersOf(c.flags).at[c.next]);
  c.nextPackets = reinterpret_cast<moac_shmem_packet *>(peersOf(c.packets).at[c.next]);
  int *wrong = symmetric<int>(1), count = -1;
  OK(cudaMemset(c.source, 40 + me, BOX));
  OK(moac_shmem_cuda_barrier(0));
  deviceCalls<<<1, THREADS>>>(c, wrong);
  OK(cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost));
  OK(count);
  OK(moac_shmem_cuda_barrier(0));
  OK(cudaDeviceSynchronize());
  OK(moac_shmem_cuda_free(wrong));
  OK(moac_shmem_cuda_free(c.packets));
  OK(moac_shmem_cuda_free(c.flags));
  OK(moac_shmem_cuda_free(c.source));
  OK(moac_shmem_cuda_free(c.boxes));
  if (me == 0)
    printf("kernels: right\n");
}

/* "check" as the only argument: nothing is timed. */
int main(int argc, char **argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  OK(moac_shmem_cuda_init(0) != MOAC_SHMEM_NOT_INITIALIZED);
  OK(moac_shmem_init());
  me = moac_shmem_my_pe();
  pes = moac_shmem_n_pes();
  OK(pes > MAX_PES_HERE);
  moac_shmem_status started = moac_shmem_cuda_init(me);
  if (started == MOAC_SHMEM_UNSUPPORTED) {
    if (me == 0)
      printf("%d PEs, but not as many GPUs: refused\n", pes);
    return moac_shmem_finalize();
  }
  OK(started);
  streams();
  device();
  if (argc > 1 && std::string(argv[1]) == "check") {
    OK(moac_shmem_cuda_finalize());
    OK(moac_shmem_finalize());
    return 0;
  }
  if (pes > 1) {
    for (size_t bytes : {size_t(8), size_t(1) << 10, size_t(1) << 14, size_t(1) << 18})
      putSignal(bytes, 1);
    for (size_t bytes : {size_t(1) << 20, size_t(1) << 22, size_t(1) << 24, size_t(1) << 28})
      putSignal(bytes, 64);
  }
  for (size_t bytes = 1 << 10; bytes <= size_t(1) << 26; bytes *= 4)
    scatterCase(bytes);
  for (int count : {1, 2, 4, 8, 16, 32, 64, 128})
    dispatchCase(count);
  OK(moac_shmem_cuda_finalize());
  OK(moac_shmem_finalize());
  return 0;
}
