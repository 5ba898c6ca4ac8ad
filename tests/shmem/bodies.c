/* bodies.c: the list of bodies, and those for heap, put/get, atomics, signals, waits, order and
 * locks. */
#include "tests/shmem/bodies.h"

int bodiesFailed;

const Body bodies[] = {
    {"heap", heapBody},     {"put-get", putGetBody},      {"atomic", atomicBody},
    {"signal", signalBody}, {"condition", conditionBody}, {"order", orderBody},
    {"lock", lockBody},     {"team", teamBody},           {"collective", collectiveBody},
    {"reduce", reduceBody}, {"scan", scanBody},           {"alternating", alternatingBody},
    {"error", errorBody},   {"type", typeBody},
};
const int bodyCount = (int)(sizeof bodies / sizeof bodies[0]);

void *symmetric(size_t bytes) {
  void *object = NULL;
  OK(moac_shmem_calloc(1, bytes, &object));
  return object;
}

void heapBody(void *unused) {
  (void)unused;
  void *a = NULL, *b = NULL, *c = NULL, *none = &a;
  OK(moac_shmem_malloc(100, &a));
  OK(moac_shmem_calloc(3, 8, &b));
  OK(moac_shmem_align(4096, 10, &c));
  CHECK(a != NULL && b != NULL && c != NULL && a != b);
  CHECK((uintptr_t)c % 4096 == 0);
  for (int i = 0; i < 24; ++i)
    CHECK(((char *)b)[i] == 0);
  OK(moac_shmem_malloc(0, &none));
  CHECK(none == NULL);
  OK(moac_shmem_free(NULL));
  memset(a, 7, 100);
  void *larger = NULL;
  OK(moac_shmem_realloc(a, 5000, &larger));
  CHECK(larger != NULL && ((char *)larger)[99] == 7);
  CHECK(moac_shmem_calloc(SIZE_MAX / 2, 3, &none) == MOAC_SHMEM_SIZE_OVERFLOW);
  CHECK(moac_shmem_malloc((size_t)1 << 45, &none) == MOAC_SHMEM_HEAP_EXHAUSTED && none == NULL);
  CHECK(moac_shmem_malloc(SIZE_MAX, &none) == MOAC_SHMEM_HEAP_EXHAUSTED);
  CHECK(moac_shmem_free((char *)b + 8) == MOAC_SHMEM_INVALID_ADDRESS);
  void *tagged = NULL;
  OK(moac_shmem_malloc_tagged(64, 5, &tagged));
  CHECK(moac_shmem_access_com_id(tagged) == 5 && moac_shmem_access_com_id(b) == 0);
  CHECK(moac_shmem_com_id(DEFAULT) == 0 && moac_shmem_com_id(moac_shmem_tag(DEFAULT, 9)) == 9);
  OK(moac_shmem_free(tagged));
  OK(moac_shmem_free(larger));
  OK(moac_shmem_free(b));
  OK(moac_shmem_free(c));
  OK(moac_shmem_malloc(64, &a)); /* grows where it stands, up to all that is free, and shrinks */
  memset(a, 9, 64);
  OK(moac_shmem_realloc(a, 700000, &larger));
  CHECK(larger == a && ((char *)a)[63] == 9);
  OK(moac_shmem_realloc(a, 64, &larger));
  OK(moac_shmem_malloc(500000, &b));
  CHECK(larger == a && b == (void *)((char *)a + 64));
  CHECK(moac_shmem_realloc(a, SIZE_MAX, &c) == MOAC_SHMEM_HEAP_EXHAUSTED && c == NULL);
  OK(moac_shmem_realloc(a, 65, &c)); /* the neighbour is in the way */
  CHECK(c == (void *)((char *)b + 500032) && ((char *)c)[63] == 9);
  CHECK(moac_shmem_realloc(a, 8, &larger) == MOAC_SHMEM_INVALID_ADDRESS);
  OK(moac_shmem_free(b));
  OK(moac_shmem_free(c));
  for (int round = 0; round < 50; ++round) { /* freed space is found again */
    OK(moac_shmem_malloc(300000, &a));
    CHECK(a != NULL);
    OK(moac_shmem_free(a));
  }
}

