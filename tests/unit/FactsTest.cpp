// The prover: what it must prove, what it must refuse, and that a proof is never wrong.
#include "ir/Gamma.h"
#include "tests/unit/ExprTrees.h"

#include <gtest/gtest.h>

using namespace moac::shape;

namespace {

Expr expr(const std::string &text) {
  std::optional<Expr> e = Expr::parse(text);
  EXPECT_TRUE(e.has_value()) << text;
  return e.value_or(Expr());
}

/// Facts from text: "i in lo..hi", "a >= b", "a < b" and "a == b", separated by ";".
Facts facts(const std::string &text) {
  Facts out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(';', at), text.size());
    std::string one = text.substr(at, end - at);
    at = end + 1;
    auto sides = [&](const std::string &sign) {
      size_t k = one.find(sign);
      return std::pair(expr(one.substr(0, k)), expr(one.substr(k + sign.size())));
    };
    if (size_t k = one.find(" in "); k != std::string::npos) {
      size_t dots = one.find("..");
      std::string name = *expr(one.substr(0, k)).asName();
      out.range(name, expr(one.substr(k + 4, dots - k - 4)), expr(one.substr(dots + 2)));
    } else if (one.find("==") != std::string::npos) {
      out.equal(sides("==").first, sides("==").second);
    } else if (one.find(">=") != std::string::npos) {
      out.nonNegative(sides(">=").first - sides(">=").second);
    } else {
      out.nonNegative(sides("<").second - sides("<").first - Expr(1));
    }
  }
  return out;
}

/// Claims "a < b" and "a >= b", separated by ";".
void check(const std::string &known, const std::string &claims, bool provable) {
  Facts f = facts(known);
  for (size_t at = 0; at < claims.size();) {
    size_t end = std::min(claims.find(';', at), claims.size());
    std::string one = claims.substr(at, end - at);
    at = end + 1;
    size_t less = one.find('<'), atLeast = one.find(">=");
    bool ok =
        less != std::string::npos
            ? f.proveLess(expr(one.substr(0, less)), expr(one.substr(less + 1)))
            : f.proveNonNegative(expr(one.substr(0, atLeast)) - expr(one.substr(atLeast + 2)));
    EXPECT_EQ(ok, provable) << known << "  =>  " << one;
  }
}

void proves(const std::string &known, const std::string &claims) { check(known, claims, true); }
void refuses(const std::string &known, const std::string &claims) { check(known, claims, false); }

TEST(Facts, SeesRangesWithoutAnElement) {
  EXPECT_TRUE(facts("N >= 0; i in 0..0").contradictory());
  EXPECT_TRUE(facts("i in N..N - 1").contradictory());
  EXPECT_TRUE(facts("N >= N + 1").contradictory());
  EXPECT_TRUE(facts("N == N + 1").contradictory());
  EXPECT_FALSE(facts("i in 0..N; j in 0..1; N >= N; N == N").contradictory());
}

TEST(Facts, RefusesWhatFailsSomewhere) {
  refuses("i in 0..N", "i + 1 < N; i - 1 >= 0; N >= 2");
  refuses("i in 0..N; j in 0..M", "i < M; i*N + j < N*M; j >= i");
  refuses("N >= 0", "N >= 1; N//2 >= 1; N*N >= N + 1");
  refuses("i in 0..N//32", "32*i + 32 < N");
  refuses("k in 0..T*P", "k//P < T"); // P may be negative
  refuses("D >= 2; j in 0..D", "j + D//2 < D; j - D//2 >= 0");
  refuses("t >= 0; H >= 1; L == 2*H", "t % H < H - 1; t % L < H");
  refuses("p >= 0; i in 0..N + 2*p", "abs(i - p) < N");
  refuses("", "N >= 0; N*N >= 0 - 1 - N");
}

TEST(Facts, Boxes) {
  proves("i in 0..N", "i < N; i + 1 < N + 1; N - 1 - i >= 0; N >= 1; i >= 0; 2*i < 2*N - 1");
  proves("i in 0..N; j in 0..M", "i*M + j < N*M; i*M + j >= 0; N*M >= 1; i*j < N*M");
  proves("b in 0..B; i in 0..N; j in 0..D", "b*N*D + i*D + j < B*N*D");
  proves("i in 0..H; p in 0..2", "2*i + p < 2*H");
  proves("i in 0..N//32", "32*i + 31 < N");
  proves("i in 0..N - 2", "i + 1 < N; i + 2 < N; N >= 3");
}

