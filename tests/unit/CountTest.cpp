// Closed sums against going through the points one by one, on random nests with triangular, clipped and guarded loops.
#include "ir/Count.h"
#include "ir/CountLimit.h"

#include "frontend/CheckCases.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace moac;
using namespace moac::cost;
using shape::Facts;

namespace {
Expr e(const char *text) { return Expr::parse(text).value(); }

int64_t walk(const std::vector<LoopRange> &nest, const std::vector<Expr> &conditions, Sizes &at, size_t depth = 0) {
  if (depth == nest.size()) {
    for (const Expr &condition : conditions)
      if (condition.evaluate(at).value() < 0)
        return 0;
    return 1;
  }
  int64_t total = 0;
  const int64_t lo = nest[depth].lo.evaluate(at).value(), hi = nest[depth].hi.evaluate(at).value();
  for (int64_t v = lo; v < hi; ++v) {
    at[nest[depth].variable] = v;
    total += walk(nest, conditions, at, depth + 1);
  }
  at.erase(nest[depth].variable);
  return total;
}

Facts sizesAreNotNegative() {
  Facts facts;
  facts.nonNegative(e("N"));
  facts.nonNegative(e("M"));
  return facts;
}

std::string formula(const std::vector<LoopRange> &nest, std::vector<Expr> conditions = {}) {
  return countPoints(nest, std::move(conditions), sizesAreNotNegative()).str();
}

TEST(Count, BoxIsAProduct) { EXPECT_EQ(formula({{"i", e("0"), e("N")}, {"j", e("0"), e("M")}}), "M*N"); }

TEST(Count, DivisionByAnExtentOfZeroCountsNothing) {
  Count rows = Count(e("M*(((M + 1)//2)//M)"));
  EXPECT_EQ(rows.evaluate({{"M", 0}}), 0);
  EXPECT_EQ(rows.evaluate({{"M", 1}}), 1);
}

TEST(Count, TriangleIsAQuadraticPolynomial) {
  EXPECT_EQ(formula({{"i", e("0"), e("N")}, {"j", e("0"), e("i + 1")}}), "(N*N + N)/2");
}

TEST(Count, ClippedTilesAddUpToTheWhole) {
  EXPECT_EQ(formula({{"t", e("0"), e("(N + 63)//64")}, {"i", e("0"), e("min(64, N - 64*t)")}}), "N");
  EXPECT_EQ(formula({{"t", e("0"), e("(N + 63)//64")}, {"i", e("64*t"), e("min(N, 64*t + 64)")}}), "N");
}

TEST(Count, GuardThatCutsARange) {
  EXPECT_EQ(formula({{"i", e("0"), e("N")}}, {e("i - 1"), e("N - 2 - i")}), "max(0, N - 2)");
}

TEST(Count, NoPointsOutsideARangeThatIsEmptyBackwards) {
  const Count count = countPoints({{"i", e("3"), e("N")}}, {}, sizesAreNotNegative());
  EXPECT_EQ(count.evaluate({{"N", 1}}), 0);
  EXPECT_EQ(count.evaluate({{"N", 7}}), 4);
}

TEST(Count, MissingSizeOrOverflowGivesNothing) {
  const Count count = countPoints({{"i", e("0"), e("N")}, {"j", e("0"), e("N")}}, {}, sizesAreNotNegative());
  EXPECT_FALSE(count.evaluate({}));
  EXPECT_FALSE(count.evaluate({{"N", int64_t(1) << 40}}));
}

TEST(Count, ALimitOfTermsGivesNothingInsteadOfALongWait) {
  SumNode node{"i", e("0"), e("N"), {}, Count(e("i % 7"))};
  const Count count = Count::of(std::make_shared<const SumNode>(std::move(node)));
  EXPECT_EQ(count.evaluate({{"N", 700}}), 2100);
  EXPECT_FALSE(count.evaluate({{"N", int64_t(1) << 60}}));
  {
    const CountLimit limit(500);
    EXPECT_FALSE(count.evaluate({{"N", 700}}));
    EXPECT_EQ(count.evaluate({{"N", 70}}), 210); // each evaluation anew
  }
  EXPECT_EQ(count.evaluate({{"N", 700}}), 2100);
}

/// A random affine bound over the loop variables so far.
Expr randomBound(Random &random, const std::vector<LoopRange> &outer, bool upper) {
  Expr bound = upper ? (random.below(2) ? e("N") : e("M")) : Expr(random.below(2));
  if (!outer.empty() && random.below(2)) {
    const Expr index = Expr::name(outer[static_cast<size_t>(random.below(static_cast<int64_t>(outer.size())))].variable);
    bound = upper ? bound - index * Expr(random.below(3) - 1) + Expr(random.below(3)) : index + Expr(random.below(3) - 1);
  }
  if (random.below(4) == 0)
    bound = upper ? min(bound, e("M") + Expr(random.below(3) - 1)) : max(bound, Expr(random.below(3) - 1));
  return bound;
}

TEST(Count, EqualsTheWalkOnRandomNests) {
  const uint64_t seed = 11;
  for (uint64_t k = 0; k < 60; ++k) {
    Random random(seed * 1000 + k);
    std::vector<LoopRange> nest;
    const char *const names[] = {"i", "j", "k"};
    for (int64_t d = 0, depth = 1 + random.below(3); d < depth; ++d) {
      Expr lo = randomBound(random, nest, false), hi = randomBound(random, nest, true);
      if (random.below(5) == 0) { // tiles of three
        nest.push_back({std::string(names[d]) + "t", Expr(0), floordiv(e("N + 2"), Expr(3))});
        lo = Expr(0), hi = min(Expr(3), e("N") - Expr(3) * Expr::name(nest.back().variable));
      }
      nest.push_back({names[d], lo, hi});
    }
    std::vector<Expr> conditions;
    for (int64_t c = random.below(3); c > 0; --c)
      conditions.push_back(Expr::name(nest.back().variable) * Expr(random.below(5) - 2) +
                           Expr::name(nest.front().variable) * Expr(random.below(3) - 1) + Expr(random.below(7) - 2));
    const Count count = countPoints(nest, conditions, sizesAreNotNegative());
    for (int64_t n : {0, 1, 2, 3, 5, 7, 11})
      for (int64_t m : {0, 1, 4, 9}) {
        Sizes at = {{"N", n}, {"M", m}};
        std::string text;
        for (const LoopRange &l : nest)
          text += fmt::format("{} in {}..{}, ", l.variable, l.lo.str(), l.hi.str());
        for (const Expr &c : conditions)
          text += c.str() + " >= 0, ";
        ASSERT_EQ(count.evaluate(at), walk(nest, conditions, at)) << "seed " << seed << " nest " << k << ": " << text << "N=" << n << " M=" << m
                                                                   << " formula " << count.str();
      }
  }
}
} // namespace
