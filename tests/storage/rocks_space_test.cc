// What a RocksStore takes of its disk, and what it gives back.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "storage/rocks/rocks_store.h"
#include "tests/quiet_log.h"
#include "tests/storage/function_judge.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

constexpr std::uint64_t kMegabyte = 1 << 20;
constexpr TableId kRows = 0;
constexpr TableId kBodies = 1;

class RocksSpaceTest : public ::testing::Test {
 protected:
  RocksSpaceTest() { Open(); }

  void Open(bool spares_disk = false) { Open(std::nullopt, spares_disk); }
  void Open(std::optional<GarbageOptions> garbage_of_rows, bool spares_disk = false) {
    store_.reset();
    store_ = RocksStore::Open(
                 {.path = folder_.path(),
                  .tables = {{.name = "rows",
                              .is_queue = true,
                              .is_deleted_singly = true,
                              .garbage = std::move(garbage_of_rows)},
                             {.name = "bodies", .in_blob_files = true, .is_deleted_singly = true}},
                  .spares_disk = spares_disk})
                 .value();
  }

  static std::string Key(int number) {
    const std::string digits = std::to_string(number);
    return std::string(8 - digits.size(), '0') + digits;
  }
  void Write(WriteBatch batch) {
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }
  void Put(TableId table, int from, int to, std::size_t bytes) {
    WriteBatch batch;
    for (int i = from; i < to; ++i)
      batch.Put(table, Key(i), std::string(bytes, static_cast<char>('a' + i % 26)));
    Write(std::move(batch));
  }
  void Remove(TableId table, int from, int to) {
    WriteBatch batch;
    for (int i = from; i < to; ++i) batch.SingleDelete(table, Key(i));
    Write(std::move(batch));
  }

  // In a file of 10 MB, and in one of 1 MB behind it.
  void PutOldAndNewBodies() {
    Put(kBodies, 0, 100, 100'000);
    ASSERT_TRUE(store_->Flush().ok());
    Put(kBodies, 100, 110, 100'000);
    ASSERT_TRUE(store_->Flush().ok());
  }
  void RemoveMostBodies() {
    Remove(kBodies, 0, 60);
    ASSERT_TRUE(store_->Flush().ok());
  }

  // The part of the blob files out of which compactions move what lives, as RocksDB writes down.
  double MovedByTheWay() const {
    std::filesystem::path newest;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      const bool has_options = file.path().filename().string().starts_with("OPTIONS-");
      if (has_options) newest = std::max(newest, file.path());
    }
    std::ifstream options(newest);
    std::string table;
    const std::string name = "  blob_garbage_collection_age_cutoff=";
    for (std::string line; std::getline(options, line);) {
      if (line.starts_with("[CFOptions")) table = line;
      if (table == "[CFOptions \"bodies\"]" && line.starts_with(name)) {
        return std::stod(line.substr(name.size()));
      }
    }
    ADD_FAILURE() << "no options are written down";
    return -1;
  }

  // What du says of the folder.
  std::uint64_t DiskBytes() const {
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      struct stat found = {};
      if (::stat(file.path().c_str(), &found) == 0)
        bytes += 512U * static_cast<std::uint64_t>(found.st_blocks);
    }
    return bytes;
  }
  std::size_t Files(const std::string& extension) const {
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      if (file.path().extension() == extension) ++count;
    }
    return count;
  }

  QuietLog quiet_;
  TempFolder folder_;
  std::unique_ptr<RocksStore> store_;
};

TEST_F(RocksSpaceTest, AnEmptyStoreTakesFewMegabytes) {
  Put(kRows, 0, 1, 10);

  EXPECT_LT(DiskBytes(), 8 * kMegabyte);
}

