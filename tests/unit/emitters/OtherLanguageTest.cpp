// The same printer with another table: one that declares first, lists private variables, continues
// lines with a mark and has no unary minus after an operator. A sketch of Fortran that compiles,
// which shows that the fields carry such a language.
#include "emitters/C.h"
#include "emitters/Printer.h"
#include "tests/unit/emitters/CompileC.h"
#include "tests/unit/emitters/EmitTrees.h"

#include <gtest/gtest.h>

using namespace moac;
using namespace moac::emit;
using namespace moac::tree;

namespace {

LangTraits sketch() {
  LangTraits lang = cTraits();
  lang.name = "fortran sketch";
  for (auto &[type, text] : lang.typeNames)
    text = type == Elem::F64 ? "real(8)" : "integer(8)";
  lang.literals = {{types::index, "{v}_8", "{v}_8", "", "", ""},
                   {types::f64, "{v}d0", "", "", "", ""}};
  lang.negativePrecedence = 12;
  lang.casts = {{types::index, types::f64, "real({0}, 8)", 16, 0}};
  for (OpRow &row : lang.ops)
    if (row.op == Op::neg_)
      row = {Op::neg_, row.operands, "-{0}", 12, {13}, false};
  lang.updates.clear();
  lang.load = "{array}({offset})";
  lang.note = "! {text}";
  lang.let = lang.variable = "{name} = {value}";
  lang.assign = "{target} = {value}";
  lang.declaration = "{type} :: {name}";
  lang.arrayDeclaration = "{type} :: {name}(0:{count} - 1)";
  lang.loopOpen = "do {name} = {lo},\t{hi} - 1";
  lang.loopClose = "end do";
  lang.loopWhere = "";
  lang.teamLoop = "!$omp parallel do{clauses}";
  lang.teamLoopClose = "!$omp end parallel do";
  lang.clauseThreads = "";
  lang.clausePrivate = "\tprivate({names})";
  lang.declarationsFirst = lang.explicitPrivate = true;
  lang.lineLimit = 44;
  lang.continuation = lang.directiveContinuation = " &";
  lang.directivePrefix = "!$omp";
  lang.directiveResume = "!$omp ";
  return lang;
}

TEST(OtherLanguage, DeclaresFirstAndContinuesLines) {
  const LangTraits lang = sketch();
  Printer printer(lang);
  const Kernel kernel = matmul();
  printer.declarations(kernel.body);
  printer.body(kernel.body);
  EXPECT_TRUE(printer.problems().empty());
  EXPECT_EQ(printer.take(), R"(integer(8) :: i, j, k
real(8) :: s
!$omp parallel do collapse(2) &
!$omp private(j, s, k) schedule(static)
do i = 0_8, M - 1
  do j = 0_8, N - 1
    s = 0.0d0
    do k = 0_8, K - 1
      s = s + A(i*K + k) * B(k*N + j)
    end do
    C(i*N + j) = s
  end do
end do
!$omp end parallel do
)");
}

TEST(OtherLanguage, SignsAreParenthesised) {
  const LangTraits lang = sketch();
  Printer printer(lang);
  const Expr a = name("a", Elem::F64), y = name("y", Elem::F64), d = name("d", Elem::F64);
  EXPECT_EQ(withoutMarks(printer.expression(d + apply(Op::neg_, {a}) * y)), "d + (-a) * y");
  EXPECT_EQ(withoutMarks(printer.expression(d + real(-1.5))), "d + (-1.5d0)");
}

TEST(OtherLanguage, TheSketchRuns) {
  if (!test::haveCompiler("gfortran"))
    GTEST_SKIP() << "no gfortran";
  const LangTraits lang = sketch();
  Printer printer(lang);
  const Expr i = name("i"), n = name("n");
  Loop fill =
      loop("i", n,
           {stmt(Let{"w", cast(Elem::F64, i) * real(-2)}),
            stmt(Store{"y", i, load("x", Elem::F64, n - integer(1) - i) - name("w", Elem::F64)})},
           Loop::Role::Team);
  printer.declarations({stmt(fill)});
  printer.body({stmt(fill)});
  test::Scratchpad pad;
  pad.write("t.f90", "subroutine fill(n, x, y)\ninteger(8), intent(in) :: n\n"
                     "real(8), intent(in) :: x(0:n - 1)\nreal(8), intent(out) :: y(0:n - 1)\n" +
                         printer.take() +
                         "end subroutine\nprogram t\nreal(8) :: x(3) = [1, 2, 3], y(3)\n"
                         "call fill(3_8, x, y)\nif (any(y /= [3, 4, 5])) stop 1\nend program\n");
  EXPECT_EQ(pad.run("gfortran -std=f2008 -fopenmp -Wall -Werror t.f90 -o t && ./t"), 0)
      << pad.output;
}

} // namespace
