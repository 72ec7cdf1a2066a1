// A file that a compaction cannot read: it is named, and everything else goes on.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_store.h"
#include "tests/quiet_log.h"
#include "tests/storage/damaged_block.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class DamagedFilesTest : public ::testing::Test {
 protected:
  DamagedFilesTest() {
    Open();
    for (int row = 0; row < 200; ++row) Put(0, KeyOf(row), std::string(1000, 'x'));
    EXPECT_TRUE(store_->CloseCleanly().ok());
    DamagedBlock::FlipAt(DamagedBlock::FilesOf(folder(), "messages").at(0), 0.5);
    Open();
  }

  void Open() {
    store_.reset();
    Result<std::unique_ptr<RocksStore>> opened = RocksStore::Open(
        {.path = folder(),
         .tables = {{.name = "messages", .is_queue = true}, {.name = "other"}},
         .may_sleep = false,
         .on_background_failure = [this](const Status& failure) { failed_ = failure; },
         .on_damage = [this](const Status& damage) { heard_ += damage.is_damage() ? 1 : 0; }});
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = *std::move(opened);
  }

  void Put(TableId table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(table, key, value);
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  // RocksDB compacts four of them by itself.
  void PutInFilesOfTheirOwn(TableId table, int count) {
    for (int i = 0; i < count; ++i) {
      Put(table, KeyOf(i), "new");
      ASSERT_TRUE(store_->Flush().ok());
    }
  }

  void WaitUntilOneIsNamed() const {
    while (store_->damaged_files().empty()) std::this_thread::yield();
  }

  std::size_t Files(std::string_view table) const {
    return DamagedBlock::FilesOf(folder(), table).size();
  }

  static std::string KeyOf(int row) { return "row " + std::to_string(1000 + row); }
  std::string folder() const { return temp_.path(); }

  const QuietLog quiet_;
  const TempFolder temp_;
  Status failed_;
  std::atomic<int> heard_ = 0;
  std::unique_ptr<RocksStore> store_;
};

// A node of a cluster has another state to turn to.
TEST_F(DamagedFilesTest, WhoeverMeetsDamageItIsToldOf) {  // reliability 20, 69
  const auto wait_beyond = [this](int before) {
    while (heard_ <= before) std::this_thread::yield();
  };
  EXPECT_EQ(store_->View()->Get(0, KeyOf(0)).value(), std::string(1000, 'x'));
  EXPECT_EQ(heard_, 0) << "it lies elsewhere";

  const auto rows = store_->View()->Scan(0, {"", "~"});
  while (rows->valid()) rows->Next();
  EXPECT_TRUE(rows->status().is_damage());
  wait_beyond(0);

  const int by_reader = heard_;
  EXPECT_TRUE(store_->CheckFiles().is_damage());
  wait_beyond(by_reader);

  const int by_check = heard_;
  PutInFilesOfTheirOwn(0, 4);
  wait_beyond(by_check);
}

// reliability 20
TEST_F(DamagedFilesTest, ACompactionThatMeetsOneEndsNothing) {
  EXPECT_FALSE(store_->CompactAll().ok());
  WaitUntilOneIsNamed();

  EXPECT_THAT(store_->damaged_files(), ElementsAre(HasSubstr(".sst")));
  EXPECT_THAT(store_->damaged_files(), ElementsAre(StartsWith("messages/")));
  EXPECT_TRUE(failed_.ok());
  Put(0, KeyOf(500), "written behind it");
  EXPECT_TRUE(store_->Flush().ok());
  EXPECT_TRUE(store_->View()->Get(0, KeyOf(0)).ok());
}

// reliability 20
TEST_F(DamagedFilesTest, RocksDbDoesNotTryItAgainByItself) {
  PutInFilesOfTheirOwn(0, 4);
  WaitUntilOneIsNamed();

  PutInFilesOfTheirOwn(0, 40);

  EXPECT_THAT(store_->damaged_files(), SizeIs(1));
  EXPECT_GE(Files("messages"), 45U);
  EXPECT_TRUE(failed_.ok());
}

TEST_F(DamagedFilesTest, OtherTablesAreCompacted) {
  EXPECT_FALSE(store_->CompactAll().ok());
  WaitUntilOneIsNamed();

  PutInFilesOfTheirOwn(1, 20);

  EXPECT_TRUE(store_->CompactDead().ok());
  EXPECT_THAT(store_->damaged_files(), SizeIs(1));
}

TEST_F(DamagedFilesTest, EachStartGoesOnAndNamesItAgain) {
  for (int start = 0; start < 3; ++start) {
    Open();
    PutInFilesOfTheirOwn(0, 4);
    WaitUntilOneIsNamed();
    EXPECT_TRUE(failed_.ok());
    EXPECT_TRUE(store_->CloseCleanly().ok());
  }
}

