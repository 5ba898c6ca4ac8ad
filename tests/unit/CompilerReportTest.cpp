// What is read from a compiler's report of stack usage and from its assembly.
#include "frontend/CompilerReport.h"
#include "frontend/HostCompiler.h"

#include <gtest/gtest.h>

using namespace moac;

namespace {
TEST(CompilerReport, ReadsTheLargestStack) {
  const CompilerReport report = readCompilerReport("k.c:1:5:small\t48\tstatic\nk.c:9:1:large._omp_fn.0\t1792\tdynamic,bounded\nnoise\n", "");
  EXPECT_EQ(report.stackBytes, 1792);
  EXPECT_EQ(report.function, "large._omp_fn.0");
  EXPECT_FALSE(report.dynamicStack);
  EXPECT_FALSE(report.spills); // no assembly that it understands
  EXPECT_TRUE(readCompilerReport("k.c:1:5:f\t16\tdynamic\n", "").dynamicStack);
}

TEST(CompilerReport, CountsMovesToTheStackInInnermostLoopsOnly) {
  const CompilerReport report = readCompilerReport("", "f:\n"
                                                       "\tvmovaps\t%ymm0, 32(%rsp)\n" // before any loop
                                                       ".L2:\n"
                                                       "\tvmovaps\t%ymm1, 64(%rsp)\n" // of an outer loop
                                                       ".L3:\n"
                                                       "\tvmovaps\t32(%rsp), %ymm4\n"
                                                       "\tvfmadd231ps\t(%rax), %ymm4, %ymm5\n"
                                                       "\tvfmadd231ps\t64(%rsp), %ymm4, %ymm6\n"
                                                       "\tmovq\t8(%rsp), %rax\n" // no vector
                                                       "\tjne\t.L3\n"
                                                       "\tjmp\t.L2\n");
  EXPECT_EQ(report.spills, 1);
  EXPECT_EQ(report.vectorOperations, 2);
}

TEST(CompilerReport, AsksTheHostsCompiler) {
  Answer<HostCompiler> compiler = HostCompiler::find();
  ASSERT_TRUE(compiler) << compiler.error;
  Answer<CompilerReport> report = compiler->inspect("void g(double *);\nvoid f(void) { double a[1000]; g(a); }\n");
  ASSERT_TRUE(report) << report.error;
  EXPECT_GE(report->stackBytes, 8000);
  EXPECT_EQ(report->function, "f");
  Answer<CompilerReport> wrong = compiler->inspect("no C\n");
  EXPECT_FALSE(wrong);
  EXPECT_NE(wrong.error.find("error"), std::string::npos);
}
} // namespace
