// Hand-written loops as a careful C programmer writes them, without intrinsics: contestants for what no library here has, and
// the values that results are compared with where there is no other peer.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream.c" // the same contestant

// n: M K N, in the order in which a kernel's symbols appear. Not tuned: these stand in for a missing BLAS.
#define PRODUCT(type, name, m, k, n_, a, b, c, before, after)                                       \
  int name(Sizes n, Arrays p) {                                                                     \
    const int64_t M = n[m], K = n[k], N = n[n_];                                                    \
    const type *A = p[before], *B = p[before + 1], *S = p[before ? 0 : 2];                          \
    type *restrict C = p[after];                                                                    \
    type *wide = malloc((size_t)(M * N) * sizeof(type));                                            \
    if (!wide && M * N)                                                                             \
      return -7;                                                                                    \
    (void)S;                                                                                        \
    _Pragma("omp parallel for") for (int64_t i = 0; i < M; ++i) {                                   \
      type *restrict row = wide + i * N;                                                            \
      memset(row, 0, (size_t)N * sizeof(type));                                                     \
      for (int64_t q = 0; q < K; ++q)                                                               \
        for (int64_t j = 0; j < N; ++j)                                                             \
          row[j] += a * b;                                                                          \
    }                                                                                               \
    for (int64_t i = 0; i < M; ++i)                                                                 \
      for (int64_t j = 0; j < N; ++j) {                                                             \
        const type v = wide[i * N + j];                                                             \
        c;                                                                                          \
      }                                                                                             \
    free(wide);                                                                                     \
    return 0;                                                                                       \
  }
