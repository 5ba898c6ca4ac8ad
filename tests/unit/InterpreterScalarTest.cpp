// Every scalar function and cast of the language through textual IR, and what storage does to
// values.
#include "InterpreterFixture.h"

#include <set>

using namespace moac;

namespace {

struct FnRow {
  const char *fn, *type;
  std::vector<const char *> operands;
  double want;
};

const double inf = INFINITY;

const std::vector<FnRow> functions = {
    {"add", "f64", {"1.5", "2.25"}, 3.75},
    {"add", "i32", {"2147483647", "1"}, -2147483648.0},
    {"add", "ui32", {"4294967295", "2"}, 1},
    {"sub", "f32", {"1.0", "2.5"}, -1.5},
    {"sub", "ui32", {"1", "2"}, 4294967295.0},
    {"mul", "i64", {"-3", "7"}, -21},
    {"div", "f64", {"7.0", "-2.0"}, -3.5},
    {"floordiv", "i32", {"-7", "2"}, -4},
    {"floordiv", "i32", {"-2147483648", "-1"}, -2147483648.0},
    {"floordiv", "ui64", {"18446744073709551615", "2"}, 9223372036854775807.0},
    {"floordiv", "f64", {"-7.0", "2.0"}, -4},
    {"mod", "i64", {"-7", "2"}, 1},
    {"mod", "i64", {"7", "-2"}, -1},
    {"mod", "ui64", {"18446744073709551615", "10"}, 5},
    {"mod", "f32", {"-7.0", "2.0"}, 1},
    {"min", "f64", {"1.0", "-2.0"}, -2},
    {"min", "ui64", {"18446744073709551615", "3"}, 3},
    {"max", "i64", {"-5", "-6"}, -5},
    {"max", "f32", {"0x7FC00000", "1.0"}, NAN},
    {"neg", "f64", {"1.5"}, -1.5},
    {"neg", "i32", {"-2147483648"}, -2147483648.0},
    {"abs", "f32", {"-1.5"}, 1.5},
    {"abs", "i64", {"-9"}, 9},
    {"fma", "f64", {"2.0", "3.0", "-1.0"}, 5},
    {"pow", "f64", {"2.0", "0.5"}, std::sqrt(2)},
    {"pow", "f64", {"-2.0", "3.0"}, -8},
    {"exp", "f64", {"1.0"}, std::exp(1)},
    {"exp", "f32", {"100.0"}, inf},
    {"exp2", "f32", {"3.0"}, 8},
    {"log", "f64", {"0.0"}, -inf},
    {"log2", "f64", {"8.0"}, 3},
    {"sqrt", "f64", {"-1.0"}, NAN},
    {"rsqrt", "f64", {"4.0"}, 0.5},
    {"tanh", "f64", {"0.5"}, std::tanh(0.5)},
    {"sigmoid", "f64", {"0.0"}, 0.5},
    {"erf", "f64", {"0.5"}, std::erf(0.5)},
    {"sin", "f64", {"1.0"}, std::sin(1)},
    {"cos", "f64", {"1.0"}, std::cos(1)},
    {"floor", "f64", {"-1.5"}, -2},
    {"ceil", "f64", {"-1.5"}, -1},
    {"round", "f64", {"2.5"}, 2},
    {"round", "f64", {"3.5"}, 4},
};
const std::vector<FnRow> predicates = {
    {"eq", "i32", {"3", "3"}, 1},
    {"eq", "f64", {"0x7FF8000000000000", "1.0"}, 0},
    {"ne", "f64", {"1.0", "1.0"}, 0},
    {"ne", "f64", {"0x7FF8000000000000", "1.0"}, 1},
    {"lt", "ui64", {"18446744073709551615", "1"}, 0},
    {"lt", "i64", {"-1", "1"}, 1},
    {"le", "f32", {"1.0", "1.0"}, 1},
    {"gt", "ui64", {"18446744073709551615", "1"}, 1},
    {"ge", "f64", {"1.0", "2.0"}, 0},
    {"and", "i1", {"true", "false"}, 0},
    {"or", "i1", {"true", "false"}, 1},
    {"not", "i1", {"false"}, 1},
};

std::string application(const FnRow &row, const std::string &result) {
  std::string body, names, types, type = row.type;
  for (size_t i = 0; i < row.operands.size(); ++i) {
    std::string name = "%x" + std::to_string(i), sep = i ? ", " : "";
    bool boolean = type == "i1";
    body += name + " = moa.constant " + row.operands[i] + (boolean ? "" : " : " + type) + "\n";
    names += sep + name;
    types += sep + type;
  }
  return body + "%r = moa.scalar " + row.fn + "(" + names + ") : " + types + " -> " + result;
}

void expectValue(const std::string &kernel, double want, const std::string &what) {
  std::vector<double> got = values(run(kernel, {}));
  ASSERT_EQ(got.size(), 1u) << what;
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(got[0])) << what;
  else
    EXPECT_DOUBLE_EQ(got[0], want) << what;
}

