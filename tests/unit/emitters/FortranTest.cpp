// The Fortran table and its legalisation on hand-made trees: nothing forgotten, nothing evaluated
// that must not be, long lists broken, numbers and words as Fortran reads them.
#include "emitters/Fortran.h"
#include "emitters/C.h"
#include "emitters/CSupport.h"
#include "emitters/FortranFile.h"
#include "emitters/FortranLazy.h"
#include "emitters/FortranPrefetch.h"
#include "emitters/FortranSubscripts.h"
#include "emitters/FortranSupport.h"
#include "emitters/Printer.h"
#include "tests/unit/emitters/CompileC.h"
#include "tests/unit/emitters/EmitTrees.h"

#include <gtest/gtest.h>

using namespace moac;
using namespace moac::emit;
using namespace moac::tree;

namespace {

std::string printed(const Expr &e) {
  Printer printer(fortranTraits());
  return withoutMarks(printer.expression(e));
}

std::string separated(Body body) {
  int made = 0;
  separateChoices(body, [&](const std::string &word) { return word + std::to_string(++made); });
  Printer printer(fortranTraits());
  printer.body(body);
  EXPECT_TRUE(printer.problems().empty());
  return printer.take();
}

TEST(Fortran, AnswersEveryQuestion) {
  EXPECT_EQ(holes(fortranTraits()), std::vector<std::string>());
}

TEST(Fortran, EveryLaneFunctionHasAForm) {
  size_t count = 0;
  for (const Support &support : cSupport())
    if (support.name.find("exp") != std::string_view::npos && isLaneFunction(support.text)) {
      EXPECT_TRUE(fortranFromLane(support.text)) << support.name;
      ++count;
    }
  EXPECT_GE(count, 6u);
  EXPECT_FALSE(fortranFromLane(
      "\nstatic inline float f(float x) {\n  while (x > 1.0f)\n    x = x / 2.0f;\n}\n"));
  EXPECT_FALSE(fortranFromLane(
      "\nstatic inline float f(float x) { return x * 3; }\n")); // a number without a kind
  EXPECT_EQ(fortranFromLane("\n// Half.\nstatic inline float f(float x) { return 0x1p-1f * x; }\n"),
            "  ! Half.\n  pure real(f32) function f(x) result(answer)\n    !$omp declare simd\n"
            "    real(f32), value :: x\n"
            "    answer = 0.5_f32 * x\n  end function\n");
}

TEST(Fortran, SignsAndKinds) {
  const Expr a = name("a", Elem::F64), y = name("y", Elem::F64), d = name("d", Elem::F64);
  EXPECT_EQ(printed(d + apply(Op::neg_, {a}) * y), "d + (-a) * y");
  EXPECT_EQ(printed(d * real(-1.5)), "d * (-1.5_f64)");
  EXPECT_EQ(printed(real(0.1)), "0.1_f64");
  EXPECT_EQ(printed(real(0.1, Elem::F32)), "0.1_f32");
  EXPECT_EQ(printed(integer(5'000'000'000)), "5000000000_i64");
  EXPECT_EQ(printed(integer(std::numeric_limits<int64_t>::min())), "(-huge(0_i64) - 1)");
}

TEST(Fortran, GuardedReadsAreStatements) {
  const Expr i = name("i"), zero = integer(0);
  const Expr inside = apply(Op::lt_, Elem::Bool, {zero, i});
  const Expr read = load("x", Elem::F64, i - integer(1));
  EXPECT_EQ(
      separated({stmt(Store{"y", i, apply(Op::select_, Elem::F64, {inside, read, real(0)})})}),
      "if (0 < i) then\n  chosen1 = x(i - 1)\nelse\n  chosen1 = 0.0_f64\nend if\ny(i) = chosen1\n");
  const Expr positive = apply(Op::lt_, Elem::Bool, {real(0), read});
  EXPECT_EQ(
      separated({stmt(
          If{apply(Op::and_, Elem::Bool, {inside, positive}), {stmt(Fail{Status::Index})}, {}})}),
      "chosen1 = 0 < i\nif (chosen1) then\n  chosen1 = 0.0_f64 < x(i - 1)\nend if\nif (chosen1) "
      "then\n"
      "  status = min(status, MOAC_INDEX)\nend if\n");
  // Nothing to guard: one expression.
  EXPECT_EQ(separated({stmt(Let{"v", apply(Op::select_, Elem::F64, {inside, real(1), real(0)})})}),
            "v = merge(1.0_f64, 0.0_f64, 0 < i)\n");
}

std::string text(const Body &body) {
  Printer printer(fortranTraits());
  printer.body(body);
  EXPECT_TRUE(printer.problems().empty());
  return printer.take();
}

TEST(Fortran, DivisionsThatGfortranTriesHaveNames) {
  const Expr half = apply(Op::quotient_, {name("j"), integer(2)}), i = name("i");
  const Expr scaled = apply(Op::quotient_, {name("j"), name("H")});
  const auto named = [&](Loop around) {
    Body body = {stmt(std::move(around))};
    int made = 0;
    separateDivisions(body, [&](const std::string &word) { return word + std::to_string(++made); });
    return text(body);
  };
  const Expr read = load("x", Elem::F64, half) + load("z", Elem::F64, scaled);
  const Body inner = {stmt(Store{"y", i + half, read}),
                      stmt(Let{"v", half})};
  EXPECT_EQ(named(loop("j", name("N"), inner)),
            "do j = 0, N - 1\n  quotient1 = j/2\n"
            "  y(i + quotient1) = x(quotient1) + z(j/H)\n  v = j/2\nend do\n");
  // No constant bound: nothing to try.
  Loop free = loop("j", name("N"), inner);
  free.lo = name("M");
  EXPECT_EQ(named(free), "do j = M, N - 1\n  y(i + j/2) = x(j/2) + z(j/H)\n  v = j/2\nend do\n");
}

TEST(Fortran, PrefetchesAreCallsForWholeRows) {
  Kernel kernel;
  kernel.inputs.push_back({"x", Elem::F64, {name("N")}, "f64[N]", "x_bytes"});
  kernel.outputs.push_back({"y", Elem::F32, {name("N")}, "f32[N]", "y_bytes"});
  const Expr i = name("i"), at = name("j") + (name("r") + i) * name("N");
  Loop block = loop("i", name("MOAC_ROWS"), {stmt(Prefetch{"y", at})});
  Loop stepped = loop("i", name("D"), {stmt(Prefetch{"y", name("r") * name("N") + i})});
  stepped.step = integer(8);
  const Loop uneven = loop("i", name("D"), {stmt(Prefetch{"y", i * i})});
  kernel.body = {stmt(block), stmt(stepped), stmt(uneven), stmt(Prefetch{"y", name("r")}),
                 stmt(Prefetch{"x", name("r"), true})};
  callPrefetches(kernel);
  EXPECT_EQ(text(kernel.body), "call moac_prefetch_write(y(j + r*N), MOAC_ROWS, 4*N)\n"
                               "if (0 < D) then\n"
                               "  call moac_prefetch_write(y(r*N), (D + 7)/8, 32_i64)\n"
                               "end if\n"
                               "do i = 0, D - 1\n"
                               "  call moac_prefetch_write(y(i*i), 1_i64, 0_i64)\n"
                               "end do\n"
                               "call moac_prefetch_write(y(r), 1_i64, 0_i64)\n");
}

TEST(Fortran, UnsignedLiteralsAreSignedPatterns) {
  const Expr most = integer(-1, Elem::U64), half = integer(int64_t(1) << 31, Elem::U32);
  const std::string text =
      separated({stmt(Let{"a", apply(Op::max_, {most, name("b", Elem::U64)})}),
                 stmt(Let{"c", apply(Op::add_, {half, name("d", Elem::U32)})})});
  EXPECT_EQ(text, "a = moac_max_u64(-1_i64, b)\nc = moac_add_i32((-huge(0_i32) - 1), d)\n");
}

TEST(Fortran, WordsAreReadWithTheirKinds) {
  EXPECT_EQ(fortranWords("x = 1.5_f32 + y ! moac_exp_f32\n!$ use omp_lib\n"),
            (std::set<std::string>{"x", "f32", "y", "use", "omp_lib"}));
}

/// Forty arrays, each read in a deep nest.
Kernel wide() {
  Kernel kernel;
  kernel.name = "wide";
  kernel.symbols = {"first_extent_of_all_arrays", "second_extent_of_all_arrays"};
  Expr sum = real(0);
  const Expr at = name("row") * name(kernel.symbols[1]) + name("column");
  for (int k = 0; k < 40; ++k) {
    const std::string word = "input_array_number_" + std::to_string(k);
    kernel.inputs.push_back({word,
                             Elem::F64,
                             {name(kernel.symbols[0]), name(kernel.symbols[1])},
                             "f64[N, M]",
                             word + "_bytes"});
    sum = sum + load(word, Elem::F64, at);
  }
  kernel.outputs.push_back({"result",
                            Elem::F64,
                            {name(kernel.symbols[0]), name(kernel.symbols[1])},
                            "f64[N, M]",
                            "result_bytes"});
  Body body = {stmt(Store{"result", at, sum})};
  body = {stmt(loop("column", name(kernel.symbols[1]), body))};
  for (int k = 0; k < 24; ++k)
    body = {stmt(loop("depth_" + std::to_string(k), integer(1), body))};
  kernel.body = {stmt(loop("row", name(kernel.symbols[0]), body, Loop::Role::Team))};
  return kernel;
}

TEST(Fortran, ManyArgumentsAndADeepNestStayInside132Columns) {
  const Emitted emitted = printFortranFile({"wide.moa", {wide()}, {}},
                                           {.standalone = true, .headerName = ""}, fortranTraits());
  EXPECT_TRUE(emitted.problems.empty());
  size_t longest = 0;
  for (size_t at = 0; at < emitted.text.size();) {
    const size_t end = emitted.text.find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  EXPECT_LE(longest, 132u);
  EXPECT_GE(longest, 80u);
  if (!test::haveCompiler("gfortran"))
    GTEST_SKIP() << "no gfortran";
  test::Scratchpad pad;
  pad.write("wide.f90", emitted.text);
  EXPECT_EQ(pad.run("gfortran -std=f2018 -fopenmp -Wall -Wextra -Werror -fcheck=all -c wide.f90"),
            0)
      << pad.output;
}

} // namespace
