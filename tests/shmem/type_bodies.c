/* type_bodies.c: every element type with every reduction, reduce-scatter and scan, in place and
 * not, on the world and on an odd team. Values are small integers, exact in all types, and
 * expectations are computed with integers; complex ones have both parts.
 */
#include "tests/shmem/bodies.h"

#include <complex.h>

typedef struct Number {
  int64_t re, im;
} Number;

static bool isComplex(int type) { return type == MOAC_SHMEM_C64 || type == MOAC_SHMEM_C128; }
static bool isFloat(int type) { return type >= MOAC_SHMEM_F16 && type <= MOAC_SHMEM_LONG_DOUBLE; }

static bool hasReduction(int type, int op) {
  bool bits = op == MOAC_SHMEM_AND || op == MOAC_SHMEM_OR || op == MOAC_SHMEM_XOR;
  if (type == MOAC_SHMEM_BOOL)
    return bits;
  if (isComplex(type))
    return op == MOAC_SHMEM_SUM || op == MOAC_SHMEM_PROD;
  return !(bits && isFloat(type));
}

/* Of rank r, element i: products stay below 2^8. */
static Number valueIn(int type, int op, int r, size_t i) {
  int64_t v = (int64_t)((size_t)r * 5 + i * 3) % 7;
  if (type == MOAC_SHMEM_BOOL)
    return (Number){v & 1, 0};
  if (op == MOAC_SHMEM_PROD)
    return (Number){1 + v % 2, isComplex(type) && v % 3 == 0 ? 1 : 0};
  bool isSigned = type <= MOAC_SHMEM_I64 || isFloat(type) || isComplex(type);
  return (Number){isSigned ? v - 3 : v, isComplex(type) ? 5 - v : 0};
}

static Number combined(int op, Number a, Number b) {
  switch (op) {
  case MOAC_SHMEM_AND:
    return (Number){a.re & b.re, 0};
  case MOAC_SHMEM_OR:
    return (Number){a.re | b.re, 0};
  case MOAC_SHMEM_XOR:
    return (Number){a.re ^ b.re, 0};
  case MOAC_SHMEM_MIN:
    return b.re < a.re ? b : a;
  case MOAC_SHMEM_MAX:
    return b.re > a.re ? b : a;
  case MOAC_SHMEM_SUM:
    return (Number){a.re + b.re, a.im + b.im};
  default:
    return (Number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
}

/* The 16 upper bits of an f32 are a bf16; an f16 has 10 bits of fraction and a bias of 15. */
static uint16_t half(float value, bool brain) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (brain || value == 0)
    return (uint16_t)(bits >> 16);
  return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 23 & 255u) - 112u) << 10 |
                    (bits >> 13 & 0x3ffu));
}

static void store(int type, Number n, char *out) {
  union {
    int64_t integer;
    uint16_t half;
    float f32;
    double f64;
    long double extended;
    float complex c64;
    double complex c128;
  } value;
  memset(&value, 0, sizeof value);
  value.integer = n.re; /* its first bytes are the narrower integers */
  if (type == MOAC_SHMEM_F16 || type == MOAC_SHMEM_BF16)
    value.half = half((float)n.re, type == MOAC_SHMEM_BF16);
  else if (type == MOAC_SHMEM_F32)
    value.f32 = (float)n.re;
  else if (type == MOAC_SHMEM_F64)
    value.f64 = (double)n.re;
  else if (type == MOAC_SHMEM_LONG_DOUBLE)
    value.extended = (long double)n.re;
  else if (type == MOAC_SHMEM_C64)
    value.c64 = (float)n.re + (float)n.im * (float complex)I;
  else if (type == MOAC_SHMEM_C128)
    value.c128 = (double)n.re + (double)n.im * I;
  memcpy(out, &value, moac_shmem_type_size((moac_shmem_type)type));
}

static bool holds(int type, Number n, const char *at) {
  char wanted[32];
  size_t bytes = moac_shmem_type_size((moac_shmem_type)type);
  store(type, n, wanted);
  return memcmp(at, wanted, type == MOAC_SHMEM_LONG_DOUBLE ? 10 : bytes) == 0; /* 6 are padding */
}

