/* cuda_workloads.cu: reduce-scatter and dispatch between GPUs, in four ways: NVSHMEM's puts and
 * fence; plain stores with a full fence by every thread; targeted, relaxed stores and one release;
 * targeted, packets without any fence.
 */
#include "tests/shmem/cuda_bench.h"

enum Way { LIBRARY, FULL, RELEASE, PACKETS, WAYS };
static const char *const wayNames[] = {"nvshmem", "full", "release", "packets"};
/* --- One message of a block: data, then a flag ---------------------------------------------------
 */

template <Way way>
__device__ void sendBlock(char *target, char *peer, const char *source, size_t bytes,
                          uint64_t *flag, uint64_t *peerFlag, uint64_t value, int pe) {
  if (way == LIBRARY) {
    nvshmemx_putmem_nbi_block(target, source, bytes, pe);
    __syncthreads();
    if (threadIdx.x == 0) {
      nvshmem_fence();
      nvshmemx_signal_op(flag, value, NVSHMEM_SIGNAL_SET, pe);
    }
  } else if (way == FULL) {
    for (size_t i = threadIdx.x; i < bytes / sizeof(uint4); i += blockDim.x)
      reinterpret_cast<uint4 *>(peer)[i] = reinterpret_cast<const uint4 *>(source)[i];
    moac_shmem_block_fence();
    if (threadIdx.x == 0)
      *reinterpret_cast<volatile uint64_t *>(peerFlag) = value;
  } else {
    moac_shmem_block_put_relaxed(peer, source, bytes);
    moac_shmem_block_set_release(peerFlag, value);
  }
}

template <Way way> __device__ void awaitBlock(uint64_t *flag, uint64_t value) {
  if (way == PACKETS) { /* a number that orders nothing */
    if (threadIdx.x == 0)
      while (*reinterpret_cast<volatile uint64_t *>(flag) < value)
        ;
    __syncthreads();
  } else if (way == LIBRARY) {
    if (threadIdx.x == 0)
      nvshmem_signal_wait_until(flag, NVSHMEM_CMP_GE, value);
    __syncthreads();
  } else if (way == FULL) {
    if (threadIdx.x == 0)
      while (*reinterpret_cast<volatile uint64_t *>(flag) < value)
        ;
    moac_shmem_block_fence();
  } else {
    moac_shmem_block_wait_acquire(flag, value);
  }
}

/* --- Reduce-scatter with two buffers -------------------------------------------------------------
 */

struct Scatter {
  char *in; /* [2][pes][bytes], of packets twice that */
  Peers inAt;
  uint64_t *flags; /* [blocks][pes] */
  Peers flagsAt;
  const float *parts; /* [pes][bytes] */
  float *out;         /* [bytes] */
  size_t bytes;       /* of one part; each block takes its share */
  int me, pes;
};

