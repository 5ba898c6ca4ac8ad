/* reduce_scatter.c: reduce-scatter by hand, with double buffers and epoch flags:
 *   every PE puts its part for each other PE, fences, raises that PE's flag; then waits for all
 * flags and adds the parts in the order of PEs, so the sum is the same bits on every run. Two
 * buffers suffice without credits: a PE can be one iteration ahead of another, never two, because
 * it waits for a part from everybody. Targeted ordering (--targeted) lets the fence order the
 * exchanged parts alone.
 *
 *   moac-launch -n 4 example-reduce-scatter [--targeted]
 */
#include "examples/shmem/exchange.h"

enum { COUNT = 4096, ITERATIONS = 200 };

static float part_of(int pe, int to, int iteration, int i) {
  return (float)((pe * 31 + to * 17 + iteration * 7 + i) % 1000) * 0.001f;
}

static void send_parts(moac_shmem_context context, float *in, uint64_t *flags, float *part,
                       int iteration) {
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  float *slot = in + ((size_t)(iteration % 2) * (size_t)pes + (size_t)me) * COUNT;
  for (int step = 1; step < pes; ++step) {
    int to = (me + step) % pes;
    must(moac_shmem_put_nbi(context, slot, part + (size_t)to * COUNT, COUNT * sizeof *slot, to));
  }
  must(moac_shmem_fence(context));
  for (int step = 1; step < pes; ++step)
    must(moac_shmem_atomic_set(context, &flags[me], (uint64_t)iteration + 1, (me + step) % pes));
}

static void receive_and_add(float *in, uint64_t *flags, const float *part, float *out,
                            int iteration) {
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  memset(out, 0, COUNT * sizeof *out);
  for (int from = 0; from < pes; ++from) {
    const float *source = in + ((size_t)(iteration % 2) * (size_t)pes + (size_t)from) * COUNT;
    if (from == me)
      source = part + (size_t)me * COUNT;
    else
      must(
          moac_shmem_signal_wait_until(&flags[from], MOAC_SHMEM_GE, (uint64_t)iteration + 1, NULL));
    for (int i = 0; i < COUNT; ++i)
      out[i] += source[i];
  }
}

static int check(const float *out, int iteration) {
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes(), wrong = 0;
  for (int i = 0; i < COUNT; ++i) {
    float sum = 0;
    for (int from = 0; from < pes; ++from)
      sum += part_of(from, me, iteration, i);
    wrong += sum != out[i];
  }
  return wrong;
}

int main(int argc, char **argv) {
  bool targeted = has_option(argc, argv, "--targeted");
  must(moac_shmem_init());
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes(), wrong = 0;
  size_t all = (size_t)pes * COUNT;
  float *in = symmetric(2 * all * sizeof *in, targeted), *part = malloc(all * sizeof *part),
        out[COUNT];
  uint64_t *flags = symmetric((size_t)pes * sizeof *flags, targeted);
  moac_shmem_context context = exchange_context(targeted);
  double spent = 0;
  for (int iteration = 0; iteration < ITERATIONS && part != NULL; ++iteration) {
    for (size_t i = 0; i < all; ++i)
      part[i] = part_of(me, (int)(i / COUNT), iteration, (int)(i % COUNT));
    double start = seconds();
    send_parts(context, in, flags, part, iteration);
    receive_and_add(in, flags, part, out, iteration);
    must(moac_shmem_quiet(context)); /* the parts are overwritten next */
    spent += seconds() - start;
    wrong += check(out, iteration);
  }
  if (me == 0)
    printf("reduce-scatter%s: %d PEs, %d floats, %.2f us per iteration\n",
           targeted ? " (targeted)" : "", pes, COUNT, spent / ITERATIONS * 1e6);
  free(part);
  must(moac_shmem_finalize());
  return wrong != 0;
}