static Number expected(int type, int op, int first, int last, size_t i) {
  Number n = valueIn(type, op, first, i);
  for (int r = first + 1; r < last; ++r)
    n = combined(op, n, valueIn(type, op, r, i));
  return n;
}

static void fill(int type, int op, int rank, char *source, size_t count) {
  size_t bytes = moac_shmem_type_size((moac_shmem_type)type);
  for (size_t i = 0; i < count; ++i)
    store(type, valueIn(type, op, rank, i), source + i * bytes);
}

typedef struct Arrays {
  char *source, *target;
} Arrays;

static void reductionOf(moac_shmem_team team, int type, int op, Arrays a, size_t count) {
  int rank = moac_shmem_team_my_pe(team), size = moac_shmem_team_n_pes(team);
  size_t bytes = moac_shmem_type_size((moac_shmem_type)type), all = count * (size_t)size;
  moac_shmem_reduction how = (moac_shmem_reduction)op;
  moac_shmem_type what = (moac_shmem_type)type;
  if (!hasReduction(type, op)) {
    CHECK(moac_shmem_reduce(team, how, what, a.target, a.source, count) ==
          MOAC_SHMEM_INVALID_ARGUMENT);
    return;
  }
  for (int inPlace = 0; inPlace < 2; ++inPlace) {
    char *to = inPlace ? a.source : a.target;
    fill(type, op, rank, a.source, all);
    OK(moac_shmem_sync(team));
    OK(moac_shmem_reduce(team, how, what, to, a.source, count));
    for (size_t i = 0; i < count; ++i)
      CHECK(holds(type, expected(type, op, 0, size, i), to + i * bytes));
    OK(moac_shmem_sync(team));
    fill(type, op, rank, a.source, all);
    OK(moac_shmem_sync(team));
    OK(moac_shmem_reduce_scatter(team, how, what, to, a.source, count));
    for (size_t i = 0; i < count; ++i)
      CHECK(holds(type, expected(type, op, 0, size, (size_t)rank * count + i), to + i * bytes));
    OK(moac_shmem_sync(team));
  }
}

static void scansOf(moac_shmem_team team, int type, Arrays a, size_t count) {
  int rank = moac_shmem_team_my_pe(team), op = MOAC_SHMEM_SUM;
  size_t bytes = moac_shmem_type_size((moac_shmem_type)type);
  for (int inclusive = 0; inclusive < 2; ++inclusive) {
    fill(type, op, rank, a.source, count);
    moac_shmem_status status = moac_shmem_scan(team, inclusive != 0, (moac_shmem_type)type,
                                               a.target, a.source, count);
    if (!hasReduction(type, op)) {
      CHECK(status == MOAC_SHMEM_INVALID_ARGUMENT);
      continue;
    }
    OK(status);
    for (size_t i = 0; i < count; ++i)
      CHECK(holds(type,
                  rank + inclusive == 0 ? (Number){0, 0}
                                        : expected(type, op, 0, rank + inclusive, i),
                  a.target + i * bytes));
    OK(moac_shmem_sync(team));
  }
}

void typeBody(void *unused) {
  (void)unused;
  static const size_t counts[] = {1, 3, 67};
  int pes = moac_shmem_n_pes();
  Arrays a = {symmetric((size_t)pes * 67 * 16), symmetric((size_t)pes * 67 * 16)};
  moac_shmem_team odd;
  OK(moac_shmem_team_split_strided(WORLD, pes - 1, pes > 2 ? -2 : -1, (pes + 1) / 2, &odd));
  for (int type = 0; type < MOAC_SHMEM_TYPES; ++type)
    for (int c = 0; c < 3; ++c) {
      for (int op = 0; op < MOAC_SHMEM_REDUCTIONS; ++op) {
        reductionOf(WORLD, type, op, a, counts[c]);
        OK(moac_shmem_sync(WORLD));
        if (odd != MOAC_SHMEM_TEAM_INVALID)
          reductionOf(odd, type, op, a, counts[c]);
        OK(moac_shmem_sync(WORLD));
      }
      scansOf(WORLD, type, a, counts[c]);
    }
  CHECK(moac_shmem_reduce(WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_TYPES, a.target, a.source, 1) ==
        MOAC_SHMEM_INVALID_ARGUMENT);
  OK(moac_shmem_sync(WORLD));
}