TEST_F(DamagedFilesTest, ACursorGoesOnBehindTheDamage) {
  const auto view = store_->View();
  const auto rows = view->Scan(0, {"", "~"});
  int read = 0;
  for (; rows->valid(); rows->Next()) ++read;
  ASSERT_TRUE(rows->status().is_damage());

  int damaged = 0;
  for (int row = read; row < 200; ++row) {
    rows->Seek(KeyOf(row));
    damaged += rows->valid() ? 0 : 1;
  }

  EXPECT_GT(read, 50);
  EXPECT_GT(damaged, 0);
  EXPECT_LT(damaged, 40);
  EXPECT_TRUE(rows->status().ok());
}

// RocksDB's own iterator tells of damage that it left.
TEST_F(DamagedFilesTest, ACursorMayGoIntoTheDamageAndOutOfItAgain) {
  const auto view = store_->View();
  const auto rows = view->Scan(0, {"", "~"});
  int read = 0;
  for (; rows->valid(); rows->Next()) ++read;
  int behind = read;
  for (; !rows->valid(); ++behind) rows->Seek(KeyOf(behind));

  for (int ahead = 0; ahead < 10; ++ahead) {
    rows->Seek(KeyOf(read));
    EXPECT_FALSE(rows->valid());
    rows->Seek(KeyOf(behind + ahead));
    ASSERT_TRUE(rows->valid()) << ahead;
    EXPECT_EQ(rows->key(), KeyOf(behind + ahead));
  }
}

TEST_F(DamagedFilesTest, AValueInTheDamageIsDamageAndItsNeighbourIsThere) {
  const auto view = store_->View();

  EXPECT_TRUE(view->Get(0, KeyOf(100)).status().is_damage());
  EXPECT_TRUE(view->Get(0, KeyOf(0)).ok());
  EXPECT_TRUE(view->Get(0, KeyOf(199)).ok());
}

// Counts the table files that are begun: a compaction that has rows to keep begins at least one.
class CountingFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  CountingFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  int tables_begun() const { return tables_begun_; }

  const char* Name() const override { return "CountingFileSystem"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (path.ends_with(".sst")) ++tables_begun_;
    return FileSystemWrapper::NewWritableFile(path, options, file, debug);
  }

 private:
  std::atomic<int> tables_begun_ = 0;
};

// Tables in which a third of the rows are dead, so that they are worth a compaction.
class TidyingTest : public ::testing::Test {
 protected:
  TidyingTest() {
    Open();
    for (const TableId table : {0, 1}) {
      PutRows(table);
      RemoveEachSecond(table);
    }
    EXPECT_TRUE(store_->CloseCleanly().ok());
    store_.reset();
  }

  void Open() {
    Result<std::unique_ptr<RocksStore>> opened =
        RocksStore::Open({.path = folder_.path(),
                          .tables = {{.name = "damaged"}, {.name = "whole"}},
                          .file_system = files_,
                          .may_sleep = false});
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = *std::move(opened);
  }

  void PutRows(TableId table) {
    WriteBatch batch;
    for (int row = 0; row < 3000; ++row) batch.Put(table, KeyOf(row), std::string(4000, 'x'));
    Write(std::move(batch));
  }
  void RemoveEachSecond(TableId table) {
    WriteBatch batch;
    for (int row = 1; row < 3000; row += 2) batch.SingleDelete(table, KeyOf(row));
    Write(std::move(batch));
  }
  void Write(WriteBatch batch) {
    ASSERT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    ASSERT_TRUE(store_->Flush().ok());
  }

  void DamageRows() {
    const auto files = DamagedBlock::FilesOf(folder_.path(), "damaged");
    const auto largest =
        std::max_element(files.begin(), files.end(), [](const auto& one, const auto& other) {
          return std::filesystem::file_size(one) < std::filesystem::file_size(other);
        });
    DamagedBlock::FlipAt(*largest, 0.5);
  }

  static std::string KeyOf(int row) { return "row " + std::to_string(10000 + row); }

  const QuietLog quiet_;
  const TempFolder folder_;
  const std::shared_ptr<CountingFileSystem> files_ = std::make_shared<CountingFileSystem>();
  std::unique_ptr<RocksStore> store_;
};

// An idle broker tidies until it hears that there is nothing left to do.
TEST_F(TidyingTest, ATableWithDamageIsTriedOnceAndCountsAsTidied) {
  DamageRows();
  Open();
  const int before = files_->tables_begun();

  ASSERT_TRUE(store_->CompactDead().ok());
  const int after_first = files_->tables_begun();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_GT(after_first, before);
  EXPECT_EQ(files_->tables_begun(), after_first);
}

TEST_F(TidyingTest, TheOthersGiveTheirSpaceBack) {
  DamageRows();
  Open();
  const std::uint64_t before = store_->use().table_bytes;

  ASSERT_TRUE(store_->CompactDead().ok());

  EXPECT_LT(store_->use().table_bytes, before);
  EXPECT_TRUE(store_->View()->Get(1, KeyOf(0)).value());
}

}  // namespace
}  // namespace wharf
