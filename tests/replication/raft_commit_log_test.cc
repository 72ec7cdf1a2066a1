// What a replicated log does beyond the contract of commit logs. Passive: each test is the node's
// thread, the applier's and the network.

#include "replication/raft_commit_log.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/not_leading.h"
#include "storage/apply/batch_applier.h"
#include "storage/apply/entry.h"
#include "tests/replication/memory_replica_store.h"
#include "tests/replication/shared_library.h"
#include "tests/replication/test_cluster.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ReasonObserver final : public CommitLog::Observer {
 public:
  void OnOpen() override { is_open = true; }
  void OnClosed(Status status) override { reasons.push_back(std::move(status)); }

  bool is_open = false;
  std::vector<Status> reasons;
};

// The log of node 1 of three, which leads.
class RaftCommitLogTest : public ::testing::Test {
 protected:
  RaftCommitLogTest() {
    cluster_.Elect(1);
    Begin();
  }

  void Begin(const RaftCommitLog::Options& options = {}) {
    log_ = std::make_unique<RaftCommitLog>(
        options,
        RaftCommitLog::World{observer_, tables_, clock_, [this] { ++wakes_; },
                             [] { return Duration(0); }},
        cluster_[1]->term(), CommitIndex());
  }

  static WriteBatch PutOf(const std::string& key, std::size_t bytes = 1) {
    WriteBatch batch;
    batch.Put(0, key, std::string(bytes, 'x'));
    return batch;
  }
  void Append(WriteBatch batch) {
    log_->Append(std::move(batch), [this](Result<CommitIndex> result) { Note(result); });
  }
  void Confirm() {
    log_->Confirm([this](Result<CommitIndex> result) { Note(result); });
  }
  void Note(const Result<CommitIndex>& result) {
    if (result.ok()) return answers_.push_back(std::to_string(result->value()));
    answers_.emplace_back(result.status().outcome() == Outcome::kUnknown ? "unknown" : "not done");
  }

  void Pump() { log_->Pump(*cluster_[1]); }
  // Everything that the log proposed goes round, and looks are told.
  void Deliver() {
    cluster_.Deliver();
    if (cluster_[1].readable) log_->OnReadable(*cluster_[1].readable);
  }
  // How many entries with payload stand in the log of node 1.
  std::vector<DecodedEntry> Entries() {
    std::vector<DecodedEntry> entries;
    auto& log = cluster_[1].log();
    read_ = log.Read(1, log.last_index() + 1, SIZE_MAX).value();
    for (const LogEntry& entry : read_) {
      if (!entry.data.empty()) entries.push_back(DecodeEntry(entry.data).value());
    }
    return entries;
  }

  TableSet tables_ = TableSet(1);
  ManualClock clock_{Timestamp(std::chrono::hours(3))};
  ReasonObserver observer_;
  TestCluster cluster_{3};
  std::vector<std::string> answers_;
  int wakes_ = 0;
  std::unique_ptr<RaftCommitLog> log_;  // Last: it answers until it is gone.

 private:
  std::vector<LogEntry> read_;
};

TEST_F(RaftCommitLogTest, WhatWaitsTogetherTravelsInOneEntry) {
  for (const char* key : {"a", "b", "c"}) Append(PutOf(key));
  EXPECT_EQ(wakes_, 3);
  Pump();
  Deliver();

  ASSERT_THAT(Entries(), SizeIs(1));
  EXPECT_EQ(Entries()[0].head, (EntryHead{.term = 1, .time = clock_.Now(), .batches = 3}));
  EXPECT_THAT(answers_, IsEmpty());
  log_->OnApplied(1, CommitIndex(3));
  EXPECT_THAT(answers_, ElementsAre("1", "2", "3"));
  EXPECT_EQ(log_->stats().groups, 1U);
}

TEST_F(RaftCommitLogTest, AnEntryIsNotLargerThanItMayBe) {
  Begin({.entry_bytes_max = 200});
  for (const char* key : {"a", "b", "c"}) Append(PutOf(key, 60));
  Pump();
  Deliver();

  ASSERT_THAT(Entries(), SizeIs(2));
  EXPECT_EQ(Entries()[0].head.batches, 2U);
  EXPECT_EQ(Entries()[1].head.batches, 1U);
}

TEST_F(RaftCommitLogTest, ALargeBatchTravelsInPartsAndIsCommittedWithTheLast) {
  Begin({.entry_bytes_max = 100});
  const WriteBatch batch = PutOf("large", 180);
  Append(batch);
  Append(PutOf("behind"));
  Pump();
  Deliver();

  const std::vector<DecodedEntry> entries = Entries();
  ASSERT_THAT(entries, SizeIs(4));
  std::string payload;
  for (std::uint32_t part = 0; part < 3; ++part) {
    EXPECT_EQ(entries[part].head.part, part);
    EXPECT_EQ(entries[part].head.parts, 3U);
    EXPECT_LE(entries[part].payload.size() + kEntryOverhead, 100U);
    payload += entries[part].payload;
  }
  EXPECT_EQ(payload, batch.bytes());
  log_->OnApplied(1, CommitIndex(1));
  EXPECT_THAT(answers_, ElementsAre("1"));
}

