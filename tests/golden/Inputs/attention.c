// Kernels of attention.moa, written by moac; change the source, not this file.
//
// Compile with -O3 -std=gnu11 -fopenmp, or with -std=c11 -ffp-contract=fast instead of -std=gnu11:
// plain -std=c11 splits fused multiply-adds. -ffast-math is not needed.
// Link with -lm.

#if defined(__GNUC__) && !defined(__clang__)
// No kernel asks for floating-point exceptions, so comparisons of floats may run on vector lanes.
#pragma GCC optimize("no-trapping-math")
#endif

#include "attention.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_OPENMP) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas" // the OpenMP directives below
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed" // a simd loop that stays scalar is no fault
#endif

#if defined(__AVX512F__) && defined(__clang__)
#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)
#elif defined(__AVX512F__) && defined(__GNUC__)
#pragma GCC target("prefer-vector-width=512")
#endif

// What a kernel returns.
enum {
  MOAC_OK = 0,
  MOAC_NULL_POINTER = -1,     // an array with elements is null
  MOAC_EXTENT = -2,           // an extent is negative
  MOAC_CONSTRAINT = -3,       // a condition of the signature does not hold
  MOAC_INDEX = -4,            // an index read from data left its axis
  MOAC_OVERFLOW = -5,         // an array would be too large to exist
  MOAC_ALIASING = -6,         // an output overlaps another array
  MOAC_NO_MEMORY = -7,        // no scratch memory
  MOAC_DIVISION_BY_ZERO = -8, // an integer division by zero
};

// MOAC_ROWS: rows of a register block.
// MOAC_COLS_F64: columns of a register block of doubles: two vectors.
// MOAC_SUMS_F64: parts of a sum of doubles along a row.
#if defined(__AVX512F__) && defined(__GNUC__)
enum { MOAC_ROWS = 8, MOAC_COLS_F64 = 16, MOAC_SUMS_F64 = 16 };
#elif defined(__AVX512F__)
enum { MOAC_ROWS = 12, MOAC_COLS_F64 = 8, MOAC_SUMS_F64 = 16 };
#elif defined(__AVX__)
enum { MOAC_ROWS = 6, MOAC_COLS_F64 = 8, MOAC_SUMS_F64 = 16 };
#else
enum { MOAC_ROWS = 6, MOAC_COLS_F64 = 4, MOAC_SUMS_F64 = 8 };
#endif

static inline int64_t moac_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t moac_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

// NaN if either is; a, which may be the result of the step before, is in one comparison only.
static inline double moac_max_f64(double a, double b) {
  const double larger = b > a ? b : a;
  return b != b ? b : larger;
}

// The loop over the lanes of a register block. Compilers take short loops apart before they look for vector lanes, so they are
// told not to: gcc by `omp simd`, or where nothing says that it is heard (no -fopenmp) by a limit, which cannot stand with it.
#define MOAC_PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define MOAC_BLOCK_LANES(...) MOAC_PRAGMA(omp simd __VA_ARGS__) _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__) && !defined(_OPENMP)
#define MOAC_BLOCK_LANES(...) _Pragma("GCC unroll 2")
#else
#define MOAC_BLOCK_LANES(...) MOAC_PRAGMA(omp simd __VA_ARGS__)
#endif

#pragma omp declare reduction(moac_largest_f64 : double : omp_out = moac_max_f64(omp_out, omp_in)) \
        initializer(omp_priv = -(double)INFINITY)

// x, but at least `least`; NaN as it is.
static inline double moac_not_below_f64(double x, double least) { return x < least ? least : x; }

// e^r for |r| <= ln 2 / 2, a polynomial of degree 11.
static inline double moac_near_f64(double r) {
  double p = 0x1.adb2060c18737p-26;
  p = p * r + 0x1.28ade29dfe5a1p-22;
  p = p * r + 0x1.71df03c4ca98cp-19;
  p = p * r + 0x1.a019997b69ae1p-16;
  p = p * r + 0x1.a01a013a4f86ap-13;
  p = p * r + 0x1.6c16c1846d209p-10;
  p = p * r + 0x1.11111111248cfp-7;
  p = p * r + 0x1.55555555506dfp-5;
  p = p * r + 0x1.5555555555508p-3;
  p = p * r + 0x1.000000000000ap-1;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p;
}

// p * 2^k * back, where the lowest bits of `biased` are the exponent of 2^k.
static inline double moac_raised_f64(double p, double biased, double back) {
  uint64_t bits;
  memcpy(&bits, &biased, sizeof bits);
  bits <<= 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return p * power * back;
}

