// Space that comes back where rows are dead, by compactions of few files.

#include "storage/rocks/space_returner.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/base/mutex.h"
#include "storage/rocks/rocks_store.h"
#include "tests/from_environment.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"
#include "tests/storage/damaged_block.h"
#include "tests/storage/function_judge.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::IsSupersetOf;
using ::testing::SizeIs;

// Rows of 1 KiB that nothing compresses, in files of 256 KiB. Of one table a judge calls garbage
// what lies in ranges that the test names.
class SpaceReturnerTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMiB = 1 << 20;
  static constexpr TableId kRows = 0;
  static constexpr TableId kGarbage = 1;
  static constexpr TableId kBodies = 2;
  static constexpr std::size_t kFileBytes = 256 << 10;
  static constexpr int kRowsInFile = 256;

  SpaceReturnerTest() { Open(); }

  void Open(bool spares_disk = false) {
    store_.reset();
    GarbageOptions garbage = JudgedByKey([this](std::string_view key, std::string_view) {
      MutexLock lock(mutex_);
      return !judge_keeps_ &&
             std::any_of(garbage_.begin(), garbage_.end(), [&](const KeyRange& range) {
               return range.begin <= key && key < range.end;
             });
    });
    garbage.ranges = [this](std::string_view from, std::size_t count) {
      std::vector<KeyRange> ranges;
      MutexLock lock(mutex_);
      for (const KeyRange& range : garbage_) {
        if (range.end > from && ranges.size() < count) ranges.push_back(range);
      }
      return ranges;
    };
    Result<std::unique_ptr<RocksStore>> opened = RocksStore::Open(
        {.path = folder_.path(),
         .tables = {{.name = "rows", .is_queue = true, .is_deleted_singly = true},
                    {.name = "garbage", .is_deleted_singly = true, .garbage = garbage},
                    {.name = "bodies", .in_blob_files = true, .is_deleted_singly = true}},
         .spares_disk = spares_disk,
         .file_bytes_max = kFileBytes,
         .seconds_ahead = &seconds_ahead_,
         .may_sleep = false,
         .on_background_failure = [](const Status& failure) { FAIL() << failure.message(); }});
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store_ = *std::move(opened);
    store_->LimitCompactions(1 << 30);
  }

  static std::string Key(int number) {
    const std::string digits = std::to_string(number);
    return std::string(8 - digits.size(), '0') + digits;
  }
  static KeyRange Range(int from, int to) { return {Key(from), Key(to)}; }
  std::string RandomValue(std::size_t bytes = 1024) {
    std::string value(bytes, '\0');
    for (char& byte : value) byte = static_cast<char>(random_());
    return value;
  }
  void Write(WriteBatch batch) {
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }
  void Put(TableId table, int from, int to, std::size_t bytes = 1024) {
    WriteBatch batch;
    for (int i = from; i < to; ++i) batch.Put(table, Key(i), RandomValue(bytes));
    Write(std::move(batch));
  }
  void PutInFiles(TableId table, int from, int to) {
    Put(table, from, to);
    ASSERT_TRUE(store_->CompactAll().ok());
  }
  // Flushed one by one: RocksDB may move a file of level 0 down as it is before all is compacted.
  void PutFileByFile(TableId table, int from, int to) {
    for (int begin = from; begin < to; begin += kRowsInFile) {
      Put(table, begin, std::min(begin + kRowsInFile, to));
      ASSERT_TRUE(store_->Flush().ok());
    }
    ASSERT_TRUE(store_->CompactAll().ok());
  }
  void Purge(TableId table, int from, int to) {
    WriteBatch batch;
    batch.DeleteRange(table, Key(from), Key(to));
    Write(std::move(batch));
    store_->NoteFreed({{table, Range(from, to)}});
  }

  void SetGarbage(std::vector<KeyRange> garbage) {
    MutexLock lock(mutex_);
    garbage_ = std::move(garbage);
  }
  void KeepGarbage() {
    MutexLock lock(mutex_);
    judge_keeps_ = true;
  }

  StoreSpace::Step Step(bool is_quiet = false) {
    const Result<StoreSpace::Step> step = store_->ReturnSpace(is_quiet);
    EXPECT_TRUE(step.ok()) << step.status().message();
    return step.ok() ? *step : StoreSpace::Step();
  }
  // Until there is nothing more to do. RocksDB may be at it, too.
  void ReturnAll(bool is_quiet = false) {
    int steps = 0;
    for (int idle_steps = 0; idle_steps < 3;) {
      ASSERT_LT(++steps, 100'000);
      if (Step(is_quiet).bytes == 0 && store_->use().dead_bytes < 64 << 10) ++idle_steps;
    }
  }

  int Count(TableId table) const {
    const auto view = store_->View();
    const auto rows = view->Scan(table, {"", "~"});
    int count = 0;
    for (; rows->valid(); rows->Next()) ++count;
    EXPECT_TRUE(rows->status().ok());
    return count;
  }
  std::vector<std::string> Files(std::string_view table) const {
    return DamagedBlock::FilesOf(folder_.path(), table);
  }
  std::uint64_t BytesOf(const std::string& extension) const {
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      if (file.path().extension() == extension) bytes += file.file_size();
    }
    return bytes;
  }

  const QuietLog quiet_;
  const TempFolder folder_;
  std::atomic<std::int64_t> seconds_ahead_ = 0;
  // Compactions ask.
  Mutex mutex_;
  std::vector<KeyRange> garbage_ ABSL_GUARDED_BY(mutex_);  // In order.
  bool judge_keeps_ ABSL_GUARDED_BY(mutex_) = false;       // And does not say why.
  std::mt19937_64 random_{1};
  std::unique_ptr<RocksStore> store_;
};

