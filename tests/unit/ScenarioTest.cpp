// Scenarios: the arithmetic on numbers done by hand, the choice among candidates, and what is said of wrong descriptions.
#include "ir/Scenario.h"

#include <gtest/gtest.h>

using namespace moac;
using namespace moac::scenario;

namespace {
const char *const small = R"({"name": "s", "decimals": 1, "baseline": {"time": 100, "idle": 0.5},
  "candidates": [
    {"name": "a", "resources": {"threads": 64, "registers_per_thread": 100, "shared": [1024, 40000]},
     "recovered": [0.2, 0.4], "overhead": [1, 3], "facts": {"safe": true}, "claims": {"projected low": "81.0", "projected high": "92.9"}},
    {"name": "b", "resources": {"threads": 64, "registers": 20000, "shared": 0}, "recovered": 0.5, "overhead": 0, "facts": {"safe": false}},
    {"name": "c", "resources": {"threads": 33, "registers": 1, "shared": 0}, "recovered": 0.1, "overhead": 0}],
  "gates": [{"name": "safety", "quantity": "safe", "is": true}, {"name": "time", "quantity": "projected low", "at_most_of_baseline": 0.96}],
  "end_to_end": {"total": 10, "share": 4, "speedups": [{"name": "double", "speedup": 2}]}})";

const Machine gpu = [] {
  Machine m;
  m.kind = "gpu";
  m.axes = {{"sm", 4}, {"warp", 16}, {"lane", 32}};
  m.memories = {{"registers", 262144, 4, 1, 1024}, {"shared", 102400, 128, 1, 1, 1024}};
  return m;
}();

Scenario read(const std::string &text) {
  ScenarioAnswer answer = parseScenario(text, "s.json");
  EXPECT_TRUE(answer.scenario) << answer.error;
  return answer.scenario.value_or(Scenario());
}

std::string with(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string &from, const std::string &to) {
  ScenarioAnswer answer = parseScenario(with(small, from, to), "s.json");
  EXPECT_FALSE(answer.scenario);
  return answer.error;
}

TEST(Scenario, ProjectsRangesByHand) {
  Outcome o = evaluate(read(small), gpu);
  EXPECT_DOUBLE_EQ(o.candidates[0]["projected low"], 81);
  EXPECT_DOUBLE_EQ(o.candidates[0]["projected high"], 93);
  EXPECT_DOUBLE_EQ(o.candidates[1]["complete low"], 75);
  EXPECT_DOUBLE_EQ(o.endToEnd["share"], 0.4);
  EXPECT_DOUBLE_EQ(o.speedups[0]["total"], 8);
  EXPECT_DOUBLE_EQ(o.speedups[0]["whole speedup"], 1.25);
}

TEST(Scenario, ResidencyIsWhatTheScarcestResourceAllows) {
  Outcome o = evaluate(read(small), gpu);
  // 100 registers of 32 lanes are 12800 B, 13 units of 1 KiB: 9 blocks of two warps. Warps allow 8, shared memory 50 and 2.
  EXPECT_EQ(o.candidates[0]["resident high"], 8);
  EXPECT_EQ(o.candidates[0]["resident low"], 2);
  EXPECT_EQ(o.candidates[0]["warps"], 4);
  EXPECT_EQ(o.candidates[1]["resident low"], 3); // 262144 / 80000
  EXPECT_EQ(o.candidates[2]["resident low"], 8); // 33 threads are two warps
  EXPECT_FALSE(evaluate(read(small), Machine()).candidates[0].contains("warps"));
}

TEST(Scenario, GatesRejectAndUnknownNumbersStayOpen) {
  Outcome o = evaluate(read(small), gpu);
  EXPECT_EQ(o.verdicts[0][0].kind, Verdict::Kind::Passed);
  EXPECT_EQ(o.verdicts[1][0].kind, Verdict::Kind::Rejected);
  EXPECT_EQ(o.verdicts[2][0].kind, Verdict::Kind::Open);
  EXPECT_DOUBLE_EQ(o.verdicts[2][1].limit, 96);
  EXPECT_EQ(o.winner, 0U); // b is faster, but rejected
  EXPECT_EQ(o.runnerUp, 2U);
  o = evaluate(read(with(small, "\"at_most_of_baseline\": 0.96", "\"below\": 95")), gpu);
  EXPECT_EQ(o.verdicts[2][1].kind, Verdict::Kind::Rejected); // 95 is not below 95
  EXPECT_FALSE(o.runnerUp);
}

TEST(Scenario, ComparesClaimsDigitForDigit) {
  Outcome o = evaluate(read(small), gpu);
  ASSERT_EQ(o.claims.size(), 2U);
  EXPECT_FALSE(o.claims[0].agrees());
  EXPECT_EQ(o.claims[0].what, "a, projected high");
  EXPECT_EQ(o.claims[0].computed, "93.0");
  EXPECT_TRUE(o.claims[1].agrees());
}

TEST(Scenario, SaysWhatIsWrong) {
  EXPECT_EQ(complaint("\"idle\": 0.5", "\"idle\": 63"), "s.json: baseline.idle: expected a share from 0 to 1, found 63\n");
  EXPECT_EQ(complaint("[1, 3]", "[3, 1]"), "s.json: candidates[0].overhead: expected the lower end first, found [3,1]\n");
  EXPECT_EQ(complaint("[1, 3]", "\"few\""), "s.json: candidates[0].overhead: expected a number, or [low, high], found \"few\"\n");
  EXPECT_EQ(complaint("\"81.0\"", "81.0"), "s.json: candidates[0].claims.projected low: expected a non-empty string, found 81\n");
  EXPECT_EQ(complaint("\"is\": true", "\"is\": true, \"below\": 3"),
            "s.json: gates[0]: one of below, at_most, at_least, is and at_most_of_baseline is needed\n");
  EXPECT_EQ(complaint("\"registers\": 1, ", ""), "s.json: candidates[2].resources: one of registers (of a block) and registers_per_thread is needed\n");
  EXPECT_EQ(complaint("\"share\": 4", "\"share\": 40"), "s.json: end_to_end.share: 40 is more than the total 10\n");
  EXPECT_EQ(complaint("\"speedup\": 2", "\"speedup\": 0"), "s.json: end_to_end.speedups[0].speedup: expected a positive number, found 0\n");
  EXPECT_NE(complaint("\"overhead\": 0}", "\"over\": 0}").find("candidates[2].over: unknown key; known here: name, resources"), std::string::npos);
  EXPECT_NE(complaint("{\"name\": \"s\"", "\"name\"").find("s.json: not JSON"), std::string::npos);
}
} // namespace
