// Printed text parses back to the same tree, with the parentheses that are needed and no others.
#include "frontend/AstPrinter.h"

#include "tests/unit/ExprTrees.h"
#include "tests/unit/RandomExpr.h"
#include "tests/unit/SyntaxHelpers.h"

#include "llvm/Support/Casting.h"

#include <gtest/gtest.h>

namespace moac {
namespace {

using test::dump;
using test::Parsed;

/// Reads an expression and prints it again.
std::string reprint(const std::string &text, Notation notation = Notation::Words) {
  Parsed parsed("kernel k() -> o: f64 {\n  o = " + text + "\n}\n");
  if (parsed.diagnostics.hasErrors())
    return parsed.messages;
  return print(*llvm::cast<ast::Define>(*parsed.file.kernels.at(0).body.at(0)).value, notation);
}

TEST(AstPrinter, KeepsNeededParenthesesOnly) {
  for (const char *text : {"a - (b - c)",
                           "a - b - c",
                           "(a + b) * c",
                           "-(a + b)",
                           "--a",
                           "not (a or b)",
                           "(not a) == b",
                           "(a < b) < c",
                           "a < b < c",
                           "sum((a + b)[i])",
                           "max(A)[i]",
                           "sum A * B",
                           "sum(A * B)",
                           "(s reshape A) reshape B",
                           "s reshape t reshape A",
                           "<1> drop <2> take A",
                           "<1> drop (s take A)",
                           "(shape <1 2>) take A",
                           "(A (+.*) B)[i]",
                           "A (+.*) (B (+.*) C)",
                           "(red +) sum A",
                           "<N -1>",
                           "<N - 1, a * b>",
                           "<(a < b), c>",
                           "x[1:, ::2, -1]",
                           "red[f, k in 0..n - 1: f64](a[k])",
                           "((red + omega<1>) X)[i]",
                           "max(a, b)"})
    EXPECT_EQ(reprint(text), text);
  EXPECT_EQ(reprint("((((red +)) omega<2>)) (((A)) + ((B)))"), "(red + omega<2>) (A + B)");
  EXPECT_EQ(reprint("(a * b) + (c[(i)]) // f((x))"), "a * b + c[i] // f(x)");
}

TEST(AstPrinter, GlyphsAreAnotherSpelling) {
  EXPECT_EQ(reprint("<1 2> transpose A (outer *) shape B / 2 <= -1", Notation::Moa),
            "<1 2> ⍉ A (• ×) ρ B ÷ 2 ≤ -1");
}

TEST(AstPrinter, ProgramsSurvivePrinting) {
  for (const test::Program &program : test::programs())
    for (Notation notation : {Notation::Words, Notation::Moa}) {
      Parsed first(program.text);
      std::string text = print(first.file, notation);
      Parsed second(text);
      EXPECT_EQ(second.messages, "") << program.name << "\n" << text;
      EXPECT_EQ(dump(second.file), dump(first.file)) << program.name << "\n" << text;
      EXPECT_EQ(print(second.file, notation), text) << program.name;
    }
}

TEST(AstPrinter, OtherItemsSurvivePrinting) {
  Parsed first("import \"a b.moa\"\nfn f(x, y) = x\nderive g = grad k wrt A, B seed O <- G save L\n"
               "derive j = join k, g\nschedule k for cpu { lift i by 2*T cyclic as it, ii order b "
               "place S, P at kt place T inline place U store pack K at kt as [j, kk] pack V as "
               "[j] unroll ii by 4 unroll j reduce k: owner lanes p partition b over pe by T partition j over pe }\nkernel z(a: f64[N] layout "
               "col) -> b: f64 inplace(b = a) where N > 1 { iterate p in 0..N - 1 carry L = A, Q = "
               "1 { L = p; Q = Q } }");
  ASSERT_EQ(first.messages, "");
  std::string text = print(first.file);
  Parsed second(text);
  EXPECT_EQ(second.messages, "") << text;
  EXPECT_EQ(dump(second.file), dump(first.file)) << text;
}

TEST(AstPrinter, RandomTreesSurvivePrinting) {
  uint64_t first = testing::seed();
  for (uint64_t seed = first; seed < first + 4000; ++seed) {
    ast::ExprPtr expr = test::RandomExpr(seed).expr(2 + int(seed % 4));
    for (Notation notation : {Notation::Words, Notation::Moa}) {
      std::string text = print(*expr, notation);
      ASSERT_EQ(test::dumpExpr(text), test::dump(*expr)) << "MOAC_SEED=" << seed << "\n" << text;
    }
  }
}

} // namespace
} // namespace moac
