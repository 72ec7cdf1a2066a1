// Everything is bounded, and says so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ShardLimits SmallLimits() {
  ShardLimits limits;
  limits.broker.entities_max = 2;
  limits.broker.queue.locked_messages_max = 2;
  limits.receivers_per_lane_max = 2;
  limits.admitted_weight_max = 10;
  limits.windows_bytes_max = 50000;
  return limits;
}

class LimitsTest : public ReceiverFixture {
 protected:
  LimitsTest() : ReceiverFixture(SmallLimits()) {}

  std::size_t WindowBytes(const std::string& name) {
    return (*engine_.shard().workers().catalog.Find(name))->lane(LaneKind::kMain).window_bytes();
  }
};

TEST_F(LimitsTest, AFullInboxSaysServiceBusyAtOnce) {  // QUO-11, ERR-10
  std::vector<Pending<SendReceipt>> sends(10);
  for (auto& send : sends) broker().Send("orders", {TenBytes()}, false, send.answer());

  Pending<SendReceipt> refused;
  broker().Send("orders", {TenBytes()}, false, refused.answer());

  ASSERT_TRUE(refused.result);
  EXPECT_EQ(refused.result->status().code(), ErrorCode::kServiceBusy);
  EXPECT_EQ(refused.result->status().outcome(), Outcome::kNotDone);
  EXPECT_TRUE(IsTransient(ErrorCode::kServiceBusy));

  // Those that were accepted are carried out, and then there is room again.
  engine_.Run();
  for (const auto& send : sends) EXPECT_TRUE(send.result && send.result->ok());
  EXPECT_EQ(engine_.Send("orders", "x")->value(), 11U);
}

TEST_F(LimitsTest, EveryRequestThatBringsWorkMayBeRefused) {  // ERR-10
  Pending<SendReceipt> sent;
  broker().Send("orders", std::vector<Message>(10, TenBytes()), false, sent.answer());
  Pending<std::vector<Delivered>> received;
  Pending<PeekPage> peeked;
  Pending<QueueSnapshot> created;
  Pending<QueueSnapshot> updated;
  Pending<QueueSnapshot> looked;
  Pending<QueuePage> listed;
  Pending<std::monostate> deleted;
  Pending<AttachedReceiver> attached;
  broker().ReceiveOnce({"orders", ReceiveMode::kPeekLock, 1, 10, {}}, received.answer());
  broker().Peek({"orders", SequenceNumber(), PeekFilter::kAll, 1, 1}, peeked.answer());
  broker().CreateQueue({.name = "other"}, created.answer());
  broker().UpdateQueue({.name = "orders"}, updated.answer());
  broker().GetQueue("orders", looked.answer());
  broker().ListQueues("", 1, listed.answer());
  broker().DeleteQueue("orders", deleted.answer());
  broker().Attach({"orders", ReceiveMode::kPeekLock}, std::make_shared<RecordingSink>(),
                  attached.answer());

  const Status statuses[] = {received.result->status(), peeked.result->status(),
                             created.result->status(),  updated.result->status(),
                             looked.result->status(),   listed.result->status(),
                             deleted.result->status(),  attached.result->status()};
  for (const Status& status : statuses) EXPECT_EQ(status.code(), ErrorCode::kServiceBusy);
}

TEST_F(LimitsTest, SettlingIsNeverRefusedForThat) {
  Send();
  const LockToken token = (*engine_.Receive("orders"))[0].token;
  Pending<SendReceipt> sent;
  broker().Send("orders", std::vector<Message>(10, TenBytes()), false, sent.answer());

  Pending<RenewReceipt> renewed;
  broker().RenewLock("orders", {token}, renewed.answer());
  Pending<SettleReceipt> settled;
  broker().Settle("orders", {token}, {}, settled.answer());
  engine_.Run();

  EXPECT_TRUE((**renewed.result)[0].ok());
  EXPECT_TRUE((**settled.result)[0].ok());
}

