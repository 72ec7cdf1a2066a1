// What only the log on a disk promises; the rest is in commit_log_contract_test.cc.

#include "storage/log/segment_commit_log.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "storage/base/random.h"
#include "storage/log/single_folder.h"
#include "tests/eventually.h"
#include "tests/storage/held_flushes.h"
#include "tests/storage/log_observer.h"
#include "tests/storage/temp_folder.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TableId kRows = 0;
const StatePositionRow kPosition{.table = 1};
const AppliedIndexRow kIndex{.table = 1};

class SegmentCommitLogTest : public ::testing::Test {
 protected:
  SegmentCommitLogTest() : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(said_);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
  }
  ~SegmentCommitLogTest() override { spdlog::set_default_logger(before_); }

  std::string data() const { return folder_.path() + "/data"; }
  RocksStoreOptions StoreOptions() const {
    RocksStoreOptions options{.path = data(), .tables = {{.name = "rows"}, {.name = "meta"}}};
    options.position = kPosition;
    options.file_system = flushes_;
    return options;
  }

  // Nothing is written late before anybody reads it, or it is much.
  void Start(SegmentCommitLog::Options options = {}) {
    Kill();
    options.late.unwritten_max = std::chrono::hours(1);
    Result<SingleFolder> opened = SingleFolder::Open(StoreOptions(), kIndex, random_,
                                                     [](RocksStore&) { return WriteBatch(); });
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store_ = std::move(opened->store);
    observer_ = std::make_unique<LogObserver>();
    log_.emplace(options, *store_, std::move(opened->log),
                 SegmentCommitLog::World{
                     .observer = *observer_, .position = kPosition, .row = kIndex, .now = [this] {
                       return Duration(now_ += step_.count());
                     }});
  }
  // As a process dies: nothing is flushed.
  void Kill() {
    log_.reset();
    store_.reset();
  }

  Result<CommitIndex> Put(const std::string& key, std::size_t bytes = 5) {
    WriteBatch batch;
    batch.Put(kRows, key, std::string(bytes, 'v'));
    return CommitAndWait(*log_, std::move(batch));
  }
  bool Has(const Store& store, const std::string& key) {
    return store.View()->Get(kRows, key).value().has_value();
  }
  bool Has(const std::string& key) { return Has(log_->store(), key); }

  // On the disk. Where a file goes, or gets another name, while they are counted, they are counted
  // again: it might be under a name that was passed already.
  std::uintmax_t BytesOfLog() const {
    for (;;) {
      std::uintmax_t bytes = 0;
      std::error_code gone;
      for (const auto& file : std::filesystem::directory_iterator(SingleFolder::LogPath(data()))) {
        bytes += file.file_size(gone);
        if (gone) break;
      }
      if (!gone) return bytes;
    }
  }

  // What is logged of so many commits, one after the other.
  std::string SaidOf(int commits) {
    Start();
    for (int i = 0; i < commits; ++i) EXPECT_TRUE(Put("key").ok());
    return said_.str();
  }

  const std::shared_ptr<spdlog::logger> before_;
  std::ostringstream said_;
  TempFolder folder_;
  const std::shared_ptr<HeldFlushes> flushes_ = std::make_shared<HeldFlushes>();
  SystemRandom random_;
  std::unique_ptr<LogObserver> observer_;
  std::unique_ptr<RocksStore> store_;
  std::optional<SegmentCommitLog> log_;
  std::atomic<Duration::rep> now_ = 0;
  Duration step_{};
};

TEST_F(SegmentCommitLogTest, WhatIsCommittedIsWrittenWhenSomebodyReads) {
  Start();
  ASSERT_TRUE(Put("a").ok());
  EXPECT_FALSE(Has(*store_, "a"));

  EXPECT_TRUE(Has("a"));

  EXPECT_TRUE(Has(*store_, "a"));
}

TEST_F(SegmentCommitLogTest, AStartAppliesWhatWasNotFlushed) {
  Start();
  ASSERT_TRUE(Put("a").ok());
  ASSERT_TRUE(log_->WriteAll().ok());
  ASSERT_TRUE(store_->Flush().ok());
  ASSERT_TRUE(Put("b").ok());
  ASSERT_TRUE(Put("c").ok());

  Start();

  for (const char* key : {"a", "b", "c"}) EXPECT_TRUE(Has(key)) << key;
  EXPECT_EQ(Put("d").value(), CommitIndex(4));
  EXPECT_EQ(store_->FlushedPosition()->index, 1U);
}

// Else a row that was deleted singly might come back.
TEST_F(SegmentCommitLogTest, NothingIsAppliedTwice) {
  Start();
  ASSERT_TRUE(Put("a").ok());
  for (int start = 0; start < 3; ++start) {
    Start();
    EXPECT_TRUE(log_->WriteAll().ok());
    EXPECT_EQ(kIndex.Read(*store_).value(), CommitIndex(1 + start));
    ASSERT_TRUE(store_->Flush().ok());
    ASSERT_TRUE(Put("a").ok());
  }
}

