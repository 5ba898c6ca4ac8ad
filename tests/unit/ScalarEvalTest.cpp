// Scalar functions with bounds: special values by hand, then random chains against plain float and
// double.
#include "ir/Accumulator.h"

#include <gtest/gtest.h>
#include <random>

using namespace moac;
using namespace moac::eval;

namespace {

using N = Number<Double>;
const double inf = INFINITY;

void expectExact(N got, double want) {
  EXPECT_EQ(got.bound, 0);
  EXPECT_EQ(static_cast<double>(got.value), want);
}

TEST(ScalarEval, SmallIntegersStayExact) {
  expectExact(add<Double>({3, 0}, {4, 0}), 7);
  expectExact(mul<Double>({-3, 0}, {1 << 20, 0}), -3.0 * (1 << 20));
  expectExact(sub<Double>({0.5, 0}, {0.25, 0}), 0.25);
  expectExact(div<Double>({6, 0}, {4, 0}), 1.5);
  expectExact(sqrt<Double>({144, 0}), 12);
  expectExact(fma<Double>({3, 0}, {5, 0}, {-15, 0}), 0);
  EXPECT_GT(div<Double>({1, 0}, {3, 0}).bound, 0);
  EXPECT_GT(add<Double>({1, 0}, {0x1p-60, 0}).bound, 0);
  // Exact in long double but not as two doubles may multiply it: contraction could show the
  // difference.
  EXPECT_GT(mul<Double>({1 + 0x1p-40, 0}, {1 + 0x1p-40, 0}).bound, 0);
}

TEST(ScalarEval, SpecialValuesAreCertain) {
  expectExact(add<Double>({inf, 0}, {0, 0.5}), inf);
  // One side may be a product that a fused multiply-add does not round to infinity.
  EXPECT_FALSE(isCertainNan(add<Double>({inf, 0}, {-inf, 0})));
  EXPECT_TRUE(isCertainNan(mul<Double>({0, 0}, {inf, 0})));
  EXPECT_TRUE(isCertainNan(div<Double>({0, 0}, {0, 0})));
  EXPECT_TRUE(isCertainNan(sqrt<Double>({-1, 1e-9})));
  EXPECT_TRUE(isCertainNan(log<Double>({-1, 1e-9})));
  EXPECT_TRUE(isCertainNan(max<Double>({NAN, 0}, {1, 0})));
  EXPECT_TRUE(isCertainNan(min<Double>({1, 0.1}, {NAN, 0})));
  expectExact(log<Double>({0, 0}), -inf);
  expectExact(exp<Double>({-inf, 0}), 0);
  expectExact(exp<Double>({inf, 0}), inf);
  expectExact(exp<Double>({1e5, 1e-9}), inf);
  expectExact(div<Double>({5, 0.1}, {inf, 0}), 0);
  expectExact(mul<Double>({1e200, 1e180}, {1e200, 1e180}), inf);
  Number<Single> big = mul<Single>({1e30, 0}, {1e30, 0});
  EXPECT_EQ(big.value, inf);
  EXPECT_EQ(big.bound, 0);
}

TEST(ScalarEval, DoubtWhereTargetsMayDiffer) {
  EXPECT_EQ(mul<Double>({0, 1e-20}, {inf, 0}).bound, unknown);
  EXPECT_EQ(div<Double>({1, 0}, {1e-10, 1e-9}).bound, unknown);
  EXPECT_EQ(sqrt<Double>({0, 1e-9}).bound, unknown);
  EXPECT_EQ(log<Double>({1e-9, 1e-9}).bound, unknown);
  EXPECT_EQ(lt<Double>(N{1, 1e-9}, N{1 + 1e-10, 0}).doubt, unknown);
  EXPECT_EQ(lt<Double>(N{1, 1e-9}, N{1 + 1e-8, 0}).doubt, 0);
  EXPECT_EQ(eq<Double>(N{1, 0}, N{1, 0}).doubt, 0);
  EXPECT_EQ(lt<Double>(N{NAN, 0}, N{1, 0.5}).doubt, 0);
  EXPECT_EQ(floor<Double>({2.5, 1e-3}).bound, 0);
  EXPECT_EQ(floor<Double>({3.0001, 1e-3}).bound, 1);
  EXPECT_EQ(round<Double>({2.5, 0}).value, 2);
  EXPECT_EQ(toWhole<Double>(N{2.9999, 1e-3}, Element::I32).doubt, unknown);
  EXPECT_EQ(toWhole<Double>(N{2.99, 1e-3}, Element::I32).doubt, 0);
  // 5e-324 * 0.3 is 0 for who rounds it, and 0 * inf is no number.
  EXPECT_EQ(mul<Double>(mul<Double>({5e-324, 0}, {0.3, 0}), {inf, 0}).bound, unknown);
  EXPECT_TRUE(isCertainNan(mul<Double>(mul<Double>({0, 0}, {0.1, 0}), {inf, 0})));
  // The sum may be finite if the product is contracted into it.
  EXPECT_EQ(mul<Single>({1.9e19, 0}, {1.9e19, 0}).bound, unknown);
}

TEST(ScalarEval, MaximumOfIntervals) {
  N apart = max<Double>({1, 0.1}, {2, 0.01}), close = max<Double>({1, 0.5}, {1.2, 0.1});
  EXPECT_EQ(apart.bound, 0.01);
  EXPECT_DOUBLE_EQ(close.bound, 0.3); // 1 + 0.5 may win
  // Of a number without a bound nothing is known, not even that it is one.
  for (double other : {5.0, inf, -inf})
    for (double open : {5.0, inf, -inf}) {
      EXPECT_EQ(max<Double>({open, unknown}, {other, 0}).bound, unknown) << open << " " << other;
      EXPECT_EQ(max<Double>({other, 0}, {open, unknown}).bound, unknown) << open << " " << other;
    }
  EXPECT_TRUE(isCertainNan(max<Double>({NAN, 0}, {-inf, unknown})));
}

struct CastRow {
  double from;
  Element to;
  int64_t want;
};

TEST(ScalarEval, FloatToIntegerTable) {
  const CastRow table[] = {
      {2.9, Element::I32, 2},
      {-2.9, Element::I32, -2},
      {NAN, Element::I32, 0},
      {inf, Element::I32, INT32_MAX},
      {-inf, Element::I32, INT32_MIN},
      {3e9, Element::I32, INT32_MAX},
      {-3e9, Element::I32, INT32_MIN},
      {3e9, Element::U32, 3000000000},
      {-1, Element::U32, 0},
      {-0.5, Element::U32, 0},
      {1e30, Element::U32, UINT32_MAX},
      {1e30, Element::I64, INT64_MAX},
      {-1e30, Element::I64, INT64_MIN},
      {9223372036854775808.0, Element::I64, INT64_MAX},
      {1e30, Element::U64, -1},
      {9223372036854775808.0, Element::U64, INT64_MIN},
      {300, Element::U8, 255},
      {-200, Element::I8, -128},
      {40000, Element::I16, 32767},
  };
  for (const CastRow &row : table) {
    EXPECT_EQ(toWhole<Double>(N{row.from, 0}, row.to).value, row.want) << row.from;
    EXPECT_EQ(toWhole<Single>(Number<Single>{row.from, 0}, row.to).value, row.want) << row.from;
  }
  EXPECT_EQ(toBool<Double>(N{NAN, 0}).value, 1);
  EXPECT_EQ(toBool<Double>(N{0, 1e-9}).doubt, unknown);
}

TEST(ScalarEval, IntegerDivisionFloors) {
  const int64_t table[][4] = {{7, 2, 3, 1},    {-7, 2, -4, 1}, {7, -2, -4, -1},
                              {-7, -2, 3, -1}, {6, 3, 2, 0},   {INT64_MIN, -1, INT64_MIN, 0}};
  for (auto [a, b, quotient, rest] : table) {
    EXPECT_EQ(floordivWhole(a, b), quotient) << a << " " << b;
    EXPECT_EQ(modWhole(a, b), rest) << a << " " << b;
  }
  expectExact(floordiv<Double>({-7, 0}, {2, 0}), -4);
  expectExact(mod<Double>({-7, 0}, {2, 0}), 1);
  expectExact(mod<Double>({7, 0}, {-2, 0}), -1);
}

TEST(ScalarEval, HalfStoresAreExactUnlessTheBoundCrosses) {
  Number<Single> sure = roundHalf({1.0002, 1e-6}, Element::F16);
  EXPECT_EQ(sure.value, 1);
  EXPECT_EQ(sure.bound, 0);
  Number<Single> edge = roundHalf({1 + 0x1p-11, 1e-6}, Element::F16);
  EXPECT_EQ(edge.bound, 0x1p-10);
}

// ---- reductions
// ----------------------------------------------------------------------------------------------

N sumOf(const std::vector<N> &terms) {
  Accumulator sum;
  sum.start<Double>(Reduction::add);
  for (N t : terms)
    sum.addTerm<Double>(t);
  return sum.sum<Double>();
}

TEST(Accumulator, ExactSumsStayExact) {
  expectExact(sumOf({}), 0);
  expectExact(sumOf({{3, 0}, {-5, 0}, {0.5, 0}}), -1.5);
  // One order of these is exact, another is not.
  EXPECT_GT(sumOf({{0x1p-60, 0}, {-0x1p-60, 0}, {1, 0}}).bound, 0);
  expectExact(sumOf({{inf, 0}, {1, 0.1}}), inf);
  EXPECT_FALSE(isCertainNan(sumOf({{inf, 0}, {-inf, 0}})));
  EXPECT_EQ(sumOf({{1e308, 0}, {1e308, 0}, {-1e308, 0}}).bound, unknown);
  expectExact(sumOf({{1e308, 0}, {1e308, 0}, {1.5, 1}}), inf);
}

TEST(Accumulator, ExtremesKeepDoubt) {
  auto largest = [](const std::vector<N> &terms) {
    Accumulator best;
    best.start<Double>(Reduction::max);
    for (N t : terms)
      best.maxTerm<Double>(t, 1);
    return best.extreme<Double>(1);
  };
  expectExact(largest({}), -inf);
  expectExact(largest({{1, 0}, {inf, 0}}), inf);
  for (double open : {5.0, inf, -inf}) {
    EXPECT_EQ(largest({{open, unknown}}).bound, unknown) << open;
    EXPECT_EQ(largest({{inf, 0}, {open, unknown}}).bound, unknown) << open;
  }
  EXPECT_TRUE(isCertainNan(largest({{-inf, unknown}, {NAN, 0}})));
}

Whole argmaxOf(const std::vector<N> &terms, Reduction kind = Reduction::argmax) {
  Accumulator best;
  best.start<Double>(kind);
  int64_t at = 0;
  for (N t : terms)
    best.argTerm<Double>(t, at++, kind == Reduction::argmax ? 1 : -1);
  return best.position<Double>();
}

TEST(Accumulator, ArgmaxOfTiesNansAndRivals) {
  EXPECT_EQ(argmaxOf({}).value, -1);
  EXPECT_EQ(argmaxOf({{1, 0}, {3, 0}, {3, 0}}).value, 1);
  EXPECT_EQ(argmaxOf({{1, 0}, {3, 0}, {3, 0}}).doubt, 0);
  EXPECT_EQ(argmaxOf({{1, 0}, {NAN, 0}, {3, 0}, {NAN, 0}}).value, 1);
  EXPECT_EQ(argmaxOf({{-inf, 0}, {-inf, 0}}).value, 0);
  EXPECT_EQ(argmaxOf({{2, 0}, {1, 0}, {1, 0}}, Reduction::argmin).value, 1);
  EXPECT_EQ(argmaxOf({{3, 0.1}, {2.95, 0}}).doubt, unknown);
  EXPECT_EQ(argmaxOf({{2.95, 0.1}, {3, 0}}).doubt, unknown);
  EXPECT_EQ(argmaxOf({{2.5, 0.1}, {3, 0.1}, {-9, 0.1}}).doubt, 0);
}

TEST(Accumulator, WholeReductions) {
  auto reduce = [](Reduction kind, std::vector<int64_t> terms, Element type) {
    Accumulator a;
    a.startWhole(kind);
    int64_t at = 0;
    for (int64_t t : terms)
      a.wholeTerm(kind, {t, 0}, at++, type == Element::U64);
    return a.whole(kind, type, type == Element::U64).value;
  };
  EXPECT_EQ(reduce(Reduction::add, {INT32_MAX, 1}, Element::I32), INT32_MIN);
  EXPECT_EQ(reduce(Reduction::mul, {}, Element::I64), 1);
  EXPECT_EQ(reduce(Reduction::max, {}, Element::I32), INT32_MIN);
  EXPECT_EQ(reduce(Reduction::min, {}, Element::I64), INT64_MAX);
  EXPECT_EQ(reduce(Reduction::max, {}, Element::U32), 0);
  EXPECT_EQ(reduce(Reduction::min, {}, Element::U64), -1);
  EXPECT_EQ(reduce(Reduction::max, {1, -1, 5}, Element::U64), -1); // the largest u64
  EXPECT_EQ(reduce(Reduction::max, {1, -1, 5}, Element::I64), 5);
  EXPECT_EQ(reduce(Reduction::argmin, {4, 2, 2}, Element::I32), 1);
  EXPECT_EQ(reduce(Reduction::any, {}, Element::Bool), 0);
  EXPECT_EQ(reduce(Reduction::all, {}, Element::Bool), 1);
  EXPECT_EQ(reduce(Reduction::all, {1, 0, 1}, Element::Bool), 0);
}

// ---- property: the bound covers plain arithmetic in any order
// --------------------------------------------------

template <class P> struct Pair {
  Number<P> oracle;
  typename P::Narrow plain;
};

/// One random operation, in the oracle and as a target would do it (with or without contraction).
template <class P, class Random>
Pair<P> combine(Random &random, const Pair<P> &a, const Pair<P> &b, const Pair<P> &c) {
  using T = typename P::Narrow;
  const T one = 1;
  switch (random() % 14) {
  case 0:
    return {add(a.oracle, b.oracle), a.plain + b.plain};
  case 1:
    return {sub(a.oracle, b.oracle), a.plain - b.plain};
  case 2:
    return {mul(a.oracle, b.oracle), a.plain * b.plain};
  case 3:
    return {div(a.oracle, b.oracle), a.plain / b.plain};
  case 4: // contracted
    return {add(mul(a.oracle, b.oracle), c.oracle), std::fma(a.plain, b.plain, c.plain)};
  case 5:
    return {fma(a.oracle, b.oracle, c.oracle), std::fma(a.plain, b.plain, c.plain)};
  case 6:
    return {sqrt(abs(a.oracle)), std::sqrt(std::fabs(a.plain))};
  case 7:
    return {tanh(a.oracle), std::tanh(a.plain)};
  case 8:
    return {exp(min(a.oracle, b.oracle)), std::exp(std::min(a.plain, b.plain))};
  case 9:
    return {max(a.oracle, b.oracle), std::max(a.plain, b.plain)};
  case 10:
    return {sigmoid(a.oracle), one / (one + std::exp(-a.plain))};
  case 11:
    return {log(abs(a.oracle)), std::log(std::fabs(a.plain))};
  case 12:
    return {sin(a.oracle), std::sin(a.plain)};
  default:
    return {pow(abs(a.oracle), b.oracle), std::pow(std::fabs(a.plain), b.plain)};
  }
}

template <class P> void chains(unsigned seed) {
  using T = typename P::Narrow;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-4, 4);
  int finite = 0, total = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<Pair<P>> pool;
    for (int i = 0; i < 4; ++i) {
      auto x = static_cast<T>(uniform(random));
      pool.push_back({{x, 0}, x});
    }
    for (int step = 0; step < 6; ++step) {
      auto pick = [&]() -> const Pair<P> & { return pool[random() % pool.size()]; };
      Pair<P> next = combine<P>(random, pick(), pick(), pick());
      Tensor want = Tensor::scalar(Element::F64, next.oracle.value);
      want.bounds = {next.oracle.bound};
      Tensor got = Tensor::scalar(Element::F64, next.plain);
      Verdict verdict = compare(got.bytes, want);
      // The smallest subnormal of the arithmetic, not of the tensor, is the slack here.
      bool tiny = std::fabs(next.plain - next.oracle.value) <= 2 * P::eta;
      ASSERT_TRUE(verdict.passed || tiny) << "seed " << seed << " round " << round << " step "
                                          << step << ": " << verdict.explanation;
      ++total;
      finite += next.oracle.bound < 1e-2 * (1 + std::fabs(next.plain));
      pool.push_back(next);
    }
  }
  EXPECT_GT(finite, total * 9 / 10) << "seed " << seed; // the bound is no blanket excuse
}

