/* Uses the runtime as a C program does; prints the team sizes that the given OpenMP (or none) leads to. */
#include <moac.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  char *first = moac_scratch_acquire(1000);
  char *again;
  int inside = 0;
  if (!first || (uintptr_t)first % 64 != 0)
    return 1;
  memset(first, 1, 1000);
  moac_scratch_release(first);
  again = moac_scratch_acquire(900);
  if (again != first)
    return 2;
  moac_scratch_release(again);
  moac_scratch_trim();
#pragma omp parallel num_threads(2) reduction(max : inside)
  inside = moac_team_size(1000000, 1);
  printf("large %d small %d two %d inside %d: %s\n", moac_team_size(1000000, 1), moac_team_size(99, 100),
         moac_team_size(200, 100), inside, moac_status_string(MOAC_EXTENT));
  return 0;
}