// The same for x that is not positive.
static inline double moac_exp_down_f64(double x) {
  x = moac_not_below_f64(x, -746.0);
  const double biased = x * 0x1.71547652b82fep+0 + (0x1.8p52 + 1087.0);
  const double n = biased - (0x1.8p52 + 1087.0);
  const double r = (x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  return moac_raised_f64(moac_near_f64(r), biased, 0x1p-64);
}

// Larger arrays are refused, so that no size or offset overflows.
#define MOAC_MAX_BYTES ((double)(PTRDIFF_MAX / 2))

// True if two memory ranges have a byte in common.
static inline bool moac_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  const uintptr_t a_at = (uintptr_t)a, b_at = (uintptr_t)b;
  return a_bytes != 0 && b_bytes != 0 &&
         (a_at < b_at ? b_at - a_at < a_bytes : a_at - b_at < b_bytes);
}

// A multiple of 64 bytes, so that buffers start on cache lines of their own; never 0.
static inline size_t moac_round64(size_t bytes) { return bytes / 64 * 64 + 64; }

// The first 64-byte boundary in a block.
static inline char *moac_align64(void *block) {
  return (char *)block + (64 - (uintptr_t)block % 64) % 64;
}

// The next `bytes` bytes of a block.
static inline void *moac_take(char **top, size_t bytes) {
  void *taken = *top;
  *top += moac_round64(bytes);
  return taken;
}

static inline void *moac_scratch_acquire(size_t bytes) { return malloc(bytes); }

static inline void moac_scratch_release(void *block) { free(block); }

#ifdef _OPENMP
int omp_get_max_threads(void);
int omp_in_parallel(void);
// Threads for `work`, each with `per_thread_work` of it at least.
static inline int moac_team_size(int64_t work, int64_t per_thread_work) {
  const int64_t wanted = work / per_thread_work, most = omp_get_max_threads();
  if (wanted < 1 || most < 1 || omp_in_parallel())
    return 1;
  return (int)(wanted < most ? wanted : most);
}
#endif

#ifdef _OPENMP
// Threads for about `work` innermost iterations: waking a thread must pay.
static inline int moac_threads(double work) {
  return moac_team_size(work < 0x1p60 ? (int64_t)work : INT64_C(1) << 60, 16384);
}
#else
#define moac_threads(work) ((void)(work), 1)
#endif

