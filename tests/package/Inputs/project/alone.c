#include "scale.h"
#include <stdio.h>

int main(void) {
  double x[2][3] = {{1, 2, 3}, {4, 5, 6}}, y[2][3];
  int status = scale(2, 3, 0.5, &x[0][0], &y[0][0]);
  printf("alone %d %g\n", status, y[1][2]);
  return status;
}
