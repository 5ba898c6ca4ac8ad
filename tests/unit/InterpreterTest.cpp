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
  EXPECT_EQ(outcome.counts.visits, 36u + 9u + 36u + 36u); // S, m, and both sums of O as written
  EXPECT_EQ(outcome.counts.operations["exp.f64"], 9u); // P is computed once though read twice
  EXPECT_EQ(outcome.counts.buffers["V"].loads, 36u);
}

/// A kernel over one f64 vector `x` of extent N whose rank 0 result is the value `%r` of type
/// `type`.
std::string vectorKernel(std::string body, std::string type = "f64") {
  std::string value = "%r";
  if (type == "index") { // a weak integer is stored as i64
    body += "\n%stored = moa.cast %r : index to i64";
    value = "%stored", type = "i64";
  }
  return R"(
moa.kernel @k(symbol "N" %N : index, "x" %x : !moa.array<[N], f64>) -> ("r" : !moa.array<[], )" +
         type + R"(>) {
  %zero = moa.constant 0 : index
  %a = moa.gen "r" [] : !moa.array<[], )" +
         type + "> {\n" + body + "\nmoa.yield " + value + " : " + type +
         "\n}\nmoa.return %a : !moa.array<[], " + type + ">\n}";
}

std::string reduce(const std::string &kind, const std::string &type = "f64") {
  return "%r = moa.red " + kind + R"( "k" in { moa.yield %zero, %N : index, index } term {
  ^bb0(%k: index):
    %v = moa.psi %x[%k] : !moa.array<[N], f64> -> f64
    moa.yield %v : f64
  } : )" +
         type;
}

std::vector<double> over(const std::string &kernel, const std::vector<double> &x) {
  auto n = static_cast<int64_t>(x.size());
  return values(run(kernel, {{n}, {}, {Tensor::of(Element::F64, {n}, x)}}));
}

const double inf = INFINITY;

TEST(Interpreter, Reductions) {
  auto reduces = [](const char *kind, const std::vector<double> &x, double want,
                    const char *type = "f64") {
    std::vector<double> got = over(vectorKernel(reduce(kind, type), type), x);
    ASSERT_EQ(got.size(), 1u) << kind;
    EXPECT_TRUE(std::isnan(want) ? std::isnan(got[0]) : got[0] == want)
        << kind << " got " << got[0] << " want " << want;
  };
  reduces("add", {1, 2, 3.5}, 6.5);
  reduces("add", {}, 0);
  reduces("mul", {2, 3, -4}, -24);
  reduces("mul", {}, 1);
  reduces("max", {1, 7, -2}, 7);
  reduces("max", {}, -inf);
  reduces("max", {1, NAN, 2}, NAN);
  reduces("max", {-inf, -inf}, -inf);
  reduces("min", {1, 7, -2}, -2);
  reduces("min", {}, inf);
  reduces("min", {NAN}, NAN);
  reduces("argmax", {1, 7, 7, -2}, 1, "index");
  reduces("argmax", {1, NAN, 7, NAN}, 1, "index");
  reduces("argmax", {}, -1, "index");
  reduces("argmin", {inf, inf}, 0, "index");
  reduces("add", {inf, -inf}, NAN);
  reduces("mul", {0, inf}, NAN);
}

TEST(Interpreter, AnyAndAll) {
  for (const char *kind : {"any", "all"}) {
    std::string body = std::string("%r = moa.red ") + kind + R"( "k" in {
      moa.yield %zero, %N : index, index
    } term {
    ^bb0(%k: index):
      %v = moa.psi %x[%k] : !moa.array<[N], f64> -> f64
      %c = moa.constant 2.0 : f64
      %b = moa.scalar gt(%v, %c) : f64, f64 -> i1
      moa.yield %b : i1
    } : i1)";
    bool isAll = std::string(kind) == "all";
    EXPECT_EQ(over(vectorKernel(body, "i1"), {}), std::vector<double>{isAll ? 1.0 : 0.0});
    EXPECT_EQ(over(vectorKernel(body, "i1"), {1, 3}), std::vector<double>{isAll ? 0.0 : 1.0});
    EXPECT_EQ(over(vectorKernel(body, "i1"), {3, 4}), std::vector<double>{1});
    EXPECT_EQ(over(vectorKernel(body, "i1"), {1, 2}), std::vector<double>{0});
  }
}

TEST(Interpreter, FoldGoesRightToLeft) {
  auto fold = [](const std::string &fn, const std::string &identity) {
    return vectorKernel("%r = moa.red fold " + identity + R"( "k" in {
      moa.yield %zero, %N : index, index
    } term {
    ^bb0(%k: index):
      %v = moa.psi %x[%k] : !moa.array<[N], f64> -> f64
      moa.yield %v : f64
    } combine {
    ^bb0(%t: f64, %acc: f64):
      %c = moa.scalar )" +
                        fn + R"((%t, %acc) : f64, f64 -> f64
      moa.yield %c : f64
    } : f64)");
  };
  std::string minus = fold("sub", "identity(0.0 : f64)"),
              over1 = fold("div", "identity(1.0 : f64)");
  EXPECT_EQ(over(minus, {10, 4, 3}), std::vector<double>{9}); // 10 - (4 - 3)
  EXPECT_EQ(over(minus, {5}), std::vector<double>{5});
  EXPECT_EQ(over(minus, {}), std::vector<double>{0});
  EXPECT_EQ(over(over1, {8, 4, 2}), std::vector<double>{4}); // 8 / (4 / 2)
  EXPECT_EQ(over(over1, {}), std::vector<double>{1});
  Tensor empty = Tensor::zeros(Element::F64, {0});
  EXPECT_EQ(run(fold("pow", ""), {{0}, {}, {empty}}).status, Status::Constraint);
  EXPECT_EQ(over(fold("pow", ""), {2, 3, 2}), std::vector<double>{512});
}

