/* The same in OpenSHMEM's names, with objects that are symmetric because they are static. */
#include <shmem.h>
#include <stdio.h>

static long box, sum;
static uint64_t flag;

int main(void) {
  shmem_init();
  int me = shmem_my_pe(), pes = shmem_n_pes();
  long mine = 10 + me;
  shmem_long_put_signal(&box, &mine, 1, &flag, 1, SHMEM_SIGNAL_SET, (me + 1) % pes);
  shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &box, 1);
  if (me == 0)
    printf("standard of %d: %ld\n", pes, sum);
  shmem_finalize();
  return 0;
}
