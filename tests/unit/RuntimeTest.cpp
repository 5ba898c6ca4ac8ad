// The runtime from C++: the words for statuses, and scratch memory under reuse, failure and several
// threads.
#include "runtime/moac.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

TEST(RuntimeStatus, everyStatusHasItsOwnWords) {
  std::set<std::string> words;
  for (int status = MOAC_OK; status >= MOAC_COMMUNICATION; --status)
    words.insert(moac_status_string(status));
  EXPECT_EQ(words.size(), 10u);
  EXPECT_FALSE(words.count("unknown status"));
  for (int status : {1, -10, 1 << 30, -(1 << 30), INT32_MIN})
    EXPECT_STREQ(moac_status_string(status), "unknown status");
}

TEST(RuntimeScratch, blocksAreAlignedAndSeparate) {
  std::vector<unsigned char *> blocks;
  for (size_t bytes : {0, 1, 63, 64, 65, 100000}) {
    auto *block = static_cast<unsigned char *>(moac_scratch_acquire(bytes));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
    std::memset(block, static_cast<int>(blocks.size()), bytes);
    blocks.push_back(block);
  }
  EXPECT_EQ(blocks[5][99999], 5);
  EXPECT_EQ(blocks[4][64], 4);
  for (auto *block : blocks)
    moac_scratch_release(block);
  moac_scratch_trim();
}

TEST(RuntimeScratch, theLargestReleasedBlockIsKept) {
  void *large = moac_scratch_acquire(1 << 20), *small = moac_scratch_acquire(64);
  moac_scratch_release(large);
  moac_scratch_release(small);
  void *again = moac_scratch_acquire(1000);
  EXPECT_EQ(again, large);
  moac_scratch_release(again);
  moac_scratch_trim();
}

TEST(RuntimeScratch, impossibleSizesAreRefused) {
  EXPECT_EQ(moac_scratch_acquire(SIZE_MAX), nullptr);
  EXPECT_EQ(moac_scratch_acquire(SIZE_MAX - 64), nullptr);
  EXPECT_EQ(moac_scratch_acquire(SIZE_MAX / 2), nullptr);
  moac_scratch_release(nullptr);
  void *block = moac_scratch_acquire(16);
  EXPECT_NE(block, nullptr);
  moac_scratch_release(block);
}

TEST(RuntimeScratch, threadsNeverShareABlock) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      for (int round = 0; round < 2000; ++round) {
        size_t bytes = 64 + static_cast<size_t>(round % 7) * 1000;
        auto *block = static_cast<unsigned char *>(moac_scratch_acquire(bytes));
        std::memset(block, t, bytes);
        std::this_thread::yield();
        wrong[t] += block[0] != t || block[bytes - 1] != t;
        moac_scratch_release(block);
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST(RuntimeScratch, anotherThreadMayRelease) {
  void *block = moac_scratch_acquire(4096);
  std::thread([block] { moac_scratch_release(block); }).join();
  moac_scratch_trim();
}

TEST(RuntimeTeam, oneThreadForSmallOrSenselessWork) {
  EXPECT_EQ(moac_team_size(0, 100), 1);
  EXPECT_EQ(moac_team_size(99, 100), 1);
  EXPECT_EQ(moac_team_size(-5, 0), 1);
  EXPECT_GE(moac_team_size(INT64_MAX, 0), 1);
  EXPECT_EQ(moac_team_size(INT64_MIN, -1), 1);
}

TEST(RuntimePrefetch, noAddressIsWrong) {
  double row[8] = {1, 2, 3};
  moac_prefetch_write(row, 8, sizeof(double));
  moac_prefetch_write(row, 3, -4096);
  moac_prefetch_write(nullptr, 2, INT64_MAX);
  moac_prefetch_write(nullptr, -1, 0);
  EXPECT_EQ(row[0] + row[1] + row[2], 6);
}
