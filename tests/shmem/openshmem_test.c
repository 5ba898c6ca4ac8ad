/* openshmem_test.c: a program written against the standard's names: static and global symmetric
 * objects, type-generic calls, contexts, teams, signals, waits, locks, active sets and the older
 * names. `moac-launch -n P openshmem-test`.
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

/* Initialized, zeroed, local static and constant-adjacent data: all in different sections. */
long global_data[4] = {1, 2, 3, 4};
double global_zero[8];
static const int table[3] = {7, 8, 9};
static long sync_words[SHMEM_SYNC_SIZE], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 8];
static uint64_t flag;

static void statics(int me, int pes) {
  static int counter = 5;
  int next = (me + 1) % pes, last = (me + pes - 1) % pes;
  CHECK(global_data[2] == 3 && counter == 5 && table[1] == 8);
  shmem_barrier_all();
  shmem_long_p(&global_data[1], 100 + me, next);
  shmem_int_atomic_add(&counter, me, 0);
  double d = me + 0.5;
  shmem_put(&global_zero[3], &d, 1, next);
  shmem_barrier_all();
  CHECK(global_data[1] == 100 + last && global_data[0] == 1 && global_data[3] == 4);
  CHECK(global_zero[3] == last + 0.5 && global_zero[2] == 0);
  if (me == 0)
    CHECK(counter == 5 + pes * (pes - 1) / 2);
  CHECK(shmem_g(&global_data[1], next) == 100 + me);
  long *there = shmem_ptr(&global_data[1], next);
  CHECK(there == NULL ? getenv("MOAC_SHMEM_ENGINE") != NULL : *there == 100 + me);
  CHECK(shmem_addr_accessible(&counter, next) && !shmem_addr_accessible(&me, next));
}

static void generics(int me, int pes) {
  int next = (me + 1) % pes;
  short *s = shmem_malloc(4 * sizeof *s);
  float *f = shmem_calloc(4, sizeof *f);
  unsigned long long *u = shmem_align(256, 4 * sizeof *u);
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx) == 0);
  memset(u, 0, 4 * sizeof *u);
  shmem_barrier_all();
  shmem_p(s, (short)(me + 1), next);
  shmem_p(ctx, f, 1.5f, next);
  shmem_atomic_inc(u, next);
  shmem_atomic_fetch_add(ctx, u + 1, 3ULL, next);
  shmem_atomic_set(ctx, u + 2, 9ULL, next);
  shmem_quiet();
  shmem_ctx_quiet(ctx);
  shmem_sync_all();
  CHECK(*s == (me + pes - 1) % pes + 1 && f[0] == 1.5f && u[0] == 1 && u[1] == 3 && u[2] == 9);
  CHECK(shmem_g(ctx, s, next) == me + 1 && shmem_atomic_fetch(u + 2, next) == 9);
  shmem_sync_all();
  CHECK(shmem_atomic_compare_swap(u + 2, 9ULL, 1ULL, me) == 9 && u[2] == 1);
  CHECK(shmem_test(u + 1, SHMEM_CMP_GE, 3ULL));
  shmem_ctx_destroy(ctx);
  shmem_free(s);
  shmem_free(f);
  shmem_free(u);
}

static void signals_and_teams(int me, int pes) {
  int next = (me + 1) % pes;
  long *box = shmem_malloc(64 * sizeof *box), mine[64];
  for (int i = 0; i < 64; ++i)
    mine[i] = me * 100 + i;
  shmem_put_signal(box, mine, 64, &flag, 1, SHMEM_SIGNAL_ADD, next);
  CHECK(shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 1) == 1);
  CHECK(box[63] == (me + pes - 1) % pes * 100 + 63);
  shmem_team_t odd = SHMEM_TEAM_INVALID;
  shmem_team_config_t config = {2};
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, &config,
                                 SHMEM_TEAM_NUM_CONTEXTS, &odd) == 0);
  long *sum = shmem_malloc(sizeof *sum), *one = shmem_malloc(sizeof *one);
  *one = me;
  shmem_barrier_all();
  if (odd != SHMEM_TEAM_INVALID) {
    long members = shmem_team_n_pes(odd);
    CHECK(shmem_sum_reduce(odd, sum, one, 1) == 0 && *sum == members * (members - 1));
    CHECK(shmem_long_max_reducescatter(odd, sum, box, 1) == 0);
    shmem_sync(odd);
    shmem_team_destroy(odd);
  }
  CHECK(shmem_long_sum_exscan(SHMEM_TEAM_WORLD, sum, one, 1) == 0 && *sum == me * (me - 1) / 2);
  shmem_free(one);
  shmem_free(sum);
  shmem_free(box);
}

static void active_sets(int me, int pes) {
  long *source = shmem_malloc(8 * sizeof *source),
       *dest = shmem_malloc(8 * (size_t)pes * sizeof *dest);
  for (int i = 0; i < 8; ++i)
    source[i] = me * 10 + i;
  for (int round = 0; round < 20; ++round) {
    memset(dest, 0, 8 * (size_t)pes * sizeof *dest);
    shmem_barrier_all();
    if (me % 2 == 0) {
      int members = (pes + 1) / 2, last = (members - 1) * 2;
      shmem_fcollect64(dest, source, 2, 0, 1, members, sync_words);
      CHECK(dest[1] == 1 && dest[2 * (members - 1)] == last * 10);
      shmem_barrier(0, 1, members, sync_words);
      shmem_collect64(dest, source, (size_t)(me / 2 + 1), 0, 1, members, sync_words);
      CHECK(dest[0] == 0 && (members < 2 || dest[2] == 21));
      shmem_barrier(0, 1, members, sync_words);
      shmem_long_sum_to_all(dest, source, 3, 0, 1, members, work, sync_words);
      CHECK(dest[2] == 10L * members * (members - 1) + 2L * members);
      shmem_sync(0, 1, members, sync_words);
      shmem_broadcast64(dest, source, 1, members - 1, 0, 1, members, sync_words);
      CHECK(me == last || dest[0] == last * 10);
    }
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i)
      CHECK(sync_words[i] == SHMEM_SYNC_VALUE);
  }
  shmem_free(source);
  shmem_free(dest);
}

static void older_names(int me, int pes) {
  static long lock;
  static int value;
  CHECK(_my_pe() == me && _num_pes() == pes);
  int *heap = shmalloc(sizeof *heap);
  *heap = 0;
  shmem_barrier_all();
  for (int i = 0; i < 20; ++i) {
    shmem_set_lock(&lock);
    shmem_int_p(heap, shmem_int_g(heap, 0) + 1, 0);
    shmem_clear_lock(&lock);
  }
  shmem_int_finc(&value, 0);
  shmem_barrier_all();
  if (me == 0)
    CHECK(*heap == 20 * pes && shmem_int_fadd(&value, 0, 0) == pes);
  shmem_barrier_all();
  shfree(heap);
}

int main(void) {
  int provided = -1, major = 0, minor = 0;
  char name[SHMEM_MAX_NAME_LEN];
  CHECK(shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) == 0 &&
        provided >= SHMEM_THREAD_FUNNELED);
  shmem_info_get_version(&major, &minor);
  shmem_info_get_name(name);
  CHECK(major == SHMEM_MAJOR_VERSION && strcmp(name, SHMEM_VENDOR_STRING) == 0);
  int me = shmem_my_pe(), pes = shmem_n_pes();
  statics(me, pes);
  generics(me, pes);
  signals_and_teams(me, pes);
  active_sets(me, pes);
  older_names(me, pes);
  shmem_barrier_all();
  return failed; /* no finalize: returning from main is one */
}
