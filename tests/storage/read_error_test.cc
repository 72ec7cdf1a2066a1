// A disk that does not answer a read: that is no damage, and passes with the error.

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "storage/rocks/rocks_store.h"
#include "tests/quiet_log.h"
#include "tests/storage/damaged_block.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class SilentFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  SilentFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, const std::atomic<bool>& is_silent)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), is_silent_(is_silent) {}

  IOStatus Read(std::uint64_t offset, std::size_t bytes, const IOOptions& options,
                rocksdb::Slice* result, char* scratch, IODebugContext* debug) const override {
    if (is_silent_) return IOStatus::IOError("injected: no answer");
    return FSRandomAccessFileOwnerWrapper::Read(offset, bytes, options, result, scratch, debug);
  }
  IOStatus Prefetch(std::uint64_t /*offset*/, std::size_t /*bytes*/, const IOOptions& /*options*/,
                    IODebugContext* /*debug*/) override {
    return IOStatus::NotSupported();
  }

 private:
  const std::atomic<bool>& is_silent_;
};

class SilentFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  SilentFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  void Answer(bool answers) { is_silent_ = !answers; }

  const char* Name() const override { return "SilentFileSystem"; }
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                               IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewRandomAccessFile(path, options, file, debug);
    if (status.ok()) *file = std::make_unique<SilentFile>(std::move(*file), is_silent_);
    return status;
  }

 private:
  std::atomic<bool> is_silent_ = false;
};

class ReadErrorTest : public ::testing::Test {
 protected:
  ReadErrorTest() {
    Open();
    for (int row = 0; row < 200; ++row) {
      WriteBatch batch;
      batch.Put(0, KeyOf(row), std::string(1000, 'x'));
      EXPECT_TRUE(store_->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    }
    EXPECT_TRUE(store_->CloseCleanly().ok());
    store_.reset();
  }

  void Open() {
    Result<std::unique_ptr<RocksStore>> opened = RocksStore::Open({.path = folder_.path(),
                                                                   .tables = {{.name = "rows"}},
                                                                   .file_system = files_,
                                                                   .may_sleep = false});
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    store_ = *std::move(opened);
  }

  static std::string KeyOf(int row) { return "row " + std::to_string(1000 + row); }

  const QuietLog quiet_;
  const TempFolder folder_;
  const std::shared_ptr<SilentFileSystem> files_ = std::make_shared<SilentFileSystem>();
  std::unique_ptr<RocksStore> store_;
};

TEST_F(ReadErrorTest, ARowThatTheDiskDoesNotGiveIsNotDamagedAndComesLater) {
  Open();
  const auto view = store_->View();

  files_->Answer(false);
  const Status failed = view->Get(0, KeyOf(100)).status();
  files_->Answer(true);

  EXPECT_EQ(failed.code(), ErrorCode::kGeneralError);
  EXPECT_FALSE(failed.is_damage());
  EXPECT_EQ(view->Get(0, KeyOf(100)).value(), std::string(1000, 'x'));
}

TEST_F(ReadErrorTest, AWalkThatTheDiskEndsHasNotMetDamage) {
  Open();
  const auto view = store_->View();

  files_->Answer(false);
  const auto rows = view->Scan(0, {"", "~"});
  const bool is_valid = rows->valid();
  const Status failed = rows->status();
  files_->Answer(true);

  EXPECT_FALSE(is_valid);
  EXPECT_EQ(failed.code(), ErrorCode::kGeneralError);
  EXPECT_FALSE(failed.is_damage());
  EXPECT_TRUE(view->Scan(0, {"", "~"})->valid());
}

TEST_F(ReadErrorTest, BytesThatAreNotThoseThatWereWrittenAreDamage) {
  DamagedBlock::FlipAt(DamagedBlock::FilesOf(folder_.path(), "rows").at(0), 0.5);
  Open();

  EXPECT_TRUE(store_->View()->Get(0, KeyOf(100)).status().is_damage());
}

}  // namespace
}  // namespace wharf
