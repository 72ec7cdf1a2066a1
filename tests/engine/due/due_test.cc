// More is due than one step does: what a step left is done in the next, restart or not.

#include <gtest/gtest.h>

#include "broker/core/entities/bucket.h"
#include "broker/reading/due_reader.h"
#include "broker/reading/scheduled_reader.h"
#include "tests/engine/receiving/receiver_fixture.h"
#include "tests/harness/message_accounts.h"

namespace wharf {
namespace {

using std::chrono::minutes;

// Several steps.
constexpr std::size_t kMessages = 4000;

class DueTest : public ReceiverFixture {
 protected:
  void SendMany(const Message& message) {
    ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(kMessages, message)).ok());
  }
  // Time passes, and the broker is gone after the first step that made changes of this kind.
  template <typename Handled>
  void CrashInTheMidst() {
    engine_.clock().Advance(minutes(2));
    engine_.shard().OnAlarm();
    engine_.work().RunUntil([this] { return turns_.Count<Handled>() > 0; });
    ASSERT_LT(turns_.Count<Handled>(), kMessages);
    engine_.Restart();
  }
  LaneCounters Main() { return engine_.GetQueue("orders")->main; }
  void ExpectRightAccounts() {
    const QueueSnapshot queue = *engine_.GetQueue("orders");
    EXPECT_EQ(FindWrongCounters(engine_.store(), queue.record.id, LaneKind::kMain, queue.main), "");
    EXPECT_EQ(FindStrayRows(engine_.store(), queue), "");
  }
};

// Of a hundred and more that are looked up together.
TEST_F(DueTest, AStepReadsNoMoreThanItsBytes) {
  Message later;
  later.body = std::string(20'000, 'x');
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(engine_.Send("orders", std::vector<Message>(40, later)).ok());
  }
  const Timestamp due = *later.scheduled_enqueue_time;

  const auto view = engine_.store().View();
  const Result<DueBatch> batch =
      ReadDue(*view, {.bucket = BucketOfPath("orders")}, due, {kMessages, 1 << 20});
  ASSERT_TRUE(batch.ok());
  EXPECT_GT(batch->messages.size(), 50U);
  EXPECT_LT(batch->messages.size(), 250U);
  EXPECT_EQ(batch->next, due);
}

TEST_F(DueTest, AListOfWhatIsScheduledHasAsManyAsWereAskedForAndFit) {  // SCX-1
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  ASSERT_TRUE(engine_.Send("orders", {later, later, later}).ok());
  const EntityId id = engine_.GetQueue("orders")->record.id;
  const auto view = engine_.store().View();
  const std::size_t size = ListScheduled(*view, {.entity = id, .bytes_max = 1 << 20})
                               ->messages.front()
                               ->facts.held_size();
  const auto list = [&](std::size_t messages, std::size_t bytes) {
    return engine_.Await<ScheduledPage>([&](Answer<ScheduledPage> answer) {
      broker().ListScheduled("orders", {}, messages, bytes, std::move(answer));
    });
  };

  EXPECT_EQ(list(1, 1 << 20)->messages.size(), 1U);
  EXPECT_EQ(list(2, 1 << 20)->messages.size(), 2U);
  EXPECT_EQ(list(10, size)->messages.size(), 1U);
  EXPECT_EQ(list(10, size + 1)->messages.size(), 2U);
  EXPECT_EQ(list(10, 1 << 20)->next, std::nullopt);
}

// The log may still take changes: nothing may be done then without those who hear of it.
TEST_F(DueTest, NothingIsDoneAnyMoreOnceTheShardIsClosed) {
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  ASSERT_TRUE(engine_.Send("orders", {later}).ok());
  engine_.clock().Advance(minutes(2));
  engine_.shard().OnAlarm();
  engine_.shard().Close(Status(ErrorCode::kGeneralError, "something is damaged"));
  engine_.Run();

  EXPECT_EQ(turns_.Count<MessageActivated>(), 0U);
}

TEST_F(DueTest, ActivationGoesOnAfterARestart) {  // SCH-5
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  SendMany(later);

  CrashInTheMidst<MessageActivated>();

  EXPECT_EQ(Main().scheduled, 0);
  EXPECT_EQ(Main().messages(), static_cast<std::int64_t>(kMessages));
  ExpectRightAccounts();
}

// Two buckets, both with a backlog that is due at the same instant.
TEST_F(DueTest, ASweepOfTwoBucketsGoesOnAfterARestart) {  // SCH-5
  ASSERT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
  ASSERT_NE(BucketOfPath("bills"), BucketOfPath("orders"));
  Message later = TenBytes();
  later.scheduled_enqueue_time = engine_.clock().Now() + minutes(1);
  SendMany(later);
  ASSERT_TRUE(engine_.Send("bills", std::vector<Message>(kMessages, later)).ok());

  CrashInTheMidst<MessageActivated>();

  for (const char* name : {"orders", "bills"}) {
    const QueueSnapshot queue = *engine_.GetQueue(name);
    EXPECT_EQ(queue.main.scheduled, 0);
    EXPECT_EQ(queue.main.messages(), static_cast<std::int64_t>(kMessages));
    EXPECT_EQ(FindStrayRows(engine_.store(), queue), "");
  }
}

TEST_F(DueTest, ExpiryGoesOnAfterARestart) {  // TTL-6
  Message brief = TenBytes();
  brief.time_to_live = minutes(1);
  SendMany(brief);

  CrashInTheMidst<MessagesExpired>();

  EXPECT_EQ(Main().messages(), 0);
  ExpectRightAccounts();
}

TEST_F(DueTest, DelaysEndAfterARestart) {  // RTY-1
  SendMany(TenBytes());
  TokenList tokens;
  const Result<std::vector<Delivered>> received = engine_.Receive("orders", kMessages);
  for (const Delivered& delivered : *received) {
    tokens.push_back(delivered.token);
  }
  ASSERT_EQ(tokens.size(), kMessages);
  Pending<SettleReceipt> settled;
  broker().Settle("orders", tokens, {.verb = SettleVerb::kAbandon, .delay = minutes(1)},
                  settled.answer());
  engine_.Run();
  ASSERT_EQ(Main().delayed, static_cast<std::int64_t>(kMessages));

  CrashInTheMidst<MessageDelayEnded>();

  EXPECT_EQ(Main().delayed, 0);
  EXPECT_EQ(Main().returned, static_cast<std::int64_t>(kMessages));
  ExpectRightAccounts();
}

}  // namespace
}  // namespace wharf
