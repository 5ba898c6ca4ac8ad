/* specification_test.c: sentences of the OpenSHMEM 1.6 text that openshmem_test.c does not reach,
 * each as a program: several lives, zero sizes, strides and blocks, signals, sets of conditions,
 * teams, scans, collects of unlike sizes, contexts and sessions. `moac-launch -n P
 * shmem-specification-test`.
 */
#include <shmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: PE %d: %s\n", __FILE__, __LINE__, shmem_my_pe(), #condition);        \
      failed = 1;                                                                                  \
    }                                                                                              \
  } while (0)

/* Static symmetric objects in sections of their own. */
static int arrived[16];
static uint64_t signals[16];
static long totals[3] = {-1, -1, -1};

/* Size 0 gives no object and is no barrier for free; calloc clears; realloc keeps the contents;
 * an aligned object is aligned. */
static void memory(int me) {
  CHECK(shmem_malloc(0) == NULL && shmem_calloc(0, 8) == NULL);
  shmem_free(NULL);
  unsigned char *bytes = shmem_calloc(3, 8);
  for (int i = 0; i < 24; ++i)
    CHECK(bytes[i] == 0);
  memset(bytes, me + 1, 24);
  bytes = shmem_realloc(bytes, 4096);
  CHECK(bytes[0] == me + 1 && bytes[23] == me + 1);
  void *page = shmem_align(4096, 100);
  CHECK((uintptr_t)page % 4096 == 0);
  int *hinted = shmem_malloc_with_hints(64, SHMEM_MALLOC_ATOMICS_REMOTE);
  CHECK(hinted != NULL && shmem_addr_accessible(hinted, 0) && shmem_pe_accessible(0));
  CHECK(!shmem_pe_accessible(shmem_n_pes()));
  shmem_free(hinted);
  shmem_free(page);
  shmem_free(bytes);
}

/* Element i of a strided transfer goes from i*sst to i*dst; blocks keep their elements together. */
static void strides(int me, int pes) {
  int next = (me + 1) % pes, last = (me + pes - 1) % pes;
  short source[12], *dest = shmem_calloc(24, sizeof *dest), back[12] = {0};
  for (int i = 0; i < 12; ++i)
    source[i] = (short)(me * 100 + i);
  shmem_barrier_all();
  shmem_iput(dest, source, 3, 2, 4, next);
  shmem_short_ibput(dest + 12, source, 4, 5, 2, 2, next);
  shmem_barrier_all();
  for (int i = 0; i < 4; ++i)
    CHECK(dest[3 * i] == last * 100 + 2 * i && dest[3 * i + 1] == 0);
  CHECK(dest[12] == last * 100 && dest[13] == last * 100 + 1 && dest[14] == 0);
  CHECK(dest[16] == last * 100 + 5 && dest[17] == last * 100 + 6);
  shmem_iget(back, dest, 1, 3, 4, next);
  CHECK(back[3] == me * 100 + 6);
  shmem_barrier_all();
  shmem_free(dest);
}

/* The signal is there no earlier than its payload; fetch and the returned value agree; SET and ADD.
 */
static void signal_words(int me, int pes) {
  long *box = shmem_calloc((size_t)pes * 8, sizeof *box), mine[8];
  for (int i = 0; i < 8; ++i)
    mine[i] = 1000 * me + i;
  for (int pe = 0; pe < pes; ++pe)
    shmem_putmem_signal_nbi(box + 8 * me, mine, sizeof mine, &signals[me], 7, SHMEM_SIGNAL_SET, pe);
  for (int pe = 0; pe < pes; ++pe) {
    CHECK(shmem_signal_wait_until(&signals[pe], SHMEM_CMP_NE, 0) == 7);
    CHECK(shmem_signal_fetch(&signals[pe]) == 7 && box[8 * pe + 7] == 1000 * pe + 7);
  }
  shmem_quiet();
  shmem_barrier_all();
  shmem_signal_add(&signals[0], 2, me);
  CHECK(shmem_signal_fetch(&signals[0]) == 9);
  shmem_signal_set(&signals[0], 0, me);
  CHECK(shmem_signal_wait_until(&signals[0], SHMEM_CMP_EQ, 0) == 0);
  shmem_free(box);
}

