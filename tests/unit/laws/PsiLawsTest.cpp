// The laws as a rewriting system: they keep the meaning, end, and come to the same normal form in any order.
#include "RandomStructure.h"
#include "ir/IndexForm.h"
#include "passes/Passes.h"
#include "passes/PsiLaws.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "mlir/Transforms/Passes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

using namespace mlir;
using namespace moac;

namespace {
unsigned setting(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// MOAC_LAWS_SEED names other programs, MOAC_LAWS_PROGRAMS asks for more than a quick run has.
const unsigned firstSeed = setting("MOAC_LAWS_SEED", 20261130);
unsigned programs(unsigned otherwise) { return setting("MOAC_LAWS_PROGRAMS", otherwise); }

/// Seeds whose programs once had two normal forms: facts that contradict each other, at an extent of 0; two indices of one
/// name in a sum.
constexpr unsigned formerSeeds[] = {20264129, 20264636};

struct Laws : testing::Test {
  Laws() { context.loadDialect<moa::MoaDialect, onf::OnfDialect>(); }

  static std::string text(ModuleOp module) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    module.print(stream);
    return out;
  }

  /// The stages as formulas, and the checks: independent operations may stand in another order.
  static std::string normalForm(ModuleOp module) {
    std::string out;
    for (auto kernel : module.getOps<moa::KernelOp>()) {
      out += moa::indexForm(kernel);
      kernel.walk([&](moa::PsiOp psi) {
        if (!psi.getChecked().empty())
          out += "checked " + moa::indexForm(psi.getResult()) + "\n";
      });
    }
    return out;
  }

  bool run(ModuleOp module, llvm::function_ref<void(PassManager &)> fill) {
    PassManager manager(&context);
    fill(manager);
    return succeeded(manager.run(module));
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

::testing::AssertionResult same(const Outcome &got, const Outcome &want) {
  if (got.ending != want.ending || got.status != want.status)
    return ::testing::AssertionFailure() << "status " << static_cast<int>(got.status) << " (" << got.message << "), expected "
                                         << static_cast<int>(want.status) << " (" << want.message << ")";
  for (size_t i = 0; i < want.results.size(); ++i)
    if (got.results[i].bytes != want.results[i].bytes)
      return ::testing::AssertionFailure() << "another value: " << compare(got.results[i].bytes, want.results[i]).explanation;
  return ::testing::AssertionSuccess();
}

TEST_F(Laws, KeepTheMeaning) {
  unsigned valid = 0;
  for (unsigned seed = firstSeed; seed < firstSeed + programs(500); ++seed) {
    RandomKernel random = randomStructure(context, seed, 1 + seed % 7);
    ASSERT_TRUE(succeeded(verify(*random.module))) << "seed " << seed;
    Outcome want = interpret(random.kernel(), random.arguments);
    std::string before = text(*random.module);
    ASSERT_EQ(want.ending, Ending::Returned) << want.message << " seed " << seed << "\n" << before;
    valid += want.ok();
    ASSERT_TRUE(run(*random.module, [](PassManager &manager) { manager.nest<moa::KernelOp>().addPass(createPsiReduce()); }))
        << "seed " << seed << "\n" << before;
    Outcome reduced = interpret(random.kernel(), random.arguments); // without stages, work may explode
    if (reduced.ending != Ending::StepLimit)
      EXPECT_TRUE(same(reduced, want)) << "seed " << seed << "\n" << before << text(*random.module);
    ASSERT_TRUE(run(*random.module, [](PassManager &manager) { addDnfPasses(manager); })) << "seed " << seed << "\n" << before;
    EXPECT_TRUE(same(interpret(random.kernel(), random.arguments), want)) << "DNF, seed " << seed << "\n" << before << text(*random.module);
    if (HasFailure())
      break;
  }
  EXPECT_GE(valid, programs(500) / 10 * 9);
}

/// Applies laws to redexes chosen at random, and looks whether each leaves only reads of less height.
bool reduceInRandomOrder(moa::KernelOp kernel, const FrozenRewritePatternSet &laws, std::mt19937 &random, std::string &problem) {
  PatternApplicator applicator(laws);
  applicator.applyDefaultCostModel();
  PatternRewriter rewriter(kernel.getContext());
  for (unsigned steps = 0; steps < 100000; ++steps) {
    SmallVector<moa::PsiOp> reads;
    kernel.walk([&](moa::PsiOp psi) { reads.push_back(psi); });
    std::shuffle(reads.begin(), reads.end(), random);
    bool fired = false;
    for (moa::PsiOp psi : reads) {
      unsigned height = readHeight(psi);
      llvm::DenseSet<Operation *> before(reads.begin(), reads.end());
      rewriter.setInsertionPoint(psi);
      if (failed(applicator.matchAndRewrite(psi, rewriter)))
        continue;
      before.erase(psi);
      kernel.walk([&](moa::PsiOp now) {
        if (!before.contains(now) && now->getParentOfType<moa::GenOp>() && readHeight(now) >= height)
          problem = "a law left a read as high as it found";
      });
      fired = true;
      break;
    }
    if (!fired)
      break;
  }
  // What nobody reads any more is gone in the other order as well.
  SmallVector<Operation *> all;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
  for (Operation *op : llvm::reverse(all))
    if (isOpTriviallyDead(op))
      op->erase();
  return problem.empty();
}

TEST_F(Laws, EndInOneNormalFormInAnyOrder) {
  RewritePatternSet set(&context);
  addPsiLaws(set);
  FrozenRewritePatternSet laws(std::move(set));
  std::vector<unsigned> seeds(std::begin(formerSeeds), std::end(formerSeeds));
  for (unsigned seed = firstSeed; seed < firstSeed + programs(60); ++seed)
    seeds.push_back(seed);
  for (unsigned seed : seeds) {
    RandomKernel random = randomStructure(context, seed, 2 + seed % 5);
    std::string before = text(*random.module);
    OwningOpRef<ModuleOp> driven = random.module->clone();
    ASSERT_TRUE(run(*driven, [](PassManager &manager) {
      manager.nest<moa::KernelOp>().addPass(createPsiReduce());
      manager.nest<moa::KernelOp>().addPass(createCSEPass());
    }));
    for (unsigned order = 0; order < 3; ++order) {
      OwningOpRef<ModuleOp> other = random.module->clone();
      auto kernel = *other->getOps<moa::KernelOp>().begin();
      std::mt19937 choices(seed * 10 + order);
      std::string problem;
      prepareReads(kernel);
      ASSERT_TRUE(reduceInRandomOrder(kernel, laws, choices, problem)) << problem << " seed " << seed << " order " << order << "\n" << before;
      finishReads(kernel);
      ASSERT_TRUE(run(*other, [](PassManager &manager) { manager.nest<moa::KernelOp>().addPass(createCSEPass()); }));
      ASSERT_EQ(normalForm(*other), normalForm(*driven)) << "seed " << seed << " order " << order << "\n" << before;
    }
  }
}

TEST_F(Laws, AreFoundByIdAndWordAndTestedEach) {
  std::string tests;
  for (const auto &file : std::filesystem::directory_iterator(MOAC_TEST_PASSES)) {
    if (!file.is_regular_file())
      continue;
    std::ifstream in(file.path());
    tests.append(std::istreambuf_iterator<char>(in), {});
  }
  std::string sources;
  for (const auto &file : std::filesystem::directory_iterator(MOAC_PASSES))
    if (file.path().filename().string().starts_with("Laws")) {
      std::ifstream in(file.path());
      sources.append(std::istreambuf_iterator<char>(in), {});
    }
  EXPECT_EQ(lawTexts().size(), 23u);
  for (const LawText *law : lawTexts()) {
    EXPECT_EQ(lawText(law->id), law);
    EXPECT_EQ(lawText(law->word), law);
    for (std::string_view part : {law->equation, law->direction, law->condition, law->measure, law->meaning}) {
      EXPECT_FALSE(part.empty()) << law->id;
      EXPECT_NE(lawPage(*law).find(part), std::string::npos) << law->id;
    }
    // Written the same way above the code: equation first, then direction and measure.
    std::smatch comment;
    bool written = std::regex_search(sources, comment, std::regex("\\n// " + std::string(law->id) + ": ([^\\n]*)\\n((?://[^\\n]*\\n)+)struct"));
    EXPECT_TRUE(written || law->id == "P20") << law->id;
    if (!written)
      continue;
    std::string equation = comment[1], rest = comment[2], first(law->equation.substr(0, law->equation.find_first_of(",;")));
    EXPECT_EQ(equation.find(first), 0u) << equation;
    EXPECT_NE(rest.find("Left to right"), std::string::npos) << law->id;
    EXPECT_NE(rest.find("Measure:"), std::string::npos) << law->id;
    std::string mark = "// " + std::string(law->id);
    EXPECT_TRUE(tests.find(mark + "\n") != std::string::npos || tests.find(mark + ":") != std::string::npos) << law->id << " has no lit test";
  }
  EXPECT_EQ(lawText("p7"), lawText("psi-drop"));
  EXPECT_EQ(lawText("P99"), nullptr);
}

/// `count` words on one vector, each in the scope of the last.
std::string chain(unsigned count) {
  std::string out = "moa.kernel @chain(symbol \"N\" %n: index, \"a\" %a: !moa.array<[N], f64>) -> (\"z\" : !moa.array<[N], f64>) {\n"
                    "%one = moa.constant 1 : index\n%v0 = moa.reverse %a : <[N], f64>\n";
  for (unsigned i = 1; i < count; ++i) {
    std::string from = "%v" + std::to_string(i - 1), to = "%v" + std::to_string(i);
    const std::string words[] = {"moa.reverse " + from + " : <[N], f64>", "moa.rotate " + from + " by [%one] : <[N], f64>",
                                 "moa.map " + from + " : !moa.array<[N], f64> -> <[N], f64> {\n^bb0(%x: f64):\n%y = moa.scalar neg(%x) : f64 -> f64\n"
                                 "moa.yield %y : f64\n}",
                                 "moa.omega [1] " + from + " : !moa.array<[N], f64> -> <[N], f64> {\n^bb0(%c: !moa.array<[N], f64>):\n"
                                 "%s = moa.reduce \"max\" %c : <[N], f64> -> <[], f64>\n%t = moa.psi %s[] : <[], f64> -> f64\n"
                                 "%m = moa.map %c : !moa.array<[N], f64> -> <[N], f64> {\n^bb1(%x: f64):\n"
                                 "%y = moa.scalar sub(%x, %t) : f64, f64 -> f64\nmoa.yield %y : f64\n}\nmoa.yield %m : !moa.array<[N], f64>\n}"};
    out += to + " = " + words[i % 4] + "\n";
  }
  return out + "moa.return %v" + std::to_string(count - 1) + " : !moa.array<[N], f64>\n}\n";
}

TEST_F(Laws, AThousandWordsStaySmall) {
  size_t operations[2];
  for (unsigned round = 0; round < 2; ++round) {
    auto module = parseSourceString<ModuleOp>(chain(500 * (round + 1)), &context);
    ASSERT_TRUE(module);
    auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(run(*module, [](PassManager &manager) { addDnfPasses(manager); }));
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took.count(), 60.0);
    std::printf("[ INFO     ] %u words reduced in %.2f s\n", 500 * (round + 1), took.count());
    operations[round] = 0;
    module->walk([&](Operation *) { ++operations[round]; });
  }
  EXPECT_LT(operations[1], operations[0] * 5 / 2);
}
} // namespace
