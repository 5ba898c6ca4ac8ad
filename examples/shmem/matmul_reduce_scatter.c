/* matmul_reduce_scatter.c: C = A B with the inner dimension spread over PEs, fused with the
 * reduce-scatter of C: each tile of the partial product goes to its owner as soon as it is
 * computed, one signal per (tile, source), and the owner adds the partial tiles in the order of PEs
 * while others still compute.
 *
 *   moac-launch -n 4 example-matmul-reduce-scatter [--targeted]
 */
#include "examples/shmem/exchange.h"

enum { M = 32, N = 64, K_PER_PE = 24, TILE_ROWS = 8, TILES = M / TILE_ROWS, TILE = TILE_ROWS * N };

static double a_of(int i, int k) { return (double)((i * 7 + k * 3) % 11) - 5; }
static double b_of(int k, int j) { return (double)((k * 5 + j) % 13) - 6; }

static void compute_tile(int tile, int me, double *c) {
  memset(c, 0, TILE * sizeof *c);
  for (int i = 0; i < TILE_ROWS; ++i)
    for (int k = me * K_PER_PE; k < (me + 1) * K_PER_PE; ++k)
      for (int j = 0; j < N; ++j)
        c[i * N + j] += a_of(tile * TILE_ROWS + i, k) * b_of(k, j);
}

/* Remote tiles first: their transfer overlaps the computation of the others. */
static void compute_and_send(moac_shmem_context context, double *in, uint64_t *signals,
                             double *tiles) {
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  for (int step = 1; step <= TILES; ++step) {
    int tile = (me + step) % TILES, owner = tile % pes;
    size_t slot = (size_t)tile * (size_t)pes + (size_t)me;
    double *c = tiles + (size_t)tile * TILE;
    compute_tile(tile, me, c);
    moac_shmem_signal signal = {&signals[slot], 1, MOAC_SHMEM_SIGNAL_SET};
    must(moac_shmem_put_signal_nbi(context, in + slot * TILE, c, TILE * sizeof *c, signal, owner));
  }
}

static int add_and_check(double *in, uint64_t *signals, int tile) {
  int pes = moac_shmem_n_pes(), wrong = 0;
  double sum[TILE] = {0};
  for (int from = 0; from < pes; ++from) {
    size_t slot = (size_t)tile * (size_t)pes + (size_t)from;
    must(moac_shmem_signal_wait_until(&signals[slot], MOAC_SHMEM_EQ, 1, NULL));
    for (int i = 0; i < TILE; ++i)
      sum[i] += in[slot * TILE + (size_t)i];
  }
  for (int i = 0; i < TILE; ++i) {
    double expected = 0;
    for (int k = 0; k < pes * K_PER_PE; ++k)
      expected += a_of(tile * TILE_ROWS + i / N, k) * b_of(k, i % N);
    wrong += sum[i] != expected; /* small integers: exact */
  }
  return wrong;
}

int main(int argc, char **argv) {
  bool targeted = has_option(argc, argv, "--targeted");
  must(moac_shmem_init());
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes(), wrong = 0;
  size_t slots = (size_t)TILES * (size_t)pes;
  double *in = symmetric(slots * TILE * sizeof *in, targeted),
         *tiles = malloc(TILES * TILE * sizeof *tiles);
  uint64_t *signals = symmetric(slots * sizeof *signals, targeted);
  moac_shmem_context context = exchange_context(targeted);
  double start = seconds();
  if (tiles != NULL)
    compute_and_send(context, in, signals, tiles);
  for (int tile = me; tile < TILES; tile += pes)
    wrong += add_and_check(in, signals, tile);
  if (me == 0)
    printf("matmul + reduce-scatter%s: %d PEs, %d tiles, %.1f us\n", targeted ? " (targeted)" : "",
           pes, TILES, (seconds() - start) * 1e6);
  must(moac_shmem_quiet(context)); /* the tiles are read until then */
  free(tiles);
  must(moac_shmem_finalize());
  return wrong != 0 || tiles == NULL;
}
