// LitmusRun.cpp: moac-litmus-run, litmus files on the runtime.
//
//   moac-litmus-run [--seeds N] [--rounds N] [--first SEED] [--threads] [--must-show NAME]...
//   FILE|FOLDER... moac-launch -n P moac-litmus-run [--rounds N] FILE NAME       one program, on
//   processes
//
// Per seed a fresh world of coroutines (or threads) under chaos executes each program `rounds`
// times. Exit code 1 when an outcome was seen that the model forbids, when a program never
// completed that should, or when a --must-show program never showed its weak outcome; the last line
// counts.
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
  uint64_t seeds = 100, rounds = 1, first = 1;
  bool threads = false;
  std::vector<std::string> mustShow, paths;
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
    if (word == "--seeds"    ? !number(options.seeds)
        : word == "--rounds" ? !number(options.rounds)
        : word == "--first"  ? !number(options.first)
                             : false)
      return false;
    if (word == "--threads")
      options.threads = true;
    else if (word == "--must-show" && ++i < argc)
      options.mustShow.emplace_back(argv[i]);
    else if (!word.starts_with("--"))
      options.paths.emplace_back(word);
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

struct Job {
  const Program &program;
  const Layout &layout;
  uint64_t rounds;
  Tally &tally;
};

void runJob(void *argument) {
  auto *job = static_cast<Job *>(argument);
  runRounds(job->program, job->layout, job->rounds, job->tally);
}

/// How often the program blocked.
uint64_t runSeeds(const Program &program, const Layout &layout, const Options &options,
                  Tally &tally) {
  uint64_t blocked = 0;
  for (uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
    Job job = {program, layout, options.rounds, tally};
    moac_shmem_run_options how = {};
    how.pes = program.pes;
    how.mode = options.threads ? MOAC_SHMEM_THREADS : MOAC_SHMEM_COROUTINES;
    how.heap_bytes = (layout.words() + 1) * 8 + 4096;
    how.chaos_seed = seed;
    blocked += moac_shmem_run(&how, runJob, &job) != MOAC_SHMEM_OK;
  }
  return blocked;
}

void judge(const Program &program, const Options &options, const Tally &tally, uint64_t blocked,
           Totals &totals) {
  auto verdict = expectedVerdict(program);
  uint64_t counted = tally.runs - tally.discarded;
  bool forbidden = verdict == VerdictKind::Forbidden && tally.held != 0;
  bool violated = verdict == VerdictKind::Holds && tally.held != counted;
  // A wait for equality can miss a value that passes by; the model only speaks of executions that
  // complete.
  bool stuck = counted == 0 && blocked != 0 && verdict != VerdictKind::Blocked;
  bool weak = program.conditionKind == model::ConditionKind::Exists &&
              (verdict == VerdictKind::Allowed || verdict == VerdictKind::Racy);
  bool demanded = std::find(options.mustShow.begin(), options.mustShow.end(), program.name) !=
                  options.mustShow.end();
  totals.weak += weak;
  totals.shown += weak && tally.held != 0;
  bool bad = forbidden || violated || stuck || (demanded && tally.held == 0);
  totals.bad += bad;
  totals.runs += tally.runs;
  fmt::print("{:<24} {:<10} runs {:>7} outcome {:>7}{}{}\n", program.name,
             verdict ? model::verdictName(*verdict) : "-", counted, tally.held.load(),
             blocked != 0 ? fmt::format(" blocked {}", blocked) : "", bad ? "  WRONG" : "");
}

int onProcesses(const Options &options) {
  bool good = true;
  Tally tally;
  for (const Program &program : readFile(options.paths[0], good)) {
    if (options.paths.size() < 2 || program.name != options.paths[1])
      continue;
    Layout layout(program);
    if (moac_shmem_init() != MOAC_SHMEM_OK || moac_shmem_n_pes() != program.pes ||
        !layout.reason.empty())
      return 2;
    moac_shmem_status status = runRounds(program, layout, options.rounds, tally);
    Totals totals;
    if (moac_shmem_my_pe() == 0)
      judge(program, options, tally, status != MOAC_SHMEM_OK, totals);
    moac_shmem_finalize();
    return totals.bad != 0;
  }
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr,
               "usage: {} [--seeds N] [--rounds N] [--first SEED] [--threads] [--must-show NAME] "
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
    if (!layout.reason.empty()) {
      fmt::print("{:<24} not run: {}\n", program.name, layout.reason);
      totals.skipped++;
      continue;
    }
    Tally tally;
    uint64_t blocked = runSeeds(program, layout, options, tally);
    judge(program, options, tally, blocked, totals);
  }
  fmt::print("{} programs, {} not run, {} runs, {} wrong; weak outcome shown by {} of {} programs "
             "that may\n",
             totals.programs, totals.skipped, totals.runs, totals.bad, totals.shown, totals.weak);
  return good && totals.bad == 0 ? 0 : 1;
}
