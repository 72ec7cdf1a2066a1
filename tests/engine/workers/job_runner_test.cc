// The job runner: bounded steps, its rate, its rests, and what becomes of jobs that ended.

#include "broker/engine/background/job_runner.h"

#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

// Messages that one step looks at.
constexpr std::size_t kSelectedPerStep = 256;

class JobRunnerTest : public WorkerFixture {
 protected:
  JobId Begin(JobOrder order) {
    order.path = "orders";
    order.verb = JobVerb::kDeleteMessages;
    JobId id;
    Plan([&](Turn& turn) {
      const Result<JobRecord> record = jobs_.Begin(std::move(order), turn);
      ASSERT_TRUE(record.ok());
      id = record->id;
    });
    return id;
  }
  Changes PlanDue() {
    return Plan([&](Turn& turn) { jobs_.PlanDue(turn); });
  }

  const RuleLimits rule_limits_;
  Topics topics_{catalog_, rule_limits_, random_};
  JobRunner jobs_{context_, finder_, topics_, DiskRoom(&disk_), random_, {{}, JobId(1)}};
  Queue& queue_ = Create({.name = "orders"});
};

TEST_F(JobRunnerTest, AStepTakesSoManyAndIsCommittedWithItsPlace) {
  Send(queue_, Messages(kSelectedPerStep + 1));
  const JobId id = Begin({});
  ASSERT_EQ(reads_.works.size(), 1U);
  EXPECT_EQ(reads_.last_urgency, Urgency::kBackground);

  const Changes first = TakeRead();
  EXPECT_EQ(Count<JobChanged>(first), 1U);
  EXPECT_EQ(jobs_.Get(id)->done, static_cast<std::int64_t>(kSelectedPerStep));
  EXPECT_TRUE(jobs_.Get(id)->is_running());

  TakeAllReads();
  EXPECT_EQ(jobs_.Get(id)->state, JobState::kCompleted);
  EXPECT_EQ(jobs_.Get(id)->done, static_cast<std::int64_t>(kSelectedPerStep + 1));
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 0);
}

// So that the reads that wait are bounded by the jobs, however often one is begun and cancelled.
TEST_F(JobRunnerTest, OneThatWasCancelledCountsUntilItsReadIsPlanned) {
  constexpr int kRunningMax = 64;
  Send(queue_, Messages(1));
  for (int i = 0; i < kRunningMax; ++i) {
    const JobId id = Begin({});
    Plan([&](Turn& turn) { ASSERT_TRUE(jobs_.Cancel(id, turn).ok()); });
  }
  const JobOrder order{.verb = JobVerb::kDeleteMessages, .path = "orders"};
  Plan([&](Turn& turn) {
    EXPECT_EQ(jobs_.Begin(order, turn).status().code(), ErrorCode::kQuotaExceeded);
  });

  TakeAllReads();
  Begin({});
}

TEST_F(JobRunnerTest, ASelectionNamesSoManyNumbersAndNoMore) {
  JobOrder order{.verb = JobVerb::kDeleteMessages, .path = "orders"};
  order.selection.numbers.assign(4500, SequenceNumber(1));
  Plan([&](Turn& turn) { EXPECT_TRUE(jobs_.Begin(order, turn).ok()); });

  order.selection.numbers.emplace_back(1);
  Plan([&](Turn& turn) {
    EXPECT_EQ(jobs_.Begin(order, turn).status().code(), ErrorCode::kArgumentOutOfRange);
  });
}

TEST_F(JobRunnerTest, WhatComesAfterItsBeginIsNotItsBusiness) {
  Send(queue_, Messages(1));
  const JobId id = Begin({});
  Send(queue_, Messages(3));
  TakeAllReads();
  EXPECT_EQ(jobs_.Get(id)->done, 1);
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 3);
}

TEST_F(JobRunnerTest, ARateIsKeptByRestingAfterEachStep) {
  Send(queue_, Messages(40));
  const JobId id = Begin({.rate_max = 100});
  TakeRead();
  EXPECT_EQ(jobs_.Get(id)->done, 10);
  EXPECT_TRUE(reads_.works.empty());
  EXPECT_EQ(jobs_.next_deadline(), now() + std::chrono::milliseconds(100));

  PlanDue();
  EXPECT_TRUE(reads_.works.empty());
  clock_.Advance(std::chrono::milliseconds(100));
  PlanDue();
  EXPECT_EQ(reads_.works.size(), 1U);
  EXPECT_EQ(jobs_.next_deadline(), kNever);
}

