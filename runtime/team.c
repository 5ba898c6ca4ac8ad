/*
 * Thread count from the amount of work: waking a large team for a small kernel costs more than the
 * kernel.
 *
 * The library must not choose an OpenMP runtime for its users (gcc's and clang's differ and do not
 * mix), so it asks whichever is in the process through weak references, and finds none in a program
 * built without OpenMP.
 */
#include "moac.h"

__attribute__((weak)) int omp_get_max_threads(void);
__attribute__((weak)) int omp_in_parallel(void);

int moac_team_size(int64_t work, int64_t per_thread_work) {
  int64_t most, wanted;
  if (!omp_get_max_threads || !omp_in_parallel || omp_in_parallel())
    return 1;
  most = omp_get_max_threads();
  wanted = work / (per_thread_work < 1 ? 1 : per_thread_work);
  if (wanted < 1 || most < 1)
    return 1;
  return (int)(wanted < most ? wanted : most);
}