TEST(Facts, Convolution) {
  proves("s >= 1; d >= 1; H >= d*(R - 1) + 1; i in 0..(H - d*(R - 1) - 1)//s + 1; p in 0..R",
         "s*i + d*p < H; s*i + d*p >= 0");
  proves("H >= R; i in 0..H - R + 1; p in 0..R", "i + p < H");
}

TEST(Facts, WrappedAndClampedNeighbours) {
  proves("i in 0..N", "(i + 1) % N < N; (i + 1) % N >= 0; (i - 1) % N < N; (i - 1) % N >= 0");
  proves("i in 0..N", "min(i + 1, N - 1) < N; min(i + 1, N - 1) >= 0");
  proves("i in 0..N", "max(i - 1, 0) < N; max(i - 1, 0) >= 0");
}

TEST(Facts, RotaryHalves) {
  const std::string rope = "D % 2 == 0; D >= 2; j in 0..D";
  proves(rope, "j % (D//2) < D; j % (D//2) >= 0; j % (D//2) < D//2");
  proves(rope + "; j < D//2", "j + D//2 < D");
  proves(rope + "; j >= D//2", "j - D//2 >= 0; j - D//2 < D//2");
  proves("t >= 0; L == 2*H; H >= 1; q in 0..H", "t % H < L; q + H < L");
}

TEST(Facts, GroupedHeadsAndPages) {
  proves("Hk >= 1; Hq % Hk == 0; h in 0..Hq", "h//(Hq//Hk) < Hk; h//(Hq//Hk) >= 0");
  proves("P >= 1; k in 0..T*P", "k//P < T; k//P >= 0; k % P < P; k % P >= 0");
}

TEST(Facts, Reflection) {
  proves("p >= 0; p < N; i in 0..N + 2*p",
         "N - 1 - abs(N - 1 - abs(i - p)) >= 0; N - 1 - abs(N - 1 - abs(i - p)) < N");
}

TEST(Facts, ReshapesOfEqualTotals) {
  proves("i in 0..P; j in 0..Q; N >= 0; M >= 0; P*Q == N*M", "M >= 1; N >= 1; (i*Q + j)//M < N");
  refuses("i in 0..P; N >= 0; M >= 0; Q >= 0; P*Q == N*M", "M >= 1"); // Q may be 0
  refuses("i in 0..P; j in 0..Q; P*Q == N*M", "M >= 1");              // N and M may be negative
}

TEST(Facts, TrianglesAndWindows) {
  proves("i in 0..N; j in 0..i + 1", "j < N; i - j >= 0; i - j < N");
  proves("W >= 1; i in 0..N; j in max(0, i - W + 1)..i + 1",
         "j < N; j >= 0; i - j < W; i - j >= 0");
}

TEST(Facts, TilesWithTails) {
  const std::string tiles = "T >= 1; it in 0..(N + T - 1)//T; ii in 0..min(T, N - it*T)";
  proves(tiles, "it*T + ii < N; it*T + ii >= 0; ii < T; min(T, N - it*T) >= 1");
  proves("it in 0..(N + 63)//64; ii in 0..min(64, N - it*64)", "64*it + ii < N; ii < 64");
  proves("N >= 1", "(N + 31)//32 >= 1; 32*((N + 31)//32) >= N; 32*((N + 31)//32) < N + 32");
  proves("N >= 0; i in 0..N", "i//2 < (N + 1)//2; i//2 + i % 2 < N + 1");
}

TEST(Facts, SimplifiesForEquality) {
  Facts f = facts("T >= 1; it in 0..(N + T - 1)//T; ii in 0..T");
  EXPECT_TRUE(f.proveEqual(expr("(it*T + ii)//T"), expr("it")));
  EXPECT_TRUE(f.proveEqual(expr("(it*T + ii) % T"), expr("ii")));
  EXPECT_TRUE(f.proveEqual(expr("N//T*T + N % T"), expr("N")));
  EXPECT_TRUE(f.proveEqual(expr("N*T//T"), expr("N")));
  EXPECT_FALSE(f.proveEqual(expr("N//T*T"), expr("N")));
  EXPECT_FALSE(Facts().proveEqual(expr("N*T//T"), expr("N")));
  EXPECT_FALSE(Facts().proveEqual(expr("N"), expr("M")));
  Facts g = facts("Hk >= 1; Hq % Hk == 0; N == M");
  EXPECT_TRUE(g.proveEqual(expr("Hq//Hk*Hk"), expr("Hq")));
  EXPECT_TRUE(g.proveEqual(expr("N*K"), expr("K*M")));
  EXPECT_TRUE(g.proveEqual(expr("min(a, b) + max(a, b)"), expr("a + b")));
}

