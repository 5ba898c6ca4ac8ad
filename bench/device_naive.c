// The kernels of device.moa as a first attempt by hand: a parallel loop outside, reductions inside, the rest
// left to the compiler. Stands in for the emitted file when the two are timed.
#include "device.h"

#include <math.h>
#include <stdlib.h>

int copied_device(int64_t n, const float *x, float *y) {
#pragma acc parallel loop present(x[0:n], y[0:n])
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i];
  return 0;
}

int axpy_device(int64_t n, const float *x, const float *y, float *z) {
#pragma acc parallel loop present(x[0:n], y[0:n], z[0:n])
  for (int64_t i = 0; i < n; ++i)
    z[i] = 2 * x[i] + y[i];
  return 0;
}

int row_sums_device(int64_t t, int64_t d, const float *x, float *s) {
#pragma acc parallel loop gang vector_length(128) present(x[0:t * d], s[0:t])
  for (int64_t i = 0; i < t; ++i) {
    float sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int64_t j = 0; j < d; ++j)
      sum += x[i * d + j];
    s[i] = sum;
  }
  return 0;
}

int whole_sum_device(int64_t n, const float *x, float *s) {
  float sum = 0;
#pragma acc parallel loop reduction(+ : sum) present(x[0:n])
  for (int64_t i = 0; i < n; ++i)
    sum += x[i];
#pragma acc parallel num_gangs(1) present(s[0:1])
  s[0] = sum;
  return 0;
}

int norms_device(int64_t t, int64_t d, const float *x, const float *g, float *z) {
#pragma acc parallel loop gang vector_length(128) present(x[0:t * d], g[0:d], z[0:t * d])
  for (int64_t i = 0; i < t; ++i) {
    float sum = 0;
#pragma acc loop vector reduction(+ : sum)
    for (int64_t j = 0; j < d; ++j)
      sum += x[i * d + j] * x[i * d + j];
    const float r = 1 / sqrtf(sum / (float)d + 0.00001f);
#pragma acc loop vector
    for (int64_t j = 0; j < d; ++j)
      z[i * d + j] = g[j] * x[i * d + j] * r;
  }
  return 0;
}

int softmaxes_device(int64_t t, int64_t c, const float *x, float *y) {
#pragma acc parallel loop gang vector_length(128) present(x[0:t * c], y[0:t * c])
  for (int64_t i = 0; i < t; ++i) {
    float most = -INFINITY, sum = 0;
#pragma acc loop vector reduction(max : most)
    for (int64_t j = 0; j < c; ++j)
      most = x[i * c + j] > most ? x[i * c + j] : most;
#pragma acc loop vector reduction(+ : sum)
    for (int64_t j = 0; j < c; ++j) {
      y[i * c + j] = expf(x[i * c + j] - most);
      sum += y[i * c + j];
    }
#pragma acc loop vector
    for (int64_t j = 0; j < c; ++j)
      y[i * c + j] /= sum;
  }
  return 0;
}

int products_device(int64_t m, int64_t k, int64_t n, const float *a, const float *b, float *c) {
#pragma acc parallel loop collapse(2) present(a[0:m * k], b[0:k * n], c[0:m * n])
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  return 0;
}

int attentions_device(int64_t b, int64_t n, int64_t d, int64_t m, int64_t e, const float *q,
                      const float *k, const float *v, float *o) {
  float *s = malloc((size_t)(b * n * m) * sizeof *s);
#pragma acc data create(s[0:b * n * m])
  {
#pragma acc parallel loop collapse(2) present(q[0:b * n * d], k[0:b * m * d], v[0:b * m * e], o[0:b * n * e], s[0:b * n * m])
    for (int64_t h = 0; h < b; ++h)
      for (int64_t i = 0; i < n; ++i) {
        float *row = s + (h * n + i) * m, most = -INFINITY, sum = 0;
        for (int64_t j = 0; j < m; ++j) {
          float x = 0;
          for (int64_t p = 0; p < d; ++p)
            x += q[(h * n + i) * d + p] * k[(h * m + j) * d + p];
          row[j] = x / sqrtf((float)d);
          most = row[j] > most ? row[j] : most;
        }
        for (int64_t j = 0; j < m; ++j) {
          row[j] = expf(row[j] - most);
          sum += row[j];
        }
        for (int64_t p = 0; p < e; ++p) {
          float x = 0;
          for (int64_t j = 0; j < m; ++j)
            x += row[j] * v[(h * m + j) * e + p];
          o[(h * n + i) * e + p] = x / sum;
        }
      }
  }
  free(s);
  return 0;
}