static int attention_run(int64_t B, int64_t N, int64_t D, int64_t M, int64_t E,
                         const double *restrict Q, const double *restrict K,
                         const double *restrict V, double *restrict O, void *ws, size_t ws_bytes,
                         bool own) {
  if (B < 0 || N < 0 || D < 0 || M < 0 || E < 0) {
    return MOAC_EXTENT;
  }
  if (8.0 * B * N * D > MOAC_MAX_BYTES || 8.0 * B * M * D > MOAC_MAX_BYTES ||
      8.0 * B * M * E > MOAC_MAX_BYTES || 8.0 * B * N * E > MOAC_MAX_BYTES) {
    return MOAC_OVERFLOW;
  }
  const size_t Q_bytes = sizeof(double) * B * N * D;
  const size_t K_bytes = sizeof(double) * B * M * D;
  const size_t V_bytes = sizeof(double) * B * M * E;
  const size_t O_bytes = sizeof(double) * B * N * E;
  if (O_bytes == 0) {
    return MOAC_OK; // nothing to compute
  }
  if ((Q == NULL && Q_bytes != 0) || (K == NULL && K_bytes != 0) || (V == NULL && V_bytes != 0) ||
      (O == NULL && O_bytes != 0)) {
    return MOAC_NULL_POINTER;
  }
  if (moac_overlap(O, O_bytes, Q, Q_bytes) || moac_overlap(O, O_bytes, K, K_bytes) ||
      moac_overlap(O, O_bytes, V, V_bytes)) {
    return MOAC_ALIASING;
  }

  // Scratch memory
  const size_t thread_bytes = moac_round64(sizeof(double) * moac_min_i64(48,
      N) * (moac_min_i64(D, D) + 1)) + moac_round64(sizeof(double) * moac_min_i64(48, N) * 272) +
      moac_round64(sizeof(double) * moac_min_i64(48, N)) +
      moac_round64(sizeof(double) * moac_min_i64(48, N)) +
      moac_round64(sizeof(double) * moac_min_i64(48, N)) +
      moac_round64(sizeof(double) * moac_min_i64(48, N) * E);
  int team = moac_threads(0.00390625 * (3.0 * (double)B * (double)D * (double)M * (double)N
      + 3.0 * (double)B * (double)E * (double)M * (double)N
      + 6.0 * (double)B * (double)E * (double)N + 34.0 * (double)B * (double)M * (double)N));
  if (8.0 * moac_min_i64(B*(moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D)
      + 1)),
      moac_max_i64(moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1),
      262144)) +
      8.0 * moac_min_i64(B*(moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M)
      + 1)),
      moac_max_i64(moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1),
      262144)) > MOAC_MAX_BYTES ||
      team * (8.0 * moac_min_i64(48, N) * (moac_min_i64(D, D) + 1) + 2176.0 * moac_min_i64(48, N) +
      8.0 * moac_min_i64(48, N) + 8.0 * moac_min_i64(48, N) + 8.0 * moac_min_i64(48, N) +
      8.0 * moac_min_i64(48, N) * E + 4096.0) > MOAC_MAX_BYTES) {
    return MOAC_NO_MEMORY;
  }
  const size_t shared_bytes = 64 +
      moac_round64(sizeof(double) * moac_min_i64(B*(moac_min_i64(M + MOAC_COLS_F64,
      M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1)),
      moac_max_i64(moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1),
      262144))) +
      moac_round64(sizeof(double) * moac_min_i64(B*(moac_min_i64(E + MOAC_COLS_F64,
      E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1)),
      moac_max_i64(moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1),
      262144)));
  if (own) {
    ws = moac_scratch_acquire(shared_bytes + (size_t)team * thread_bytes);
    if (ws == NULL) {
      return MOAC_NO_MEMORY;
    }
  } else if (ws == NULL || ws_bytes < shared_bytes + thread_bytes) {
    return MOAC_NO_MEMORY;
  } else {
    const size_t fit = (ws_bytes - shared_bytes) / thread_bytes;
    team = fit < (size_t)team ? (int)fit : team;
  }
  char *top = moac_align64(ws);
  double *restrict K_pack = moac_take(&top, sizeof(double) * moac_min_i64(B*(moac_min_i64(M
      + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1)),
      moac_max_i64(moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1),
      262144))); // attention.moa:4
  double *restrict V_pack = moac_take(&top, sizeof(double) * moac_min_i64(B*(moac_min_i64(E
      + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1)),
      moac_max_i64(moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1),
      262144))); // attention.moa:7
  char *const threads = top;
  const int64_t b_most = moac_max_i64(moac_min_i64(262144/moac_max_i64(moac_max_i64(1,
      (M + MOAC_COLS_F64)*(D + 1)), (E + MOAC_COLS_F64)*(M + 1)), B), 1);
  int64_t slots = 0;
  #pragma omp parallel num_threads(team)
  {
    int64_t slot;
    #pragma omp atomic capture
    slot = slots++;
    char *slice = threads + (size_t)slot * thread_bytes;
    double *restrict Q_pack = moac_take(&slice, sizeof(double) * moac_min_i64(48,
        N) * (moac_min_i64(D, D) + 1)); // attention.moa:4
    double *restrict S = moac_take(&slice, sizeof(double) * moac_min_i64(48,
        N) * 272); // attention.moa:4
    double *restrict m = moac_take(&slice, sizeof(double) * moac_min_i64(48, N)); // attention.moa:5
    double *restrict m_factor = moac_take(&slice, sizeof(double) * moac_min_i64(48,
        N)); // attention.moa:5
    double *restrict O_sum2 = moac_take(&slice, sizeof(double) * moac_min_i64(48,
        N)); // attention.moa:7
    double *restrict O_sum = moac_take(&slice, sizeof(double) * moac_min_i64(48,
        N) * E); // attention.moa:7
    for (int64_t b_tile = 0; b_tile < B; b_tile += b_most) { // attention.moa:7
      const int64_t b_len = moac_min_i64(b_most, B - b_tile);
      // K, block by block along k
      const int64_t k_whole = M/MOAC_COLS_F64*MOAC_COLS_F64;
      #pragma omp for collapse(2) schedule(static)
      for (int64_t bb = 0; bb < b_len; ++bb) { // attention.moa:4
        for (int64_t k_block = 0; k_block < k_whole; k_block += MOAC_COLS_F64) { // attention.moa:4
          const int64_t at = (bb*moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64) + k_block)*(D
              + 1);
          for (int64_t j = 0; j < D; ++j) { // attention.moa:4
            MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
            for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
              K_pack[at + j*MOAC_COLS_F64 + kk] = K[((b_tile + bb)*M + (k_block + kk))*D + j];
            }
          }
        }
      }
      if (k_whole < M) {
        #pragma omp for collapse(2) schedule(static)
        for (int64_t bb = 0; bb < b_len; ++bb) { // attention.moa:4
          for (int64_t j = 0; j < D; ++j) { // attention.moa:4
            const int64_t at = (bb*moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64) + k_whole)*(D
                + 1);
            #pragma omp simd
            for (int64_t kk = 0; kk < M - k_whole; ++kk) { // attention.moa:4
              K_pack[at + j*MOAC_COLS_F64 + kk] = K[((b_tile + bb)*M + (k_whole + kk))*D + j];
            }
            #pragma omp simd
            for (int64_t kk = M - k_whole; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
              K_pack[at + j*MOAC_COLS_F64 + kk] = 0.0;
            }
          }
        }
      }
      // V, block by block along p
      const int64_t p_whole = E/MOAC_COLS_F64*MOAC_COLS_F64;
      #pragma omp for collapse(2) schedule(static)
      for (int64_t bb = 0; bb < b_len; ++bb) { // attention.moa:7
        for (int64_t k_block = 0; k_block < M; k_block += 4) { // attention.moa:7
          for (int64_t p_block = 0; p_block < p_whole;
              p_block += MOAC_COLS_F64) { // attention.moa:7
            for (int64_t kk = 0; kk < moac_min_i64(4, M - k_block); ++kk) { // attention.moa:7
              MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
              for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                V_pack[(bb*moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64) + p_block)*(M + 1)
                    + (k_block + kk)*MOAC_COLS_F64 + pp] = V[((b_tile + bb)*M + (k_block + kk))*E
                    + (p_block + pp)];
              }
            }
          }
          if (p_whole < E) {
            for (int64_t kk = 0; kk < moac_min_i64(4, M - k_block); ++kk) { // attention.moa:7
              const int64_t at = (bb*moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)
                  + p_whole)*(M + 1);
              #pragma omp simd
              for (int64_t pp = 0; pp < E - p_whole; ++pp) { // attention.moa:7
                V_pack[at + (k_block + kk)*MOAC_COLS_F64 + pp] = V[((b_tile + bb)*M
                    + (k_block + kk))*E + (p_whole + pp)];
              }
              #pragma omp simd
              for (int64_t pp = E - p_whole; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                V_pack[at + (k_block + kk)*MOAC_COLS_F64 + pp] = 0.0;
              }
            }
          }
        }
      }
      #pragma omp for collapse(2) schedule(static)
      for (int64_t bb = 0; bb < b_len; ++bb) { // attention.moa:7
        for (int64_t i_tile = 0; i_tile < N; i_tile += 48) { // attention.moa:7
          const int64_t b = b_tile + bb;
          const int64_t i_len = moac_min_i64(48, N - i_tile);
          double S_part = sqrt((double)D);
          const double S_part_value = S_part;
          // Q, row by row of i
          for (int64_t i = 0; i < i_len; ++i) { // attention.moa:4
            #pragma omp simd
            for (int64_t j = 0; j < D; ++j) { // attention.moa:4
              Q_pack[i*(D + 1) + j] = Q[(b*N + (i_tile + i))*D + j];
            }
          }
          for (int64_t ii = 0; ii < i_len; ++ii) { // attention.moa:7
            m[ii] = -INFINITY;
          }
          for (int64_t ii = 0; ii < i_len; ++ii) { // attention.moa:7
            O_sum2[ii] = 0.0;
          }
          for (int64_t ii = 0; ii < i_len; ++ii) { // attention.moa:7
            #pragma omp simd
            for (int64_t p = 0; p < E; ++p) { // attention.moa:7
              O_sum[ii*E + p] = 0.0;
            }
          }
          for (int64_t k_tile = 0; k_tile < M; k_tile += 256) { // attention.moa:7
            const int64_t k_len = moac_min_i64(256, M - k_tile);
            // S_sum[b, i, k] = sum[j < D](Q[b, i, j]*K[b, k, j])
            // S[b, i, k] = S_sum[b, i, k] / sqrt(D)
            for (int64_t k_block = 0; k_block < k_len;
                k_block += MOAC_COLS_F64) { // attention.moa:4
              const int64_t k_left = moac_min_i64(MOAC_COLS_F64, k_len - k_block);
              const int64_t K_pack_at = (bb*moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)
                  + (k_tile + k_block))*(D + 1);
              const int64_t i_whole = i_len/MOAC_ROWS*MOAC_ROWS;
              for (int64_t i_block = 0; i_block < i_whole;
                  i_block += MOAC_ROWS) { // attention.moa:4
                const int64_t Q_pack_at = i_block*(D + 1);
                double S_sum_block[MOAC_ROWS*MOAC_COLS_F64]; // attention.moa:4
                #pragma GCC unroll 16
                for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:4
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                    S_sum_block[ii*MOAC_COLS_F64 + kk] = 0.0;
                  }
                }
                for (int64_t j = 0; j < D; ++j) { // attention.moa:4
                  #pragma GCC unroll 16
                  for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:4
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                      S_sum_block[ii*MOAC_COLS_F64 + kk] += Q_pack[Q_pack_at + ii*(D + 1) + j]
                          * K_pack[K_pack_at + j*MOAC_COLS_F64 + kk];
                    }
                  }
                }
                if (k_left == MOAC_COLS_F64) {
                  #pragma GCC unroll 16
                  for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:4
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                      S[(i_block + ii)*272 + (k_block + kk)] = S_sum_block[ii*MOAC_COLS_F64 + kk]
                          / S_part_value;
                    }
                  }
                } else {
                  #pragma GCC unroll 1
                  for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:4
                    #pragma omp simd
                    for (int64_t kk = 0; kk < k_left; ++kk) { // attention.moa:4
                      S[(i_block + ii)*272 + (k_block + kk)] = S_sum_block[ii*MOAC_COLS_F64 + kk]
                          / S_part_value;
                    }
                  }
                }
              }
              const int64_t i_most = i_whole + i_len%MOAC_ROWS/4*4;
              for (int64_t i_block = i_whole; i_block < i_most; i_block += 4) { // attention.moa:4
                const int64_t Q_pack_at = i_block*(D + 1);
                double S_sum_block[4*MOAC_COLS_F64]; // attention.moa:4
                #pragma GCC unroll 4
                for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:4
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                    S_sum_block[ii*MOAC_COLS_F64 + kk] = 0.0;
                  }
                }
                for (int64_t j = 0; j < D; ++j) { // attention.moa:4
                  #pragma GCC unroll 4
                  for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:4
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                      S_sum_block[ii*MOAC_COLS_F64 + kk] += Q_pack[Q_pack_at + ii*(D + 1) + j]
                          * K_pack[K_pack_at + j*MOAC_COLS_F64 + kk];
                    }
                  }
                }
                if (k_left == MOAC_COLS_F64) {
                  #pragma GCC unroll 4
                  for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:4
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                      S[(i_block + ii)*272 + (k_block + kk)] = S_sum_block[ii*MOAC_COLS_F64 + kk]
                          / S_part_value;
                    }
                  }
                } else {
                  #pragma GCC unroll 1
                  for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:4
                    #pragma omp simd
                    for (int64_t kk = 0; kk < k_left; ++kk) { // attention.moa:4
                      S[(i_block + ii)*272 + (k_block + kk)] = S_sum_block[ii*MOAC_COLS_F64 + kk]
                          / S_part_value;
                    }
                  }
                }
              }
              for (int64_t i_block = i_most; i_block < i_len; ++i_block) { // attention.moa:4
                const int64_t Q_pack_at = i_block*(D + 1);
                double S_sum_block[MOAC_COLS_F64]; // attention.moa:4
                MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                  S_sum_block[kk] = 0.0;
                }
                for (int64_t j = 0; j < D; ++j) { // attention.moa:4
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                    S_sum_block[kk] += Q_pack[Q_pack_at + j]
                        * K_pack[K_pack_at + j*MOAC_COLS_F64 + kk];
                  }
                }
                if (k_left == MOAC_COLS_F64) {
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t kk = 0; kk < MOAC_COLS_F64; ++kk) { // attention.moa:4
                    S[i_block*272 + (k_block + kk)] = S_sum_block[kk] / S_part_value;
                  }
                } else {
                  #pragma omp simd
                  for (int64_t kk = 0; kk < k_left; ++kk) { // attention.moa:4
                    S[i_block*272 + (k_block + kk)] = S_sum_block[kk] / S_part_value;
                  }
                }
              }
            }
            for (int64_t ii = 0; ii < i_len; ++ii) { // attention.moa:7
              const int64_t i = i_tile + ii;
              // m[b, i] = max[k < M](S[b, i, k])
              double largest_parts[MOAC_SUMS_F64]; // attention.moa:5
              MOAC_BLOCK_LANES(simdlen(MOAC_SUMS_F64))
              for (int64_t lane = 0; lane < MOAC_SUMS_F64; ++lane) { // attention.moa:5
                largest_parts[lane] = -INFINITY;
              }
              double largest = -INFINITY;
              const int64_t k_runs = k_tile + moac_max_i64(0, k_len)/MOAC_SUMS_F64*MOAC_SUMS_F64;
              for (int64_t k_run = k_tile; k_run < k_runs;
                  k_run += MOAC_SUMS_F64) { // attention.moa:5
                MOAC_BLOCK_LANES(simdlen(MOAC_SUMS_F64))
                for (int64_t lane = 0; lane < MOAC_SUMS_F64; ++lane) { // attention.moa:5
                  largest_parts[lane] = moac_max_f64(largest_parts[lane],
                      S[(i - i_tile)*272 + (k_run + lane - k_tile)]);
                }
              }
              #pragma omp simd reduction(moac_largest_f64 : largest)
              for (int64_t k = k_runs; k < k_tile + k_len; ++k) { // attention.moa:5
                largest = moac_max_f64(largest, S[(i - i_tile)*272 + (k - k_tile)]);
              }
              MOAC_BLOCK_LANES(simdlen(MOAC_SUMS_F64) reduction(moac_largest_f64 : largest))
              for (int64_t lane = 0; lane < MOAC_SUMS_F64; ++lane) { // attention.moa:5
                largest = moac_max_f64(largest, largest_parts[lane]);
              }
              const double m_value = m[ii];
              const double value = moac_max_f64(m_value, largest);
              m[ii] = value;
              const double value_1 = value == -INFINITY ? 0.0 : value;
              m_factor[ii] = m_value == -INFINITY ? 0.0 : moac_exp_down_f64(m_value - value_1);
              // P[b, i, k] = exp(S[b, i, k] - m[b, i])
              #pragma omp simd
              for (int64_t k = k_tile; k < k_tile + k_len; ++k) { // attention.moa:7
                S[ii*272 + (k - k_tile)] = moac_exp_down_f64(S[(i - i_tile)*272 + (k - k_tile)]
                    - value_1);
              }
              // O_sum2[b, i] = sum[k < M](P[b, i, k])
              double sum_parts[MOAC_SUMS_F64]; // attention.moa:7
              MOAC_BLOCK_LANES(simdlen(MOAC_SUMS_F64))
              for (int64_t lane = 0; lane < MOAC_SUMS_F64; ++lane) { // attention.moa:7
                sum_parts[lane] = 0.0;
              }
              double sum = 0.0;
              const int64_t k_runs_1 = k_tile + moac_max_i64(0, k_len)/MOAC_SUMS_F64*MOAC_SUMS_F64;
              for (int64_t k_run = k_tile; k_run < k_runs_1;
                  k_run += MOAC_SUMS_F64) { // attention.moa:7
                MOAC_BLOCK_LANES(simdlen(MOAC_SUMS_F64))
                for (int64_t lane = 0; lane < MOAC_SUMS_F64; ++lane) { // attention.moa:7
                  sum_parts[lane] += S[(i - i_tile)*272 + (k_run + lane - k_tile)];
                }
              }
              #pragma omp simd reduction(+ : sum)
              for (int64_t k = k_runs_1; k < k_tile + k_len; ++k) { // attention.moa:7
                sum += S[(i - i_tile)*272 + (k - k_tile)];
              }
              MOAC_BLOCK_LANES(simdlen(MOAC_SUMS_F64) reduction(+ : sum))
              for (int64_t lane = 0; lane < MOAC_SUMS_F64; ++lane) { // attention.moa:7
                sum += sum_parts[lane];
              }
              O_sum2[ii] = O_sum2[ii] * m_factor[ii] + sum;
            }
            // O_sum[b, i, p] = sum[k < M](P[b, i, k]*V[b, k, p])
            for (int64_t p_block = 0; p_block < E; p_block += MOAC_COLS_F64) { // attention.moa:7
              const int64_t p_left = moac_min_i64(MOAC_COLS_F64, E - p_block);
              const int64_t V_pack_at = (bb*moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)
                  + p_block)*(M + 1) + k_tile*MOAC_COLS_F64;
              const int64_t i_whole = i_len/MOAC_ROWS*MOAC_ROWS;
              for (int64_t i_block = 0; i_block < i_whole;
                  i_block += MOAC_ROWS) { // attention.moa:7
                double O_sum_block[MOAC_ROWS*MOAC_COLS_F64]; // attention.moa:7
                #pragma GCC unroll 16
                for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:7
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                    O_sum_block[ii*MOAC_COLS_F64 + pp] = 0.0;
                  }
                }
                for (int64_t k = 0; k < k_len; ++k) { // attention.moa:7
                  #pragma GCC unroll 16
                  for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:7
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                      O_sum_block[ii*MOAC_COLS_F64 + pp] += S[(i_block + ii)*272 + k]
                          * V_pack[V_pack_at + k*MOAC_COLS_F64 + pp];
                    }
                  }
                }
                if (p_left == MOAC_COLS_F64) {
                  #pragma GCC unroll 16
                  for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:7
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                      const int64_t at = (i_block + ii)*E + (p_block + pp);
                      O_sum[at] = O_sum[at] * m_factor[i_block + ii]
                          + O_sum_block[ii*MOAC_COLS_F64 + pp];
                    }
                  }
                } else {
                  #pragma GCC unroll 1
                  for (int64_t ii = 0; ii < MOAC_ROWS; ++ii) { // attention.moa:7
                    #pragma omp simd
                    for (int64_t pp = 0; pp < p_left; ++pp) { // attention.moa:7
                      const int64_t at = (i_block + ii)*E + (p_block + pp);
                      O_sum[at] = O_sum[at] * m_factor[i_block + ii]
                          + O_sum_block[ii*MOAC_COLS_F64 + pp];
                    }
                  }
                }
              }
              const int64_t i_most = i_whole + i_len%MOAC_ROWS/4*4;
              for (int64_t i_block = i_whole; i_block < i_most; i_block += 4) { // attention.moa:7
                double O_sum_block[4*MOAC_COLS_F64]; // attention.moa:7
                #pragma GCC unroll 4
                for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:7
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                    O_sum_block[ii*MOAC_COLS_F64 + pp] = 0.0;
                  }
                }
                for (int64_t k = 0; k < k_len; ++k) { // attention.moa:7
                  #pragma GCC unroll 4
                  for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:7
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                      O_sum_block[ii*MOAC_COLS_F64 + pp] += S[(i_block + ii)*272 + k]
                          * V_pack[V_pack_at + k*MOAC_COLS_F64 + pp];
                    }
                  }
                }
                if (p_left == MOAC_COLS_F64) {
                  #pragma GCC unroll 4
                  for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:7
                    MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                    for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                      const int64_t at = (i_block + ii)*E + (p_block + pp);
                      O_sum[at] = O_sum[at] * m_factor[i_block + ii]
                          + O_sum_block[ii*MOAC_COLS_F64 + pp];
                    }
                  }
                } else {
                  #pragma GCC unroll 1
                  for (int64_t ii = 0; ii < 4; ++ii) { // attention.moa:7
                    #pragma omp simd
                    for (int64_t pp = 0; pp < p_left; ++pp) { // attention.moa:7
                      const int64_t at = (i_block + ii)*E + (p_block + pp);
                      O_sum[at] = O_sum[at] * m_factor[i_block + ii]
                          + O_sum_block[ii*MOAC_COLS_F64 + pp];
                    }
                  }
                }
              }
              for (int64_t i_block = i_most; i_block < i_len; ++i_block) { // attention.moa:7
                double O_sum_block[MOAC_COLS_F64]; // attention.moa:7
                MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                  O_sum_block[pp] = 0.0;
                }
                for (int64_t k = 0; k < k_len; ++k) { // attention.moa:7
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                    O_sum_block[pp] += S[i_block*272 + k]
                        * V_pack[V_pack_at + k*MOAC_COLS_F64 + pp];
                  }
                }
                if (p_left == MOAC_COLS_F64) {
                  MOAC_BLOCK_LANES(simdlen(MOAC_COLS_F64))
                  for (int64_t pp = 0; pp < MOAC_COLS_F64; ++pp) { // attention.moa:7
                    O_sum[i_block*E + (p_block + pp)] = O_sum[i_block*E + (p_block + pp)]
                        * m_factor[i_block] + O_sum_block[pp];
                  }
                } else {
                  #pragma omp simd
                  for (int64_t pp = 0; pp < p_left; ++pp) { // attention.moa:7
                    O_sum[i_block*E + (p_block + pp)] = O_sum[i_block*E + (p_block + pp)]
                        * m_factor[i_block] + O_sum_block[pp];
                  }
                }
              }
            }
          }
          for (int64_t ii = 0; ii < i_len; ++ii) { // attention.moa:7
            if (m[ii] == -INFINITY && 0 < M) {
              O_sum2[ii] = NAN;
              #pragma omp simd
              for (int64_t p = 0; p < E; ++p) { // attention.moa:7
                O_sum[ii*E + p] = NAN;
              }
            }
          }
          for (int64_t ii = 0; ii < i_len; ++ii) { // attention.moa:7
            const int64_t i = i_tile + ii;
            // O[b, i, p] = O_sum[b, i, p] / O_sum2[b, i]
            #pragma omp simd
            for (int64_t p = 0; p < E; ++p) { // attention.moa:7
              O[(b*N + i)*E + p] = O_sum[(i - i_tile)*E + p] / O_sum2[i - i_tile];
            }
          }
        }
      }
    }
  }
  if (own) {
    moac_scratch_release(ws);
  }
  return MOAC_OK;
}

