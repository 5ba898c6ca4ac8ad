// Hand-written streaming loops: chains, reductions, scans, transposes. Part of the C contestant.
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef const int64_t *Sizes;
typedef void *const *Arrays;

#define STREAMS(type, suffix)                                                                       \
  int axpy_##suffix(Sizes n, Arrays p) { /* N; a x y z */                                           \
    const type a = *(const type *)p[0], *x = p[1], *y = p[2];                                       \
    type *restrict z = p[3];                                                                        \
    _Pragma("omp parallel for simd") for (int64_t i = 0; i < n[0]; ++i) z[i] = a * x[i] + y[i];     \
    return 0;                                                                                       \
  }                                                                                                 \
  int axpy_chain_##suffix(Sizes n, Arrays p) { /* N; a b x y w */                                   \
    const type a = *(const type *)p[0], b = *(const type *)p[1], *x = p[2], *y = p[3];              \
    type *restrict w = p[4];                                                                        \
    _Pragma("omp parallel for simd") for (int64_t i = 0; i < n[0]; ++i) {                           \
      const type u = a * x[i] + y[i];                                                               \
      w[i] = u * (b * u + x[i]);                                                                    \
    }                                                                                               \
    return 0;                                                                                       \
  }                                                                                                 \
  int row_sums_##suffix(Sizes n, Arrays p) { /* T D; X s */                                         \
    type *restrict s = p[1];                                                                        \
    _Pragma("omp parallel for") for (int64_t t = 0; t < n[0]; ++t) {                                \
      const type *x = (const type *)p[0] + t * n[1];                                                \
      type sum = 0;                                                                                 \
      _Pragma("omp simd reduction(+ : sum)") for (int64_t d = 0; d < n[1]; ++d) sum += x[d] * x[d]; \
      s[t] = sum;                                                                                   \
    }                                                                                               \
    return 0;                                                                                       \
  }                                                                                                 \
  int column_sums_##suffix(Sizes n, Arrays p) { /* T D; X s */                                      \
    enum { block = 256 };                                                                           \
    _Pragma("omp parallel for") for (int64_t d0 = 0; d0 < n[1]; d0 += block) {                      \
      const int64_t width = n[1] - d0 < block ? n[1] - d0 : block;                                  \
      type sum[block] = {0};                                                                        \
      for (int64_t t = 0; t < n[0]; ++t) {                                                          \
        const type *x = (const type *)p[0] + t * n[1] + d0;                                         \
        _Pragma("omp simd") for (int64_t d = 0; d < width; ++d) sum[d] += x[d] * x[d];              \
      }                                                                                             \
      memcpy((type *)p[1] + d0, sum, (size_t)width * sizeof(type));                                 \
    }                                                                                               \
    return 0;                                                                                       \
  }                                                                                                 \
  int dot_##suffix(Sizes n, Arrays p) { /* N; x y s */                                              \
    const type *x = p[0], *y = p[1];                                                                \
    type sum = 0;                                                                                   \
    _Pragma("omp parallel for simd reduction(+ : sum)") for (int64_t i = 0; i < n[0]; ++i)          \
        sum += x[i] * y[i];                                                                         \
    *(type *)p[2] = sum;                                                                            \
    return 0;                                                                                       \
  }                                                                                                 \
  int row_scan_##suffix(Sizes n, Arrays p) { /* T D; X S */                                         \
    _Pragma("omp parallel for") for (int64_t t = 0; t < n[0]; ++t) {                                \
      const type *x = (const type *)p[0] + t * n[1];                                                \
      type *restrict s = (type *)p[1] + t * n[1], sum = 0;                                          \
      for (int64_t d = 0; d < n[1]; ++d)                                                            \
        s[d] = sum += x[d];                                                                         \
    }                                                                                               \
    return 0;                                                                                       \
  }                                                                                                 \
  int transpose_##suffix(Sizes n, Arrays p) { /* M N; A B */                                        \
    enum { block = 32 };                                                                            \
    const int64_t M = n[0], N = n[1];                                                               \
    const type *A = p[0];                                                                           \
    type *restrict B = p[1];                                                                        \
    _Pragma("omp parallel for collapse(2)") for (int64_t j0 = 0; j0 < N; j0 += block)               \
      for (int64_t i0 = 0; i0 < M; i0 += block)                                                     \
        for (int64_t j = j0; j < j0 + block && j < N; ++j)                                          \
          for (int64_t i = i0; i < i0 + block && i < M; ++i)                                        \
            B[j * M + i] = A[i * N + j];                                                            \
    return 0;                                                                                       \
  }                                                                                                 \
  int transpose_heads_##suffix(Sizes n, Arrays p) { /* B N H D; A C */                              \
    const int64_t N = n[1], H = n[2], D = n[3];                                                     \
    _Pragma("omp parallel for collapse(2)") for (int64_t b = 0; b < n[0]; ++b)                      \
      for (int64_t h = 0; h < H; ++h)                                                               \
        for (int64_t i = 0; i < N; ++i)                                                             \
          memcpy((type *)p[1] + ((b * H + h) * N + i) * D, (const type *)p[0] + ((b * N + i) * H + h) * D, \
                 (size_t)D * sizeof(type));                                                         \
    return 0;                                                                                       \
  }
STREAMS(float, f32)
STREAMS(double, f64)
