// Random legal schedules on random programs mean the same as the formula, at several sizes and
// thread counts; see Differential.h for what is compared and RandomSchedule.h for what is legal.
//
// MOAC_SEED and MOAC_SCHEDULES choose another sequence or more of it; a failure prints the seed and
// the smallest program and schedule that still fail.
#include "tests/property/RandomSchedule.h"
#include "tests/property/Differential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

using namespace moac;
using namespace moac::property;

namespace {
Subject subjectOf(const ScheduledProgram &scheduled) {
  Subject subject{
      .kernel = scheduled.program.name, .text = scheduled.text(), .exact = scheduled.program.exact};
  subject.recomputes = scheduled.recomputes();
  subject.indexArrays.emplace("p", shape::Expr::name("M"));
  for (auto [m, n] : {std::pair(0, 3), {1, 1}, {3, 2}, {4, 7}, {5, 0}, {2, 17}, {13, 12}})
    subject.sizes.push_back({{"M", m}, {"N", n}});
  return subject;
}

/// The verb, and what else makes it another thing to build.
std::string kindOf(const std::string &directive) {
  std::string kind = directive.substr(0, directive.find(' '));
  for (const char *word : {" cyclic", " inline", " store", " at "})
    if (directive.find(word) != std::string::npos)
      kind += std::string(word).substr(0, std::string(word).find_last_not_of(' ') + 1);
  return kind == "reduce" ? kind + directive.substr(directive.find(':') + 1) : kind;
}

TEST(RandomSchedules, LegalOnesChangeNothing) {
  const uint64_t seed = setting("MOAC_SEED", 20261130), count = setting("MOAC_SCHEDULES", 30);
  constexpr uint64_t perFile = 15;
  Random random(seed);
  size_t directives = 0;
  std::map<std::string, size_t> kinds; // accepted: "lift", "lift cyclic", "place at", "reduce atomic"
  for (uint64_t start = 0; start < count; start += perFile) {
    std::vector<ScheduledProgram> programs;
    std::vector<Subject> subjects;
    for (uint64_t k = start; k < std::min(count, start + perFile); ++k) {
      std::string strange;
      programs.push_back(
          randomlyScheduled(randomProgram("k" + std::to_string(k), random), random, strange));
      EXPECT_EQ(strange, "") << "seed " << seed << "\n" << programs.back().text();
      subjects.push_back(subjectOf(programs.back()));
      directives += programs.back().directives.size();
      for (const std::string &directive : programs.back().directives)
        ++kinds[kindOf(directive)];
    }
    Batch batch = build(subjects);
    for (size_t k = 0; k < programs.size(); ++k) {
      std::string wrong =
          batch.failure.empty() ? examine(batch, subjects[k], seed) : judge(subjects[k], seed);
      if (!wrong.empty())
        ADD_FAILURE() << "seed " << seed << ": "
                      << shrinkFailure<ScheduledProgram>(
                             programs[k], wrong, seed, 120,
                             [](const ScheduledProgram &p) { return shrunk(p); }, subjectOf);
    }
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(directives, count) << "few directives are accepted";
  constexpr uint64_t enoughForAll = 600;
  for (const char *kind : {"lift", "lift cyclic", "order", "parallel", "lanes", "unroll", "place inline", "place store", "place at", "pack", "pack at", "reduce owner",
                           "reduce private", "reduce recompute", "reduce atomic"})
    EXPECT_TRUE(kinds[kind] > 0 || count < enoughForAll) << "no program has a '" << kind << "' of " << directives << " directives";
  if (std::getenv("MOAC_SHOW"))
    for (const auto &[kind, times] : kinds)
      fmt::print("{} {}\n", kind, times);
}
} // namespace