template <Way way> __global__ void reduceScatter(Scatter s, int rounds, uint64_t base) {
  size_t share = s.bytes / gridDim.x, at = share * blockIdx.x;
  uint64_t *flags = s.flags + size_t(blockIdx.x) * s.pes * FLAG_STRIDE;
  size_t flagAt = size_t(blockIdx.x) * s.pes * FLAG_STRIDE + size_t(s.me) * FLAG_STRIDE;
  float *out = s.out + at / sizeof(float);
  size_t scale = way == PACKETS ? 2 : 1;
  for (int round = 1; round <= rounds; ++round) {
    size_t buffer = (base + round) % 2 * s.pes;
    uint32_t tag = uint32_t(base + round);
    for (int q = 0; q < s.pes; ++q) {
      if (q == s.me)
        continue;
      size_t to = ((buffer + s.me) * s.bytes + at) * scale;
      const char *from = reinterpret_cast<const char *>(s.parts) + q * s.bytes + at;
      if (way == PACKETS)
        for (size_t i = threadIdx.x; i < share / sizeof(uint2); i += blockDim.x)
          moac_shmem_send_packet(reinterpret_cast<moac_shmem_packet *>(s.inAt.at[q] + to) + i,
                                 reinterpret_cast<const uint2 *>(from)[i], tag);
      else
        sendBlock<way>(s.in + to, s.inAt.at[q] + to, from, share, s.flags + flagAt,
                       reinterpret_cast<uint64_t *>(s.flagsAt.at[q]) + flagAt, base + round, q);
    }
    for (int q = 0; way != PACKETS && q < s.pes; ++q)
      if (q != s.me)
        awaitBlock<way>(flags + q * FLAG_STRIDE, base + round);
    for (size_t i = threadIdx.x; i < share / sizeof(uint2); i += blockDim.x) {
      float2 sum = make_float2(0, 0);
      for (int q = 0; q < s.pes; ++q) {
        size_t from = ((buffer + q) * s.bytes + at) * scale;
        float2 v;
        if (q == s.me) {
          v = reinterpret_cast<const float2 *>(s.parts + (q * s.bytes + at) / sizeof(float))[i];
        } else if (way == PACKETS) {
          uint2 got = moac_shmem_receive_packet(
              reinterpret_cast<const moac_shmem_packet *>(s.in + from) + i, tag);
          v = make_float2(__uint_as_float(got.x), __uint_as_float(got.y));
        } else {
          v = __ldcg(reinterpret_cast<const float2 *>(s.in + from) + i);
        }
        sum.x += v.x;
        sum.y += v.y;
      }
      reinterpret_cast<float2 *>(out)[i] = sum;
    }
    if (way != PACKETS)
      __syncthreads();
  }
}

static void startScatter(Way way, int blocks, const Scatter &s, int rounds, uint64_t base) {
  if (way == LIBRARY)
    reduceScatter<LIBRARY><<<blocks, THREADS>>>(s, rounds, base);
  else if (way == FULL)
    reduceScatter<FULL><<<blocks, THREADS>>>(s, rounds, base);
  else if (way == RELEASE)
    reduceScatter<RELEASE><<<blocks, THREADS>>>(s, rounds, base);
  else
    reduceScatter<PACKETS><<<blocks, THREADS>>>(s, rounds, base);
}

