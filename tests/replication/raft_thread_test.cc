// A node with its threads, among three in one process.

#include "replication/raft_thread.h"

#include <atomic>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/eventually.h"
#include "tests/replication/replica_set.h"
#include "tests/storage/log_observer.h"

namespace wharf {
namespace {

using ::testing::HasSubstr;

WriteBatch PutOf(const std::string& key, std::size_t bytes = 1) {
  WriteBatch batch;
  batch.Put(0, key, std::string(bytes, 'x'));
  return batch;
}

// Short enough for a test that waits for an election, long enough for a machine with other work.
RaftThread::Options QuickElections() {
  RaftThread::Options options;
  options.tick = std::chrono::milliseconds(20);
  return options;
}

// One after the other.
RaftThread::NextSuccessor To(std::vector<RaftId> nodes) {
  return [left = std::deque<RaftId>(nodes.begin(), nodes.end())]() mutable {
    std::optional<RaftId> next;
    if (!left.empty()) next = left.front();
    if (next) left.pop_front();
    return next;
  };
}

TEST(RaftThreadTest, AnotherNodeGoesOnFromWhatTheFirstOneAcknowledged) {
  LogObserver first_observer;
  LogObserver second_observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr);
  const auto first = set[1].Lead(first_observer, {});
  ASSERT_TRUE(CommitAndWait(*first, PutOf("small")).ok());
  ASSERT_EQ(CommitAndWait(*first, PutOf("large", 1 << 20)).value(), CommitIndex(2));

  set[2].Observe(second_observer);
  set[1]->HandOver(To({2}));
  const auto second = set[2].WaitForLog();

  EXPECT_EQ(CommitAndWait(*second, PutOf("next")).value(), CommitIndex(3));
  EXPECT_TRUE(set[2].store().store().View()->Get(0, "large")->has_value());
  set[1].WaitUntilFollower();
  const Status refused = CommitAndWait(*first, PutOf("late")).status();
  EXPECT_EQ(refused.outcome(), Outcome::kNotDone);
}

// It is not begun while members change: it is asked for again, and nobody leads twice.
TEST(RaftThreadTest, AHandOverWaitsForAChangeOfMembers) {
  LogObserver first_observer;
  LogObserver second_observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr);
  const auto first = set[1].Lead(first_observer, {});
  ASSERT_TRUE(CommitAndWait(*first, PutOf("small")).ok());
  set[2].Observe(second_observer);

  set[1]->Do([](RaftNode& node) {
    EXPECT_TRUE(node.ProposeMember({.kind = MemberChange::Kind::kUpdate, .node = 3}));
  });
  set[1]->HandOver(To({2}));
  const auto second = set[2].WaitForLog();

  EXPECT_TRUE(CommitAndWait(*second, PutOf("next")).ok());
  EXPECT_EQ(set[1].leaderships(), 1);
}

// Between the two there is no leadership whose requests the late answer of the first could end.
TEST(RaftThreadTest, WhoDoesNotTakeLeadershipIsFollowedByTheNext) {
  LogObserver first_observer;
  LogObserver third_observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr, QuickElections());
  const auto first = set[1].Lead(first_observer, {});
  ASSERT_TRUE(CommitAndWait(*first, PutOf("small")).ok());
  set[3].Observe(third_observer);

  set.CutOff(2);
  set[1]->HandOver(To({2, 3}));
  const auto third = set[3].WaitForLog();

  EXPECT_TRUE(CommitAndWait(*third, PutOf("next")).ok());
  EXPECT_EQ(set[1].leaderships(), 1);
}

TEST(RaftThreadTest, WhomNobodyFollowsLeadsOn) {
  LogObserver observer;
  LogObserver next_observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr, QuickElections());
  const auto log = set[1].Lead(observer, {});
  ASSERT_TRUE(CommitAndWait(*log, PutOf("a")).ok());
  set[1].Observe(next_observer);

  set.CutOff(2);
  set[1]->HandOver(To({2}));

  const auto next = set[1].WaitForLog(log);
  EXPECT_TRUE(CommitAndWait(*next, PutOf("b")).ok());
}

TEST(RaftThreadTest, ALeaderThatIsCutOffEndsByItself) {
  LogObserver observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr, QuickElections());
  const auto log = set[1].Lead(observer, {});
  ASSERT_TRUE(CommitAndWait(*log, PutOf("a")).ok());

  set.CutOff(1);

  EXPECT_EQ(CommitAndWait(*log, PutOf("b")).status().outcome(), Outcome::kUnknown);
  EXPECT_FALSE(ConfirmAndWait(*log).ok());
  EXPECT_EQ(observer.WaitUntilClosed().outcome(), Outcome::kNotDone);
}

