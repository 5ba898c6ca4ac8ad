/* collective_bodies.c: bodies for teams, collectives, reductions and what must be refused. */
#include "tests/shmem/bodies.h"

#include <stdlib.h>

void teamBody(void *unused) {
  (void)unused;
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  moac_shmem_team even, again, back, x, y;
  OK(moac_shmem_team_split_strided(WORLD, 0, 2, (pes + 1) / 2, &even));
  CHECK((even != MOAC_SHMEM_TEAM_INVALID) == (me % 2 == 0));
  if (even != MOAC_SHMEM_TEAM_INVALID) {
    int members = (pes + 1) / 2;
    CHECK(moac_shmem_team_my_pe(even) == me / 2 && moac_shmem_team_n_pes(even) == members);
    OK(moac_shmem_team_split_strided(even, 0, 2, (members + 1) / 2,
                                     &again)); /* relative to the parent */
    CHECK((again != MOAC_SHMEM_TEAM_INVALID) == (me % 4 == 0));
    if (again != MOAC_SHMEM_TEAM_INVALID)
      CHECK(moac_shmem_team_translate_pe(again, moac_shmem_team_my_pe(again), WORLD) == me);
    OK(moac_shmem_team_split_strided(even, members - 1, -1, members, &back));
    CHECK(moac_shmem_team_my_pe(back) == members - 1 - me / 2);
    OK(moac_shmem_sync(back));
    OK(moac_shmem_team_destroy(back));
    if (again != MOAC_SHMEM_TEAM_INVALID)
      OK(moac_shmem_team_destroy(again));
  }
  OK(moac_shmem_team_split_2d(WORLD, 3, &x, &y));
  CHECK(moac_shmem_team_my_pe(x) == me % 3 && moac_shmem_team_my_pe(y) == me / 3);
  CHECK(moac_shmem_team_translate_pe(x, moac_shmem_team_my_pe(x), y) == moac_shmem_team_my_pe(y));
  int64_t *box = symmetric(sizeof *box), value = 100 + me;
  moac_shmem_context context;
  OK(moac_shmem_context_create(y, 0, 0, &context));
  int rows = moac_shmem_team_n_pes(y), row = moac_shmem_team_my_pe(y);
  OK(moac_shmem_put(context, box, &value, sizeof value, (row + 1) % rows));
  CHECK(moac_shmem_put(context, box, &value, sizeof value, rows) == MOAC_SHMEM_INVALID_PE);
  OK(moac_shmem_quiet(context));
  OK(moac_shmem_sync(WORLD));
  CHECK(*box == 100 + moac_shmem_team_translate_pe(y, (row + rows - 1) % rows, WORLD));
  OK(moac_shmem_sync(WORLD));
  OK(moac_shmem_team_destroy(y)); /* takes the context with it */
  CHECK(moac_shmem_quiet(context) == MOAC_SHMEM_INVALID_CONTEXT);
  OK(moac_shmem_team_destroy(x));
  if (even != MOAC_SHMEM_TEAM_INVALID)
    OK(moac_shmem_team_destroy(even));
  for (int round = 0; round < 100; ++round) { /* slots are given back */
    OK(moac_shmem_team_split_2d(WORLD, 2, &x, &y));
    OK(moac_shmem_sync(y));
    OK(moac_shmem_team_destroy(x));
    OK(moac_shmem_team_destroy(y));
  }
}

