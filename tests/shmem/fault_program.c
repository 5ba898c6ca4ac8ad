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

/* PE 1 may take no private memory any more, or cannot even join, and stays: the others are told. */
static int poor(const char *how, double start) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  (void)how, (void)start;
  return 77; /* their own memory counts */
#else
  enum { LARGE = 1 << 20 };
  struct rlimit none = {1, RLIM_INFINITY}, small = {1 << 27, RLIM_INFINITY}; /* 0: no limit */
  bool joins = strcmp(how, "barred") != 0, one = strcmp(getenv("MOAC_SHMEM_PE"), "1") == 0;
  if (one && !joins && setrlimit(RLIMIT_AS, &small) != 0)
    return 77;
  moac_shmem_status status = moac_shmem_init();
  void *box = NULL;
  if (status == MOAC_SHMEM_OK)
    status = moac_shmem_malloc((size_t)LARGE * 4, &box);
  if (one && joins && setrlimit(RLIMIT_DATA, &none) != 0)
    return 77;
  int count = 0;
  if (status == MOAC_SHMEM_OK && strcmp(how, "cramped") == 0)
    status = moac_shmem_reduce_scatter(MOAC_SHMEM_TEAM_WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_U8, box,
                                       box, LARGE);
  for (void *object; status == MOAC_SHMEM_OK && count < 30000; ++count)
    status = moac_shmem_malloc(64, &object);
  char line[400];
  int used = snprintf(line, sizeof line, "%s after %d: %s, %s | %s\n", one ? "alone" : "told",
                      count, moac_shmem_status_text(status), now() - start < 1 ? "in time" : "late",
                      moac_shmem_last_error());
  if (write(1, line, (size_t)used) != used)
    return 1;
  if (one)
    sleep(3);
  moac_shmem_finalize();
  return 0;
#endif
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "kill", *where = argc > 2 ? argv[2] : "barrier";
  if (strcmp(how, "absent") == 0 && strcmp(getenv("MOAC_SHMEM_PE"), "1") == 0)
    return 0;
  double start = now();
  if (strcmp(how, "poor") == 0 || strcmp(how, "cramped") == 0 || strcmp(how, "barred") == 0)
    return poor(how, start);
  void *word = NULL, *lock = NULL;
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