TEST(ScalarEvalProperty, BoundsCoverPlainArithmetic) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    chains<Double>(seed);
    chains<Single>(seed);
  }
}

template <class P> void sums(unsigned seed) {
  using T = typename P::Narrow;
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    size_t n = 1 + random() % 400;
    std::vector<T> terms(n);
    Accumulator oracle;
    oracle.start<P>(Reduction::add);
    // Every third round one sign, every fourth wildly different sizes.
    for (T &t : terms) {
      double x = std::uniform_real_distribution<double>(round % 3 ? -1 : 0.5, 1)(random);
      t = static_cast<T>(round % 4 ? x : std::ldexp(x, static_cast<int>(random() % 60) - 30));
      oracle.addTerm<P>({t, 0});
    }
    Number<P> want = oracle.sum<P>();
    for (int order = 0; order < 4; ++order) {
      std::vector<T> rest = terms;
      std::shuffle(rest.begin(), rest.end(), random);
      while (rest.size() > 1) { // a random binary tree, a chain in order 0
        size_t at = order ? random() % (rest.size() - 1) : 0;
        rest[at] += rest[at + 1];
        rest.erase(rest.begin() + static_cast<long>(at) + 1);
      }
      double error = static_cast<double>(std::fabs(rest[0] - want.value));
      EXPECT_LE(error, allowedBounds * want.bound) << "seed " << seed << " round " << round;
    }
  }
}

TEST(ScalarEvalProperty, SumBoundCoversEveryOrder) {
  for (unsigned seed = 11; seed <= 13; ++seed) {
    sums<Double>(seed);
    sums<Single>(seed);
  }
}

} // namespace
