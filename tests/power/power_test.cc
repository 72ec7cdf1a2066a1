// The store and its commit log on a disk that loses power, fails and fills up.
//
// A journal appends rows 0, 1, 2, … one a batch, and knows how many were acknowledged. Whatever
// happened to the disk, the next start finds exactly rows 0 to n-1, unchanged, and n is not less
// than what was acknowledged. Every failure names the seed that repeats it.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/apply/catch_up.h"
#include "storage/base/random.h"
#include "storage/log/segment_commit_log.h"
#include "storage/log/single_folder.h"
#include "storage/rocks/rocks_store.h"
#include "tests/from_environment.h"
#include "tests/log_like_bodies.h"
#include "tests/power/power_loss_file_system.h"
#include "tests/quiet_log.h"
#include "tests/seed_note.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;
using Times = PowerLossDisk::Times;

const std::string kFolder = "/var/lib/wharf";
constexpr TableId kRows = 0;
constexpr TableId kLast = 1;
constexpr TableId kMeta = 2;
const AppliedIndexRow kIndex{.table = kLast, .key = "index"};
const StatePositionRow kPosition{.table = kMeta};
constexpr int kOutstandingMax = 4;
constexpr std::size_t kCopiedBytes = 12 * 1024;
constexpr std::uint64_t kRoundsPerDisk = 10;
constexpr int kEndless = 1'000'000;  // Rows until the log closes.

// WHARF_ROUNDS=100 makes a hundred times as many rounds, WHARF_SEED=7000 begins with that seed.
std::string KeyOf(int row) {
  std::string digits = std::to_string(row);
  return std::string(8 - digits.size(), '0') + digits;
}

// Of a length that makes groups end everywhere in the blocks of the log; some look like a log.
std::string ValueOf(int row) {
  std::mt19937_64 random(row);
  if (random() % 4 == 0) return SegmentRecords(random() % 20'000, random());
  const std::size_t bytes = random() % 10 == 0 ? random() % 40'000 : random() % 400;
  if (random() % 8 == 0) return EmptyLogRecords(bytes / 7);
  std::string value(bytes, '\0');
  for (char& c : value) c = static_cast<char>(random());
  return value;
}

// One life of the broker's cellar: from a start to the moment when the log closes or the test stops
// it.
class Life final : public CommitLog::Observer {
 public:
  // `has_failed`: a flush or a compaction could not write, at which a daemon ends.
  Life(SingleFolder& folder, const std::atomic<bool>& has_failed,
       std::function<std::string(int)> value_of)
      : has_failed_(has_failed),
        value_of_(std::move(value_of)),
        log_(std::in_place, SegmentCommitLog::Options{.bound = {.unflushed_bytes_max = 1 << 20}},
             *folder.store, std::move(folder.log),
             SegmentCommitLog::World{.observer = *this, .position = kPosition, .row = kIndex}) {}

  // Appends rows from `first` on until the log is closed or `count` rows are appended, and waits
  // for the answers.
  void AppendRows(int first, int count) {
    for (int row = first; row < first + count && WaitForRoom(); ++row) {
      WriteBatch batch;
      batch.Put(kRows, KeyOf(row), value_of_(row));
      batch.Put(kLast, "last", std::to_string(row));
      appended_ = row + 1;
      log_->Append(std::move(batch),
                   [this, row](const Result<CommitIndex>& index) { OnAnswer(row, index); });
      log_->Confirm([this, row](const Result<CommitIndex>& index) { OnConfirm(row, index); });
    }
    log_.reset();
  }

  // The rows that were appended, and those of them that were acknowledged.
  int appended() const { return appended_; }
  int acknowledged() const { return acknowledged_; }
  const std::optional<Status>& closed() const { return closed_; }

 private:
  void OnOpen() override {}
  void OnClosed(Status reason) override { closed_ = std::move(reason); }

  void OnAnswer(int row, const Result<CommitIndex>& index) {
    std::lock_guard lock(mutex_);
    --outstanding_;
    if (index.ok()) {
      EXPECT_FALSE(failed_) << "row " << row << " was acknowledged after a failure";
      EXPECT_EQ(*index, CommitIndex(row + 1));
      acknowledged_ = row + 1;
    } else {
      EXPECT_EQ(index.status().outcome(), Outcome::kUnknown);
      failed_ = true;
    }
    answered_.notify_one();
  }

  // A look behind this row.
  void OnConfirm(int row, const Result<CommitIndex>& index) {
    std::lock_guard lock(mutex_);
    if (!index.ok()) return;
    EXPECT_FALSE(failed_);
    EXPECT_EQ(acknowledged_, row + 1) << "a look overtook the row before it";
  }

  // False when the log has failed.
  bool WaitForRoom() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return failed_ || outstanding_ < kOutstandingMax; });
    ++outstanding_;
    return !failed_ && !has_failed_;
  }

  std::mutex mutex_;
  std::condition_variable answered_;
  int outstanding_ = 0;
  bool failed_ = false;
  int appended_ = 0;
  int acknowledged_ = 0;
  std::optional<Status> closed_;
  const std::atomic<bool>& has_failed_;
  const std::function<std::string(int)> value_of_;
  std::optional<SegmentCommitLog> log_;
};