void putGetBody(void *unused) {
  (void)unused;
  enum { N = 300 };
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes(), next = (me + 1) % pes,
      last = (me + pes - 1) % pes;
  int64_t *x = symmetric(N * sizeof *x), *y = symmetric(N * sizeof *y), local[N], back[N];
  for (int round = 0; round < 5; ++round) {
    for (size_t i = 0; i < N; ++i)
      local[i] = valueOf(me, i, round);
    OK(moac_shmem_put(DEFAULT, x, local, sizeof local, next));
    OK(moac_shmem_put_nbi(DEFAULT, y, local, 8, next));
    memset(back, 0, sizeof back);
    OK(moac_shmem_barrier(WORLD));
    for (size_t i = 0; i < N; ++i)
      CHECK(x[i] == valueOf(last, i, round));
    CHECK(y[0] == valueOf(last, 0, round));
    OK(moac_shmem_get(DEFAULT, back, x, sizeof back, next));
    for (size_t i = 0; i < N; ++i)
      CHECK(back[i] == valueOf(me, i, round));
    OK(moac_shmem_get_nbi(DEFAULT, back, y, 8, next));
    OK(moac_shmem_quiet(DEFAULT));
    CHECK(back[0] == valueOf(me, 0, round));
    OK(moac_shmem_barrier(WORLD));
  }
  moac_shmem_strides strides = {3 * sizeof *x, 2 * sizeof *x, sizeof *x, 10};
  memset(x, 0, N * sizeof *x);
  OK(moac_shmem_barrier(WORLD));
  OK(moac_shmem_iput(DEFAULT, x, local, strides, next));
  OK(moac_shmem_barrier(WORLD));
  for (size_t i = 0; i < 30; ++i)
    CHECK(x[i] == (i % 3 == 0 ? valueOf(last, i / 3 * 2, 4) : 0));
  memset(back, 0, sizeof back);
  OK(moac_shmem_iget(DEFAULT, back, x, (moac_shmem_strides){8, 24, 8, 10}, next));
  for (size_t i = 0; i < 10; ++i)
    CHECK(back[i] == valueOf(me, i * 2, 4));
  void *mapped = NULL;
  moac_shmem_status answer = moac_shmem_ptr(x, next, &mapped);
  if (answer != MOAC_SHMEM_UNSUPPORTED) { /* an engine may have no address */
    OK(answer);
    CHECK(((int64_t *)mapped)[3] == valueOf(me, 2, 4));
  }
  OK(moac_shmem_barrier(WORLD));
}

void atomicBody(void *unused) {
  (void)unused;
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  uint64_t *words = symmetric(4 * sizeof *words), old = 0, one = 1, bit = (uint64_t)1 << me;
  uint32_t *halves = symmetric(2 * sizeof *halves);
  for (int i = 0; i < 200; ++i)
    OK(moac_shmem_atomic_fetch_add(DEFAULT, &words[0], 1, 0, &old));
  OK(moac_shmem_atomic_apply(
      DEFAULT, &words[1],
      (moac_shmem_atomic){MOAC_SHMEM_ATOMIC_OR, MOAC_SHMEM_U64, &bit, NULL, NULL}, pes - 1));
  uint64_t zero = 0, mine = (uint64_t)me + 1, seen = 0;
  OK(moac_shmem_atomic_apply(
      DEFAULT, &words[2],
      (moac_shmem_atomic){MOAC_SHMEM_ATOMIC_COMPARE_SWAP, MOAC_SHMEM_U64, &mine, &zero, &seen}, 0));
  uint32_t half = 3;
  OK(moac_shmem_atomic_apply_nbi(
      DEFAULT, &halves[1],
      (moac_shmem_atomic){MOAC_SHMEM_ATOMIC_ADD, MOAC_SHMEM_U32, &half, NULL, NULL}, 0));
  uint64_t *winners = symmetric(sizeof *winners);
  OK(moac_shmem_quiet(DEFAULT));
  if (seen == 0)
    OK(moac_shmem_atomic_apply(
        DEFAULT, winners,
        (moac_shmem_atomic){MOAC_SHMEM_ATOMIC_ADD, MOAC_SHMEM_U64, &one, NULL, NULL}, 0));
  OK(moac_shmem_barrier(WORLD));
  if (me == 0) {
    CHECK(words[0] == 200u * (uint64_t)pes);
    CHECK(words[2] >= 1 && words[2] <= (uint64_t)pes);
    CHECK(halves[1] == 3u * (uint32_t)pes && halves[0] == 0);
    CHECK(*winners == 1);
  }
  if (me == pes - 1)
    CHECK(words[1] == (pes == 64 ? UINT64_MAX : ((uint64_t)1 << pes) - 1));
  double value = 2.5, before = -1;
  double *real = symmetric(sizeof *real);
  OK(moac_shmem_atomic_apply(
      DEFAULT, real,
      (moac_shmem_atomic){MOAC_SHMEM_ATOMIC_SWAP, MOAC_SHMEM_F64, &value, NULL, &before}, me));
  CHECK(before == 0 && *real == 2.5);
  OK(moac_shmem_barrier(WORLD));
}

