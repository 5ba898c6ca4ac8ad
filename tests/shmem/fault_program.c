/* fault_program.c: what faults.py runs: PE 1 goes wrong in the way that argv[1] names, the others
 * report what they were told and how long it took.
 */
#define _GNU_SOURCE
#include "runtime/shmem/moac_shmem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static moac_shmem_status wait_in(const char *where, uint64_t *word, long *lock) {
  moac_shmem_status status = MOAC_SHMEM_OK;
  if (strcmp(where, "signal") == 0)
    return moac_shmem_signal_wait_until(word, MOAC_SHMEM_EQ, 1, NULL);
  if (strcmp(where, "lock") == 0)
    return moac_shmem_lock(lock);
  if (strcmp(where, "reduce") == 0)
    return moac_shmem_reduce(MOAC_SHMEM_TEAM_WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_U64, word, word, 1);
  if (strcmp(where, "put") == 0) {
    while (status == MOAC_SHMEM_OK)
      status = moac_shmem_put(MOAC_SHMEM_CONTEXT_DEFAULT, word, &status, sizeof status, 1);
    return status;
  }
  return moac_shmem_barrier(MOAC_SHMEM_TEAM_WORLD);
}

static void go_wrong(const char *how) {
  usleep(20000);
  if (strcmp(how, "segv") == 0) {
    signal(SIGSEGV, SIG_DFL); /* a sanitizer would report it and exit */
    raise(SIGSEGV);
  } else if (strcmp(how, "kill") == 0)
    raise(SIGKILL);
  else if (strcmp(how, "stay") == 0)
    moac_shmem_global_exit(7);
  _exit(3);
}

/* PE 1 may take no private memory any more, everybody allocates until told so. */
static int run_out(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 77; /* their own memory counts */
#else
  struct rlimit none = {1, RLIM_INFINITY}; /* 0 would mean no limit */
  moac_shmem_status status = moac_shmem_init();
  if (status == MOAC_SHMEM_OK && moac_shmem_my_pe() == 1 && setrlimit(RLIMIT_DATA, &none) != 0)
    return 77;
  int count = 0;
  for (void *object; status == MOAC_SHMEM_OK && count < 30000; ++count)
    status = moac_shmem_malloc(64, &object);
  char line[400];
  int used = snprintf(line, sizeof line, "told after %d: %s | %s\n", count,
                      moac_shmem_status_text(status), moac_shmem_last_error());
  moac_shmem_finalize();
  return write(1, line, (size_t)used) == used ? 0 : 1;
#endif
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "kill", *where = argc > 2 ? argv[2] : "barrier";
  if (strcmp(how, "absent") == 0 && strcmp(getenv("MOAC_SHMEM_PE"), "1") == 0)
    return 0;
  if (strcmp(how, "poor") == 0)
    return run_out();
  void *word = NULL, *lock = NULL;
  double start = now();
  moac_shmem_status status = moac_shmem_init();
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_calloc(1, 8, &word);
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_calloc(1, sizeof(long), &lock);
  if (status == MOAC_SHMEM_OK && moac_shmem_my_pe() == 1) {
    if (strcmp(where, "lock") == 0)
      moac_shmem_lock(lock);
    moac_shmem_sync(MOAC_SHMEM_TEAM_WORLD);
    go_wrong(how);
  }
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_sync(MOAC_SHMEM_TEAM_WORLD);
  if (status == MOAC_SHMEM_OK)
    status = wait_in(where, word, lock);
  char line[400];
  int used = snprintf(line, sizeof line, "told: %s, %s, %s | %s\n", moac_shmem_status_text(status),
                      now() - start < 1 ? "in time" : "late", where, moac_shmem_last_error());
  moac_shmem_finalize();
  return write(1, line, (size_t)used) == used ? 0 : 1;
}
