// Emitted kernels, compiled and run: statuses in their order, threads, workspaces, half types.
#include "emitters/C.h"
#include "emitters/CFile.h"
#include "emitters/CSupport.h"
#include "tests/unit/emitters/CompileC.h"
#include "tests/unit/emitters/EmitTrees.h"

#include <gtest/gtest.h>

using namespace moac;
using namespace moac::emit;
using namespace moac::tree;

namespace {

/// Emits `file` as k.c (standalone), compiles it with `main` in several ways and expects exit 0 in
/// every environment.
void expectRuns(const File &file, const std::string &main,
                const std::vector<std::string> &environments = {""}) {
  test::Scratchpad pad;
  pad.write("k.c", printCFile(file, {.standalone = true, .headerName = ""}, cTraits()).text);
  pad.write("k.h", printCHeader(file, {true, "k.h"}, cTraits()).text);
  pad.write("main.c", "#include \"k.h\"\n#include <math.h>\n#include <stdio.h>\n"
                      "#include <stdlib.h>\n#include <string.h>\n"
                      "#define EXPECT(c) if (!(c)) { printf(\"line %d: %s\\n\", __LINE__, #c); "
                      "return 1; }\n" +
                          main);
  for (const std::string compiler :
       {"gcc -O1 -fsanitize=address,undefined -fno-sanitize-recover=all", "gcc -O2 -fopenmp",
        "clang-14 -O2 -fopenmp"}) {
    const std::string name = compiler.substr(0, compiler.find(' '));
    if (compiler.ends_with("-fopenmp") ? !test::linksOpenMp(name) : !test::haveCompiler(name))
      continue;
    ASSERT_EQ(pad.run(compiler + " -std=gnu11 k.c main.c -lm -o t"), 0) << pad.output;
    for (const std::string &environment : environments)
      EXPECT_EQ(pad.run(environment + " OMP_WAIT_POLICY=passive ./t"), 0) << compiler << '\n'
                                                                          << environment << '\n'
                                                                          << pad.output;
  }
}

TEST(CRun, MatmulStatusesInOrder) {
  expectRuns({"m.moa", {matmul()}, {}}, R"(
int main(void) {
  double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {7, 7, 7, 7}, all[64];
  EXPECT(matmul(2, 3, 2, a, b, c) == 0);
  EXPECT(c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11);
  EXPECT(matmul(-1, 3, 2, 0, 0, 0) == -2);                      // before null pointers
  EXPECT(matmul(INT64_C(1) << 40, INT64_C(1) << 40, 2, 0, 0, 0) == -5);
  EXPECT(matmul(INT64_C(1) << 62, 1, 1, a, b, c) == -5);        // bytes overflow, elements do not
  EXPECT(matmul(0, 3, 2, 0, 0, 0) == 0);                        // empty: null is fine
  EXPECT(matmul(0, INT64_MAX, 2, 0, 0, 0) == -5);               // B has no such size
  EXPECT(matmul(INT64_MAX, 3, 0, 0, 0, 0) == -5);
  EXPECT(matmul(2, 3, 2, 0, b, c) == -1 && matmul(2, 3, 2, a, b, 0) == -1);
  EXPECT(matmul(2, 3, 2, a, b, a) == -6 && matmul(2, 3, 2, all, all + 6, all + 5) == -6);
  EXPECT(matmul(2, 3, 2, all, all + 8, all + 6) == -6 && matmul(2, 3, 2, all, all + 10, all + 6) == 0);
  EXPECT(matmul(2, 3, 2, all, all, all + 6) == 0);              // inputs may overlap
  c[0] = 9;
  EXPECT(matmul(2, 0, 2, 0, 0, c) == 0 && c[0] == 0 && c[3] == 0); // an empty sum
  char *odd = malloc(100);                                      // any alignment
  double one = 3, two = 5, got;
  memcpy(odd + 1, &one, 8);
  memcpy(odd + 9, &two, 8);
#ifndef __SANITIZE_ADDRESS__
  EXPECT(matmul(1, 1, 1, (double *)(void *)(odd + 1), (double *)(void *)(odd + 9), (double *)(void *)(odd + 17)) == 0);
  memcpy(&got, odd + 17, 8);
  EXPECT(got == 15);
#else
  (void)got;
#endif
  free(odd);
  return 0;
}
)");
}

TEST(CRun, IntegersWrap) {
  expectRuns({"m.moa", {matmul(Elem::I64)}, {}}, R"(
int main(void) {
  int64_t a[1] = {INT64_MAX}, b[1] = {3}, c[1];
  EXPECT(matmul(1, 1, 1, a, b, c) == 0 && c[0] == INT64_MAX - 2);
  return 0;
}
)");
}

const char *const scratchMain = R"(
int main(void) {
  enum { N = 700 };
  static double x[N], y[N], z[N];
  double sum = 0;
  for (int i = 0; i < N; ++i)
    x[i] = i % 7, sum += x[i] * x[i];
  EXPECT(scratchy(N, 0.5, 0, x, y) == 0);
  for (int i = 0; i < N; ++i)
    EXPECT(y[i] == sum + 0.5);
  EXPECT(scratchy(0, 0.5, 0, x, y) == -3);
  size_t size = scratchy_ws_size(N, 0.5, 0);
  EXPECT(size > 2 * N * 8 && scratchy_ws_size(-1, 0.5, 0) == 0);
  EXPECT(scratchy_ws_size(INT64_MAX, 0.5, 0) == SIZE_MAX);
  EXPECT(scratchy(INT64_C(1) << 58, 0.5, 0, x, y) != 0);
  size_t least = 64 + 2 * (N * 8 / 64 * 64 + 64);
  for (size_t bytes = least; bytes <= size; bytes += 1000) {
    char *ws = malloc(bytes + 1); // unaligned; sanitizers watch its end
    memset(z, 0, sizeof z);
    EXPECT(scratchy_ws(N, 0.5, 0, x, z, ws + 1, bytes) == 0 && memcmp(y, z, sizeof z) == 0);
    free(ws);
  }
  EXPECT(scratchy_ws(N, 0.5, 0, x, z, x, least - 1) == -7);
  EXPECT(scratchy_ws(N, 0.5, 0, x, z, NULL, size) == -7);
  x[N - 1] = x[3] = 13;
  EXPECT(scratchy(N, 0.5, 0, x, y) == -4);
#pragma omp parallel for
  for (int k = 0; k < 4; ++k) {
    double own[N];
    if (scratchy(N, 0.5, 0, z, own) != 0)
      abort();
  }
  return 0;
}
)";