TEST_F(LimitsTest, ARequestLargerThanTheInboxIsTakenWhenNothingWaits) {
  Send(11);

  EXPECT_EQ(engine_.GetQueue("orders")->main.messages(), 11);
}

// None is a bad value, and too many are out of range.
constexpr std::pair<std::size_t, ErrorCode> kBadCounts[] = {{0, ErrorCode::kArgumentError},
                                                            {4501, ErrorCode::kArgumentOutOfRange}};

TEST_F(LimitsTest, ARequestHasFrom1To4500Messages) {  // SIZ-3, ERR-15, ERR-16
  for (const auto& [count, code] : kBadCounts) {
    const auto receipt = engine_.Send("orders", std::vector<Message>(count, TenBytes()));
    EXPECT_EQ(receipt.status().code(), code) << count;
  }
  EXPECT_EQ(engine_.Send("orders", std::vector<Message>(4500, TenBytes()))->size(), 4500U);
}

TEST_F(LimitsTest, ARequestHasFrom1To4500Tokens) {  // ERR-15, ERR-16
  for (const auto& [count, code] : kBadCounts) {
    const TokenList tokens(count, LockToken(1, 1));
    Pending<SettleReceipt> settled;
    Pending<RenewReceipt> renewed;
    broker().Settle("orders", tokens, {}, settled.answer());
    broker().RenewLock("orders", tokens, renewed.answer());
    EXPECT_EQ(settled.result->status().code(), code);
    EXPECT_EQ(renewed.result->status().code(), code);
  }
}

TEST_F(LimitsTest, AtTheLimitOfLocksReceiversWait) {  // LCK-13
  const TestReceiver receiver = AttachWith(10);
  Send(4);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));
  EXPECT_THAT(*engine_.Receive("orders"), IsEmpty());

  ASSERT_TRUE(engine_.Complete("orders", receiver.token(0)).ok());
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));

  // A lock that ends makes room as well.
  engine_.Advance(seconds(30));
  EXPECT_THAT(receiver.events(), SizeIs(5));
}

// All of them, or none (DEF-3).
TEST_F(LimitsTest, DeferredOnesAreReceivedWithinTheLimitOfLocks) {  // LCK-13
  Send(3);
  for (int i = 0; i < 3; ++i) {
    const auto received = *engine_.Receive("orders");
    ASSERT_THAT(received, SizeIs(1));
    ASSERT_TRUE(engine_.Defer("orders", received[0].token).ok());
  }

  EXPECT_EQ(engine_.ReceiveDeferred("orders", {1, 2, 3}).status().code(),
            ErrorCode::kQuotaExceeded);
  EXPECT_EQ(engine_.GetQueue("orders")->main.locked, 0);

  EXPECT_THAT(*engine_.ReceiveDeferred("orders", {3}), SizeIs(1));
  EXPECT_EQ(engine_.ReceiveDeferred("orders", {1, 2}).status().code(), ErrorCode::kQuotaExceeded);
  EXPECT_THAT(*engine_.ReceiveDeferred("orders", {1}), SizeIs(1));
}

TEST_F(LimitsTest, NoMoreReceiversThanAllowedAtALane) {  // QUO-7
  const TestReceiver first = Attach();
  const TestReceiver second = Attach();

  Pending<AttachedReceiver> third;
  broker().Attach({"orders", ReceiveMode::kPeekLock}, std::make_shared<RecordingSink>(),
                  third.answer());
  engine_.Run();
  EXPECT_EQ(third.result->status(),
            Status(ErrorCode::kQuotaExceeded,
                   "2 receivers are attached already, as many as an entity takes"));
  EXPECT_EQ(engine_.Receive("orders").status().code(), ErrorCode::kQuotaExceeded);

  // The dead-letter queue has its own.
  EXPECT_TRUE(engine_.Receive("orders/$DeadLetterQueue").ok());

  broker().Detach(first.id);
  EXPECT_TRUE(engine_.Receive("orders").ok());
}