size_t attention_ws_size(int64_t B, int64_t N, int64_t D, int64_t M, int64_t E) {
  if (B < 0 || N < 0 || D < 0 || M < 0 || E < 0) {
    return 0;
  }
  const size_t thread_bytes = moac_round64(sizeof(double) * moac_min_i64(48,
      N) * (moac_min_i64(D, D) + 1)) + moac_round64(sizeof(double) * moac_min_i64(48, N) * 272) +
      moac_round64(sizeof(double) * moac_min_i64(48, N)) +
      moac_round64(sizeof(double) * moac_min_i64(48, N)) +
      moac_round64(sizeof(double) * moac_min_i64(48, N)) +
      moac_round64(sizeof(double) * moac_min_i64(48, N) * E);
  const int team = moac_threads(0.00390625 * (3.0 * (double)B * (double)D * (double)M * (double)N
      + 3.0 * (double)B * (double)E * (double)M * (double)N
      + 6.0 * (double)B * (double)E * (double)N + 34.0 * (double)B * (double)M * (double)N));
  if (8.0 * moac_min_i64(B*(moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D)
      + 1)),
      moac_max_i64(moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1),
      262144)) +
      8.0 * moac_min_i64(B*(moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M)
      + 1)),
      moac_max_i64(moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1),
      262144)) > MOAC_MAX_BYTES ||
      team * (8.0 * moac_min_i64(48, N) * (moac_min_i64(D, D) + 1) + 2176.0 * moac_min_i64(48, N) +
      8.0 * moac_min_i64(48, N) + 8.0 * moac_min_i64(48, N) + 8.0 * moac_min_i64(48, N) +
      8.0 * moac_min_i64(48, N) * E + 4096.0) > MOAC_MAX_BYTES) {
    return SIZE_MAX;
  }
  const size_t shared_bytes = 64 +
      moac_round64(sizeof(double) * moac_min_i64(B*(moac_min_i64(M + MOAC_COLS_F64,
      M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1)),
      moac_max_i64(moac_min_i64(M + MOAC_COLS_F64, M + MOAC_COLS_F64)*(moac_min_i64(D, D) + 1),
      262144))) +
      moac_round64(sizeof(double) * moac_min_i64(B*(moac_min_i64(E + MOAC_COLS_F64,
      E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1)),
      moac_max_i64(moac_min_i64(E + MOAC_COLS_F64, E + MOAC_COLS_F64)*(moac_min_i64(M, M) + 1),
      262144)));
  return shared_bytes + (size_t)team * thread_bytes;
}

int attention(int64_t B, int64_t N, int64_t D, int64_t M, int64_t E, const double *restrict Q,
              const double *restrict K, const double *restrict V, double *restrict O) {
  return attention_run(B, N, D, M, E, Q, K, V, O, NULL, 0, true);
}

int attention_ws(int64_t B, int64_t N, int64_t D, int64_t M, int64_t E, const double *restrict Q,
                 const double *restrict K, const double *restrict V, double *restrict O, void *ws,
                 size_t ws_bytes) {
  return attention_run(B, N, D, M, E, Q, K, V, O, ws, ws_bytes, false);
}

#if defined(__AVX512F__) && defined(__clang__)
#pragma clang attribute pop
#endif
