// LitmusCheck.cpp: see LitmusCheck.h. Each run is a world of its own, which writes its trace to a
// temporary folder; the model library reads it back.
#include "runtime/shmem/LitmusCheck.h"
#include "runtime/model/TraceCheck.h"
#include "runtime/shmem/LitmusWalker.h"

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

/// The PEs' files as one trace; empty text if it is well-formed. The runtime knows no tree of
/// communication ids, so the program's comes first.
std::string readBack(const std::string &folder, const Program &program, Trace &trace) {
  std::string tree = "moac-trace 1\npes " + std::to_string(program.pes) + "\n";
  for (const ComId &id : program.comIds)
    tree += "com " + std::to_string(comNumber(program, id.name)) + " under " +
            std::to_string(comNumber(program, id.parent)) + "\n";
  std::optional<SourceError> error = readTrace(tree, "ids", trace);
  for (int pe = 0; pe < program.pes && !error; ++pe) {
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

/// A model that the file has a verdict of, and how often traces were flagged by it.
struct Judge {
  TraceModel model;
  bool racy;
  uint64_t flagged = 0;
};

std::vector<Judge> judgesOf(const Program &program) {
  std::vector<Judge> judges;
  for (auto [model, traces] :
       {std::pair{ModelKind::Paper, TraceModel::Paper}, {ModelKind::ComId, TraceModel::ComId}})
    if (auto verdict = expectedVerdict(program, model))
      judges.push_back({traces, verdict == VerdictKind::Racy});
  return judges;
}

/// What is wrong with the judge's opinion of a trace; empty if nothing is.
std::string complaint(Judge &judge, const Trace &trace) {
  TraceReport report = checkTrace(trace, judge.model);
  judge.flagged += !report.findings.empty();
  if (!report.problems.empty())
    return report.problems[0];
  return !judge.racy && !report.findings.empty() ? advice(trace, report.findings[0]) : "";
}

} // namespace

std::string uncheckable(const Program &program) {
  auto verdict = expectedVerdict(program);
  if (!verdict)
    return "no verdict of model paper or comid";
  if (verdict == VerdictKind::Blocked)
    return "never completes";
  for (const Context &context : program.contexts)
    if (!context.domain.empty())
      return "the runtime has one atomicity domain";
  for (const Thread &thread : program.threads) {
    if (thread.index != 0)
      return "what threads of a PE tell each other leaves no record";
    if (anyStatement(thread.body, [](const Statement &s) {
          return s.kind == StatementKind::LanguageFence || s.kind == StatementKind::Rmw;
        }))
      return "fences and read-modify-writes of the language leave no record";
  }
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
  std::vector<Judge> judges = judgesOf(program);
  bool racy = std::any_of(judges.begin(), judges.end(), [](const Judge &j) { return j.racy; });
  auto open = [&] {
    return std::any_of(judges.begin(), judges.end(),
                       [](const Judge &j) { return j.racy && j.flagged == 0; });
  };
  // A race shows in the executions that have both accesses; some are rare. Runs that hang do not
  // count.
  uint64_t patience = racy ? 2000 * seeds : mayBlock(program) ? 50 * seeds : seeds;
  auto wanted = [&](uint64_t done) { return done < patience && (result.runs < seeds || open()); };
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
    result.wrong = readBack(folder, program, trace);
    for (Judge &judge : judges)
      if (result.wrong.empty())
        result.wrong = complaint(judge, trace);
    if (!result.wrong.empty())
      result.wrong = "seed " + std::to_string(seed) + ": " + result.wrong;
    ++result.runs;
  }
  if (result.wrong.empty() && result.runs == 0)
    result.wrong = "no execution completed";
  if (result.wrong.empty() && result.runs != 0 && open())
    result.wrong = "the race was not reported";
  for (const Judge &judge : judges)
    result.flagged = std::max(result.flagged, judge.flagged);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return result;
}

} // namespace moac::shmem
