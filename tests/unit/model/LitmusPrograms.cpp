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

void agreesOnRandomPrograms(unsigned rounds, TraceModel traces, const Model &model) {
  unsigned seed = std::random_device{}();
  int flagged = 0, racy = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    std::string source = randomProgram(seed + round, "", model.kind == ModelKind::ComId);
    Program program = parseOne(source);
    auto text = traceOfProgram(program, seed + round);
    if (!text)
      continue;
    bool isRacy = decide(program, model).kind == VerdictKind::Racy;
    bool isFlagged = !checked(*text, traces).findings.empty();
    racy += isRacy;
    flagged += isFlagged;
    ASSERT_TRUE(isRacy || !isFlagged) << "seed " << seed + round << "\n" << source << *text;
  }
  EXPECT_GT(flagged, racy / 2);
}

} // namespace moac::model::test
