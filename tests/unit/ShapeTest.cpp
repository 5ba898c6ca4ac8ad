// The canonical form of shape expressions: what must simplify, what must not, and that nothing
// changes a value.
#include "ir/ShapeNode.h"
#include "tests/unit/ExprTrees.h"

#include <gtest/gtest.h>

using namespace moac::shape;
using moac::testing::build;
using moac::testing::direct;
using moac::testing::randomTree;
using moac::testing::Tree;
using moac::testing::Values;

namespace {

Expr expr(const std::string &text) {
  std::optional<Expr> e = Expr::parse(text);
  EXPECT_TRUE(e.has_value()) << text;
  return e.value_or(Expr());
}

void expectText(const std::string &text, const std::string &canonical) {
  EXPECT_EQ(expr(text).str(), canonical) << "from " << text;
}

TEST(Shape, KeepsWhatAZeroDivisorWouldChange) {
  expectText("N*s//s", "N + 0//s"); // not N: undefined at s = 0
  expectText("s % s", "0 % s");
  expectText("5//0", "5//0");
  expectText("5 % 0", "5 % 0");
  EXPECT_FALSE(expr("N*s//s").evaluate({{"N", 3}, {"s", 0}}).has_value());
  EXPECT_FALSE(expr("N//0").evaluate({{"N", 3}}).has_value());
}

TEST(Shape, KeepsDivisionsThatOnlyLookAlike) {
  EXPECT_FALSE(expr("i % 20//2*2 % 4") == expr("i % 4"));
  EXPECT_EQ(expr("i % 20//2*2 % 4").evaluate({{"i", 3}}), 2);
  EXPECT_FALSE(expr("(N//2)*2") == expr("N"));
  EXPECT_FALSE(expr("N//-2") == expr("-(N//2)"));
  EXPECT_FALSE(expr("min(N, M)") == expr("max(N, M)"));
}

TEST(Shape, CombinesPolynomials) {
  expectText("(N + 1)*(N - 1)", "N*N - 1");
  expectText("W*2*H + 1 + (N-1)//s + min(64, M)", "2*H*W + (N - 1)//s + min(M, 64) + 1");
}

TEST(Shape, PrintsAPositiveTermFirst) {
  expectText("1 - N", "1 - N");
  expectText("-N - 2*M*K", "-2*K*M - N");
  expectText("-(N//3)", "-(N//3)");
  expectText("2*(N % 3) - N", "2*(N % 3) - N");
}

TEST(Shape, DividesAndReducesByConstants) {
  expectText("7//-2", "-4");
  expectText("7 % -2", "-1");
  expectText("(-7)//2", "-4");
  expectText("N//1", "N");
  expectText("N % 1", "0");
  expectText("N//-1", "-N");
  expectText("(32*N + 5)//32", "N");
  expectText("(5*N + 7)//3", "N + (2*N + 1)//3 + 2");
  expectText("(N - 1)//32 + 1", "(N + 31)//32");
  expectText("N//-3", "2*N//3 - N");
  expectText("(4*N + 2)//6", "(2*N + 1)//3");
  expectText("(4*N + 3) % 6", "2*((2*N + 1) % 3) + 1");
  expectText("(N % 8) % 8", "N % 8");
  expectText("(N % 8) % 4", "N % 4");
  expectText("(N % 4) % 8", "N % 4");
  expectText("(N % 4)//4", "0");
  expectText("(64*N + i % 64)//64", "N");
  expectText("N//4//2", "N//8");
  expectText("(N//s + 1)//2", "(N + s)//(2*s)");
}

TEST(Shape, MovesMultiplesOfASymbolicDivisorOut) {
  expectText("(N + s - 1)//s", "(N - 1)//s + 1");
  expectText("(N + s - 1)//(-s)", "(1 - N)//s - 1");
  expectText("(it*T + ii)//T", "it + ii//T");
  expectText("(it*T + ii) % T", "ii % T");
  expectText("(i*(M + 1) + j)//(M + 1)", "i + j//(M + 1)");
  expectText("(j % T + T) % T", "j % T");
  expectText("2*N//(2*s)", "N//s");
}

TEST(Shape, OrdersMinimaAndMaxima) {
  expectText("min(3, 5)", "3");
  expectText("min(N, N + 3)", "N");
  expectText("max(N, min(N, 3))", "max(N, min(N, 3))");
  expectText("max(max(c, a), b, a)", "max(a, b, c)");
  expectText("min(N + 1, M + 3)", "min(M + 2, N) + 1");
  expectText("min(min(a, b) + 1, c)", "min(a + 1, b + 1, c)");
  expectText("min(-max(a, b), c)", "min(-a, -b, c)");
  expectText("abs(N)", "max(-N, N)");
  EXPECT_EQ(expr("abs(i - j)"), expr("abs(j - i)"));
}

TEST(Shape, QuotientsAreExactOrNothing) {
  EXPECT_EQ(exactQuotient(expr("N*M + N"), expr("N")), expr("M + 1"));
  EXPECT_EQ(exactQuotient(expr("N*N - 1"), expr("N + 1")), expr("N - 1"));
  EXPECT_EQ(exactQuotient(expr("6*N"), expr("-4")), std::nullopt);
  EXPECT_EQ(exactQuotient(expr("N + 1"), expr("N")), std::nullopt);
  EXPECT_EQ(exactQuotient(expr("N"), Expr()), std::nullopt);
}

TEST(Shape, SubstitutesEverywhereAtOnce) {
  Expr e = expr("N*M + (N - 1)//M");
  EXPECT_EQ(e.substitute({{"N", expr("M")}, {"M", expr("N")}}), expr("N*M + (M - 1)//N"));
  EXPECT_EQ(e.substitute({{"N", Expr(9)}, {"M", Expr(4)}}), Expr(38));
  EXPECT_EQ(e.names(), (std::set<std::string>{"M", "N"}));
  EXPECT_FALSE(e.mentions("K"));
  EXPECT_TRUE(e.mentions("M"));
}

TEST(Shape, OverflowPoisons) {
  Expr big(INT64_MAX), sum = big * expr("N") + expr("N");
  EXPECT_TRUE(sum.poisoned());
  EXPECT_TRUE((big + Expr(1)).poisoned());
  EXPECT_TRUE((big * Expr(2)).poisoned());
  EXPECT_EQ(sum, sum);
  EXPECT_FALSE(sum == big * expr("N") + expr("N"));
  EXPECT_TRUE((sum - sum).poisoned());
  EXPECT_TRUE(floordiv(sum, Expr(2)).poisoned() && min(Expr(1), sum).poisoned());
  EXPECT_FALSE(sum.constant() || sum.evaluate({{"N", 0}}));
  EXPECT_FALSE((big * expr("N")).evaluate({{"N", 2}}));
}

TEST(Shape, GrowthIsBounded) {
  Expr power = expr("a + b + c + d + e + f + 1"), nest = expr("N");
  for (int k = 0; k < 12; ++k)
    power = power * power;
  for (int k = 0; k < 500; ++k)
    nest =
        floordiv(nest * nest + nest + Expr(k), nest + Expr::name("s")) + mod(nest, Expr::name("M"));
  EXPECT_TRUE(power.poisoned());
  EXPECT_TRUE(nest.poisoned());
}

TEST(Shape, ReaderRefusesWhatIsNotAnExpression) {
  for (const char *text : {"", "N +", "(N", "N)", "N M", "1..2", "99999999999999999999", "min(",
                           "min()", "3x", "N / 2", "abs(1, 2)", "<overflow>"})
    EXPECT_FALSE(Expr::parse(text).has_value()) << text;
  EXPECT_FALSE(Expr::parse(std::string(100000, '(')).has_value());
}

TEST(Shape, RandomExpressionsKeepTheirValueAndTheirText) {
  std::mt19937 random(moac::testing::seed());
  SCOPED_TRACE("MOAC_SEED=" + std::to_string(moac::testing::seed()));
  const std::vector<std::string> names = {"i", "N", "s"};
  int compared = 0;
  for (int round = 0; round < 6000; ++round) {
    Tree tree = randomTree(random, names, 1 + round % 5);
    Expr e = build(tree);
    if (e.poisoned())
      continue;
    std::optional<Expr> again = Expr::parse(e.str());
    ASSERT_TRUE(again && *again == e)
        << e.str() << " reads as " << (again ? again->str() : "nothing");
    Expr identity = rewrite(e, [](const Atom &) { return std::nullopt; });
    ASSERT_EQ(identity, e) << e.str();
    for (int point = 0; point < 12; ++point) {
      Values values;
      for (const std::string &n : names)
        values[n] = static_cast<int64_t>(random() % 41) - 20;
      std::optional<__int128> want = direct(tree, values);
      if (!want)
        continue;
      ++compared;
      std::optional<int64_t> got = e.evaluate(values);
      ASSERT_TRUE(got && *got == static_cast<int64_t>(*want))
          << e.str() << " at i=" << values["i"] << " N=" << values["N"] << " s=" << values["s"]
          << ": " << got.value_or(-999) << ", want " << static_cast<int64_t>(*want);
    }
  }
  EXPECT_GT(compared, 20000);
}

} // namespace
