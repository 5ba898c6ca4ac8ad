// The interpreter on arrays as values: guards, laziness, sub-arrays, calls, impossible arrays and
// limits.
#include "InterpreterFixture.h"

using namespace moac;

namespace {

std::vector<double> vectorOf(const std::string &kernel, const std::vector<double> &x) {
  auto n = static_cast<int64_t>(x.size());
  return values(run(kernel, {{n}, {}, {Tensor::of(Element::F64, {n}, x)}}));
}

/// y[i] = `body` of %i over a vector x.
std::string mapKernel(const std::string &body, const std::string &before = "") {
  return R"(
moa.kernel @k(symbol "N" %N : index, "x" %x : !moa.array<[N], f64>) -> ("y" : !moa.array<[N], f64>) {
  %zero = moa.constant 0 : index
  %one = moa.constant 1 : index
  %big = moa.constant 99 : index
)" + before +
         R"(
  %y = moa.gen "y" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
)" + body +
         R"(
    moa.yield %r : f64
  }
  moa.return %y : !moa.array<[N], f64>
})";
}

TEST(InterpreterArrays, AGuardProtectsWhatItGuards) {
  std::string previous = mapKernel(R"(
    %p = moa.scalar sub(%i, %one) : index, index -> index
    %c = moa.scalar ge(%p, %zero) : index, index -> i1
    %r = moa.where %c : f64 {
      %v = moa.psi %x[%p] : !moa.array<[N], f64> -> f64
      moa.yield %v : f64
    } else {
      %q = moa.scalar floordiv(%one, %i) {checked} : index, index -> index
      %f = moa.constant -1.0 : f64
      moa.yield %f : f64
    })");
  // At i = 0 the other side divides by zero; nowhere else is that side evaluated.
  EXPECT_EQ(run(previous, {{1}, {}, {Tensor::of(Element::F64, {1}, {5})}}).status,
            Status::DivisionByZero);
  std::string shifted = previous;
  shifted.replace(shifted.find("floordiv(%one, %i)"), 18, "floordiv(%i, %one)");
  EXPECT_EQ(vectorOf(shifted, {5, 6, 7}), (std::vector<double>{-1, 5, 6}));
}

TEST(InterpreterArrays, AProvedSubscriptThatIsWrongIsABugNotAStatus) {
  std::string read = mapKernel("%r = moa.psi %x[%big] : !moa.array<[N], f64> -> f64");
  Tensor x = Tensor::of(Element::F64, {1}, {5});
  Outcome unchecked = run(read, {{1}, {}, {x}});
  EXPECT_EQ(unchecked.ending, Ending::Invalid);
  EXPECT_NE(unchecked.message.find("proved"), std::string::npos);
  read.replace(read.find("[%big]"), 6, "[%big] {checked = array<i64: 0>}");
  EXPECT_EQ(run(read, {{1}, {}, {x}}).status, Status::Index);
}

TEST(InterpreterArrays, OnlyWhatAResultReadsMayFail) {
  // z fails at 0; w would fail everywhere; y reads z from 1 on.
  std::string before = R"(
  %z = moa.gen "z" ["i"] : !moa.array<[N], index> {
  ^bb0(%i: index):
    %q = moa.scalar floordiv(%N, %i) {checked} : index, index -> index
    moa.yield %q : index
  }
  %w = moa.gen "w" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %v = moa.psi %x[%big] {checked = array<i64: 0>} : !moa.array<[N], f64> -> f64
    moa.yield %v : f64
  })";
  // Arrays of index do not exist as a type: z holds i64.
  size_t at;
  while ((at = before.find("!moa.array<[N], index>")) != std::string::npos)
    before.replace(at, 22, "!moa.array<[N], i64>");
  before.replace(before.find("moa.yield %q : index"), 20,
                 "%c = moa.cast %q : index to i64\n    moa.yield %c : i64");
  std::string kernel = mapKernel(R"(
    %c = moa.scalar gt(%i, %zero) : index, index -> i1
    %r = moa.where %c : f64 {
      %v = moa.psi %z[%i] : !moa.array<[N], i64> -> i64
      %u = moa.psi %z[%i] : !moa.array<[N], i64> -> i64
      %s = moa.scalar add(%v, %u) : i64, i64 -> i64
      %f = moa.cast %s : i64 to f64
      moa.yield %f : f64
    } else {
      %f = moa.constant -1.0 : f64
      moa.yield %f : f64
    })",
                                 before);
  Outcome outcome = run(kernel, {{4}, {}, {Tensor::of(Element::F64, {4}, {0, 0, 0, 0})}});
  EXPECT_EQ(values(outcome), (std::vector<double>{-1, 8, 4, 2}));
  EXPECT_EQ(outcome.counts.operations["floordiv.i64"], 3u); // each element once
}

