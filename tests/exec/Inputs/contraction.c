// Products with more rows, columns and terms than a tile holds, and with tails everywhere, against plain loops. The data are
// small integers, so every order of a sum gives the same bits.
#include "contraction.h"

#include <stdio.h>
#include <stdlib.h>

static int differs(int64_t m, int64_t k, int64_t n) {
  float *a = malloc(sizeof(float) * (size_t)(m * k + 1)), *b = malloc(sizeof(float) * (size_t)(k * n + 1));
  float *c = malloc(sizeof(float) * (size_t)(m * n + 1)), *d = malloc(sizeof(float) * (size_t)(n + 1));
  if (a == NULL || b == NULL || c == NULL || d == NULL)
    return 1;
  for (int64_t i = 0; i < m * k; ++i)
    a[i] = (float)(i * 7 % 5 - 2);
  for (int64_t i = 0; i < k * n; ++i)
    b[i] = (float)(i * 11 % 7 - 3);
  for (int64_t j = 0; j < n; ++j)
    d[j] = (float)(j % 3);
  int wrong = linear(m, k, n, a, b, d, c) != 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = d[j];
      for (int64_t p = 0; p < k; ++p)
        sum += a[i * k + p] * b[p * n + j];
      wrong |= c[i * n + j] != (sum > 0.0f ? sum : 0.0f);
    }
  if (wrong)
    printf("wrong: %d x %d x %d\n", (int)m, (int)k, (int)n);
  free(a), free(b), free(c), free(d);
  return wrong;
}

int main(void) {
  static const int64_t sizes[][3] = {{1, 0, 1},     {1, 1, 1},    {5, 255, 15}, {6, 256, 16},  {7, 257, 17},   {97, 513, 129},
                                     {4101, 3, 33}, {3, 2, 4117}, {13, 300, 1}, {12, 700, 64}, {127, 127, 127}};
  int wrong = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    wrong |= differs(sizes[i][0], sizes[i][1], sizes[i][2]);
  puts(wrong ? "failed" : "all equal");
  return wrong;
}
