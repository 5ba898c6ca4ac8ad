/* Every PE sends its number to the right; PE 0 prints the sum of what arrived. */
#include <moac_shmem.h>

#include <stdio.h>

int main(void) {
  void *box = NULL, *flag = NULL, *sum = NULL;
  if (moac_shmem_init() != MOAC_SHMEM_OK)
    return 1;
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  moac_shmem_calloc(1, sizeof(long), &box);
  moac_shmem_calloc(1, sizeof(uint64_t), &flag);
  moac_shmem_calloc(1, sizeof(long), &sum);
  long mine = 10 + me;
  moac_shmem_signal arrived = {flag, 1, MOAC_SHMEM_SIGNAL_SET};
  moac_shmem_put_signal(MOAC_SHMEM_CONTEXT_DEFAULT, box, &mine, sizeof mine, arrived,
                        (me + 1) % pes);
  moac_shmem_signal_wait_until(flag, MOAC_SHMEM_EQ, 1, NULL);
  moac_shmem_reduce(MOAC_SHMEM_TEAM_WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_I64, sum, box, 1);
  if (me == 0)
    printf("ring of %d: %ld\n", pes, *(long *)sum);
  return moac_shmem_finalize() != MOAC_SHMEM_OK;
}