TEST(CRun, ScratchMemory) {
  expectRuns({"s.moa", {scratchy()}, {}}, scratchMain,
             {"OMP_NUM_THREADS=1", "OMP_NUM_THREADS=3", "OMP_NUM_THREADS=4 OMP_THREAD_LIMIT=2",
              "OMP_NUM_THREADS=4 OMP_DYNAMIC=true"});
}

/// Every half pattern there and back, and rounding of values between neighbours.
TEST(CRun, HalfTypes) {
  const Prologue prologue = cPrologue({"moac_f16_to_f32", "moac_f32_to_f16", "moac_bf16_to_f32",
                                       "moac_f32_to_bf16", "moac_f64_to_f16", "moac_f64_to_bf16"},
                                      true);
  std::string text =
      "#include <stdint.h>\n#include <string.h>\n#include <stdio.h>\n"
      "#include <math.h>\n#define EXPECT(c) if (!(c)) { printf(\"line %d, %x: %s\\n\", "
      "__LINE__, (unsigned)h, #c); return 1; }\n";
  for (std::string_view definition : prologue.definitions)
    text += definition;
  text += R"(
static double value(unsigned h, int fraction, int bias) { // of a pattern, by its definition
  int e = (int)(h >> fraction) & (2 * bias + 1), m = (int)(h & ((1u << fraction) - 1));
  double x = e ? ldexp((1 << fraction) + m, e - bias - fraction) : ldexp(m, 1 - bias - fraction);
  if (e == 2 * bias + 1) x = m ? NAN : INFINITY;
  return h & 0x8000 ? -x : x;
}
int main(void) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    double x = value(h, 10, 15), y = value(h, 7, 127);
    EXPECT(x != x ? isnan(moac_f16_to_f32((uint16_t)h)) : moac_f16_to_f32((uint16_t)h) == x);
    EXPECT(y != y ? isnan(moac_bf16_to_f32((uint16_t)h)) : moac_bf16_to_f32((uint16_t)h) == y);
    if (x == x) EXPECT(moac_f32_to_f16((float)x) == h && moac_f64_to_f16(x) == h);
    if (y == y) EXPECT(moac_f32_to_bf16((float)y) == h && moac_f64_to_bf16(y) == h);
    if ((h & 0x7fff) < 0x7bff) { // between two f16: ties to even, anything else to the nearer
      double up = value(h + 1, 10, 15), mid = (x + up) / 2, d = (up - x) * 0x1p-40;
      unsigned even = h & 1 ? h + 1 : h;
      EXPECT(moac_f32_to_f16((float)mid) == even && moac_f64_to_f16(mid) == even);
      EXPECT(moac_f64_to_f16(mid + d) == h + 1 && moac_f64_to_f16(mid - d) == h);
      EXPECT(moac_f32_to_f16(nextafterf((float)mid, (float)up)) == h + 1);
    }
    if ((h & 0x7fff) < 0x7f7f) {
      double up = value(h + 1, 7, 127), mid = (y + up) / 2, d = (up - y) * 0x1p-40;
      unsigned even = h & 1 ? h + 1 : h;
      EXPECT(moac_f32_to_bf16((float)mid) == even && moac_f64_to_bf16(mid) == even);
      EXPECT(moac_f64_to_bf16(mid + d) == h + 1 && moac_f64_to_bf16(mid - d) == h);
    }
  }
  unsigned h = 0;
  EXPECT(moac_f32_to_f16(65519.99f) == 0x7bff && moac_f32_to_f16(65520.0f) == 0x7c00);
  EXPECT(moac_f64_to_f16(65519.999999999) == 0x7bff && moac_f64_to_f16(1e308) == 0x7c00);
  EXPECT(moac_f64_to_f16(-1e-300) == 0x8000 && moac_f64_to_bf16(-1e308) == 0xff80);
  EXPECT(moac_f32_to_f16(-INFINITY) == 0xfc00 && isnan(moac_f16_to_f32(moac_f32_to_f16(NAN))));
  EXPECT(isnan(moac_bf16_to_f32(moac_f32_to_bf16(NAN))) && isnan(moac_f16_to_f32(moac_f64_to_f16(NAN))));
  return 0;
}
)";
  test::Scratchpad pad;
  pad.write("h.c", text);
  EXPECT_EQ(pad.run("gcc -std=c11 -O2 -Wall -Wextra -Werror -fsanitize=undefined "
                    "-fno-sanitize-recover=all h.c -lm -o h && ./h"),
            0)
      << pad.output;
}

