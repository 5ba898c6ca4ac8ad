// LitmusCheck.cpp: see LitmusCheck.h. Each run is a world of its own, which writes its trace to a
// temporary folder; the model library reads it back.
#include "runtime/shmem/LitmusCheck.h"
#include "runtime/model/TraceCheck.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace moac::shmem {

using namespace model;

namespace {

bool anyStatement(const std::vector<Statement> &body, bool (*holds)(const Statement &)) {
  return std::any_of(body.begin(), body.end(), [&](const Statement &s) {
    return holds(s) || anyStatement(s.body, holds) || anyStatement(s.otherwise, holds);
  });
}

/// The PE's files as one trace; empty text if it is well-formed.
std::string readBack(const std::string &folder, int pes, Trace &trace) {
  std::optional<SourceError> error;
  for (int pe = 0; pe < pes && !error; ++pe) {
    char name[32];
    std::snprintf(name, sizeof name, "/pe-%04d.moat", pe);
    std::ifstream file(folder + name);
    std::stringstream text;
    text << file.rdbuf();
    std::string content = text.str();
    error = readTrace(content, name, trace);
  }
  if (!error)
    error = validateTrace(trace, folder);
  return error ? error->message : "";
}

} // namespace

std::string uncheckable(const Program &program) {
  auto verdict = expectedVerdict(program);
  bool paper = std::any_of(program.expectations.begin(), program.expectations.end(),
                           [](const Expectation &e) {
                             return e.model == Model{} && e.verdict != VerdictKind::MayBlock;
                           });
  if (!verdict || !paper)
    return "no verdict of model paper";
  if (verdict == VerdictKind::Blocked)
    return "never completes";
  for (const Context &context : program.contexts)
    if (!context.domain.empty())
      return "the runtime has one atomicity domain";
  for (const Thread &thread : program.threads)
    if (anyStatement(thread.body, [](const Statement &s) {
          return s.kind == StatementKind::LanguageFence || s.kind == StatementKind::Rmw;
        }))
      return "fences and read-modify-writes of the language leave no record";
  return "";
}

CheckResult checkProgram(const Program &program, const Layout &layout, uint64_t first,
                         uint64_t seeds) {
  CheckResult result;
  // The tail is what mkdtemp replaces.
  std::string pattern =
      std::filesystem::temp_directory_path() / ("moac-litmus-" + std::string(6, 'X'));
  char *folder = pattern.data();
  if (mkdtemp(folder) == nullptr) {
    result.wrong = "no folder for traces";
    return result;
  }
  bool racy = expectedVerdict(program) == VerdictKind::Racy;
  // A race shows in the executions that have both accesses; some are rare.
  uint64_t patience = racy ? 2000 * seeds : seeds;
  auto wanted = [&](uint64_t done) {
    return done < seeds || (done < patience && result.flagged == 0);
  };
  for (uint64_t seed = first; wanted(seed - first) && result.wrong.empty(); ++seed) {
    Tally tally;
    Job job = {program, layout, {seed, 1, false, false, false}, tally};
    moac_shmem_run_options how = {};
    how.pes = program.pes;
    how.mode = MOAC_SHMEM_COROUTINES;
    how.heap_bytes = (2 * layout.words() + 8) * 8 + 4096;
    how.chaos_seed = seed;
    how.trace = folder;
    if (moac_shmem_run(&how, runJob, &job) != MOAC_SHMEM_OK)
      continue; // it hung; other seeds will do
    Trace trace;
    result.wrong = readBack(folder, program.pes, trace);
    if (!result.wrong.empty())
      break;
    TraceReport report = checkTrace(trace);
    ++result.runs;
    result.flagged += !report.findings.empty();
    if (!racy && !report.findings.empty())
      result.wrong = "seed " + std::to_string(seed) + ": " + advice(trace, report.findings[0]);
    if (!report.problems.empty())
      result.wrong = "seed " + std::to_string(seed) + ": " + report.problems[0];
  }
  if (result.wrong.empty() && result.runs == 0 && !mayBlock(program))
    result.wrong = "no execution completed";
  if (result.wrong.empty() && racy && result.runs != 0 && result.flagged == 0)
    result.wrong = "the race was not reported";
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return result;
}

} // namespace moac::shmem
