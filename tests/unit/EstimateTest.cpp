// Estimates of schedules: numbers that can be done by hand, trees at sizes against their formulas, and plans of every example.
#include "frontend/Planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace moac;
using namespace moac::cost;

namespace {
const Machine zen3 = loadMachine("zen3-2core", {MOAC_MACHINES}).machine.value();

std::unique_ptr<Program> compiled(const std::string &text) {
  const auto path = std::filesystem::temp_directory_path() / ("moac-estimate-" + std::to_string(getpid()) + ".moa");
  std::ofstream(path) << text;
  std::unique_ptr<Program> program = Program::load(path.string(), {});
  std::filesystem::remove(path);
  EXPECT_FALSE(program->hasErrors()) << program->diagnostics();
  return program;
}

WorkTree treeOf(const std::string &text, const Sizes &sizes) {
  std::unique_ptr<Program> program = compiled(text);
  return atSizes(*program->work(program->kernels()[0].name, {}, 1), sizes);
}

/// Sizes for every symbol of a kernel, all the same.
Sizes same(const WorkTree &tree, int64_t size) {
  Sizes sizes;
  for (const std::string &symbol : tree.symbols)
    sizes[symbol] = size;
  return sizes;
}

double seconds(const Estimate &e, const std::string &part) {
  auto found = std::ranges::find(e.parts, part, &Estimate::Part::what);
  return found == e.parts.end() ? -1 : found->seconds;
}

TEST(Estimate, FillsInWhatAMachineDoesNotSay) {
  const AssumedMachine a = assumeMissing(zen3);
  EXPECT_DOUBLE_EQ(a.cyclesPerSecond, 3e9); // 96e9 flops are two multiply-adds of eight lanes in each cycle
  EXPECT_EQ(a.machine.memories[0].bytes, 16 * 32);
  EXPECT_DOUBLE_EQ(a.machine.memories[1].bytesPerSecond, 192e9);
  EXPECT_DOUBLE_EQ(a.machine.memories.back().bytesPerSecond, 9e9);
  EXPECT_EQ(a.assumed.size(), 2U);
}

TEST(Estimate, ALongSumOfArraysIsBoundByMemory) {
  const WorkTree tree = treeOf("kernel scaled(x: f64[N]) -> y: f64[N] { y[i] = 3*x[i] }", {{"N", 9000000}});
  const std::vector<Estimate> all = estimates(tree, assumeMissing(zen3));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].bound, "L3");
  EXPECT_NEAR(all[0].seconds, 9e6 * 24 / 9e9, 1e-6); // read, read for writing, written back
  EXPECT_NEAR(seconds(all[0], "arithmetic"), 9e6 / (4 * 2) / 3e9, 1e-9);
  EXPECT_EQ(best(all).threads, 1); // they would share the memory
}

TEST(Estimate, ArithmeticIsSharedByThreadsOnceItIsWorthWakingThem) {
  const std::string text = "kernel far(x: f64[N]) -> y: f64[N] { y[i] = exp(sin(cos(log(x[i]))))/sqrt(x[i])/x[i] }";
  const AssumedMachine machine = assumeMissing(zen3);
  EXPECT_EQ(best(estimates(treeOf(text, {{"N", 1000}}), machine)).threads, 1);
  const std::vector<Estimate> all = estimates(treeOf(text, {{"N", 1000000}}), machine);
  EXPECT_EQ(best(all).threads, 2);
  EXPECT_NEAR(seconds(all[1], "arithmetic"), seconds(all[0], "arithmetic") / 2, 1e-8); // but for what one iteration takes
  EXPECT_DOUBLE_EQ(seconds(all[1], "waking"), 5e-6);
}