/* One round of every collective on a team, `count` int64 per block. */
static void collectiveRound(moac_shmem_team team, int64_t *source, int64_t *target, size_t count,
                            int round) {
  int rank = moac_shmem_team_my_pe(team), size = moac_shmem_team_n_pes(team), root = round % size;
  size_t all = count * (size_t)size, bytes = count * sizeof *source;
  for (size_t i = 0; i < all; ++i)
    source[i] = valueOf(rank, i, round), target[i] = -1;
  OK(moac_shmem_barrier(team));
  OK(moac_shmem_broadcast(team, target, source, bytes, root));
  for (size_t i = 0; i < count; ++i)
    CHECK(target[i] == valueOf(root, i, round));
  OK(moac_shmem_sync(team));
  OK(moac_shmem_fcollect(team, target, source, bytes));
  for (size_t i = 0; i < all; ++i)
    CHECK(target[i] == valueOf((int)(i / count), i % count, round));
  OK(moac_shmem_sync(team));
  OK(moac_shmem_alltoall(team, target, source, bytes));
  for (size_t i = 0; i < all; ++i)
    CHECK(target[i] == valueOf((int)(i / count), (size_t)rank * count + i % count, round));
  OK(moac_shmem_sync(team));
  size_t mine = count * (size_t)(rank % 3), before = 0; /* 0, count, 2*count, 0, ... */
  OK(moac_shmem_collect(team, target, mine == 0 ? NULL : source, mine * sizeof *source));
  for (int r = 0; r < size; before += count * (size_t)(r % 3), ++r)
    for (size_t i = 0; i < count * (size_t)(r % 3); ++i)
      CHECK(target[before + i] == valueOf(r, i, round));
  OK(moac_shmem_sync(team));
  if (count > 100) /* element-wise puts: slow under chaos */
    return;
  moac_shmem_strides strides = {2 * sizeof *target, sizeof *source, sizeof *source, count / 2};
  OK(moac_shmem_alltoalls(team, target, source, strides));
  for (size_t b = 0; b < count / 2 * (size_t)size; ++b) {
    size_t from = b / (count / 2), i = b % (count / 2);
    CHECK(target[2 * b] == valueOf((int)from, (size_t)rank * (count / 2) + i, round));
  }
  OK(moac_shmem_sync(team));
}

void collectiveBody(void *unused) {
  (void)unused;
  static const size_t counts[] = {1, 2, 50, 3000};
  int pes = moac_shmem_n_pes();
  int64_t *source = symmetric((size_t)pes * 6000 * sizeof *source),
          *target = symmetric((size_t)pes * 6000 * sizeof *target);
  moac_shmem_team back, x, y;
  OK(moac_shmem_alltoall(WORLD, target, source, 8)); /* nothing was set up before */
  OK(moac_shmem_team_split_strided(WORLD, pes - 1, -1, pes, &back));
  OK(moac_shmem_team_split_2d(WORLD, 2, &x, &y));
  for (int round = 0; round < 4; ++round)
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
      collectiveRound(WORLD, source, target, counts[c], round);
      OK(moac_shmem_sync(WORLD));
      collectiveRound(back, source, target, counts[c], round);
      OK(moac_shmem_sync(WORLD));
      collectiveRound(x, source, target, counts[c], round);
      OK(moac_shmem_sync(WORLD));
      collectiveRound(y, source, target, counts[c], round);
      OK(moac_shmem_sync(WORLD));
    }
  OK(moac_shmem_broadcast(WORLD, NULL, NULL, 0, 0));
  OK(moac_shmem_fcollect(WORLD, NULL, NULL, 0));
  OK(moac_shmem_alltoall(WORLD, NULL, NULL, 0));
  OK(moac_shmem_collect(WORLD, NULL, NULL, 0));
}

static uint64_t random64(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 11;
}

/* Doubles of very different sizes: any other order of addition changes the bits. */
static double spread(int rank, size_t i) {
  uint64_t state = (uint64_t)rank * 977 + i;
  double fraction = (double)random64(&state) / 9007199254740992.0 - 0.5;
  return fraction * (double)((uint64_t)1 << (random64(&state) % 60));
}

