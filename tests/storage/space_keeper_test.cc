#include "storage/disk/space_keeper.h"

#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/heard_log.h"
#include "tests/quiet_log.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

using ::testing::Contains;
using ::testing::HasSubstr;

class FakeDisk final : public DiskSpace {
 public:
  Result<std::uint64_t> FreeBytes() const override {
    on_look();
    if (!failure.ok()) return failure;
    return free_bytes;
  }

  std::function<void()> on_look = [] {};
  std::uint64_t free_bytes = 10'000 * kMiB;
  Status failure;
};

class FakeStore final : public StoreSpace {
 public:
  Use use() const override { return uses; }
  std::uint64_t LimitCompactions(std::uint64_t bytes) override {
    limit = bytes;
    return moved_bytes;
  }
  Status Flush() override {
    ++flushes;
    return {};
  }
  Status CompactDead() override {
    ++compactions;
    return {};
  }
  Result<Step> ReturnSpace(bool is_quiet) override {
    ++steps;
    was_quiet = is_quiet;
    if (!step_failure.ok()) return step_failure;
    return step;
  }

  Use uses;
  std::uint64_t limit = 0;
  std::uint64_t moved_bytes = 0;
  int flushes = 0;
  int compactions = 0;
  // What a step does, and how many there were.
  Step step;
  Status step_failure;
  int steps = 0;
  bool was_quiet = false;
};

class SpaceKeeperTest : public ::testing::Test {
 protected:
  // By itself without steps that give back space.
  explicit SpaceKeeperTest(std::uint64_t returned_per_second = 0)
      : returned_per_second_(returned_per_second) {}

  void LookAt(std::uint64_t free_megabytes) {
    disk_.free_bytes = free_megabytes * kMiB;
    keeper_.Look();
  }
  void Write(std::uint64_t bytes) {
    gate_.NotePlanned(bytes);
    gate_.NoteWritten(bytes);
  }
  void LookTimes(int times) {
    for (int i = 0; i < times; ++i) keeper_.Look();
  }
  void RunLazyWork() {
    for (; !lazy_.empty(); lazy_.pop_front()) lazy_.front()();
  }

  const std::uint64_t returned_per_second_;
  QuietLog quiet_;
  TempFolder folder_;
  FakeDisk disk_;
  FakeStore store_;
  DiskReserve reserve_{folder_.path()};
  DiskGate gate_;
  std::deque<std::function<void()>> lazy_;
  SpaceKeeper keeper_{{disk_, store_, reserve_, gate_,
                       [this](std::function<void()> work) { lazy_.push_back(std::move(work)); }},
                      {.free_bytes_min = 100 * kMiB,
                       .idle_looks = 5,
                       .tidying_looks = 3,
                       .trickle_looks = 20,
                       .returns = {.bytes_per_second = returned_per_second_}},
                      "data"};
};

// Gives back 40 MiB a second, so 10 with each look.
class SpaceReturnsTest : public SpaceKeeperTest {
 protected:
  SpaceReturnsTest() : SpaceKeeperTest(40 * kMiB) {}

  // And what each has begun is done before the next.
  void LookAndWork(int times) {
    for (int i = 0; i < times; ++i) {
      keeper_.Look();
      RunLazyWork();
    }
  }
};

// What is flushed between two looks at the same thing is on the disk or in memory, not nowhere.
TEST_F(SpaceKeeperTest, WhatIsFlushedMeanwhileIsNoRoom) {
  store_.uses.buffer_bytes = 60 * kMiB;
  disk_.on_look = [this] { store_.uses.buffer_bytes = 0; };

  LookAt(130);

  EXPECT_FALSE(gate_.has_room());
}

// Compactions that are under way take their room as well, and sends are not to count on it.
TEST_F(SpaceKeeperTest, WhatCompactionsMoveIsLeftFreeBySends) {
  store_.moved_bytes = 30 * kMiB;
  LookAt(129);
  EXPECT_FALSE(gate_.has_room());

  store_.moved_bytes = 0;
  LookAt(129);
  EXPECT_TRUE(gate_.has_room());
}

TEST_F(SpaceKeeperTest, WarnsBeforeItRefusesAndTakesAgainWhenThereIsClearlyMoreRoom) {
  LookAt(1000);
  EXPECT_EQ(gate_.report().state, DiskState::kAmple);
  LookAt(149);
  EXPECT_EQ(gate_.report().state, DiskState::kNearlyFull);
  EXPECT_TRUE(gate_.has_room());

  LookAt(99);
  EXPECT_EQ(gate_.report().state, DiskState::kFull);
  EXPECT_FALSE(gate_.has_room());
  LookAt(105);  // Not clearly more.
  EXPECT_FALSE(gate_.has_room());

  LookAt(113);
  EXPECT_EQ(gate_.report().state, DiskState::kNearlyFull);
  EXPECT_TRUE(gate_.has_room());
  LookAt(200);
  EXPECT_EQ(gate_.report().state, DiskState::kAmple);
}