TEST_F(SpaceReturnerTest, WhatWasPurgedComesBackWhenItsDeletionIsInAFile) {  // PRG-1
  PutInFiles(kRows, 0, 4000);
  Purge(kRows, 1000, 3000);

  const StoreSpace::Step step = Step();
  EXPECT_EQ(step.bytes, 0U);
  EXPECT_TRUE(step.waits_for_flush);
  EXPECT_GT(store_->use().dead_bytes, 15 * kMiB / 10);

  ASSERT_TRUE(store_->Flush().ok());
  ReturnAll();
  EXPECT_FALSE(Step().waits_for_flush);
  EXPECT_EQ(store_->use().dead_bytes, 0U);
  EXPECT_GT(store_->use().returned_bytes, 18 * kMiB / 10);
  EXPECT_LT(store_->use().table_bytes, 24 * kMiB / 10);
  EXPECT_EQ(Count(kRows), 2000);
}

// Whether its deletion is in a file then, or in the log only.
TEST_F(SpaceReturnerTest, WhatWasPurgedInAnEarlierLifeComesBack) {  // PRG-1
  for (const bool is_flushed : {false, true}) {
    PutInFiles(kRows, 0, 4000);
    Purge(kRows, 1000, 3000);
    if (is_flushed) {
      ASSERT_TRUE(store_->Flush().ok());
    }
    Open();

    ReturnAll();

    EXPECT_EQ(store_->use().dead_bytes, 0U);
    EXPECT_LT(store_->use().table_bytes, 24 * kMiB / 10);
    EXPECT_EQ(Count(kRows), 2000);
    Purge(kRows, 0, 4000);
    ASSERT_TRUE(store_->CompactAll().ok());
  }
}

TEST_F(SpaceReturnerTest, AStartRewritesNothingOfWhatLives) {
  PutInFiles(kRows, 0, 4000);
  Purge(kRows, 5000, 6000);
  ASSERT_TRUE(store_->Flush().ok());
  Open();

  for (int i = 0; i < 5; ++i) EXPECT_EQ(Step().bytes, 0U);
  EXPECT_EQ(store_->use().dead_bytes, 0U);
}

// Of very many small purges the first are known; what lives between the rest is no matter of
// theirs.
TEST_F(SpaceReturnerTest, AStartRewritesNothingOfWhatLivesBetweenManyPurges) {
  PutInFiles(kRows, 0, 8000);
  for (int i = 0; i < 800; ++i) Purge(kRows, i * 10, i * 10 + 1);
  ASSERT_TRUE(store_->Flush().ok());
  Open();

  for (int i = 0; i < 5; ++i) EXPECT_EQ(Step().bytes, 0U);
  EXPECT_EQ(store_->use().dead_bytes, 0U);
}