static void reduceDoubles(moac_shmem_team team, double *source, double *target, size_t count) {
  int rank = moac_shmem_team_my_pe(team), size = moac_shmem_team_n_pes(team);
  for (int inPlace = 0; inPlace < 2; ++inPlace) {
    for (size_t i = 0; i < count; ++i)
      source[i] = spread(rank, i);
    OK(moac_shmem_sync(team));
    OK(moac_shmem_reduce(team, MOAC_SHMEM_SUM, MOAC_SHMEM_F64, inPlace ? source : target, source,
                         count));
    for (size_t i = 0; i < count; ++i) {
      double sum = spread(0, i);
      for (int r = 1; r < size; ++r)
        sum += spread(r, i);
      CHECK((inPlace ? source : target)[i] == sum);
    }
    OK(moac_shmem_sync(team));
    for (size_t i = 0; i < count * (size_t)size; ++i)
      source[i] = spread(rank, i);
    OK(moac_shmem_sync(team));
    OK(moac_shmem_reduce_scatter(team, MOAC_SHMEM_SUM, MOAC_SHMEM_F64, inPlace ? source : target,
                                 source, count));
    for (size_t i = 0; i < count; ++i) {
      double sum = spread(0, (size_t)rank * count + i);
      for (int r = 1; r < size; ++r)
        sum += spread(r, (size_t)rank * count + i);
      CHECK((inPlace ? source : target)[i] == sum);
    }
    OK(moac_shmem_sync(team));
  }
}

/* Every type with every operation that it has, on values small enough to be exact in all of them.
 */
static void reduceTypes(void *source, void *target) {
  static const moac_shmem_type integers[] = {MOAC_SHMEM_I8,  MOAC_SHMEM_I16, MOAC_SHMEM_I32,
                                             MOAC_SHMEM_I64, MOAC_SHMEM_U8,  MOAC_SHMEM_U16,
                                             MOAC_SHMEM_U32, MOAC_SHMEM_U64};
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  for (size_t t = 0; t < 8; ++t) {
    size_t bytes = moac_shmem_type_size(integers[t]);
    uint64_t mine = (uint64_t)(me % 3 + 1), expected[7] = {1, 1, 1, 1, 1, 1, 1};
    for (int r = 1; r < pes; ++r) {
      uint64_t v = (uint64_t)(r % 3 + 1);
      expected[MOAC_SHMEM_AND] &= v, expected[MOAC_SHMEM_OR] |= v, expected[MOAC_SHMEM_XOR] ^= v;
      expected[MOAC_SHMEM_MAX] = v > expected[MOAC_SHMEM_MAX] ? v : expected[MOAC_SHMEM_MAX];
      expected[MOAC_SHMEM_SUM] += v, expected[MOAC_SHMEM_PROD] *= v;
    }
    for (int op = 0; op < MOAC_SHMEM_REDUCTIONS; ++op) {
      OK(moac_shmem_sync(WORLD));
      memset(target, 0, 64);
      for (size_t i = 0; i < 5; ++i)
        memcpy((char *)source + i * bytes, &mine, bytes);
      OK(moac_shmem_sync(WORLD));
      OK(moac_shmem_reduce(WORLD, (moac_shmem_reduction)op, integers[t], target, source, 5));
      for (size_t i = 0; i < 5; ++i)
        CHECK(memcmp((char *)target + i * bytes, &expected[op], bytes) == 0);
    }
  }
}

/* 1.5 is 0x3e00 in f16 and 0x3fc0 in bf16; P * 1.5 is exact for small P. */
static void reduceHalves(uint16_t *source, uint16_t *target) {
  static const uint16_t f16[] = {0, 0x3e00, 0x4200, 0x4480, 0x4600, 0x4780, 0x4880, 0x4940, 0x4a00};
  static const uint16_t bf16[] = {0,      0x3fc0, 0x4040, 0x4090, 0x40c0,
                                  0x40f0, 0x4110, 0x4128, 0x4140};
  int pes = moac_shmem_n_pes();
  for (int brain = 0; brain < 2; ++brain) {
    OK(moac_shmem_sync(WORLD));
    for (int i = 0; i < 2000; ++i)
      source[i] = brain ? 0x3fc0 : 0x3e00;
    OK(moac_shmem_sync(WORLD));
    OK(moac_shmem_reduce(WORLD, MOAC_SHMEM_SUM, brain ? MOAC_SHMEM_BF16 : MOAC_SHMEM_F16, target,
                         source, 2000));
    for (int i = 0; pes <= 8 && i < 2000; ++i)
      CHECK(target[i] == (brain ? bf16 : f16)[pes]);
  }
}

