/* Kernels divided among PEs against the same formulas on one machine: examples/shmem/partitioned.moa. What a PE does not own is NaN in
 * its arrays, so a kernel that reads more than it says gives itself away. Prints one line for each kernel and size, the same for
 * every number of PEs: a number made of the bits of the whole result. */
#include "moac_shmem.h"
#include "partitioned.h"
#include "partitioned_more.h"
#include "partitioned_one.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, pes, wrong;

static double *array(size_t count) {
  double *a = malloc((count + 1) * sizeof *a);
  if (a == NULL)
    exit(2);
  return a;
}

/* Small multiples of 1/8 are exact in products and sums; `fine` numbers are not. */
static double element(size_t i, int seed, int fine) {
  const unsigned r = (unsigned)(i * 2654435761u + (unsigned)seed * 40503u) >> 8;
  return fine ? (double)(r % 10007) / 5003.0 - 1.0 : (double)(r % 17) / 8.0 - 1.0;
}

static double *filled(size_t count, int seed, int fine) {
  double *a = array(count);
  for (size_t i = 0; i < count; ++i)
    a[i] = element(i, seed, fine);
  return a;
}

/* The elements whose `along`-th coordinate lies in [from, to), of rows x columns. */
static double *owned(const double *whole, int64_t rows, int64_t columns, int along, int64_t from, int64_t to) {
  double *a = array((size_t)(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t at = along == 0 ? i : j;
      a[i * columns + j] = at >= from && at < to ? whole[i * columns + j] : NAN;
    }
  return a;
}

static int64_t share(int64_t n, int pe) { return n * pe / pes; }

/* Where the parts of 16 of this PE begin, or end. */
static int64_t parts(int64_t n, int pe) {
  const int64_t at = share((n + 15) / 16, pe) * 16;
  return at < n ? at : n;
}

static void report(const char *name, int status, const double *got, const double *want, int64_t rows, int64_t columns,
                   int64_t from, int64_t to, double tolerance) {
  if (status != 0) {
    printf("%s: PE %d of %d: status %d (%s)\n", name, me, pes, status, moac_shmem_last_error());
    wrong = 1;
    return;
  }
  for (int64_t i = from; i < to; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const double is = got[i * columns + j], wanted = want[i * columns + j];
      if (is != wanted && !(fabs(is - wanted) <= tolerance) && !(isnan(is) && isnan(wanted))) {
        printf("%s: PE %d of %d: [%ld, %ld] is %.17g, not %.17g\n", name, me, pes, (long)i, (long)j, got[i * columns + j],
               want[i * columns + j]);
        wrong = 1;
        return;
      }
    }
  uint64_t bits = 14695981039346656037u;
  const unsigned char *bytes = (const unsigned char *)got;
  for (size_t i = 0; i < (size_t)(rows * columns) * sizeof(double) && from == 0 && to == rows; ++i)
    bits = (bits ^ bytes[i]) * 1099511628211u;
  if (me == 0 && from == 0 && to == rows && pes > 0)
    printf("%s %ld x %ld: %016llx\n", name, (long)rows, (long)columns, (unsigned long long)bits);
}

static void products(int64_t M, int64_t K, int64_t N, int fine) {
  double *a = filled((size_t)(M * K), 1, fine), *b = filled((size_t)(K * N), 2, fine);
  double *want = array((size_t)(M * N)), *got = array((size_t)(M * N));
  const int one = matmul_one(M, K, N, a, b, want);
  double *rows = owned(a, M, K, 0, share(M, me), share(M, me + 1)), *block = owned(b, K, N, 0, share(K, me), share(K, me + 1));
  const double tolerance = fine ? 1e-12 * (double)(K + 1) : 0.0;
  for (int64_t i = 0; i < M * N; ++i)
    got[i] = -7.0;
  int status = matmul_rows(M, K, N, rows, block, got);
  report("matmul_rows", one != 0 ? one : status, got, want, M, N, share(M, me), share(M, me + 1), tolerance);
  for (int64_t i = 0; i < M; ++i) /* the rows of others are left alone */
    for (int64_t j = 0; j < N; ++j)
      if ((i < share(M, me) || i >= share(M, me + 1)) && got[i * N + j] != -7.0)
        wrong = 1, printf("matmul_rows: PE %d wrote row %ld\n", me, (long)i);
  double *columns = owned(a, M, K, 1, parts(K, me), parts(K, me + 1)), *terms = owned(b, K, N, 0, parts(K, me), parts(K, me + 1));
  status = matmul_terms(M, K, N, columns, terms, got);
  report("matmul_terms", status, got, want, M, N, 0, M, tolerance);
  free(a), free(b), free(want), free(got), free(rows), free(block), free(columns), free(terms);
}

static void attention(int64_t N, int64_t D, int64_t M, int64_t E) {
  double *q = filled((size_t)(N * D), 3, 1), *k = filled((size_t)(M * D), 4, 1), *v = filled((size_t)(M * E), 5, 1);
  double *want = array((size_t)(N * E)), *got = array((size_t)(N * E));
  const int one = attention_one(N, D, M, E, q, k, v, want);
  double *rows = owned(q, N, D, 0, share(N, me), share(N, me + 1));
  double *keys = owned(k, M, D, 0, parts(M, me), parts(M, me + 1)), *values = owned(v, M, E, 0, parts(M, me), parts(M, me + 1));
  const int status = attention_keys(N, D, M, E, rows, keys, values, got);
  report("attention_keys", one != 0 ? one : status, got, want, N, E, 0, N, 1e-13);
  free(q), free(k), free(v), free(want), free(got), free(rows), free(keys), free(values);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Masks whose parts have no term, with and without a guard; what does not carry the axis is whole here. */
static void masked(int64_t N, int64_t M) {
  const int64_t D = 3, E = 2;
  double *q = filled((size_t)(N * D), 6, 1), *k = filled((size_t)(M * D), 7, 1), *v = filled((size_t)(M * E), 8, 1);
  double *want = array((size_t)(N * E)), *got = array((size_t)(N * E));
  for (int which = N <= M ? 0 : 1; which < 2; ++which) {
    const int one = (which == 0 ? causal_one : guarded_one)(N, D, M, E, q, k, v, want);
    const int status = (which == 0 ? causal_divided : guarded_divided)(N, D, M, E, q, k, v, got);
    report(which == 0 ? "causal" : "guarded", one != 0 ? one : status, got, want, N, E, 0, N, 1e-13);
  }
  free(q), free(k), free(v), free(want), free(got);
}

static void others(int64_t N, int64_t M) {
  double *x = filled((size_t)(N * M), 9, 1), *want = array((size_t)N), *got = array((size_t)N);
  int one = logsumexp_one(N, M, x, want), status = logsumexp_divided(N, M, x, got);
  report("logsumexp", one != 0 ? one : status, got, want, N, 1, 0, N, 1e-13);
  const int64_t S = smaller(N, M);
  double *a = filled((size_t)(S * S), 10, 0), *b = filled((size_t)(S * S), 11, 0);
  double *y = array((size_t)(S * S)), *z = array((size_t)(S * S));
  one = residual_one(S, a, b, y), status = residual_divided(S, a, b, z);
  report("residual", one != 0 ? one : status, z, y, S, S, 0, S, 0.0);
  double *columns = owned(b, S, S, 0, share(S, me), share(S, me + 1)); /* a column-major array is one of rows to us */
  one = columns_one(S, S, S, a, b, y), status = columns_divided(S, S, S, a, columns, z);
  report("columns", one != 0 ? one : status, z, y, S, S, share(S, me), share(S, me + 1), 0.0);
  free(x), free(want), free(got), free(a), free(b), free(y), free(z), free(columns);
}

/* Results of a scalar, of a row and of rows; single precision. */
static void singles(int64_t N, int64_t M) {
  float *x = malloc((size_t)(N * M + M + 2) * sizeof *x), *y[2][3];
  if (x == NULL)
    exit(2);
  for (int64_t i = 0; i < N * M + M + 2; ++i)
    x[i] = (float)element((size_t)i, 12, 0);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      if ((y[i][j] = calloc((size_t)(N * M + N + 1), sizeof(float))) == NULL)
        exit(2);
  int one = norms_one(N, M, x, y[0][0], y[0][1], y[0][2]), status = norms_divided(N, M, x, y[1][0], y[1][1], y[1][2]);
  int bad = one != status || *y[0][0] != *y[1][0];
  for (int64_t i = share(N, me); i < share(N, me + 1); ++i) {
    bad |= y[0][1][i] != y[1][1][i];
    for (int64_t j = 0; j < M; ++j)
      bad |= y[0][2][i * M + j] != y[1][2][i * M + j];
  }
  one = dot_one(M, x, x + 1, y[0][0], y[0][1]), status = dot_divided(M, x, x + 1, y[1][0], y[1][1]);
  bad |= one != status || *y[0][0] != *y[1][0] || *y[0][1] != *y[1][1];
  if (bad)
    wrong = 1, printf("singles: PE %d of %d: %ld x %ld\n", me, pes, (long)N, (long)M);
  free(x);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      free(y[i][j]);
}

static void heads(int64_t B, int64_t N, int64_t M) {
  const int64_t D = 4;
  double *q = filled((size_t)(B * N * D), 13, 1), *k = filled((size_t)(B * M * D), 14, 1), *v = filled((size_t)(B * M * D), 15, 1);
  double *want = array((size_t)(B * N * D)), *got = array((size_t)(B * N * D));
  double *own[3] = {owned(q, B, N * D, 0, share(B, me), share(B, me + 1)), owned(k, B, M * D, 0, share(B, me), share(B, me + 1)),
                    owned(v, B, M * D, 0, share(B, me), share(B, me + 1))};
  const int one = heads_one(B, N, D, M, q, k, v, want), status = heads_divided(B, N, D, M, own[0], own[1], own[2], got);
  report("heads", one != 0 ? one : status, got, want, B, N * D, share(B, me), share(B, me + 1), 1e-13);
  free(q), free(k), free(v), free(want), free(got), free(own[0]), free(own[1]), free(own[2]);
}

/* One result of inner_divided, `faster` elements for each index of the divided axis in a row; those of others are left alone. */
static void compare(const char *name, const double *got, const double *want, int64_t count, int64_t faster, int64_t N) {
  for (int64_t at = 0; at < count; ++at) {
    const int64_t i = at / faster % N, mine = i >= share(N, me) && i < share(N, me + 1);
    if (got[at] != (mine ? want[at] : -7.0)) {
      printf("%s: PE %d of %d: element %ld is %.17g\n", name, me, pes, (long)at, got[at]);
      wrong = 1;
      return;
    }
  }
}

static void inner(int64_t N, int64_t M) {
  double *a = filled((size_t)(N * M), 16, 0), *b = filled((size_t)M, 17, 0), *got[4], *want[4];
  const int64_t counts[4] = {M * N, M * N * 3, 2 * N * M, N}, faster[4] = {1, 3, 2, 1};
  double *rows = owned(a, N, M, 0, share(N, me), share(N, me + 1)), *block = owned(b, M, 1, 0, share(M, me), share(M, me + 1));
  for (int i = 0; i < 4; ++i) {
    got[i] = array((size_t)counts[i]), want[i] = array((size_t)counts[i]);
    for (int64_t at = 0; at <= counts[i]; ++at)
      got[i][at] = -7.0;
  }
  const int one = inner_one(N, M, a, b, want[0], want[1], want[2], want[3]);
  const int status = inner_divided(N, M, rows, block, got[0], got[1], got[2], got[3]);
  if (one != 0 || status != 0)
    wrong = 1, printf("inner: PE %d of %d: status %d (%s)\n", me, pes, status, moac_shmem_last_error());
  for (int i = 0; i < 4; ++i) {
    compare("inner", got[i], want[i], counts[i], faster[i], N);
    if (got[i][counts[i]] != -7.0)
      wrong = 1, printf("inner: PE %d wrote behind result %d\n", me, i);
    free(got[i]), free(want[i]);
  }
  free(a), free(b), free(rows), free(block);
}

int main(void) {
  double nothing[2] = {0.0, 0.0};
  if (matmul_terms(1, 1, 1, nothing, nothing, nothing + 1) != -9)
    printf("outside of a world nobody is there\n"), wrong = 1;
  if (moac_shmem_init() != MOAC_SHMEM_OK)
    return 3;
  me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  static const int64_t sizes[] = {0, 1, 3, 17, 127};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      products(sizes[i], sizes[j], 5, (i + j) % 2);
      products(9, sizes[i], sizes[j], 0);
      attention(sizes[i], 4, sizes[j], 3);
      masked(sizes[i], sizes[j]);
      others(sizes[i], sizes[j]);
      singles(sizes[i], sizes[j]);
      heads(sizes[i], 3, sizes[j]);
      inner(sizes[i], sizes[j]);
    }
  attention(2, 3, 1000, 2);
  int all = wrong; /* a PE that is content does not speak for the others */
  return moac_shmem_finalize() != MOAC_SHMEM_OK || all;
}