TEST(Estimate, TreesAtSizesCountWhatTheirFormulasSay) {
  for (const char *name : {"matmul", "heat", "tiles", "windows"}) {
    std::unique_ptr<Program> program = Program::load(std::string(MOAC_EXAMPLES) + "/" + name + ".moa", {});
    for (const KernelSignature &kernel : program->kernels()) {
      Answer<WorkTree> tree = program->work(kernel.name, {}, 1);
      ASSERT_TRUE(tree) << tree.error;
      const Sizes sizes = same(*tree, 37);
      const std::optional<int64_t> formula = costOf(*tree).flops().evaluate(complete(sizes, tree->definitions));
      EXPECT_TRUE(formula);
      EXPECT_EQ(costOf(atSizes(*tree, sizes)).flops().evaluate({}), formula) << name << " " << kernel.name;
    }
  }
}

TEST(Estimate, TilesMoveWhatTheirIndicesMove) {
  const std::string kernel = "kernel turned(A: f64[N, M]) -> B: f64[M, N] { B[i, j] = A[j, i] }\n";
  const Sizes sizes = {{"N", 4000}, {"M", 4000}};
  const auto last = [&](const std::string &schedule) {
    return trafficOf(treeOf(kernel + schedule, sizes), zen3, {})->back().total();
  };
  const double once = 4000.0 * 4000 * 8 * 3;
  EXPECT_DOUBLE_EQ(last(""), once);
  EXPECT_DOUBLE_EQ(last("schedule turned for cpu { lift i by 16 as it, ii\n lift j by 16 as jt, jj\n order it, jt, ii, jj }"), once);
}

TEST(Estimate, RegistersOfABlockAreCounted) {
  const WorkTree tree = treeOf("kernel product(A: f64[M, K], B: f64[K, N]) -> C: f64[M, N] { C[i, j] = sum[k](A[i, k]*B[k, j]) }",
                               {{"M", 100}, {"K", 100}, {"N", 100}});
  const std::vector<Limit> limits = limitsOf(tree, zen3);
  EXPECT_EQ(limits[0].name, "registers");
  EXPECT_EQ(limits[0].value, 6 * 8 / 4 + 8 / 4 + 1); // sums, a row of the one operand, an element of the other
  EXPECT_TRUE(limits[0].passed());
}

void planExample(const std::string &file, const std::string &kernel, unsigned &plans) {
  std::unique_ptr<Program> program = Program::load(file, {});
  Answer<WorkTree> tree = program->work(kernel, {}, 1);
  ASSERT_TRUE(tree) << tree.error;
  const Sizes sizes = same(*tree, 40);
  PlanRequest request{file, kernel, {}, sizes, {}, zen3};
  Answer<Plan> plan = planKernel(request);
  ASSERT_TRUE(plan) << file << " " << kernel << ": " << plan.error;
  const PlanCandidate &winner = plan->candidates[plan->ranking[0]];
  EXPECT_LE(winner.best().seconds, plan->candidates[0].best().seconds * 1.01) << file << " " << kernel;
  const size_t open = plan->schedule.find("{\n");
  request.load.schedules[kernel] = plan->schedule.substr(open + 2, plan->schedule.rfind('}') - open - 2);
  std::unique_ptr<Program> again = Program::load(file, request.load);
  ASSERT_FALSE(again->hasErrors()) << plan->schedule << again->diagnostics();
  EXPECT_EQ(*again->print(Stage::Onf, kernel), winner.loops) << file << " " << kernel << "\n" << plan->schedule;
  ++plans;
}

TEST(Plan, WinnersOfTheExamplesAreNoWorseThanTheDefaultAndPrintAsSchedules) {
  unsigned plans = 0;
  for (const char *name : {"attention", "conv2d", "heat", "matmul", "rmsnorm", "softmax", "spmv", "tiles", "windows"}) {
    const std::string file = std::string(MOAC_EXAMPLES) + "/" + name + ".moa";
    std::unique_ptr<Program> program = Program::load(file, {});
    for (const KernelSignature &kernel : program->kernels())
      planExample(file, kernel.name, plans);
  }
  EXPECT_GE(plans, 15U);
}
} // namespace