void signalBody(void *unused) {
  (void)unused;
  enum { N = 1000, ROUNDS = 40 };
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes(), next = (me + 1) % pes,
      last = (me + pes - 1) % pes;
  int64_t *box = symmetric(2 * N * sizeof *box), local[N];
  uint64_t *flag = symmetric(sizeof *flag), *credit = symmetric(sizeof *credit), seen = 0;
  for (int round = 1; round <= ROUNDS; ++round) {
    if (round > 2)
      OK(moac_shmem_signal_wait_until(credit, MOAC_SHMEM_GE, (uint64_t)round - 2, NULL));
    for (size_t i = 0; i < N; ++i)
      local[i] = valueOf(me, i, round);
    size_t count = round % 7 == 0 ? 0 : N;
    moac_shmem_signal signal = {flag, (uint64_t)round, MOAC_SHMEM_SIGNAL_SET};
    OK(moac_shmem_fence(DEFAULT));
    OK(moac_shmem_put_signal(DEFAULT, box + (round & 1) * N, local, count * sizeof *box, signal,
                             next));
    OK(moac_shmem_signal_wait_until(flag, MOAC_SHMEM_GE, (uint64_t)round, &seen));
    for (size_t i = 0; i < count; i += 37)
      CHECK(box[(size_t)(round & 1) * N + i] == valueOf(last, i, round));
    OK(moac_shmem_fence(DEFAULT));
    OK(moac_shmem_signal_send(
        DEFAULT, (moac_shmem_signal){credit, (uint64_t)round, MOAC_SHMEM_SIGNAL_SET}, last));
  }
  OK(moac_shmem_barrier(WORLD));
  uint64_t *sum = symmetric(sizeof *sum);
  for (int to = 0; to < pes; ++to)
    OK(moac_shmem_put_signal_nbi(DEFAULT, NULL, NULL, 0,
                                 (moac_shmem_signal){sum, 1, MOAC_SHMEM_SIGNAL_ADD}, to));
  OK(moac_shmem_signal_wait_until(sum, MOAC_SHMEM_EQ, (uint64_t)pes, NULL));
  OK(moac_shmem_signal_fetch(sum, &seen));
  CHECK(seen == (uint64_t)pes);
  OK(moac_shmem_barrier(WORLD));
}

void conditionBody(void *unused) {
  (void)unused;
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  uint64_t *words = symmetric((size_t)pes * sizeof *words), operand = 0;
  int excluded[64] = {0};
  size_t hits = 0, indices[64], seen = 0;
  moac_shmem_condition c = {words,         (size_t)pes, excluded, MOAC_SHMEM_U64,
                            MOAC_SHMEM_NE, &operand,    false,    0};
  OK(moac_shmem_test(MOAC_SHMEM_ANY, &c, NULL, &hits));
  OK(moac_shmem_sync(WORLD));
  for (int to = 0; to < pes; ++to)
    OK(moac_shmem_atomic_set(DEFAULT, &words[me], 5, to));
  for (int left = pes; left > 0; --left) {
    OK(moac_shmem_wait(MOAC_SHMEM_ANY, &c, NULL, &hits));
    CHECK(hits < (size_t)pes && excluded[hits] == 0 && words[hits] == 5);
    excluded[hits] = 1;
  }
  OK(moac_shmem_wait(MOAC_SHMEM_ANY, &c, NULL, &hits)); /* all excluded: at once */
  CHECK(hits == SIZE_MAX);
  OK(moac_shmem_wait(MOAC_SHMEM_SOME, &c, indices, &hits));
  CHECK(hits == 0);
  OK(moac_shmem_wait(MOAC_SHMEM_ALL, &c, NULL, &hits));
  c.status = NULL;
  uint64_t operands[64];
  for (int i = 0; i < pes; ++i)
    operands[i] = 6 + (uint64_t)i;
  OK(moac_shmem_barrier(WORLD));
  c.vector = true;
  c.operand = operands;
  c.comparison = MOAC_SHMEM_EQ;
  OK(moac_shmem_test(MOAC_SHMEM_ALL, &c, NULL, &hits));
  OK(moac_shmem_sync(WORLD));
  for (int to = 0; to < pes; ++to)
    OK(moac_shmem_atomic_set(DEFAULT, &words[me], 6 + (uint64_t)me, to));
  while (seen < (size_t)pes) {
    OK(moac_shmem_wait(MOAC_SHMEM_SOME, &c, indices, &hits));
    CHECK(hits > 0);
    seen = hits;
  }
  OK(moac_shmem_test(MOAC_SHMEM_ALL, &c, NULL, &hits));
  CHECK(hits == 1);
  int32_t *small = symmetric(sizeof *small), minus = -3;
  moac_shmem_condition one = {small, 1, NULL, MOAC_SHMEM_I32, MOAC_SHMEM_LT, &minus, false, 0};
  int32_t value = -4;
  OK(moac_shmem_put(DEFAULT, small, &value, sizeof value, me));
  OK(moac_shmem_wait(MOAC_SHMEM_ALL, &one, NULL, NULL));
  OK(moac_shmem_barrier(WORLD));
}

