// Calls Fortran's kernels as C functions, by the header that was written with them.
#include "native.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const double a[6] = {1, 2, 3, 4, 5, 6};
  double b[6], y[3];
  float x[4] = {1, 3, 5, 9}, z[4];
  const int scaled_status = scaled(2, 3, 0.5, a, b), null_status = scaled(2, 3, 0.5, NULL, b);
  const int empty_status = scaled(0, 3, 0.5, NULL, NULL), alias_status = scaled(2, 3, 0.5, b, b);
  const int ramp_status = ramp(1, 1.0, 0.5, y), huge_status = scaled(INT64_MAX, 3, 0.5, a, b);
  printf("%d %d %d %d %d %d\n", scaled_status, null_status, empty_status, alias_status, ramp_status, huge_status);
  printf("%g %g %g %g\n", b[0], b[1], b[5], y[2]);
  const int centred_status = centred(1, 2, 2, x, z);
  printf("%d %g %g %g\n", centred_status, (double)z[0], (double)z[1], (double)z[3]);
  return 0;
}
