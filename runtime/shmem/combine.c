/* combine.c: element-wise combination of P arrays in their order: target[i] = s0[i] op s1[i] op ...
 * op sP-1[i], always from the left. f16 and bf16 are widened, combined in f32 and rounded once at
 * the end. MIN and MAX keep the left value unless the right one compares strictly beyond it, which
 * fixes what a NaN does.
 */
#include "runtime/shmem/internal.h"

#include <complex.h>

enum { LANES = 512 }; /* elements combined at a time, to stay in the first cache */

#define STEP_SUM(a, b) ((a) + (b))
#define STEP_PROD(a, b) ((a) * (b))
#define STEP_MIN(a, b) ((b) < (a) ? (b) : (a))
#define STEP_MAX(a, b) ((b) > (a) ? (b) : (a))
#define STEP_AND(a, b) ((a) & (b))
#define STEP_OR(a, b) ((a) | (b))
#define STEP_XOR(a, b) ((a) ^ (b))

/* acc[i] = acc[i] op from[i]. Signed sums wrap: they are done in the unsigned type of the same
 * width. */
typedef void (*Step)(void *acc, const void *from, size_t count);

#define DEFINE_STEP(name, type, OP)                                                                \
  static void name(void *acc, const void *from, size_t count) {                                    \
    type *a = acc;                                                                                 \
    const type *b = from;                                                                          \
    for (size_t i = 0; i < count; ++i)                                                             \
      a[i] = (type)OP(a[i], b[i]);                                                                 \
  }
