// The interpreter on onf functions: values and counts, then each rule about memory with a program
// that breaks it.
#include "InterpreterFixture.h"

using namespace moac;

namespace {

/// y[i] = body over a vector x of N elements; `top` stands before the loop nest `nest`.
std::string function(const std::string &statements) {
  return R"(
onf.func @f symbols ["N"] scalars [] inputs ["x"] [!moa.array<[N], f64>]
    results ["y"] [!moa.array<[N], f64>] {
^bb0(%N: index, %x: !onf.buffer<f64, "argument">, %y: !onf.buffer<f64, "argument">):
  %zero = moa.constant 0 : index
  %one = moa.constant 1 : index
  %c2 = moa.constant 2.0 : f64
  %work = moa.cast %N : index to f64
)" + statements +
         "\n}";
}

const char *buffer = " : f64, !onf.buffer<f64, \"argument\">\n";
const char *loaded = " : !onf.buffer<f64, \"argument\"> -> f64\n";

/// One parallel loop over i inside a team.
std::string parallelLoop(const std::string &body, const std::string &before = "") {
  return "onf.parallel work %work {\n" + before +
         "onf.for \"i\" \"parallel\" from %zero to %N attributes {collapse = 1 : i64} {\n^bb0(%i: "
         "index):\n" +
         body + "\n}\n}";
}

Outcome on(const std::string &statements, const std::vector<double> &x) {
  auto n = static_cast<int64_t>(x.size());
  return run(function(statements), {{n}, {}, {Tensor::of(Element::F64, {n}, x)}});
}

void expectInvalid(const std::string &statements, const char *reason) {
  Outcome outcome = on(statements, {1, 2, 3});
  EXPECT_EQ(outcome.ending, Ending::Invalid) << statements;
  EXPECT_NE(outcome.message.find(reason), std::string::npos) << outcome.message;
}

const std::string loadX = std::string("%v = onf.load %x[%i]") + loaded;
const std::string finishY = std::string("onf.store %v, %y[%i] {finishes}") + buffer;

TEST(InterpreterOnf, CopiesAndCounts) {
  Outcome outcome = on(parallelLoop(loadX + "%w = moa.scalar mul(%v, %c2) : f64, f64 -> f64\n" +
                                    "onf.store %w, %y[%i] {finishes}" + buffer),
                       {1, 2, 3});
  EXPECT_EQ(values(outcome), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(outcome.counts.operations["mul.f64"], 3u);
  EXPECT_EQ(outcome.counts.buffers["x"].loads, 3u);
  EXPECT_EQ(outcome.counts.buffers["y"].stores, 3u);
  EXPECT_EQ(outcome.counts.buffers["y"].finishes, 3u);
  EXPECT_EQ(values(on(parallelLoop(loadX + finishY), {})), std::vector<double>{});
}

TEST(InterpreterOnf, AtomicUpdatesDisturbNobodyButPlainAccesses) {
  const std::string opens = std::string("onf.store %c2, %y[%zero] {opens}") + buffer;
  const std::string add = loadX + "onf.update \"add\" %v, %y[%zero] {atomic}" + buffer;
  const std::string zero = std::string("onf.for \"r\" \"sequential\" from %one to %N {\n^bb0(%r: index):\nonf.store %c2, %y[%r] {finishes}") + buffer + "\n}\n";
  Outcome outcome = on(opens + zero + parallelLoop(add), {1, 2, 4});
  EXPECT_EQ(values(outcome), (std::vector<double>{9, 2, 2}));
  EXPECT_EQ(outcome.counts.operations["atomic"], 3u);
  EXPECT_EQ(outcome.counts.buffers["y"].updates, 3u);
  expectInvalid(opens + zero + parallelLoop(loadX + "onf.update \"add\" %v, %y[%zero]" + buffer), "race");
  const std::string read = std::string("%o = onf.load %y[%zero]") + loaded;
  expectInvalid(opens + zero + parallelLoop(read + add), "race");
  expectInvalid(opens + zero + parallelLoop(add + read), "race");
  expectInvalid(opens + zero + parallelLoop(add + "onf.update \"add\" %v, %y[%zero]" + buffer), "race");
  // What the next loop does is another matter.
  EXPECT_EQ(on(opens + zero + parallelLoop(add) + "\n" + parallelLoop(read), {1, 2, 4}).ending, Ending::Returned);
}

std::string prefixSum(const char *kind, const char *first) {
  return parallelLoop(std::string("%acc = onf.alloc \"acc\" [%one] : !onf.buffer<f64, "
                                  "\"register\">\n%start = moa.constant ") +
                      first + R"( : f64
  onf.store %start, %acc : f64, !onf.buffer<f64, "register">
  %end = moa.scalar add(%i, %one) : index, index -> index
  onf.for "k" "sequential" from %zero to %end {
  ^bb0(%k: index):
    %t = onf.load %x[%k])" +
                      loaded + "    onf.update \"" + kind +
                      R"(" %t, %acc : f64, !onf.buffer<f64, "register">
  }
  %v = onf.load %acc : !onf.buffer<f64, "register"> -> f64
)" + finishY);
}

TEST(InterpreterOnf, AccumulatesInRegisters) {
  Outcome sums = on(prefixSum("add", "0.0"), {1, 2, 4});
  EXPECT_EQ(values(sums), (std::vector<double>{1, 3, 7}));
  EXPECT_EQ(sums.counts.buffers["acc"].updates, 6u);
  EXPECT_EQ(sums.counts.visits, 6u);
  EXPECT_EQ(sums.counts.buffers["acc"].leastUpdates, 1u);
  EXPECT_EQ(sums.counts.buffers["acc"].mostUpdates, 3u);
  EXPECT_EQ(values(on(prefixSum("mul", "1.0"), {1, 2, 4})), (std::vector<double>{1, 2, 8}));
  EXPECT_EQ(values(on(prefixSum("max", "0.0"), {3, 2, 4})), (std::vector<double>{3, 3, 4}));
  EXPECT_EQ(values(on(prefixSum("min", "9.0"), {3, 2, 4})), (std::vector<double>{3, 2, 2}));
}

TEST(InterpreterOnf, AccumulatesInPlace) {
  std::string text = parallelLoop(std::string("onf.store %c2, %y[%i] {opens}") + buffer + R"(
  onf.for "k" "sequential" from %zero to %N attributes {reverse} {
  ^bb0(%k: index):
    %t = onf.load %x[%k])" + loaded +
                                  "onf.update \"add\" %t, %y[%i]" + buffer + "}");
  Outcome outcome = on(text, {1, 2, 4});
  EXPECT_EQ(values(outcome), (std::vector<double>{9, 9, 9}));
  EXPECT_EQ(outcome.counts.buffers["y"].leastUpdates, 3u);
}

TEST(InterpreterOnf, StatusesAreReturnedAtTheEnd) {
  std::string body = loadX + finishY + R"(%c = moa.scalar eq(%i, %one) : index, index -> i1
  onf.if %c { onf.fail "index" })";
  EXPECT_EQ(on(parallelLoop(body), {1, 2}).status, Status::Index);
  EXPECT_TRUE(on(parallelLoop(body), {1}).ok());
  std::string entry = R"(%c = moa.scalar gt(%N, %one) : index, index -> i1
  onf.require %c, "constraint", "N > 1"
)" + parallelLoop(loadX + finishY);
  EXPECT_EQ(on(entry, {1}).status, Status::Constraint);
  EXPECT_TRUE(on(entry, {1, 2}).ok());
}