TEST(Facts, AttainedBoundsAreExact) {
  auto max = [](const std::string &known, const std::string &e) {
    std::optional<Expr> b = facts(known).attainedMax(expr(e));
    return b ? b->str() : "none";
  };
  auto min = [](const std::string &known, const std::string &e) {
    std::optional<Expr> b = facts(known).attainedMin(expr(e));
    return b ? b->str() : "none";
  };
  EXPECT_EQ(max("i in 0..N", "i + 1"), "N");
  EXPECT_EQ(min("i in 0..N", "i - 1"), "-1");
  EXPECT_EQ(max("i in 0..N; j in 0..M", "i*M + j"), "M*N - 1");
  EXPECT_EQ(max("i in 0..N; j in 0..i + 1", "j"), "N - 1");
  EXPECT_EQ(min("i in 0..N; j in 0..i + 1", "j - i"), "1 - N");
  EXPECT_EQ(max("W >= 1; i in 0..N; j in max(0, i - W + 1)..i + 1", "j + 1"), "N");
  EXPECT_EQ(max("N >= 0", "N"), "N");
  // Not attained, or not known to be: guards, ranges that may be empty, values that jump.
  EXPECT_EQ(max("i in 0..N; i + 1 < N", "i + 1"), "none");
  EXPECT_EQ(max("i in 0..N; k in i..3", "i"), "none");
  EXPECT_EQ(max("i in 0..N", "i % 3"), "none");
  EXPECT_EQ(max("i in 0..N", "i*(N - i)"), "none");
}

TEST(Facts, BoundsOfTiles) {
  Facts f = facts("T >= 1; R >= 1; s >= 1; d >= 1; it in 0..(N + T - 1)//T; ii in 0..T; p in 0..R");
  Expr e = expr("s*(it*T + ii) + d*p");
  EXPECT_EQ(f.upperBound(e, {"ii", "p"}), expr("s*(it*T + T - 1) + d*(R - 1)"));
  EXPECT_EQ(f.lowerBound(e, {"ii", "p"}), expr("s*it*T"));
  EXPECT_EQ(f.upperBound(expr("(it + ii) % R"), {"ii"}), expr("R - 1"));
  EXPECT_EQ(f.upperBound(expr("min(ii, K) + ii % 4"), {"ii"}), expr("min(T - 1, K) + 3"));
  EXPECT_EQ(f.upperBound(expr("K*ii"), {"ii"}), std::nullopt);
  EXPECT_EQ(f.upperBound(expr("K"), {"K"}), std::nullopt);
}

TEST(Facts, CounterexamplesSatisfyEveryFact) {
  Facts f = facts("N % 4 == 0; N >= 4; i in 0..N; j in i..N");
  auto at = f.counterexample(expr("N - 2 - j"));
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(at->at("N") % 4, 0);
  EXPECT_EQ(at->at("j"), at->at("N") - 1);
  EXPECT_TRUE(at->at("i") >= 0 && at->at("i") <= at->at("j"));
  EXPECT_FALSE(f.counterexample(expr("N - 1 - j")).has_value());
}

TEST(Facts, LayoutMapsInvertUnderFacts) {
  Facts f = facts("B >= 1; N >= 1; D >= 1; p in 0..B*N*D");
  Extents s = {expr("B"), expr("N"), expr("D")};
  Index row = gammaRowInverse(expr("p"), s), col = gammaColInverse(expr("p"), s);
  EXPECT_TRUE(f.proveEqual(gammaRow(row, s), expr("p")));
  EXPECT_TRUE(f.proveEqual(gammaCol(col, s), expr("p")));
  for (size_t k = 0; k < s.size(); ++k) {
    EXPECT_TRUE(f.proveNonNegative(row[k]) && f.proveLess(row[k], s[k])) << row[k].str();
    EXPECT_TRUE(f.proveNonNegative(col[k]) && f.proveLess(col[k], s[k])) << col[k].str();
  }
  Facts g = facts("b in 0..B; i in 0..N; j in 0..D");
  Index index = {expr("b"), expr("i"), expr("j")};
  Index again = gammaRowInverse(gammaRow(index, s), s);
  for (size_t k = 0; k < s.size(); ++k)
    EXPECT_TRUE(g.proveEqual(again[k], index[k])) << again[k].str();
}

} // namespace