TEST(InterpreterScalars, EveryFunctionHasItsValue) {
  std::set<std::string> tested;
  for (const FnRow &row : functions) {
    expectValue(scalarKernel(row.type, application(row, row.type)), row.want,
                std::string(row.fn) + " " + row.type);
    tested.insert(row.fn);
  }
  for (const FnRow &row : predicates) {
    expectValue(scalarKernel("i1", application(row, "i1")), row.want, row.fn);
    tested.insert(row.fn);
  }
#define SCALAR_FN(kind, arity, klass) EXPECT_TRUE(tested.count(#kind)) << #kind << " has no row";
#include "ir/ScalarFunctions.def"
}

struct CastRow {
  const char *value, *from, *to;
  double want;
};

TEST(InterpreterScalars, Casts) {
  const CastRow table[] = {
      {"2.9", "f64", "i32", 2},
      {"-2.9", "f32", "i64", -2},
      {"3.0e9", "f64", "i32", 2147483647},
      {"-1.0", "f64", "ui32", 0},
      {"0x7FF8000000000000", "f64", "i32", 0},
      {"0x7FF0000000000000", "f64", "i64", 9223372036854775807.0},
      {"0x7FF0000000000000", "f64", "ui64", 18446744073709551615.0},
      {"300", "i64", "i32", 300},
      {"4294967297", "i64", "i32", 1},
      {"-1", "i32", "ui32", 4294967295.0},
      {"-1", "i64", "ui64", 18446744073709551615.0},
      {"4294967295", "ui32", "i64", 4294967295.0},
      {"18446744073709551615", "ui64", "f64", 18446744073709551616.0},
      {"16777217", "i32", "f32", 16777216},
      {"9007199254740993", "i64", "f64", 9007199254740992.0},
      {"0.1", "f64", "f32", static_cast<double>(0.1f)},
      {"1.0e300", "f64", "f32", inf},
      {"0.25", "f32", "f64", 0.25},
      {"0.0", "f64", "i1", 0},
      {"0.5", "f64", "i1", 1},
      {"7", "i64", "i1", 1},
      {"5", "index", "f32", 5},
      {"5", "i64", "i64", 5},
  };
  for (const CastRow &row : table) {
    std::string body = std::string("%x = moa.constant ") + row.value + " : " + row.from +
                       "\n%r = moa.cast %x : " + row.from + " to " + row.to;
    expectValue(scalarKernel(row.to, body), row.want,
                std::string(row.value) + " " + row.from + " to " + row.to);
  }
}

