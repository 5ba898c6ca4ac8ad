// Random programs in index form over two symbols and fixed arrays, through every stage; see
// Differential.h.
//
// MOAC_SEED and MOAC_PROGRAMS choose another sequence or more of it; a failure prints the seed and
// the smallest program that still fails.
#include "tests/property/RandomProgram.h"
#include "tests/property/Differential.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace moac;
using namespace moac::property;

namespace {
Subject subjectOf(const RandomProgram &program) {
  Subject subject{.kernel = program.name, .text = program.text(), .exact = program.exact};
  subject.indexArrays.emplace("p", shape::Expr::name("M"));
  for (auto [m, n] : {std::pair(0, 3), {1, 1}, {3, 2}, {4, 7}, {5, 0}, {2, 17}, {33, 3}})
    subject.sizes.push_back({{"M", m}, {"N", n}});
  return subject;
}

TEST(RandomPrograms, EveryStageMeansTheSame) {
  const uint64_t seed = setting("MOAC_SEED", 20261130), count = setting("MOAC_PROGRAMS", 120);
  constexpr uint64_t perFile = 40;
  Random random(seed);
  for (uint64_t start = 0; start < count; start += perFile) {
    std::vector<RandomProgram> programs;
    for (uint64_t k = start; k < std::min(count, start + perFile); ++k)
      programs.push_back(randomProgram("k" + std::to_string(k), random));
    std::vector<Subject> subjects;
    std::ranges::transform(programs, std::back_inserter(subjects), subjectOf);
    Batch batch = build(subjects);
    for (size_t k = 0; k < programs.size(); ++k) {
      std::string wrong =
          batch.failure.empty() ? examine(batch, subjects[k], seed) : judge(subjects[k], seed);
      if (!wrong.empty())
        ADD_FAILURE() << "seed " << seed << ": "
                      << shrinkFailure<RandomProgram>(programs[k], wrong, seed, 120, shrunk,
                                                      subjectOf);
    }
    if (testing::Test::HasFailure())
      return;
  }
}
} // namespace