void reduceBody(void *unused) {
  (void)unused;
  static const size_t counts[] = {1, 3, 64, 65, 1000, 5000};
  int pes = moac_shmem_n_pes();
  double *source = symmetric((size_t)pes * 5000 * sizeof *source),
         *target = symmetric((size_t)pes * 5000 * sizeof *target);
  moac_shmem_team x, y;
  OK(moac_shmem_team_split_2d(WORLD, 3, &x, &y));
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    reduceDoubles(WORLD, source, target, counts[c]);
    OK(moac_shmem_sync(WORLD));
    reduceDoubles(x, source, target, counts[c]);
    OK(moac_shmem_sync(WORLD));
    reduceDoubles(y, source, target, counts[c]);
    OK(moac_shmem_sync(WORLD));
  }
  reduceTypes(source, target);
  reduceHalves((uint16_t *)source, (uint16_t *)target);
  OK(moac_shmem_reduce(WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_F64, NULL, NULL, 0));
  OK(moac_shmem_sync(WORLD));
}

void scanBody(void *unused) {
  (void)unused;
  int me = moac_shmem_my_pe();
  int32_t *source = symmetric(400 * sizeof *source), *target = symmetric(400 * sizeof *target);
  for (int round = 0; round < 4; ++round) {
    bool inclusive = round % 2 == 0;
    int32_t *to = round < 2 ? target : source;
    for (int i = 0; i < 400; ++i)
      source[i] = (int32_t)valueOf(me, (size_t)i, 0);
    OK(moac_shmem_scan(WORLD, inclusive, MOAC_SHMEM_I32, to, source, 400));
    for (int i = 0; i < 400; ++i) {
      int32_t sum = 0;
      for (int r = 0; r < me + (inclusive ? 1 : 0); ++r)
        sum += (int32_t)valueOf(r, (size_t)i, 0);
      CHECK(to[i] == sum);
    }
  }
}

void alternatingBody(void *unused) {
  (void)unused;
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  moac_shmem_team teams[3] = {WORLD, NULL, NULL};
  OK(moac_shmem_team_split_2d(WORLD, 2, &teams[1], &teams[2]));
  int64_t *source = symmetric(64 * sizeof *source),
          *target = symmetric((size_t)pes * 64 * sizeof *target);
  for (int round = 0; round < 1000; ++round) {
    moac_shmem_team team = teams[round % 3];
    int size = moac_shmem_team_n_pes(team), rank = moac_shmem_team_my_pe(team);
    for (volatile int delay = (me * 7919 + round * 104729) % 300; delay > 0; --delay)
      ;
    source[0] = rank + round;
    int64_t expected = 0;
    switch (round % 4) {
    case 0:
      OK(moac_shmem_reduce(team, MOAC_SHMEM_SUM, MOAC_SHMEM_I64, target, source, 1));
      CHECK(target[0] == (int64_t)size * round + (int64_t)size * (size - 1) / 2);
      break;
    case 1:
      OK(moac_shmem_sync(WORLD));
      OK(moac_shmem_broadcast(team, target, source, 8, round % size));
      CHECK(target[0] == round % size + round);
      break;
    case 2:
      OK(moac_shmem_sync(WORLD));
      OK(moac_shmem_fcollect(team, target, source, 8));
      for (int r = 0; r < size; ++r)
        expected += target[r] == r + round;
      CHECK(expected == size);
      break;
    default:
      OK(moac_shmem_barrier(team));
    }
  }
  OK(moac_shmem_sync(WORLD));
}

