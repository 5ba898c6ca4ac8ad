// Programs that random search once found to be wrong, made small, one for each cause.
//
// They go through every stage like random ones, at the sizes that showed the fault. A cause that is
// found again by another program belongs here only if its repair was another one.
#include "tests/property/Differential.h"

#include <gtest/gtest.h>

using namespace moac::property;

namespace {
struct Former {
  const char *cause, *text;
  std::vector<SymbolSizes> sizes;
};

const Former formers[] = {
    {"a read with a check computed the whole nameless array: more points than the formula has",
     R"((X: f32[N, N - 1, 1], Z: f32[1, 1]) -> (O: f16) {
  O = ((max Ω<1>) (Z ++ (<1> psi X)))[1]
})",
     {{{"N", 1}}, {{"N", 2}}, {{"N", 5}}}},
    {"and failed for elements that nobody reads",
     R"((N: i64, X: i64[4, N + 2]) -> (O: i64) {
  O = <2 0> psi (<1, 1> drop (X // X))
})",
     {{{"N", 0}}, {{"N", 2}}}},
    {"or for a side that is not taken",
     R"((M: i64, X: i64[N], Z: i64[K, 2*M]) -> (O: i64[2*M, M, K - 1]) {
  O[i, j, l] = where(l != 1 and i < 2*M - 1, <2> psi <-(K)> take X, i64(1))
})",
     {{{"K", 3}, {"M", 2}, {"N", 2}}, {{"K", 2}, {"M", 1}, {"N", 2}}, {{"K", 3}, {"M", 7}, {"N", 5}}}},
    {"a scalar of the body failed although no element needs it",
     R"((X: f32[M, N, N], Y: bool[M + 3, N], Z: f32[N, 3]) -> (O: f32[M, N, 3]) {
  O = X (+.max Ω<2 2>) (Z (outer +) where(Y[2, 0], f32(1), f32(1)))
})",
     {{{"M", 3}, {"N", 0}}, {{"M", 3}, {"N", 2}}}},
    {"what a reduction under a guard reads outside of it left the guard",
     R"((X: bf16[N]) -> (O: f32[N]) {
  O[i] = where(2*i < N + 3, f32(1), sum ((X[max(i - 1, 0)]) (max omega<0 0>) X))
})",
     {{{"N", 3}}, {{"N", 33}}}},
    {"also where the other operand is an outer product",
     R"((N: i64, X: f64[M + 2*N, M]) -> (O: f64[2*N, M, N]) {
  T[i: M] = f64(1)
  O[i, j, l] = where(j > 1 or j == 0, f64(1), (X[j + i, (j - 2) % M] (outer +) T) (min.- Ω<1 1>) T)
})",
     {{{"M", 3}, {"N", 5}}, {{"M", 2}, {"N", 1}}}},
    {"and where the reduction stands inside another",
     R"((M: i64, X: i64[N, M + N]) -> (O: i64[M + N]) {
  O[i] = sum[p < i]((i64((p - i) // 2) (max omega<0 0>) X)[1, p])
})",
     {{{"M", 17}, {"N", 1}}, {{"M", 1}, {"N", 3}}}},
    {"a division that a concatenation guards was done for the whole axis",
     R"((N: i64, X: i64[2, M], Y: i64[N - 2]) -> (O: i64[N]) {
  O[i] = sum (((argmin Ω<1>) X) ++ <-3> rotate (scan +) Y)
})",
     {{{"M", 1}, {"N", 2}}, {{"M", 2}, {"N", 5}}}},
    {"two axes of a stage had one name",
     R"((N: i64, X: f64[M, 3, N + 1]) -> (O: f64[M]) {
  O = (sum omega<1>) (red max omega<1>) ((scan max omega<2>) X)
})",
     {{{"M", 7}, {"N", 1}}, {{"M", 2}, {"N", 4}}}},
    {"a panel was packed with an element that fails",
     R"((X: f32[N], Y: i64[N], Z: f32[M, N]) -> (O: f32[3, N]) {
  O[i, l] = sum[k < N]((X[k] + i) * Z[Y[l], k])
})",
     {{{"M", 0}, {"N", 3}}, {{"M", 2}, {"N", 2}}}},
    {"of two failures another one was reported first",
     R"((X: u32[N, M], Y: u32[N, 2, 2], Z: u32[M]) -> (O: u32[M], Q: u32[N, 2, 2]) {
  O = Z - (<2> psi X)
  Q = Y % Y
})",
     {{{"M", 1}, {"N", 2}}, {{"M", 1}, {"N", 3}}}},
    {"memory was sized by a quotient that has a name in the function",
     R"((N: i64, X: i32[2], Y: i32[N + (N + 1)//2, N - 1, M], Z: i32[(N + 1)//2 - 2]) -> (O: i32[N]) {
  O[i] = (Z ++ X) (max.max omega<1 1>) ((red * Ω<1>) ((((red max) Ω<2>) omega<3>) Y[i:i + (N + 1)//2, :N - 1, :M]))
})",
     {{{"M", 2}, {"N", 5}}, {{"M", 0}, {"N", 3}}}},
    {"what a checked stage reads was computed for one of its elements, the stage itself for all",
     R"((X: f32[M + 1, N, M, N]) -> (O: f32[M, N]) {
  T = <-1> drop (red min omega<2>) (max omega<2>) X
  O[i, j] = <2> psi T[i]
})",
     {{{"M", 2}, {"N", 3}}, {{"M", 2}, {"N", 2}}}},
    {"a checked slice in a value of which nothing is needed was taken for one that never fails",
     R"((X: i64[2, N], Y: f64[2, M], Z: f64[2*N], C: bool[2, N]) -> (O: f64[M, N, 2]) {
  T = where(C, <2, N> take Y, (shape X) reshape Z)
  O[i, j, l] = T[l, N - 1 - j] * i
})",
     {{{"M", 0}, {"N", 33}}, {{"M", 3}, {"N", 3}}}},
    {"a called kernel too computes elements that nobody needs",
     R"((X: i64[M, 2], Y: i64[M]) -> (O: i64[M]) {
  O[i] = <2 1> psi (gathered(Y, Y) (outer +) X[i])
}
kernel gathered(A: i64[P], B: i64[P]) -> (R: i64[P]) {
  R[i] = A[B[i]]
})",
     {{{"M", 33}}, {{"M", 3}}}},
    {"a result was placed where another needs a part of it, and then refused there",
     R"((M: i64, N: i64) -> (O: f32[N, M, N], Q: f32[M]) {
  O[i, j, l] = f32(1)
  Q[i] = sum[p in 1..N](O[p, i, p])
})",
     {{{"M", 3}, {"N", 2}}, {{"M", 0}, {"N", 3}}}},
    {"a reduction that fails is computed before the empty array of sums that takes it",
     R"((N: i64, Z: i32[M]) -> (O: i32[N]) {
  O[i] = (red +) (Z + red[-, p < i, q < N](Z[0]))
})",
     {{{"M", 0}, {"N", 3}}, {{"M", 2}, {"N", 3}}}},
    {"a condition was read before the empty loop that proves it",
     R"((M: i64, X: i64[N], Y: f32[0]) -> (O: f32[M, 0]) {
  O[i, j] = where((<2> ψ X) > i64(1), Y[j] * 2 - f32(1), f32(1))
})",
     {{{"M", 7}, {"N", 2}}, {{"M", 2}, {"N", 3}}}},
    {"a sum on one side of a choice outside of all elements was computed for each element",
     R"((M: i64, X: u32[2, N, 2, N]) -> (O: u32[N, 2, N]) {
  O = min(X[1], where(bool(1 == 1), sum[p in 1..M - 1](u32(1)), max[p in 1..M](u32(p % 3))))
})",
     {{{"N", 17}}, {{"N", 0}}}},
    {"a scalar was no symbol where a word under omega takes a shape from it",
     R"((K: i64, X: i64[M]) -> (O: i64) {
  O = sum(ravel(<0, K> (reshape omega<1 1>) X))
})",
     {{{"K", 3}, {"M", 0}}}},
    {"the oracle filled an array whose reads are proved by the condition around it",
     R"((X: f32[2], Z: f32[M]) -> (O: f32[2*M, M]) {
  O[i, j] = where(2*i < 2*M + 1, f32(1), <2> take Z (+.+) X)
})",
     {{{"M", 1}}, {{"M", 3}}}},
    {"a softmax whose element a concatenation cuts off was streamed",
     R"((X4: f16[M + 1], X8: f32[1], X9: f16[N], Z: f32[N, M]) -> (O: f32[N, M] layout col) {
  T = <0> psi ((softmax omega<1>) X4)
  O = (X8 ++ T (outer +) X9)[0] - 2*Z
})",
     {{{"M", 7}, {"N", 0}}, {{"M", 3}, {"N", 5}}}},
    {"a check that always holds in the terms of a sum was made before it, where it may fail",
     R"((N: i64, X: f32[M - 2, 1], Z: f32[M]) -> (O: f32[M]) {
  T = Z ((- omega<1 0>) Ω<1 0>) <0> psi f32(iota (N))
  O[i] = max(-50.0, min(50.0, max[p < N](T[min(p, M - 1)])))
})",
     {{{"M", 17}, {"N", 0}}, {{"M", 3}, {"N", 5}}}},
    {"a choice that is settled by an element was settled before the loop that may be empty",
     R"((X: bool[M], Y: bf16[2*M], U: f32[2*N], V: f32[N, 3]) -> (O: f32[M]) {
  O[i] = where((X and X)[0], Y[i + i], max(-50.0, min(50.0, (<N> take U) (max.-) ((red max) omega<1>) V)))
})",
     {{{"M", 0}, {"N", 3}}, {{"M", 2}, {"N", 5}}}},
    {"the oracle asked for a scalar of a call before the elements that need it",
     R"((X: f64[0], Y: f64[M]) -> (O: f64[0]) {
  O = without_size(X, <1> psi Y)
}
kernel without_size(X: f64[P], s: f64) -> (R: f64[P]) {
  R[i] = X[i] - abs(s)
})",
     {{{"M", 1}}, {{"M", 3}}}},
};