TEST(InterpreterOnf, EachElementOfAnOutputIsFinishedOnce) {
  expectInvalid(parallelLoop(loadX + finishY + finishY), "'y' at offset 0 is finished again");
  expectInvalid(parallelLoop(loadX + "onf.store %v, %y[%i]" + buffer), "never finished");
  expectInvalid("onf.for \"i\" \"sequential\" from %one to %N {\n^bb0(%i: index):\n" + loadX +
                    finishY + "}",
                "'y' at offset 0 is never written");
  expectInvalid(parallelLoop(loadX + finishY + "onf.update \"add\" %v, %y[%i]" + buffer),
                "written after it was finished");
}

TEST(InterpreterOnf, OffsetsLieInside) {
  std::string next = "%n = moa.scalar add(%i, %one) : index, index -> index\n";
  expectInvalid(parallelLoop(next + "%v = onf.load %x[%n]" + loaded + finishY),
                "read of 'x' at offset 3, size 3");
  expectInvalid(parallelLoop(next + loadX + "onf.store %v, %y[%n] {finishes}" + buffer),
                "write of 'y' at offset 3, size 3");
}

TEST(InterpreterOnf, InputsAreNotWritten) {
  expectInvalid(parallelLoop(loadX + finishY + "onf.store %v, %x[%i]" + buffer),
                "write of input 'x'");
}

