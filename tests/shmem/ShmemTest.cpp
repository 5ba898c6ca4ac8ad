// ShmemTest.cpp: runs the bodies on threads for several numbers of PEs, in plain delivery and under
// chaos, and on coroutines under seeds; then what only a world of threads can show: mismatches,
// global exit, deadlock.
#include "tests/shmem/bodies.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace {

moac_shmem_run_options options(int pes, moac_shmem_mode mode, uint64_t seed) {
  moac_shmem_run_options result{};
  result.pes = pes;
  result.mode = mode;
  result.heap_bytes = size_t{4} << 20;
  result.chaos_seed = seed;
  return result;
}

// body, PEs, mode, seed
using Case = std::tuple<int, int, moac_shmem_mode, uint64_t>;
class ShmemBodies : public testing::TestWithParam<Case> {};

TEST_P(ShmemBodies, run) {
  auto [body, pes, mode, seed] = GetParam();
  bodiesFailed = 0;
  auto how = options(pes, mode, seed);
  EXPECT_EQ(moac_shmem_run(&how, bodies[body].run, nullptr), MOAC_SHMEM_OK)
      << moac_shmem_last_error();
  EXPECT_EQ(bodiesFailed, 0);
}

std::string caseName(const testing::TestParamInfo<Case> &info) {
  auto [body, pes, mode, seed] = info.param;
  std::string name = std::string(bodies[body].name) + "_" + std::to_string(pes);
  for (char &c : name)
    c = c == '-' ? '_' : c;
  return name + (seed == 0 ? "" : "_seed" + std::to_string(seed));
}

INSTANTIATE_TEST_SUITE_P(Threads, ShmemBodies,
                         testing::Combine(testing::Range(0, bodyCount),
                                          testing::Values(1, 2, 3, 4, 5, 8),
                                          testing::Values(MOAC_SHMEM_THREADS), testing::Values(0)),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Chaos, ShmemBodies,
                         testing::Combine(testing::Range(0, bodyCount), testing::Values(2, 5),
                                          testing::Values(MOAC_SHMEM_THREADS), testing::Values(1)),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Coroutines, ShmemBodies,
                         testing::Combine(testing::Range(0, bodyCount), testing::Values(1, 3, 4),
                                          testing::Values(MOAC_SHMEM_COROUTINES),
                                          testing::Values(1, 2)),
                         caseName);

std::atomic<int> seen[32];
void countStatus(moac_shmem_status status) { seen[status]++; }
void forget() {
  for (auto &count : seen)
    count = 0;
}

TEST(Shmem, mismatchedCollectivesAreReported) {
  forget();
  auto how = options(2, MOAC_SHMEM_THREADS, 0);
  moac_shmem_run(
      &how,
      [](void *) {
        void *x = symmetric(64);
        if (moac_shmem_my_pe() == 0)
          countStatus(moac_shmem_sync(WORLD));
        else
          countStatus(moac_shmem_fcollect(WORLD, x, static_cast<char *>(x) + 32, 8));
      },
      nullptr);
  EXPECT_GE(seen[MOAC_SHMEM_MISMATCH], 1);
}

TEST(Shmem, mismatchedCountsAreReported) {
  forget();
  auto how = options(3, MOAC_SHMEM_THREADS, 0);
  moac_shmem_run(
      &how,
      [](void *) {
        void *x = symmetric(64);
        countStatus(moac_shmem_reduce(WORLD, MOAC_SHMEM_SUM, MOAC_SHMEM_I32, x, x,
                                      moac_shmem_my_pe() == 1 ? 3 : 2));
      },
      nullptr);
  EXPECT_GE(seen[MOAC_SHMEM_MISMATCH], 1);
}

TEST(Shmem, globalExitReachesWaitingPes) {
  forget();
  auto how = options(3, MOAC_SHMEM_THREADS, 0);
  EXPECT_EQ(moac_shmem_run(
                &how,
                [](void *) {
                  auto *word = static_cast<uint64_t *>(symmetric(8));
                  if (moac_shmem_my_pe() == 2)
                    moac_shmem_global_exit(4);
                  countStatus(moac_shmem_signal_wait_until(word, MOAC_SHMEM_EQ, 1, nullptr));
                },
                nullptr),
            MOAC_SHMEM_EXITING);
  EXPECT_EQ(seen[MOAC_SHMEM_EXITING], 2);
}

TEST(Shmem, coroutinesReportDeadlock) {
  forget();
  auto how = options(3, MOAC_SHMEM_COROUTINES, 7);
  EXPECT_EQ(moac_shmem_run(
                &how,
                [](void *) {
                  auto *word = static_cast<uint64_t *>(symmetric(8));
                  countStatus(moac_shmem_signal_wait_until(word, MOAC_SHMEM_EQ, 1, nullptr));
                },
                nullptr),
            MOAC_SHMEM_DEADLOCK);
  EXPECT_EQ(seen[MOAC_SHMEM_DEADLOCK], 3);
}

