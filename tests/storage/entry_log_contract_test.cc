// What every entry log promises, checked on each of them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/base/random.h"
#include "storage/memory/memory_entry_log.h"
#include "storage/segments/segment_log.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;

constexpr std::size_t kAll = SIZE_MAX;

// A log, and what a start makes of it when everything was synced.
class EntryLogUnderTest {
 public:
  virtual ~EntryLogUnderTest() = default;
  virtual EntryLog& log() = 0;
  virtual void Restart() = 0;
};

class MemoryLogUnderTest final : public EntryLogUnderTest {
 public:
  EntryLog& log() override { return log_; }
  void Restart() override { log_.Forget(); }

 private:
  MemoryEntryLog log_;
};

class SegmentLogUnderTest final : public EntryLogUnderTest {
 public:
  SegmentLogUnderTest(std::size_t segment_bytes, std::size_t cache_bytes)
      : options_({.path = folder_.path() + "/log",
                  .segment_bytes = segment_bytes,
                  .cache_bytes = cache_bytes}) {
    EXPECT_TRUE(SegmentLog::Make(options_, {.random = random_}).ok());
    Restart();
  }
  EntryLog& log() override { return *log_; }
  void Restart() override {
    log_.reset();
    auto opened = SegmentLog::Open(options_, {.random = random_});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    log_ = *std::move(opened);
  }

 private:
  TempFolder folder_;
  SeededRandom random_{1};
  const SegmentLogOptions options_;
  std::unique_ptr<SegmentLog> log_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<EntryLogUnderTest>()> make;
};

LogEntry Entry(std::uint64_t index, std::uint64_t term, std::string data) {
  return {.index = index, .term = term, .kind = EntryKind::kBatch, .data = std::move(data)};
}

class EntryLogContract : public ::testing::TestWithParam<Kind> {
 protected:
  EntryLog& log() { return under_test_->log(); }
  void Restart() { under_test_->Restart(); }