// It would be taken for a folder of before, which is converted with an empty log.
TEST_F(SegmentCommitLogTest, AFolderThatHasLostItsMarkKeepsItsLog) {
  Start();
  ASSERT_TRUE(Put("a").ok());
  Kill();
  ASSERT_TRUE(std::filesystem::remove(data() + "/SINGLE"));

  Start();

  EXPECT_TRUE(Has("a"));
  EXPECT_THAT(said_.str(), HasSubstr("no file SINGLE"));
  EXPECT_TRUE(std::filesystem::exists(data() + "/SINGLE"));
}

TEST_F(SegmentCommitLogTest, ALargeBatchIsWholeOrNotThere) {
  const SegmentCommitLog::Options small{.entry_bytes_max = 1000};
  Start(small);
  ASSERT_TRUE(Put("large", 5000).ok());
  EXPECT_EQ(Put("small").value(), CommitIndex(2));

  Start(small);

  EXPECT_EQ(log_->store().View()->Get(kRows, "large").value()->size(), 5000U);
  EXPECT_TRUE(Has("small"));
  EXPECT_EQ(Put("next").value(), CommitIndex(3));
}

// What a start has to apply is bounded.
TEST_F(SegmentCommitLogTest, AFlushIsDueByBytesOfTheLog) {
  constexpr std::uint64_t kBound = 256 << 10;
  Start({.bound = {.unflushed_bytes_max = kBound}});
  while (store_->FlushedPosition()->index < 1000) ASSERT_TRUE(Put("key", 4000).ok());

  Start({.bound = {.unflushed_bytes_max = kBound}});

  EXPECT_TRUE(Has("key"));
}

// Nor is anything kept to be written over, where nothing is written.
TEST_F(SegmentCommitLogTest, AnIdleLogTakesLittleOfTheDisk) {
  constexpr std::uint64_t kBound = 4 << 20;
  Start({.bound = {.unflushed_bytes_max = kBound}});
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Put("key", 1 << 20).ok());
  EXPECT_GT(BytesOfLog(), kBound);
  ASSERT_TRUE(log_->WriteAll().ok());
  ASSERT_TRUE(store_->Flush().ok());

  // The first look asks how far the state is, a later one knows it.
  EXPECT_TRUE(Eventually([this] {
    log_->Look();
    return BytesOfLog() <= kBound;
  }));
  EXPECT_TRUE(Has("key"));
}

// However long a flush takes: in a row that is put and deleted again memory holds nothing back.
TEST_F(SegmentCommitLogTest, WhatAStartWouldHaveToApplyIsBoundedWhereFlushesTakeLong) {
  constexpr std::uint64_t kBound = 1 << 20;
  constexpr std::size_t kBytes = 60'000;
  step_ = seconds(1);
  Start({.bound = {.unflushed_bytes_max = kBound / 4, .replayed_bytes_max = kBound}});
  flushes_->Hold();
  std::promise<void> last;
  std::future<void> is_last = last.get_future();
  std::atomic<std::uint64_t> done = 0;
  constexpr std::uint64_t kBatches = 4 * kBound / kBytes;
  for (std::uint64_t at = 1; at <= kBatches; ++at) {
    WriteBatch batch;
    batch.Put(kRows, "key", std::string(kBytes, 'v'));
    log_->Append(std::move(batch), [&](const Result<CommitIndex>& committed) {
      EXPECT_TRUE(committed.ok());
      if (++done == kBatches) last.set_value();
    });
    // One after the other, until one waits.
    while (done < at && !flushes_->has_held()) std::this_thread::yield();
  }

  // The clock goes on by a second whenever it is asked.
  EXPECT_TRUE(Eventually([this] { return log_->stats().disk_age >= seconds(1); }));
  EXPECT_EQ(is_last.wait_for(std::chrono::milliseconds(300)), std::future_status::timeout);
  EXPECT_LE(log_->stats().bytes, kBound);

  flushes_->Release();
  is_last.wait();
  EXPECT_EQ(done, kBatches);
  EXPECT_EQ(log_->stats().disk_age, Duration(0));
}

TEST_F(SegmentCommitLogTest, AStateThatIsAheadOfItsLogIsDamaged) {
  Start();
  ASSERT_TRUE(Put("a").ok());
  Kill();
  {
    RocksStoreOptions options = StoreOptions();
    options.is_single = true;
    const auto store = *RocksStore::Open(options);
    WriteBatch batch;
    kPosition.Put({.index = 7, .term = 1}, batch);
    ASSERT_TRUE(store->Write({&batch, 1}, RocksStore::Sync::kYes).ok());
  }

  Start();

  EXPECT_THAT(observer_->WaitUntilClosed().message(), HasSubstr("is as of entry 7"));
  EXPECT_FALSE(Put("b").ok());
}

TEST_F(SegmentCommitLogTest, ASlowCommitIsLogged) {
  step_ = seconds(2);
  EXPECT_THAT(SaidOf(1), HasSubstr("a commit took 2.0 s: the disk is slow"));
}

TEST_F(SegmentCommitLogTest, SlowCommitsDoNotFillTheLog) {
  step_ = seconds(2);
  const std::string said = SaidOf(3);

  EXPECT_THAT(said, HasSubstr("(and 1 more like it before)"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2);
}

TEST_F(SegmentCommitLogTest, CommitsThatAreFastEnoughAreNot) {
  step_ = std::chrono::milliseconds(900);

  EXPECT_THAT(SaidOf(5), IsEmpty());
}

}  // namespace
}  // namespace wharf
