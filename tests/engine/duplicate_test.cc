// Sends to a queue with duplicate detection, many at a time.

#include <deque>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/receiving/receiver_fixture.h"

namespace wharf {
namespace {

class DuplicateTest : public ReceiverFixture {
 protected:
  DuplicateTest() {
    QueueDescription queue{.name = "unique", .requires_duplicate_detection = true};
    EXPECT_TRUE(engine_.CreateQueue(queue).ok());
  }
  static Message Named(const std::string& id) {
    Message message = TenBytes();
    message.message_id = id;
    return message;
  }
};

TEST_F(DuplicateTest, SendsThatAreUnderWayTogetherAreToldApart) {  // DUP-3, RCP-1
  std::deque<Pending<SendReceipt>> sends(50);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    broker().Send("unique", {Named(fmt::format("id{}", i % 10))}, false, sends[i].answer());
  }
  engine_.Run();

  for (std::size_t i = 0; i < sends.size(); ++i) {
    const SendOutcome& outcome = *(**sends[i].result)[0];
    EXPECT_EQ(outcome.is_duplicate, i >= 10) << i;
    EXPECT_EQ(outcome.number.value(), i % 10 + 1) << i;
  }
}

TEST_F(DuplicateTest, TheyAreStoredInTheOrderTheyCame) {  // SND-4
  std::deque<Pending<SendReceipt>> sends(50);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const bool has_id = i % 3 != 0;
    broker().Send("unique", {has_id ? Named(fmt::format("id{}", i)) : TenBytes()}, false,
                  sends[i].answer());
  }
  engine_.Run();

  for (std::size_t i = 0; i < sends.size(); ++i) {
    EXPECT_EQ((**sends[i].result)[0]->number.value(), i + 1);
  }
}

TEST_F(DuplicateTest, AnIdIsKnownAgainAfterEveryRestart) {  // DUP-13
  ASSERT_TRUE(engine_.Send("unique", {Named("a")}).ok());
  engine_.Restart();

  const auto again = engine_.Send("unique", {Named("a")});

  EXPECT_TRUE((*again)[0]->is_duplicate);
  EXPECT_EQ(engine_.GetQueue("unique")->main.next_number, SequenceNumber(2));
}

TEST_F(DuplicateTest, AQueueThatWasCreatedAnewKnowsNothing) {  // reliability 50
  ASSERT_TRUE(engine_.Send("unique", {Named("a")}).ok());
  ASSERT_TRUE(engine_.DeleteQueue("unique").ok());
  ASSERT_TRUE(engine_.CreateQueue({.name = "unique", .requires_duplicate_detection = true}).ok());

  EXPECT_FALSE((*engine_.Send("unique", {Named("a")}))[0]->is_duplicate);
}

TEST_F(DuplicateTest, AQueueThatIsDeletedWhileIdsAreLookedUpRefusesTheSend) {
  Pending<SendReceipt> sent;
  Pending<std::monostate> deleted;
  broker().Send("unique", {Named("a")}, false, sent.answer());
  broker().DeleteQueue("unique", deleted.answer());
  engine_.Run();

  EXPECT_EQ(sent.result->status().code(), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(DuplicateTest, TooManyThatStandInLineHearThatTheBrokerIsBusy) {
  // Each waits for the look-up that the first one began, and none of them can be planned.
  std::deque<Pending<SendReceipt>> sends(40);
  for (Pending<SendReceipt>& send : sends) {
    broker().Send("unique", std::vector<Message>(Broker::kItemsMax, TenBytes()), false,
                  send.answer());
  }
  engine_.Run();

  std::size_t busy = 0;
  for (const Pending<SendReceipt>& send : sends) {
    ASSERT_TRUE(send.result.has_value());
    if (send.result->ok()) continue;
    EXPECT_EQ(send.result->status().code(), ErrorCode::kServiceBusy);
    ++busy;
  }
  EXPECT_GT(busy, 0U);
  EXPECT_LT(busy, sends.size());
}

}  // namespace
}  // namespace wharf
