// Every stage means the same: interpret(moa) = interpret(DNF) = interpret(ONF), on the programs of tests/passes, at sizes
// with zeros, ones and primes. The data are small integers, so that sums and products are exact and equality is bitwise
// wherever no division or exp takes part; elsewhere the interpreter's bounds judge.
#include "ir/Interpreter.h"
#include "passes/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace moac;

namespace {
Tensor randomTensor(const std::vector<int64_t> &extents, std::mt19937 &random) {
  Tensor tensor = Tensor::zeros(Element::F64, extents);
  for (int64_t i = 0; i < tensor.count(); ++i)
    tensor.setReal(i, static_cast<int>(random() % 7) - 3);
  return tensor;
}

class Construct : public testing::TestWithParam<const char *> {};

TEST_P(Construct, StagesAgree) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<moa::MoaDialect, onf::OnfDialect>();
  auto path = std::string(MOAC_TEST_PASSES) + "/" + GetParam();
  auto moaModule = parseSourceFile<ModuleOp>(path, &context);
  ASSERT_TRUE(moaModule);
  OwningOpRef<ModuleOp> dnf = moaModule->clone(), onf = moaModule->clone();
  PassManager toDnf(&context), toOnf(&context);
  addDnfPasses(toDnf);
  addDnfPasses(toOnf);
  addGammaPasses(toOnf);
  ASSERT_TRUE(succeeded(toDnf.run(*dnf)));
  ASSERT_TRUE(succeeded(toOnf.run(*onf)));

  constexpr unsigned seed = 20261130;
  std::mt19937 random(seed);
  const int64_t sizes[] = {0, 1, 2, 3, 5, 7, 17, 33};
  for (auto kernel : moaModule->getOps<moa::KernelOp>())
    for (int round = 0; round < 40; ++round) {
      Arguments arguments;
      std::map<std::string, int64_t> values;
      for (unsigned i = 0; i < kernel.numSymbols(); ++i) {
        arguments.symbols.push_back(sizes[random() % std::size(sizes)]);
        values[kernel.argName(i).str()] = arguments.symbols.back();
      }
      for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
        std::vector<int64_t> extents;
        for (const shape::Expr &e : cast<moa::ArrayType>(kernel.inputArg(i).getType()).extents())
          extents.push_back(*e.evaluate(values));
        arguments.inputs.push_back(randomTensor(extents, random));
      }
      Outcome want = interpret(kernel, arguments);
      ASSERT_TRUE(want.ok()) << want.message;
      auto name = kernel.getSymName();
      Outcome middle = interpret(dnf->lookupSymbol<moa::KernelOp>(name), arguments);
      Outcome got = interpret(onf->lookupSymbol<onf::FuncOp>(name), arguments);
      ASSERT_TRUE(middle.ok()) << middle.message << " seed " << seed << " round " << round;
      ASSERT_TRUE(got.ok()) << got.message << " seed " << seed << " round " << round;
      for (size_t i = 0; i < want.results.size(); ++i) {
        EXPECT_TRUE(compare(middle.results[i].bytes, want.results[i]).passed) << "seed " << seed << " round " << round;
        Verdict verdict = compare(got.results[i].bytes, want.results[i]);
        EXPECT_TRUE(verdict.passed) << verdict.explanation << " seed " << seed << " round " << round;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, Construct, testing::Values("gamma-construct.mlir", "gamma-nest.mlir", "lift.mlir"));
} // namespace
