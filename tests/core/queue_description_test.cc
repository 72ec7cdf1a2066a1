#include "broker/core/entities/queue_description.h"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

using Change = std::function<void(QueueDescription&)>;

ErrorCode CodeWith(const Change& change) {
  QueueDescription queue;
  queue.name = "orders";
  change(queue);
  return CheckDescription(EntityKind::kQueue, queue).code();
}

TEST(QueueDescriptionTest, TheDefaultsAreThoseOfServiceBus) {
  const QueueDescription queue;

  EXPECT_EQ(queue.lock_duration, minutes(1));                             // EPR-2, LCK-1
  EXPECT_EQ(queue.max_size_in_megabytes, 1024);                           // EPR-3
  EXPECT_EQ(queue.max_message_size_in_kilobytes, 1024);                   // EPR-4, SIZ-8
  EXPECT_FALSE(queue.requires_duplicate_detection);                       // EPR-5
  EXPECT_EQ(queue.duplicate_detection_history_time_window, minutes(10));  // EPR-6
  EXPECT_FALSE(queue.requires_session);                                   // EPR-7
  EXPECT_EQ(queue.default_message_time_to_live, kUnlimited);              // EPR-8
  EXPECT_FALSE(queue.dead_lettering_on_message_expiration);               // EPR-9
  EXPECT_EQ(queue.max_delivery_count, 10);                                // EPR-11, MAX-1
  EXPECT_TRUE(queue.enable_batched_operations);                           // EPR-12
  EXPECT_EQ(queue.status, EntityStatus::kActive);                         // EPR-13
  EXPECT_EQ(queue.forward_to, std::nullopt);                              // EPR-14
  EXPECT_EQ(queue.forward_dead_lettered_messages_to, std::nullopt);       // EPR-15
  EXPECT_EQ(queue.auto_delete_on_idle, kUnlimited);                       // EPR-16
  EXPECT_FALSE(queue.enable_partitioning);                                // EPR-17
  EXPECT_EQ(queue.user_metadata, std::nullopt);                           // EPR-18
  EXPECT_TRUE(queue.support_ordering);                                    // EPR-20
  EXPECT_FALSE(queue.enable_express);                                     // EPR-21
  EXPECT_EQ(CodeWith([](QueueDescription&) {}), ErrorCode::kOk);
}

TEST(QueueDescriptionTest, StatusesHaveAzuresNumbers) {  // STS-1, STS-2, STS-3, STS-4
  EXPECT_EQ(static_cast<int>(EntityStatus::kActive), 0);
  EXPECT_EQ(static_cast<int>(EntityStatus::kDisabled), 1);
  EXPECT_EQ(static_cast<int>(EntityStatus::kSendDisabled), 3);
  EXPECT_EQ(static_cast<int>(EntityStatus::kReceiveDisabled), 4);
}

TEST(QueueDescriptionTest, AStatusForbidsSendingOrReceiving) {  // STS-1, STS-2, STS-3, STS-4
  QueueDescription queue;
  EXPECT_TRUE(queue.can_send() && queue.can_receive());
  queue.status = EntityStatus::kDisabled;
  EXPECT_FALSE(queue.can_send() || queue.can_receive());
  queue.status = EntityStatus::kSendDisabled;
  EXPECT_TRUE(!queue.can_send() && queue.can_receive());
  queue.status = EntityStatus::kReceiveDisabled;
  EXPECT_TRUE(queue.can_send() && !queue.can_receive());
}

TEST(QueueDescriptionTest, TheNameIsCheckedAndItsSlashesPutRight) {  // EPR-1
  QueueDescription queue;
  EXPECT_EQ(CheckDescription(EntityKind::kQueue, queue).code(), ErrorCode::kArgumentError);

  queue.name = "Site\\Orders";
  ASSERT_TRUE(CheckDescription(EntityKind::kQueue, queue).ok());
  EXPECT_EQ(queue.name, "Site/Orders");
}

// What lies just inside a range, and just outside.
struct Range {
  const char* property;
  Change lowest;
  Change below;
  Change highest;
  Change above;
};

class RangeTest : public ::testing::TestWithParam<Range> {};