// Senders were refused, so it is told, and not left at the first byte more.
TEST_F(SpaceKeeperTest, WhatWasSentBetweenTwoLooksMayShutTheGate) {
  const HeardLog log;
  LookAt(120);
  Write(10 * kMiB);
  EXPECT_FALSE(gate_.has_room());

  LookAt(110);
  EXPECT_FALSE(gate_.has_room());
  EXPECT_THAT(log.lines(), Contains(HasSubstr("has 100 MB left: sends are refused below 100 MB")));

  LookAt(113);
  EXPECT_TRUE(gate_.has_room());
  EXPECT_THAT(log.lines(), Contains(HasSubstr("has 113 MB left: sends are taken again")));
}

TEST_F(SpaceKeeperTest, TheMarkCoversTheBuffersAndTheLargestCompaction) {
  store_.uses = {.buffer_bytes = 50 * kMiB, .table_bytes = 200 * kMiB};
  LookAt(349);
  EXPECT_FALSE(gate_.has_room());
  EXPECT_EQ(gate_.report().mark_bytes, 350 * kMiB);

  store_.uses.table_bytes = 500'000 * kMiB;  // No compaction is as large as all tables.
  keeper_.Look();
  EXPECT_EQ(gate_.report().mark_bytes, (100 + 50 + 1024) * kMiB);
}

TEST_F(SpaceKeeperTest, WhatSendsLeaveFreeMayChangeWhileItLooks) {
  LookAt(120);
  EXPECT_TRUE(gate_.has_room());

  keeper_.SetFreeBytesMin(150 * kMiB);
  LookAt(120);
  EXPECT_FALSE(gate_.has_room());
  EXPECT_EQ(gate_.report().mark_bytes, 150 * kMiB);

  keeper_.SetFreeBytesMin(50 * kMiB);
  LookAt(120);
  EXPECT_TRUE(gate_.has_room());
}

TEST_F(SpaceKeeperTest, CompactionsMustFitBesideAFlush) {
  store_.uses = {.buffer_bytes = 50 * kMiB, .table_bytes = 0};

  LookAt(354);
  EXPECT_EQ(store_.limit, 300 * kMiB);

  LookAt(30);
  EXPECT_EQ(store_.limit, 0U);
}

TEST_F(SpaceKeeperTest, ADiskThatCannotBeAskedChangesNothing) {
  LookAt(99);
  disk_.failure = {ErrorCode::kGeneralError, "injected"};

  keeper_.Look();

  EXPECT_EQ(gate_.report().state, DiskState::kFull);
}

TEST_F(SpaceKeeperTest, KeepsAReserveAndGivesHalfOfItToReceivers) {
  LookAt(1000);
  EXPECT_EQ(reserve_.bytes(), DiskReserve::kBytes);

  LookAt(20);
  EXPECT_EQ(reserve_.bytes(), DiskReserve::kBytes);
  LookAt(3);
  EXPECT_EQ(reserve_.bytes(), DiskReserve::kBytesToStart);

  disk_.free_bytes = 1000 * kMiB;
  LookTimes(300);
  EXPECT_EQ(reserve_.bytes(), DiskReserve::kBytes);
}

TEST_F(SpaceKeeperTest, TheReserveIsNotFilledWhereItWouldMakeTheDiskFull) {
  disk_.free_bytes = 110 * kMiB;

  LookTimes(300);

  EXPECT_EQ(reserve_.bytes(), 0U);
}

TEST_F(SpaceKeeperTest, TidiesUpWhenTheBrokerHasBeenIdle) {
  Write(10 * kMiB);
  LookTimes(5);
  EXPECT_TRUE(lazy_.empty());

  keeper_.Look();
  RunLazyWork();
  EXPECT_EQ(store_.flushes, 1);
  EXPECT_EQ(store_.compactions, 1);

  LookTimes(100);  // There is nothing more to do.
  EXPECT_TRUE(lazy_.empty());
}

TEST_F(SpaceKeeperTest, ABusyBrokerOnAnAmpleDiskIsLeftAlone) {
  for (int i = 0; i < 100; ++i) {
    Write(10 * kMiB);
    keeper_.Look();
  }
  EXPECT_TRUE(lazy_.empty());
}

TEST_F(SpaceKeeperTest, TidiesOneThingAtATime) {
  disk_.free_bytes = 90 * kMiB;
  for (int i = 0; i < 100; ++i) {
    Write(kMiB);
    keeper_.Look();
  }
  EXPECT_EQ(lazy_.size(), 1U);

  RunLazyWork();
  Write(kMiB);
  keeper_.Look();
  EXPECT_EQ(lazy_.size(), 1U);
}

