// γ as arithmetic: known offsets, inverses, and lifted axes that visit every index once.
#include "ir/Gamma.h"

#include <gtest/gtest.h>

using namespace moac::shape;

namespace {

Index numbers(std::initializer_list<int64_t> values) { return Index(values.begin(), values.end()); }

TEST(Gamma, KnownOffsets) {
  EXPECT_EQ(gammaRow(numbers({2, 1}), numbers({3, 4})), Expr(9));
  EXPECT_EQ(gammaRow(numbers({1, 2}), numbers({3, 4})), Expr(6));
  EXPECT_EQ(gammaCol(numbers({1, 2}), numbers({3, 4})), Expr(7));
  EXPECT_EQ(gammaRow({}, {}), Expr(0));
  EXPECT_EQ(gammaRow(numbers({2}), numbers({3, 4})), Expr(8)); // start of row 2
  EXPECT_EQ(total(numbers({3, 4, 5})), Expr(60));
  EXPECT_EQ(total({}), Expr(1));
}

TEST(Gamma, SymbolicStrides) {
  Extents s = {Expr::name("B"), Expr::name("N"), Expr::name("D")};
  Index i = {Expr::name("b"), Expr::name("i"), Expr::name("j")};
  EXPECT_EQ(gammaRow(i, s).str(), "D*N*b + D*i + j");
  EXPECT_EQ(gammaCol(i, s).str(), "B*N*j + B*i + b");
  EXPECT_EQ(rowStrides(s)[0].str(), "D*N");
  EXPECT_EQ(colStrides(s)[2].str(), "B*N");
}

TEST(Gamma, InverseUndoesEveryOffset) {
  for (const Extents &s :
       {numbers({3, 4}), numbers({2, 3, 5}), numbers({7}), numbers({1, 4, 1, 3})}) {
    int64_t size = *total(s).constant();
    std::set<Index> seen;
    for (int64_t offset = 0; offset < size; ++offset) {
      Index row = gammaRowInverse(Expr(offset), s), col = gammaColInverse(Expr(offset), s);
      EXPECT_EQ(gammaRow(row, s), Expr(offset));
      EXPECT_EQ(gammaCol(col, s), Expr(offset));
      for (size_t k = 0; k < s.size(); ++k)
        EXPECT_TRUE(*row[k].constant() >= 0 && *row[k].constant() < *s[k].constant());
      seen.insert(row);
    }
    EXPECT_EQ(seen.size(), static_cast<size_t>(size));
  }
  EXPECT_TRUE(gammaRowInverse(Expr(0), {}).empty());
}

TEST(Gamma, SymbolicInverseHoldsAtEveryPoint) {
  Extents s = {Expr::name("B"), Expr::name("N"), Expr::name("D")};
  Index row = gammaRowInverse(Expr::name("p"), s);
  for (int64_t p = 0; p < 2 * 3 * 4; ++p) {
    std::map<std::string, int64_t> at = {{"B", 2}, {"N", 3}, {"D", 4}, {"p", p}};
    EXPECT_EQ(row[0].evaluate(at), p / 12);
    EXPECT_EQ(row[1].evaluate(at), p / 4 % 3);
    EXPECT_EQ(row[2].evaluate(at), p % 4);
  }
}

/// Positions that the lifted loops visit, each outer position running over its tail only.
std::vector<int> visits(const Lift &l, int64_t n, int64_t t,
                        const std::map<std::string, int64_t> &at) {
  std::vector<int> count(static_cast<size_t>(n));
  std::map<std::string, int64_t> values = at;
  int64_t outer = *l.outerExtent.evaluate(at), inner = *l.innerExtent.evaluate(at);
  EXPECT_EQ(inner, t);
  for (values["o"] = 0; values["o"] < outer; ++values["o"]) {
    int64_t tail = *l.tail.evaluate(values);
    EXPECT_TRUE(tail <= t && (tail >= 0));
    for (values["i"] = 0; values["i"] < tail; ++values["i"]) {
      int64_t index = *l.index.evaluate(values);
      EXPECT_TRUE(index >= 0 && index < n) << n << " by " << t;
      if (index >= 0 && index < n)
        ++count[static_cast<size_t>(index)];
    }
  }
  return count;
}

TEST(Gamma, LiftVisitsEveryIndexOnce) {
  for (bool cyclic : {false, true})
    for (int64_t n = 0; n <= 40; ++n)
      for (int64_t t = 1; t <= 9; ++t) {
        std::vector<int> once(static_cast<size_t>(n), 1);
        Lift symbolic = lift(Expr::name("n"), Expr::name("t"), "o", "i", cyclic);
        EXPECT_EQ(visits(symbolic, n, t, {{"n", n}, {"t", t}}), once) << n << " by " << t;
        EXPECT_EQ(visits(lift(Expr(n), Expr(t), "o", "i", cyclic), n, t, {}), once)
            << n << " by " << t;
      }
}

TEST(Gamma, BlockedAndCyclicOrders) {
  Lift blocked = lift(Expr::name("N"), Expr(32), "it", "ii");
  EXPECT_EQ(blocked.outerExtent.str(), "(N + 31)//32");
  EXPECT_EQ(blocked.index.str(), "ii + 32*it");
  EXPECT_EQ(blocked.tail.str(), "min(N - 32*it, 32)");
  Lift cyclic = lift(Expr(12), Expr(4), "o", "i", true);
  EXPECT_EQ(cyclic.index.str(), "3*i + o");
}

} // namespace
