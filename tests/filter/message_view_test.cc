#include "broker/filter/message_view.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/filter/judge.h"

namespace wharf {
namespace {

TEST(MessageViewTest, AStoredMessageIsSeenWithoutACopy) {  // SQL-25
  StoredMessage stored;
  stored.number = SequenceNumber(9);
  stored.enqueued_number = SequenceNumber(4);
  stored.enqueued_at = Timestamp(std::chrono::seconds(100));
  stored.facts.expires_at = Timestamp(std::chrono::seconds(200));
  stored.facts.size = 77;
  stored.dead_letter_source = "orders";
  stored.message.subject = "x";
  BrokerProperties broker = BrokerPropertiesOf(stored);
  broker.delivery_count = 3;
  broker.state = MessageState::kScheduled;
  const MessageView view(stored.message, broker);

  EXPECT_EQ(Judge("sys.SequenceNumber = 9 AND sys.EnqueuedSequenceNumber = 4", view), "T");
  EXPECT_EQ(Judge("sys.EnqueuedTimeUtc < sys.ExpiresAtUtc AND sys.Size = 77", view), "T");
  EXPECT_EQ(Judge("sys.DeadLetterSource = 'orders' AND sys.Label = 'x'", view), "T");
  EXPECT_EQ(Judge("sys.DeliveryCount = 3 AND sys.State = 2", view), "T");
}

TEST(MessageViewTest, ALaneKnowsCountAndState) {  // STA-3, RTY-2
  StoredMessage stored;
  stored.facts.expires_at = Timestamp(std::chrono::seconds(200));
  const Delivery delivery{3, nullptr};

  for (const Standing standing :
       {Standing::kFresh, Standing::kLocked, Standing::kReturned, Standing::kDelayed}) {
    EXPECT_EQ(StateOf(standing), MessageState::kActive);
  }
  EXPECT_EQ(StateOf(Standing::kDeferred), MessageState::kDeferred);
  const auto deferred = BrokerPropertiesOf(stored, delivery, MessageState::kDeferred);
  EXPECT_EQ(Judge("sys.DeliveryCount = 3 AND sys.State = 1 AND sys.ExpiresAtUtc IS NOT NULL",
                  MessageView(stored.message, deferred)),
            "T");
}

TEST(MessageViewTest, AScheduledMessageDoesNotKnowItsEndYet) {  // SCH-5, SQL-26
  const StoredMessage stored;

  const auto scheduled = BrokerPropertiesOf(stored, {}, MessageState::kScheduled);

  EXPECT_EQ(
      Judge("sys.State = 2 AND sys.ExpiresAtUtc IS NULL", MessageView(stored.message, scheduled)),
      "T");
}

TEST(MessageViewTest, WhatTheBrokerDoesNotKnowYetIsNull) {  // SQL-26
  const Message message;
  const MessageView view(message);

  for (const std::string name :
       {"SequenceNumber", "EnqueuedSequenceNumber", "EnqueuedTimeUtc", "ExpiresAtUtc",
        "DeadLetterSource", "State", "TimeToLive", "MessageId", "Label", "SessionId"}) {
    EXPECT_EQ(Judge("sys." + name + " IS NULL AND NOT EXISTS(sys." + name + ")", view), "T");
  }
  EXPECT_EQ(Judge("sys.DeliveryCount = 0", view), "T");
}

TEST(MessageViewTest, TheSizeIsThatOfTheMessageUnlessItIsToldOtherwise) {  // PRP-23
  Message message;
  message.body = "12345";
  message.subject = "67";

  EXPECT_EQ(Judge("sys.Size = 7", MessageView(message)), "T");
  EXPECT_EQ(Judge("sys.Size = 9", MessageView(message, {.size = 9})), "T");
}

TEST(MessageViewTest, WhatReceiversChangedCounts) {  // STL-7
  Message message;
  message.application_properties = {{"color", std::string("red")}, {"size", std::int64_t{1}}};
  const PropertyMap changes = {
      {"size", std::int64_t{2}}, {"Color", std::string("blue")}, {"note", std::string("late")}};
  const MessageView view(message, {}, &changes);

  EXPECT_EQ(Judge("size = 2 AND note = 'late'", view), "T");
  // Another property, as its name differs in case: the first in order is seen (USR-4).
  EXPECT_EQ(Judge("color = 'red'", view), "T");
}

TEST(MessageViewTest, InstantsBeforeTheEpochAreInstants) {
  Message message;
  message.scheduled_enqueue_time = Timestamp(Duration(-1));

  const sql::Value value = MessageView(message).Get(SystemProperty::kScheduledEnqueueTimeUtc);

  EXPECT_EQ(std::get<Instant>(value), (Instant{{-1, 999'999'000}}));
}

}  // namespace
}  // namespace wharf
