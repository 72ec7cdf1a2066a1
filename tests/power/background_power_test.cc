// A flush or compaction that cannot write: what the store tells of it, and that it does so before
// RocksDB goes on.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "storage/rocks/rocks_store.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"

namespace wharf {
namespace {

using Times = PowerLossDisk::Times;

constexpr int kTold = 3;
constexpr int kCompacted = 4;
constexpr const char* kSentence =
    "cannot write to /data in the background: the disk or the file system reports an error";

// A store that ends the process as the daemon does, with rows that are all deleted by a range.
class BackgroundStore {
 public:
  BackgroundStore() {
    WriteBatch rows;
    for (int row = 0; row < 10; ++row) rows.Put(0, "row" + std::to_string(row), "value");
    Write(std::move(rows));
    Compact();
    WriteBatch deletion;
    deletion.DeleteRange(0, "row", "rox");
    Write(std::move(deletion));
  }

  PowerLossDisk& disk() { return file_system_->disk(); }
  void Compact() { static_cast<void>(store_->CompactAll()); }

 private:
  static void End(const Status& failure) {
    std::fprintf(stderr, "%s\n", failure.message().c_str());
    std::_Exit(kTold);
  }

  void Write(WriteBatch batch) {
    static_cast<void>(store_->Write({&batch, 1}, RocksStore::Sync::kYes));
  }

  QuietLog quiet_;
  std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  std::unique_ptr<RocksStore> store_ = RocksStore::Open({.path = "/data",
                                                         .tables = {{.name = "rows"}},
                                                         .file_system = file_system_,
                                                         .may_sleep = false,
                                                         .on_background_failure = End})
                                           .value();
};

// Every write of the flush and of the compaction that follows fails in its turn. The one that
// makes RocksDB abort is that of a table without keys.
[[noreturn]] void CompactOnDiskThatFailsAfter(std::uint64_t writes) {
  BackgroundStore store;
  store.disk().FailWrites(writes, rocksdb::IOStatus::IOError("injected"), Times::kFromThenOn);
  store.Compact();
  std::_Exit(kCompacted);
}

// Whoever met the failure ends the process, and that may be later than it is known here. One that
// nobody tells of ends with the alarm.
[[noreturn]] void CompactOnDiskThatFails() {
  constexpr unsigned kSeconds = 60;
  BackgroundStore store;
  store.disk().FailWrites(0, rocksdb::IOStatus::IOError("injected"), Times::kFromThenOn);
  store.Compact();
  alarm(kSeconds);
  for (;;) pause();
}

[[noreturn]] void CompactOnDiskThatFillsUpAfter(std::uint64_t bytes) {
  BackgroundStore store;
  store.disk().SetCapacity(store.disk().used_bytes() + bytes);
  store.Compact();
  std::_Exit(kCompacted);
}

bool HasEndedInOrder(int status) {
  return testing::ExitedWithCode(kTold)(status) || testing::ExitedWithCode(kCompacted)(status);
}

class BackgroundPowerDeathTest : public testing::Test {
 protected:
  BackgroundPowerDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// reliability 18
TEST_F(BackgroundPowerDeathTest, AFailedWriteOfATableIsToldInOneSentence) {
  EXPECT_EXIT(CompactOnDiskThatFails(), testing::ExitedWithCode(kTold), kSentence);
}

// reliability 18
TEST_F(BackgroundPowerDeathTest, AFailedWriteIsToldBeforeRocksDbAborts) {
  for (std::uint64_t writes = 0; writes < 12; ++writes) {
    EXPECT_EXIT(CompactOnDiskThatFailsAfter(writes), HasEndedInOrder, "") << writes;
  }
}

// reliability 17
TEST_F(BackgroundPowerDeathTest, AFullDiskIsToldBeforeRocksDbAborts) {
  for (std::uint64_t bytes = 0; bytes < 4000; bytes += 250) {
    EXPECT_EXIT(CompactOnDiskThatFillsUpAfter(bytes), HasEndedInOrder, "") << bytes;
  }
}

}  // namespace
}  // namespace wharf
