// Topics, subscriptions and rules on the wire and in the broker.

#include "broker/doors/grpc/convert/convert_topic.h"

#include <utility>

#include <gtest/gtest.h>

#include "broker/doors/grpc/convert/entity_update.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

EntityRecord RecordOf(QueueDescription description) {
  EntityRecord record;
  record.description = std::move(description);
  return record;
}

TEST(ConvertTopicTest, AnEmptyRequestHasTheDefaultsOfServiceBus) {  // EPR-3, EPR-4, EPR-6, EPR-8
  EXPECT_EQ(*FromProto(v1::TopicProperties()), QueueDescription());
}

QueueDescription UnusualTopic() {
  QueueDescription topic{.name = "site1/Orders"};
  topic.max_size_in_megabytes = 5;
  topic.max_message_size_in_kilobytes = 7;
  topic.requires_duplicate_detection = true;
  topic.duplicate_detection_history_time_window = minutes(3);
  topic.default_message_time_to_live = seconds(9);
  topic.enable_batched_operations = false;
  topic.status = EntityStatus::kSendDisabled;
  topic.auto_delete_on_idle = minutes(11);
  topic.enable_partitioning = true;
  topic.user_metadata = "x";
  topic.support_ordering = false;
  topic.enable_express = true;
  topic.enable_filtering_messages_before_publishing = true;
  topic.event_log_size_in_kilobytes = 65;
  topic.event_log_retention = minutes(12);
  return topic;
}

TEST(ConvertTopicTest, EveryPropertyComesBack) {  // EPR-1..EPR-22
  const QueueDescription topic = UnusualTopic();
  v1::TopicProperties proto;
  ToProto(RecordOf(topic), &proto);

  for (int i = 0; i < v1::TopicProperties::descriptor()->field_count(); ++i) {
    const auto& field = *v1::TopicProperties::descriptor()->field(i);
    const bool is_false =
        field.name() == "enable_batched_operations" || field.name() == "support_ordering";
    EXPECT_TRUE(is_false || proto.GetReflection()->HasField(proto, &field)) << field.name();
  }
  EXPECT_EQ(*FromProto(proto), topic);
}

QueueDescription UnusualSubscription() {
  QueueDescription subscription{.name = "site1/Orders/Subscriptions/Billing"};
  subscription.lock_duration = seconds(7);
  subscription.requires_session = true;
  subscription.session_expiry_scope = SessionExpiryScope::kMessage;
  subscription.default_message_time_to_live = seconds(9);
  subscription.dead_lettering_on_message_expiration = true;
  subscription.dead_lettering_on_filter_evaluation_exceptions = false;
  subscription.max_delivery_count = 3;
  subscription.enable_batched_operations = false;
  subscription.status = EntityStatus::kReceiveDisabled;
  subscription.forward_to = "a";
  subscription.forward_dead_lettered_messages_to = "b";
  subscription.auto_delete_on_idle = minutes(11);
  subscription.user_metadata = "x";
  subscription.enable_priority = true;
  subscription.retry_policy = RetryPolicy{.base = seconds(2)};
  subscription.event_log_size_in_kilobytes = 65;
  subscription.event_log_retention = minutes(12);
  return subscription;
}

TEST(ConvertSubscriptionTest, AnEmptyRequestHasTheDefaultsOfServiceBus) {  // EPR-2, EPR-10, EPR-11
  v1::SubscriptionProperties proto;
  proto.set_topic("orders");
  proto.set_name("billing");

  EXPECT_EQ(*FromProto(proto), (QueueDescription{.name = "orders/Subscriptions/billing"}));
}

TEST(ConvertSubscriptionTest, EveryPropertyComesBack) {  // EPR-1..EPR-18
  const QueueDescription subscription = UnusualSubscription();
  v1::SubscriptionProperties proto;
  ToProto(RecordOf(subscription), &proto);

  EXPECT_EQ(proto.topic(), "site1/Orders");
  EXPECT_EQ(proto.name(), "Billing");
  for (int i = 0; i < v1::SubscriptionProperties::descriptor()->field_count(); ++i) {
    const auto& field = *v1::SubscriptionProperties::descriptor()->field(i);
    EXPECT_TRUE(proto.GetReflection()->HasField(proto, &field)) << field.name();
  }
  EXPECT_EQ(*FromProto(proto), subscription);
}

TEST(ConvertSubscriptionTest, AnEmptyTargetIsNone) {  // FWD-19
  v1::SubscriptionProperties proto;
  proto.set_forward_to("");
  proto.set_forward_dead_lettered_messages_to("");

  EXPECT_EQ(FromProto(proto)->forward_to, std::nullopt);
  EXPECT_EQ(FromProto(proto)->forward_dead_lettered_messages_to, std::nullopt);
}