#define INTEGER_STEPS(suffix, type, wrap)                                                          \
  DEFINE_STEP(and_##suffix, type, STEP_AND)                                                        \
  DEFINE_STEP(or_##suffix, type, STEP_OR)                                                          \
  DEFINE_STEP(xor_##suffix, type, STEP_XOR)                                                        \
  DEFINE_STEP(min_##suffix, type, STEP_MIN)                                                        \
  DEFINE_STEP(max_##suffix, type, STEP_MAX)                                                        \
  DEFINE_STEP(sum_##suffix, wrap, STEP_SUM)                                                        \
  DEFINE_STEP(prod_##suffix, wrap, STEP_PROD)
#define FLOAT_STEPS(suffix, type)                                                                  \
  DEFINE_STEP(min_##suffix, type, STEP_MIN)                                                        \
  DEFINE_STEP(max_##suffix, type, STEP_MAX)                                                        \
  DEFINE_STEP(sum_##suffix, type, STEP_SUM)                                                        \
  DEFINE_STEP(prod_##suffix, type, STEP_PROD)
#define COMPLEX_STEPS(suffix, type)                                                                \
  DEFINE_STEP(sum_##suffix, type, STEP_SUM)                                                        \
  DEFINE_STEP(prod_##suffix, type, STEP_PROD)

/* 16-bit products are widened to unsigned: the product of two uint16_t promoted to int may
 * overflow. */
static void prod_w16(void *acc, const void *from, size_t count) {
  uint16_t *a = acc;
  const uint16_t *b = from;
  for (size_t i = 0; i < count; ++i)
    a[i] = (uint16_t)((uint32_t)a[i] * b[i]);
}
INTEGER_STEPS(i8, int8_t, uint8_t)
INTEGER_STEPS(i32, int32_t, uint32_t)
INTEGER_STEPS(i64, int64_t, uint64_t)
INTEGER_STEPS(u8, uint8_t, uint8_t)
INTEGER_STEPS(u32, uint32_t, uint32_t)
INTEGER_STEPS(u64, uint64_t, uint64_t)
DEFINE_STEP(and_16, uint16_t, STEP_AND)
DEFINE_STEP(or_16, uint16_t, STEP_OR)
DEFINE_STEP(xor_16, uint16_t, STEP_XOR)
DEFINE_STEP(sum_16, uint16_t, STEP_SUM)
DEFINE_STEP(min_i16, int16_t, STEP_MIN)
DEFINE_STEP(max_i16, int16_t, STEP_MAX)
DEFINE_STEP(min_u16, uint16_t, STEP_MIN)
DEFINE_STEP(max_u16, uint16_t, STEP_MAX)
FLOAT_STEPS(f32, float)
FLOAT_STEPS(f64, double)
FLOAT_STEPS(ld, long double)
COMPLEX_STEPS(c64, float complex)
COMPLEX_STEPS(c128, double complex)

#define ROW(s)                                                                                     \
  { and_##s, or_##s, xor_##s, min_##s, max_##s, sum_##s, prod_##s }
#define FLOAT_ROW(s)                                                                               \
  { NULL, NULL, NULL, min_##s, max_##s, sum_##s, prod_##s }
#define COMPLEX_ROW(s)                                                                             \
  { NULL, NULL, NULL, NULL, NULL, sum_##s, prod_##s }

/* By type, then in the order of moac_shmem_reduction. f16 and bf16 use the f32 row; bool has and,
 * or, xor. */
static const Step steps[MOAC_SHMEM_TYPES][MOAC_SHMEM_REDUCTIONS] = {
    [MOAC_SHMEM_I8] = ROW(i8),
    [MOAC_SHMEM_I16] = {and_16, or_16, xor_16, min_i16, max_i16, sum_16, prod_w16},
    [MOAC_SHMEM_I32] = ROW(i32),
    [MOAC_SHMEM_I64] = ROW(i64),
    [MOAC_SHMEM_U8] = ROW(u8),
    [MOAC_SHMEM_U16] = {and_16, or_16, xor_16, min_u16, max_u16, sum_16, prod_w16},
    [MOAC_SHMEM_U32] = ROW(u32),
    [MOAC_SHMEM_U64] = ROW(u64),
    [MOAC_SHMEM_F16] = FLOAT_ROW(f32),
    [MOAC_SHMEM_BF16] = FLOAT_ROW(f32),
    [MOAC_SHMEM_F32] = FLOAT_ROW(f32),
    [MOAC_SHMEM_F64] = FLOAT_ROW(f64),
    [MOAC_SHMEM_LONG_DOUBLE] = FLOAT_ROW(ld),
    [MOAC_SHMEM_C64] = COMPLEX_ROW(c64),
    [MOAC_SHMEM_C128] = COMPLEX_ROW(c128),
    [MOAC_SHMEM_BOOL] = {and_u8, or_u8, xor_u8, NULL, NULL, NULL, NULL},
};

bool moac_shmem_can_combine(moac_shmem_reduction op, moac_shmem_type type) {
  return (unsigned)type < MOAC_SHMEM_TYPES && (unsigned)op < MOAC_SHMEM_REDUCTIONS &&
         steps[type][op] != NULL;
}

/* --- Half precision
 * ------------------------------------------------------------------------------------ */

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t to_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float widen_f16(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = (half >> 10) & 31u,
           fraction = half & 0x3ffu;
  if (exponent == 31)
    return from_bits(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) /* a subnormal is fraction * 2^-24 */
    return from_bits(to_bits((float)fraction * 0x1p-24f) | sign);
  return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

/* Round to nearest, ties to even: drop `bits` low bits. */
static uint32_t round_off(uint32_t value, unsigned bits) {
  uint32_t half = 1u << (bits - 1), kept = value >> bits;
  uint32_t rest = value & ((1u << bits) - 1);
  return kept + (rest > half || (rest == half && (kept & 1u) != 0));
}

static uint16_t narrow_f16(float value) {
  uint32_t bits = to_bits(value), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return (uint16_t)(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) /* 65520 and up round to infinity */
    return (uint16_t)(sign | 0x7c00u);
  if (magnitude >= 0x38800000u)
    return (uint16_t)(sign | (round_off(magnitude, 13) - (112u << 10)));
  uint32_t exponent = magnitude >> 23;
  if (exponent < 102)
    return (uint16_t)sign;
  return (uint16_t)(sign | round_off((magnitude & 0x7fffffu) | 0x800000u, 126 - exponent));
}

static uint16_t narrow_bf16(float value) {
  uint32_t bits = to_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (uint16_t)((bits >> 16) | 0x40u);
  return (uint16_t)round_off(bits, 16);
}

static void combine_halves(Step step, bool brain, int sources, const char *const *source,
                           size_t from, char *target, size_t count) {
  float acc[LANES], other[LANES];
  for (int s = 0; s < sources; ++s) {
    const uint16_t *in = (const uint16_t *)source[s] + from;
    float *out = s == 0 ? acc : other;
    for (size_t i = 0; i < count; ++i)
      out[i] = brain ? from_bits((uint32_t)in[i] << 16) : widen_f16(in[i]);
    if (s != 0)
      step(acc, other, count);
  }
  uint16_t *out = (uint16_t *)target + from;
  for (size_t i = 0; i < count; ++i)
    out[i] = brain ? narrow_bf16(acc[i]) : narrow_f16(acc[i]);
}

void moac_shmem_combine(moac_shmem_reduction op, moac_shmem_type type, int sources,
                        const char *const *source, char *target, size_t count) {
  Step step = steps[type][op];
  size_t element = moac_shmem_type_size(type);
  _Alignas(64) char acc[LANES * sizeof(double complex)];
  for (size_t from = 0; from < count; from += LANES) {
    size_t some = count - from < LANES ? count - from : LANES;
    if (type == MOAC_SHMEM_F16 || type == MOAC_SHMEM_BF16) {
      combine_halves(step, type == MOAC_SHMEM_BF16, sources, source, from, target, some);
      continue;
    }
    memcpy(acc, source[0] + from * element, some * element);
    for (int s = 1; s < sources; ++s)
      step(acc, source[s] + from * element, some);
    memcpy(target + from * element, acc, some * element);
  }
}