/// At most 1.25 ulp over the whole range (sigmoid and tanh 2.5), seen through the C library in a wider type, with and without fused
/// operations; the ends and NaN exactly. For exponents that
/// are not positive the cheaper functions give the same bits.
TEST(CRun, ExponentialsAreWithinAnUlpAndAQuarter) {
  const std::string text = R"(
static long double size(long double want, int digits, int least) {
  int exponent;
  frexpl(want, &exponent);
  return ldexpl(1, (exponent < least ? least : exponent) - digits);
}
static int wrong;
static void check(const char *what, double x, double got, long double want, long double most) {
  if (!(got == want || fabsl(got - want) <= most) && wrong++ < 5)
    printf("%s(%a) = %a, not %La\n", what, x, got, want);
}
static long double within(long double want, long double top) { return want >= top ? (long double)INFINITY : want; }
static void expect(int holds, const char *what, double x) {
  if (!holds && wrong++ < 5)
    printf("%s at %a\n", what, x);
}
static float single(uint32_t bits) { float x; memcpy(&x, &bits, sizeof x); return x; }
static double twice(uint64_t bits) { double x; memcpy(&x, &bits, sizeof x); return x; }
static void singles(float x) {
  const double e = exp((double)x), t = exp2((double)x), s = 1/(1 + exp(-(double)x)), top = 0x1.ffffffp127;
  check("tanh f32", x, moac_tanh_f32(x), tanh((double)x), 2.5 * size(tanh((double)x), 24, -125));
  check("sigmoid f32", x, moac_sigmoid_f32(x), s, 2.5 * size(s, 24, -125));
  const float ex = moac_exp_f32(x), tx = moac_exp2_f32(x);
  check("exp f32", x, ex, e >= top ? (double)INFINITY : e, 1.25 * size(e, 24, -125));
  check("exp2 f32", x, tx, t >= top ? (double)INFINITY : t, 1.25 * size(t, 24, -125));
  const float ed = moac_exp_down_f32(x), td = moac_exp2_down_f32(x);
  expect(!(x <= 0) || (memcmp(&ex, &ed, sizeof ex) == 0 && memcmp(&tx, &td, sizeof tx) == 0), "down f32", x);
}
static void doubles(double x) {
  const double ex = moac_exp_f64(x), tx = moac_exp2_f64(x);
  const long double top = 0x1.fffffffffffffcp1023L, e = within(expl(x), top), t = within(exp2l(x), top), s = 1/(1 + expl(-(long double)x));
  check("exp f64", x, ex, e, 1.25 * size(e, 53, -1021));
  check("exp2 f64", x, tx, t, 1.25 * size(t, 53, -1021));
  check("tanh f64", x, moac_tanh_f64(x), tanhl(x), 2.5 * size(tanhl(x), 53, -1021));
  check("sigmoid f64", x, moac_sigmoid_f64(x), s, 2.5 * size(s, 53, -1021));
  const double ed = moac_exp_down_f64(x), td = moac_exp2_down_f64(x);
  expect(!(x <= 0) || (memcmp(&ex, &ed, sizeof ex) == 0 && memcmp(&tx, &td, sizeof tx) == 0), "down f64", x);
}
static void nan32(float x) {
  expect(isnan(moac_tanh_f32(x)) && isnan(moac_sigmoid_f32(x)), "NaN of exponentials f32", x);
  expect(isnan(moac_exp_f32(x)) && isnan(moac_exp2_f32(x)), "NaN f32", x);
  expect(isnan(moac_exp_down_f32(x)) && isnan(moac_exp2_down_f32(x)), "NaN down f32", x);
}
static void nan64(double x) {
  expect(isnan(moac_exp_f64(x)) && isnan(moac_exp2_f64(x)), "NaN f64", x);
  expect(isnan(moac_exp_down_f64(x)) && isnan(moac_exp2_down_f64(x)), "NaN down f64", x);
}
int main(void) {
  const double inf = INFINITY;
  for (uint32_t bits = 0x32000000; bits < 0x43800000; bits += 97) // 2^-27 to 256
    singles(single(bits)), singles(single(bits | 0x80000000));
  for (double x = -120; x < 90; x += 0x1p-3) // ends: subnormal results, the last below infinity
    singles((float)x);
  for (float x = -104.0f; x < -86.0f; x += 0x1.3p-8f)
    singles(x), singles(1.4427f * x);
  for (double x = -750; x < 710.5; x += 0x1.9p-6)
    doubles(x), doubles(1.4427 * x);
  for (double x = -0.7; x < 0.7; x += 0x1.3p-14)
    doubles(x), doubles(x * 0x1p-20);
  for (int i = 0; i < 2; ++i) {
    const double x = i ? 0.0 : -0.0, far = i ? 1e30 : 1e300;
    singles((float)x), doubles(x), singles(-1e30f), doubles(-far), singles(1e30f), doubles(far);
  }
  singles(-INFINITY), doubles(-inf), singles(INFINITY), doubles(inf);
  expect(moac_exp_down_f32(-INFINITY) == 0 && moac_exp2_down_f32(-INFINITY) == 0, "end", -inf);
  expect(moac_exp_down_f64(-inf) == 0 && moac_exp2_down_f64(-inf) == 0, "end", -inf);
  expect(moac_exp_f32(-0.0f) == 1.0f && moac_exp_f64(0.0) == 1.0 && moac_exp2_f64(10.0) == 1024.0, "exact", 0);
  for (uint32_t tail = 0; tail < 0x400000; tail = tail * 2 + 1) { // what a NaN carries is no exponent
    nan32(single(0x7fc00000 | tail)), nan32(single(0xffc00000 | tail));
    nan64(twice(UINT64_C(0x7ff8000000000000) | tail)), nan64(twice(UINT64_C(0xfff8000000000000) | tail));
  }
  return wrong != 0;
}
)";
  const Prologue prologue = cPrologue({"moac_exp_f32", "moac_exp_f64", "moac_exp2_f32", "moac_exp2_f64",
                                       "moac_exp_down_f32", "moac_exp_down_f64", "moac_exp2_down_f32",
                                       "moac_exp2_down_f64", "moac_sigmoid_f32", "moac_sigmoid_f64", "moac_tanh_f32", "moac_tanh_f64"}, true);
  std::string program = "#include <math.h>\n#include <stdio.h>\n";
  for (const std::string &header : prologue.headers)
    program += "#include " + header + "\n";
  for (std::string_view definition : prologue.definitions)
    program += definition;
  test::Scratchpad pad;
  pad.write("e.c", program + text);
  for (const char *flags : {"-O0 -std=c11", "-O3 -march=native -std=gnu11 -fno-trapping-math"})
    EXPECT_EQ(pad.run(std::string("cc ") + flags + " e.c -lm -o e && ./e"), 0) << flags << "\n" << pad.output;
}