TEST_F(RaftCommitLogTest, MoreIsNotOnItsWayThanTheNodeHasRoomFor) {
  cluster_[1].options.proposed_bytes_max = 300;
  cluster_.Kill(1);
  cluster_.Start(1);
  cluster_.Elect(1);
  Begin({.entry_bytes_max = 100});
  Append(PutOf("large", 1000));

  Pump();
  cluster_.Run(1);
  EXPECT_THAT(Entries(), SizeIs(3));
  Pump();
  cluster_.Run(1);
  EXPECT_THAT(Entries(), SizeIs(3));

  for (int i = 0; i < 10; ++i) {
    Pump();
    Deliver();
  }
  EXPECT_EQ(Entries().back().head.part + 1, Entries().back().head.parts);
}

// R9.
TEST_F(RaftCommitLogTest, WhatWasProposedIsUnknownAndWhatWasNotIsNotDone) {
  Append(PutOf("proposed"));
  Confirm();
  Pump();
  Append(PutOf("waits"));
  Confirm();

  log_->Close(NotLeading());
  Append(PutOf("late"));

  EXPECT_THAT(answers_, ElementsAre("unknown", "not done", "not done", "not done", "not done"));
  ASSERT_THAT(observer_.reasons, SizeIs(1));
  EXPECT_EQ(observer_.reasons[0], NotLeading());
  Pump();
  Deliver();
  EXPECT_THAT(Entries(), SizeIs(1));
}

// Its last part was never proposed, so no node can ever apply it.
TEST_F(RaftCommitLogTest, ABatchOfWhichPartsAreMissingIsNotDone) {
  cluster_[1].options.proposed_bytes_max = 300;
  cluster_.Kill(1);
  cluster_.Start(1);
  cluster_.Elect(1);
  Begin({.entry_bytes_max = 100});
  Append(PutOf("large", 1000));
  Pump();

  log_->Close(NotLeading());

  EXPECT_THAT(answers_, ElementsAre("not done"));
}

TEST_F(RaftCommitLogTest, WhatAnotherTermAppliesIsNoAnswer) {
  Append(PutOf("a"));
  Pump();

  log_->OnApplied(2, CommitIndex(9));

  EXPECT_THAT(answers_, IsEmpty());
}

TEST_F(RaftCommitLogTest, AFollowerTakesNothing) {
  cluster_.CutOff(1);
  cluster_.Tick(1, 25);
  ASSERT_FALSE(cluster_[1]->is_leading());
  Append(PutOf("a"));
  Confirm();

  Pump();
  log_->Close(NotLeading());

  EXPECT_THAT(answers_, ElementsAre("not done", "not done"));
}

TEST_F(RaftCommitLogTest, AHandOverFinishesWhatIsUnderWayAndRefusesTheRest) {
  Append(PutOf("proposed"));
  Pump();
  Append(PutOf("waits"));

  log_->Refuse(NotLeading());
  EXPECT_THAT(answers_, IsEmpty());
  EXPECT_FALSE(log_->is_done());
  Pump();
  Deliver();
  log_->OnApplied(1, CommitIndex(1));

  EXPECT_THAT(answers_, ElementsAre("1", "not done"));
  EXPECT_TRUE(log_->is_done());
  EXPECT_THAT(observer_.reasons, SizeIs(1));
}

TEST_F(RaftCommitLogTest, ALookIsNotAnsweredByALeaderThatIsCutOff) {
  cluster_.CutOff(1);
  Confirm();
  Append({});
  Pump();
  for (int i = 0; i < 5; ++i) {
    cluster_[1]->Tick();
    Deliver();
  }
  EXPECT_THAT(answers_, IsEmpty());

  cluster_.Heal();
  cluster_[1]->Tick();
  Deliver();
  EXPECT_THAT(answers_, ElementsAre("0", "0"));
}

TEST_F(RaftCommitLogTest, ALookKeepsItsPlaceAndItsIndex) {
  Append(PutOf("a"));
  Confirm();
  Append(PutOf("b"));
  Pump();
  Deliver();
  EXPECT_THAT(Entries(), SizeIs(2));
  EXPECT_THAT(answers_, IsEmpty());

  log_->OnApplied(1, CommitIndex(2));
  EXPECT_THAT(answers_, ElementsAre("1", "1", "2"));
}

}  // namespace
}  // namespace wharf