TEST(Interpreter, BoundsMayDependOnEarlierIndicesAndArgmaxCountsRowMajor) {
  // The points (p, q) with p < N, p <= q < N; the term is x[p] - x[q].
  std::string body = R"(%r = moa.red KIND "p" in { moa.yield %zero, %N : index, index } "q" in {
    ^bb0(%p: index):
      moa.yield %p, %N : index, index
    } term {
    ^bb0(%p: index, %q: index):
      %a = moa.psi %x[%p] : !moa.array<[N], f64> -> f64
      %b = moa.psi %x[%q] : !moa.array<[N], f64> -> f64
      %d = moa.scalar sub(%a, %b) : f64, f64 -> f64
      moa.yield %d : f64
    } : TYPE)";
  auto with = [&](const std::string &kind, const std::string &type, bool box) {
    std::string text = body;
    text.replace(text.find("KIND"), 4, kind).replace(text.find("TYPE"), 4, type);
    if (box)
      text.replace(text.find("moa.yield %p,"), 13, "moa.yield %zero,");
    return vectorKernel(text, type);
  };
  EXPECT_EQ(over(with("add", "f64", false), {1, 2, 4}), std::vector<double>{-6});
  EXPECT_EQ(over(with("max", "f64", true), {1, 2, 4}), std::vector<double>{3});
  EXPECT_EQ(over(with("argmax", "index", true), {1, 2, 4}), std::vector<double>{6}); // (2, 0)
  EXPECT_EQ(over(with("argmin", "index", true), {1, 2, 4}), std::vector<double>{2}); // (0, 2)
}

TEST(Interpreter, BoundsInDataAreEmptyWhenReversed) {
  const char *csr = R"(
moa.kernel @spmv(symbol "R" %R : index, symbol "Z" %Z : index, "row" %row : !moa.array<[R + 1], i32>,
    "val" %val : !moa.array<[Z], f64>) -> ("y" : !moa.array<[R], f64>) {
  %one = moa.constant 1 : index
  %y = moa.gen "y" ["i"] : !moa.array<[R], f64> {
  ^bb0(%i: index):
    %s = moa.red add "k" in {
      %n = moa.scalar add(%i, %one) : index, index -> index
      %lo = moa.psi %row[%i] : !moa.array<[R + 1], i32> -> i32
      %hi = moa.psi %row[%n] : !moa.array<[R + 1], i32> -> i32
      %l = moa.cast %lo : i32 to index
      %h = moa.cast %hi : i32 to index
      moa.yield %l, %h : index, index
    } term {
    ^bb0(%k: index):
      %v = moa.psi %val[%k] {checked = array<i64: 0>} : !moa.array<[Z], f64> -> f64
      moa.yield %v : f64
    } : f64
    moa.yield %s : f64
  }
  moa.return %y : !moa.array<[R], f64>
})";
  Tensor val = Tensor::of(Element::F64, {3}, {1, 2, 4});
  auto with = [&](std::vector<double> row) {
    return run(csr, {{3, 3}, {}, {Tensor::of(Element::I32, {4}, row), val}});
  };
  EXPECT_EQ(values(with({0, 2, 2, 3})), (std::vector<double>{3, 0, 4}));
  EXPECT_EQ(values(with({2, 0, 1, 1})), (std::vector<double>{0, 1, 0}));
  Outcome outside = with({0, 1, 2, 4});
  EXPECT_EQ(outside.status, Status::Index);
  EXPECT_NE(outside.message.find("index 3 leaves axis 0 of 'val' with extent 3"),
            std::string::npos);
  EXPECT_EQ(with({-1, 1, 2, 3}).status, Status::Index);
}

TEST(Interpreter, ArgumentsThatDoNotFitAreMisuse) {
  std::string kernel = vectorKernel(reduce("add"));
  Tensor x = Tensor::of(Element::F64, {3}, {1, 2, 3}), narrow = Tensor::of(Element::F32, {3}, {});
  EXPECT_EQ(run(kernel, {{4}, {}, {x}}).ending, Ending::Misuse);
  EXPECT_EQ(run(kernel, {{3}, {}, {narrow}}).ending, Ending::Misuse);
  EXPECT_EQ(run(kernel, {{3}, {}, {}}).ending, Ending::Misuse);
  EXPECT_EQ(run(kernel, {{-1}, {}, {x}}).status, Status::Extent);
}

} // namespace
