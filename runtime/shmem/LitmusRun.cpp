// LitmusRun.cpp: moac-litmus-run, litmus files on the runtime.
//
//   moac-litmus-run [--seeds N] [--first SEED] [--threads | --check] [--race-free]
//                   [--weak NAME]... FILE|FOLDER...
//   moac-launch -n P --chaos SEED moac-litmus-run [--seeds N] FILE|FOLDER...
//
// Executes each program once per seed under chaos: on coroutines, on threads, or, under the
// launcher, the programs of P PEs on processes. Exit code 1 when an outcome was seen that the model
// does not admit (all registers and all memory, not only what the condition asks), when a program
// hung that the model says completes, or (--weak) when one that may show a weak outcome did not;
// `--weak all` means every program whose verdict is `allowed` or `racy`, `--weak -NAME` leaves one
// out. --check runs with traces and asks the trace checker to flag exactly the racy programs.
// --race-free leaves the racy ones out, for a run under ThreadSanitizer, which rightly reports
// those. The last line counts.
#include "runtime/shmem/LitmusCheck.h"
#include "runtime/shmem/LitmusRunner.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

using namespace moac;
using namespace moac::shmem;
using model::Program;
using model::VerdictKind;

namespace {

struct Options {
  uint64_t seeds = 1000, first = 1;
  bool threads = false, check = false, raceFree = false;
  std::vector<std::string> weak, paths;
};

struct Totals {
  uint64_t programs = 0, skipped = 0, runs = 0, bad = 0, weak = 0, shown = 0;
};

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    auto number = [&](uint64_t &into) {
      return ++i < argc && (into = std::strtoull(argv[i], nullptr, 10)) > 0;
    };
    if (word == "--race-free")
      options.raceFree = true;
    else if (word == "--threads" || word == "--check")
      (word == "--check" ? options.check : options.threads) = true;
    else if (word == "--weak" && i + 1 < argc)
      options.weak.emplace_back(argv[++i]);
    else if (!word.starts_with("--"))
      options.paths.emplace_back(word);
    else if (!(word == "--seeds" && number(options.seeds)) &&
             !(word == "--first" && number(options.first)))
      return false;
  }
  return !options.paths.empty();
}

std::vector<Program> readFile(const std::string &path, bool &good) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::optional<model::SourceError> error;
  std::vector<Program> programs = model::parseLitmus(text.str(), path, error);
  if (!file || error)
    fmt::print(stderr, "{}\n", error ? error->str() : path + ": cannot be read");
  good = good && file && !error;
  return programs;
}

std::vector<Program> readAll(const std::vector<std::string> &paths, bool &good) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto &entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".litmus")
        files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Program> programs;
  for (const std::string &file : files)
    for (Program &program : readFile(file, good))
      programs.push_back(std::move(program));
  return programs;
}

/// A world serves many seeds; one that blocked has ended, and the next goes on behind its seed.
/// Returns how often that happened.
uint64_t runWorlds(const Program &program, const Layout &layout, const Options &options,
                   Tally &tally) {
  constexpr uint64_t perWorld = 1000;
  uint64_t blocked = 0;
  for (uint64_t seed = options.first, end = seed + options.seeds; seed < end;) {
    Plan plan = {seed, std::min(perWorld, end - seed), !options.threads, !options.threads,
                 mayBlock(program)};
    Job job = {program, layout, plan, tally};
    moac_shmem_run_options how = {};
    how.pes = program.pes;
    how.mode = options.threads ? MOAC_SHMEM_THREADS : MOAC_SHMEM_COROUTINES;
    how.heap_bytes = (2 * layout.words() + 8) * 8 + 4096;
    how.chaos_seed = seed;
    bool completed = moac_shmem_run(&how, runJob, &job) == MOAC_SHMEM_OK;
    blocked += !completed;
    seed = completed ? seed + plan.seeds : std::max<uint64_t>(tally.seed, seed) + 1;
  }
  return blocked;
}

bool mayBeWeak(const Program &program) {
  auto verdict = expectedVerdict(program);
  return program.conditionKind == model::ConditionKind::Exists &&
         (verdict == VerdictKind::Allowed || verdict == VerdictKind::Racy);
}

bool mustBeWeak(const Program &program, const Options &options) {
  auto named = [&](const std::string &name) {
    return std::find(options.weak.begin(), options.weak.end(), name) != options.weak.end();
  };
  return named(program.name) || (mayBeWeak(program) && named("all") && !named("-" + program.name));
}

