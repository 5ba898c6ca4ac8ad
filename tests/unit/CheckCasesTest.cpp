// The covering property itself: every admissible pair of sizes occurs, with no, mild and hard
// constraints.
#include "frontend/CheckCases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace moac;

namespace {

SizeRules freeRules(unsigned symbols) {
  SizeRules rules;
  rules.symbols = symbols;
  rules.admits = [](const std::vector<int64_t> &) { return true; };
  rules.work = [](const std::vector<int64_t> &) { return 1.0; };
  return rules;
}

/// Pairs (a = x, b = y) of listed sizes that no case holds.
unsigned uncovered(const std::vector<std::vector<int64_t>> &cases, unsigned a, unsigned b) {
  unsigned missing = 0;
  for (int64_t x : checkSizes())
    for (int64_t y : checkSizes())
      missing +=
          std::none_of(cases.begin(), cases.end(), [&](auto &c) { return c[a] == x && c[b] == y; });
  return missing;
}

} // namespace

TEST(CheckCases, withoutSymbolsThereIsOneCase) { EXPECT_EQ(sizeCases(freeRules(0)).size(), 1u); }

TEST(CheckCases, oneSymbolTakesEverySize) { EXPECT_EQ(sizeCases(freeRules(1)).size(), 7u); }

TEST(CheckCases, everyPairIsCoveredByFewCases) {
  for (unsigned symbols : {2u, 4u, 7u}) {
    auto cases = sizeCases(freeRules(symbols));
    for (unsigned a = 0; a < symbols; ++a)
      for (unsigned b = a + 1; b < symbols; ++b)
        EXPECT_EQ(uncovered(cases, a, b), 0u) << symbols << " symbols, pair " << a << ' ' << b;
    EXPECT_GE(cases.size(), 49u);
    EXPECT_LE(cases.size(), 130u) << symbols;
  }
}

TEST(CheckCases, theResultIsTheSameEveryTime) {
  EXPECT_EQ(sizeCases(freeRules(5)), sizeCases(freeRules(5)));
}

TEST(CheckCases, constraintsAndCapAreKept) {
  SizeRules rules = freeRules(4); // Hq, Hk, N, M
  rules.admits = [](const std::vector<int64_t> &s) { return s[1] >= 1 && s[0] % s[1] == 0; };
  rules.work = [](const std::vector<int64_t> &s) { return 1.0 * s[0] * s[2] * s[3]; };
  rules.cap = 1e5;
  auto cases = sizeCases(rules);
  for (auto &c : cases)
    EXPECT_TRUE(rules.admits(c) && rules.work(c) <= rules.cap);
  EXPECT_EQ(uncovered(cases, 2, 3), 0u);
  // Pairs (Hq, Hk) that are possible at all: Hk >= 1 divides Hq.
  unsigned impossible = 0;
  for (int64_t q : checkSizes())
    for (int64_t k : checkSizes())
      impossible += k == 0 || q % k != 0;
  EXPECT_EQ(uncovered(cases, 0, 1), impossible);
}

TEST(CheckCases, equationsAreSatisfiedBesideTheList) {
  SizeRules rules = freeRules(3); // R, L, H with L == 2*H
  rules.admits = [](const std::vector<int64_t> &s) { return s[1] == 2 * s[2] && s[2] >= 1; };
  auto cases = sizeCases(rules);
  for (int64_t h : checkSizes())
    if (h >= 1)
      EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](auto &c) {
        return c[2] == h && c[1] == 2 * h;
      })) << h;
}

TEST(CheckCases, manySymbolsAndTightLimitsStayCheap) {
  SizeRules rules = freeRules(9); // a convolution: B C H W O R S stride dilation
  long tests = 0;
  rules.admits = [&](const std::vector<int64_t> &s) {
    ++tests;
    return s[7] >= 1 && s[8] >= 1 && s[5] >= 1 && s[6] >= 1 && s[2] > s[8] * (s[5] - 1) &&
           s[3] > s[8] * (s[6] - 1);
  };
  rules.work = [](const std::vector<int64_t> &s) {
    return 1.0 * s[0] * s[1] * s[2] * s[3] * s[4] * s[5] * s[6];
  };
  rules.cap = 2e4;
  EXPECT_GE(sizeCases(rules).size(), 100u);
  EXPECT_LE(tests, 100000);
}

TEST(CheckCases, impossibleConstraintsGiveNoCase) {
  SizeRules rules = freeRules(3);
  rules.admits = [](const std::vector<int64_t> &) { return false; };
  EXPECT_TRUE(sizeCases(rules).empty());
}

TEST(CheckCases, fullIsTheProduct) {
  SizeRules rules = freeRules(3);
  rules.full = true;
  EXPECT_EQ(sizeCases(rules).size(), 343u);
}

TEST(CheckData, seedsDecideTheData) {
  Random one(5), same(5), other(6);
  HostArray a = randomArray(ElementType::f32_, {3, 4}, DataKind::Gaussian, one);
  HostArray b = randomArray(ElementType::f32_, {3, 4}, DataKind::Gaussian, same);
  HostArray c = randomArray(ElementType::f32_, {3, 4}, DataKind::Gaussian, other);
  EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
  EXPECT_FALSE(std::ranges::equal(a.bytes(), c.bytes()));
}

TEST(CheckData, kindsAreWhatTheyAreCalled) {
  Random random(1);
  HostArray gaussian = randomArray(ElementType::f64_, {10000}, DataKind::Gaussian, random);
  long double sum = 0, squares = 0;
  for (int64_t k = 0; k < 10000; ++k)
    sum += gaussian.get(k), squares += gaussian.get(k) * gaussian.get(k);
  EXPECT_NEAR(static_cast<double>(sum) / 10000, 0, 0.05);
  EXPECT_NEAR(static_cast<double>(squares) / 10000, 1, 0.05);

  HostArray integers = randomArray(ElementType::f16_, {500}, DataKind::SmallIntegers, random);
  HostArray special = randomArray(ElementType::f32_, {500}, DataKind::Special, random);
  bool infinite = false, nan = false;
  for (int64_t k = 0; k < 500; ++k) {
    EXPECT_EQ(integers.get(k), std::round(integers.get(k)));
    EXPECT_LE(std::fabs(integers.get(k)), 4);
    infinite |= std::isinf(special.get(k)), nan |= std::isnan(special.get(k));
  }
  EXPECT_TRUE(infinite && nan);

  HostArray low = randomArray(ElementType::f64_, {5, 6}, DataKind::LowRank, random);
  for (int64_t k = 1; k < 5; ++k) // 2 by 2 minors vanish
    EXPECT_NEAR(static_cast<double>(low.get(0) * low.get(6 * k + 1) - low.get(1) * low.get(6 * k)),
                0, 1e-12);
}

TEST(CheckData, indicesStayBelowTheirBound) {
  Random random(1);
  HostArray indices = randomIndices(ElementType::i32_, {200}, 7, true, random);
  EXPECT_EQ(indices.get(0), 0);
  EXPECT_EQ(indices.get(199), 6);
  for (int64_t k = 1; k < 200; ++k)
    EXPECT_LE(indices.get(k - 1), indices.get(k));
  EXPECT_EQ(randomIndices(ElementType::i64_, {1}, 0, false, random).get(0), 0);
  EXPECT_EQ(randomArray(ElementType::i64_, {0, 3}, DataKind::Gaussian, random).size(), 0);
}