TEST_F(SpaceKeeperTest, OnAFullDiskItTidiesWhileReceiversMakeRoom) {
  disk_.free_bytes = 90 * kMiB;
  for (int i = 0; i < 9; ++i) {
    Write(100'000);  // A thousand messages, settled; what they held may be much.
    keeper_.Look();
    RunLazyWork();
  }
  EXPECT_EQ(store_.flushes, 3);
}

// A purge is one row, and the last large message that is settled little more.
TEST_F(SpaceKeeperTest, TidiesAfterTheLeastInTheEnd) {
  Write(100);
  LookTimes(19);
  EXPECT_TRUE(lazy_.empty());

  keeper_.Look();
  RunLazyWork();
  EXPECT_EQ(store_.flushes, 1);

  disk_.free_bytes = 90 * kMiB;  // Here nobody waits for as long.
  Write(100);
  LookTimes(6);
  RunLazyWork();
  EXPECT_EQ(store_.flushes, 2);
}

// What was in the log when the broker started is in memory, and nobody may ever write again: a disk
// that is full of it stays full.
TEST_F(SpaceKeeperTest, TidiesWhatAnEarlierLifeLeft) {
  store_.uses.buffer_bytes = 60 * kMiB;
  disk_.free_bytes = 70 * kMiB;

  LookTimes(3);
  RunLazyWork();

  EXPECT_EQ(store_.flushes, 1);
}

TEST_F(SpaceKeeperTest, WhatFoundNoRoomIsTriedAgain) {
  store_.uses.buffer_bytes = 60 * kMiB;
  disk_.free_bytes = 50 * kMiB;
  LookTimes(3);
  RunLazyWork();
  ASSERT_EQ(store_.flushes, 0);

  disk_.free_bytes = 10'000 * kMiB;
  LookTimes(6);
  RunLazyWork();

  EXPECT_EQ(store_.flushes, 1);
}

TEST_F(SpaceKeeperTest, DoesNotFlushWhatMayFindNoRoom) {
  store_.uses.buffer_bytes = 60 * kMiB;
  disk_.free_bytes = 50 * kMiB;
  Write(kMiB);
  LookTimes(10);
  ASSERT_FALSE(lazy_.empty());

  RunLazyWork();

  EXPECT_EQ(store_.flushes, 0);
  EXPECT_EQ(store_.compactions, 0);
}

// rule: no more is read and written than the rate, however large the steps are
TEST_F(SpaceReturnsTest, DeadSpaceComesBackAtTheRate) {
  store_.step.bytes = 128 * kMiB;

  LookAndWork(4 * 320);

  EXPECT_GE(store_.steps, 99);
  EXPECT_LE(store_.steps, 101);
}

TEST_F(SpaceReturnsTest, WhatWasNotUsedIsGoodForOneSecond) {
  LookAndWork(4 * 60);  // There is nothing to do.
  store_.step.bytes = 10 * kMiB;
  store_.steps = 0;

  LookAndWork(10 + 10);

  EXPECT_LE(store_.steps, 15);
}

TEST_F(SpaceReturnsTest, TwiceAsMuchComesBackWhileTheDiskIsNearlyFull) {
  store_.step.bytes = 40 * kMiB;
  disk_.free_bytes = 110 * kMiB;

  LookAndWork(4 * 100);

  EXPECT_GE(store_.steps, 195);
  EXPECT_LE(store_.steps, 205);
}

TEST_F(SpaceReturnsTest, WithoutAnythingDeadItLooksNowAndThen) {
  LookAndWork(100);
  EXPECT_LE(store_.steps, 10);
  EXPECT_GE(store_.steps, 9);

  store_.step_failure = {ErrorCode::kGeneralError, "injected"};
  LookAndWork(100);
  EXPECT_LE(store_.steps, 20);
}

TEST_F(SpaceReturnsTest, OneStepAtATime) {
  store_.step.bytes = 1;
  LookTimes(100);
  EXPECT_EQ(lazy_.size(), 1U);
}

TEST_F(SpaceReturnsTest, TheStoreHearsWhetherItIsQuiet) {
  store_.step.bytes = 1;
  Write(100);
  LookAndWork(15);
  EXPECT_TRUE(store_.was_quiet);

  Write(100);
  LookAndWork(1);
  EXPECT_FALSE(store_.was_quiet);
}

// A purge is one row: in memory until 64 MiB are written, and with it all that was purged stays.
TEST_F(SpaceReturnsTest, DeletionsInMemoryAreFlushedThoughTheBrokerIsBusy) {
  store_.step.waits_for_flush = true;

  for (int i = 0; i < 50; ++i) {
    Write(kMiB);
    LookAndWork(1);
  }

  EXPECT_EQ(store_.flushes, 2);
}

TEST_F(SpaceKeeperTest, WithoutARateNoStepIsTaken) {
  store_.step.bytes = 1;
  LookTimes(100);
  RunLazyWork();
  EXPECT_EQ(store_.steps, 0);
}

}  // namespace
}  // namespace wharf
