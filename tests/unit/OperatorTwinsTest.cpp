// What the operator form means: programs that say everything twice, with operators and with
// indices.
//
// Results come in pairs `x`, `x_i` (operator-twins.moa, operator-ranks.moa). The interpreter evaluates
// both as analysis built them, on small integers, where every order of a reduction gives the same bits.
// MOAC_TWINS names a file to be looked at instead.
#include "frontend/CheckArguments.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace moac {
namespace {

/// Sizes from 0 to 4 for every symbol, those that the kernel admits.
std::vector<Sizes> allSizes(Program &program, const KernelSignature &kernel) {
  std::vector<Sizes> result;
  size_t count = 1;
  for (size_t i = 0; i < kernel.symbols.size(); ++i)
    count *= 5;
  for (size_t code = 0; code < count; ++code) {
    Sizes sizes;
    for (size_t i = 0, rest = code; i < kernel.symbols.size(); ++i, rest /= 5)
      sizes.push_back(static_cast<int64_t>(rest % 5));
    if (program.admits(kernel.name, sizes, {}))
      result.push_back(sizes);
  }
  return result;
}

void compare(const KernelSignature &kernel, const InterpretResult &result) {
  for (size_t i = 0; i + 1 < result.outputs.size(); i += 2) {
    ASSERT_EQ(kernel.outputs[i].name + "_i", kernel.outputs[i + 1].name);
    EXPECT_EQ(result.outputs[i].shape, result.outputs[i + 1].shape) << kernel.outputs[i].name;
    EXPECT_EQ(result.outputs[i].values, result.outputs[i + 1].values) << kernel.outputs[i].name;
  }
}

void compareAll(const std::string &path) {
  std::unique_ptr<Program> program = Program::load(path, {});
  ASSERT_FALSE(program->hasErrors()) << program->diagnostics();
  EXPECT_EQ(program->diagnostics(), "");
  Random random(7);
  for (const KernelSignature &kernel : program->kernels()) {
    if (kernel.outputs.size() < 2)
      continue; // called by others
    std::vector<Sizes> cases = allSizes(*program, kernel);
    EXPECT_GE(cases.size(), 8u) << kernel.name;
    ArgumentMaker maker(*program, kernel, cases);
    for (size_t i = 0; i < cases.size(); i += 1 + cases.size() / 40) {
      auto arguments = maker.make(cases[i], DataKind::SmallIntegers, random);
      ASSERT_TRUE(arguments) << kernel.name;
      auto result = program->interpret(kernel.name, Stage::Moa, *arguments);
      ASSERT_TRUE(result) << kernel.name << ": " << result.error;
      ASSERT_EQ(result->status, 0) << kernel.name << ": " << result->message;
      compare(kernel, *result);
      if (testing::Test::HasFailure())
        FAIL() << kernel.name << " at sizes " << testing::PrintToString(cases[i]);
    }
  }
}

TEST(OperatorTwins, BothFormsMeanTheSame) {
  if (const char *path = std::getenv("MOAC_TWINS"))
    return compareAll(path);
  compareAll(MOAC_TEST_TWINS "/operator-twins.moa");
  compareAll(MOAC_TEST_TWINS "/operator-ranks.moa");
}

} // namespace
} // namespace moac