class PowerTest : public ::testing::Test {
 protected:
  // Small buffers, so that memtables are flushed, logs change and files are compacted all the time.
  RocksStoreOptions Options() {
    has_failed_ = false;
    return {.path = kFolder,
            .tables = {{.name = "rows", .in_blob_files = true}, {.name = "last"}, {.name = "meta"}},
            .write_buffer_bytes = 128 << 10,
            .block_cache_bytes = 1 << 20,
            .wal_bytes_max = 256 << 10,
            .file_system = file_system_,
            .may_sleep = false,
            .on_background_failure = [this](const Status& /*why*/) { has_failed_ = true; },
            .position = kPosition};
  }
  Result<SingleFolder> Open() {
    Result<SingleFolder> folder =
        SingleFolder::Open(Options(), kIndex, random_, [](RocksStore&) { return WriteBatch(); });
    if (!folder.ok()) return folder;
    const auto caught_up = CatchUp(*folder->store, *folder->log, kPosition, kIndex);
    if (!caught_up.ok()) return caught_up.status();
    return folder;
  }

  PowerLossDisk& disk() { return file_system_->disk(); }

  // The number of rows in the store; they are all there and unchanged, or the test fails.
  int CountRows(const RocksStore& store) const {
    const auto view = store.View();
    const auto last = view->Get(kLast, "last").value();
    int rows = 0;
    const auto cursor = view->Scan(kRows, {"", "~"});
    for (; cursor->valid(); cursor->Next(), ++rows) {
      EXPECT_EQ(cursor->key(), KeyOf(rows)) << "a hole";
      EXPECT_TRUE(cursor->value() == GivenValueOf(rows)) << "row " << rows << " has other bytes";
    }
    EXPECT_TRUE(cursor->status().ok()) << cursor->status().message();
    EXPECT_EQ(last.has_value() ? std::stoi(*last) + 1 : 0, rows) << "half a batch";
    EXPECT_EQ(kIndex.Read(store).value(), CommitIndex(rows)) << "counted apart from its batches";
    return rows;
  }

  // Now and then what stands in this very log.
  std::string GiveValueOf(int row) {
    copies_.erase(row);
    if (row % 3 == 1) copies_[row] = ForgedCopyOf(ReadNewestSegment());
    return GivenValueOf(row);
  }
  std::string GivenValueOf(int row) const {
    const auto copy = copies_.find(row);
    return copy != copies_.end() ? copy->second : ValueOf(row);
  }
  // Its begin; nothing on a disk that has failed.
  std::string ReadNewestSegment() {
    const std::string folder = SingleFolder::LogPath(kFolder);
    std::vector<std::string> names;
    DiskHandle file;
    std::string bytes(kCopiedBytes, '\0');
    std::size_t read = 0;
    if (!disk().List(folder, names).ok()) return "";
    std::erase_if(names, [](const std::string& name) { return !name.ends_with(".segment"); });
    const auto newest = std::max_element(names.begin(), names.end());
    if (newest == names.end() || !disk().Open(folder + "/" + *newest, file).ok()) return "";
    if (!disk().Read(file, 0, bytes.size(), bytes.data(), read).ok()) return "";
    bytes.resize(read);
    return bytes;
  }