TEST(InterpreterOnf, ScratchIsWrittenBeforeItIsRead) {
  std::string alloc = "%t = onf.alloc \"t\" [%N] : !onf.buffer<f64, \"SPACE\">\n";
  std::string load = "%v = onf.load %t[%i] : !onf.buffer<f64, \"SPACE\"> -> f64\n" + finishY;
  auto in = [](std::string text, const char *space) {
    for (size_t at; (at = text.find("SPACE")) != std::string::npos;)
      text.replace(at, 5, space);
    return text;
  };
  expectInvalid(in(alloc + parallelLoop(load), "shared"), "read of 't' at offset 0 before");
  expectInvalid(in(parallelLoop(load, alloc), "thread"), "read of 't' at offset 0 before");
  expectInvalid(parallelLoop(in(alloc + load, "register")), "read of 't' at offset 0 before");
  expectInvalid(parallelLoop("%v = onf.load %y[%i]" + std::string(loaded) + finishY),
                "read of 'y' at offset 0 before");
  // An iteration must not rely on what another left in the thread's memory.
  std::string stale = R"(%c = moa.scalar eq(%i, %zero) : index, index -> i1
  onf.if %c { onf.store %c2, %t[%zero] : f64, !onf.buffer<f64, "thread"> }
  %v = onf.load %t[%zero] : !onf.buffer<f64, "thread"> -> f64
)" + finishY;
  expectInvalid(in(parallelLoop(stale, alloc), "thread"), "before it is written in this iteration");
  // What the thread itself prepared before the loop is fine.
  std::string prepared = alloc + "onf.store %c2, %t[%zero] : f64, !onf.buffer<f64, \"SPACE\">\n";
  std::string reads = "%v = onf.load %t[%zero] : !onf.buffer<f64, \"SPACE\"> -> f64\n" + finishY;
  EXPECT_EQ(values(on(in(parallelLoop(reads, prepared), "thread"), {1, 2})),
            (std::vector<double>{2, 2}));
}