TEST(InterpreterArrays, AScalarOfTheBodyFailsWhereItIsNeeded) {
  // u = x[99] fails; y needs v = -u from 1 on.
  const std::string kernel = mapKernel(R"(
    %c = moa.scalar gt(%i, %zero) : index, index -> i1
    %r = moa.where %c : f64 {
      moa.yield %v : f64
    } else {
      %f = moa.constant 2.0 : f64
      moa.yield %f : f64
    })",
                                       R"(
  %u = moa.psi %x[%big] {checked = array<i64: 0>} : !moa.array<[N], f64> -> f64
  %v = moa.scalar neg(%u) : f64 -> f64)");
  EXPECT_EQ(vectorOf(kernel, {}), (std::vector<double>{}));
  EXPECT_EQ(vectorOf(kernel, {5}), (std::vector<double>{2}));
  EXPECT_EQ(run(kernel, {{2}, {}, {Tensor::of(Element::F64, {2}, {5, 6})}}).status, Status::Index);
  std::vector<double> hundred(100, 3);
  EXPECT_EQ(vectorOf(kernel, hundred)[99], -3);
}

TEST(InterpreterArrays, SubArraysAndCalls) {
  const char *text = R"(
moa.kernel @dot(symbol "K" %K : index, "a" %a : !moa.array<[K], f64>, "b" %b : !moa.array<[K], f64>)
    -> ("s" : !moa.array<[], f64>, "d" : !moa.array<[2*K], f64>) {
  %zero = moa.constant 0 : index
  %s = moa.gen "s" [] : !moa.array<[], f64> {
    %t = moa.red add "k" in { moa.yield %zero, %K : index, index } term {
    ^bb0(%k: index):
      %u = moa.psi %a[%k] : !moa.array<[K], f64> -> f64
      %v = moa.psi %b[%k] : !moa.array<[K], f64> -> f64
      %p = moa.scalar mul(%u, %v) : f64, f64 -> f64
      moa.yield %p : f64
    } : f64
    moa.yield %t : f64
  }
  %d = moa.gen "d" ["i"] : !moa.array<[2*K], f64> {
  ^bb0(%i: index):
    %h = moa.scalar mod(%i, %K) : index, index -> index
    %u = moa.psi %a[%h] : !moa.array<[K], f64> -> f64
    moa.yield %u : f64
  }
  moa.return %s, %d : !moa.array<[], f64>, !moa.array<[2*K], f64>
}
moa.kernel @rows(symbol "N" %N : index, symbol "M" %M : index, "A" %A : !moa.array<[N, M], f64>,
    "B" %B : !moa.array<[N, M], f64>) -> ("y" : !moa.array<[N], f64>, "last" : !moa.array<[2*M], f64>,
    "A0" : !moa.array<[M], f64>) {
  %zero = moa.constant 0 : index
  %three = moa.constant 3 : index
  %y = moa.gen "y" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %a = moa.psi %A[%i] : !moa.array<[N, M], f64> -> !moa.array<[M], f64>
    %b = moa.psi %B[%i] : !moa.array<[N, M], f64> -> !moa.array<[M], f64>
    %s, %d = moa.call @dot(%M, %a, %b) prefix "dot" : (index, !moa.array<[M], f64>,
        !moa.array<[M], f64>) -> (!moa.array<[], f64>, !moa.array<[2*M], f64>)
    %r = moa.psi %s[] : !moa.array<[], f64> -> f64
    %e = moa.psi %d[%three] : !moa.array<[2*M], f64> -> f64
    %t = moa.scalar add(%r, %e) : f64, f64 -> f64
    moa.yield %t : f64
  }
  %a0 = moa.psi %A[%zero] : !moa.array<[N, M], f64> -> !moa.array<[M], f64>
  %s0, %d0 = moa.call @dot(%M, %a0, %a0) prefix "dot0" : (index, !moa.array<[M], f64>,
      !moa.array<[M], f64>) -> (!moa.array<[], f64>, !moa.array<[2*M], f64>)
  moa.return %y, %d0, %a0 : !moa.array<[N], f64>, !moa.array<[2*M], f64>, !moa.array<[M], f64>
})";
  Tensor a = Tensor::of(Element::F64, {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor b = Tensor::of(Element::F64, {2, 3}, {1, 1, 1, 2, 0, 1});
  Outcome outcome = run(text, {{2, 3}, {}, {a, b}});
  EXPECT_EQ(values(outcome, 0), (std::vector<double>{6 + 1, 14 + 4}));
  EXPECT_EQ(values(outcome, 1), (std::vector<double>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(values(outcome, 2), (std::vector<double>{1, 2, 3}));
}

TEST(InterpreterArrays, AnArrayDefinedInsideADefinition) {
  std::string kernel = mapKernel(R"(
    %w = moa.gen "w" ["j"] : !moa.array<[N], f64> {
    ^bb0(%j: index):
      %s = moa.scalar sub(%i, %j) : index, index -> index
      %f = moa.cast %s : index to f64
      moa.yield %f : f64
    }
    %r = moa.red add "k" in { moa.yield %zero, %N : index, index } term {
    ^bb0(%k: index):
      %v = moa.psi %x[%k] : !moa.array<[N], f64> -> f64
      %u = moa.psi %w[%k] : !moa.array<[N], f64> -> f64
      %p = moa.scalar mul(%u, %v) : f64, f64 -> f64
      moa.yield %p : f64
    } : f64)");
  EXPECT_EQ(vectorOf(kernel, {1, 2, 3}), (std::vector<double>{-8, -2, 4}));
}

TEST(InterpreterArrays, ImpossibleArraysAreStatuses) {
  const char *text = R"(
moa.kernel @k(symbol "N" %N : index, "x" %x : !moa.array<[N], f64>) -> ("y" : !moa.array<[N - 2], f64>) {
  %one = moa.constant 1 : index
  %c = moa.scalar ge(%N, %one) : index, index -> i1
  moa.require %c, "constraint", "N >= 1"
  %y = moa.gen "y" ["i"] : !moa.array<[N - 2], f64> {
  ^bb0(%i: index):
    %v = moa.psi %x[%i] : !moa.array<[N], f64> -> f64
    moa.yield %v : f64
  }
  moa.return %y : !moa.array<[N - 2], f64>
})";
  auto with = [&](int64_t n) { return run(text, {{n}, {}, {Tensor::zeros(Element::F64, {n})}}); };
  EXPECT_EQ(with(0).status, Status::Constraint);
  EXPECT_EQ(with(0).message, "N >= 1");
  EXPECT_EQ(with(1).status, Status::Extent);
  EXPECT_EQ(values(with(2)), std::vector<double>{});
  const char *huge = R"(
moa.kernel @k(symbol "N" %N : index) -> ("y" : !moa.array<[N, N, N], f64>) {
  %y = moa.gen "y" ["i", "j", "k"] : !moa.array<[N, N, N], f64> {
  ^bb0(%i: index, %j: index, %k: index):
    %v = moa.constant 1.0 : f64
    moa.yield %v : f64
  }
  moa.return %y : !moa.array<[N, N, N], f64>
})";
  EXPECT_EQ(run(huge, {{INT64_C(1) << 21}, {}, {}}).status, Status::Overflow);
  EXPECT_EQ(run(huge, {{INT64_C(1) << 18}, {}, {}}).ending, Ending::MemoryLimit);
  EXPECT_EQ(run(huge, {{100}, {}, {}}, {1000, 1 << 30}).ending, Ending::StepLimit);
}

TEST(InterpreterArrays, LongChainsNeitherCrashNorHang) {
  auto chain = [](int length, const char *checked) {
    std::string before, last = "%x";
    for (int k = 0; k < length; ++k) {
      std::string name = "%g" + std::to_string(k);
      before += name + R"( = moa.gen "g" ["i"] : !moa.array<[N], f64> {
  ^bb0(%i: index):
    %a = moa.psi )" +
                last + "[%i] " + checked + R"( : !moa.array<[N], f64> -> f64
    moa.yield %a : f64
  }
)";
      last = name;
    }
    return mapKernel("%r = moa.psi " + last + "[%i] : !moa.array<[N], f64> -> f64", before);
  };
  EXPECT_EQ(vectorOf(chain(5000, ""), {7}), std::vector<double>{7});
  EXPECT_EQ(vectorOf(chain(500, "{checked = array<i64: 0>}"), {7}), std::vector<double>{7});
  Outcome deep = run(chain(5000, "{checked = array<i64: 0>}"),
                     {{1}, {}, {Tensor::of(Element::F64, {1}, {7})}});
  EXPECT_EQ(deep.ending, Ending::MemoryLimit);
}

