// Offsets beyond 32 bits, and which way inner loops run; see wide.moa.
#include "tests/cases/CaseFile.h"
#include "tests/cases/Fences.h"

#include "frontend/CallWrapper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

using namespace moac;
using namespace moac::property;

namespace {
std::string wideText() {
  std::ifstream file(std::string(MOAC_TEST_CASES) + "/wide.moa");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class WideArrays : public testing::Test {
protected:
  static void SetUpTestSuite() {
    batch = std::make_unique<Batch>(build({Subject{.kernel = "", .text = wideText()}}));
  }
  static void TearDownTestSuite() { batch.reset(); }
  void SetUp() override { ASSERT_EQ(batch->failure, ""); }

  /// Calls a kernel on an array of these extents that holds `bits` in its last element and zeros
  /// before; gives the bits of the result.
  template <class T>
  T last(const std::string &name, std::vector<int64_t> extents, T bits,
         const void *second = nullptr) {
    const KernelSignature *kernel = nullptr;
    for (const KernelSignature &candidate : batch->program->kernels())
      if (candidate.name == name)
        kernel = &candidate;
    if (!kernel) {
      ADD_FAILURE() << name;
      return {};
    }
    size_t count = 1;
    for (int64_t extent : extents)
      count *= static_cast<size_t>(extent);
    Fenced memory(count * sizeof(T), true);
    if (!memory.data()) {
      ADD_FAILURE() << "the address space has no " << count << " elements";
      return bits;
    }
    std::memcpy(memory.data() + (count - 1) * sizeof(T), &bits, sizeof(T));
    T result[2]{};
    const void *inputs[] = {memory.data(), second};
    void *outputs[] = {result};
    auto function =
        reinterpret_cast<KernelFunction>(batch->library->symbol(callWrapperName(*kernel)));
    EXPECT_EQ(function(extents.data(), nullptr, inputs, outputs), 0);
    return result[0];
  }

  static std::unique_ptr<Batch> batch;
};
std::unique_ptr<Batch> WideArrays::batch;

// F57: a mask of 8 * 28 * 4096 * 4096 bytes; F61: third stride 3355443200, and 2^32 bytes.
TEST_F(WideArrays, BytesBeyondThirtyTwoBits) {
  EXPECT_EQ(last<uint8_t>("last_byte", {8, 28, 4096, 4096}, 7), 7);
  EXPECT_EQ(last<uint8_t>("last_byte", {3, 1, 81920, 40960}, 9), 9);
  EXPECT_EQ(last<uint8_t>("last_byte", {1, 4096, 4096, 256}, 5), 5);
}

// F58: a product of extents made in 32 bits before it is widened; F61: offsets in bytes that are
// larger than those in elements.
TEST_F(WideArrays, ProductsOfExtentsAndByteOffsets) {
  // The kernel gives f32: read the pattern through a buffer of twice the width.
  const uint16_t one = 0x3f80;
  EXPECT_EQ(last<uint16_t>("last_half", {8300, 128, 16, 128}, one), 0) << "low half of 1.0f";
  EXPECT_EQ(last<float>("last_single", {1 << 10, 1 << 10, 1 << 9, 1}, 2.5f), 2.5f);
  EXPECT_EQ(last<double>("last_double", {1 << 9, 1 << 9, 1 << 10, 1}, 2.5), 2.5);
}

// F59: a batch stride that fits, times a batch that makes it not fit; F60: a batch stride of 2^30.
TEST_F(WideArrays, StridesOfBatches) {
  EXPECT_EQ(last<float>("last_single", {320, 1, 2560, 3072}, 1.5f), 1.5f);
  EXPECT_EQ(last<float>("last_single", {5, 1 << 10, 1 << 10, 1 << 10}, 1.5f), 1.5f);
  std::vector<float> ones(3072, 2.0f);
  EXPECT_EQ(last<float>("last_row", {320, 1, 2560, 3072}, 1.5f, ones.data()), 3.0f);
  EXPECT_EQ(last<float>("last_column", {3072, 2560, 1, 320}, 1.5f, ones.data()), 3.0f);
}

TEST_F(WideArrays, PositionsInAll) {
  EXPECT_EQ(last<uint8_t>("flat", {8, 28, 4096, 4096}, 7), 7);
  const int64_t at[] = {7, 27, 4095, 4095};
  EXPECT_EQ(last<uint8_t>("looked_up", {8, 28, 4096, 4096}, 7, at), 7);
}

/// The emitted text counts in 64 bits everywhere, and never widens what was computed narrowly.
TEST(EmittedIndices, AreSixtyFourBitsWide) {
  for (const char *file : {"wide", "algebra", "attention", "scheduling"}) {
    std::unique_ptr<Program> program =
        Program::load(fmt::format("{}/{}.moa", MOAC_TEST_CASES, file), {});
    ASSERT_FALSE(program->hasErrors()) << program->diagnostics();
    EmitOptions options;
    options.standalone = true;
    Answer<EmittedSource> source = program->emit(options);
    ASSERT_TRUE(source) << source.error;
    EXPECT_TRUE(std::regex_search(source->source, std::regex(R"(for \(int64_t )")));
    std::smatch found;
    EXPECT_FALSE(std::regex_search(source->source, found,
                                   std::regex(R"(for \((int|unsigned|int32_t|long|size_t) )")))
        << found.str();
    EXPECT_FALSE(std::regex_search(source->source, found, std::regex(R"(\(int64_t\)\([^)]*\*)")))
        << found.str();
  }
}

/// The loop that runs innermost is that of the result's last axis, for transposed operands too.
TEST(EmittedLoops, EndWithUnitStride) {
  Batch batch = build({Subject{.kernel = "t",
                               .text = "kernel t(A: f64[M, N], B: f64[N, M]) -> C: f64[M, N] {\n"
                                       "  C[row, column] = A[row, column] + B[column, row]\n}\n"}});
  ASSERT_EQ(batch.failure, "");
  EmitOptions options;
  options.standalone = true;
  Answer<EmittedSource> source = batch.program->emit(options);
  ASSERT_TRUE(source) << source.error;
  const size_t row = source->source.rfind("for (int64_t row"),
               column = source->source.rfind("for (int64_t column");
  ASSERT_NE(row, std::string::npos);
  ASSERT_NE(column, std::string::npos);
  EXPECT_LT(row, column);
}

/// Slices and stages that reach outside are refused when it is certain, B20.
TEST(Refusals, WindowsThatReachOutside) {
  const std::pair<const char *, const char *> cases[] = {
      {"kernel k(x: f32[4]) -> y: f32[6] { y = x[0:6] }\n", "[slice-outside]"},
      {"kernel k(x: f32[4]) -> y: f32[6] { y = 6 take x }\n", "[count-too-large]"},
      {"kernel k(x: f32[2]) -> y: f32[8] { y[i] = x[i] }\n", "[axis-too-short]"},
      {"kernel k(x: f32[N]) -> y: f32[N] { y[i] = x[i + 1] }\n", "[out-of-range]"},
      {"kernel k(x: f64[2, 3]) -> y: f64[7] { y = <7> reshape x }\n", "[totals-differ]"},
  };
  for (auto [text, kind] : cases) {
    Batch batch = build({Subject{.kernel = "k", .text = text}});
    EXPECT_EQ(failureKind(batch.failure), kind) << batch.failure;
  }
}
} // namespace