TEST(FormerFailures, StayRepaired) {
  std::vector<Subject> subjects;
  for (const Former &former : formers) {
    const std::string name = "k" + std::to_string(subjects.size());
    subjects.push_back({.kernel = name, .text = "kernel " + name + former.text, .sizes = former.sizes});
  }
  Batch batch = build(subjects);
  ASSERT_EQ(batch.failure, "");
  for (size_t k = 0; k < subjects.size(); ++k)
    for (uint64_t seed = 1; seed < 4; ++seed)
      EXPECT_EQ(examine(batch, subjects[k], seed), "") << formers[k].cause << "\n" << subjects[k].text;
}

TEST(FormerFailures, OnlyRefusalsOfKnownKindsCountAsUnforeseen) {
  const std::string refusal = "f.moa:1:2: error: division by zero [division-by-zero]\n  X\n",
                    other = "f.moa:1:2: error: '*' on i64 and u64 [types-differ]\n  X\n";
  EXPECT_TRUE(isUnforeseen(refusal));
  EXPECT_TRUE(isUnforeseen(refusal + refusal));
  EXPECT_FALSE(isUnforeseen(other));
  EXPECT_FALSE(isUnforeseen(refusal + other));
  EXPECT_FALSE(isUnforeseen("c: status -8 instead of 0"));
  EXPECT_FALSE(isUnforeseen("error: a pass failed without a message\n"));
  EXPECT_FALSE(isUnforeseen(""));
}
} // namespace