  // Lives until the log closes or `count` rows are in; what was appended is what may be found
  // later.
  void Live(SingleFolder& folder, int count) {
    Life life(folder, has_failed_, [this](int row) { return GiveValueOf(row); });
    life.AppendRows(acknowledged_, count);
    acknowledged_ = std::max(acknowledged_, life.acknowledged());
    appended_ = std::max(acknowledged_, life.appended());
    closed_ = life.closed();
    if (has_failed_) closed_ = Status(ErrorCode::kGeneralError, "the commit log is closed");
  }

  // Starts, and checks that exactly the acknowledged rows and perhaps some more are there.
  std::optional<SingleFolder> StartAndCheck() {
    disk().Reboot();
    auto folder = Open();
    EXPECT_TRUE(folder.ok()) << folder.status().message();
    if (!folder.ok()) return std::nullopt;
    const int rows = CountRows(*folder->store);
    EXPECT_GE(rows, acknowledged_) << "lost";
    EXPECT_LE(rows, appended_) << "never appended";
    acknowledged_ = appended_ = rows;
    return std::move(folder).value();
  }

  // Many starts, each followed by something bad; now and then with a new disk, so that first starts
  // are hit too.
  template <typename Round>
  void ForSeeds(std::uint64_t rounds, Round round) {
    const std::uint64_t first = FromEnvironment("WHARF_SEED", 1);
    rounds *= FromEnvironment("WHARF_ROUNDS", 1);
    for (std::uint64_t seed = first; seed < first + rounds && !HasFailure(); ++seed) {
      const SeedNote note("WHARF_SEED=" + std::to_string(seed));
      std::mt19937_64 random(seed);
      if (seed % kRoundsPerDisk == 0) CheckAndTakeNewDisk();
      for (int cut = 0; cut < cuts_before_start_; ++cut) CutPowerDuringStart(random);
      std::optional<SingleFolder> folder = StartAndCheck();
      ASSERT_TRUE(folder.has_value());
      round(seed, random, *folder);
      folder.reset();
      disk().ClearFaults();
    }
    StartAndCheck();
  }

