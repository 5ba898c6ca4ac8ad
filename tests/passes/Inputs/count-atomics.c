// How many atomic updates the emitted function makes: 6 rows of 5.
#include <stdint.h>
#include <stdio.h>

extern long updates;
int columns(int64_t M, int64_t N, const int64_t *A, int64_t *s);

int main(void) {
  int64_t A[30], s[5];
  for (int k = 0; k < 30; ++k)
    A[k] = k;
  const int status = columns(6, 5, A, s);
  printf("%ld\n", status == 0 && s[4] == 4 + 9 + 14 + 19 + 24 + 29 ? updates : -1);
  return 0;
}
