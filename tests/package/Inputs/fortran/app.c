#include "scale.h"

#include <stdio.h>

int main(void) {
  const double a[6] = {1, 2, 4, 3, 6, 12};
  double b[6];
  const int status = scale(2, 3, 4.0, a, b);
  printf("%d %g %g\n", status, b[0], b[5]);
  return status;
}
