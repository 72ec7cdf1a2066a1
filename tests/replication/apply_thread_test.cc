#include "replication/apply_thread.h"

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/apply/caught_up_store.h"
#include "storage/apply/entry.h"
#include "tests/replication/memory_replica_store.h"

namespace wharf {
namespace {

constexpr Duration kNever = std::chrono::hours(1);

class ApplyThreadTest : public ::testing::Test, public SnapshotInstaller {
 protected:
  void Start(const ApplyThread::Options& options) {
    applier_.emplace(BatchApplier::World{store_}, store_.position(), CommitIndex());
    thread_ = std::make_unique<ApplyThread>(
        options, ApplyThread::World{*applier_, *this,
                                    [this](const LogPlace& place, CommitIndex /*last*/) {
                                      had_row_when_told_ = Has("a");
                                      MutexLock lock(mutex_);
                                      told_ = place.index;
                                      changed_.notify_all();
                                    },
                                    [this](const Status& why) {
                                      EXPECT_TRUE(may_fail_) << why.message();
                                      has_failed_ = true;
                                    }});
  }

  void TearDown() override { thread_.reset(); }

  // Puts this row with the next entry, and waits until that is told.
  void Put(const std::string& key, std::size_t bytes = 1) {
    Begin(key, bytes);
    AwaitTold();
  }
  void Begin(const std::string& key, std::size_t bytes) {
    WriteBatch batch;
    batch.Put(0, key, std::string(bytes, 'x'));
    Apply({{++last_, 1, EntryKind::kBatch, EncodeEntry({.term = 1}, batch.bytes())}, {}});
  }
  void DeleteRange(const std::string& begin, const std::string& end) {
    WriteBatch batch;
    batch.DeleteRange(0, begin, end);
    Apply({{++last_, 1, EntryKind::kBatch, EncodeEntry({.term = 1}, batch.bytes())}, {}});
    AwaitTold();
  }
  void ChangeMembers(const std::string& members) {
    Apply({{++last_, 1, EntryKind::kMember, "change"}, members});
    AwaitTold();
  }
  void Apply(CommittedEntry entry) {
    std::vector<CommittedEntry> entries;
    entries.push_back(std::move(entry));
    thread_->Apply(std::move(entries));
  }
  bool IsTold() {
    MutexLock lock(mutex_);
    return told_ == last_;
  }
  void AwaitTold() {
    MutexLock lock(mutex_);
    while (told_ != last_) changed_.wait(mutex_);
  }
  bool Has(const std::string& key) { return store_.store().View()->Get(0, key)->has_value(); }
  void AwaitWritten(const std::string& key) {
    while (!Has(key)) std::this_thread::yield();
  }
  // Whether one of so many rows is told and not written.
  bool IsToldUnwrittenWithin(int rows) {
    for (int row = 0; row < rows; ++row) {
      const std::string key = "row" + std::to_string(row);
      Put(key);
      if (!Has(key)) return true;
    }
    return false;
  }
  void Install(const RaftSnapshot& /*snapshot*/) override { installed_.set_value(); }

  MemoryReplicaStore store_{TableSet(1), "founders"};
  std::promise<void> installed_;
  bool had_row_when_told_ = false;
  std::atomic<bool> may_fail_ = false;
  std::atomic<bool> has_failed_ = false;
  std::unique_ptr<ApplyThread> thread_;

