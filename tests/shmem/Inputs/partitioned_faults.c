/* A divided kernel on PEs that cannot all take part: what each is told. With a word, PE 1 passes no array. */
#include "moac_shmem.h"
#include "partitioned.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (moac_shmem_init() != MOAC_SHMEM_OK)
    return 1;
  const int64_t n = argc > 2 ? atoi(argv[2]) : 600;
  double *q = calloc((size_t)(n * 8), sizeof *q), *o = calloc((size_t)(n * 8), sizeof *o);
  if (q == NULL || o == NULL)
    return 2;
  const int me = moac_shmem_my_pe(), alone = argc > 1 && argv[1][0] == 'n' && me == 1;
  const int status = attention_keys(n, 8, n, 8, alone ? NULL : q, q, q, o);
  printf("PE %d: status %d%s\n", me, status, status == -9 && moac_shmem_last_error()[0] != 0 ? ", told why" : "");
  fflush(stdout);
  return moac_shmem_finalize() == MOAC_SHMEM_OK ? 0 : 3;
}
