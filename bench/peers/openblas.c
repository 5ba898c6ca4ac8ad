// Contestants made of BLAS calls, the way a C programmer would write them: library products, and plain loops for what BLAS
// does not have. Built only where OpenBLAS can be linked.
#include <stdint.h>

enum { rowMajor = 101, plain = 111, transposed = 112 };
extern void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
extern void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
extern void cblas_sgemv(int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
extern void cblas_dgemv(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
extern float cblas_sdot(int, const float *, int, const float *, int);
extern void openblas_set_num_threads(int);

void peer_threads(int threads) { openblas_set_num_threads(threads); }

typedef const int64_t *Sizes;
typedef void *const *Arrays;

// n: M K N. A product with a row or a column is a matrix-vector product: that is what a user of BLAS would call.
#define PRODUCTS(type, gemm, gemv, suffix)                                                          \
  int matmul_##suffix(Sizes n, Arrays p) {                                                          \
    const int M = (int)n[0], K = (int)n[1], N = (int)n[2];                                          \
    if (M == 1)                                                                                     \
      gemv(rowMajor, transposed, K, N, 1, p[1], N, p[0], 1, 0, p[2], 1);                            \
    else                                                                                            \
      gemm(rowMajor, plain, plain, M, N, K, 1, p[0], K, p[1], N, 0, p[2], N);                       \
    return 0;                                                                                       \
  }                                                                                                 \
  int matmul_abt_##suffix(Sizes n, Arrays p) {                                                      \
    const int M = (int)n[0], K = (int)n[1], N = (int)n[2];                                          \
    if (M == 1)                                                                                     \
      gemv(rowMajor, plain, N, K, 1, p[1], K, p[0], 1, 0, p[2], 1);                                 \
    else                                                                                            \
      gemm(rowMajor, plain, transposed, M, N, K, 1, p[0], K, p[1], K, 0, p[2], N);                  \
    return 0;                                                                                       \
  }                                                                                                 \
  int matmul_atb_##suffix(Sizes n, Arrays p) { /* K M N */                                          \
    const int K = (int)n[0], M = (int)n[1], N = (int)n[2];                                          \
    gemm(rowMajor, transposed, plain, M, N, K, 1, p[0], M, p[1], N, 0, p[2], N);                    \
    return 0;                                                                                       \
  }                                                                                                 \
  int matmul_turned_##suffix(Sizes n, Arrays p) { /* the result transposed */                       \
    const int M = (int)n[0], K = (int)n[1], N = (int)n[2];                                          \
    gemm(rowMajor, transposed, transposed, N, M, K, 1, p[1], N, p[0], K, 0, p[2], M);               \
    return 0;                                                                                       \
  }                                                                                                 \
  int matmul_scaled_##suffix(Sizes n, Arrays p) {                                                   \
    const int M = (int)n[0], K = (int)n[1], N = (int)n[2];                                          \
    gemm(rowMajor, plain, plain, M, N, K, *(const type *)p[0], p[1], K, p[2], N, 0, p[3], N);       \
    return 0;                                                                                       \
  }                                                                                                 \
  int matmul_bias_##suffix(Sizes n, Arrays p) {                                                     \
    const int M = (int)n[0], K = (int)n[1], N = (int)n[2];                                          \
    const type *bias = p[2];                                                                        \
    type *C = p[3];                                                                                 \
    _Pragma("omp parallel for") for (int64_t i = 0; i < M; ++i) for (int64_t j = 0; j < N; ++j)     \
        C[i * N + j] = bias[j];                                                                     \
    gemm(rowMajor, plain, plain, M, N, K, 1, p[0], K, p[1], N, 1, C, N);                            \
    return 0;                                                                                       \
  }                                                                                                 \
  int matmul_relu_##suffix(Sizes n, Arrays p) {                                                     \
    type *C = p[2];                                                                                 \
    matmul_##suffix(n, p);                                                                          \
    _Pragma("omp parallel for simd") for (int64_t i = 0; i < n[0] * n[2]; ++i)                      \
        C[i] = C[i] > 0 ? C[i] : 0;                                                                 \
    return 0;                                                                                       \
  }                                                                                                 \
  int matmul_batched_##suffix(Sizes n, Arrays p) { /* B M K N */                                    \
    const int M = (int)n[1], K = (int)n[2], N = (int)n[3];                                          \
    for (int64_t b = 0; b < n[0]; ++b)                                                              \
      gemm(rowMajor, plain, plain, M, N, K, 1, (const type *)p[0] + b * M * K, K,                   \
           (const type *)p[1] + b * K * N, N, 0, (type *)p[2] + b * M * N, N);                      \
    return 0;                                                                                       \
  }
PRODUCTS(float, cblas_sgemm, cblas_sgemv, f32)
PRODUCTS(double, cblas_dgemm, cblas_dgemv, f64)

#define GEMM_f32 cblas_sgemm
#define GEMM_f64 cblas_dgemm
#define GEMM(type, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc)                            \
  GEMM_##type(rowMajor, plain, (transB) ? transposed : plain, (int)(M), (int)(N), (int)(K), alpha, A, (int)(lda), B, (int)(ldb), beta, C, (int)(ldc))
#include "layers.h"

/// n: N, p: x y s
int dot_f32(Sizes n, Arrays p) {
  *(float *)p[2] = cblas_sdot((int)n[0], p[0], 1, p[1], 1);
  return 0;
}
