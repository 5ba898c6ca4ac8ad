// Children by fork, their findings through files; see Workers.h.
#include "tests/property/Workers.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <deque>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace moac::property;

namespace {
struct Range {
  uint64_t from, to;
};
struct Child {
  Range range;
  std::FILE *findings;
};

std::string contents(std::FILE *file) {
  std::string text;
  char buffer[4096];
  std::rewind(file);
  for (size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;)
    text.append(buffer, got);
  std::fclose(file);
  return text;
}

[[noreturn]] void work(const Range &range, const RangeTest &test, unsigned seconds,
                       std::FILE *findings) {
  // Seconds of the processor: a machine that is busy with other work makes no hang. What waits for
  // ever gets an alarm.
  const rlimit most{seconds, seconds + 5};
  setrlimit(RLIMIT_CPU, &most);
  alarm(4 * seconds);
  std::string found;
  try {
    found = test(range.from, range.to);
  } catch (...) {
    _exit(1); // the parent sees it; the tests that follow are not this child's
  }
  std::fwrite(found.data(), 1, found.size(), findings);
  std::fflush(findings);
  _exit(0); // nothing of the parent's is to be finished twice
}
} // namespace

unsigned moac::property::runRanges(uint64_t first, uint64_t count, uint64_t chunk, unsigned jobs,
                                   unsigned seconds, const RangeTest &test,
                                   const std::function<void(const std::string &)> &report) {
  std::deque<Range> waiting;
  for (uint64_t from = first; from < first + count; from += chunk)
    waiting.push_back({from, std::min(from + chunk, first + count)});
  std::map<pid_t, Child> running;
  unsigned reports = 0;
  auto tell = [&](const std::string &text) {
    ++reports;
    report(text);
  };
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < std::max(1u, jobs)) {
      const Range range = waiting.front();
      waiting.pop_front();
      std::FILE *findings = std::tmpfile();
      const pid_t child = findings ? fork() : -1;
      if (child == 0)
        work(range, test, seconds, findings);
      if (child < 0) {
        tell("cannot start a child");
        return reports;
      }
      running[child] = {range, findings};
    }
    int status = 0;
    const pid_t ended = wait(&status);
    const auto found = running.find(ended);
    if (found == running.end())
      continue;
    const auto [range, findings] = found->second;
    running.erase(found);
    if (const std::string text = contents(findings); !text.empty())
      tell(text);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    if (range.to - range.from == 1)
      tell(fmt::format("seed {}: {}\n", range.from,
                       !WIFSIGNALED(status) ? "ended by an exception"
                       : WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU
                           ? "takes too long"
                           : strsignal(WTERMSIG(status))));
    for (uint64_t seed = range.from; range.to - range.from > 1 && seed < range.to; ++seed)
      waiting.push_back({seed, seed + 1});
  }
  return reports;
}
