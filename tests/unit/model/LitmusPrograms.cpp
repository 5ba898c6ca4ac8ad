// See LitmusPrograms.h.
#include "tests/unit/model/LitmusPrograms.h"
#include "runtime/model/Search.h"
#include "runtime/model/TraceFromLitmus.h"
#include "tests/unit/model/LitmusFolder.h"
#include "tests/unit/model/RandomProgram.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace moac::model::test {

std::vector<Program> litmusPrograms() {
  std::vector<Program> programs;
  for (const auto &entry : std::filesystem::directory_iterator(litmusFolder())) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    std::string content = text.str();
    std::optional<SourceError> error;
    for (Program &program : parseLitmus(content, entry.path().filename().string(), error))
      programs.push_back(std::move(program));
    EXPECT_FALSE(error) << error->str();
  }
  return programs;
}

TraceReport checked(const std::string &text, TraceModel model) {
  Trace trace;
  auto error = readTrace(text, "trace", trace);
  EXPECT_FALSE(error) << error->str() << "\n" << text;
  auto invalid = validateTrace(trace, "trace");
  EXPECT_FALSE(invalid) << invalid->message << "\n" << text;
  return checkTrace(trace, model);
}

// Whether hb_api of a run, built as it is defined, leaves two conflicting accesses unordered.
bool isRacy(const PlayedRun &run, const Model &model) {
  const Graph &graph = run.graph;
  auto so = languageSync(graph, run.rf);
  BitMatrix language = languageHappensBefore(graph, so), ordered(graph.size());
  for (int id = 0; id < relationSets(graph, model); ++id) {
    BitMatrix hb(graph.size());
    for (const auto &edges : {so, preservedOrder(graph, model), apiRelations(graph, model, language, id)})
      for (const Edge &edge : edges)
        hb.set(edge.from, edge.to);
    for (auto [from, to] : graph.opOrder)
      hb.set(from, to);
    for (int load = 0; load < graph.size(); ++load)
      if (run.rf[load] >= 0 && synchronises(graph, model, run.rf[load], load, id))
        hb.set(run.rf[load], load);
    hb.close();
    for (int a = 0; a < graph.size(); ++a)
      for (int b = 0; b < graph.size(); ++b)
        if (hb.test(a, b))
          ordered.set(a, b);
  }
  for (int a = 0; a < graph.size(); ++a)
    for (int b = 0; b < a; ++b)
      if (graph.event(a).isAccess() && graph.event(b).isAccess() && graph.event(a).partner != b &&
          conflict(graph.event(a), graph.event(b)) && !ordered.test(a, b) && !ordered.test(b, a))
        return true;
  return false;
}

void agreesOnRandomPrograms(unsigned rounds, TraceModel traces, const Model &model) {
  unsigned seed = std::random_device{}();
  int flagged = 0, clean = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    std::string source = randomProgram(seed + round, "", model.kind == ModelKind::ComId);
    Program program = parseOne(source);
    auto run = playProgram(program, seed + round);
    if (!run)
      continue;
    bool isFlagged = !checked(run->trace, traces).findings.empty();
    ++(isFlagged ? flagged : clean);
    ASSERT_EQ(isFlagged, isRacy(*run, model)) << "seed " << seed + round << "\n" << source << run->trace;
    if (isFlagged)
      ASSERT_EQ(verdictName(decide(program, model).kind), "racy") << source << run->trace;
  }
  EXPECT_GT(flagged, 0);
  EXPECT_GT(clean, 0);
}

} // namespace moac::model::test
