// Formulas for what kernels do against what the interpreter counts in runs: every example, at covering sizes.
#include "frontend/CheckArguments.h"
#include "ir/Cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace moac;

namespace {
/// Runs a kernel at sizes with zeros, ones and primes; returns the runs compared.
unsigned compareRuns(Program &program, const KernelSignature &kernel, const std::string &file) {
  Answer<cost::WorkTree> tree = program.work(kernel.name, {}, 0);
  EXPECT_TRUE(tree) << tree.error;
  if (!tree)
    return 0;
  const cost::Cost counted = costOf(*tree);
  SizeRules rules;
  rules.symbols = static_cast<unsigned>(kernel.symbols.size());
  rules.cap = 1e3;
  rules.admits = [&](const std::vector<int64_t> &sizes) { return program.admits(kernel.name, sizes, {}); };
  rules.work = [&](const std::vector<int64_t> &sizes) { return program.innermostIterations(kernel.name, sizes); };
  const std::vector<std::vector<int64_t>> cases = sizeCases(rules);
  ArgumentMaker maker(program, kernel, cases);
  unsigned runs = 0;
  const size_t step = cases.size() / 10 + 1; // cases are sorted: a few of each size
  for (size_t k = 0; k < cases.size(); k += step) {
    Random random(k);
    std::optional<CallArguments> arguments = maker.make(cases[k], DataKind::Gaussian, random);
    if (!arguments)
      continue;
    Answer<InterpretResult> run = program.interpret(kernel.name, Stage::Onf, *arguments);
    EXPECT_TRUE(run) << run.error;
    if (!run || run->status != 0)
      continue;
    ++runs;
    const std::string wrong = difference(counted, namedSizes(kernel, *arguments), run->counts);
    EXPECT_EQ(wrong, "") << file << " " << kernel.name << " case " << k;
    if (!wrong.empty())
      break;
  }
  return runs;
}

TEST(Cost, EqualsTheInterpreterOnEveryExample) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(MOAC_EXAMPLES))
    if (entry.path().extension() == ".moa")
      files.push_back(entry.path().string());
  std::ranges::sort(files);
  ASSERT_GT(files.size(), 5u);
  for (const std::string &file : files) {
    std::unique_ptr<Program> program = Program::load(file, {});
    ASSERT_FALSE(program->hasErrors()) << program->diagnostics();
    for (const KernelSignature &kernel : program->kernels())
      EXPECT_GT(compareRuns(*program, kernel, file), 0u) << file << " " << kernel.name;
  }
}

cost::WorkTree matmulTree(std::unique_ptr<Program> &program) {
  program = Program::load(MOAC_EXAMPLES "/matmul.moa", {});
  return std::move(*program->work("matmul", {}, 0));
}

TEST(Cost, MatmulHasAMultiplyAddAPoint) {
  std::unique_ptr<Program> program;
  cost::WorkTree tree = matmulTree(program);
  const cost::Cost counted = costOf(tree);
  EXPECT_TRUE(counted.notes.empty());
  EXPECT_GE(counted.byKind(cost::Kind::Multiply).evaluate({{"M", 3}, {"K", 5}, {"N", 7}}), 105);
  EXPECT_GE(counted.fusable.evaluate({{"M", 3}, {"K", 5}, {"N", 7}}), 105); // blocks may be padded
  EXPECT_EQ(counted.compulsoryBytes().evaluate({{"M", 3}, {"K", 5}, {"N", 7}}), 8 * (15 + 35 + 21));
}

TEST(Cost, MoreCacheNeverMovesMore) {
  std::unique_ptr<Program> program;
  cost::WorkTree tree = matmulTree(program);
  Machine machine;
  machine.axes = {{"core", 1}};
  for (int64_t bytes : {1 << 12, 1 << 15, 1 << 19, 1 << 30})
    machine.memories.push_back({std::to_string(bytes), bytes, 64, 1, 0});
  machine.memories.push_back({"memory", int64_t(1) << 40, 64, 1, 0});
  const cost::Sizes sizes = {{"M", 512}, {"K", 512}, {"N", 512}};
  const auto levels = trafficOf(tree, machine, sizes).value();
  ASSERT_EQ(levels.size(), 4u);
  for (size_t k = 1; k < levels.size(); ++k)
    EXPECT_LE(levels[k].total(), levels[k - 1].total());
  // All fits into the last one: each matrix enters once, the result goes back too.
  double arguments = 0;
  for (const auto &array : levels.back().arrays)
    if (array.array == "A" || array.array == "B" || array.array == "C")
      arguments += array.bytes;
  EXPECT_DOUBLE_EQ(arguments, 4.0 * 512 * 512 * 8);
  EXPECT_FALSE(trafficOf(tree, machine, {{"M", 512}}));
}
} // namespace
