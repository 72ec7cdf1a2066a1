// A disk that is full for one kind of file: the store ends in order, and RocksDB never aborts.
//
// RocksDB 7.8 asserts that nobody writes to a file that failed before
// (WritableFileWriter, `sync_without_flush_called_`). The one place that does is its own info log;
// ours may fail (info_log.h). The first test shows that, and the others that no further file of a
// store is written to after it failed. WHARF_ROUNDS=50 tries longer.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include "storage/rocks/rocks_store.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

// Files whose path contains a text find no space after so many writes and syncs.
struct Shortage {
  std::string kind;
  std::atomic<std::int64_t> operations_left{INT64_MAX};

  IOStatus Take() { return --operations_left < 0 ? IOStatus::NoSpace("injected") : IOStatus::OK(); }
};

class ShortFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  ShortFile(std::unique_ptr<rocksdb::FSWritableFile> file, Shortage& shortage)
      : FSWritableFileOwnerWrapper(std::move(file)), shortage_(shortage) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const IOStatus taken = shortage_.Take();
    return taken.ok() ? FSWritableFileOwnerWrapper::Append(data, options, debug) : taken;
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& /*verification*/,
                  IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    const IOStatus taken = shortage_.Take();
    return taken.ok() ? FSWritableFileOwnerWrapper::Sync(options, debug) : taken;
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Sync(options, debug);
  }

 private:
  Shortage& shortage_;
};

class ShortFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit ShortFileSystem(std::string kind)
      : FileSystemWrapper(std::make_shared<PowerLossFileSystem>()) {
    shortage_.kind = std::move(kind);
  }

  void FailAfter(std::int64_t operations) { shortage_.operations_left = operations; }

  const char* Name() const override { return "ShortFileSystem"; }
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file,
                           IODebugContext* debug) override {
    IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, debug);
    if (status.ok() && path.find(shortage_.kind) != std::string::npos) {
      *file = std::make_unique<ShortFile>(std::move(*file), shortage_);
    }
    return status;
  }
  // RocksDB's own info log, on these files.
  IOStatus NewLogger(const std::string& path, const IOOptions& options,
                     std::shared_ptr<rocksdb::Logger>* logger, IODebugContext* debug) override {
    return FileSystem::NewLogger(path, options, logger, debug);
  }

 private:
  Shortage shortage_;
};

constexpr int kTold = 3;
constexpr int kRefused = 4;
constexpr int kEnded = 5;

[[noreturn]] void End(const Status& /*failure*/) { std::_Exit(kTold); }

// Small buffers, so that every kind of file is made all the time.
RocksStoreOptions SmallStore(const std::shared_ptr<ShortFileSystem>& file_system) {
  return {.path = "/data",
          .tables = {{.name = "rows", .is_queue = true}, {.name = "bodies", .in_blob_files = true}},
          .write_buffer_bytes = 512 << 10,
          .block_cache_bytes = 1 << 20,
          .wal_bytes_max = 512 << 10,
          .file_system = file_system,
          .may_sleep = false,
          .on_background_failure = End};
}

WriteBatch BatchOf(int round) {
  WriteBatch batch;
  const std::string key = std::to_string(1'000'000 + round);
  batch.Put(0, key, std::string(300, 'r'));
  batch.Put(1, key, std::string(4000, 'b'));
  if (round >= 10) {
    batch.SingleDelete(0, std::to_string(1'000'000 + round - 10));
    batch.SingleDelete(1, std::to_string(1'000'000 + round - 10));
  }
  return batch;
}

// Writes, flushes and compacts as a broker does, until something fails or the disk has held out.
[[noreturn]] void WorkOnShortDisk(const std::string& kind, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto file_system = std::make_shared<ShortFileSystem>(kind);
  auto store = RocksStore::Open(SmallStore(file_system)).value();
  file_system->FailAfter(static_cast<std::int64_t>(random() % 60));
  std::atomic<bool> is_over = false;
  std::thread tidying([&] {
    while (!is_over) {
      static_cast<void>(store->Flush());
      static_cast<void>(store->CompactDead());
      store->NoteFreed({{1, {"1", "2"}}});
      static_cast<void>(store->ReturnSpace(/*is_quiet=*/true));
      store->LimitCompactions(random() % 2 == 0 ? 0 : 1 << 30);
    }
  });
  bool has_failed = false;
  for (int round = 0; round < 400 && !has_failed; ++round) {
    const WriteBatch batch = BatchOf(round);
    has_failed = !store->Write({&batch, 1}, RocksStore::Sync::kYes).ok();
  }
  is_over = true;
  tidying.join();
  if (!has_failed) static_cast<void>(store->CloseCleanly());
  store.reset();
  std::_Exit(has_failed ? kRefused : kEnded);
}

bool HasEndedInOrder(int status) {
  return testing::ExitedWithCode(kTold)(status) || testing::ExitedWithCode(kRefused)(status) ||
         testing::ExitedWithCode(kEnded)(status);
}

// What RocksDB does with an info log of its own.
void LogOnShortDisk() {
  const auto file_system = std::make_shared<ShortFileSystem>("/LOG");
  const auto env = rocksdb::NewCompositeEnv(file_system);
  rocksdb::Options options;
  options.create_if_missing = true;
  options.env = env.get();
  rocksdb::DB* opened = nullptr;
  if (!rocksdb::DB::Open(options, "/data", &opened).ok()) std::_Exit(kRefused);
  const std::unique_ptr<rocksdb::DB> db(opened);
  file_system->FailAfter(0);
  for (int i = 0; i < 10; ++i) {
    db->Put({}, std::to_string(i), "value").PermitUncheckedError();
    db->Flush({}).PermitUncheckedError();
  }
  std::_Exit(kEnded);
}

std::uint64_t Rounds() {
  const char* rounds = std::getenv("WHARF_ROUNDS");
  return rounds == nullptr ? 1 : std::strtoull(rounds, nullptr, 10);
}

class FailedFileDeathTest : public testing::TestWithParam<const char*> {
 protected:
  FailedFileDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  QuietLog quiet_;
};

// reliability 17
TEST_P(FailedFileDeathTest, NoFileIsWrittenToAfterItFailed) {
  for (std::uint64_t seed = 1; seed <= 4 * Rounds(); ++seed) {
    EXPECT_EXIT(WorkOnShortDisk(GetParam(), seed), HasEndedInOrder, "") << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FailedFileDeathTest,
                         testing::Values(".log", ".sst", ".blob", "MANIFEST", "OPTIONS", "dbtmp",
                                         "/LOG"));

// Debian builds RocksDB with its assertions.
TEST(InfoLogDeathTest, RocksDbAbortsAtTheSecondLineOfAnInfoLogThatFailed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(LogOnShortDisk(), "sync_without_flush_called_");
}

}  // namespace
}  // namespace wharf