TEST(InterpreterArrays, RecursionIsRefused) {
  const char *text = R"(
moa.kernel @k("x" %x : !moa.array<[], f64>) -> ("y" : !moa.array<[], f64>) {
  %y = moa.call @k(%x) prefix "p" : (!moa.array<[], f64>) -> !moa.array<[], f64>
  moa.return %y : !moa.array<[], f64>
})";
  Outcome outcome = run(text, {{}, {}, {Tensor::scalar(Element::F64, 1)}});
  EXPECT_EQ(outcome.ending, Ending::Invalid);
  EXPECT_NE(outcome.message.find("calls itself"), std::string::npos);
}

TEST(InterpreterArrays, ScalarParametersAndWeakOnesInShapes) {
  const char *text = R"(
moa.kernel @k(symbol "N" %N : index, scalar "eps" %eps : f32, scalar "s" %s : index,
    "x" %x : !moa.array<[N], ui8>) -> ("y" : !moa.array<[N*s], f32>) {
  %y = moa.gen "y" ["i"] : !moa.array<[N*s], f32> {
  ^bb0(%i: index):
    %h = moa.scalar floordiv(%i, %s) : index, index -> index
    %v = moa.psi %x[%h] : !moa.array<[N], ui8> -> i32
    %f = moa.cast %v : i32 to f32
    %t = moa.scalar add(%f, %eps) : f32, f32 -> f32
    moa.yield %t : f32
  }
  moa.return %y : !moa.array<[N*s], f32>
})";
  Tensor eps = Tensor::scalar(Element::F32, 0.5), s = Tensor::scalar(Element::I64, 2);
  Outcome outcome = run(text, {{2}, {eps, s}, {Tensor::of(Element::U8, {2}, {200, 3})}});
  EXPECT_EQ(values(outcome), (std::vector<double>{200.5, 200.5, 3.5, 3.5}));
  EXPECT_EQ(outcome.results[0].extents, std::vector<int64_t>{4});
}

} // namespace
