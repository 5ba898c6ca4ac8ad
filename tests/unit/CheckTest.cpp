// `check` itself, against kernels written by hand: a right one passes, and each way of being wrong
// is found.
#include "frontend/Check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <unistd.h>

using namespace moac;

namespace {

/// A program of one kernel, `pick(x: f32[N], t: i64[M]) -> y: f32[M]`: y[j] = 2 * x[t[j]]. Its C
/// text is given.
class PickProgram : public Program {
public:
  explicit PickProgram(std::string text) : text(std::move(text)) {
    KernelSignature kernel;
    kernel.name = kernel.cName = "pick";
    kernel.symbols = {"N", "M"};
    kernel.inputs = {{"x", ElementType::f32_, {shape::Expr::name("N")}},
                     {"t", ElementType::i64_, {shape::Expr::name("M")}}};
    kernel.outputs = {{"y", ElementType::f32_, {shape::Expr::name("M")}}};
    signatures = {kernel};
  }

  bool hasErrors() const override { return false; }
  std::string diagnostics() const override { return ""; }
  const std::vector<KernelSignature> &kernels() const override { return signatures; }
  Answer<std::string> print(Stage, const std::string &) override { return std::string(); }
  Answer<std::string> explain(const std::string &, const std::string &) override {
    return std::string();
  }
  Answer<EmittedSource> emit(const EmitOptions &) override {
    return EmittedSource{"", "#include <stdint.h>\n" + text, ".c"};
  }
  std::vector<std::string> verify(const EmitOptions &, const EmittedSource &,
                                  reading::CReader) override {
    return {};
  }
  bool admits(const std::string &, const std::vector<int64_t> &,
              const std::vector<HostArray> &) override {
    return true;
  }
  double innermostIterations(const std::string &, const std::vector<int64_t> &s) override {
    return static_cast<double>(s[1]);
  }
  Answer<InterpretResult> interpret(const std::string &, Stage stage,
                                    const CallArguments &arguments) override {
    if (arguments.symbols[1] > mostInterpreted)
      return Answer<InterpretResult>::failure(outOfPatience);
    InterpretResult result;
    OracleArray y{ElementType::f32_, {arguments.symbols[1]}, {}, {}};
    for (int64_t j = 0; j < arguments.symbols[1]; ++j) {
      long double index = arguments.inputs[1].get(j);
      if (index < 0 || index >= static_cast<long double>(arguments.symbols[0])) {
        result.status = -4;
        return result;
      }
      long double value = 2 * arguments.inputs[0].get(static_cast<int64_t>(index));
      y.values.push_back(stage == wrongStage ? value + 1 : value);
      y.bounds.push_back(static_cast<double>(std::fabs(value)) * 0x1p-24);
    }
    result.operations = static_cast<double>(arguments.symbols[1]);
    result.outputs = {y};
    return result;
  }

  std::optional<Stage> wrongStage;
  int64_t mostInterpreted = 1000000; ///< of M

private:
  std::string text;
  std::vector<KernelSignature> signatures;
};

class CheckTest : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "moac-check-" + std::to_string(getpid());
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    unsetenv("CC");
  }
  void TearDown() override {
    std::filesystem::remove_all(folder);
    unsetenv("XDG_CACHE_HOME");
  }

  static std::string kernel(const std::string &store) {
    return "int pick(int64_t N, int64_t M, const float *x, const int64_t *t, float *y) {\n"
           "  for (int64_t j = 0; j < M; ++j) if (t[j] < 0 || t[j] >= N) return -4;\n"
           "#pragma omp parallel for\n"
           "  for (int64_t j = 0; j < M; ++j) { " +
           store + " }\n  return 0;\n}\n";
  }

  CheckReport run(const std::string &store, CheckOptions options = {}) {
    PickProgram program(kernel(store));
    return check(program, program.kernels()[0], options);
  }

  std::string folder;
};

} // namespace

TEST_F(CheckTest, aRightKernelPasses) {
  CheckOptions options;
  options.stages = true;
  options.batch = {"M"};
  CheckReport report = run("y[j] = 2 * x[t[j]];", options);
  EXPECT_TRUE(report.passed) << report.failure;
  EXPECT_GE(report.cases, 45u);
  // Index data was found: only sizes without a valid index (N = 0, M > 0) are refused.
  EXPECT_EQ(report.refused, 6u);
  EXPECT_EQ(report.worst, 0);
}

TEST_F(CheckTest, sizesThatTakeTooLongAreLeftOut) {
  PickProgram program(kernel("y[j] = 2 * x[t[j]]; if (j == 100) y[j] = 0;"));
  program.mostInterpreted = 33;
  CheckReport report = check(program, program.kernels()[0], {});
  EXPECT_TRUE(report.passed) << report.failure;
  EXPECT_GT(report.tooLong, 0u);
  EXPECT_LT(report.tooLong, report.cases);
  program.mostInterpreted = -1;
  report = check(program, program.kernels()[0], {});
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.failure.find("at all sizes"), std::string::npos) << report.failure;
}

TEST_F(CheckTest, aSmallErrorIsMeasured) {
  CheckReport report = run("y[j] = 2 * x[t[j]] * (1 + 0x1p-22f);");
  EXPECT_TRUE(report.passed) << report.failure;
  EXPECT_GT(report.worst, 2);
  EXPECT_NE(report.worstPlace.find("y<"), std::string::npos) << report.worstPlace;
}