void scatterCase(size_t bytes) {
  int blocks = int(std::min<size_t>(128, std::max<size_t>(1, bytes / 4096)));
  Scatter s = {};
  s.bytes = bytes, s.me = me, s.pes = pes;
  s.in = symmetric<char>(4 * bytes * pes);
  s.flags = symmetric<uint64_t>(size_t(blocks) * pes * FLAG_STRIDE);
  float *parts = symmetric<float>(bytes / 4 * pes);
  s.out = symmetric<float>(bytes / 4);
  s.parts = parts, s.inAt = peersOf(s.in), s.flagsAt = peersOf(s.flags);
  std::vector<float> host(bytes / 4 * pes), back(bytes / 4);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = float(i % 1000) + float(me);
  OK(cudaMemcpy(parts, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
  uint64_t base = 0;
  double best[WAYS];
  for (int way = 0; way < WAYS; ++way) {
    best[way] = 1e30;
    for (int attempt = 0; attempt < 6; ++attempt) {
      int rounds = bytes > (size_t(1) << 22) ? 20 : ROUNDS;
      OK(cudaMemset(s.out, 0, bytes));
      best[way] = std::min(
          best[way], timed([&] { startScatter(Way(way), blocks, s, rounds, base); }) / rounds);
      base += rounds;
    }
    OK(cudaMemcpy(back.data(), s.out, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < back.size(); ++i)
      OK(back[i] != float(pes) * float((i + me * back.size()) % 1000) + float(pes * (pes - 1) / 2));
  }
  if (me == 0) {
    printf("reduce-scatter %9zu B a PE ", bytes);
    for (int way = 0; way < WAYS; ++way)
      printf("  %s %8.2f us", wayNames[way], best[way]);
    printf("  full/release %.2f full/packets %.2f\n", best[FULL] / best[RELEASE],
           best[FULL] / best[PACKETS]);
  }
  OK(moac_shmem_cuda_free(s.out));
  OK(moac_shmem_cuda_free(parts));
  OK(moac_shmem_cuda_free(s.flags));
  OK(moac_shmem_cuda_free(s.in));
}

/* --- Dispatch: tokens to the experts of all PEs, counts as signals ------------------------------
 */

struct Dispatch {
  char *in; /* [2][experts of this PE][source PE][tokens][HIDDEN], of packets twice that */
  Peers inAt;
  uint64_t *counts; /* [experts of this PE][source PE], round << 32 | tokens + 1 */
  Peers countsAt;
  const char *tokens;          /* [tokens][HIDDEN] */
  uint64_t *sums;              /* [blocks], what this PE received, for the check */
  int count, experts, me, pes; /* experts: of each PE */
};

/* The two experts of a token, spread over all. */
static __host__ __device__ bool goesTo(int token, int pe, int expert, int all) {
  int first = (token * 7 + pe * 3) % all;
  return expert == first || expert == (first + all / 2) % all;
}

/* Block b sends to expert b of all and receives for expert b % experts from PE b / experts. */
template <Way way> __global__ void dispatch(Dispatch d, int rounds, uint64_t base) {
  int all = d.experts * d.pes, owner = blockIdx.x / d.experts, mine = blockIdx.x % d.experts;
  size_t scale = way == PACKETS ? 2 : 1;
  size_t set = size_t(d.experts) * d.pes * d.count * HIDDEN;
  size_t to = (size_t(mine) * d.pes + d.me) * d.count * HIDDEN;
  size_t from = (size_t(mine) * d.pes + owner) * d.count * HIDDEN;
  size_t countTo = (size_t(mine) * d.pes + d.me) * FLAG_STRIDE;
  uint64_t *countHere = d.counts + (size_t(mine) * d.pes + owner) * FLAG_STRIDE;
  uint64_t *countThere = reinterpret_cast<uint64_t *>(d.countsAt.at[owner]) + countTo;
  uint64_t sum = 0;
  for (int round = 1; round <= rounds; ++round) {
    size_t buffer = (base + round) % 2 * set;
    uint64_t epoch = (base + round) << 32;
    int slot = 0;
    for (int token = 0; token < d.count; ++token) {
      if (!goesTo(token, d.me, blockIdx.x, all))
        continue;
      size_t place = (buffer + to + size_t(slot++) * HIDDEN) * scale;
      const char *source = d.tokens + size_t(token) * HIDDEN;
      char *peer = d.inAt.at[owner] + place;
      if (way == LIBRARY)
        nvshmemx_putmem_nbi_block(d.in + place, source, HIDDEN, owner);
      else if (way == FULL)
        for (size_t i = threadIdx.x; i < HIDDEN / sizeof(uint4); i += blockDim.x)
          reinterpret_cast<uint4 *>(peer)[i] = reinterpret_cast<const uint4 *>(source)[i];
      else if (way == RELEASE)
        moac_shmem_block_put_relaxed(peer, source, HIDDEN);
      else
        for (size_t i = threadIdx.x; i < HIDDEN / sizeof(uint2); i += blockDim.x)
          moac_shmem_send_packet(reinterpret_cast<moac_shmem_packet *>(peer) + i,
                                 reinterpret_cast<const uint2 *>(source)[i],
                                 uint32_t(base + round));
    }
    /* The count behind its tokens; beside packets it needs no order. */
    if (way == LIBRARY || way == FULL || way == RELEASE)
      sendBlock<way>(d.in, nullptr, nullptr, 0, d.counts + countTo, countThere, epoch + slot + 1,
                     owner);
    else if (threadIdx.x == 0)
      *reinterpret_cast<volatile uint64_t *>(countThere) = epoch + slot + 1;
    awaitBlock<way>(countHere, epoch);
    int arrived = int(*reinterpret_cast<volatile uint64_t *>(countHere) & 0xffffffffu) - 1;
    for (int token = 0; token < arrived; ++token) {
      const char *place = d.in + (buffer + from + size_t(token) * HIDDEN) * scale;
      for (size_t i = threadIdx.x; i < HIDDEN / sizeof(uint2); i += blockDim.x) {
        uint2 got =
            way == PACKETS
                ? moac_shmem_receive_packet(reinterpret_cast<const moac_shmem_packet *>(place) + i,
                                            uint32_t(base + round))
                : __ldcg(reinterpret_cast<const uint2 *>(place) + i);
        sum += got.x + got.y;
      }
    }
    __syncthreads();
  }
  atomicAdd(reinterpret_cast<unsigned long long *>(d.sums), (unsigned long long)sum);
}

static void startDispatch(Way way, const Dispatch &d, int rounds, uint64_t base) {
  int blocks = d.experts * d.pes;
  if (way == LIBRARY)
    dispatch<LIBRARY><<<blocks, THREADS>>>(d, rounds, base);
  else if (way == FULL)
    dispatch<FULL><<<blocks, THREADS>>>(d, rounds, base);
  else if (way == RELEASE)
    dispatch<RELEASE><<<blocks, THREADS>>>(d, rounds, base);
  else
    dispatch<PACKETS><<<blocks, THREADS>>>(d, rounds, base);
}

/* Token t of PE p is HIDDEN bytes of the words p * 1000 + t. */
static uint64_t expectedSum(int count, int experts, int rounds) {
  uint64_t sum = 0;
  for (int p = 0; p < pes; ++p)
    for (int token = 0; token < count; ++token)
      for (int e = me * experts; e < (me + 1) * experts; ++e)
        if (goesTo(token, p, e, experts * pes))
          sum += uint64_t(p * 1000 + token) * (HIDDEN / 4);
  return sum * rounds;
}

void dispatchCase(int count) {
  Dispatch d = {};
  d.count = count, d.experts = 16, d.me = me, d.pes = pes;
  size_t set = size_t(d.experts) * pes * count * HIDDEN;
  d.in = symmetric<char>(4 * set);
  d.counts = symmetric<uint64_t>(size_t(d.experts) * pes * FLAG_STRIDE);
  char *tokens = symmetric<char>(size_t(count) * HIDDEN);
  d.sums = symmetric<uint64_t>(1);
  d.tokens = tokens, d.inAt = peersOf(d.in), d.countsAt = peersOf(d.counts);
  std::vector<uint32_t> host(size_t(count) * HIDDEN / 4);
  for (size_t i = 0; i < host.size(); ++i)
    host[i] = uint32_t(me * 1000) + uint32_t(i / (HIDDEN / 4));
  OK(cudaMemcpy(tokens, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
  uint64_t base = 0, got = 0;
  double best[WAYS];
  for (int way = 0; way < WAYS; ++way) {
    best[way] = 1e30;
    for (int attempt = 0; attempt < 5; ++attempt) {
      OK(cudaMemset(d.sums, 0, sizeof *d.sums));
      best[way] =
          std::min(best[way], timed([&] { startDispatch(Way(way), d, ROUNDS, base); }) / ROUNDS);
      base += ROUNDS;
      OK(cudaMemcpy(&got, d.sums, sizeof got, cudaMemcpyDeviceToHost));
      OK(got != expectedSum(count, d.experts, ROUNDS));
    }
  }
  if (me == 0) {
    printf("dispatch %4d tokens a PE ", count);
    for (int way = 0; way < WAYS; ++way)
      printf("  %s %8.2f us", wayNames[way], best[way]);
    printf("  full/release %.2f full/packets %.2f\n", best[FULL] / best[RELEASE],
           best[FULL] / best[PACKETS]);
  }
  OK(moac_shmem_cuda_free(d.sums));
  OK(moac_shmem_cuda_free(tokens));
  OK(moac_shmem_cuda_free(d.counts));
  OK(moac_shmem_cuda_free(d.in));
}
