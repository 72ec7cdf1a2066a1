// The sweeper: one read at a time, nothing missed that changes meanwhile, nothing done too early.

#include "broker/engine/background/due_sweeper.h"

#include "broker/reading/scheduled_reader.h"
#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class DueSweeperTest : public WorkerFixture {
 protected:
  // Scheduled for a minute from now; that minute is over.
  void Schedule(std::size_t count = 1) {
    std::vector<Message> messages = Messages(count);
    due_ = now() + minutes(1);
    for (Message& message : messages) message.scheduled_enqueue_time = due_;
    NoteDue(Send(queue_, std::move(messages)));
    clock_.Advance(minutes(1));
  }
  void NoteDue(const Changes& changes) {
    for (const Change& change : changes) sweeper_.Note(DueTimeOf(change));
  }
  Changes PlanDue() {
    return Plan([&](Turn& turn) { sweeper_.PlanDue(turn); });
  }

  MessagePtr FirstScheduled() {
    const auto view = store_.View();
    return ListScheduled(*view, queue_.record().id, {}, {}, 1, 1 << 20)->messages.front();
  }

  DueSweeper sweeper_{context_, now()};
  Queue& queue_ = Create({.name = "orders"});
  Timestamp due_;
};

TEST_F(DueSweeperTest, NothingIsReadBeforeSomethingMayBeDue) {
  Schedule();
  clock_.Advance(-seconds(2));
  PlanDue();
  TakeAllReads();
  EXPECT_GT(sweeper_.next_deadline(), now());
  EXPECT_LE(sweeper_.next_deadline(), due_);
  EXPECT_FALSE(sweeper_.is_busy());
}

TEST_F(DueSweeperTest, OneReadIsUnderWayAtATime) {
  Schedule();
  PlanDue();
  PlanDue();
  sweeper_.Note(now() - seconds(1));
  PlanDue();

  EXPECT_EQ(reads_.works.size(), 1U);
  EXPECT_EQ(reads_.last_urgency, Urgency::kAwaited);
  EXPECT_TRUE(sweeper_.is_busy());
  EXPECT_EQ(sweeper_.next_deadline(), kNever);
}

TEST_F(DueSweeperTest, WhatIsDueIsDoneWithItsHint) {
  Schedule(3);
  PlanDue();
  const Changes changes = TakeRead();

  EXPECT_EQ(Count<MessageActivated>(changes), 3U);
  EXPECT_TRUE(was_touched_.contains(MainOf(queue_)));
  TakeAllReads();
  EXPECT_GT(sweeper_.next_deadline(), now());
}

// It came while a read was under way that was too early to see it.
TEST_F(DueSweeperTest, WhatBecomesDueWhileItReadsIsNotForgotten) {
  clock_.Advance(seconds(1));
  PlanDue();
  Task found = Read();
  Schedule();
  TakeRead(std::move(found));
  TakeAllReads();

  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 1);
}

TEST_F(DueSweeperTest, WhatChangedWhileItWasReadIsLookedAtAgain) {
  Schedule(2);
  PlanDue();
  Task found = Read();
  Plan([&](Turn& turn) {
    const MessagePtr first = FirstScheduled();
    ASSERT_TRUE(queue_.scheduled()
                    .Activate({first->number}, {{first->number, first}}, turn.now, turn.changes)
                    .ok());
  });
  EXPECT_EQ(Count<MessageActivated>(TakeRead(std::move(found))), 1U);

  EXPECT_EQ(reads_.works.size(), 1U);
  TakeAllReads();
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 2);
}

TEST_F(DueSweeperTest, WhatDoesNotFitIntoTheTurnIsDoneInTheNext) {
  Schedule(2);
  PlanDue();
  Task found = Read();
  const Changes full = Plan([&](Turn& turn) {
    Fill(turn);
    std::move(found)(turn);
  });
  EXPECT_EQ(Count<MessageActivated>(full), 0U);

  EXPECT_EQ(reads_.works.size(), 1U);
  TakeAllReads();
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 2);
}

TEST_F(DueSweeperTest, AfterAReadThatFailedItRestsAndLooksAgain) {
  Schedule();
  PlanDue();
  TakeRead(ReadFrom(DamagedView()));
  EXPECT_GT(sweeper_.next_deadline(), now());
  EXPECT_LE(sweeper_.next_deadline(), now() + seconds(1));

  clock_.Advance(seconds(1));
  PlanDue();
  TakeAllReads();
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 1);
}

TEST_F(DueSweeperTest, OnceTheShardIsClosedNothingIsDone) {
  Schedule();
  PlanDue();
  Task found = Read();
  open_.Close({ErrorCode::kGeneralError, "the log is closed"});
  EXPECT_EQ(TakeRead(std::move(found)).size(), 0U);
  EXPECT_TRUE(reads_.works.empty());
}

}  // namespace
}  // namespace wharf
