// Calls the golden files on known data.
#include "attention.h"
#include "spmv.h"
#include "stencil.h"

#include <stdio.h>

int main(void) {
  const double Q[] = {-.1984, .2698, .3414, -.0372, .2547, -1.0674, .3460, -2.5242, .6822, -.6265, .0252, .3978};
  const double K[] = {-1.1567, .6885, -.1884, .4743, .2246, 1.7564, .5235, -2.3014, -1.5899, .3730, -.8257, -1.2069};
  const double V[] = {1.0739, .4006, -.9671, .4870, .5589, -.7209, -.7650, .2689, .8237, .3763, .8320, .0014};
  double O[12];
  int status = attention(1, 3, 4, 3, 4, Q, K, V, O);
  printf("attention %d: %.6f %.6f %.6f %.6f\n", status, O[0], O[1], O[2], O[3]);

  const double u[] = {0, 1, 4, 9, 16};
  double v[5];
  status = smooth(5, 0.5, u, v);
  printf("stencil %d: %g %g %g %g %g\n", status, v[0], v[1], v[2], v[3], v[4]);

  // The rows are (1 2 0), (0 0 0) and (0 3 4).
  const double val[] = {1, 2, 3, 4}, x[] = {1, 3, 6};
  const int64_t col[] = {0, 1, 1, 2}, rp[] = {0, 2, 2, 4};
  double y[3];
  status = spmv(4, 3, 3, val, col, rp, x, y);
  printf("spmv %d: %g %g %g\n", status, y[0], y[1], y[2]);
  return 0;
}