TEST(RaftThreadTest, ABadBatchEndsTheLogAndTheSameNodeLeadsOn) {
  LogObserver observer;
  LogObserver next_observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr);
  const auto log = set[1].Lead(observer, {});
  ASSERT_TRUE(CommitAndWait(*log, PutOf("a")).ok());
  WriteBatch bad;
  bad.Put(7, "no table", "");
  set[1].Observe(next_observer);

  EXPECT_FALSE(CommitAndWait(*log, std::move(bad)).ok());

  const auto next = set[1].WaitForLog(log);
  EXPECT_EQ(CommitAndWait(*next, PutOf("b")).value(), CommitIndex(2));
}

// R7: who was not asked for an hour has not been silent for an hour.
TEST(RaftThreadTest, AfterAPauseOfTheProcessTheSameNodeLeads) {
  std::atomic<Duration> skew{Duration(0)};
  RaftThread::Options options;
  options.now = [&skew] { return SteadyNow() + skew.load(); };
  LogObserver observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr, options);
  const auto log = set[1].Lead(observer, {});
  ASSERT_TRUE(CommitAndWait(*log, PutOf("a")).ok());

  for (int i = 0; i < 30; ++i) {
    skew = skew.load() + std::chrono::hours(1);
    ASSERT_TRUE(ConfirmAndWait(*log).ok());
  }

  EXPECT_EQ(CommitAndWait(*log, PutOf("b")).value(), CommitIndex(2));
}

// T5: the thread that hangs cannot say so.
TEST(RaftThreadTest, ADiskThatHangsEndsTheLeadershipTowardsClients) {
  std::atomic<Duration> skew{Duration(0)};
  RaftThread::Options options;
  options.now = [&skew] { return SteadyNow() + skew.load(); };
  LogObserver observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr, options);
  const auto log = set[1].Lead(observer, {});
  set[1]->Watch();
  ASSERT_TRUE(CommitAndWait(*log, PutOf("a")).ok());
  EXPECT_EQ(set[1].hanging(), nullptr);

  set[1].log().Hold();
  std::promise<Status> answer;
  log->Append(PutOf("b"), [&](Result<CommitIndex> result) { answer.set_value(result.status()); });
  set[1].log().WaitUntilHanging();
  skew = std::chrono::seconds(2);
  EXPECT_GE(set[1]->busy_for(), std::chrono::seconds(1));
  EXPECT_TRUE(set[1]->is_hanging());
  set[1]->Watch();
  EXPECT_EQ(set[1].hanging(), log.get());

  EXPECT_EQ(answer.get_future().get().outcome(), Outcome::kUnknown);
  EXPECT_THAT(observer.WaitUntilClosed().message(), HasSubstr("its disk does not answer"));
  EXPECT_EQ(ConfirmAndWait(*log).status().outcome(), Outcome::kNotDone);
  set[1].log().Release();
}

// Of what a turn has to do the sync is not all: it cuts the log, and reads what others lack.
TEST(RaftThreadTest, ATurnThatHangsBesideItsSyncEndsTheLeadership) {
  std::atomic<Duration> skew{Duration(0)};
  RaftThread::Options options;
  options.now = [&skew] { return SteadyNow() + skew.load(); };
  LogObserver observer;
  std::promise<void> begun;
  std::promise<void> released;
  const std::shared_future<void> release = released.get_future().share();
  ReplicaSet set(TableSet(1));
  set.Start(nullptr, options);
  const auto log = set[1].Lead(observer, {});

  ASSERT_TRUE(set[1]->Do([&](RaftNode& /*node*/) {
    begun.set_value();
    release.wait();
  }));
  begun.get_future().wait();
  skew = std::chrono::seconds(2);
  set[1]->Watch();

  EXPECT_EQ(set[1].hanging(), log.get());
  EXPECT_THAT(observer.WaitUntilClosed().message(), HasSubstr("its disk does not answer"));
  released.set_value();
}