TEST_F(JobRunnerTest, ADryRunCountsAndTakesNothing) {
  Send(queue_, Messages(3));
  const JobId id = Begin({.is_dry_run = true});
  TakeAllReads();
  EXPECT_EQ(jobs_.Get(id)->matched, 3);
  EXPECT_EQ(jobs_.Get(id)->done, 0);
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 3);
}

TEST_F(JobRunnerTest, CancelledWhileItReadsItTakesNothingMore) {
  Send(queue_, Messages(1));
  const JobId id = Begin({});
  Task found = Read();
  Plan([&](Turn& turn) { EXPECT_TRUE(jobs_.Cancel(id, turn).ok()); });
  EXPECT_EQ(TakeRead(std::move(found)).size(), 0U);
  EXPECT_EQ(jobs_.Get(id)->state, JobState::kCancelled);
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 1);
}

TEST_F(JobRunnerTest, ItFailsWhenItsEntityIsDeleted) {
  Send(queue_, Messages(kSelectedPerStep + 1));
  const JobId id = Begin({});
  Task found = Read();
  Delete("orders");
  TakeRead(std::move(found));
  TakeAllReads();
  EXPECT_EQ(jobs_.Get(id)->state, JobState::kFailed);
  EXPECT_EQ(jobs_.Get(id)->done, 0);
}

TEST_F(JobRunnerTest, ItFailsWithItsEntityAlsoWhenTheMessagesWentFirst) {
  Send(queue_, Messages(3));
  const JobId id = Begin({});
  Delete("orders");
  const MemoryStore reclaimed{BrokerTables()};

  TakeRead(ReadFrom(SpanView(reclaimed.View())));

  EXPECT_EQ(jobs_.Get(id)->state, JobState::kFailed);
  EXPECT_NE(jobs_.Get(id)->error, "");
}

TEST_F(JobRunnerTest, ItFailsWithTheReasonWhenItCannotRead) {
  Send(queue_, Messages(1));
  const JobId id = Begin({});
  TakeRead(ReadFrom(FailedView(kDamage)));
  EXPECT_EQ(jobs_.Get(id)->state, JobState::kFailed);
  EXPECT_EQ(jobs_.Get(id)->error, "a block is damaged");
}

// Moving takes room before it gives any back.
TEST_F(JobRunnerTest, ARedriveWaitsForRoomOnTheDisk) {
  Send(queue_, Messages(1));
  disk_.Set({.state = DiskState::kFull}, disk_.written_bytes());
  JobId id;
  Plan([&](Turn& turn) {
    id = jobs_.Begin({.verb = JobVerb::kRedrive, .path = "orders/$DeadLetterQueue"}, turn)->id;
  });
  EXPECT_TRUE(reads_.works.empty());
  EXPECT_EQ(jobs_.next_deadline(), now() + seconds(1));
  clock_.Advance(seconds(1));
  PlanDue();
  EXPECT_TRUE(reads_.works.empty());

  disk_.Set({.free_bytes = std::uint64_t{1} << 30}, disk_.written_bytes());
  clock_.Advance(seconds(1));
  PlanDue();
  TakeAllReads();
  EXPECT_EQ(jobs_.Get(id)->state, JobState::kCompleted);
}

TEST_F(JobRunnerTest, WhatEndedIsToldOfForADay) {
  const JobId id = Begin({});
  TakeAllReads();
  clock_.Advance(hours(24) - seconds(1));
  EXPECT_EQ(Count<JobForgotten>(PlanDue()), 0U);
  EXPECT_TRUE(jobs_.Get(id).ok());

  clock_.Advance(seconds(1));
  EXPECT_EQ(Count<JobForgotten>(PlanDue()), 1U);
  EXPECT_FALSE(jobs_.Get(id).ok());
}

TEST_F(JobRunnerTest, OnceTheShardIsClosedNothingIsDone) {
  Send(queue_, Messages(1));
  Begin({});
  Task found = Read();
  open_.Close({ErrorCode::kGeneralError, "the log is closed"});
  EXPECT_EQ(TakeRead(std::move(found)).size(), 0U);
  EXPECT_TRUE(reads_.works.empty());
}

}  // namespace
}  // namespace wharf