// Service Bus takes a thousand in a second; here only what waits is bounded.
TEST(OperationRateTest, ASecondHasAsManyOperationsAsAreAsked) {  // QUO-12
  EngineHarness engine;
  ASSERT_TRUE(engine.CreateQueue({.name = "orders"}).ok());
  const Timestamp began = engine.clock().Now();

  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(engine.Send("orders", "x").ok()) << i;

  EXPECT_EQ(engine.clock().Now(), began);
  EXPECT_EQ(engine.GetQueue("orders")->main.messages(), 1500);
}

TEST_F(LimitsTest, NoMoreEntitiesThanAllowed) {  // QUO-5
  ASSERT_TRUE(engine_.CreateQueue({.name = "a"}).ok());

  EXPECT_EQ(engine_.CreateQueue({.name = "b"}).code(), ErrorCode::kQuotaExceeded);

  ASSERT_TRUE(engine_.DeleteQueue("a").ok());
  EXPECT_TRUE(engine_.CreateQueue({.name = "b"}).ok());
}

TEST_F(LimitsTest, LimitsMayChangeWhileItWorks) {  // QUO-5, LCK-13
  const TestReceiver receiver = AttachWith(10);
  Send(4);
  ASSERT_THAT(receiver.events(), ElementsAre("1", "2"));
  ShardLimits limits = SmallLimits();
  limits.broker.entities_max = 3;
  limits.broker.queue.locked_messages_max = 3;

  engine_.shard().SetLimits(limits);

  Send(1);
  EXPECT_THAT(receiver.events(), ElementsAre("1", "2", "3"));
  EXPECT_TRUE(engine_.CreateQueue({.name = "a"}).ok());
  EXPECT_TRUE(engine_.CreateQueue({.name = "b"}).ok());
  EXPECT_EQ(engine_.CreateQueue({.name = "c"}).code(), ErrorCode::kQuotaExceeded);
}

TEST_F(LimitsTest, APageSaysWhetherThereAreMore) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "bills"}).ok());
  const auto page = [this](std::size_t count) {
    return *engine_.Await<QueuePage>([&](Answer<QueuePage> answer) {
      broker().List(EntityKind::kQueue, "", count, std::move(answer));
    });
  };

  EXPECT_TRUE(page(1).has_more);
  EXPECT_FALSE(page(2).has_more);
  EXPECT_THAT(page(1).queues, SizeIs(1));
}

TEST_F(LimitsTest, APeekShows250MessagesAtMost) {  // PEEK-5
  Send(252);

  const auto page = engine_.Peek("orders", 0, 1000);
  EXPECT_THAT(page->messages, SizeIs(250));
  EXPECT_EQ(page->next, SequenceNumber(251));
  EXPECT_THAT(engine_.Peek("orders", 251, 1000)->messages, SizeIs(2));
}

TEST_F(LimitsTest, WindowsNobodyWaitsOnAreDroppedBeyondTheirMemory) {
  ASSERT_TRUE(engine_.CreateQueue({.name = "other"}).ok());
  const std::vector<Message> large = [] {
    std::vector<Message> messages(4);
    for (Message& message : messages) message.body = std::string(10000, 'x');
    return messages;
  }();

  ASSERT_TRUE(engine_.Send("orders", large).ok());
  EXPECT_EQ(WindowBytes("orders"), 40000U);
  ASSERT_TRUE(engine_.Send("other", large).ok());

  EXPECT_LE(WindowBytes("orders") + WindowBytes("other"), 50000U);

  // What was dropped is read again when it is wanted.
  EXPECT_THAT(*engine_.Receive("orders", 2), SizeIs(2));
  EXPECT_THAT(*engine_.Receive("other", 2), SizeIs(2));
}

TEST_F(LimitsTest, AWindowSomeoneWaitsOnIsKept) {
  const TestReceiver receiver = AttachWith(3, 25000);
  std::vector<Message> messages(10);
  for (Message& message : messages) message.body = std::string(10000, 'x');

  ASSERT_TRUE(engine_.Send("orders", messages).ok());

  EXPECT_THAT(receiver.events(), ElementsAre("1", "2"));
}

}  // namespace
}  // namespace wharf
