/* selftest.c: the bodies as a program for the launcher: `moac-launch -n P shmem-selftest
 * [BODY...]`, without names all of them. Exit code 1 when a check failed on this PE.
 */
#include "tests/shmem/bodies.h"

static bool wanted(int argc, char **argv, const char *name) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0)
      return true;
  return argc < 2;
}

int main(int argc, char **argv) {
  if (moac_shmem_init() != MOAC_SHMEM_OK) {
    fprintf(stderr, "init: %s\n", moac_shmem_last_error());
    return 1;
  }
  for (int body = 0; body < bodyCount; ++body)
    if (wanted(argc, argv, bodies[body].name))
      bodies[body].run(NULL);
  OK(moac_shmem_finalize());
  OK(moac_shmem_init()); /* a second life on the same arena */
  signalBody(NULL);
  teamBody(NULL);
  OK(moac_shmem_finalize());
  return bodiesFailed != 0;
}