// One file has the deletions of many ranges, none of which is worth compacting what lies beneath
// it.
TEST_F(SpaceReturnerTest, WhatManyPurgesFreedTogetherComesBack) {  // PRG-1
  PutInFiles(kRows, 0, 16'000);
  for (int i = 0; i < 40; ++i) Purge(kRows, i * 400, i * 400 + 300);
  ASSERT_TRUE(store_->Flush().ok());

  ReturnAll();

  EXPECT_EQ(store_->use().dead_bytes, 0U);
  EXPECT_LT(store_->use().table_bytes, 5 * kMiB);
  EXPECT_EQ(Count(kRows), 4000);
}

// With little room a start writes no tables, and the deletion waits in memory.
TEST_F(SpaceReturnerTest, WhatWasPurgedIsKnownWhenTheStartsMemoryIsInFiles) {  // PRG-1
  PutInFiles(kRows, 0, 4000);
  Purge(kRows, 1000, 3000);
  Open(/*spares_disk=*/true);
  EXPECT_EQ(Step().bytes, 0U);
  ASSERT_TRUE(store_->Flush().ok());

  ReturnAll();

  EXPECT_EQ(store_->use().dead_bytes, 0U);
  EXPECT_LT(store_->use().table_bytes, 24 * kMiB / 10);
}

// Three levels: a base of four files, and what is ten times as large.
TEST_F(SpaceReturnerTest, DeletionsComeDownThroughAllLevels) {
  PutInFiles(kRows, 0, 12'000);
  for (int i = 0; i < 12'000; i += 100) Put(kRows, i, i + 10);
  ASSERT_TRUE(store_->Flush().ok());
  Purge(kRows, 0, 11'000);
  ASSERT_TRUE(store_->Flush().ok());

  ReturnAll();

  EXPECT_LT(store_->use().table_bytes, 15 * kMiB / 10);
  EXPECT_EQ(Count(kRows), 1000);
}

// Their tables hold only keys, so these bytes would seem to be few.
TEST_F(SpaceReturnerTest, WhatLargeValuesTakeCountsAndComesBack) {
  Put(kBodies, 0, 6000, 2000);
  ASSERT_TRUE(store_->CompactAll().ok());
  Purge(kBodies, 0, 6000);
  ASSERT_TRUE(store_->Flush().ok());
  Step();
  EXPECT_GT(store_->use().dead_bytes + store_->use().returned_bytes, 100'000U);

  ReturnAll();

  EXPECT_LT(BytesOf(".blob"), kMiB);
}

TEST_F(SpaceReturnerTest, GarbageComesBackFileByFile) {
  PutFileByFile(kGarbage, 0, 20 * kRowsInFile);
  SetGarbage({Range(0, 10 * kRowsInFile)});

  EXPECT_LT(Step().bytes, 3 * kFileBytes);
  ReturnAll();

  EXPECT_EQ(Count(kGarbage), 10 * kRowsInFile);
  EXPECT_GE(store_->use().dropped_rows, 10U * kRowsInFile);
  EXPECT_LT(store_->use().table_bytes, 11 * kFileBytes);
  // What lives was not rewritten, but for a file at the edge.
  EXPECT_LT(store_->use().rewritten_bytes, 13 * kFileBytes);
}

TEST_F(SpaceReturnerTest, TheDeadestFileComesFirstAndATenthIsNotWorthIt) {
  PutFileByFile(kGarbage, 0, 9 * kRowsInFile);
  SetGarbage({Range(300, 325), Range(900, 1060), Range(1600, 1840)});

  const std::uint64_t first = (Step(), store_->use().returned_bytes);
  EXPECT_GT(first, 180'000U);
  const std::uint64_t second = (Step(), store_->use().returned_bytes - first);
  EXPECT_GT(second, 100'000U);
  EXPECT_LT(second, first);

  EXPECT_EQ(Step().bytes, 0U);
  EXPECT_GT(store_->use().dead_bytes, 15'000U);
}

TEST_F(SpaceReturnerTest, WhatCannotBeDroppedIsNotRewrittenAgain) {
  PutFileByFile(kGarbage, 0, 4 * kRowsInFile);
  KeepGarbage();
  SetGarbage({Range(0, 2 * kRowsInFile)});

  int steps = 0;
  while (Step().bytes > 0) ASSERT_LT(++steps, 10);
  EXPECT_GT(steps, 0);
  EXPECT_EQ(Count(kGarbage), 4 * kRowsInFile);
  EXPECT_EQ(store_->use().dead_bytes, 0U);
  // What comes to it is.
  SetGarbage({Range(0, 3 * kRowsInFile)});
  EXPECT_GT(Step().bytes, 0U);
  EXPECT_GT(store_->use().dead_bytes, kFileBytes / 2);
}

TEST_F(SpaceReturnerTest, FilesOfLevel0WaitUntilNothingIsWritten) {
  Put(kGarbage, 0, 200);
  ASSERT_TRUE(store_->Flush().ok());
  SetGarbage({Range(0, 150)});

  EXPECT_EQ(Step(/*is_quiet=*/false).bytes, 0U);
  EXPECT_GT(Step(/*is_quiet=*/true).bytes, 0U);
  EXPECT_EQ(Count(kGarbage), 50);
}

// Hour by hour, two days long; RocksDB looks at the ages of files whenever some are written.
TEST_F(SpaceReturnerTest, AQuietBacklogIsNotRewritten) {  // rule 17
  PutInFiles(kRows, 0, 10 * kRowsInFile);
  PutFileByFile(kGarbage, 0, 10 * kRowsInFile);
  const std::vector<std::string> rows = Files("rows");
  const std::vector<std::string> garbage = Files("garbage");
  ASSERT_GT(rows.size(), 5U);

  for (int hour = 0; hour < 48; ++hour) {
    seconds_ahead_ += 3600;
    Put(kRows, 100'000 + hour, 100'001 + hour);
    Put(kGarbage, 100'000 + hour, 100'001 + hour);
    ASSERT_TRUE(store_->Flush().ok());
    EXPECT_EQ(Step(/*is_quiet=*/true).bytes, 0U);
    ASSERT_TRUE(store_->CompactDead().ok());
  }

  ASSERT_TRUE(store_->CloseCleanly().ok());
  EXPECT_THAT(Files("rows"), IsSupersetOf(rows));
  EXPECT_THAT(Files("garbage"), IsSupersetOf(garbage));
  store_.reset();
}

TEST_F(SpaceReturnerTest, ATableWithADamagedFileIsLeftAloneAndOthersAreNot) {
  PutFileByFile(kGarbage, 0, 2 * kRowsInFile);
  PutInFiles(kRows, 0, 2 * kRowsInFile);
  ASSERT_TRUE(store_->CloseCleanly().ok());
  store_.reset();
  for (const std::string& file : Files("garbage")) DamagedBlock::FlipAt(file, 0.5);
  Open();
  SetGarbage({Range(0, 2 * kRowsInFile)});

  EXPECT_EQ(Step().bytes, 0U);
  while (store_->damaged_files().empty()) std::this_thread::yield();
  EXPECT_THAT(store_->damaged_files(), SizeIs(1));
  const std::size_t files = Files("garbage").size();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Step().bytes, 0U);
  EXPECT_EQ(Files("garbage").size(), files);

  Purge(kRows, 0, 2 * kRowsInFile);
  ASSERT_TRUE(store_->Flush().ok());
  while (Step().bytes > 0) continue;
  EXPECT_EQ(Count(kRows), 0);
  EXPECT_TRUE(Files("rows").empty());
}

// As in RocksSpaceTest; what is dead does not count.
TEST_F(SpaceReturnerTest, OnAFullDiskOnlyWhatIsDeadIsRewritten) {
  PutFileByFile(kGarbage, 0, 4 * kRowsInFile);
  SetGarbage({Range(0, kRowsInFile * 3 / 2), Range(kRowsInFile * 4 / 2, 4 * kRowsInFile - 100)});
  store_->LimitCompactions(0);

  const std::uint64_t before = store_->use().table_bytes;
  while (Step().bytes > 0) continue;
  const std::uint64_t full = store_->use().table_bytes;
  EXPECT_LT(full, before);
  EXPECT_GT(full, kFileBytes);

  store_->LimitCompactions(kMiB);
  while (Step().bytes > 0) continue;
  EXPECT_LT(store_->use().table_bytes, full);
}

// What a compaction finds is broken off when the store closes, on whichever thread it runs.
TEST_F(SpaceReturnerTest, TheEndOfWorkBreaksAStepOff) {
  PutFileByFile(kGarbage, 0, 8 * kRowsInFile);
  SetGarbage({Range(0, 8 * kRowsInFile)});
  std::atomic<bool> is_over = false;
  std::thread lazy([&] {
    while (!is_over) Step(/*is_quiet=*/true);
    EXPECT_TRUE(store_->Flush().ok());
    EXPECT_TRUE(store_->CompactDead().ok());
    EXPECT_EQ(Step().bytes, 0U);
  });

  EXPECT_TRUE(store_->EndWork().ok());
  is_over = true;
  lazy.join();

  EXPECT_TRUE(store_->CloseCleanly().ok());
  store_.reset();
}

// All at once, at random: rows that are put, settled, purged and expire, flushes, restarts without
// an orderly end, and what RocksDB compacts by itself.
class SpaceReturnerLifeTest : public SpaceReturnerTest {
 protected:
  void Begin(std::uint64_t seed) {
    random_.seed(seed);
    first_ = next_ = expired_ = next_ + 50'000;
    rows_.clear();
    SetGarbage({});
    for (const TableId table : {kRows, kGarbage}) Purge(table, 0, first_);
  }

  void Act() {
    switch (Draw(9)) {
      case 0:
      case 1:
      case 2:
        return PutSome();
      case 3:
        return SettleSome();
      case 4:
        return PurgeSome();
      case 5:
        return ExpireSome();
      case 6:
        ASSERT_TRUE(store_->Flush().ok());
        return;
      case 7:
        if (Draw(10) == 0) Open();
        return;
      default:
        Step(/*is_quiet=*/Draw(2) == 0);
    }
  }

  void ExpectWhole() {
    ASSERT_EQ(Count(kRows), static_cast<int>(rows_.size()));
    const auto view = store_->View();
    for (const int row : rows_) ASSERT_TRUE(*view->Get(kRows, Key(row))) << row;
    for (int row = expired_; row < next_; ++row) {
      ASSERT_TRUE(*view->Get(kGarbage, Key(row))) << row;
    }
  }

 private:
  int Draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  void PutSome() {
    const int count = Draw(100);
    Put(kRows, next_, next_ + count);
    Put(kGarbage, next_, next_ + count);
    for (int i = 0; i < count; ++i) rows_.insert(next_++);
  }
  void SettleSome() {
    WriteBatch batch;
    for (int i = 0; i < 50; ++i) {
      const auto row = rows_.lower_bound(first_ + Draw(next_ - first_ + 1));
      if (row == rows_.end()) continue;
      batch.SingleDelete(kRows, Key(*row));
      rows_.erase(row);
    }
    Write(std::move(batch));
  }
  void PurgeSome() {
    const int from = first_ + Draw(next_ - first_ + 1);
    const int to = from + 1 + Draw(1000);
    Purge(kRows, from, to);
    rows_.erase(rows_.lower_bound(from), rows_.lower_bound(to));
  }
  void ExpireSome() {
    expired_ += Draw(next_ - expired_ + 1);
    SetGarbage({Range(first_, expired_)});
  }

  int first_ = 0;
  int next_ = 0;
  int expired_ = 0;
  std::set<int> rows_;
};

TEST_F(SpaceReturnerLifeTest, WhateverIsGivenBackRowsAreAsTheyWere) {
  const std::uint64_t rounds = FromEnvironment("WHARF_ROUNDS", 3);
  const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const SeedNote note("WHARF_SEED=" + std::to_string(seed));
    Begin(seed);
    for (int act = 0; act < 300; ++act) Act();
    ExpectWhole();
  }
}

}  // namespace
}  // namespace wharf
