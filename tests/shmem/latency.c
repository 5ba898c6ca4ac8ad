/* latency.c: the three numbers that the layer is judged by, between PE 0 and PE 1: an 8-byte put,
 * one way of a signal ping-pong, and a large put beside memcpy. Each is the best of several
 * batches, since the machine may be shared.
 *
 *   moac-launch -n 2 shmem-latency [--check]     --check: exit code 1 unless within 0.1 us, 0.5 us,
 * 0.9 of memcpy
 */
#define _GNU_SOURCE
#include "runtime/shmem/moac_shmem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CTX MOAC_SHMEM_CONTEXT_DEFAULT
enum { BATCHES = 30, PUTS = 20000, PING_BATCHES = 400, ROUNDS = 400, LARGE = 8 << 20 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double least(double a, double b) { return a < b ? a : b; }

static double small_put(uint64_t *box) {
  double best = 1e9;
  for (int batch = 0; batch < BATCHES; ++batch) {
    double start = now();
    for (uint64_t i = 0; i < PUTS; ++i)
      moac_shmem_put(CTX, box, &i, sizeof i, 1);
    moac_shmem_quiet(CTX);
    best = least(best, (now() - start) / PUTS);
  }
  return best;
}

static double ping_pong(uint64_t *word, int me) {
  double best = 1e9;
  uint64_t turn = 0;
  for (int batch = 0; batch < PING_BATCHES; ++batch) {
    double start = now();
    for (int round = 0; round < ROUNDS; ++round) {
      ++turn;
      moac_shmem_signal signal = {word, turn, MOAC_SHMEM_SIGNAL_SET};
      if (me == 0)
        moac_shmem_signal_send(CTX, signal, 1);
      moac_shmem_signal_wait_until(word, MOAC_SHMEM_GE, turn, NULL);
      if (me == 1)
        moac_shmem_signal_send(CTX, signal, 0);
    }
    best = least(best, (now() - start) / ROUNDS / 2);
  }
  return best;
}

static void large_put(char *box, char *local, char *other, double *put, double *copy) {
  *put = *copy = 1e9;
  for (int batch = 0; batch < BATCHES; ++batch) {
    double start = now();
    moac_shmem_put(CTX, box, local, LARGE, 1);
    double middle = now();
    memcpy(other, local, LARGE);
    double end = now();
    *put = least(*put, middle - start);
    *copy = least(*copy, end - middle);
  }
}

int main(int argc, char **argv) {
  if (moac_shmem_init() != MOAC_SHMEM_OK || moac_shmem_n_pes() != 2)
    return 2;
  int me = moac_shmem_my_pe(), missed = 0;
  void *box = NULL, *word = NULL;
  char *local = malloc(LARGE), *other = malloc(LARGE);
  if (moac_shmem_calloc(1, LARGE, &box) != MOAC_SHMEM_OK ||
      moac_shmem_calloc(1, 8, &word) != MOAC_SHMEM_OK || local == NULL || other == NULL)
    return 2;
  memset(local, 1, LARGE);
  memset(other, 2, LARGE);
  double one_way = ping_pong(word, me);
  moac_shmem_barrier(MOAC_SHMEM_TEAM_WORLD);
  if (me == 0) {
    double put = 0, copy = 0, small = small_put(box);
    large_put(box, local, other, &put, &copy);
    printf("8-byte put        %8.3f us\nsignal, one way   %8.3f us\n", small * 1e6, one_way * 1e6);
    printf("%d MiB put         %8.1f GB/s, memcpy %.1f GB/s\n", LARGE >> 20, LARGE / put * 1e-9,
           LARGE / copy * 1e-9);
    missed = argc > 1 && strcmp(argv[1], "--check") == 0 &&
             (small > 0.1e-6 || one_way > 0.5e-6 || put > copy / 0.9);
  }
  moac_shmem_finalize();
  free(local);
  free(other);
  return missed;
}