TEST(InterpreterOnf, IterationsDoNotRace) {
  std::string alloc = "%t = onf.alloc \"t\" [%N] : !onf.buffer<f64, \"shared\">\n";
  const char *shared = " : f64, !onf.buffer<f64, \"shared\">\n";
  std::string mine = std::string("onf.store %v, %t[%i] {finishes}") + shared;
  std::string same = std::string("onf.store %v, %t[%zero]") + shared;
  expectInvalid(alloc + parallelLoop(loadX + same + finishY), "two iterations write 't'");
  std::string next = "%n = moa.scalar sub(%i, %one) : index, index -> index\n"
                     "%m = moa.scalar max(%n, %zero) : index, index -> index\n";
  std::string neighbour = next + "%w = onf.load %t[%m] : !onf.buffer<f64, \"shared\"> -> f64\n";
  expectInvalid(alloc + parallelLoop(loadX + mine + finishY + neighbour),
                "written by one iteration and read by another");
  // Read by iteration 0 (of what an earlier loop stored), then written by iteration 1.
  std::string earlier = parallelLoop(loadX + "onf.store %v, %t[%i] {opens}" + shared);
  std::string later = parallelLoop("%j = moa.scalar sub(%N, %one) : index, index -> index\n"
                                   "%v = onf.load %t[%j] : !onf.buffer<f64, \"shared\"> -> f64\n" +
                                   finishY + "onf.update \"add\" %v, %t[%i]" + shared);
  expectInvalid(alloc + earlier + "\n" + later, "read by one iteration and written by another");
  expectInvalid(parallelLoop(loadX + finishY, std::string("onf.store %c2, %y[%zero]") + buffer),
                "every thread writes 'y'");
  // Two loops of one team are separated by a barrier.
  EXPECT_EQ(values(on(alloc + parallelLoop(loadX + mine) + "\n" +
                          parallelLoop(next +
                                       "%v = onf.load %t[%m] : !onf.buffer<f64, \"shared\"> -> "
                                       "f64\n" +
                                       finishY),
                      {1, 2, 3})),
            (std::vector<double>{1, 1, 2}));
}

TEST(InterpreterOnf, CollapsedLoopsAreOneIterationSpace) {
  std::string nest = R"(onf.parallel work %work {
  onf.for "i" "parallel" from %zero to %N attributes {collapse = 2 : i64} {
  ^bb0(%i: index):
    onf.for "j" "parallel" from %zero to %N {
    ^bb0(%j: index):
      %o = moa.scalar OFFSET : index, index -> index
      %v = onf.load %x[%o])" +
                     std::string(loaded) + "onf.store %v, %y[%o] {finishes}" + buffer + "}\n}\n}";
  auto with = [&](const char *offset) {
    std::string text = nest;
    return text.replace(text.find("OFFSET"), 6, offset);
  };
  // i and j together address N*N elements: with N = 1 that is one.
  EXPECT_EQ(values(on(with("add(%i, %j)"), {5})), std::vector<double>{5});
  expectInvalid(with("max(%i, %zero)"), "two iterations write 'y'");
}

TEST(InterpreterOnf, ColumnMajorArgumentsUseTheirLayout) {
  const char *text = R"(
onf.func @f symbols ["M", "N"] scalars [] inputs ["A"] [!moa.array<[M, N], f32, col>]
    results ["B"] [!moa.array<[N, M], f32, col>] {
^bb0(%M: index, %N: index, %A: !onf.buffer<f32, "argument">, %B: !onf.buffer<f32, "argument">):
  %zero = moa.constant 0 : index
  onf.for "i" "sequential" from %zero to %M {
  ^bb0(%i: index):
    onf.for "j" "sequential" from %zero to %N {
    ^bb0(%j: index):
      %jm = moa.scalar mul(%j, %M) : index, index -> index
      %a = moa.scalar add(%i, %jm) : index, index -> index
      %in = moa.scalar mul(%i, %N) : index, index -> index
      %b = moa.scalar add(%in, %j) : index, index -> index
      %v = onf.load %A[%a] : !onf.buffer<f32, "argument"> -> f32
      onf.store %v, %B[%b] {finishes} : f32, !onf.buffer<f32, "argument">
    }
  }
})";
  Tensor a = Tensor::of(Element::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values(run(text, {{2, 3}, {}, {a}})), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

TEST(InterpreterOnf, LimitsHold) {
  Tensor x = Tensor::of(Element::F64, {3}, {1, 2, 3});
  std::string text = function(parallelLoop(loadX + finishY));
  EXPECT_EQ(run(text, {{3}, {}, {x}}, {5, 1 << 20}).ending, Ending::StepLimit);
  EXPECT_EQ(run(text, {{3}, {}, {x}}, {1000, 16}).ending, Ending::MemoryLimit);
}

} // namespace