TEST_F(RocksSpaceTest, AFlushLetsTheLogGo) {
  Put(kBodies, 0, 100, 100'000);
  EXPECT_GT(store_->use().buffer_bytes, 9 * kMegabyte);

  ASSERT_TRUE(store_->Flush().ok());

  EXPECT_LT(store_->use().buffer_bytes, 9 * kMegabyte);
  EXPECT_LT(DiskBytes(), 18 * kMegabyte);
  EXPECT_GT(store_->use().blob_bytes, 9 * kMegabyte);
}

// A drained queue whose bodies had been flushed: nothing else is written, so no compaction comes.
TEST_F(RocksSpaceTest, SpaceOfAFewDeletedBodiesComesBack) {
  Put(kBodies, 0, 300, 80'000);
  ASSERT_TRUE(store_->Flush().ok());
  Remove(kBodies, 0, 300);
  ASSERT_GT(DiskBytes(), 20 * kMegabyte);

  ASSERT_TRUE(store_->Flush().ok());
  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_LT(DiskBytes(), 8 * kMegabyte);
}

TEST_F(RocksSpaceTest, SpaceOfADeletedRangeComesBack) {
  Put(kRows, 0, 3000, 4000);
  ASSERT_TRUE(store_->Flush().ok());
  WriteBatch purge;
  purge.DeleteRange(kRows, Key(0), Key(3000));
  Write(std::move(purge));

  ASSERT_TRUE(store_->Flush().ok());
  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_LT(DiskBytes(), 8 * kMegabyte);
}

TEST_F(RocksSpaceTest, WhatMostlyLivesIsLeftAlone) {
  Put(kRows, 0, 3000, 4000);
  ASSERT_TRUE(store_->Flush().ok());
  Remove(kRows, 0, 300);
  ASSERT_TRUE(store_->Flush().ok());
  const std::uint64_t bytes = store_->use().table_bytes;

  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_EQ(store_->use().table_bytes, bytes);
}

TEST_F(RocksSpaceTest, ACompactionThatMayNotFitIsPutOff) {
  Put(kRows, 0, 3000, 4000);
  ASSERT_TRUE(store_->Flush().ok());
  WriteBatch purge;
  purge.DeleteRange(kRows, Key(0), Key(1500));
  Write(std::move(purge));
  ASSERT_TRUE(store_->Flush().ok());
  const std::uint64_t bytes = store_->use().table_bytes;

  store_->LimitCompactions(kMegabyte);
  ASSERT_TRUE(store_->CompactDead().ok());
  EXPECT_EQ(store_->use().table_bytes, bytes);

  store_->LimitCompactions(100 * kMegabyte);
  ASSERT_TRUE(store_->CompactDead().ok());
  EXPECT_LT(store_->use().table_bytes, bytes * 2 / 3);
}

// It is known that next to nothing will be written.
TEST_F(RocksSpaceTest, WhatIsWhollyDeadGoesThoughItWouldNotFitAgain) {
  Put(kRows, 0, 3000, 4000);
  ASSERT_TRUE(store_->Flush().ok());
  Remove(kRows, 0, 3000);
  ASSERT_TRUE(store_->Flush().ok());
  store_->LimitCompactions(kMegabyte);

  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_EQ(store_->use().table_bytes, 0U);
}

// Compactions move live values out of old blob files; on a full disk there is no room for that.
TEST_F(RocksSpaceTest, BodiesThatLiveAreNotMovedWhereThereIsNoRoom) {
  Put(kBodies, 0, 100, 100'000);
  ASSERT_TRUE(store_->Flush().ok());
  Remove(kBodies, 0, 50);
  ASSERT_TRUE(store_->Flush().ok());
  store_->LimitCompactions(10'000);

  ASSERT_TRUE(store_->CompactDead().ok());
  EXPECT_EQ(Files(".blob"), 1U);
  EXPECT_GT(store_->use().blob_bytes, 9 * kMegabyte);
}

// A part of the blob files is one of their number: the older half of two may be nearly all.
TEST_F(RocksSpaceTest, WhatIsMovedIsCountedInBytes) {
  PutOldAndNewBodies();
  const std::uint64_t moved_bytes = store_->LimitCompactions(30 * kMegabyte);

  RemoveMostBodies();
  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_LT(moved_bytes, 8 * kMegabyte);
  EXPECT_GT(store_->use().blob_bytes, 10 * kMegabyte);
}

// The limit was said of an empty store, and before anybody looks again there are files.
TEST_F(RocksSpaceTest, WhatIsFlushedAfterTheLookIsNotMovedBeyondIt) {
  const std::uint64_t moved_bytes = store_->LimitCompactions(20 * kMegabyte);

  PutOldAndNewBodies();
  RemoveMostBodies();
  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_LT(moved_bytes, 6 * kMegabyte);
  EXPECT_GT(store_->use().blob_bytes, 10 * kMegabyte);
}

TEST_F(RocksSpaceTest, WhereThereIsRoomOldBodiesAreMovedAndThatIsSaid) {
  PutOldAndNewBodies();

  const std::uint64_t moved_bytes = store_->LimitCompactions(1000 * kMegabyte);
  RemoveMostBodies();
  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_GT(moved_bytes, 9 * kMegabyte);
  EXPECT_LT(store_->use().blob_bytes, 6 * kMegabyte);
}

// RocksDB would move what lives whenever it rewrites keys: a backlog was written once more each
// time that it had grown by a little.
TEST_F(RocksSpaceTest, BodiesAreMovedByTheWayWhereAsMuchIsDead) {
  EXPECT_EQ(MovedByTheWay(), 0);
  PutOldAndNewBodies();
  store_->LimitCompactions(1000 * kMegabyte);
  EXPECT_EQ(MovedByTheWay(), 0);

  // They are known to be dead when their keys have been compacted; which moves nothing here.
  // The second look knows that none has begun before the first.
  for (int look = 0; look < 2; ++look) store_->LimitCompactions(kMegabyte);
  Remove(kBodies, 0, 60);
  ASSERT_TRUE(store_->CompactAll().ok());
  EXPECT_EQ(MovedByTheWay(), 0);
  store_->LimitCompactions(1000 * kMegabyte);
  EXPECT_EQ(MovedByTheWay(), 0.5);

  // By hand they are moved; and nothing is left that is worth it.
  ASSERT_TRUE(store_->CompactDead().ok());
  EXPECT_LT(store_->use().blob_bytes, 6 * kMegabyte);
  store_->LimitCompactions(1000 * kMegabyte);
  EXPECT_EQ(MovedByTheWay(), 0);
}

TEST_F(RocksSpaceTest, WhatIsMovedByHandIsNotMovedByTheWay) {
  PutOldAndNewBodies();
  store_->LimitCompactions(1000 * kMegabyte);
  RemoveMostBodies();
  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_LT(store_->use().blob_bytes, 6 * kMegabyte);
  EXPECT_EQ(MovedByTheWay(), 0);
}

// What a compaction began with it keeps to, whatever is said later.
class RunningCompactionTest : public RocksSpaceTest {
 protected:
  RunningCompactionTest() {
    Open(JudgedByKey([this](std::string_view, std::string_view) {
      if (is_held_.exchange(false)) {
        has_begun_.count_down();
        may_go_on_.wait();
      }
      return false;
    }));
    PutOldAndNewBodies();
    Put(kRows, 0, 3000, 4000);
    EXPECT_TRUE(store_->Flush().ok());
  }

  // While one of rows waits for its first row.
  void ExpectToBeCounted(const std::function<void()>& compact) {
    const std::uint64_t at_begin = store_->LimitCompactions(1000 * kMegabyte);
    EXPECT_GT(at_begin, 0U);
    is_held_ = true;
    std::thread compacting(compact);
    has_begun_.wait();

    for (int look = 0; look < 3; ++look) EXPECT_EQ(store_->LimitCompactions(0), at_begin);

    may_go_on_.count_down();
    compacting.join();
    EXPECT_EQ(store_->LimitCompactions(0), 0U);
  }

 private:
  std::atomic<bool> is_held_ = false;
  std::latch has_begun_{1};
  std::latch may_go_on_{1};
};

TEST_F(RunningCompactionTest, OneOfATableMayMoveWhatItCouldWhenItBegan) {
  Remove(kRows, 0, 2000);
  ASSERT_TRUE(store_->Flush().ok());
  ExpectToBeCounted([this] { EXPECT_TRUE(store_->CompactDead().ok()); });
}

TEST_F(RunningCompactionTest, OneOfFilesMayMoveWhatItCouldWhenItBegan) {
  ASSERT_TRUE(store_->CompactAll().ok());
  WriteBatch purge;
  purge.DeleteRange(kRows, Key(1000), Key(2000));
  Write(std::move(purge));
  store_->NoteFreed({{kRows, {Key(1000), Key(2000)}}});
  ASSERT_TRUE(store_->Flush().ok());
  ExpectToBeCounted([this] {
    std::uint64_t bytes = 0;
    for (int step = 0; step < 100 && bytes == 0; ++step) {
      bytes = store_->ReturnSpace(/*is_quiet=*/false).value().bytes;
    }
    EXPECT_GT(bytes, 0U);
  });
}

// RocksDB counts it among those that run.
TEST_F(RocksSpaceTest, OneThatIsPutOffIsNotUnderWay) {
  PutOldAndNewBodies();
  EXPECT_GT(store_->LimitCompactions(1000 * kMegabyte), 0U);
  store_->LimitCompactions(0);
  for (int file = 0; file < 5; ++file) {
    Put(kRows, 0, 100, 4000);
    ASSERT_TRUE(store_->Flush().ok());
  }

  EXPECT_EQ(store_->LimitCompactions(0), 0U);
}

TEST_F(RocksSpaceTest, AStartThatSparesTheDiskWritesNoTable) {
  Put(kBodies, 0, 300, 100'000);

  Open(/*spares_disk=*/true);

  EXPECT_EQ(Files(".sst") + Files(".blob"), 0U);
  EXPECT_EQ(store_->View()->Get(kBodies, Key(299)).value(),
            std::string(100'000, static_cast<char>('a' + 299 % 26)));
  Put(kRows, 0, 1, 10);
  Open(/*spares_disk=*/true);
  EXPECT_TRUE(store_->View()->Get(kRows, Key(0)).value());
  EXPECT_EQ(Files(".sst") + Files(".blob"), 0U);

  ASSERT_TRUE(store_->Flush().ok());
  EXPECT_LT(DiskBytes(), 40 * kMegabyte);
  Open();
  EXPECT_TRUE(store_->View()->Get(kBodies, Key(0)).value());
}

}  // namespace
}  // namespace wharf