/* status excludes; SIZE_MAX when nothing is left to wait for; some reports each at least once. */
static void conditions(int me, int pes) {
  int exclude[16] = {0}, none[16];
  size_t found[16], n = (size_t)pes;
  for (int i = 0; i < 16; ++i)
    none[i] = 1;
  CHECK(shmem_wait_until_any(arrived, n, none, SHMEM_CMP_EQ, 9) == SIZE_MAX);
  CHECK(shmem_test_any(arrived, n, none, SHMEM_CMP_EQ, 0) == SIZE_MAX);
  CHECK(shmem_wait_until_some(arrived, n, found, none, SHMEM_CMP_EQ, 9) == 0);
  CHECK(shmem_test_all(arrived, n, none, SHMEM_CMP_EQ, 9) == 1);
  shmem_wait_until_all(arrived, n, none, SHMEM_CMP_EQ, 9);
  shmem_barrier_all();
  for (int pe = 0; pe < pes; ++pe)
    shmem_int_atomic_set(&arrived[me], me + 1, pe);
  size_t seen = 0;
  while (seen < n) {
    size_t hits = shmem_wait_until_some(arrived, n, found, exclude, SHMEM_CMP_NE, 0);
    CHECK(hits >= 1 && hits <= n - seen);
    for (size_t i = 0; i < hits; ++i) {
      CHECK(arrived[found[i]] == (int)found[i] + 1 && exclude[found[i]] == 0);
      exclude[found[i]] = 1;
    }
    seen += hits;
  }
  int wanted[16];
  for (int i = 0; i < 16; ++i)
    wanted[i] = i + 1;
  shmem_wait_until_all_vector(arrived, n, NULL, SHMEM_CMP_EQ, wanted);
  CHECK(shmem_test_all_vector(arrived, n, NULL, SHMEM_CMP_EQ, wanted) == 1);
  CHECK(shmem_test_some(arrived, n, found, NULL, SHMEM_CMP_GT, 0) == n);
}

/* Ranks of a split are relative to its parent; a PE outside gets SHMEM_TEAM_INVALID; queries of an
 * invalid team answer -1, syncs and destroys of it do nothing or fail softly. */
static void teams(int me, int pes) {
  shmem_team_t even = SHMEM_TEAM_INVALID, tail = SHMEM_TEAM_INVALID, x, y;
  int members = (pes + 1) / 2;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, members, NULL, 0, &even) == 0);
  CHECK((even == SHMEM_TEAM_INVALID) == (me % 2 != 0));
  CHECK(shmem_team_my_pe(even) == (me % 2 != 0 ? -1 : me / 2));
  if (even != SHMEM_TEAM_INVALID && members > 1) {
    CHECK(shmem_team_split_strided(even, 1, 1, members - 1, NULL, 0, &tail) == 0);
    CHECK((tail == SHMEM_TEAM_INVALID) == (me == 0));
    if (tail != SHMEM_TEAM_INVALID)
      CHECK(shmem_team_translate_pe(tail, 0, SHMEM_TEAM_WORLD) == 2);
  }
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &x, NULL, 0, &y) == 0);
  CHECK(shmem_team_my_pe(x) == me % 2 && shmem_team_my_pe(y) == me / 2);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, me, x) == me % 2);
  long one = me, *sum = shmem_malloc(2 * sizeof *sum);
  sum[1] = one;
  shmem_barrier_all();
  CHECK(shmem_long_sum_reduce(y, sum, sum + 1, 1) == 0);
  long expected = 0;
  for (int pe = me % 2; pe < pes; pe += 2)
    expected += pe;
  CHECK(*sum == expected);
  shmem_ctx_t context;
  CHECK(shmem_team_create_ctx(x, 0, &context) == 0);
  shmem_team_t of;
  CHECK(shmem_ctx_get_team(context, &of) == 0 && of == x);
  shmem_ctx_long_p(context, &totals[0], 40 + me, shmem_team_n_pes(x) - 1 - me % 2);
  shmem_ctx_quiet(context);
  shmem_ctx_destroy(context);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_barrier_all();
  if (pes % 2 == 0)
    CHECK(totals[0] == 40 + (me ^ 1));
  shmem_team_destroy(x);
  shmem_team_destroy(y);
  shmem_team_destroy(tail);
  shmem_team_destroy(even);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
  CHECK(shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, pes, SHMEM_TEAM_WORLD) == -1);
  shmem_free(sum);
}