/// What is wrong with the tally; empty if nothing is.
std::string complaint(const Program &program, const Options &options, const Tally &tally,
                      uint64_t blocked) {
  auto verdict = expectedVerdict(program);
  if (verdict == VerdictKind::Forbidden && tally.held != 0)
    return fmt::format("the forbidden outcome under seed {}", tally.heldSeed.load());
  if (verdict == VerdictKind::Holds && tally.missedSeed != 0)
    return fmt::format("the condition fails under seed {}", tally.missedSeed.load());
  if (blocked + tally.stuck != 0 && !mayBlock(program))
    return fmt::format("hangs, the last time under seed {}", tally.seed.load());
  if (!options.threads && tally.runs == tally.discarded && !mayBlock(program))
    return "no execution completed";
  if (tally.held == 0 && mustBeWeak(program, options))
    return "the weak outcome did not show";
  if (!verdict || *verdict == VerdictKind::Racy)
    return ""; // undefined: there is no such outcome
  model::Model model{judgedByComId(program) ? model::ModelKind::ComId : model::ModelKind::Paper};
  return foreignOutcome(program, Layout(program), tally, model);
}

void judge(const Program &program, const Options &options, const Tally &tally, uint64_t blocked,
           Totals &totals) {
  auto verdict = expectedVerdict(program);
  bool weak = mayBeWeak(program);
  std::string wrong = complaint(program, options, tally, blocked);
  blocked += tally.stuck;
  totals.weak += weak;
  totals.shown += weak && tally.held != 0;
  totals.bad += !wrong.empty();
  totals.runs += tally.runs;
  const char *how = mayBlock(program) ? "waited in vain" : "hung";
  std::string waits = blocked == 0 ? "" : fmt::format(" {} {}", how, blocked);
  fmt::print("{:<24} {:<10} runs {:>7} asked for {:>7} outcomes {:>3}{}{}{}\n", program.name,
             verdict ? model::verdictName(*verdict) : "-", tally.runs - tally.discarded,
             tally.held.load(), tally.outcomes.size(), waits,
             wrong.empty() ? "" : "  WRONG: ", wrong);
}

int summary(const Totals &totals, bool good) {
  fmt::print("{} programs, {} not run, {} runs, {} wrong; weak outcome shown by {} of {} programs "
             "that may\n",
             totals.programs, totals.skipped, totals.runs, totals.bad, totals.shown, totals.weak);
  return good && totals.bad == 0 ? 0 : 1;
}

/// The programs that have as many PEs as the job.
int onProcesses(Options options) {
  options.threads = true; // no schedule to choose: an `assume` may fail every time
  bool good = true;
  Totals totals;
  if (moac_shmem_init() != MOAC_SHMEM_OK) {
    fmt::print(stderr, "{}\n", moac_shmem_last_error());
    return 2;
  }
  for (const Program &program : readAll(options.paths, good)) {
    Layout layout(program);
    bool fits = program.pes == moac_shmem_n_pes() && layout.reason.empty() &&
                expectedVerdict(program) != VerdictKind::Blocked;
    totals.programs++;
    totals.skipped += !fits;
    if (!fits)
      continue;
    Tally tally;
    Plan plan = {options.first, options.seeds, false, false, mayBlock(program)};
    bool failed = runSeeds(program, layout, plan, tally) != MOAC_SHMEM_OK;
    if (moac_shmem_my_pe() == 0)
      judge(program, options, tally, failed, totals);
  }
  int code = moac_shmem_my_pe() == 0 ? summary(totals, good) : 0;
  moac_shmem_finalize();
  return code;
}

bool runnable(const Program &program, const Layout &layout, const Options &options) {
  std::string reason = layout.reason;
  if (options.check && reason.empty())
    reason = uncheckable(program);
  if (options.threads && expectedVerdict(program) == VerdictKind::Blocked)
    reason = "never completes";
  if (options.raceFree && expectedVerdict(program) == VerdictKind::Racy)
    reason = "races";
  if (!reason.empty())
    fmt::print("{:<24} not run: {}\n", program.name, reason);
  return reason.empty();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(
        stderr,
        "usage: {} [--seeds N] [--first SEED] [--threads | --check] [--race-free] [--weak NAME]... "
        "FILE|FOLDER...\n",
        argv[0]);
    return 2;
  }
  if (std::getenv("MOAC_SHMEM_FD") != nullptr)
    return onProcesses(options);
  bool good = true;
  Totals totals;
  for (const Program &program : readAll(options.paths, good)) {
    Layout layout(program);
    totals.programs++;
    if (!runnable(program, layout, options)) {
      totals.skipped++;
      continue;
    }
    if (options.check) {
      CheckResult result = checkProgram(program, layout, options.first, options.seeds);
      totals.runs += result.runs;
      totals.bad += !result.wrong.empty();
      fmt::print("{:<24} runs {:>4} flagged {:>4}{}{}\n", program.name, result.runs, result.flagged,
                 result.wrong.empty() ? "" : "  WRONG: ", result.wrong);
      continue;
    }
    Tally tally;
    uint64_t blocked = runWorlds(program, layout, options, tally);
    judge(program, options, tally, blocked, totals);
  }
  return summary(totals, good);
}
