// Jobs, while others work on the same messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using ::testing::SizeIs;

constexpr const char* kDead = "orders/$DeadLetterQueue";

// What a job has read is received before the job takes it.
class JobTest : public ReceiverFixture {
 protected:
  // The first of two dead letters is received; with that the second is in memory.
  LockToken DeadLetterTwo() {
    Send(2);
    const auto received = engine_.Receive("orders", 2);
    for (const Delivered& delivered : *received) {
      EXPECT_TRUE(engine_.DeadLetter("orders", delivered.token).ok());
    }
    return engine_.Receive(kDead)->at(0).token;
  }
  // The job reads when its begin is committed, and the lock of the one message is not.
  void ReceiveUnderJob(const JobOrder& order) {
    turns_.turns.clear();
    engine_.memory_log().Hold();
    broker().BeginJob(order, job_.answer());
    engine_.Run();
    broker().ReceiveOnce({order.path, ReceiveMode::kPeekLock, 1, 1000, {}}, received_.answer());
    engine_.Run();
    ASSERT_EQ(turns_.Count<MessageLocked>(), 1U);
    ASSERT_EQ(engine_.memory_log().CommitHeld(1), 1U);
    engine_.Run();
    engine_.memory_log().Release();
    engine_.Run();
    ASSERT_TRUE(job_.result && job_.result->ok());
    ASSERT_TRUE(received_.result && received_.result->ok());
    ASSERT_THAT(**received_.result, SizeIs(1));
  }
  JobRecord Job() { return *engine_.GetJob((*job_.result)->id); }
  LockToken token() const { return (**received_.result)[0].token; }
  void ExpectRightAccounts() {
    const QueueSnapshot queue = *engine_.GetQueue("orders");
    const EntityId id = queue.record.id;
    EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kMain, queue.main), "");
    EXPECT_EQ(FindWrongCounters(engine_.store(), id, LaneKind::kDeadLetter, queue.dead_letter), "");
    EXPECT_EQ(FindStrayRows(engine_.store(), queue), "");
  }

  Pending<JobRecord> job_;
  Pending<std::vector<Delivered>> received_;
};

TEST_F(JobTest, WhatIsReceivedMeanwhileIsNotDeleted) {  // PRG-2
  Send();

  ASSERT_NO_FATAL_FAILURE(ReceiveUnderJob({.verb = JobVerb::kDeleteMessages, .path = "orders"}));

  EXPECT_EQ(Job().state, JobState::kCompleted);
  EXPECT_EQ(Job().done, 0);
  EXPECT_EQ(Job().left, 1);
  EXPECT_TRUE(engine_.Complete("orders", token()).ok());
  ExpectRightAccounts();
}

TEST_F(JobTest, WhatIsReceivedMeanwhileIsNotRedriven) {  // RDR-1
  const LockToken before = DeadLetterTwo();

  ASSERT_NO_FATAL_FAILURE(ReceiveUnderJob({.verb = JobVerb::kRedrive, .path = kDead}));

  EXPECT_EQ(Job().state, JobState::kCompleted);
  EXPECT_EQ(Job().done, 0);
  EXPECT_EQ(Job().left, 2);
  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 0);
  EXPECT_TRUE(engine_.Complete(kDead, before).ok());
  EXPECT_TRUE(engine_.Complete(kDead, token()).ok());
  ExpectRightAccounts();
}

}  // namespace
}  // namespace wharf