TEST(InterpreterScalars, CastsThroughStorageTypes) {
  auto through = [](const char *value, const char *from, const char *middle, const char *to) {
    return std::string("%x = moa.constant ") + value + " : " + from +
           "\n%m = moa.cast %x : " + from + " to " + middle + "\n%r = moa.cast %m : " + middle +
           " to " + to;
  };
  expectValue(scalarKernel("f32", through("65519.0", "f32", "f16", "f32")), 65504, "f16");
  expectValue(scalarKernel("f32", through("1.01", "f64", "bf16", "f32")), 1.0078125, "bf16");
  // Straight from f64: by way of f32 this would round twice, to 1.
  expectValue(scalarKernel("f32", through("1.0004882812500002", "f64", "f16", "f32")), 1.0009765625,
              "f64 to f16");
  expectValue(scalarKernel("i32", through("300", "i32", "i8", "i32")), 44, "i8");
  expectValue(scalarKernel("i32", through("-1", "i32", "ui16", "i32")), 65535, "u16");
  expectValue(scalarKernel("i32", through("300.0", "f32", "ui8", "i32")), 255, "saturates");
}

TEST(InterpreterScalars, StorageRoundsAndWraps) {
  std::string third = "%r = moa.constant 0.333333343 : f32";
  EXPECT_EQ(values(run(scalarKernel("f32", third, "f16"), {})),
            std::vector<double>{0.333251953125});
  EXPECT_EQ(values(run(scalarKernel("f32", third, "bf16"), {})), std::vector<double>{0.333984375});
  std::string wide = "%r = moa.constant 511 : i32";
  EXPECT_EQ(values(run(scalarKernel("i32", wide, "i8"), {})), std::vector<double>{-1});
  EXPECT_EQ(values(run(scalarKernel("i32", wide, "ui8"), {})), std::vector<double>{255});
}

TEST(InterpreterScalars, AGenOfHalfTypeIsReadBackRounded) {
  const char *text = R"(
moa.kernel @k(symbol "N" %N : index, "x" %x : !moa.array<[N], bf16>) -> ("r" : !moa.array<[N], f32>) {
  %h = moa.gen "h" ["i"] : !moa.array<[N], f16> {
  ^bb0(%i: index):
    %v = moa.psi %x[%i] : !moa.array<[N], bf16> -> f32
    %c = moa.constant 1.000244140625 : f32
    %p = moa.scalar mul(%v, %c) : f32, f32 -> f32
    moa.yield %p : f32
  }
  %r = moa.gen "r" ["i"] : !moa.array<[N], f32> {
  ^bb0(%i: index):
    %v = moa.psi %h[%i] : !moa.array<[N], f16> -> f32
    moa.yield %v : f32
  }
  moa.return %r : !moa.array<[N], f32>
})";
  Tensor x = Tensor::of(Element::BF16, {3}, {1, 1.5, 100});
  Outcome outcome = run(text, {{3}, {}, {x}});
  EXPECT_EQ(values(outcome), (std::vector<double>{1, 1.5, 100}));
  EXPECT_EQ(outcome.results[0].bounds, (std::vector<double>{0, 0, 0}));
}

TEST(InterpreterScalars, ADecisionWithinTheBoundsIsAmbiguous) {
  auto where = [](const char *threshold) {
    return std::string("%third = moa.constant 3.0 : f64\n%one = moa.constant 1.0 : f64\n"
                       "%q = moa.scalar div(%one, %third) : f64, f64 -> f64\n%t = moa.constant ") +
           threshold +
           " : f64\n%c = moa.scalar lt(%q, %t) : f64, f64 -> i1\n"
           "%r = moa.where %c : f64 { moa.yield %one : f64 } else { moa.yield %third : f64 }";
  };
  Outcome close = run(scalarKernel("f64", where("0.33333333333333331")), {});
  Outcome apart = run(scalarKernel("f64", where("0.3333333333333")), {});
  ASSERT_TRUE(close.ok() && apart.ok());
  EXPECT_EQ(close.results[0].bounds[0], inf);
  EXPECT_EQ(apart.results[0].bounds[0], 0);
  EXPECT_EQ(static_cast<double>(apart.results[0].real(0)), 3);
}

} // namespace
