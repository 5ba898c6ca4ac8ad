// LitmusRandomTest.cpp: random programs on the runtime against the checker. Data, order and flags are thrown together
// until the checker calls a program free of races; every outcome seen must then be one that the model admits,
// under any seed of the chaos engine, of late values and of copies. Litmus files are written by people who know what
// goes wrong; these are not.
#include "runtime/model/Search.h"
#include "runtime/shmem/LitmusCheck.h"
#include "runtime/shmem/LitmusRunner.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace moac;
using namespace moac::shmem;
using model::VerdictKind;

namespace {

using Random = std::mt19937;

// The same programs each time, unless MOAC_SEED asks for others.
unsigned firstSeed() {
  const char *given = std::getenv("MOAC_SEED");
  return given == nullptr ? 1 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

std::string oneOf(Random &random, std::initializer_list<const char *> words) {
  return words.begin()[random() % words.size()];
}

std::string statement(Random &random, int pe, int pes, int number) {
  std::string place = oneOf(random, {"x", "y"}) + "@" + std::to_string(random() % pes);
  std::string mine = oneOf(random, {"x", "y"}), flag = oneOf(random, {"f", "g"}), reg = "r" + std::to_string(number);
  std::string to = "@" + std::to_string((pe + 1 + random() % (pes - 1)) % pes);
  switch (random() % 32) {
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
  case 9:
    return "fence";
  case 10:
  case 11:
    return "quiet";
  case 12:
    return "put_signal " + oneOf(random, {"x", "y"}) + to + ", s, " + flag + oneOf(random, {" = 1", " += 1"});
  case 13:
    return "set " + flag + to + ", 1";
  case 14:
    return "fetch " + reg + ", " + flag + to;
  case 15:
    return "finc " + reg + ", " + flag + to;
  case 16:
    return "swap_nbi d" + std::to_string(number % 2) + ", " + flag + to + ", 1";
  case 17:
    return "get_nbi d" + std::to_string(number % 2) + ", " + place;
  case 22:
    return "st " + place + " = 2";
  case 23:
    return "ld " + reg + " = " + place;
  case 24:
    return "st." + oneOf(random, {"rlx", "rel"}) + " a@" + std::to_string(random() % pes) + " = 1";
  case 25:
    return "ld." + oneOf(random, {"rlx", "acq"}) + " " + reg + " = a@" + std::to_string(random() % pes);
  case 26:
    return "spin.acq a == 1";
  case 27:
    return "pe_quiet " + std::to_string(random() % pes);
  case 29:
  case 30:
    return "set_lock l@0; " + oneOf(random, {"put ", "put_nbi "}) + place + ", s; clear_lock l@0";
  case 31:
    return "set_lock l@0; g " + reg + ", " + place + "; clear_lock l@0";
  case 28:
    return "cswap " + reg + ", " + flag + to + ", 0, 1";
  case 18:
    return "test " + reg + ", " + flag + " >= 1";
  default:
    return "wait " + flag + " >= 1";
  }
}

/// Something for the end of the line: a context or an id, or nothing.
std::string suffix(Random &random, const std::string &statement, bool ids) {
  bool operation = !statement.starts_with("st") && !statement.starts_with("ld") && !statement.starts_with("spin") && !statement.starts_with("set_lock");
  bool takesContext = operation && !statement.starts_with("wait") && !statement.starts_with("test");
  if (ids)
    return oneOf(random, {"", " with com=C1", " with com=C1", " with com=C2"});
  return takesContext ? oneOf(random, {"", "", "", "", " with ctx=c", " with ctx=n"}) : "";
}

// Some programs have a collective, which all PEs call between the halves of what else they do.
std::string randomProgram(Random &random, bool ids) {
  int pes = 2 + static_cast<int>(random() % 2), number = 0;
  std::string text = "litmus random\n pes " + std::to_string(pes) + "; init s = 1, x = 0, y = 0, d0 = 0, d1 = 0\n" +
                     (ids ? " com C1, C2 under C1\n" : " ctx c; ctx n nostore\n");
  std::string meeting = random() % 3 == 0 ? oneOf(random, {"barrier", "sync", "quiet; sync", "broadcast x, s, 0", "reduce y, s", "fcollect all, s", "alltoall all, part", "reducescatter d0, part"}) : "";
  for (int pe = 0; pe < pes; ++pe) {
    text += "PE" + std::to_string(pe) + ":\n";
    int count = 2 + static_cast<int>(random() % (pes == 2 ? 4 : 3));
    for (int i = 0; i < count; ++i) {
      if (i == count / 2)
        text += " " + meeting + "\n";
      std::string line = statement(random, pe, pes, number++);
      text += " " + line + suffix(random, line, ids) + "\n";
    }
  }
  return text + (ids ? "expect comid race-free\n" : "");
}

model::Program parsed(const std::string &text) {
  std::optional<model::SourceError> error;
  auto programs = model::parseLitmus(text, "random", error);
  EXPECT_FALSE(error) << error->str() << "\n" << text;
  return programs.at(0);
}

void runSeeds(const model::Program &program, const Layout &layout, uint64_t first, uint64_t seeds, Tally &tally) {
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
}

struct Counts {
  int forbidden = 0, allowed = 0, shown = 0;
};

/// Whether an outcome was seen in which some observable had one value and another one another.
bool wasSeen(const Tally &tally, const size_t (&which)[2], const int64_t (&values)[2]) {
  for (auto &[outcome, seed] : tally.outcomes)
    if (outcome[which[0]] == values[0] && outcome[which[1]] == values[1])
      return true;
  return false;
}

/// Asks the model for the pair of values: those that it forbids were not seen, most of the others were.
void count(Random &random, const model::Program &program, const Layout &layout, const Tally &tally,
           const model::Model &model, Counts &counts) {
  auto observables = layout.observables(program);
  size_t which[2] = {random() % observables.size(), random() % observables.size()};
  int64_t values[2] = {static_cast<int64_t>(random() % 3), static_cast<int64_t>(random() % 3)};
  auto equal = [&](int i) {
    auto value = std::make_shared<model::Expr>();
    value->number = values[i];
    auto expr = std::make_shared<model::Expr>();
    expr->kind = model::ExprKind::Operator;
    expr->op = model::ExprOp::Eq;
    expr->lhs = observables[which[i]].atom;
    expr->rhs = value;
    return expr;
  };
  auto both = std::make_shared<model::Expr>();
  both->kind = model::ExprKind::Operator;
  both->op = model::ExprOp::LogicalAnd;
  both->lhs = equal(0);
  both->rhs = equal(1);
  model::Program asked = program;
  asked.conditionKind = model::ConditionKind::Exists;
  asked.condition = both;
  VerdictKind verdict = model::decide(asked, model).kind;
  bool seen = wasSeen(tally, which, values);
  counts.forbidden += verdict == VerdictKind::Forbidden;
  counts.allowed += verdict == VerdictKind::Allowed;
  counts.shown += verdict == VerdictKind::Allowed && seen;
}

void everyOutcomeIsAdmitted(bool ids, int rounds) {
  unsigned seed = firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  model::Model model{ids ? model::ModelKind::ComId : model::ModelKind::Paper};
  Counts counts;
  for (int round = 0; round < rounds; ++round) {
    std::string text = randomProgram(random, ids);
    model::Program program = parsed(text);
    if (model::decide(program, model).kind != VerdictKind::RaceFree)
      continue;
    Layout layout(program);
    ASSERT_EQ(layout.reason, "") << text;
    Tally tally;
    runSeeds(program, layout, 1 + static_cast<uint64_t>(round) * 1000, 200, tally);
    ASSERT_EQ(foreignOutcome(program, layout, tally, model), "") << text;
    for (int tries = 0; tries < 4; ++tries)
      count(random, program, layout, tally, model, counts);
  }
  EXPECT_GT(counts.forbidden, 100);
  EXPECT_GT(counts.shown, counts.allowed / 2); // the runs do reach what is there to be seen
  testing::Test::RecordProperty("forbidden", counts.forbidden);
  testing::Test::RecordProperty("allowed", counts.allowed);
  testing::Test::RecordProperty("shown", counts.shown);
}

} // namespace

TEST(LitmusRandom, everyOutcomeIsAdmitted) { everyOutcomeIsAdmitted(false, 3000); }

TEST(LitmusRandom, everyOutcomeIsAdmittedByCommunicationIds) { everyOutcomeIsAdmitted(true, 3000); }

// What the runtime writes down of a race-free program is not flagged.
TEST(LitmusRandom, tracesOfRaceFreeProgramsAreClean) {
  unsigned seed = firstSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  int checked = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text = randomProgram(random, false) + "expect paper race-free\n";
    model::Program program = parsed(text);
    model::Verdict verdict = model::decide(program, model::Model{});
    bool silent = text.find(".rel") != std::string::npos || text.find("test ") != std::string::npos; // leaves no record
    if (verdict.kind != VerdictKind::RaceFree || verdict.lost || silent || !uncheckable(program).empty())
      continue;
    CheckResult result = checkProgram(program, Layout(program), 1 + static_cast<uint64_t>(round), 2);
    if (result.wrong != "no execution completed") { // waits that are satisfied in some executions only
      ASSERT_EQ(result.wrong, "") << text;
    }
    checked += result.runs != 0;
  }
  EXPECT_GT(checked, 100);
}

// The runner would notice: an outcome that the model excludes is named with its seed.
TEST(LitmusRandom, anOutcomeThatIsNotAdmittedIsNamed) {
  model::Program program = parsed("litmus mp\n pes 2; init s = 1\nPE0: put x@1, s; fence; set f@1, 1\n"
                                  "PE1: wait f == 1; g r, x@1\n");
  Layout layout(program);
  Tally tally;
  runSeeds(program, layout, 1, 200, tally);
  ASSERT_EQ(tally.outcomes.size(), 1U);
  EXPECT_EQ(foreignOutcome(program, layout, tally, model::Model{}), "");
  std::vector<int64_t> other = tally.outcomes.begin()->first;
  auto observables = layout.observables(program);
  for (size_t i = 0; i < other.size(); ++i)
    if (observables[i].atom->kind == model::ExprKind::ThreadRegister)
      other[i] = 0;
  tally.outcomes.emplace(other, 77);
  EXPECT_EQ(foreignOutcome(program, layout, tally, model::Model{}),
            "an outcome that the model does not admit, under seed 77: 1:r=0 f@0=0 f@1=1 s@0=1 s@1=1 x@0=0 x@1=1");
}
