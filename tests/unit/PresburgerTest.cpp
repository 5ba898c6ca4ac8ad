// The polyhedron: what it adds to the algebra's prover, and that it proves nothing that is false at a point of a random scope.
#include "ir/Presburger.h"

#include <gtest/gtest.h>
#include <random>

using namespace moac::shape;

namespace {
Expr n(const char *name) { return Expr::name(name); }

TEST(Presburger, decidesWhatNeedsIntegrality) {
  Facts facts; // 2*i == 3*j + 1 and 0 <= i <= 4: i is 2, so j is 1
  facts.range("i", Expr(0), Expr(5));
  facts.range("j", Expr(0), Expr(5));
  facts.equal(Expr(2) * n("i"), Expr(3) * n("j") + Expr(1));
  EXPECT_TRUE(polyhedronProvesNonNegative(facts, n("i") - Expr(2)));
  EXPECT_TRUE(polyhedronProvesNonNegative(facts, Expr(2) - n("i")));
  EXPECT_FALSE(polyhedronProvesNonNegative(facts, n("i") - Expr(3)));
}

TEST(Presburger, decidesWhatNeedsSeveralFacts) {
  Facts facts; // 3*x + 2*y >= 7, x + 4*y >= 9, both halves of x + y >= 4 are needed at once
  facts.nonNegative(Expr(3) * n("x") + Expr(2) * n("y") - Expr(7));
  facts.nonNegative(n("x") + Expr(4) * n("y") - Expr(9));
  EXPECT_TRUE(polyhedronProvesNonNegative(facts, n("x") + n("y") - Expr(3)));
  EXPECT_FALSE(polyhedronProvesNonNegative(facts, n("x") + n("y") - Expr(4)));
}

TEST(Presburger, knowsDivisionsModuliAndExtremes) {
  Facts facts;
  facts.range("i", Expr(0), n("N"));
  Expr half = floordiv(n("i"), Expr(2));
  EXPECT_TRUE(polyhedronProvesNonNegative(facts, n("N") - Expr(1) - half - mod(n("i"), Expr(2))));
  EXPECT_TRUE(polyhedronProvesNonNegative(facts, n("i") - min(n("i"), n("N"))));
  EXPECT_FALSE(polyhedronProvesNonNegative(facts, half - Expr(1)));
}

TEST(Presburger, takesProductsForNames) {
  Facts facts;
  facts.nonNegative(n("A") * n("B") - Expr(3));
  EXPECT_TRUE(polyhedronProvesNonNegative(facts, Expr(2) * n("A") * n("B") - Expr(6)));
  EXPECT_FALSE(polyhedronProvesNonNegative(facts, n("A")));
}

TEST(Presburger, largeSystemsAreLeftAlone) {
  Facts facts;
  for (int k = 0; k < 40; ++k)
    facts.range("i" + std::to_string(k), Expr(0), n("N"));
  EXPECT_FALSE(polyhedronProvesNonNegative(facts, n("N") - Expr(1)));
}

/// Linear facts over three names in a small box; what is proved holds at each point of the box, and what holds at each is proved.
TEST(Presburger, isExactOnLinearSystems) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    auto pick = [&](int low, int high) { return static_cast<int64_t>(random() % static_cast<unsigned>(high - low + 1)) + low; };
    auto expr = [&] {
      return Expr(pick(-3, 3)) * n("a") + Expr(pick(-3, 3)) * n("b") + Expr(pick(-3, 3)) * n("c") + Expr(pick(-6, 6));
    };
    Facts facts;
    std::vector<Expr> known;
    for (const char *name : {"a", "b", "c"})
      facts.range(name, Expr(-3), Expr(5));
    for (int k = 0; k < 3; ++k)
      facts.nonNegative(known.emplace_back(expr()));
    Expr goal = expr();
    bool always = true;
    for (int64_t a = -3; a < 5; ++a)
      for (int64_t b = -3; b < 5; ++b)
        for (int64_t c = -3; c < 5; ++c) {
          std::map<std::string, int64_t> at{{"a", a}, {"b", b}, {"c", c}};
          bool holds = true;
          for (const Expr &fact : known)
            holds = holds && *fact.evaluate(at) >= 0;
          always = always && (!holds || *goal.evaluate(at) >= 0);
        }
    EXPECT_EQ(polyhedronProvesNonNegative(facts, goal), always) << "seed " << seed << ": " << goal.str();
  }
}
} // namespace