#define PRODUCTS(type, suffix)                                                                      \
  PRODUCT(type, matmul_##suffix, 0, 1, 2, A[i * K + q], B[q * N + j], C[i * N + j] = v, 0, 2)       \
  PRODUCT(type, matmul_abt_##suffix, 0, 1, 2, A[i * K + q], B[j * K + q], C[i * N + j] = v, 0, 2)   \
  PRODUCT(type, matmul_atb_##suffix, 1, 0, 2, A[q * M + i], B[q * N + j], C[i * N + j] = v, 0, 2)   \
  PRODUCT(type, matmul_turned_##suffix, 0, 1, 2, A[i * K + q], B[q * N + j], C[j * M + i] = v, 0, 2) \
  PRODUCT(type, matmul_scaled_##suffix, 0, 1, 2, A[i * K + q], B[q * N + j], C[i * N + j] = S[0] * v, 1, 3) \
  PRODUCT(type, matmul_bias_##suffix, 0, 1, 2, A[i * K + q], B[q * N + j], C[i * N + j] = v + S[j], 0, 3) \
  PRODUCT(type, matmul_relu_##suffix, 0, 1, 2, A[i * K + q], B[q * N + j], C[i * N + j] = v > 0 ? v : 0, 0, 2) \
  int matmul_batched_##suffix(Sizes n, Arrays p) { /* B M K N */                                    \
    int status = 0;                                                                                 \
    for (int64_t b = 0; b < n[0]; ++b) {                                                            \
      const type *A = (const type *)p[0] + b * n[1] * n[2], *B = (const type *)p[1] + b * n[2] * n[3]; \
      void *const one[] = {(void *)A, (void *)B, (type *)p[2] + b * n[1] * n[3]};                   \
      status |= matmul_##suffix(n + 1, one);                                                        \
    }                                                                                               \
    return status;                                                                                  \
  }

#define ROWS(type, suffix, root, exponential)                                                       \
  int rmsnorm_##suffix(Sizes n, Arrays p) { /* T D; eps X g Z */                                    \
    const int64_t T = n[0], D = n[1];                                                               \
    const type eps = *(const type *)p[0], *X = p[1], *g = p[2];                                     \
    type *Z = p[3];                                                                                 \
    _Pragma("omp parallel for") for (int64_t t = 0; t < T; ++t) {                                   \
      const type *x = X + t * D;                                                                    \
      type *restrict z = Z + t * D;                                                                 \
      type sum = 0;                                                                                 \
      _Pragma("omp simd reduction(+ : sum)") for (int64_t d = 0; d < D; ++d) sum += x[d] * x[d];    \
      const type r = 1 / root(sum / (type)D + eps);                                                 \
      _Pragma("omp simd") for (int64_t d = 0; d < D; ++d) z[d] = g[d] * x[d] * r;                   \
    }                                                                                               \
    return 0;                                                                                       \
  }                                                                                                 \
  int softmax_##suffix(Sizes n, Arrays p) { /* T C; X Y */                                          \
    const int64_t T = n[0], C = n[1];                                                               \
    _Pragma("omp parallel for") for (int64_t t = 0; t < T; ++t) {                                   \
      const type *x = (const type *)p[0] + t * C;                                                   \
      type *restrict y = (type *)p[1] + t * C;                                                      \
      type top = -(type)INFINITY, sum = 0;                                                          \
      _Pragma("omp simd reduction(max : top)") for (int64_t c = 0; c < C; ++c)                      \
          top = x[c] > top ? x[c] : top;                                                            \
      _Pragma("omp simd reduction(+ : sum)") for (int64_t c = 0; c < C; ++c) {                      \
        y[c] = exponential(x[c] - top);                                                             \
        sum += y[c];                                                                                \
      }                                                                                             \
      const type scale = 1 / sum;                                                                   \
      _Pragma("omp simd") for (int64_t c = 0; c < C; ++c) y[c] *= scale;                            \
    }                                                                                               \
    return 0;                                                                                       \
  }

#define STENCILS(type, suffix)                                                                      \
  int stencil2d_##suffix(Sizes n, Arrays p) { /* N M; a u v; edges copied */                        \
    const int64_t N = n[0], M = n[1];                                                               \
    const type a = *(const type *)p[0], *u = p[1];                                                  \
    type *restrict v = p[2];                                                                        \
    _Pragma("omp parallel for") for (int64_t i = 0; i < N; ++i) {                                   \
      const type *x = u + i * M;                                                                    \
      type *restrict y = v + i * M;                                                                 \
      if (i == 0 || i == N - 1 || M < 3) {                                                          \
        memcpy(y, x, (size_t)M * sizeof(type));                                                     \
        continue;                                                                                   \
      }                                                                                             \
      y[0] = x[0], y[M - 1] = x[M - 1];                                                             \
      _Pragma("omp simd") for (int64_t j = 1; j < M - 1; ++j)                                       \
          y[j] = x[j] + a * (x[j + M] + x[j - M] + x[j + 1] + x[j - 1] - 4 * x[j]);                 \
    }                                                                                               \
    return 0;                                                                                       \
  }                                                                                                 \
  int stencil3d_##suffix(Sizes n, Arrays p) { /* L N M; a u v; edges copied */                      \
    const int64_t L = n[0], N = n[1], M = n[2], S = N * M;                                          \
    const type a = *(const type *)p[0], *u = p[1];                                                  \
    type *restrict v = p[2];                                                                        \
    _Pragma("omp parallel for collapse(2)") for (int64_t h = 0; h < L; ++h) for (int64_t i = 0; i < N; ++i) { \
      const type *x = u + (h * N + i) * M;                                                          \
      type *restrict y = v + (h * N + i) * M;                                                       \
      if (h == 0 || h == L - 1 || i == 0 || i == N - 1 || M < 3) {                                  \
        memcpy(y, x, (size_t)M * sizeof(type));                                                     \
        continue;                                                                                   \
      }                                                                                             \
      y[0] = x[0], y[M - 1] = x[M - 1];                                                             \
      _Pragma("omp simd") for (int64_t j = 1; j < M - 1; ++j)                                       \
          y[j] = x[j] + a * (x[j + S] + x[j - S] + x[j + M] + x[j - M] + x[j + 1] + x[j - 1] - 6 * x[j]); \
    }                                                                                               \
    return 0;                                                                                       \
  }

PRODUCTS(float, f32)
PRODUCTS(double, f64)

// Layers over plain products, for where there is no BLAS.
#define SIMPLE_GEMM(type, suffix)                                                                   \
  static void gemm_##suffix(int transB, int64_t M, int64_t N, int64_t K, type alpha, const type *A, int64_t lda, \
                            const type *B, int64_t ldb, type *restrict C, int64_t ldc) {            \
    _Pragma("omp parallel for") for (int64_t i = 0; i < M; ++i) {                                   \
      for (int64_t j = 0; j < N; ++j)                                                               \
        C[i * ldc + j] = 0;                                                                         \
      for (int64_t k = 0; k < K; ++k)                                                               \
        for (int64_t j = 0; j < N; ++j)                                                             \
          C[i * ldc + j] += alpha * A[i * lda + k] * (transB ? B[j * ldb + k] : B[k * ldb + j]);    \
    }                                                                                               \
  }
SIMPLE_GEMM(float, f32)
SIMPLE_GEMM(double, f64)
#define GEMM(type, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc) gemm_##type(transB, M, N, K, alpha, A, lda, B, ldb, C, ldc)
#include "layers.h"
ROWS(float, f32, sqrtf, expf)
ROWS(double, f64, sqrt, exp)
STENCILS(float, f32)
STENCILS(double, f64)