  // With a write-ahead log, and as a kill leaves it.
  void MakeFolderOfBefore(int rows) {
    RocksStoreOptions options = Options();
    options.position.reset();
    const auto store = RocksStore::Open(options);
    ASSERT_TRUE(store.ok()) << store.status().message();
    for (int row = 0; row < rows; ++row) {
      WriteBatch batch;
      batch.Put(kRows, KeyOf(row), ValueOf(row));
      batch.Put(kLast, "last", std::to_string(row));
      kIndex.Put(CommitIndex(row + 1), batch);
      ASSERT_TRUE((*store)->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
    }
    acknowledged_ = appended_ = rows;
  }

  void CutPowerDuringStart(std::mt19937_64& random) {
    disk().CutPowerAfter(1 + random() % 80, random());
    (void)Open();
    disk().CutPower(random());
    disk().Reboot();
  }

  void CheckAndTakeNewDisk() {
    StartAndCheck();
    file_system_ = std::make_shared<PowerLossFileSystem>();
    acknowledged_ = appended_ = 0;
  }

  QuietLog quiet_;
  SeededRandom random_{1};
  std::atomic<bool> has_failed_ = false;
  int cuts_before_start_ = 0;
  std::shared_ptr<PowerLossFileSystem> file_system_ = std::make_shared<PowerLossFileSystem>();
  int acknowledged_ = 0;
  int appended_ = 0;
  std::map<int, std::string> copies_;  // By their rows.
  std::optional<Status> closed_;
};

TEST_F(PowerTest, RunsOnThisDiskAtAll) {
  auto folder = StartAndCheck();
  ASSERT_TRUE(folder.has_value());
  Live(*folder, 500);
  folder.reset();

  EXPECT_EQ(acknowledged_, 500);
  EXPECT_EQ(closed_, std::nullopt);
  StartAndCheck();
  EXPECT_EQ(acknowledged_, 500);
}

// reliability 8, 9, 11
TEST_F(PowerTest, EveryAcknowledgedRowSurvivesPowerCutsUnderLoad) {
  ForSeeds(300, [&](std::uint64_t seed, std::mt19937_64& random, SingleFolder& folder) {
    disk().CutPowerAfter(1 + random() % 150, seed);
    Live(folder, kEndless);
    EXPECT_TRUE(closed_.has_value());
  });
}

// reliability 3, 13: the k-th start ends, and nothing is lost on the way.
TEST_F(PowerTest, PowerCutsDuringStartsLoseNothing) {
  ForSeeds(100, [&](std::uint64_t seed, std::mt19937_64& random, SingleFolder& folder) {
    disk().CutPowerAfter(1 + random() % 60, seed);
    Live(folder, kEndless);
    cuts_before_start_ = 4;
  });
}

// reliability 19
TEST_F(PowerTest, FailedSyncIsNeverAcknowledgedAndClosesTheLog) {
  ForSeeds(100, [&](std::uint64_t, std::mt19937_64& random, SingleFolder& folder) {
    disk().FailSyncs(random() % 60, random() % 2 == 0 ? Times::kOnce : Times::kFromThenOn);
    Live(folder, kEndless);
    ASSERT_TRUE(closed_.has_value());
    EXPECT_THAT(closed_->message(), HasSubstr("the commit log is closed"));
    if (random() % 2 == 0) disk().CutPower(random());
  });
}

// reliability 18
TEST_F(PowerTest, FailedWriteIsNeverAcknowledgedAndClosesTheLog) {
  const auto error = rocksdb::IOStatus::IOError("injected: write failed");
  ForSeeds(100, [&](std::uint64_t, std::mt19937_64& random, SingleFolder& folder) {
    disk().FailWrites(random() % 60, error, random() % 2 == 0 ? Times::kOnce : Times::kFromThenOn);
    Live(folder, kEndless);
    EXPECT_TRUE(closed_.has_value());
  });
}

// reliability 16, 17
TEST_F(PowerTest, FullDiskClosesTheLogAndLosesNothing) {
  ForSeeds(60, [&](std::uint64_t, std::mt19937_64& random, SingleFolder& folder) {
    disk().SetCapacity(disk().used_bytes() + random() % 300'000);
    Live(folder, kEndless);
    EXPECT_TRUE(closed_.has_value());
  });
}

// Whatever of it had happened: before its end it is what it was, and behind it there is a log.
TEST_F(PowerTest, AFolderOfBeforeIsConvertedWhereverThatIsCutOff) {
  bool is_done = false;
  for (std::uint64_t steps = 1; !is_done && !HasFailure(); ++steps) {
    SCOPED_TRACE(std::to_string(steps) + " steps");
    file_system_ = std::make_shared<PowerLossFileSystem>();
    MakeFolderOfBefore(60);
    disk().CutPowerAfter(steps, steps);
    is_done = Open().ok();
    disk().CutPower(steps);

    std::optional<SingleFolder> folder = StartAndCheck();
    ASSERT_TRUE(folder.has_value());
    Live(*folder, 20);
    folder.reset();
    StartAndCheck();
    EXPECT_EQ(acknowledged_, 80);
  }
  EXPECT_TRUE(is_done);
}

// reliability 25
TEST_F(PowerTest, SecondOpenerIsRefused) {
  const auto folder = StartAndCheck();

  EXPECT_EQ(Open().status().message(), "/var/lib/wharf is in use by another wharfd");
}

}  // namespace
}  // namespace wharf
