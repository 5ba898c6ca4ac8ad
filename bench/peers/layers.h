// Layers out of matrix products, for whichever library gives these: `GEMM(type, transB, M, N, K, alpha, A, lda, B, ldb,
// beta, C, ldc)`, row-major. What stands between the products is plain C.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/// X Wg, X Wu, silu of one times the other, times Wd. n: T D F; p: X Wg Wu Wd Y
int mlp_f32(const int64_t *n, void *const *p) {
  const int64_t T = n[0], D = n[1], F = n[2];
  float *g = malloc((size_t)(2 * T * F) * sizeof *g), *u = g + T * F;
  if (!g)
    return -7;
  GEMM(f32, 0, T, F, D, 1, p[0], D, p[1], F, 0, g, F);
  GEMM(f32, 0, T, F, D, 1, p[0], D, p[2], F, 0, u, F);
#pragma omp parallel for simd
  for (int64_t i = 0; i < T * F; ++i)
    g[i] = g[i] / (1 + expf(-g[i])) * u[i];
  GEMM(f32, 0, T, D, F, 1, g, F, p[3], D, 0, p[4], D);
  free(g);
  return 0;
}

/// Columns of windows, then a product. n: B C H W O R S; p: X K Y
int conv2d_f32(const int64_t *n, void *const *p) {
  const int64_t C = n[1], H = n[2], W = n[3], O = n[4], R = n[5], S = n[6], I = H - R + 1, J = W - S + 1;
  float *columns = malloc((size_t)(C * R * S * I * J) * sizeof *columns);
  if (!columns)
    return -7;
  for (int64_t b = 0; b < n[0]; ++b) {
    const float *X = (const float *)p[0] + b * C * H * W;
#pragma omp parallel for collapse(2)
    for (int64_t c = 0; c < C; ++c)
      for (int64_t w = 0; w < R * S; ++w)
        for (int64_t i = 0; i < I; ++i)
          for (int64_t j = 0; j < J; ++j)
            columns[((c * R * S + w) * I + i) * J + j] = X[(c * H + i + w / S) * W + j + w % S];
    GEMM(f32, 0, O, I * J, C * R * S, 1, p[1], C * R * S, columns, I * J, 0, (float *)p[2] + b * O * I * J, I * J);
  }
  free(columns);
  return 0;
}

#define ATTENTION(type, suffix, exponential)                                                        \
  /* n: B N D M E; p: Q K V O */                                                                    \
  int attention_##suffix(const int64_t *n, void *const *p) {                                        \
    const int64_t N = n[1], D = n[2], M = n[3], E = n[4];                                           \
    type *S = malloc((size_t)(N * M) * sizeof *S);                                                  \
    if (!S)                                                                                         \
      return -7;                                                                                    \
    for (int64_t b = 0; b < n[0]; ++b) {                                                            \
      GEMM(suffix, 1, N, M, D, 1 / (type)sqrt((double)D), (const type *)p[0] + b * N * D, D,        \
           (const type *)p[1] + b * M * D, D, 0, S, M);                                             \
      _Pragma("omp parallel for") for (int64_t i = 0; i < N; ++i) {                                 \
        type *s = S + i * M, top = -(type)INFINITY, sum = 0;                                        \
        _Pragma("omp simd reduction(max : top)") for (int64_t k = 0; k < M; ++k)                    \
            top = s[k] > top ? s[k] : top;                                                          \
        _Pragma("omp simd reduction(+ : sum)") for (int64_t k = 0; k < M; ++k)                      \
            sum += s[k] = exponential(s[k] - top);                                                  \
        _Pragma("omp simd") for (int64_t k = 0; k < M; ++k) s[k] /= sum;                            \
      }                                                                                             \
      GEMM(suffix, 0, N, E, M, 1, S, M, (const type *)p[2] + b * M * E, E, 0, (type *)p[3] + b * N * E, E); \
    }                                                                                               \
    free(S);                                                                                        \
    return 0;                                                                                       \
  }
ATTENTION(float, f32, expf)
/// The whole square, half of it for nothing. n: B N D E; p: Q K V O
int attention_causal_f32(const int64_t *n, void *const *p) { 
  const int64_t N = n[1], D = n[2], E = n[3];
  float *S = malloc((size_t)(N * N) * sizeof *S);
  if (!S)
    return -7;
  for (int64_t b = 0; b < n[0]; ++b) {
    GEMM(f32, 1, N, N, D, 1 / sqrtf((float)D), (const float *)p[0] + b * N * D, D, (const float *)p[1] + b * N * D, D, 0, S, N);
#pragma omp parallel for schedule(dynamic)
    for (int64_t i = 0; i < N; ++i) {
      float *s = S + i * N, top = -INFINITY, sum = 0;
      for (int64_t k = 0; k <= i; ++k)
        top = s[k] > top ? s[k] : top;
      for (int64_t k = 0; k <= i; ++k)
        sum += s[k] = expf(s[k] - top);
      for (int64_t k = 0; k < N; ++k)
        s[k] = k <= i ? s[k] / sum : 0;
    }
    GEMM(f32, 0, N, E, N, 1, S, N, (const float *)p[2] + b * N * E, E, 0, (float *)p[3] + b * N * E, E);
  }
  free(S);
  return 0;
}
/// One query. n: D N; p: q K V O
int decode_f32(const int64_t *n, void *const *p) {
  const int64_t D = n[0], N = n[1];
  float *s = malloc((size_t)N * sizeof *s), top = -INFINITY, sum = 0;
  if (!s)
    return -7;
  GEMM(f32, 1, 1, N, D, 1 / sqrtf((float)D), p[0], D, p[1], D, 0, s, N);
  for (int64_t k = 0; k < N; ++k)
    top = s[k] > top ? s[k] : top;
  for (int64_t k = 0; k < N; ++k)
    sum += s[k] = expf(s[k] - top);
  for (int64_t k = 0; k < N; ++k)
    s[k] /= sum;
  GEMM(f32, 0, 1, D, N, 1, s, N, p[2], D, 0, p[3], D);
  free(s);
  return 0;
}
ATTENTION(double, f64, exp)