 private:
  std::uint64_t last_ = 0;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t told_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<BatchApplier> applier_;
};

TEST_F(ApplyThreadTest, WhatIsToldIsWrittenForWhoeverReads) {
  Start({.unwritten_max = kNever});
  Put("a");
  Put("b");
  EXPECT_FALSE(Has("a"));

  ASSERT_TRUE(thread_->WriteAll().ok());

  EXPECT_TRUE(Has("a"));
  EXPECT_TRUE(Has("b"));
  EXPECT_EQ(store_.position().index, 2U);
}

TEST_F(ApplyThreadTest, AViewHasWhatWasToldBeforeItIsMade) {
  Start({.unwritten_max = kNever});
  const CaughtUpStore caught_up(store_.store(), [this] { return thread_->WriteAll(); });
  Put("a");
  const auto before = store_.store().View();

  const auto view = caught_up.View();

  EXPECT_FALSE(before->Get(0, "a")->has_value());
  EXPECT_TRUE(view->Get(0, "a")->has_value());
}

TEST_F(ApplyThreadTest, WhatIsMuchIsWritten) {
  Start({.written_from_bytes = 1000, .unwritten_max = kNever});
  Put("a", 100);
  EXPECT_FALSE(Has("a"));

  Put("b", 1000);

  AwaitWritten("b");
  EXPECT_TRUE(Has("a"));
}

TEST_F(ApplyThreadTest, ManyDeletionsOfRangesAreWritten) {
  Start({.written_from_ranges = 2, .unwritten_max = kNever});
  Put("a");
  DeleteRange("b", "c");
  EXPECT_FALSE(Has("a"));

  DeleteRange("d", "e");

  AwaitWritten("a");
}

// So the node waits for the store, and memory is bounded.
TEST_F(ApplyThreadTest, BehindTooMuchThatIsNotWrittenNothingIsTold) {
  Start({.written_from_bytes = 1000, .unwritten_bytes_max = 2000, .unwritten_max = kNever});
  store_.Hold();
  Put("a", 1500);

  Begin("b", 1000);
  Begin("c", 1);
  EXPECT_FALSE(IsTold());

  store_.Release();
  AwaitTold();
  EXPECT_TRUE(Has("b"));
  // Soon what is told need not be written again.
  EXPECT_TRUE(IsToldUnwrittenWithin(1000));
}

TEST_F(ApplyThreadTest, WhatIsOldIsWritten) {
  Start({.unwritten_max = std::chrono::milliseconds(1)});

  Put("a");

  AwaitWritten("a");
}

// They are told when they are in the state.
TEST_F(ApplyThreadTest, AChangeOfMembersIsWrittenWithWhatWasBeforeItAndThenTold) {
  Start({.unwritten_max = kNever});
  Put("a");
  EXPECT_FALSE(had_row_when_told_);

  ChangeMembers("with another");

  EXPECT_TRUE(had_row_when_told_);
  EXPECT_EQ(store_.position().members, "with another");
}

TEST_F(ApplyThreadTest, AStopWritesWhatWasTold) {
  Start({.unwritten_max = kNever});
  Put("a");

  thread_->Stop();

  EXPECT_TRUE(Has("a"));
}

// Who waits for a write to plan on it, as one that begins to lead, must know by then.
TEST_F(ApplyThreadTest, AWriteThatFailsIsSaidBeforeWhoWaitsForItGoesOn) {
  Start({.unwritten_max = kNever});
  Put("a");
  may_fail_ = true;
  store_.Fail();

  EXPECT_FALSE(thread_->WriteAll().ok());

  EXPECT_TRUE(has_failed_);
  EXPECT_FALSE(Has("a"));
  EXPECT_EQ(store_.position().index, 0U);
  Begin("b", 1);
  EXPECT_FALSE(IsTold());
}

// Else somebody would be shown what was before something that he was told.
TEST_F(ApplyThreadTest, NothingIsReadBehindAWriteThatFailed) {
  Start({.unwritten_max = kNever});
  const CaughtUpStore caught_up(store_.store(), [this] { return thread_->WriteAll(); });
  Put("a");
  ASSERT_TRUE(IsTold());
  may_fail_ = true;
  store_.Fail();

  for (int look = 0; look < 2; ++look) {
    const auto view = caught_up.View();
    EXPECT_FALSE(view->Get(0, "a").ok());
    const auto cursor = view->Scan(0, {"", "z"});
    EXPECT_FALSE(cursor->valid());
    EXPECT_FALSE(cursor->status().ok());
  }
}

// What was told before it stood in the same write.
TEST_F(ApplyThreadTest, NothingIsReadBehindAnEntryThatCannotBeApplied) {
  Start({.unwritten_max = kNever});
  const CaughtUpStore caught_up(store_.store(), [this] { return thread_->WriteAll(); });
  Put("a");
  ASSERT_TRUE(IsTold());
  may_fail_ = true;

  thread_->Apply({CommittedEntry{.entry = {2, 1, EntryKind::kBatch, "no entry"}}});

  EXPECT_FALSE(caught_up.View()->Get(0, "a").ok());
}

// The state is another one then.
TEST_F(ApplyThreadTest, NobodyWaitsForWritesBehindASnapshot) {
  Start({.unwritten_max = kNever});
  Put("a");

  thread_->Install({.index = 7, .term = 1});
  installed_.get_future().wait();
  EXPECT_TRUE(thread_->WriteAll().ok());

  EXPECT_FALSE(Has("a"));
}

}  // namespace
}  // namespace wharf
