// Kernels of spmv.moa, written by moac; change the source, not this file.
//
// Compile with -O3 -std=gnu11 -fopenmp, or with -std=c11 -ffp-contract=fast instead of -std=gnu11:
// plain -std=c11 splits fused multiply-adds. -ffast-math is not needed.
// Link with -lm.

#include "spmv.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

// Larger arrays are refused, so that no size or offset overflows.
#define MOAC_MAX_BYTES ((double)(PTRDIFF_MAX / 2))

// True if two memory ranges have a byte in common.
static inline bool moac_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes) {
  const uintptr_t a_at = (uintptr_t)a, b_at = (uintptr_t)b;
  return a_bytes != 0 && b_bytes != 0 &&
         (a_at < b_at ? b_at - a_at < a_bytes : a_at - b_at < b_bytes);
}

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

int spmv(int64_t Z, int64_t N, int64_t M, const double *restrict val, const int64_t *restrict col,
         const int64_t *restrict rp, const double *restrict x, double *restrict y) {
  if (Z < 0 || N < 0 || M < 0) {
    return MOAC_EXTENT;
  }
  if (1.0 * N + 1.0 > MOAC_MAX_BYTES) {
    return MOAC_OVERFLOW;
  }
  if (8.0 * Z > MOAC_MAX_BYTES || 8.0 * N + 8.0 > MOAC_MAX_BYTES || 8.0 * M > MOAC_MAX_BYTES ||
      8.0 * N > MOAC_MAX_BYTES) {
    return MOAC_OVERFLOW;
  }
  const size_t val_bytes = sizeof(double) * Z;
  const size_t col_bytes = sizeof(int64_t) * Z;
  const size_t rp_bytes = sizeof(int64_t) * (N + 1);
  const size_t x_bytes = sizeof(double) * M;
  const size_t y_bytes = sizeof(double) * N;
  if (y_bytes == 0) {
    return MOAC_OK; // nothing to compute
  }
  if ((val == NULL && val_bytes != 0) || (col == NULL && col_bytes != 0) ||
      (rp == NULL && rp_bytes != 0) || (x == NULL && x_bytes != 0) || (y == NULL && y_bytes != 0)) {
    return MOAC_NULL_POINTER;
  }
  if (moac_overlap(y, y_bytes, val, val_bytes) || moac_overlap(y, y_bytes, col, col_bytes) ||
      moac_overlap(y, y_bytes, rp, rp_bytes) || moac_overlap(y, y_bytes, x, x_bytes)) {
    return MOAC_ALIASING;
  }
  int status = MOAC_OK;
  #pragma omp parallel for num_threads(moac_threads(6.0 * N)) reduction(min : status) \
          schedule(static)
  for (int64_t i = 0; i < N; ++i) { // spmv.moa:4
    // y[i] = sum[t in rp[i]..rp[i + 1]](val[t]*x[col[t]])
    y[i] = 0.0;
    double sum = 0.0;
    for (int64_t t = rp[i]; t < rp[i + 1]; ++t) { // spmv.moa:4
      if (0 <= t && t < Z) {
        const int64_t at = col[t];
        if (0 <= at && at < M) {
          sum += val[t] * x[at];
        } else {
          status = status < MOAC_INDEX ? status : MOAC_INDEX;
        }
      } else {
        status = status < MOAC_INDEX ? status : MOAC_INDEX;
      }
    }
    y[i] = sum;
  }
  return status;
}
