/* Variances of numbers far from 0, where a sum of squares less the square of the sum has no digit left. */
#include "moments.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 100003, rows = 1001, columns_ = 37 };
static float x[n];
static double X[rows * columns_], Y[rows * columns_];

static double exactly(const float *p, long count) {
  double sum = 0, squares = 0;
  for (long k = 0; k < count; ++k)
    sum += p[k];
  for (long k = 0; k < count; ++k)
    squares += (p[k] - sum / count) * (p[k] - sum / count);
  return squares / count;
}

int main(void) {
  unsigned state = 1;
  for (long k = 0; k < n; ++k)
    x[k] = 1e6f + (float)((state = state * 1664525u + 1013904223u) >> 16) / 8192.0f;
  const long sizes[] = {1, 2, 8193, 16384, 40000, n}; // in between plain loops run, as exact as the order of their sums
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    float mu, v;
    if (moments(sizes[s], x, &mu, &v) != 0)
      return 1;
    double exact = exactly(x, sizes[s]);
    if (fabs(v - exact) > 0.01 * exact + 1e-3 || fabs(mu - 1e6) > 9) {
      printf("n = %ld: variance %g, not %g\n", sizes[s], v, exact);
      return 1;
    }
  }
  for (long k = 0; k < rows * columns_; ++k)
    X[k] = 1e9 + x[k] - 1e6;
  if (normalised(rows, columns_, 0, X, Y) != 0)
    return 1;
  for (long k = 0; k < columns_; ++k) {
    double sum = 0, squares = 0;
    for (long i = 0; i < rows; ++i)
      sum += Y[i * columns_ + k], squares += Y[i * columns_ + k] * Y[i * columns_ + k];
    if (fabs(sum / rows) > 1e-6 || squares / rows < 0.7 || squares / rows > 1) {
      printf("column %ld: mean %g, squares %g\n", k, sum / rows, squares / rows);
      return 1;
    }
  }
  puts("right");
  return 0;
}