TEST(ConvertSubscriptionTest, BadValuesAreRefused) {  // ERR-15, ERR-16
  v1::SubscriptionProperties proto;
  proto.mutable_lock_duration()->set_nanos(-1);
  proto.mutable_lock_duration()->set_seconds(1);
  EXPECT_FALSE(FromProto(proto).ok());

  proto.Clear();
  proto.set_status(static_cast<v1::EntityStatus>(77));
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentError);

  proto.Clear();
  proto.set_session_expiry_scope(static_cast<v1::SessionExpiryScope>(77));
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertTopicTest, CountersOfATopic) {  // RTP-1, RTP-3, RTP-7, RTP-8
  QueueSnapshot snapshot;
  snapshot.record.description.name = "orders";
  snapshot.main.scheduled = 3;
  snapshot.subscriptions = 2;
  snapshot.bytes = 500;
  v1::TopicRuntimeProperties proto;
  ToProto(snapshot, &proto);

  EXPECT_EQ(proto.name(), "orders");
  EXPECT_EQ(proto.scheduled_message_count(), 3);
  EXPECT_EQ(proto.subscription_count(), 2);
  EXPECT_EQ(proto.size_in_bytes(), 500);
  EXPECT_TRUE(proto.has_created_at() && proto.has_updated_at() && proto.has_accessed_at());
}

TEST(ConvertSubscriptionTest, CountersOfASubscription) {  // RTP-1, RTP-2, RTP-6
  QueueSnapshot snapshot;
  snapshot.record.description.name = "orders/Subscriptions/billing";
  snapshot.main.fresh = 5;
  snapshot.main.locked = 2;
  snapshot.main.delayed = 1;
  snapshot.main.deferred = 4;
  snapshot.dead_letter.fresh = 3;
  v1::SubscriptionRuntimeProperties proto;
  ToProto(snapshot, &proto);

  EXPECT_EQ(proto.topic(), "orders");
  EXPECT_EQ(proto.name(), "billing");
  EXPECT_EQ(proto.active_message_count(), 12);
  EXPECT_EQ(proto.locked_message_count(), 2);
  EXPECT_EQ(proto.delayed_message_count(), 1);
  EXPECT_EQ(proto.deferred_message_count(), 4);
  EXPECT_EQ(proto.dead_letter_message_count(), 3);
  EXPECT_EQ(proto.total_message_count(), 15);
}

TEST(ConvertSubscriptionTest, WhatCannotBeReadIsCountedForEachOfTheTwoQueues) {
  QueueSnapshot snapshot;
  snapshot.record.description.name = "orders/Subscriptions/billing";
  snapshot.main.quarantined = 1;
  snapshot.dead_letter.quarantined = 2;
  v1::SubscriptionRuntimeProperties proto;
  ToProto(snapshot, &proto);

  EXPECT_EQ(proto.quarantined_message_count(), 1);
  EXPECT_EQ(proto.dead_letter_quarantined_message_count(), 2);
}

TEST(ConvertSubscriptionTest, WhatIsAboutToBeForwardedIsATransfer) {  // RTP-4
  QueueSnapshot snapshot;
  snapshot.record.description.forward_to = "archive";
  snapshot.main.fresh = 5;
  snapshot.main.locked = 2;
  v1::SubscriptionRuntimeProperties proto;
  ToProto(snapshot, &proto);

  EXPECT_EQ(proto.transfer_message_count(), 5);
  EXPECT_EQ(proto.active_message_count(), 2);
  EXPECT_EQ(proto.total_message_count(), 7);
}

RuleDescription ThereAndBack(const RuleDescription& rule) {
  v1::Rule proto;
  ToProto(rule, &proto);
  EXPECT_TRUE(proto.has_created_at());
  return *FromProto(proto);
}

TEST(ConvertRuleTest, EveryFilterComesBack) {  // RUL-16, COR-1
  const CorrelationFilter correlation{.correlation_id = "a",
                                      .message_id = "b",
                                      .to = "c",
                                      .reply_to = "d",
                                      .subject = "e",
                                      .session_id = "f",
                                      .reply_to_session_id = "g",
                                      .content_type = "h",
                                      .application_properties = {{"n", std::int32_t{5}}}};
  const RuleFilter filters[] = {TrueFilter(), FalseFilter(), SqlText{"n = @x", {{"@x", 2.5}}},
                                correlation};
  for (const RuleFilter& filter : filters) {
    const RuleDescription rule{.name = "r", .filter = filter};
    EXPECT_EQ(ThereAndBack(rule), rule);
  }
}

