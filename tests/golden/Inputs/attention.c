// Kernels of attention.moa, written by moac; change the source, not this file.
//
// Compile with -O3 -std=gnu11 -fopenmp, or with -std=c11 -ffp-contract=fast instead of -std=gnu11:
// plain -std=c11 splits fused multiply-adds. -ffast-math is not needed.
// Link with -lm.

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

// NaN if either is.
static inline double moac_max_f64(double a, double b) { return ((a > b) | (a != a)) ? a : b; }

#pragma omp declare reduction(moac_largest_f64 : double : omp_out = moac_max_f64(omp_out, omp_in)) \
        initializer(omp_priv = -(double)INFINITY)

// x brought between -most and most, NaN as it is; by its bits, as a branch on numbers would keep
// loops from vector lanes.
static inline double moac_within_f64(double x, double most) {
  uint64_t bits, limit;
  memcpy(&bits, &x, sizeof bits);
  memcpy(&limit, &most, sizeof limit);
  const uint64_t size = bits & ~UINT64_C(0x8000000000000000);
  const uint64_t kept = ((size < limit) | (size > UINT64_C(0x7ff0000000000000))) ? size : limit;
  bits = (bits & UINT64_C(0x8000000000000000)) | kept;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// 2^n for a whole n within the exponent's range.
static inline double moac_pow2_f64(double n) {
  const double biased = n + (0x1.8p52 + 1023.0);
  uint64_t bits;
  memcpy(&bits, &biased, sizeof bits);
  bits <<= 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

// exp(r) * 2^n for |r| <= ln 2 / 2 and a whole n: a Taylor series of degree 13.
static inline double moac_scaled_exp_f64(double r, double n) {
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 1.0 / 2.0;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const double half = (n * 0.5 + 0x1.8p52) - 0x1.8p52;
  return p * moac_pow2_f64(half) * moac_pow2_f64(n - half);
}

// e^x, at most 2 ulp.
static inline double moac_exp_f64(double x) {
  x = moac_within_f64(x, 746.0);
  const double n = (x * 0x1.71547652b82fep+0 + 0x1.8p52) - 0x1.8p52;
  return moac_scaled_exp_f64((x - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33, n);
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
  const size_t thread_bytes = moac_round64(sizeof(double) * M) + moac_round64(sizeof(double) * M) +
      moac_round64(sizeof(double) * E);
  int team = moac_threads(11.0 * B * D * M * N + 3.0 * B * E * M * N + 6.0 * B * E * N
      + 25.0 * B * M * N);
  if (team * (8.0 * M + 8.0 * M + 8.0 * E + 4096.0) > MOAC_MAX_BYTES) {
    return MOAC_NO_MEMORY;
  }
  const size_t shared_bytes = 64;
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
  char *const threads = top;
  int64_t slots = 0;
  #pragma omp parallel num_threads(team)
  {
    int64_t slot;
    #pragma omp atomic capture
    slot = slots++;
    char *slice = threads + (size_t)slot * thread_bytes;
    double *restrict S = moac_take(&slice, sizeof(double) * M); // attention.moa:4
    double *restrict P = moac_take(&slice, sizeof(double) * M); // attention.moa:6
    double *restrict O_sum = moac_take(&slice, sizeof(double) * E); // attention.moa:7
    #pragma omp for collapse(2) schedule(static)
    for (int64_t b = 0; b < B; ++b) { // attention.moa:7
      for (int64_t i = 0; i < N; ++i) { // attention.moa:7
        // S[b, i, k] = sum[j < D](Q[b, i, j]*K[b, k, j]) / sqrt(D)
        for (int64_t k = 0; k < M; ++k) { // attention.moa:4
          double sum = 0.0;
          #pragma omp simd reduction(+ : sum)
          for (int64_t j = 0; j < D; ++j) { // attention.moa:4
            sum += Q[(b*N + i)*D + j] * K[(b*M + k)*D + j];
          }
          S[k] = sum / sqrt((double)D);
        }
        // m[b, i] = max[k < M](S[b, i, k])
        double largest = -INFINITY;
        #pragma omp simd reduction(moac_largest_f64 : largest)
        for (int64_t k = 0; k < M; ++k) { // attention.moa:5
          largest = moac_max_f64(largest, S[k]);
        }
        double m = largest;
        // P[b, i, k] = exp(S[b, i, k] - m[b, i])
        #pragma omp simd
        for (int64_t k = 0; k < M; ++k) { // attention.moa:6
          P[k] = moac_exp_f64(S[k] - m);
        }
        // O_sum[b, i, p] = sum[k < M](P[b, i, k]*V[b, k, p])
        #pragma omp simd
        for (int64_t p = 0; p < E; ++p) { // attention.moa:7
          O_sum[p] = 0.0;
        }
        for (int64_t k = 0; k < M; ++k) { // attention.moa:7
          #pragma omp simd
          for (int64_t p = 0; p < E; ++p) { // attention.moa:7
            O_sum[p] += P[k] * V[(b*M + k)*E + p];
          }
        }
        // O_sum2[b, i] = sum[k < M](P[b, i, k])
        double sum = 0.0;
        #pragma omp simd reduction(+ : sum)
        for (int64_t k = 0; k < M; ++k) { // attention.moa:7
          sum += P[k];
        }
        double O_sum2 = sum;
        // O[b, i, p] = O_sum[b, i, p] / O_sum2[b, i]
        #pragma omp simd
        for (int64_t p = 0; p < E; ++p) { // attention.moa:7
          O[(b*N + i)*E + p] = O_sum[p] / O_sum2;
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
  const size_t thread_bytes = moac_round64(sizeof(double) * M) + moac_round64(sizeof(double) * M) +
      moac_round64(sizeof(double) * E);
  const int team = moac_threads(11.0 * B * D * M * N + 3.0 * B * E * M * N + 6.0 * B * E * N
      + 25.0 * B * M * N);
  if (team * (8.0 * M + 8.0 * M + 8.0 * E + 4096.0) > MOAC_MAX_BYTES) {
    return SIZE_MAX;
  }
  const size_t shared_bytes = 64;
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
