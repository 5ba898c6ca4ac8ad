// The second reader agrees with what the compiler prints: examples, test programs, random programs.
// And named changes to the text are found, with the level and the numbers in the message.
#include "tests/property/RandomProgram.h"
#include "tests/unit/verify/VerifyPrograms.h"

#include <gtest/gtest.h>

using namespace moac;
using namespace moac::test;

namespace {

TEST(Verify, ExamplesAreWhatWasAnalysed) {
  const std::vector<std::string> files = moaFiles(MOAC_EXAMPLES);
  ASSERT_GE(files.size(), 8u);
  for (const std::string &file : files)
    for (bool standalone : {false, true}) {
      const EmittedProgram emitted = emitFile(file, standalone);
      ASSERT_TRUE(emitted.program) << file;
      EXPECT_EQ(joined(differences(emitted, emitted.source.source)), "") << file;
    }
}

TEST(Verify, TestProgramsAreWhatWasAnalysed) {
  unsigned seen = 0;
  for (const std::string &file : moaFiles(MOAC_PROGRAMS_FOLDER)) {
    const EmittedProgram emitted = emitFile(file);
    if (!emitted.program) // needs what the compiler does not have yet
      continue;
    ++seen;
    EXPECT_EQ(joined(differences(emitted, emitted.source.source)), "") << file;
  }
  EXPECT_GE(seen, 4u);
}

TEST(Verify, RandomProgramsAreWhatWasAnalysed) {
  const char *chosen = std::getenv("MOAC_SEED");
  const uint64_t seed = chosen ? std::strtoull(chosen, nullptr, 10) : 20261130;
  const char *wanted = std::getenv("MOAC_PROGRAMS");
  const uint64_t count = wanted ? std::strtoull(wanted, nullptr, 10) : 80;
  Random random(seed);
  for (uint64_t start = 0; start < count; start += 20) {
    std::string text;
    for (uint64_t k = start; k < std::min(count, start + 20); ++k)
      text += property::randomProgram("k" + std::to_string(k), random).text() + "\n";
    const EmittedProgram emitted = emitText(text);
    ASSERT_TRUE(emitted.program) << "seed " << seed << "\n" << text;
    const std::string wrong = joined(differences(emitted, emitted.source.source));
    EXPECT_EQ(wrong, "") << "seed " << seed << "\n" << text << emitted.source.source;
    if (!wrong.empty())
      return;
  }
}

/// A kernel with a team, lanes, a reduction, scratch memory and checked subscripts.
const char *const sample = R"(
kernel mix(A: f64[M, K], B: f64[K, N], p: i64[M], a: f64) -> C: f64[M, N] {
  T[i, j] = max[k](A[i, k] * B[k, j])
  s[i] = max[j](T[i, j])
  C[i, j] = exp(T[i, j] - s[i]) / (a + T[p[i], j])
}
)";

struct Change {
  const char *what, *from, *to;
  const char *said; // in the message
};

class NamedChange : public testing::TestWithParam<Change> {};

TEST_P(NamedChange, IsFound) {
  static const EmittedProgram emitted = emitText(sample);
  ASSERT_TRUE(emitted.program);
  std::string text = emitted.source.source;
  ASSERT_EQ(joined(differences(emitted, text)), "");
  const size_t at = text.find(GetParam().from);
  ASSERT_NE(at, text.npos) << text;
  text.replace(at, std::string_view(GetParam().from).size(), GetParam().to);
  const std::string found = joined(differences(emitted, text));
  EXPECT_NE(found.find(GetParam().said), found.npos) << found;
}

INSTANTIATE_TEST_SUITE_P(
    Verify, NamedChange,
    testing::Values(
        Change{"RemovedSimd", "#pragma omp simd\n", "\n", "directive 'directives' printed"},
        Change{"RemovedTeam", "#pragma omp parallel for", "//", "analysed"},
        Change{"ExtraLoad", "A[i*K + k] * B[k*N + j]", "A[i*K + k] * B[k*N + j] * A[0]",
               "2 of 'load A' printed, 1 analysed"},
        Change{"ChangedOperator", "A[i*K + k] * B[k*N + j]", "A[i*K + k] + B[k*N + j]",
               "0 of 'mul f64' printed, 1 analysed"},
        Change{"ChangedSubscript", "A[i*K + k] * B[k*N + j]", "A[i*K + k] * B[k*N + i]",
               "'i' printed, 'j' analysed"},
        Change{"SwappedArrays", "A[i*K + k] * B[k*N + j]", "B[i*K + k] * A[k*N + j]",
               "'[] B(add i64"},
        Change{"LostLoop", "for (int64_t k = 0; k < K; ++k) {", "{ int64_t k = 0;",
               "'block' is printed where 'for k up' was analysed"},
        Change{"ShorterLoop", "k < K; ++k", "k < K - 1; ++k",
               "'sub i64(K, 1)' printed, 'K' analysed"},
        Change{"LongerLoop", "k < K; ++k", "k <= K; ++k", "unknown loop"},
        Change{"Step", "k < K; ++k", "k < K; k += 2", "'by(K, 2)' printed"},
        Change{"Float", "value = moac_exp_down_f64(", "value = moac_exp_down_f64((float)", "'to f32"},
        Change{"Warning", "if (M < 0", "int unused; if (M < 0", "clang: kernels.c"},
        Change{"Syntax", "if (M < 0", "if ((M < 0", "clang: kernels.c"},
        Change{"LostCheck", "if (M < 0 || ", "if (", "a negative 'M' is not refused"},
        Change{"LostNull", "(B == NULL", "(A == NULL", "a null 'B' is not refused"},
        Change{"Bytes", "const size_t B_bytes = sizeof(double) * K * N",
               "const size_t B_bytes = sizeof(double) * K * M", "'B_bytes' is"},
        Change{"Status", "MOAC_INDEX = -4", "MOAC_INDEX = -3", "the constant 'MOAC_INDEX'"},
        Change{"Support", "b != b ? b : larger", "b != b ? a : larger", "is not as moac defines it"},
        Change{"Stranger", "// Kernels of", "int extra(void) { return 0; }\n// Kernels of",
               "'extra' belongs to no kernel"},
        Change{"Global", "// Kernels of", "int extra;\n// Kernels of",
               "is not part of any kernel"}),
    [](const auto &info) { return std::string(info.param.what); });

} // namespace
