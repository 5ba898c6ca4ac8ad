// The interpreter on moa kernels, against values computed by hand.
#include "InterpreterFixture.h"

using namespace moac;

namespace {

const char *attention = R"(
moa.kernel @attention(symbol "B" %B : index, symbol "N" %N : index, symbol "D" %D : index,
    symbol "M" %M : index, symbol "E" %E : index,
    "Q" %Q : !moa.array<[B, N, D], f64>, "K" %K : !moa.array<[B, M, D], f64>,
    "V" %V : !moa.array<[B, M, E], f64>) -> ("O" : !moa.array<[B, N, E], f64>) {
  %zero = moa.constant 0 : index
  %d = moa.cast %D : index to f64
  %root = moa.scalar sqrt(%d) : f64 -> f64
  %S = moa.gen "S" ["b", "i", "k"] : !moa.array<[B, N, M], f64> {
  ^bb0(%b: index, %i: index, %k: index):
    %dot = moa.red add "j" in { moa.yield %zero, %D : index, index } term {
    ^bb0(%j: index):
      %q = moa.psi %Q[%b, %i, %j] : !moa.array<[B, N, D], f64> -> f64
      %kk = moa.psi %K[%b, %k, %j] : !moa.array<[B, M, D], f64> -> f64
      %p = moa.scalar mul(%q, %kk) : f64, f64 -> f64
      moa.yield %p : f64
    } : f64
    %s = moa.scalar div(%dot, %root) : f64, f64 -> f64
    moa.yield %s : f64
  }
  %m = moa.gen "m" ["b", "i"] : !moa.array<[B, N], f64> {
  ^bb0(%b: index, %i: index):
    %top = moa.red max "k" in { moa.yield %zero, %M : index, index } term {
    ^bb0(%k: index):
      %s = moa.psi %S[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
      moa.yield %s : f64
    } : f64
    moa.yield %top : f64
  }
  %P = moa.gen "P" ["b", "i", "k"] : !moa.array<[B, N, M], f64> {
  ^bb0(%b: index, %i: index, %k: index):
    %s = moa.psi %S[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
    %top = moa.psi %m[%b, %i] : !moa.array<[B, N], f64> -> f64
    %z = moa.scalar sub(%s, %top) : f64, f64 -> f64
    %e = moa.scalar exp(%z) : f64 -> f64
    moa.yield %e : f64
  }
  %O = moa.gen "O" ["b", "i", "p"] : !moa.array<[B, N, E], f64> {
  ^bb0(%b: index, %i: index, %p: index):
    %num = moa.red add "k" in { moa.yield %zero, %M : index, index } term {
    ^bb0(%k: index):
      %e = moa.psi %P[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
      %v = moa.psi %V[%b, %k, %p] : !moa.array<[B, M, E], f64> -> f64
      %t = moa.scalar mul(%e, %v) : f64, f64 -> f64
      moa.yield %t : f64
    } : f64
    %den = moa.red add "k" in { moa.yield %zero, %M : index, index } term {
    ^bb0(%k: index):
      %e = moa.psi %P[%b, %i, %k] : !moa.array<[B, N, M], f64> -> f64
      moa.yield %e : f64
    } : f64
    %o = moa.scalar div(%num, %den) : f64, f64 -> f64
    moa.yield %o : f64
  }
  moa.return %O : !moa.array<[B, N, E], f64>
})";

TEST(Interpreter, GoldenAttention) {
  Tensor q = Tensor::of(
      Element::F64, {1, 3, 4},
      {-.1984, .2698, .3414, -.0372, .2547, -1.0674, .3460, -2.5242, .6822, -.6265, .0252, .3978});
  Tensor k = Tensor::of(Element::F64, {1, 3, 4},
                        {-1.1567, .6885, -.1884, .4743, .2246, 1.7564, .5235, -2.3014, -1.5899,
                         .3730, -.8257, -1.2069});
  Tensor v = Tensor::of(
      Element::F64, {1, 3, 4},
      {1.0739, .4006, -.9671, .4870, .5589, -.7209, -.7650, .2689, .8237, .3763, .8320, .0014});
  Outcome outcome = run(attention, {{1, 3, 4, 3, 4}, {}, {q, k, v}});
  std::vector<double> want = {.802286,  -.036583, -.356323, .259439, .637601,  -.423971,
                              -.385664, .210669,  .855229,  .074683, -.390258, .284797};
  std::vector<double> got = values(outcome);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(got[i], want[i], 6e-7) << i;
  for (double bound : outcome.results[0].bounds) {
    EXPECT_GT(bound, 0);
    EXPECT_LT(bound, 1e-14);
  }
  EXPECT_EQ(outcome.counts.points["S"], 36u);
  EXPECT_EQ(outcome.counts.operations["exp.f64"], 9u); // P is computed once though read twice
  EXPECT_EQ(outcome.counts.buffers["V"].loads, 36u);
}

} // namespace