TEST(ConvertRuleTest, AnActionComesBack) {  // ACT-9
  const RuleDescription rule{.name = "r", .action = SqlText{"SET a = @x", {{"x", true}}}};

  EXPECT_EQ(ThereAndBack(rule), rule);
}

TEST(ConvertRuleTest, WithoutAFilterEverythingMatches) {  // RUL-1
  EXPECT_EQ(FromProto(v1::Rule())->filter, RuleFilter(TrueFilter()));
}

TEST(ConvertRuleTest, ABadValueIsRefused) {  // ERR-16
  v1::Rule proto;
  auto& filter = *proto.mutable_correlation_filter();
  (*filter.mutable_application_properties())["n"].set_int8_value(1000);
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);

  proto.mutable_true_filter();
  (*proto.mutable_action()->mutable_parameters())["n"].set_int8_value(1000);
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertRuleTest, AVerdictTellsWhatWasCompared) {
  RuleVerdict verdict{.rule = "r", .truth = Truth::kFalse};
  verdict.evidence = {
      {.name = "a", .actual = PropertyValue(), .wanted = PropertyValue(true), .is_equal = false},
      {.name = "b"}};
  v1::RuleVerdict proto;
  ToProto(verdict, {"path"}, &proto);

  EXPECT_EQ(proto.rule(), "r");
  EXPECT_EQ(proto.outcome(), v1::FILTER_OUTCOME_NO_MATCH);
  EXPECT_FALSE(proto.has_error() || proto.has_copy());
  ASSERT_EQ(proto.evidence_size(), 2);
  EXPECT_TRUE(proto.evidence(0).has_actual());
  EXPECT_EQ(proto.evidence(0).actual().kind_case(), v1::PropertyValue::KIND_NOT_SET);
  EXPECT_TRUE(proto.evidence(0).wanted().bool_value());
  EXPECT_FALSE(proto.evidence(1).has_actual() || proto.evidence(1).has_wanted());
}

TEST(ConvertRuleTest, EveryOutcome) {
  const auto outcome = [](std::optional<Truth> truth) {
    v1::RuleVerdict proto;
    ToProto(RuleVerdict{.truth = truth}, {}, &proto);
    return proto.outcome();
  };

  EXPECT_EQ(outcome(Truth::kTrue), v1::FILTER_OUTCOME_MATCH);
  EXPECT_EQ(outcome(Truth::kFalse), v1::FILTER_OUTCOME_NO_MATCH);
  EXPECT_EQ(outcome(Truth::kUnknown), v1::FILTER_OUTCOME_UNKNOWN);
  EXPECT_EQ(outcome(std::nullopt), v1::FILTER_OUTCOME_ERROR);
}

TEST(ConvertRuleTest, AVerdictShowsTheCopyOrTheError) {  // RUL-5, RUL-9
  RuleVerdict verdict{.truth = Truth::kTrue};
  verdict.copy.emplace().subject = "x";
  v1::RuleVerdict proto;
  ToProto(verdict, {"path"}, &proto);
  EXPECT_EQ(proto.copy().subject(), "x");

  verdict = {.truth = Truth::kTrue, .error = {ErrorCode::kRuleActionException, "why"}};
  proto.Clear();
  ToProto(verdict, {"path"}, &proto);
  EXPECT_EQ(proto.error().message(), "why");
  EXPECT_EQ(proto.error().code(), 3);
  EXPECT_FALSE(proto.has_copy());
}

template <typename Properties>
class EntityUpdateTest : public ::testing::Test {};
using AllProperties =
    ::testing::Types<v1::QueueProperties, v1::TopicProperties, v1::SubscriptionProperties>;
TYPED_TEST_SUITE(EntityUpdateTest, AllProperties);

TYPED_TEST(EntityUpdateTest, LeavesAloneWhatXmlAloneCanSay) {  // EPR-24
  QueueDescription description{.name = "t/Subscriptions/s"};
  description.unknown_elements = "<New/>";
  const EntityRecord record = RecordOf(description);
  TypeParam asked;
  asked.set_user_metadata("x");
  google::protobuf::FieldMask mask;
  EXPECT_EQ(EditOf(asked, mask)(record)->unknown_elements, "<New/>") << "all is replaced";

  mask.add_paths("user_metadata");
  const auto edited = EditOf(asked, mask)(record);
  EXPECT_EQ(edited->user_metadata, "x");
  EXPECT_EQ(edited->unknown_elements, "<New/>");
}

}  // namespace
}  // namespace wharf
