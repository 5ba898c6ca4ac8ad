/* A generated kernel that communicates: attention whose keys and values are divided among PEs.
 *
 * partitioned.moa has the formula and `partition k over pe by 16`; partitioned.h says what of each array a PE must have. Here every
 * PE makes only that: its rows of the queries, its keys, its values. Then all call the kernel, and each has the whole result. */
#include "moac_shmem.h"
#include "partitioned.h"

#include <math.h>
#include <stdio.h>

enum { queries = 24, keys = 200, depth = 16, width = 8, part = 16 };

static double q[queries][depth], k[keys][depth], v[keys][width], o[queries][width];

static double number(int i, int j, int seed) { return sin(0.37 * i + 1.13 * j + seed); }

static int share(int count, int pe) { return count * pe / moac_shmem_n_pes(); }

/* One row as a text book has it, to compare with. */
static double difference(int row) {
  double score[keys], largest = -INFINITY, sum = 0.0, worst = 0.0;
  for (int t = 0; t < keys; ++t) {
    score[t] = 0.0;
    for (int d = 0; d < depth; ++d)
      score[t] += number(row, d, 1) * number(t, d, 2) / sqrt(depth);
    largest = fmax(largest, score[t]);
  }
  for (int t = 0; t < keys; ++t)
    sum += exp(score[t] - largest);
  for (int e = 0; e < width; ++e) {
    double value = 0.0;
    for (int t = 0; t < keys; ++t)
      value += exp(score[t] - largest) * number(t, e, 3);
    worst = fmax(worst, fabs(value / sum - o[row][e]));
  }
  return worst;
}

int main(void) {
  if (moac_shmem_init() != MOAC_SHMEM_OK)
    return 1;
  const int me = moac_shmem_my_pe(), parts = (keys + part - 1) / part;
  for (int i = share(queries, me); i < share(queries, me + 1); ++i)
    for (int d = 0; d < depth; ++d)
      q[i][d] = number(i, d, 1);
  for (int t = share(parts, me) * part; t < share(parts, me + 1) * part && t < keys; ++t) {
    for (int d = 0; d < depth; ++d)
      k[t][d] = number(t, d, 2);
    for (int e = 0; e < width; ++e)
      v[t][e] = number(t, e, 3);
  }
  const int status = attention_keys(queries, depth, keys, width, &q[0][0], &k[0][0], &v[0][0], &o[0][0]);
  if (status != 0) {
    printf("PE %d: status %d: %s\n", me, status, moac_shmem_last_error());
    return 1;
  }
  double worst = 0.0;
  for (int i = 0; i < queries; ++i)
    worst = fmax(worst, difference(i));
  if (me == 0)
    printf("attention over %d keys on %d PEs: o[0][0] = %.17g, within %.1e\n", (int)keys, moac_shmem_n_pes(), o[0][0], worst);
  return moac_shmem_finalize() != MOAC_SHMEM_OK || !(worst < 1e-12);
}
