// SQL filters of browses and jobs: what is refused, and what a restart leaves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;

constexpr char kDead[] = "orders/$DeadLetterQueue";

class SqlFilterTest : public ReceiverFixture {
 protected:
  // With n = 1, 2, 3...
  void SendNumbered(int count) {
    std::vector<Message> messages(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      messages[static_cast<std::size_t>(i)].application_properties = {{"n", std::int64_t{i + 1}}};
    }
    ASSERT_TRUE(engine_.Send("orders", std::move(messages)).ok());
  }
  void DeadLetterAll() {
    const auto received = engine_.Receive("orders", 4000);
    for (const Delivered& delivered : *received) {
      ASSERT_TRUE(engine_.DeadLetter("orders", delivered.token).ok());
    }
  }
  std::vector<std::int64_t> Shown(const std::string& path, const std::string& filter = "") {
    const auto page = engine_.Peek(path, 0, 250, PeekFilter::kAll, std::nullopt, filter);
    std::vector<std::int64_t> shown;
    for (const PeekedMessage& peeked : page->messages) {
      shown.push_back(
          std::get<std::int64_t>(peeked.message->message.application_properties.at(0).second));
    }
    return shown;
  }
  Status PeekStatus(const std::string& filter) {
    return engine_.Peek("orders", 0, 250, PeekFilter::kAll, std::nullopt, filter).status();
  }
  // Writes into the store, beneath the broker.
  void PutJob(const JobRecord& job) {
    WriteBatch batch;
    batch.Put(IdOf(Table::kJobs), JobKey(job.entity.bucket(), job.id), EncodeJob(job));
    engine_.memory_log().Append(std::move(batch), [](const Result<CommitIndex>&) {});
  }
};

TEST_F(SqlFilterTest, APeekShowsWhatItsFilterTakes) {  // BRW-1
  SendNumbered(5);

  EXPECT_THAT(Shown("orders", "n > 3"), ElementsAre(4, 5));
}

