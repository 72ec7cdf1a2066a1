#include "storage/memory/memory_entry_log.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

class MemoryEntryLogTest : public ::testing::Test {
 protected:
  void Append(std::uint64_t index, std::uint64_t term) {
    const std::vector<LogEntry> entries = {{.index = index, .term = term, .data = {}}};
    ASSERT_TRUE(log_.Append(entries, HardState{.term = term}).ok());
  }
  void Sync() { ASSERT_TRUE(log_.Sync().ok()); }

  MemoryEntryLog log_;
};

TEST_F(MemoryEntryLogTest, ForgetsWhatWasNotSynced) {
  Append(1, 1);
  Sync();
  Append(2, 2);

  log_.Forget();

  EXPECT_EQ(log_.last_index(), 1);
  EXPECT_EQ(log_.hard_state().term, 1);
}

TEST_F(MemoryEntryLogTest, RemembersWhatWasCutAndNotSynced) {
  for (std::uint64_t index = 1; index <= 5; ++index) Append(index, index);
  Sync();
  Append(4, 6);
  Append(5, 6);
  Append(2, 7);
  Append(3, 7);

  log_.Forget();

  ASSERT_EQ(log_.last_index(), 5);
  for (std::uint64_t index = 1; index <= 5; ++index) EXPECT_EQ(log_.TermOf(index), index);
  EXPECT_EQ(log_.hard_state().term, 5);
}

TEST_F(MemoryEntryLogTest, WhatIsLeftAfterForgettingIsSynced) {
  for (std::uint64_t index = 1; index <= 3; ++index) Append(index, 1);
  Sync();
  Append(2, 2);
  log_.Forget();

  Append(3, 3);
  log_.Forget();

  EXPECT_EQ(log_.last_index(), 3);
  EXPECT_EQ(log_.TermOf(3), 1);
}

TEST_F(MemoryEntryLogTest, ForgetsNothingThatACutKept) {
  for (std::uint64_t index = 1; index <= 5; ++index) Append(index, index);
  Sync();
  ASSERT_TRUE(log_.CutUpTo(2).ok());
  Append(4, 6);

  log_.Forget();

  EXPECT_EQ(log_.start(), (LogPlace{2, 2}));
  EXPECT_EQ(log_.last_index(), 5);
  EXPECT_EQ(log_.TermOf(4), 4);
}

}  // namespace
}  // namespace wharf
