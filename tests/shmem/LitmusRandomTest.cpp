// LitmusRandomTest.cpp: random programs on the runtime against the checker. Data, order and flags are thrown together
// until the checker calls a program free of races and an outcome forbidden; that outcome must then never be seen,
// under any seed of the chaos engine, of late values and of copies. Litmus files are written by people who know what
// goes wrong; these are not.
#include "runtime/model/Search.h"
#include "runtime/shmem/LitmusRunner.h"

#include <gtest/gtest.h>
#include <random>

using namespace moac;
using namespace moac::shmem;
using model::VerdictKind;

namespace {

using Random = std::mt19937;

std::string oneOf(Random &random, std::initializer_list<const char *> words) {
  return words.begin()[random() % words.size()];
}

std::string statement(Random &random, int pe, int pes, int number) {
  std::string place = oneOf(random, {"x", "y"}) + "@" + std::to_string(random() % pes);
  std::string mine = oneOf(random, {"x", "y"}), flag = oneOf(random, {"f", "g"}), reg = "r" + std::to_string(number);
  std::string to = "@" + std::to_string((pe + 1 + random() % (pes - 1)) % pes);
  switch (random() % 16) {
  case 0:
    return "put " + place + ", s";
  case 1:
    return "put_nbi " + place + ", s";
  case 2:
    return "get d" + std::to_string(number % 2) + ", " + place;
  case 3:
    return "g " + reg + ", " + place;
  case 4:
    return "st " + mine + " = 2";
  case 5:
    return "ld " + reg + " = " + mine;
  case 6:
    return "st s = 2";
  case 7:
  case 8:
    return "fence";
  case 9:
  case 10:
    return "quiet";
  case 11:
    return "put_signal " + oneOf(random, {"x", "y"}) + to + ", s, " + flag + " = 1";
  case 12:
    return "set " + flag + to + ", 1";
  case 13:
    return "fetch " + reg + ", " + flag + to;
  default:
    return "wait " + flag + " == 1";
  }
}

std::string randomProgram(Random &random) {
  int pes = 2 + static_cast<int>(random() % 2), number = 0;
  std::string text = "litmus random\n pes " + std::to_string(pes) + "; init s = 1, x = 0, y = 0, d0 = 0, d1 = 0\n";
  for (int pe = 0; pe < pes; ++pe) {
    text += "PE" + std::to_string(pe) + ":\n";
    for (int i = 0, n = 2 + static_cast<int>(random() % (pes == 2 ? 4 : 3)); i < n; ++i)
      text += " " + statement(random, pe, pes, number++) + "\n";
  }
  return text;
}

/// What could be seen at the end: registers, and the words of all PEs.
std::vector<std::string> observations(const model::Program &program) {
  std::vector<std::string> seen;
  for (const model::Thread &thread : program.threads)
    for (const model::Statement &s : thread.body)
      if (!s.reg.empty())
        seen.push_back(std::to_string(thread.pe) + ":" + s.reg);
  for (int pe = 0; pe < program.pes; ++pe)
    for (const char *word : {"x", "y", "d0", "d1"})
      seen.push_back(word + ("@" + std::to_string(pe)));
  return seen;
}

model::Program parsed(const std::string &text) {
  std::optional<model::SourceError> error;
  auto programs = model::parseLitmus(text, "random", error);
  EXPECT_FALSE(error) << error->str() << "\n" << text;
  return programs.at(0);
}

uint64_t timesSeen(const model::Program &program, uint64_t first, uint64_t seeds) {
  Layout layout(program);
  Tally tally;
  for (uint64_t seed = first, end = first + seeds; seed < end;) {
    Job job = {program, layout, {seed, end - seed, true, true, false}, tally};
    moac_shmem_run_options how = {};
    how.pes = program.pes;
    how.mode = MOAC_SHMEM_COROUTINES;
    how.heap_bytes = (2 * layout.words() + 8) * 8 + 4096;
    how.chaos_seed = seed;
    bool completed = moac_shmem_run(&how, runJob, &job) == MOAC_SHMEM_OK;
    seed = completed ? end : std::max<uint64_t>(tally.seed, seed) + 1; // a wait that nobody satisfied
  }
  return tally.held;
}

} // namespace

TEST(LitmusRandom, forbiddenOutcomesAreNeverSeen) {
  unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int forbidden = 0, allowed = 0, shown = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = randomProgram(random);
    if (model::decide(parsed(text), model::Model{}).kind != VerdictKind::RaceFree)
      continue;
    auto seen = observations(parsed(text));
    for (int tries = 0; tries < 4; ++tries) {
      std::string condition = "exists ";
      for (int i = 0; i < 2; ++i)
        condition += (i ? " && " : "") + seen[random() % seen.size()] + " == " + std::to_string(random() % 3);
      model::Program program = parsed(text + condition + "\n");
      VerdictKind verdict = model::decide(program, model::Model{}).kind;
      uint64_t times = timesSeen(program, 1 + round * 1000, 100);
      forbidden += verdict == VerdictKind::Forbidden;
      allowed += verdict == VerdictKind::Allowed;
      shown += verdict == VerdictKind::Allowed && times != 0;
      if (verdict == VerdictKind::Forbidden)
        ASSERT_EQ(times, 0U) << text << condition;
    }
  }
  EXPECT_GT(forbidden, 100);
  EXPECT_GT(shown, allowed / 2); // the runs do reach what is there to be seen
  RecordProperty("forbidden", forbidden);
  RecordProperty("allowed", allowed);
  RecordProperty("shown", shown);
}
