// Kernels of rmsnorm.moa, written by moac; change the source, not this file.
//
// OpenACC 2.7. With gcc: -O3 -std=gnu11 -fopenacc, and for a GPU -foffload=nvptx-none
// "-foffload-options=nvptx-none=-O3 -misa=sm_80 -lm" -no-pie; without a device the host does the
// work.
// Link with -lm.

#include "rmsnorm.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
static inline double moac_rsqrt_f64(double x) { return 1.0 / sqrt(x); }

// Larger arrays are refused, so that no size or offset overflows.
#define MOAC_MAX_BYTES ((double)(PTRDIFF_MAX / 2))

// True if two memory ranges have a byte in common.
static inline bool moac_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  const uintptr_t a_at = (uintptr_t)a, b_at = (uintptr_t)b;
  return a_bytes != 0 && b_bytes != 0 &&
         (a_at < b_at ? b_at - a_at < a_bytes : a_at - b_at < b_bytes);
}

static int rmsnorm_run(int64_t T, int64_t D, double eps, const double *restrict X,
                       const double *restrict g, double *restrict Z, bool resident) {
  (void)resident; // a question of the directives
  if (T < 0 || D < 0) {
    return MOAC_EXTENT;
  }
  if (8.0 * T * D > MOAC_MAX_BYTES || 8.0 * D > MOAC_MAX_BYTES) {
    return MOAC_OVERFLOW;
  }
  const size_t X_bytes = sizeof(double) * T * D;
  const size_t g_bytes = sizeof(double) * D;
  const size_t Z_bytes = sizeof(double) * T * D;
  if (Z_bytes == 0) {
    return MOAC_OK; // nothing to compute
  }
  if ((X == NULL && X_bytes != 0) || (g == NULL && g_bytes != 0) || (Z == NULL && Z_bytes != 0)) {
    return MOAC_NULL_POINTER;
  }
  if (moac_overlap(Z, Z_bytes, X, X_bytes) || moac_overlap(Z, Z_bytes, g, g_bytes)) {
    return MOAC_ALIASING;
  }
  #pragma acc data if(!resident) copyin(X[0:T*D]) copyin(g[0:D]) copyout(Z[0:T*D])
  {
    #pragma acc parallel loop gang num_gangs(1056) num_workers(4) vector_length(32) \
            present(X[0:T*D]) present(g[0:D]) present(Z[0:T*D])
    for (int64_t t = 0; t < T; ++t) { // rmsnorm.moa:4
      // r[t] = rsqrt(sum[d < D](X[t, d]*X[t, d]) / D + eps)
      double sum = 0.0;
      #pragma acc loop worker vector reduction(+ : sum)
      for (int64_t d = 0; d < D; ++d) { // rmsnorm.moa:3
        const double X_value = X[t*D + d];
        sum += X_value * X_value;
      }
      double r = moac_rsqrt_f64(sum / (double)D + eps);
      // Z[t, d] = g[d]*X[t, d]*r[t]
      #pragma acc loop worker vector
      for (int64_t d = 0; d < D; ++d) { // rmsnorm.moa:4
        Z[t*D + d] = g[d] * X[t*D + d] * r;
      }
    }
  }
  return MOAC_OK;
}

int rmsnorm(int64_t T, int64_t D, double eps, const double *restrict X, const double *restrict g,
            double *restrict Z) {
  return rmsnorm_run(T, D, eps, X, g, Z, false);
}

int rmsnorm_device(int64_t T, int64_t D, double eps, const double *restrict X,
                   const double *restrict g, double *restrict Z) {
  return rmsnorm_run(T, D, eps, X, g, Z, true);
}