TEST_F(SqlFilterTest, ABadTextIsRefusedAndItsPlaceTold) {  // RUL-11, SQL-24
  EXPECT_EQ(PeekStatus("n > ").code(), ErrorCode::kFilterException);
  EXPECT_THAT(PeekStatus("n > 3 AND AND").message(), HasSubstr("column 11"));
  EXPECT_EQ(PeekStatus(std::string(1025, ' ')).code(), ErrorCode::kFilterException);
  for (const JobVerb verb : {JobVerb::kRedrive, JobVerb::kDeleteMessages}) {
    for (const bool is_dry_run : {false, true}) {
      const auto begun = engine_.BeginJob({.verb = verb,
                                           .path = kDead,
                                           .selection = {.sql_filter = "n > 3 AND AND"},
                                           .is_dry_run = is_dry_run});
      EXPECT_EQ(begun.status().code(), ErrorCode::kFilterException);
      EXPECT_EQ(begun.status().outcome(), Outcome::kNotDone);
      EXPECT_THAT(begun.status().message(), HasSubstr("column 11"));
    }
  }

  EXPECT_EQ(turns_.Count<JobChanged>(), 0U);
  EXPECT_EQ(engine_.GetJob(JobId(1)).status().code(), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(SqlFilterTest, ARedriveGoesOnWithItsFilterAfterARestart) {  // RDR-3, JOB-1
  SendNumbered(40);
  DeadLetterAll();
  const auto job =
      engine_.BeginJob({.path = kDead, .selection = {.sql_filter = "n % 2 = 0"}, .rate_max = 10});
  ASSERT_TRUE(job.ok());
  ASSERT_THAT(engine_.GetJob(job->id)->done, Lt(20));

  engine_.Restart();

  EXPECT_EQ(engine_.GetJob(job->id)->order.selection.sql_filter, "n % 2 = 0");
  for (int i = 0; i < 60; ++i) engine_.Advance(seconds(1));
  const auto done = engine_.GetJob(job->id);
  EXPECT_EQ(done->state, JobState::kCompleted);
  EXPECT_EQ(done->looked_at, 40);
  EXPECT_EQ(done->matched, 20);
  EXPECT_EQ(done->done, 20);
  EXPECT_EQ(Shown(kDead, "n % 2 = 0").size(), 0U);
  EXPECT_EQ(Shown(kDead).size(), 20U);
  EXPECT_EQ(Shown("orders").size(), 20U);
}

TEST_F(SqlFilterTest, AJobOverManyStepsTakesAllThatMatch) {  // PRG-2
  SendNumbered(2000);

  const auto job = engine_.BeginJob({.verb = JobVerb::kDeleteMessages,
                                     .path = "orders",
                                     .selection = {.enqueued_before = kHarnessStart + hours(1),
                                                   .sql_filter = "n > 1 AND n < 2000"}});

  const auto done = engine_.GetJob(job->id);
  EXPECT_EQ(done->state, JobState::kCompleted);
  EXPECT_EQ(done->looked_at, 2000);
  EXPECT_EQ(done->done, 1998);
  EXPECT_THAT(Shown("orders"), ElementsAre(1, 2000));
}

TEST_F(SqlFilterTest, ACancelledJobKeepsItsText) {  // JOB-1
  SendNumbered(40);
  const auto job = engine_.BeginJob({.verb = JobVerb::kDeleteMessages,
                                     .path = "orders",
                                     .selection = {.sql_filter = "n > 20"},
                                     .rate_max = 1});
  const auto cancelled = engine_.Await<JobRecord>(
      [&](Answer<JobRecord> answer) { engine_.broker().CancelJob(job->id, std::move(answer)); });

  engine_.Restart();
  engine_.Advance(hours(1));

  EXPECT_EQ(cancelled->state, JobState::kCancelled);
  EXPECT_EQ(*engine_.GetJob(job->id), *cancelled);
  EXPECT_EQ(cancelled->order.selection.sql_filter, "n > 20");
  EXPECT_THAT(Shown("orders").size(), AllOf(Gt(30U), Lt(40U)));
}

// A later version may know another language than the one that a job was begun in.
TEST_F(SqlFilterTest, AJobWhoseTextIsNoFilterAnyMoreFails) {  // JOB-1
  SendNumbered(3);
  const auto job = engine_.BeginJob({.verb = JobVerb::kDeleteMessages,
                                     .path = "orders",
                                     .selection = {.sql_filter = "n = 99"},
                                     .is_dry_run = true});
  JobRecord record = *engine_.GetJob(job->id);
  record.state = JobState::kRunning;
  record.order.is_dry_run = false;
  record.order.selection.sql_filter = "n SOUNDS LIKE 1";
  PutJob(record);

  engine_.Restart();

  const auto failed = engine_.GetJob(job->id);
  EXPECT_EQ(failed->state, JobState::kFailed);
  EXPECT_THAT(failed->error, HasSubstr("filter is wrong at"));
  EXPECT_THAT(Shown("orders"), ElementsAre(1, 2, 3));
}

TEST_F(SqlFilterTest, ARuleThatIsTriedSeesWhenItIsAsked) {
  const Timestamp before = engine_.clock().Now();
  engine_.Advance(hours(1));
  Message message;
  const auto seconds_before = before.time_since_epoch() / seconds(1);
  message.application_properties = {{"before", Instant{{seconds_before + 1, 0}}},
                                    {"after", Instant{{seconds_before + 7200, 0}}}};
  RuleDescription rule;
  rule.filter = SqlText{"sys.EnqueuedTimeUtc > before AND sys.EnqueuedTimeUtc < after"};

  const Result<RuleVerdict> verdict = engine_.Await<RuleVerdict>(
      [&](Answer<RuleVerdict> answer) { broker().EvaluateRule(rule, message, std::move(answer)); });
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->truth, Truth::kTrue);
}

}  // namespace
}  // namespace wharf
