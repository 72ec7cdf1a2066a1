#include "storage/rocks/info_log.h"

#include <atomic>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "storage/rocks/rocks_store.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// A file that takes nothing while the disk is full.
class FillableFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FillableFile(std::unique_ptr<rocksdb::FSWritableFile> file, const std::atomic<bool>& is_full,
               std::atomic<int>& refused)
      : FSWritableFileOwnerWrapper(std::move(file)), is_full_(is_full), refused_(refused) {}

  using FSWritableFileOwnerWrapper::Append;
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    if (!is_full_) return FSWritableFileOwnerWrapper::Append(data, options, debug);
    ++refused_;
    return IOStatus::NoSpace("injected");
  }

 private:
  const std::atomic<bool>& is_full_;
  std::atomic<int>& refused_;
};

// A disk that has no space left for the info log.
class FillableFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FillableFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  void FillUp() { is_full_ = true; }
  void MakeSpace() { is_full_ = false; }
  int refused() const { return refused_; }

  const char* Name() const override { return "FillableFileSystem"; }
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, debug);
    if (status.ok() && path.ends_with("/LOG")) {
      *file = std::make_unique<FillableFile>(std::move(*file), is_full_, refused_);
    }
    return status;
  }
  // As RocksDB makes one, through the function above.
  IOStatus NewLogger(const std::string& path, const IOOptions& options,
                     std::shared_ptr<rocksdb::Logger>* logger, IODebugContext* debug) override {
    return FileSystem::NewLogger(path, options, logger, debug);
  }

 private:
  std::atomic<bool> is_full_ = false;
  std::atomic<int> refused_ = 0;
};

class InfoLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<RocksStore> OpenStore() {
    return RocksStore::Open(
               {.path = folder_.path(), .tables = {{.name = "messages"}}, .file_system = disk_})
        .value();
  }

  std::shared_ptr<rocksdb::Logger> OpenLog() {
    std::shared_ptr<rocksdb::Logger> log;
    const IOStatus status =
        WithInfoLog(disk_)->NewLogger(folder_.path() + "/LOG", IOOptions(), &log, nullptr);
    EXPECT_TRUE(status.ok());
    return log;
  }

  std::string Written() const {
    std::ostringstream text;
    text << std::ifstream(folder_.path() + "/LOG").rdbuf();
    return text.str();
  }

  TempFolder folder_;
  const std::shared_ptr<FillableFileSystem> disk_ = std::make_shared<FillableFileSystem>();
};

// reliability 16: RocksDB's own aborts at the second line.
TEST_F(InfoLogTest, AFullDiskDoesNotEndTheStore) {
  auto store = OpenStore();

  disk_->FillUp();
  for (int round = 0; round < 3; ++round) EXPECT_TRUE(store->CompactAll().ok());
  store.reset();

  EXPECT_GT(disk_->refused(), 1);
}

TEST_F(InfoLogTest, GoesOnWhenThereIsSpaceAgain) {
  const auto log = OpenLog();

  disk_->FillUp();
  rocksdb::Info(log, "lost");
  disk_->MakeSpace();
  rocksdb::Info(log, "kept");

  EXPECT_THAT(Written(), ContainsRegex("^[0-9/]+-[0-9:.]+ [0-9]+ kept\n$"));
}

TEST_F(InfoLogTest, WritesEachLineAtOnceWithItsTime) {
  const auto log = OpenLog();

  rocksdb::Info(log, "flushed %d rows of %s", 7, "messages");

  EXPECT_THAT(Written(), ContainsRegex("^20[0-9][0-9]/[01][0-9]/[0-3][0-9]-[0-2][0-9]:[0-5][0-9]:"
                                       "[0-5][0-9]\\.[0-9]+ [0-9]+ flushed 7 rows of messages\n$"));
}

TEST_F(InfoLogTest, WritesALongLineWhole) {
  const auto log = OpenLog();
  const std::string text(100'000, 'x');

  rocksdb::Info(log, "%s", text.c_str());

  EXPECT_THAT(Written(), HasSubstr(" " + text + "\n"));
}

// RocksDB asks for it to begin a new file in time.
TEST_F(InfoLogTest, TellsItsSize) {
  const auto log = OpenLog();

  rocksdb::Info(log, "a line");

  EXPECT_EQ(log->GetLogFileSize(), Written().size());
}

TEST_F(InfoLogTest, IsTheLogOfAStore) {
  ASSERT_TRUE(OpenStore()->CloseCleanly().ok());

  EXPECT_THAT(Written(), HasSubstr("RocksDB version"));
}

}  // namespace
}  // namespace wharf
