// The fuzzers without libFuzzer: replays files, or mutates them for a while.
//
//     moac-fuzz-replay [--verify] PATH...                 every file under the paths, through to C
//     moac-fuzz-replay --mutate COUNT [--seed N] PATH...  that many mutants of them
//     moac-fuzz-replay --dictionary                       the words, for libFuzzer's -dict
//
// An input that takes half a minute of the processor counts as a hang. `--keep FILE` holds the input that
// is being run, so that a crash leaves it behind. Files may hold several cases in the form of the
// error lists in tests/unit (`=== title`, source, `---`, messages).
#include "tests/fuzz/FuzzPipeline.h"
#include "tests/fuzz/Mutator.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/time.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace moac::fuzz;

namespace {

constexpr long secondsForOne = 30;

struct Options {
  bool verify = false;
  unsigned long mutants = 0;
  uint64_t seed = 20261130;
  std::string keep;
  std::vector<std::string> paths;
};

void addCases(const std::string &text, std::vector<std::string> &corpus) {
  if (text.compare(0, 4, "=== ") != 0) {
    corpus.push_back(text);
    return;
  }
  std::istringstream lines(text);
  bool source = false;
  for (std::string line; std::getline(lines, line);) {
    const bool opens = line.compare(0, 4, "=== ") == 0;
    if (opens)
      corpus.emplace_back();
    else if (source && line != "---")
      corpus.back() += line + "\n";
    source = (source || opens) && line != "---";
  }
}

std::vector<std::string> readCorpus(const std::vector<std::string> &paths) {
  std::set<fs::path> files;
  for (const std::string &path : paths)
    if (fs::is_directory(path)) {
      for (const auto &entry : fs::recursive_directory_iterator(path))
        if (entry.is_regular_file() && entry.path().extension() == ".moa")
          files.insert(entry.path());
    } else {
      files.insert(path);
    }
  std::vector<std::string> corpus;
  for (const fs::path &file : files) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    addCases(text.str(), corpus);
  }
  return corpus;
}

/// Asks for onTimer after that much time of the processor; 0 withdraws it.
void setTimer(long seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// True if nothing went wrong.
bool runOne(const std::string &text, const Options &options, unsigned long &accepted) {
  if (!options.keep.empty())
    std::ofstream(options.keep, std::ios::binary) << text;
  setTimer(secondsForOne);
  const Outcome outcome = translate(text, Goal::C, options.verify ? moac::reading::readC : nullptr);
  setTimer(0);
  accepted += outcome.accepted;
  if (outcome.fault.empty())
    return true;
  fmt::print("fault: {}\nin the program\n{}\n\n", outcome.fault, text);
  return false;
}

int replay(const Options &options) {
  const std::vector<std::string> corpus = readCorpus(options.paths);
  unsigned long faults = 0, accepted = 0, count = corpus.size();
  if (options.mutants == 0)
    for (const std::string &text : corpus)
      faults += !runOne(text, options, accepted);
  else if (!corpus.empty()) {
    Mutator mutator(options.seed);
    for (const std::string &text : corpus)
      mutator.add(text);
    for (count = 0; count < options.mutants; ++count)
      faults += !runOne(mutator.next(), options, accepted);
  }
  fmt::print("{} inputs, {} accepted, {} faults, seed {}\n", count, accepted, faults, options.seed);
  return faults != 0 || count == 0;
}

void onTimer(int) {
  static const char message[] = "an input takes too long; it is in the file of --keep\n";
  [[maybe_unused]] const auto written = write(2, message, sizeof message - 1);
  _exit(1);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] { return i + 1 < words.size() ? words[++i] : std::string("0"); };
    if (words[i] == "--dictionary") {
      for (const std::string &word : vocabulary())
        fmt::print("\"{}\"\n", word);
      return 0;
    }
    if (words[i] == "--verify")
      options.verify = true;
    else if (words[i] == "--mutate")
      options.mutants = std::strtoul(value().c_str(), nullptr, 10);
    else if (words[i] == "--seed")
      options.seed = std::strtoull(value().c_str(), nullptr, 10);
    else if (words[i] == "--keep")
      options.keep = value();
    else
      options.paths.push_back(words[i]);
  }
  std::signal(SIGPROF, onTimer);
  return replay(options);
}
