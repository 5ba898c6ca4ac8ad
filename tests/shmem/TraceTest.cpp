// TraceTest.cpp: what the runtime writes down. First communication ids: An operation has its own id or its context's,
// a plain access the one that it is announced with or that of its allocation, a wait what its condition says.
#include "runtime/model/Trace.h"
#include "runtime/shmem/moac_shmem.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr uint32_t allocationId = 5, contextId = 6, ownId = 7;

void calls(void *) {
  void *tagged = nullptr, *plain = nullptr;
  moac_shmem_context context = nullptr;
  int64_t value = 1;
  ASSERT_EQ(moac_shmem_malloc_tagged(8, allocationId, &tagged), MOAC_SHMEM_OK);
  ASSERT_EQ(moac_shmem_calloc(1, 8, &plain), MOAC_SHMEM_OK);
  ASSERT_EQ(moac_shmem_context_create(MOAC_SHMEM_TEAM_WORLD, 0, contextId, &context), MOAC_SHMEM_OK);
  moac_shmem_at("line", 1);
  moac_shmem_note_store(tagged, 8);
  moac_shmem_at("line", 2);
  moac_shmem_note_access(tagged, 8, 0, MOAC_SHMEM_NOTE_COM(ownId));
  moac_shmem_at("line", 3);
  moac_shmem_put(MOAC_SHMEM_CONTEXT_DEFAULT, tagged, &value, 8, 0);
  moac_shmem_at("line", 4);
  moac_shmem_put(context, tagged, &value, 8, 0);
  moac_shmem_at("line", 5);
  moac_shmem_put(moac_shmem_tag(context, ownId), tagged, &value, 8, 0);
  moac_shmem_at("line", 6);
  moac_shmem_note_load(plain, 8);
  moac_shmem_condition here = {tagged, 1, nullptr, MOAC_SHMEM_I64, MOAC_SHMEM_EQ, &value, false, ownId};
  moac_shmem_at("line", 7);
  moac_shmem_wait(MOAC_SHMEM_ALL, &here, nullptr, nullptr);
  moac_shmem_at("line", 8);
  moac_shmem_signal_wait_until(static_cast<uint64_t *>(tagged), MOAC_SHMEM_EQ, 1, nullptr);
  moac_shmem_at(nullptr, 0);
}

TEST(ShmemTrace, communicationIds) {
  std::string folder = std::filesystem::path(testing::TempDir()) / "moac-trace-ids";
  std::filesystem::create_directories(folder);
  moac_shmem_run_options how = {};
  how.pes = 1;
  how.mode = MOAC_SHMEM_THREADS;
  how.heap_bytes = 1 << 16;
  how.trace = folder.c_str();
  ASSERT_EQ(moac_shmem_run(&how, calls, nullptr), MOAC_SHMEM_OK);
  std::ifstream file(folder + "/pe-0000.moat");
  const uint32_t ids[] = {allocationId, ownId, 0, contextId, ownId, 0, ownId, 0};
  size_t lines = 0;
  for (std::string record; std::getline(file, record);) {
    size_t at = record.find(" at=line:");
    if (at == std::string::npos)
      continue;
    size_t number = std::stoul(record.substr(at + 9)), com = record.find(" com=");
    ASSERT_LE(number, std::size(ids));
    EXPECT_EQ(com == std::string::npos ? 0 : std::stoul(record.substr(com + 5)), ids[number - 1]) << record;
    ++lines;
  }
  EXPECT_EQ(lines, std::size(ids));
  std::filesystem::remove_all(folder);
}

const std::string path = "my programs/50%/#1/" + std::string(6000, 'd') + "/a.c", longer(9000, 'd');

void callsWithPaths(void *) {
  uint64_t *word = nullptr;
  ASSERT_EQ(moac_shmem_calloc(1, 8, reinterpret_cast<void **>(&word)), MOAC_SHMEM_OK);
  std::vector<int> all(1000, 0);
  for (const std::string &file : {path, longer}) {
    moac_shmem_at(file.c_str(), 42);
    ASSERT_EQ(moac_shmem_pe_quiet(MOAC_SHMEM_CONTEXT_DEFAULT, all.data(), all.size()), MOAC_SHMEM_OK);
    moac_shmem_note_store(word, 8);
  }
  moac_shmem_at(nullptr, 0);
}

// Whatever a program's path looks like, its trace can be read, and names it; a path without end is left out.
TEST(ShmemTrace, pathsArriveAsTheyAre) {
  std::string folder = std::filesystem::path(testing::TempDir()) / "moac-trace-paths";
  std::filesystem::create_directories(folder);
  moac_shmem_run_options how = {};
  how.pes = 1;
  how.mode = MOAC_SHMEM_THREADS;
  how.heap_bytes = 1 << 16;
  how.trace = folder.c_str();
  ASSERT_EQ(moac_shmem_run(&how, callsWithPaths, nullptr), MOAC_SHMEM_OK);
  std::ifstream file(folder + "/pe-0000.moat");
  std::stringstream text;
  text << file.rdbuf();
  moac::model::Trace trace;
  auto error = moac::model::readTrace(text.str(), "trace", trace);
  ASSERT_FALSE(error) << error->str();
  int stores = 0, placed = 0;
  size_t quiets = 0;
  for (const auto &record : trace.records) {
    stores += record.kind == moac::model::RecordKind::Store;
    quiets += record.quietTargets.size();
    placed += record.kind == moac::model::RecordKind::Store && trace.words[static_cast<size_t>(record.position)] == path + ":42";
  }
  EXPECT_EQ(stores, 2);
  EXPECT_EQ(quiets, 2000U);
  EXPECT_EQ(placed, 1);
  std::filesystem::remove_all(folder);
}

// A wait or test records the value that satisfied it, though another may have come since.
void valuesComeAndGo(void *) {
  void *memory = nullptr;
  int64_t one = 1;
  ASSERT_EQ(moac_shmem_calloc(1, 8, &memory), MOAC_SHMEM_OK);
  auto *word = static_cast<uint64_t *>(memory);
  if (moac_shmem_my_pe() == 0)
    for (uint64_t i = 0; i < 4000; ++i)
      moac_shmem_atomic_set(MOAC_SHMEM_CONTEXT_DEFAULT, word, i % 2 + 1, 1);
  moac_shmem_condition isOne = {word, 1, nullptr, MOAC_SHMEM_I64, MOAC_SHMEM_EQ, &one, false, 0};
  size_t hits = 0;
  for (int i = 0; i < 500 && moac_shmem_my_pe() == 1; ++i)
    ASSERT_EQ(moac_shmem_test(MOAC_SHMEM_ALL, &isOne, nullptr, &hits), MOAC_SHMEM_OK);
}

TEST(ShmemTrace, valuesAreThoseThatWereSeen) {
  std::string folder = std::filesystem::path(testing::TempDir()) / "moac-trace-values";
  std::filesystem::create_directories(folder);
  moac_shmem_run_options how = {};
  how.pes = 2;
  how.mode = MOAC_SHMEM_COROUTINES;
  how.chaos_seed = 1;
  how.heap_bytes = 1 << 16;
  how.trace = folder.c_str();
  ASSERT_EQ(moac_shmem_run(&how, valuesComeAndGo, nullptr), MOAC_SHMEM_OK);
  std::ifstream file(folder + "/pe-0001.moat");
  int records = 0;
  for (std::string record; std::getline(file, record);)
    if (record.starts_with("test ")) {
      ++records;
      ASSERT_NE(record.find(" val=1"), std::string::npos) << record;
    }
  EXPECT_GT(records, 20);
  std::filesystem::remove_all(folder);
}

} // namespace
