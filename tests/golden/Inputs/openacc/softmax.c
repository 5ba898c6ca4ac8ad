// Kernels of softmax.moa, written by moac; change the source, not this file.
//
// OpenACC 2.7. With gcc: -O3 -std=gnu11 -fopenacc, and for a GPU -foffload=nvptx-none
// "-foffload-options=nvptx-none=-O3 -misa=sm_80 -lm" -no-pie; without a device the host does the
// work.
// Link with -lm.

#include "softmax.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_OPENACC) && defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas" // the OpenACC directives below
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

#pragma acc routine seq
static inline int64_t moac_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

#pragma acc routine seq
static inline int32_t moac_max_i32(int32_t a, int32_t b) { return a > b ? a : b; }

// NaN if either is; a, which may be the result of the step before, is in one comparison only.
#pragma acc routine seq
static inline double moac_max_f64(double a, double b) {
  const double larger = b > a ? b : a;
  return b != b ? b : larger;
}

// x, but at least `least`; NaN as it is.
#pragma acc routine seq
static inline double moac_not_below_f64(double x, double least) { return x < least ? least : x; }

// e^r for |r| <= ln 2 / 2, a polynomial of degree 11.
#pragma acc routine seq
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
#pragma acc routine seq
static inline double moac_raised_f64(double p, double biased, double back) {
  uint64_t bits;
  memcpy(&bits, &biased, sizeof bits);
  bits <<= 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return p * power * back;
}

// The same for x that is not positive.
#pragma acc routine seq
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

static int softmax_rows_run(int64_t T, int64_t C, const double *restrict X, double *restrict Y,
                            bool resident) {
  (void)resident; // a question of the directives
  if (T < 0 || C < 0) {
    return MOAC_EXTENT;
  }
  if (8.0 * T * C > MOAC_MAX_BYTES) {
    return MOAC_OVERFLOW;
  }
  const size_t X_bytes = sizeof(double) * T * C;
  const size_t Y_bytes = sizeof(double) * T * C;
  if (Y_bytes == 0) {
    return MOAC_OK; // nothing to compute
  }
  if ((X == NULL && X_bytes != 0) || (Y == NULL && Y_bytes != 0)) {
    return MOAC_NULL_POINTER;
  }
  if (moac_overlap(Y, Y_bytes, X, X_bytes)) {
    return MOAC_ALIASING;
  }

  // Buffers on the device, known to it by addresses in a block of the host
  if (8.0 * moac_min_i64(T, 1056) * C > MOAC_MAX_BYTES) {
    return MOAC_NO_MEMORY;
  }
  void *const ws = moac_scratch_acquire(64 +
      moac_round64(sizeof(double) * moac_min_i64(T, 1056) * C));
  if (ws == NULL) {
    return MOAC_NO_MEMORY;
  }
  char *top = moac_align64(ws);
  double *restrict p = moac_take(&top, sizeof(double) * moac_min_i64(T, 1056) * C); // softmax.moa:4
  #pragma acc data if(!resident) copyin(X[0:T*C]) copyout(Y[0:T*C])
  {
    #pragma acc data create(p[0:moac_min_i64(T, 1056)*C])
    {
      const int64_t t_count = T;
      const int64_t gangs = moac_min_i64(T, 1056);
      #pragma acc parallel loop gang num_gangs(1056) num_workers(4) vector_length(32) \
              present(X[0:T*C]) present(Y[0:T*C]) present(p[0:moac_min_i64(T, 1056)*C])
      for (int64_t gang = 0; gang < gangs; ++gang) { // softmax.moa:5
        const int64_t p_at = gang*C;
        for (int64_t item = gang; item < t_count; item += gangs) {
          const int64_t t = item;
          // m[t] = max[c < C](X[t, c])
          double largest = -INFINITY;
          int32_t largest_nan = 0;
          #pragma acc loop worker vector reduction(max : largest) reduction(max : largest_nan)
          for (int64_t c = 0; c < C; ++c) { // softmax.moa:3
            const double largest_next = X[t*C + c];
            largest = moac_max_f64(largest, largest_next);
            largest_nan = moac_max_i32(largest_nan, (int32_t)(largest_next != largest_next));
          }
          if (largest_nan != 0) {
            largest = NAN;
          }
          double m = largest;
          // p[t, c] = exp(X[t, c] - m[t])
          #pragma acc loop worker vector
          for (int64_t c = 0; c < C; ++c) { // softmax.moa:4
            p[p_at + c] = moac_exp_down_f64(X[t*C + c] - m);
          }
          // Y_sum[t] = sum[d < C](p[t, d])
          double sum = 0.0;
          #pragma acc loop worker vector reduction(+ : sum)
          for (int64_t d = 0; d < C; ++d) { // softmax.moa:5
            sum += p[p_at + d];
          }
          double Y_sum = sum;
          // Y[t, c] = p[t, c] / Y_sum[t]
          #pragma acc loop worker vector
          for (int64_t c = 0; c < C; ++c) { // softmax.moa:5
            Y[t*C + c] = p[p_at + c] / Y_sum;
          }
        }
      }
    }
  }
  moac_scratch_release(ws);
  return MOAC_OK;
}

int softmax_rows(int64_t T, int64_t C, const double *restrict X, double *restrict Y) {
  return softmax_rows_run(T, C, X, Y, false);
}

int softmax_rows_device(int64_t T, int64_t C, const double *restrict X, double *restrict Y) {
  return softmax_rows_run(T, C, X, Y, true);
}
