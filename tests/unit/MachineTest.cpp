// Machine descriptions: those that are installed, what they answer, and what is said of wrong ones.
#include "ir/Machine.h"

#include <gtest/gtest.h>

using namespace moac;

namespace {
const char *const small = R"({"name": "m", "kind": "cpu", "axes": [{"name": "core", "extent": 2}],
  "vector": {"bytes": 32, "registers": 16},
  "memories": [{"name": "L1", "bytes": 32768}, {"name": "memory", "bytes": 1000000}]})";

std::string with(std::string text, const std::string &from, const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string &json) {
  MachineAnswer answer = parseMachine(json, "m.json");
  EXPECT_FALSE(answer);
  return answer.error;
}

TEST(Machine, ReadsWhatItWrites) {
  for (const char *name : {"h200", "zen3-2core", "zen4-2core"}) {
    MachineAnswer first = loadMachine(name, {MOAC_MACHINES});
    ASSERT_TRUE(first) << first.error;
    MachineAnswer again = parseMachine(machineJson(*first.machine), "again");
    ASSERT_TRUE(again) << again.error;
    EXPECT_EQ(machineJson(*first.machine), machineJson(*again.machine));
    EXPECT_EQ(machineText(*first.machine), machineText(*again.machine));
  }
}

TEST(Machine, AnswersAboutAGpuAndACpu) {
  const Machine gpu = loadMachine("h200", {MOAC_MACHINES}).machine.value();
  EXPECT_EQ(gpu.units(), 132);
  EXPECT_EQ(gpu.lanes(8), 32);
  EXPECT_EQ(gpu.memory("shared")->bytes, 233472);
  EXPECT_EQ(gpu.extent("thread"), 1);
  const Machine cpu = parseMachine(small, "m.json").machine.value();
  EXPECT_EQ(cpu.units(), 2);
  EXPECT_EQ(cpu.lanes(4), 8);
  EXPECT_EQ(cpu.memory("L3"), nullptr);
}

TEST(Machine, SaysKeyFoundAndExpected) {
  EXPECT_EQ(complaint(with(small, "32768", "\"32 KiB\"")), "m.json: memories[0].bytes: expected a positive integer, found \"32 KiB\"\n");
  EXPECT_EQ(complaint(with(small, "\"registers\": 16", "\"lanes\": 8")),
            "m.json: vector.registers: missing\n"
            "m.json: vector.lanes: unknown key; known here: bytes, registers, ports, latency, isa\n");
  EXPECT_EQ(complaint(with(small, "\"core\"", "\"sm\"")), "m.json: axes: a cpu needs an axis \"core\"\n");
  EXPECT_EQ(complaint(with(small, "\"cpu\"", "\"tpu\"")), "m.json: kind: expected \"cpu\" or \"gpu\", found \"tpu\"\n");
  EXPECT_EQ(complaint(with(small, "1000000", "1000")),
            "m.json: memories[1].bytes: smaller than the level before; levels go from the nearest outwards\n");
  EXPECT_EQ(complaint("[1]"), "m.json: expected an object, found [1]\n");
  EXPECT_NE(complaint("{").find("m.json: not JSON: "), std::string::npos);
  EXPECT_NE(loadMachine("none", {"folder"}).error.find("no machine 'none' (tried none, folder/none.json)"), std::string::npos);
}

TEST(Machine, DescribesTheHost) {
  const Machine host = detectHost();
  EXPECT_GE(host.units(), 1);
  EXPECT_GE(host.lanes(4), 4);
  ASSERT_GE(host.memories.size(), 2u);
  EXPECT_EQ(host.memories.back().name, "memory");
  EXPECT_TRUE(parseMachine(machineJson(host), "host")) << parseMachine(machineJson(host), "host").error;
}
} // namespace