  void Append(const std::vector<LogEntry>& entries) {
    const Status status = log().Append(entries, std::nullopt);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void Sync() { ASSERT_TRUE(log().Sync().ok()); }

  // Entries of one term, each with its index as its data.
  void AppendNumbers(std::uint64_t first, std::uint64_t last, std::uint64_t term) {
    for (std::uint64_t index = first; index <= last; ++index) {
      Append({Entry(index, term, std::to_string(index))});
    }
  }

  std::vector<std::string> Data(std::uint64_t first, std::uint64_t end,
                                std::size_t bytes_max = kAll) {
    const auto entries = log().Read(first, end, bytes_max);
    EXPECT_TRUE(entries.ok()) << entries.status().message();
    std::vector<std::string> data;
    if (!entries.ok()) return data;
    for (const LogEntry& entry : *entries) {
      EXPECT_EQ(entry.index, first + data.size());
      EXPECT_EQ(entry.term, log().TermOf(entry.index));
      data.emplace_back(entry.data);
    }
    return data;
  }

 private:
  std::unique_ptr<EntryLogUnderTest> under_test_ = GetParam().make();
};

TEST_P(EntryLogContract, ANewLogIsEmptyAndHasPromisedNothing) {
  EXPECT_EQ(log().start(), (LogPlace{0, 0}));
  EXPECT_EQ(log().last_index(), 0);
  EXPECT_EQ(log().TermOf(0), 0);
  EXPECT_EQ(log().hard_state(), HardState());
}

TEST_P(EntryLogContract, WhatIsAppendedCanBeReadBeforeItIsSynced) {
  Append({Entry(1, 1, "one"), Entry(2, 1, ""), Entry(3, 2, "three")});

  EXPECT_THAT(Data(1, 4), ElementsAre("one", "", "three"));
  EXPECT_EQ(log().last_index(), 3);
  EXPECT_EQ(log().TermOf(2), 1);
  EXPECT_EQ(log().TermOf(3), 2);
}

TEST_P(EntryLogContract, WhatIsSyncedIsThereAfterAStart) {
  const HardState state{.term = 7, .vote = 3, .commit = 2};
  const std::vector<LogEntry> entries = {
      Entry(1, 6, "one"),
      {.index = 2, .term = 7, .kind = EntryKind::kMember, .data = std::string("t\0wo", 4)}};
  ASSERT_TRUE(log().Append(entries, state).ok());
  Sync();

  Restart();

  EXPECT_EQ(log().hard_state(), state);
  EXPECT_THAT(Data(1, 3), ElementsAre("one", std::string("t\0wo", 4)));
  EXPECT_EQ(log().Read(1, 3, kAll)->back().kind, EntryKind::kMember);
  EXPECT_EQ(log().TermOf(1), 6);
  EXPECT_EQ(log().TermOf(2), 7);
}

TEST_P(EntryLogContract, AHardStateNeedsNoEntryAndTheLastOneCounts) {
  ASSERT_TRUE(log().Append({}, HardState{.term = 1, .vote = 1}).ok());
  ASSERT_TRUE(log().Append({}, HardState{.term = 2, .vote = 0}).ok());
  EXPECT_EQ(log().hard_state(), (HardState{.term = 2}));
  Sync();

  Restart();

  EXPECT_EQ(log().hard_state(), (HardState{.term = 2}));
  EXPECT_EQ(log().last_index(), 0);
}

TEST_P(EntryLogContract, AnAppendInTheMidstCutsWhatStandsBehind) {
  AppendNumbers(1, 9, 1);
  Sync();

  Append({Entry(4, 2, "new")});

  EXPECT_EQ(log().last_index(), 4);
  EXPECT_EQ(log().TermOf(4), 2);
  EXPECT_THAT(Data(3, 5), ElementsAre("3", "new"));
  EXPECT_FALSE(log().Read(5, 6, kAll).ok());
}

TEST_P(EntryLogContract, WhatWasCutIsNotThereAfterAStart) {
  AppendNumbers(1, 9, 1);
  Sync();
  Append({Entry(4, 2, "new")});
  AppendNumbers(5, 6, 3);
  Append({Entry(6, 4, "newer")});
  Sync();

  Restart();

  EXPECT_EQ(log().last_index(), 6);
  EXPECT_THAT(Data(3, 7), ElementsAre("3", "new", "5", "newer"));
  EXPECT_EQ(log().TermOf(5), 3);
  EXPECT_EQ(log().TermOf(6), 4);
}

TEST_P(EntryLogContract, TheFirstEntryMayBeReplaced) {
  AppendNumbers(1, 3, 1);
  Append({Entry(1, 2, "new")});
  Sync();

  Restart();

  EXPECT_EQ(log().last_index(), 1);
  EXPECT_THAT(Data(1, 2), ElementsAre("new"));
}

TEST_P(EntryLogContract, EntriesThatWouldLeaveAGapAreRefused) {
  AppendNumbers(1, 3, 1);
  const std::vector<LogEntry> behind = {Entry(5, 1, "")};
  const std::vector<LogEntry> torn = {Entry(4, 1, ""), Entry(6, 1, "")};
  const std::vector<LogEntry> before = {Entry(0, 1, "")};

  EXPECT_EQ(log().Append(behind, std::nullopt).code(), ErrorCode::kInvalidOperation);
  EXPECT_EQ(log().Append(torn, std::nullopt).code(), ErrorCode::kInvalidOperation);
  EXPECT_EQ(log().Append(before, std::nullopt).code(), ErrorCode::kInvalidOperation);

  EXPECT_EQ(log().last_index(), 3);
  EXPECT_THAT(Data(1, 4), ElementsAre("1", "2", "3"));
}

TEST_P(EntryLogContract, ReadGivesAtLeastOneEntryAndNoMoreBytesThanAskedFor) {
  Append({Entry(1, 1, "four"), Entry(2, 1, "four"), Entry(3, 1, "four")});

  EXPECT_THAT(Data(1, 4, 0), ElementsAre("four"));
  EXPECT_THAT(Data(1, 4, 7), ElementsAre("four"));
  EXPECT_THAT(Data(1, 4, 8), ElementsAre("four", "four"));
  EXPECT_THAT(Data(1, 3, kAll), ElementsAre("four", "four"));
}

TEST_P(EntryLogContract, OnlyWhatIsInTheLogIsRead) {
  AppendNumbers(1, 3, 1);

  EXPECT_FALSE(log().Read(0, 2, kAll).ok());
  EXPECT_FALSE(log().Read(2, 2, kAll).ok());
  EXPECT_FALSE(log().Read(3, 5, kAll).ok());
}

TEST_P(EntryLogContract, ACutTakesNothingBehindTheIndex) {
  AppendNumbers(1, 9, 1);
  AppendNumbers(10, 20, 2);
  Sync();

  ASSERT_TRUE(log().CutUpTo(12).ok());

  EXPECT_LE(log().start().index, 12);
  EXPECT_EQ(log().start().term, log().TermOf(log().start().index));
  EXPECT_EQ(log().TermOf(12), 2);
  EXPECT_THAT(Data(13, 16), ElementsAre("13", "14", "15"));
  EXPECT_EQ(log().last_index(), 20);

  Restart();

  EXPECT_LE(log().start().index, 12);
  EXPECT_EQ(log().TermOf(12), 2);
  EXPECT_THAT(Data(13, 16), ElementsAre("13", "14", "15"));
  EXPECT_EQ(log().last_index(), 20);
}

TEST_P(EntryLogContract, ACutThatWasDoneIsNotAnError) {
  AppendNumbers(1, 9, 1);
  Sync();
  ASSERT_TRUE(log().CutUpTo(6).ok());

  EXPECT_TRUE(log().CutUpTo(6).ok());
  EXPECT_TRUE(log().CutUpTo(2).ok());
  EXPECT_TRUE(log().CutUpTo(0).ok());

  EXPECT_THAT(Data(7, 10), ElementsAre("7", "8", "9"));
}

TEST_P(EntryLogContract, WhatIsNotSyncedIsNotCut) {
  AppendNumbers(1, 3, 1);
  Sync();
  Append({Entry(3, 2, "new"), Entry(4, 2, "")});

  EXPECT_EQ(log().CutUpTo(3).code(), ErrorCode::kInvalidOperation);
  EXPECT_EQ(log().CutUpTo(5).code(), ErrorCode::kInvalidOperation);

  EXPECT_EQ(log().last_index(), 4);
  Sync();
  EXPECT_TRUE(log().CutUpTo(4).ok());
}

TEST_P(EntryLogContract, AllMayBeCutAndTheLogGoesOn) {
  AppendNumbers(1, 5, 1);
  Sync();
  ASSERT_TRUE(log().CutUpTo(5).ok());

  AppendNumbers(6, 7, 2);
  Sync();
  Restart();

  EXPECT_EQ(log().last_index(), 7);
  EXPECT_EQ(log().TermOf(5), 1);
  EXPECT_THAT(Data(6, 8), ElementsAre("6", "7"));
}

TEST_P(EntryLogContract, ASnapshotTakesThePlaceOfEverything) {
  AppendNumbers(1, 5, 1);
  Sync();
  const HardState state{.term = 8, .vote = 2, .commit = 100};

  ASSERT_TRUE(log().BeginAt({.index = 100, .term = 6}, state).ok());

  EXPECT_EQ(log().start(), (LogPlace{100, 6}));
  EXPECT_EQ(log().last_index(), 100);
  EXPECT_EQ(log().TermOf(100), 6);
  EXPECT_EQ(log().hard_state(), state);
}

TEST_P(EntryLogContract, ASnapshotIsThereAfterAStartWithoutASync) {
  AppendNumbers(1, 5, 1);
  const HardState state{.term = 8, .vote = 2, .commit = 100};
  ASSERT_TRUE(log().BeginAt({.index = 100, .term = 6}, state).ok());

  Restart();

  EXPECT_EQ(log().start(), (LogPlace{100, 6}));
  EXPECT_EQ(log().last_index(), 100);
  EXPECT_EQ(log().hard_state(), state);
}

TEST_P(EntryLogContract, TheLogGoesOnBehindASnapshot) {
  AppendNumbers(1, 5, 1);
  ASSERT_TRUE(log().BeginAt({.index = 3, .term = 6}, HardState{.term = 6}).ok());
  const std::vector<LogEntry> held = {Entry(3, 6, "")};

  EXPECT_FALSE(log().Append(held, std::nullopt).ok());
  AppendNumbers(4, 6, 7);
  Sync();
  Restart();

  EXPECT_EQ(log().start(), (LogPlace{3, 6}));
  EXPECT_THAT(Data(4, 7), ElementsAre("4", "5", "6"));
  EXPECT_EQ(log().TermOf(4), 7);
}

INSTANTIATE_TEST_SUITE_P(
    All, EntryLogContract,
    ::testing::Values(
        Kind{"Memory", [] { return std::make_unique<MemoryLogUnderTest>(); }},
        Kind{"Segments", [] { return std::make_unique<SegmentLogUnderTest>(64 << 20, 16 << 20); }},
        // A few records each, and nothing in memory.
        Kind{"SmallSegments", [] { return std::make_unique<SegmentLogUnderTest>(300, 0); }},
        // Every record in a segment of its own, and a few in memory.
        Kind{"SingleRecords", [] { return std::make_unique<SegmentLogUnderTest>(0, 200); }}),
    [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace wharf
