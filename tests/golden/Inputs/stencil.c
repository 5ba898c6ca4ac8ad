// Kernels of stencil.moa, written by moac; change the source, not this file.
//
// Compile with -O3 -std=gnu11 -fopenmp, or with -std=c11 -ffp-contract=fast instead of -std=gnu11:
// plain -std=c11 splits fused multiply-adds. -ffast-math is not needed.
// Link with -lm.

#include "stencil.h"

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

static inline int64_t moac_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t moac_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

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

int smooth(int64_t N, double a, const double *restrict u, double *restrict v) {
  if (N < 0) {
    return MOAC_EXTENT;
  }
  if (8.0 * N > MOAC_MAX_BYTES) {
    return MOAC_OVERFLOW;
  }
  const size_t u_bytes = sizeof(double) * N;
  const size_t v_bytes = sizeof(double) * N;
  if (v_bytes == 0) {
    return MOAC_OK; // nothing to compute
  }
  if ((u == NULL && u_bytes != 0) || (v == NULL && v_bytes != 0)) {
    return MOAC_NULL_POINTER;
  }
  if (moac_overlap(v, v_bytes, u, u_bytes)) {
    return MOAC_ALIASING;
  }
  #pragma omp parallel num_threads(moac_threads(12.0 * N))
  {
    // v[i] = where(0 < i and i < N - 1, u[i] + a*(u[i - 1] - 2*u[i] + u[i + 1]), u[i])
    // i < 1
    #pragma omp for schedule(static)
    for (int64_t i = 0; i < moac_min_i64(N, 1); ++i) { // stencil.moa:3
      v[i] = u[i];
    }
    // 1 <= i < N - 1
    #pragma omp for schedule(static)
    for (int64_t i = 1; i < N - 1; ++i) { // stencil.moa:3
      const double u_value = u[i];
      v[i] = u_value + a * (u[i - 1] - 2.0 * u_value + u[i + 1]);
    }
    // N - 1 <= i
    #pragma omp for schedule(static)
    for (int64_t i = moac_max_i64(1, N - 1); i < N; ++i) { // stencil.moa:3
      v[i] = u[i];
    }
  }
  return MOAC_OK;
}