// What was sent to the others before the sync may be committed by them.
TEST(RaftThreadTest, ADiskThatFailsIsToldAsTheEndOfTheBroker) {
  LogObserver observer;
  ReplicaSet set(TableSet(1));
  set.Start(nullptr);
  const auto log = set[1].Lead(observer, {});
  ASSERT_TRUE(CommitAndWait(*log, PutOf("a")).ok());

  set[1].ExpectToFail();
  set[1].log().Fail();
  const Status under_way = CommitAndWait(*log, PutOf("b")).status();

  EXPECT_EQ(under_way.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(under_way.outcome(), Outcome::kUnknown);
  EXPECT_THAT(observer.WaitUntilClosed().message(), HasSubstr("the disk is broken"));
  const Status late = CommitAndWait(*log, PutOf("c")).status();
  EXPECT_EQ(late.code(), ErrorCode::kServiceCommunicationProblem);
  EXPECT_EQ(late.outcome(), Outcome::kNotDone);
}

TEST(RaftThreadTest, SoMuchWorkWaitsAtMost) {
  ReplicaSet set(TableSet(1));
  RaftThread::Options options;
  options.inbox_works_max = 10;
  set.Start(nullptr, options);
  std::promise<void> begun;
  std::promise<void> released;
  ASSERT_TRUE(set[1]->Do([&](RaftNode& /*node*/) {
    begun.set_value();
    released.get_future().wait();
  }));
  begun.get_future().wait();
  std::atomic<int> done = 0;

  int taken = 0;
  for (int i = 0; i < 100; ++i)
    taken += set[1]->Do([&done](RaftNode& /*node*/) { ++done; }) ? 1 : 0;
  released.set_value();
  std::promise<void> last;
  while (!set[1]->Do([&last](RaftNode& /*node*/) { last.set_value(); })) std::this_thread::yield();
  last.get_future().wait();

  EXPECT_EQ(taken, 10);
  EXPECT_EQ(done, 10);
}

TEST(RaftThreadTest, AnInboxThatIsFullTakesNoMore) {
  ReplicaSet set(TableSet(1));
  RaftThread::Options options;
  options.inbox_bytes_max = 10;
  set.Start(nullptr, options);

  EXPECT_FALSE(set[1]->Receive(2, std::string(11, 'x')));
}

// Its consensus is well, so nobody else would be elected.
TEST(RaftThreadTest, AHandOverDoesNotWaitForAStoreThatHangs) {
  LogObserver first_observer;
  LogObserver second_observer;
  ReplicaSet set(TableSet(1));
  RaftThread::Options options = QuickElections();
  options.apply.unwritten_bytes_max = 1;  // Nothing is told before it is written.
  set.Start(nullptr, options);
  const auto first = set[1].Lead(first_observer, {});
  ASSERT_TRUE(CommitAndWait(*first, PutOf("a")).ok());
  set[1].store().Hold();
  std::promise<Status> answer;
  first->Append(PutOf("b"), [&](Result<CommitIndex> r) { answer.set_value(r.status()); });
  while (first->stats().disk_age == Duration(0)) std::this_thread::yield();  // It is proposed.
  set[2].Observe(second_observer);

  set[1]->HandOver(To({2}));

  // Of its own; waiting for a log would help.
  EXPECT_TRUE(Eventually([&] { return set[2].leaderships() + set[3].leaderships() > 0; }));
  const auto second = set[2].WaitForLog();
  EXPECT_EQ(answer.get_future().get().outcome(), Outcome::kUnknown);
  EXPECT_TRUE(CommitAndWait(*second, PutOf("c")).ok());
  EXPECT_TRUE(set[2].store().store().View()->Get(0, "b")->has_value());
  set[1].store().Release();
}

// What it was told is not in its state: it must plan nothing on it, and another one leads.
TEST(RaftThreadTest, ANodeWhoseStateCannotBeWrittenDoesNotBeginToLead) {
  LogObserver first_observer;
  LogObserver next_observer;
  ReplicaSet set(TableSet(1));
  RaftThread::Options options = QuickElections();
  options.apply.unwritten_max = std::chrono::hours(1);
  set.Start(nullptr, options);
  const auto first = set[1].Lead(first_observer, {});
  ASSERT_TRUE(CommitAndWait(*first, PutOf("a")).ok());
  set[2].ExpectToFail();
  set[2].store().Fail();
  set[1].Observe(next_observer);

  set[1]->HandOver(To({2}));

  const auto next = set[1].WaitForLog(first);
  EXPECT_TRUE(CommitAndWait(*next, PutOf("b")).ok());
  EXPECT_EQ(set[2].leaderships(), 0);
}

}  // namespace
}  // namespace wharf