void orderBody(void *unused) {
  (void)unused;
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes(), next = (me + 1) % pes,
      last = (me + pes - 1) % pes;
  moac_shmem_context a, b;
  moac_shmem_team team;
  OK(moac_shmem_context_create(WORLD, 0, 0, &a));
  OK(moac_shmem_context_create(WORLD, MOAC_SHMEM_CONTEXT_NOSTORE, 3, &b));
  CHECK(moac_shmem_com_id(a) == 0 && moac_shmem_com_id(b) == 3);
  OK(moac_shmem_context_team(a, &team));
  CHECK(team == WORLD);
  int64_t *data = symmetric(64 * sizeof *data), *other = symmetric(64 * sizeof *other);
  uint64_t *flag = symmetric(sizeof *flag), *flagB = symmetric(sizeof *flagB);
  for (uint64_t round = 1; round <= 60; ++round) {
    int64_t v[64], w[64];
    for (size_t i = 0; i < 64; ++i)
      v[i] = valueOf(me, i, (int)round), w[i] = -v[i];
    OK(moac_shmem_put_nbi(a, data, v, sizeof v, next));
    OK(moac_shmem_put_nbi(moac_shmem_tag(b, 4), other, w, sizeof w, next));
    OK(moac_shmem_fence(a));
    OK(moac_shmem_fence(b));
    OK(moac_shmem_atomic_set(a, flag, round, next));
    OK(moac_shmem_atomic_set(b, flagB, round, next));
    OK(moac_shmem_signal_wait_until(flag, MOAC_SHMEM_EQ, round, NULL));
    for (size_t i = 0; i < 64; ++i)
      CHECK(data[i] == valueOf(last, i, (int)round));
    OK(moac_shmem_signal_wait_until(flagB, MOAC_SHMEM_EQ, round, NULL));
    for (size_t i = 0; i < 64; ++i)
      CHECK(other[i] == -valueOf(last, i, (int)round));
    OK(moac_shmem_pe_quiet(a, &next, 1)); /* nothing went elsewhere */
    OK(moac_shmem_quiet(b));
    OK(moac_shmem_sync(WORLD));
  }
  OK(moac_shmem_context_destroy(a));
  OK(moac_shmem_context_destroy(b));
  CHECK(moac_shmem_fence(a) == MOAC_SHMEM_INVALID_CONTEXT);
}

void lockBody(void *unused) {
  (void)unused;
  long *lock = symmetric(sizeof *lock);
  int64_t *counter = symmetric(2 * sizeof *counter), pair[2];
  bool taken = false;
  for (int round = 0; round < 30; ++round) {
    OK(moac_shmem_lock(lock));
    OK(moac_shmem_get(DEFAULT, pair, counter, sizeof pair, 0));
    CHECK(pair[0] == pair[1]);
    pair[0]++;
    pair[1]++;
    OK(moac_shmem_put(DEFAULT, counter, pair, sizeof pair, 0));
    OK(moac_shmem_unlock(lock));
  }
  OK(moac_shmem_barrier(WORLD));
  if (moac_shmem_my_pe() == 0) {
    CHECK(counter[0] == 30 * moac_shmem_n_pes() && counter[1] == counter[0]);
    OK(moac_shmem_try_lock(lock, &taken));
    CHECK(taken);
    OK(moac_shmem_try_lock(lock, &taken));
    CHECK(!taken);
    OK(moac_shmem_unlock(lock));
  }
  OK(moac_shmem_barrier(WORLD));
}