TEST(Shmem, callsOutsideAWorldAreRefused) {
  uint64_t word = 0;
  void *object = nullptr;
  EXPECT_EQ(moac_shmem_my_pe(), -1);
  EXPECT_EQ(moac_shmem_sync(WORLD), MOAC_SHMEM_NOT_INITIALIZED);
  EXPECT_EQ(moac_shmem_malloc(8, &object), MOAC_SHMEM_NOT_INITIALIZED);
  EXPECT_EQ(moac_shmem_put(DEFAULT, &word, &word, 8, 0), MOAC_SHMEM_NOT_INITIALIZED);
  auto how = options(0, MOAC_SHMEM_THREADS, 0);
  EXPECT_EQ(moac_shmem_run(
                &how, [](void *) {}, nullptr),
            MOAC_SHMEM_INVALID_ARGUMENT);
}

TEST(Shmem, everyStatusHasAText) {
  for (int status = 0; status <= MOAC_SHMEM_SYSTEM; ++status)
    EXPECT_STRNE(moac_shmem_status_text(static_cast<moac_shmem_status>(status)), "unknown status");
}

} // namespace

// Each PE has three more threads; thread i of each passes a token on to thread i of the next.
struct Beside {
  uint64_t *words;
  int pe, index;
  moac_shmem_thread *thread = nullptr;
};

void passToken(void *argument) {
  auto *self = static_cast<Beside *>(argument);
  int pes = moac_shmem_n_pes(), next = (self->pe + 1) % pes;
  CHECK(moac_shmem_my_pe() == self->pe);
  uint64_t *word = self->words + self->index;
  for (uint64_t round = 1; round <= 20; ++round) {
    if (self->pe == 0)
      OK(moac_shmem_atomic_set(MOAC_SHMEM_CONTEXT_DEFAULT, word, round, next));
    OK(moac_shmem_signal_wait_until(word, MOAC_SHMEM_GE, round, nullptr));
    if (self->pe != 0)
      OK(moac_shmem_atomic_set(MOAC_SHMEM_CONTEXT_DEFAULT, word, round, next));
  }
}

void threadsOfPe(void *) {
  void *words = nullptr;
  OK(moac_shmem_calloc(3, sizeof(uint64_t), &words));
  Beside beside[3];
  for (int i = 0; i < 3; ++i) {
    beside[i] = {static_cast<uint64_t *>(words), moac_shmem_my_pe(), i};
    OK(moac_shmem_thread_start(passToken, &beside[i], &beside[i].thread));
  }
  for (Beside &b : beside)
    OK(moac_shmem_thread_join(b.thread));
  CHECK(moac_shmem_thread_start(nullptr, nullptr, &beside[0].thread) == MOAC_SHMEM_INVALID_ARGUMENT);
  CHECK(moac_shmem_thread_join(nullptr) == MOAC_SHMEM_INVALID_ARGUMENT);
  OK(moac_shmem_barrier(MOAC_SHMEM_TEAM_WORLD));
}

void waitForNobody(void *word) { moac_shmem_signal_wait_until(static_cast<uint64_t *>(word), MOAC_SHMEM_EQ, 1, nullptr); }

void joinOfOneThatWaits(void *) {
  void *word = nullptr;
  moac_shmem_thread *thread = nullptr;
  OK(moac_shmem_calloc(1, sizeof(uint64_t), &word));
  OK(moac_shmem_thread_start(waitForNobody, word, &thread));
  CHECK(moac_shmem_thread_join(thread) == MOAC_SHMEM_DEADLOCK);
}

TEST(ShmemThreads, callForTheirPe) {
  for (moac_shmem_mode mode : {MOAC_SHMEM_THREADS, MOAC_SHMEM_COROUTINES})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      bodiesFailed = 0;
      auto how = options(3, mode, seed);
      ASSERT_EQ(moac_shmem_run(&how, threadsOfPe, nullptr), MOAC_SHMEM_OK) << moac_shmem_last_error();
      ASSERT_EQ(bodiesFailed, 0);
    }
  auto how = options(2, MOAC_SHMEM_COROUTINES, 1);
  EXPECT_EQ(moac_shmem_run(&how, joinOfOneThatWaits, nullptr), MOAC_SHMEM_DEADLOCK);
  EXPECT_EQ(bodiesFailed, 0);
}

// A switch to another coroutine does not change whose line a record names.
void twoLines(void *) {
  void *word = nullptr;
  moac_shmem_calloc(1, sizeof(uint64_t), &word);
  uint64_t value = 1;
  for (int i = 0; i < 1000; ++i) {
    moac_shmem_at("source", 100 + moac_shmem_my_pe());
    moac_shmem_signal_fetch(static_cast<uint64_t *>(word), &value);
  }
  moac_shmem_at(nullptr, 0);
}

TEST(ShmemThreads, coroutinesKeepTheirLines) {
  std::string folder = testing::TempDir() + "moac-lines";
  std::filesystem::create_directories(folder);
  auto how = options(2, MOAC_SHMEM_COROUTINES, 1);
  how.trace = folder.c_str();
  ASSERT_EQ(moac_shmem_run(&how, twoLines, nullptr), MOAC_SHMEM_OK);
  int records = 0;
  for (int pe = 0; pe < 2; ++pe) {
    std::ifstream file(folder + "/pe-000" + std::to_string(pe) + ".moat");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("signal_fetch ")) {
        ++records;
        ASSERT_NE(line.find(" at=source:" + std::to_string(100 + pe) + " "), std::string::npos) << line;
      }
  }
  EXPECT_EQ(records, 2000);
  std::filesystem::remove_all(folder);
}