TEST_F(CheckTest, aLargeErrorIsFound) {
  CheckReport report = run("y[j] = 2 * x[t[j]]; if (j == 32) y[j] *= 1 + 0x1p-20f;");
  EXPECT_FALSE(report.passed);
  EXPECT_NE(report.failure.find("y<32> is"), std::string::npos) << report.failure;
  EXPECT_NE(report.failure.find("seed 1"), std::string::npos) << report.failure;
}

TEST_F(CheckTest, anUnwrittenElementIsFound) {
  EXPECT_FALSE(run("if (j != 5) y[j] = 2 * x[t[j]];").passed);
}

TEST_F(CheckTest, aWriteBesideTheOutputIsFound) {
  CheckReport report = run("y[j] = 2 * x[t[j]]; if (j == 2) y[M] = 0;");
  EXPECT_NE(report.failure.find("wrote outside output 'y'"), std::string::npos) << report.failure;
}

TEST_F(CheckTest, aWriteIntoAnInputIsFound) {
  CheckReport report = run("y[j] = 2 * x[t[j]]; ((float *)x)[0] += 1;");
  EXPECT_NE(report.failure.find("input 'x'"), std::string::npos) << report.failure;
}

TEST_F(CheckTest, aResultThatDependsOnThreadsIsFound) {
  PickProgram program("int omp_get_max_threads(void);\n" +
                      kernel("y[j] = 2 * x[t[j]] * (1 + (omp_get_max_threads() - 1) * 0x1p-23f);"));
  CheckReport report = check(program, program.kernels()[0], {});
  EXPECT_NE(report.failure.find("different bits"), std::string::npos) << report.failure;
}

TEST_F(CheckTest, aResultThatDependsOnAnEnclosingRegionIsFound) {
  std::string text = kernel("y[j] = 2 * x[t[j]] * (1 + depth * 0x1p-23f);");
  text.insert(text.find("float *y) {") + 11, " int depth = omp_get_level();");
  PickProgram program("int omp_get_level(void);\n" + text);
  CheckReport report = check(program, program.kernels()[0], {});
  EXPECT_NE(report.failure.find("inside a parallel region"), std::string::npos) << report.failure;
}

TEST_F(CheckTest, aResultThatDependsOnTheBatchIsFound) {
  CheckOptions options;
  options.batch = {"M"};
  CheckReport report = run("y[j] = 2 * x[t[j]] * (1 + (M > 16) * 0x1p-23f);", options);
  EXPECT_NE(report.failure.find("alone differs"), std::string::npos) << report.failure;
}

TEST_F(CheckTest, aWrongStatusIsFound) {
  PickProgram program(
      "int pick(int64_t N, int64_t M, const float *x, const int64_t *t, float *y) {\n"
      "  for (int64_t j = 0; j < M; ++j) y[j] = N ? 2 * x[t[j]] : 0;\n  return 0;\n}\n");
  CheckReport report = check(program, program.kernels()[0], {});
  EXPECT_NE(report.failure.find("returned status 0 where the interpreter gives -4"),
            std::string::npos)
      << report.failure;
}

TEST_F(CheckTest, aDisagreeingStageIsFound) {
  PickProgram program(kernel("y[j] = 2 * x[t[j]];"));
  program.wrongStage = Stage::Onf;
  CheckOptions options;
  EXPECT_TRUE(check(program, program.kernels()[0], options).passed);
  options.stages = true;
  CheckReport report = check(program, program.kernels()[0], options);
  EXPECT_EQ(report.failure.substr(0, 5), "onf: ") << report.failure;
}

TEST_F(CheckTest, textThatDoesNotCompileIsReported) {
  CheckReport report = run("y[j] = nonsense;");
  EXPECT_NE(report.failure.find("nonsense"), std::string::npos) << report.failure;
}

TEST(CheckCompare, specialValues) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  HostArray got(ElementType::f64_, {4});
  OracleArray want{ElementType::f64_, {4}, {1, 1, 1, 1}, {0.5, 0.5, 0.5, 0.5}};
  auto error = [&](double g, double w, double bound) {
    int64_t place = 0;
    for (int64_t k = 0; k < 4; ++k)
      got.set(k, 1);
    got.set(3, g);
    want.values[3] = w, want.bounds[3] = bound;
    return worstError(got, want, place);
  };
  EXPECT_EQ(error(inf, inf, 0), 0);
  EXPECT_EQ(error(nan, nan, 0), 0);
  EXPECT_EQ(error(0.0, -0.0, 0), 0);
  EXPECT_EQ(error(3, 2, 0.5), 2);
  EXPECT_EQ(error(3, 2, inf), 0);
  EXPECT_EQ(error(2, nan, 0.1), inf);
  EXPECT_EQ(error(nan, 2, 0.1), inf);
  EXPECT_EQ(error(-inf, inf, 0.1), inf);
  EXPECT_EQ(error(2, 3, 0), inf);
  EXPECT_EQ(indexText({2, 3, 4}, 23), "<1 2 3>");
  EXPECT_EQ(indexText({}, 0), "<>");
}