/// NaN if either is, in the order of the operands and over vector lanes.
TEST(CRun, LargestAndLeastKeepNaN) {
  const Prologue prologue = cPrologue({"moac_largest_f32", "moac_least_f32", "moac_largest_f64",
                                       "moac_least_f64"}, true);
  std::string program = "#include <stdio.h>\n";
  for (const std::string &header : prologue.headers)
    program += "#include " + header + "\n";
  for (std::string_view definition : prologue.definitions)
    program += definition;
  program += R"c(
#define PRAGMA(text) _Pragma(#text)
#define CASE(T, E)                                                                                 \
  static int E(const T *x, int n, T most, T least) {                                               \
    T up = -(T)INFINITY, down = (T)INFINITY;                                                       \
    PRAGMA(omp simd reduction(moac_largest_##E : up) reduction(moac_least_##E : down))             \
    for (int i = 0; i < n; ++i)                                                                    \
      up = moac_max_##E(up, x[i]), down = moac_min_##E(down, x[i]);                                \
    return most != most ? up != up && down != down : up == most && down == least;                  \
  }
CASE(float, f32)
CASE(double, f64)
int main(void) {
  enum { N = 61 };
  float a[N]; double b[N];
  for (int n = 1; n <= N; ++n)
    for (int at = 0; at < n; ++at) {
      for (int i = 0; i < n; ++i)
        a[i] = (float)((i * 37) % 61 - 30), b[i] = a[i];
      a[at] = 100, b[at] = -100;
      if (n > 1) a[(at + 1) % n] = -50, b[(at + 1) % n] = 50;
      if (!f32(a, n, 100, n > 1 ? -50 : 100) || !f64(b, n, n > 1 ? 50 : -100, -100))
        return printf("%d %d\n", n, at), 1;
      a[at] = at % 2 ? NAN : -NAN, b[at] = a[at];
      if (!f32(a, n, NAN, NAN) || !f64(b, n, (double)NAN, (double)NAN))
        return printf("%d %d NaN\n", n, at), 1;
    }
  return 0;
}
)c";
  test::Scratchpad pad;
  pad.write("m.c", program);
  for (const char *flags : {"-O0", "-O3 -march=native", "-O3 -march=native -fno-trapping-math"})
    EXPECT_EQ(pad.run(std::string("cc -std=gnu11 -fopenmp-simd ") + flags + " m.c -lm -o m && ./m"), 0) << flags << "\n" << pad.output;
}

} // namespace
