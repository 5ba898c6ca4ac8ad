// Calls kernels with arrays of the host, and with arrays that stay on the device between calls.
#include "device.h"

#include <math.h>
#include <stdio.h>

static void show(const char *what, int status, int64_t n, const double *y) {
  printf("%s %d:", what, status);
  for (int64_t i = 0; i < n; ++i)
    printf(isnan(y[i]) ? " nan" : " %g", y[i]);
  printf("\n");
}

int main(void) {
  const double a[10] = {1, 3, 2, 1, 4, 2, 3, 4, 3, 5}, w[5] = {1, 2, 3, 3, 4};
  double y[5] = {0};
  show("host", weighted(5, 2, a, w, y), 5, y);
  int status = 1;
#pragma acc data copyin(a, w) copyout(y)
  {
    weighted_device(5, 2, a, w, y);
    status = weighted_device(5, 2, a, w, y);
  }
  show("device", status, 5, y);
  const int64_t at[2] = {1, 9};
  printf("index %d\n", gathered(5, 2, a, at, y));
  const double b[4] = {1, NAN, 3, -INFINITY};
  show("nan", peaks(2, 2, b, y), 2, y);
  return 0;
}