/* Collects of unlike sizes concatenate in the order of PEs; scans, in place too. */
static void collectives(int me, int pes) {
  int *source = shmem_malloc(16 * sizeof *source), *dest = shmem_calloc(256, sizeof *dest);
  for (int i = 0; i < 16; ++i)
    source[i] = 10 * me + i;
  shmem_barrier_all();
  size_t mine = me % 2 == 0 ? 0 : (size_t)me;
  CHECK(shmem_int_collect(SHMEM_TEAM_WORLD, dest, source, mine) == 0);
  int at = 0;
  for (int pe = 1; pe < pes; pe += 2)
    for (int i = 0; i < pe; ++i)
      CHECK(dest[at++] == 10 * pe + i);
  shmem_sync_all(); /* nobody writes a dest that is still looked at */
  CHECK(shmem_int_alltoalls(SHMEM_TEAM_WORLD, dest, source, 2, 1, 1) == 0);
  for (int pe = 0; pe < pes; ++pe)
    CHECK(dest[2 * pe] == 10 * pe + me);
  shmem_sync_all();
  CHECK(shmem_int_sum_inscan(SHMEM_TEAM_WORLD, source, source, 2) == 0);
  CHECK(source[1] == 10 * me * (me + 1) / 2 + me + 1);
  source[0] = me;
  CHECK(shmem_int_max_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0 && dest[0] == pes - 1);
  shmem_sync_all();
  CHECK(shmem_int_broadcast(SHMEM_TEAM_WORLD, dest, source, 1, pes - 1) == 0 && dest[0] == pes - 1);
  CHECK(shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, 0, 0) == 0);
  shmem_barrier_all();
  shmem_free(dest);
  shmem_free(source);
}

/* Results of non-blocking calls are there after quiet on their context; a session changes nothing
 * that can be observed. */
static void contexts(int me, int pes) {
  int next = (me + 1) % pes;
  uint64_t *word = shmem_calloc(4, sizeof *word), fetched = 99,
           *box = shmem_calloc(64, sizeof *box);
  shmem_ctx_t context;
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) == 0);
  shmem_barrier_all();
  shmem_ctx_session_start(context, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  for (uint64_t i = 0; i < 64; ++i)
    shmem_ctx_uint64_p(context, &box[i], i + (uint64_t)me, next);
  shmem_ctx_session_stop(context);
  shmem_ctx_fence(context);
  shmem_ctx_uint64_atomic_fetch_add_nbi(context, &fetched, word, 5, next);
  shmem_ctx_quiet(context);
  CHECK(fetched == 0);
  shmem_uint64_wait_until(word, SHMEM_CMP_EQ, 5);
  uint64_t last = (uint64_t)((me + pes - 1) % pes);
  CHECK(box[0] == last && box[63] == 63 + last);
  CHECK(shmem_uint64_atomic_fetch_xor(word, 1, me) == 5 &&
        shmem_uint64_atomic_swap(word, 8, me) == 4);
  shmem_ctx_destroy(context);
  shmem_barrier_all();
  shmem_free(box);
  shmem_free(word);
}

int main(void) {
  int started = -1, finished = -1, level = -1;
  shmem_query_initialized(&started);
  CHECK(started == 0);
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level) == 0 && level <= SHMEM_THREAD_MULTIPLE);
  shmem_query_thread(&finished);
  CHECK(finished == level);
  int me = shmem_my_pe(), pes = shmem_n_pes();
  memory(me);
  strides(me, pes);
  signal_words(me, pes);
  conditions(me, pes);
  teams(me, pes);
  collectives(me, pes);
  contexts(me, pes);
  shmem_query_initialized(&started);
  CHECK(started == 1);
  shmem_finalize();
  return failed;
}
