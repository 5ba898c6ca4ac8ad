// Compiling, loading and calling, with the system's compiler and a cache of the test's own.
#include "frontend/HostCompiler.h"
#include "frontend/CallWrapper.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace moac;
namespace fs = std::filesystem;

namespace {

class HostCompilerTest : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "moac-host-" + std::to_string(getpid());
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    unsetenv("CC");
    compiler.emplace(HostCompiler::find());
    ASSERT_TRUE(*compiler) << compiler->error;
  }
  void TearDown() override {
    fs::remove_all(folder);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("CC");
  }

  unsigned cachedFiles() const {
    unsigned count = 0;
    if (fs::exists(folder + "/moac"))
      for (auto &entry : fs::directory_iterator(folder + "/moac"))
        count += entry.is_regular_file();
    return count;
  }

  const HostCompiler &host() const { return **compiler; }

  std::string folder;
  std::optional<Answer<HostCompiler>> compiler;
};

KernelSignature scaleSignature() {
  KernelSignature kernel;
  kernel.name = kernel.cName = "scale";
  kernel.symbols = {"N"};
  kernel.scalars = {{"a", ElementType::f32_}};
  kernel.inputs = {{"X", ElementType::f64_, {shape::Expr::name("N")}}};
  kernel.outputs = {{"Y", ElementType::f64_, {shape::Expr::name("N")}},
                    {"n", ElementType::i64_, {}}};
  return kernel;
}

const char *scaleText = R"(#include <stdint.h>
int scale(int64_t N, float a, const double *X, double *Y, int64_t *n) {
  if (N < 0) return -2;
  for (int64_t i = 0; i < N; ++i) Y[i] = a * X[i];
  *n = N;
  return 0;
}
)";

} // namespace

TEST_F(HostCompilerTest, kernelsAreCalledThroughTheirWrapper) {
  KernelSignature kernel = scaleSignature();
  auto library =
      host().load(scaleText + callWrapper(kernel), {"-Wall", "-Wextra", "-Wpedantic", "-Werror"});
  ASSERT_TRUE(library) << library.error;
  auto function = reinterpret_cast<KernelFunction>(library->symbol(callWrapperName(kernel)));
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(library->symbol("no_such_name"), nullptr);

  CallArguments arguments;
  arguments.symbols = {3};
  arguments.scalars.emplace_back(ElementType::f32_, HostShape{});
  arguments.scalars[0].set(0, 2);
  arguments.inputs.emplace_back(ElementType::f64_, HostShape{3});
  for (int k = 0; k < 3; ++k)
    arguments.inputs[0].set(k, k + 1);
  auto result = call(function, kernel, arguments);
  ASSERT_TRUE(result) << result.error;
  EXPECT_EQ(result->status, 0);
  EXPECT_EQ(result->outputs[0].get(2), 6);
  EXPECT_EQ(result->outputs[1].get(0), 3);

  arguments.symbols = {-1};
  EXPECT_FALSE(call(function, kernel, arguments)); // its output has no shape
}

TEST_F(HostCompilerTest, theSecondLoadCompilesNothing) {
  ASSERT_TRUE(host().load(scaleText));
  ASSERT_EQ(cachedFiles(), 1u);
  const fs::path entry = fs::directory_iterator(folder + "/moac")->path();
  const fs::file_time_type before = fs::last_write_time(entry);
  ASSERT_TRUE(host().load(scaleText));
  EXPECT_EQ(cachedFiles(), 1u);
  EXPECT_EQ(fs::last_write_time(entry), before);
  ASSERT_TRUE(host().load(std::string(scaleText) + "/* another */\n"));
  ASSERT_TRUE(host().load(scaleText, {"-O0"}));
  EXPECT_EQ(cachedFiles(), 3u);
}

TEST_F(HostCompilerTest, theCompilersWordsAreKept) {
  auto library = host().load("int f(void) { return undeclared_thing; }\n");
  ASSERT_FALSE(library);
  EXPECT_NE(library.error.find("undeclared_thing"), std::string::npos) << library.error;
  EXPECT_NE(library.error.find("-ffp-contract=fast"), std::string::npos) << library.error;
  EXPECT_EQ(cachedFiles(), 0u);
}

TEST_F(HostCompilerTest, aDamagedEntryIsReplaced) {
  ASSERT_TRUE(host().load(scaleText));
  for (auto &entry : fs::directory_iterator(folder + "/moac"))
    fs::resize_file(entry.path(), 10);
  auto library = host().load(scaleText);
  ASSERT_TRUE(library) << library.error;
  EXPECT_NE(library->symbol("scale"), nullptr);
}

TEST_F(HostCompilerTest, concurrentUsersShareTheCache) {
  std::vector<std::thread> threads;
  std::vector<int> loaded(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { loaded[t] = bool(host().load(scaleText)); });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(loaded, std::vector<int>(4, 1));
  EXPECT_EQ(cachedFiles(), 1u);
}

TEST_F(HostCompilerTest, withoutACacheItStillWorks) {
  setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
  auto library = host().load(scaleText);
  ASSERT_TRUE(library) << library.error;
  EXPECT_NE(library->symbol("scale"), nullptr);
}

TEST_F(HostCompilerTest, ccNamesTheCompiler) {
  setenv("CC", "gcc -DFACTOR=3", 1);
  auto named = HostCompiler::find();
  ASSERT_TRUE(named) << named.error;
  auto library = named->load("int f(void) { return FACTOR; }\n");
  ASSERT_TRUE(library) << library.error;
  EXPECT_EQ(reinterpret_cast<int (*)()>(library->symbol("f"))(), 3);
  setenv("CC", "no-such-compiler-anywhere", 1);
  auto missing = HostCompiler::find();
  EXPECT_FALSE(missing);
  EXPECT_NE(missing.error.find("no-such-compiler-anywhere"), std::string::npos);
}
