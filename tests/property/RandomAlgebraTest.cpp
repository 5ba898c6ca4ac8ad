// Random programs over the whole language, in both forms, through every stage.
//
// The program of a seed does not depend on the others, so [MOAC_SEED, MOAC_SEED + MOAC_PROGRAMS)
// names the same programs on every machine. MOAC_JOBS children share them; a failure is printed
// with its seed as the smallest legal program that still fails, and the run goes on. MOAC_SECONDS
// of the processor are given to a child. MOAC_SHOW=1 prints the programs instead of running them.
#include "tests/property/Algebra.h"
#include "tests/property/Differential.h"
#include "tests/property/Workers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

using namespace moac;
using namespace moac::property;

namespace {
/// Shapes of all values of a term, for its cost.
void collect(const Term &term, std::vector<shape::Expr> &totals) {
  if (!term.shape.empty())
    totals.push_back(total(term.shape));
  for (const Slot &slot : term.slots)
    collect(*slot.term, totals);
}

Subject subjectOf(const AlgebraProgram &program) {
  Subject subject{
      .kernel = program.kernel.name, .text = program.text(), .exact = program.kernel.exact};
  for (const Parameter &parameter : program.kernel.parameters)
    if (parameter.below)
      subject.indexArrays.emplace(parameter.name, *parameter.below);
  std::vector<shape::Expr> totals;
  for (const Parameter &parameter : program.kernel.parameters)
    totals.push_back(total(parameter.shape));
  for (const Statement &statement : program.kernel.statements) {
    totals.push_back(total(statement.shape));
    collect(*statement.value, totals);
  }
  subject.elements = [totals](const SymbolSizes &sizes) {
    SymbolSizes all = sizes;
    for (const char *symbol : {"M", "N", "K"})
      all.try_emplace(symbol, 0);
    double most = 0;
    for (const shape::Expr &count : totals)
      most = std::max(most, static_cast<double>(count.evaluate(all).value_or(0)));
    return most;
  };
  return subject;
}

constexpr std::string_view skipped = "skipped seed ";

/// What is left of `findings` without the lines of programs that were skipped, which `count` counts.
std::string withoutSkipped(const std::string &findings, uint64_t &count) {
  std::istringstream lines(findings);
  std::string rest;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(skipped))
      ++count;
    else
      rest += line + "\n";
  return rest;
}

constexpr uint64_t chunk = 20; ///< programs that are compiled together

/// Of every four chunks one is optimised more, and one as users do: what a compiler may assume of the text shows there.
std::string optimisationOf(uint64_t seed) {
  constexpr const char *levels[] = {"-O1", "-O2", "-O1", "-O3"};
  return levels[seed / chunk % std::size(levels)];
}

/// Findings on the programs of some seeds, compiled together if they can be.
std::string examineRange(uint64_t from, uint64_t to) {
  std::vector<AlgebraProgram> programs;
  std::vector<Subject> subjects;
  for (uint64_t seed = from; seed < to; ++seed) {
    programs.push_back(algebraProgram(seed, fmt::format("_{}", seed - from)));
    subjects.push_back(subjectOf(programs.back()));
  }
  std::string findings;
  const std::string optimisation = optimisationOf(from);
  Batch batch = build(subjects, optimisation);
  for (size_t k = 0; k < programs.size(); ++k) {
    const uint64_t seed = programs[k].seed;
    std::string wrong =
        batch.failure.empty() ? examine(batch, subjects[k], seed)
                              : judge(subjects[k], seed, nullptr, optimisation);
    if (wrong.empty())
      continue;
    if (isUnforeseen(wrong)) {
      findings += fmt::format("{}{}: {}\n", skipped, seed, failureKind(wrong));
      continue;
    }
    const int budget = static_cast<int>(setting("MOAC_SHRINK", 400));
    findings += fmt::format(
        "seed {}: {}\n", seed,
        shrinkFailure<AlgebraProgram>(programs[k], wrong, seed, budget, shrunk, subjectOf, optimisation));
  }
  return findings;
}

TEST(RandomAlgebra, EveryStageMeansTheSame) {
  const uint64_t seed = setting("MOAC_SEED", 20261200), count = setting("MOAC_PROGRAMS", 60);
  if (setting("MOAC_SHOW", 0)) {
    for (uint64_t k = seed; k < seed + count; ++k)
      fmt::print("# seed {}\n{}\n", k, algebraProgram(k, fmt::format("_{}", k - seed)).text());
    return;
  }
  const auto jobs = static_cast<unsigned>(setting("MOAC_JOBS", 1));
  uint64_t refused = 0, reports = 0;
  const auto seconds = static_cast<unsigned>(setting("MOAC_SECONDS", 240));
  runRanges(seed, count, chunk, jobs, seconds, examineRange, [&](const std::string &text) {
    fmt::print("{}\n", text);
    std::fflush(stdout);
    reports += !withoutSkipped(text, refused).empty();
  });
  EXPECT_EQ(reports, 0u) << "of seeds " << seed << " to " << seed + count;
  EXPECT_LE(refused, 1 + count / 200) << "programs were refused";
}

/// A program that shrinks is legal, and smaller.
TEST(RandomAlgebra, ShrinkingKeepsProgramsLegal) {
  unsigned tried = 0;
  for (uint64_t seed = 1; seed < 12; ++seed) {
    std::vector<AlgebraProgram> smaller = shrunk(algebraProgram(seed, ""));
    for (size_t k = 0; k < smaller.size() && k < 40; k += 13, ++tried)
      EXPECT_LT(smaller[k].text().size(), algebraProgram(seed, "").text().size() + 60);
  }
  EXPECT_GT(tried, 10u);
}
} // namespace