TEST_P(RangeTest, EndsWhereTheRuleSays) {
  EXPECT_EQ(CodeWith(GetParam().lowest), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(GetParam().below), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(CodeWith(GetParam().highest), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(GetParam().above), ErrorCode::kArgumentOutOfRange);
}

template <typename T, typename Value>
Change Set(T QueueDescription::*field, Value value) {
  return [=](QueueDescription& queue) { queue.*field = value; };
}

using Queue = QueueDescription;
constexpr Duration kTick{1};

INSTANTIATE_TEST_SUITE_P(
    QueueDescription, RangeTest,
    ::testing::Values(
        // EPR-2, LCK-1, LCK-15
        Range{"lock_duration", Set(&Queue::lock_duration, seconds(5)),
              Set(&Queue::lock_duration, seconds(5) - kTick), Set(&Queue::lock_duration, hours(24)),
              Set(&Queue::lock_duration, hours(24) + kTick)},
        // EPR-4, SIZ-8
        Range{"max_message_size", Set(&Queue::max_message_size_in_kilobytes, 1),
              Set(&Queue::max_message_size_in_kilobytes, 0),
              Set(&Queue::max_message_size_in_kilobytes, 102400),
              Set(&Queue::max_message_size_in_kilobytes, 102401)},
        // EPR-6
        Range{"window", Set(&Queue::duplicate_detection_history_time_window, seconds(20)),
              Set(&Queue::duplicate_detection_history_time_window, seconds(20) - kTick),
              Set(&Queue::duplicate_detection_history_time_window, hours(7 * 24)),
              Set(&Queue::duplicate_detection_history_time_window, hours(7 * 24) + kTick)}),
    [](const auto& range) { return range.param.property; });

TEST(QueueDescriptionTest, TheQuotaIsOneMegabyteOrMore) {  // EPR-3
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(CodeWith(Set(&Queue::max_size_in_megabytes, 1)), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(Set(&Queue::max_size_in_megabytes, kMost)), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(Set(&Queue::max_size_in_megabytes, 0)), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(CodeWith(Set(&Queue::max_size_in_megabytes, -1)), ErrorCode::kArgumentOutOfRange);

  Queue queue;
  EXPECT_EQ(queue.bytes_max(), std::int64_t{1} << 30);
  queue.max_size_in_megabytes = kMost;
  EXPECT_EQ(queue.bytes_max(), kMost);
}

TEST(QueueDescriptionTest, WhatIsNotKnownIsBounded) {  // EPR-24
  const auto of = [](std::size_t bytes) {
    return [bytes](Queue& queue) { queue.unknown_elements = std::string(bytes, 'x'); };
  };
  EXPECT_EQ(CodeWith(of(kUnknownElementsBytesMax)), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(of(kUnknownElementsBytesMax + 1)), ErrorCode::kArgumentOutOfRange);
}

TEST(QueueDescriptionTest, AMessageIsDeliveredOnceOrMore) {  // EPR-11, MAX-1
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(CodeWith(Set(&Queue::max_delivery_count, 1)), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(Set(&Queue::max_delivery_count, kMost)), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(Set(&Queue::max_delivery_count, 0)), ErrorCode::kArgumentOutOfRange);
}

TEST(QueueDescriptionTest, AMessageLivesForASecondOrMore) {  // EPR-8
  EXPECT_EQ(CodeWith(Set(&Queue::default_message_time_to_live, milliseconds(999))),
            ErrorCode::kArgumentOutOfRange);
}

TEST(QueueDescriptionTest, AQueueIsIdleForFiveMinutesOrMore) {  // EPR-16
  EXPECT_EQ(CodeWith(Set(&Queue::auto_delete_on_idle, minutes(5) - kTick)),
            ErrorCode::kArgumentOutOfRange);
}

TEST(QueueDescriptionTest, UserMetadataHas1024CharactersAtMost) {  // EPR-18
  EXPECT_EQ(CodeWith(Set(&Queue::user_metadata, std::string(1024, 'x'))), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(Set(&Queue::user_metadata, std::string(1025, 'x'))),
            ErrorCode::kArgumentOutOfRange);

  // Characters, not bytes.
  std::string umlauts;
  for (int i = 0; i < 1024; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(CodeWith(Set(&Queue::user_metadata, umlauts)), ErrorCode::kOk);
  EXPECT_EQ(CodeWith(Set(&Queue::user_metadata, umlauts + "x")), ErrorCode::kArgumentOutOfRange);
}

TEST(QueueDescriptionTest, LevelsGoNeitherWithSessionsNorWithPartitions) {  // PRI-1, PAR-7
  Queue levels;
  levels.name = "orders";
  levels.enable_priority = true;
  EXPECT_EQ(CheckDescription(EntityKind::kQueue, levels).code(), ErrorCode::kOk);
  for (const auto other : {&Queue::requires_session, &Queue::enable_partitioning}) {
    Queue both = levels;
    both.*other = true;
    EXPECT_EQ(CheckDescription(EntityKind::kQueue, both).code(), ErrorCode::kArgumentError);
  }
  Queue sessions;
  sessions.name = "orders";
  sessions.requires_session = true;
  sessions.enable_partitioning = true;
  EXPECT_EQ(CheckDescription(EntityKind::kQueue, sessions).code(), ErrorCode::kOk);
}

TEST(QueueDescriptionTest, DuplicateDetectionDoesNotGoWithExpress) {  // DUP-14
  for (const EntityKind kind : {EntityKind::kQueue, EntityKind::kTopic}) {
    Queue queue;
    queue.name = "orders";
    queue.requires_duplicate_detection = true;
    EXPECT_TRUE(CheckDescription(kind, queue).ok());

    queue.enable_express = true;

    EXPECT_EQ(CheckDescription(kind, queue).code(), ErrorCode::kArgumentError);
  }
}

TEST(QueueDescriptionTest, ATopicMayHavePartitionsButNoLevels) {  // PRI-1, EPR-17
  Queue topic;
  topic.name = "orders";
  topic.enable_priority = true;
  EXPECT_EQ(CheckDescription(EntityKind::kTopic, topic).code(), ErrorCode::kArgumentError);

  topic.enable_priority = false;
  topic.enable_partitioning = true;
  EXPECT_TRUE(CheckDescription(EntityKind::kTopic, topic).ok());
}

TEST(QueueDescriptionTest, WhatIsFixedAtCreationCannotChange) {  // EPR-31
  const Queue before;
  const std::pair<const char*, bool Queue::*> fixed[] = {
      {"requires_duplicate_detection", &Queue::requires_duplicate_detection},  // EPR-5
      {"requires_session", &Queue::requires_session},                          // EPR-7
      {"enable_partitioning", &Queue::enable_partitioning},                    // EPR-17
      {"enable_express", &Queue::enable_express},                              // EPR-21
      {"enable_priority", &Queue::enable_priority},                            // PRI-1
  };
  for (const auto& [name, field] : fixed) {
    Queue after;
    after.*field = true;
    for (const Status& status : {CheckUpdate(EntityKind::kQueue, before, after),
                                 CheckUpdate(EntityKind::kQueue, after, before)}) {
      EXPECT_EQ(status.code(), ErrorCode::kArgumentError);
      EXPECT_NE(status.message().find(name), std::string::npos) << status.message();
    }
    EXPECT_TRUE(CheckUpdate(EntityKind::kQueue, after, after).ok());
  }
}

TEST(QueueDescriptionTest,
     AQueueThatForwardsNeverExpiresAnythingAndIsNeverIdle) {  // FWD-17, TTL-16
  Queue queue;
  queue.name = "orders";
  queue.default_message_time_to_live = hours(1);
  queue.auto_delete_on_idle = hours(1);
  queue.forward_to = "other";
  ASSERT_TRUE(CheckDescription(EntityKind::kQueue, queue).ok());

  EXPECT_EQ(queue.default_message_time_to_live, kUnlimited);
  EXPECT_EQ(queue.auto_delete_on_idle, kUnlimited);
}

TEST(QueueDescriptionTest, ForwardingOfDeadLettersLeavesThatToTheOwner) {  // CNF-26
  Queue queue;
  queue.name = "orders";
  queue.default_message_time_to_live = hours(1);
  queue.auto_delete_on_idle = hours(1);
  queue.forward_dead_lettered_messages_to = "other";
  ASSERT_TRUE(CheckDescription(EntityKind::kQueue, queue).ok());

  EXPECT_EQ(queue.default_message_time_to_live, hours(1));
  EXPECT_EQ(queue.auto_delete_on_idle, hours(1));
}

TEST(QueueDescriptionTest, AnEmptyTargetIsNone) {  // FWD-19
  Queue queue;
  queue.name = "orders";
  queue.requires_session = true;
  queue.forward_to = "";
  queue.forward_dead_lettered_messages_to = "";
  ASSERT_TRUE(CheckDescription(EntityKind::kQueue, queue).ok());

  EXPECT_EQ(queue.forward_to, std::nullopt);
  EXPECT_EQ(queue.forward_dead_lettered_messages_to, std::nullopt);
}

TEST(QueueDescriptionTest, AQueueWithSessionsCannotForwardButItsDeadLettersCan) {  // FWD-4, SES-23
  Queue queue;
  queue.name = "orders";
  queue.requires_session = true;
  queue.forward_dead_lettered_messages_to = "other";
  EXPECT_TRUE(CheckDescription(EntityKind::kQueue, queue).ok());

  queue.forward_to = "other";
  EXPECT_EQ(CheckDescription(EntityKind::kQueue, queue).code(), ErrorCode::kInvalidOperation);
}

TEST(QueueDescriptionTest, EverythingElseMayChange) {
  const Queue before;
  Queue after;
  after.lock_duration = seconds(30);
  after.max_size_in_megabytes = 1;
  after.max_message_size_in_kilobytes = 1;
  after.duplicate_detection_history_time_window = seconds(30);
  after.default_message_time_to_live = hours(1);
  after.dead_lettering_on_message_expiration = true;
  after.max_delivery_count = 1;
  after.enable_batched_operations = false;
  after.status = EntityStatus::kDisabled;
  after.forward_to = "other";
  after.forward_dead_lettered_messages_to = "other";
  after.auto_delete_on_idle = hours(1);
  after.user_metadata = "mine";
  after.support_ordering = false;

  EXPECT_TRUE(CheckUpdate(EntityKind::kQueue, before, after).ok());
}

}  // namespace
}  // namespace wharf