void errorBody(void *unused) {
  (void)unused;
  int me = moac_shmem_my_pe(), pes = moac_shmem_n_pes();
  int64_t *x = symmetric(16 * sizeof *x), local[4] = {0};
  uint64_t *word = symmetric(sizeof *word);
  CHECK(moac_shmem_put(DEFAULT, x, local, 8, pes) == MOAC_SHMEM_INVALID_PE);
  CHECK(strstr(moac_shmem_last_error(), "moac_shmem_put") != NULL);
  CHECK(moac_shmem_put(DEFAULT, x, local, 0, -1) == MOAC_SHMEM_INVALID_PE);
  CHECK(moac_shmem_put(DEFAULT, local, local, 8, me) == MOAC_SHMEM_INVALID_ADDRESS);
  CHECK(moac_shmem_put(DEFAULT, x, local, (size_t)1 << 50, me) == MOAC_SHMEM_INVALID_ADDRESS);
  CHECK(moac_shmem_put(DEFAULT, x + 1, x, 16, me) == MOAC_SHMEM_OVERLAP);
  CHECK(moac_shmem_get(NULL, local, x, 8, 0) == MOAC_SHMEM_INVALID_CONTEXT);
  CHECK(moac_shmem_fence((moac_shmem_context)(uintptr_t)77) == MOAC_SHMEM_INVALID_CONTEXT);
  CHECK(moac_shmem_pe_quiet(DEFAULT, &pes, 1) == MOAC_SHMEM_INVALID_PE);
  CHECK(moac_shmem_pe_quiet(DEFAULT, NULL, 1) == MOAC_SHMEM_INVALID_ARGUMENT);
  OK(moac_shmem_pe_quiet(DEFAULT, NULL, 0));
  CHECK(moac_shmem_sync((moac_shmem_team)(uintptr_t)40) == MOAC_SHMEM_INVALID_TEAM);
  CHECK(moac_shmem_iput(DEFAULT, x, local, (moac_shmem_strides){SIZE_MAX, 8, 8, 4}, me) ==
        MOAC_SHMEM_SIZE_OVERFLOW);
  CHECK(moac_shmem_iput(DEFAULT, x, local, (moac_shmem_strides){4, 8, 8, 4}, me) ==
        MOAC_SHMEM_INVALID_ARGUMENT);
  CHECK(moac_shmem_signal_wait_until(word, (moac_shmem_comparison)9, 0, NULL) ==
        MOAC_SHMEM_INVALID_ARGUMENT);
  CHECK(moac_shmem_signal_wait_until((uint64_t *)((char *)word + 1), MOAC_SHMEM_EQ, 0, NULL) ==
        MOAC_SHMEM_INVALID_ADDRESS);
  uint64_t one = 1;
  CHECK(moac_shmem_atomic_apply(
            DEFAULT, x,
            (moac_shmem_atomic){MOAC_SHMEM_ATOMIC_ADD, MOAC_SHMEM_F64, &one, NULL, NULL},
            me) == MOAC_SHMEM_INVALID_ARGUMENT);
  CHECK(moac_shmem_reduce(WORLD, MOAC_SHMEM_XOR, MOAC_SHMEM_F32, x, x, 1) ==
        MOAC_SHMEM_INVALID_ARGUMENT);
  CHECK(moac_shmem_reduce(WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_I64, x, x, SIZE_MAX / 4) ==
        MOAC_SHMEM_SIZE_OVERFLOW);
  CHECK(moac_shmem_reduce(WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_I64, x, x + 1, 4) ==
        MOAC_SHMEM_OVERLAP);
  CHECK(moac_shmem_alltoall(WORLD, x, x, 8) == MOAC_SHMEM_OVERLAP);
  CHECK(moac_shmem_broadcast(WORLD, x, x, 8, pes) == MOAC_SHMEM_INVALID_PE);
  moac_shmem_team team;
  CHECK(moac_shmem_team_split_strided(WORLD, 0, 1, pes + 1, &team) == MOAC_SHMEM_INVALID_ARGUMENT);
  void *object;
  if (pes > 1) { /* different sizes: every PE is told */
    CHECK(moac_shmem_malloc(100 + (size_t)me, &object) == MOAC_SHMEM_MISMATCH);
    OK(moac_shmem_sync(WORLD));
  }
}
