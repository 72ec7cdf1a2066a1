// Requests and their results on the wire and in the broker.

#include <gtest/gtest.h>

#include "broker/doors/grpc/convert/convert.h"

namespace wharf {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Timestamp At(int second) { return Timestamp(seconds(second)); }

TEST(ConvertRequestTest, EverySettlement) {  // STL-1, STL-2, STL-4, STL-13
  v1::Settlement proto;
  proto.mutable_complete();
  EXPECT_EQ(FromProto(proto)->verb, SettleVerb::kComplete);
  proto.mutable_release();
  EXPECT_EQ(FromProto(proto)->verb, SettleVerb::kRelease);

  (*proto.mutable_abandon()->mutable_properties_to_modify())["note"].set_string_value("late");
  const Result<Settlement> abandon = FromProto(proto);
  EXPECT_EQ(abandon->verb, SettleVerb::kAbandon);
  EXPECT_EQ(abandon->properties_to_modify, (PropertyMap{{"note", std::string("late")}}));

  proto.mutable_dead_letter()->set_reason("BadOrder");
  proto.mutable_dead_letter()->set_description("no such article");
  (*proto.mutable_dead_letter()->mutable_properties_to_modify())["a"].set_bool_value(true);
  const Result<Settlement> dead_letter = FromProto(proto);
  EXPECT_EQ(dead_letter->verb, SettleVerb::kDeadLetter);
  EXPECT_EQ(dead_letter->reason, "BadOrder");
  EXPECT_EQ(dead_letter->description, "no such article");
  EXPECT_EQ(dead_letter->properties_to_modify, (PropertyMap{{"a", true}}));
}

TEST(ConvertRequestTest, ADeferMayChangeProperties) {  // STL-3, STL-7
  v1::Settlement proto;
  (*proto.mutable_defer()->mutable_properties_to_modify())["note"].set_string_value("later");

  EXPECT_EQ(FromProto(proto)->verb, SettleVerb::kDefer);
  EXPECT_EQ(FromProto(proto)->properties_to_modify, (PropertyMap{{"note", std::string("later")}}));
}

TEST(ConvertRequestTest, AnAbandonMayDelay) {  // RTY-1
  v1::Settlement proto;
  proto.mutable_abandon();
  EXPECT_EQ(FromProto(proto)->delay, std::nullopt);
  EXPECT_EQ(FromProto(proto)->delay_until, std::nullopt);

  proto.mutable_abandon()->mutable_delay()->set_seconds(30);
  EXPECT_EQ(FromProto(proto)->delay, seconds(30));

  proto.mutable_abandon()->mutable_available_at()->set_seconds(90);
  EXPECT_EQ(FromProto(proto)->delay, std::nullopt);
  EXPECT_EQ(FromProto(proto)->delay_until, At(90));

  proto.mutable_abandon()->mutable_available_at()->set_nanos(-1);
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertRequestTest, AReasonMayBeAbsent) {  // RSN-7
  v1::Settlement proto;
  proto.mutable_dead_letter();

  EXPECT_EQ(FromProto(proto)->reason, std::nullopt);
  EXPECT_EQ(FromProto(proto)->description, std::nullopt);
}

TEST(ConvertRequestTest, ASettlementNeedsAVerbAndGoodProperties) {  // ERR-15, ERR-16
  v1::Settlement proto;
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentError);

  (*proto.mutable_abandon()->mutable_properties_to_modify())["a"].set_int8_value(1000);
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertRequestTest, ATokenHas16Bytes) {  // PRP-19, ERR-15
  google::protobuf::RepeatedPtrField<std::string> protos;
  protos.Add(LockToken(1, 2).ToBytes());
  protos.Add(std::string(15, 'x'));
  protos.Add(std::string(17, 'x'));

  const TokenList tokens = TokensFromProto(protos);

  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(*tokens[0], LockToken(1, 2));
  EXPECT_EQ(tokens[1].status().code(), ErrorCode::kArgumentError);
  EXPECT_EQ(tokens[2].status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertRequestTest, APeekedMessageHasNoTokenToSettle) {  // STL-11, ERR-14
  google::protobuf::RepeatedPtrField<std::string> protos;
  protos.Add();

  EXPECT_EQ(TokensFromProto(protos)[0].status().code(), ErrorCode::kInvalidOperation);
}

TEST(ConvertRequestTest, ReceiveModes) {  // RCV-1, RCV-2
  EXPECT_EQ(*FromProto(v1::RECEIVE_MODE_PEEK_LOCK), ReceiveMode::kPeekLock);
  EXPECT_EQ(*FromProto(v1::RECEIVE_MODE_RECEIVE_AND_DELETE), ReceiveMode::kReceiveAndDelete);
  EXPECT_EQ(FromProto(static_cast<v1::ReceiveMode>(77)).status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertRequestTest, AWaitHasAUnitAndARange) {  // ERR-16
  google::protobuf::Duration proto;
  EXPECT_EQ(*WaitFromProto(proto), Duration(0));
  proto.set_seconds(5);
  proto.set_nanos(1000);
  EXPECT_EQ(*WaitFromProto(proto), seconds(5) + Duration(1));
  proto.set_nanos(-1);
  EXPECT_EQ(WaitFromProto(proto).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertRequestTest, CreditWithAndWithoutBytes) {
  v1::ReceiveCredit proto;
  proto.set_messages(3);
  EXPECT_EQ(FromProto(proto).messages, 3U);
  EXPECT_EQ(FromProto(proto).bytes, std::nullopt);
  proto.set_bytes(0);
  EXPECT_EQ(FromProto(proto).bytes, 0U);

  // More than the wire can say is as much as it can say.
  ToProto(Credit{~std::uint64_t{0}, ~std::uint64_t{0}}, &proto);
  EXPECT_EQ(proto.messages(), ~std::uint32_t{0});
  EXPECT_EQ(proto.bytes(), ~std::uint64_t{0});
}

TEST(ConvertRequestTest, AMessageHasANumberOrAnError) {
  v1::SendResult sent;
  ToProto(Result<SendOutcome>(SendOutcome{SequenceNumber(7), false}), {"orders"}, &sent);
  EXPECT_EQ(sent.sequence_number(), 7);
  ToProto(Result<SendOutcome>(SendOutcome{SequenceNumber(8), true}), {"orders"}, &sent);
  EXPECT_EQ(sent.duplicate_of(), 8);  // RCP-1

  const Status status(ErrorCode::kMessageSizeExceeded, "too large");
  ToProto(Result<SendOutcome>(status), {"orders"}, &sent);
  EXPECT_EQ(sent.error().message(), "too large");
  EXPECT_EQ(sent.error().code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(ConvertRequestTest, ARenewalHasATimeOrAnError) {  // LCK-4
  google::protobuf::RepeatedPtrField<std::string> tokens;
  tokens.Add("one");
  tokens.Add("two");
  google::protobuf::RepeatedPtrField<v1::TokenResult> results;

  RenewToProto(
      {Result<Timestamp>(At(5)), Result<Timestamp>(Status(ErrorCode::kMessageLockLost, "lost"))},
      tokens, {"orders"}, &results);

  ASSERT_EQ(results.size(), 2);
  EXPECT_EQ(results[0].lock_token(), "one");
  EXPECT_EQ(results[0].locked_until().seconds(), 5);
  EXPECT_EQ(results[1].lock_token(), "two");
  EXPECT_EQ(results[1].error().message(), "lost");
}

// Every property of a queue, none at its default.
QueueDescription SampleQueue() {
  QueueDescription queue;
  queue.name = "Site/Orders";
  queue.lock_duration = seconds(30) + Duration(5);
  queue.max_size_in_megabytes = 5;
  queue.max_message_size_in_kilobytes = 6;
  queue.requires_duplicate_detection = true;
  queue.duplicate_detection_history_time_window = minutes(7);
  queue.requires_session = true;
  queue.session_expiry_scope = SessionExpiryScope::kMessage;
  queue.default_message_time_to_live = hours(8);
  queue.dead_lettering_on_message_expiration = true;
  queue.max_delivery_count = 9;
  queue.enable_batched_operations = false;
  queue.status = EntityStatus::kSendDisabled;
  queue.forward_to = "there";
  queue.forward_dead_lettered_messages_to = "elsewhere";
  queue.auto_delete_on_idle = hours(10);
  queue.enable_partitioning = true;
  queue.enable_priority = true;
  queue.user_metadata = "mine";
  queue.support_ordering = false;
  queue.enable_express = true;
  queue.retry_policy = RetryPolicy{Backoff::kExponential, seconds(2), minutes(3), 0.25};
  queue.event_log_size_in_kilobytes = 65;
  queue.event_log_retention = minutes(12);
  return queue;
}

Result<QueueDescription> ThereAndBack(const QueueDescription& queue) {
  v1::QueueProperties proto;
  ToProto(EntityRecord{EntityId(1), EntityKind::kQueue, queue, {}, {}}, &proto);
  return FromProto(proto);
}

TEST(ConvertRequestTest, EveryPropertyOfAQueueGoesThereAndBack) {
  EXPECT_EQ(*ThereAndBack(SampleQueue()), SampleQueue());
  EXPECT_EQ(*ThereAndBack(QueueDescription()), QueueDescription());
}

TEST(ConvertRequestTest, WhatIsAbsentHasItsDefault) {  // EPR-30
  EXPECT_EQ(*FromProto(v1::QueueProperties()), QueueDescription());
}

TEST(ConvertRequestTest, WhatIsUnlimitedIsAbsent) {  // EPR-8, EPR-16
  v1::QueueProperties proto;
  ToProto(EntityRecord(), &proto);

  EXPECT_FALSE(proto.has_default_message_time_to_live());
  EXPECT_FALSE(proto.has_auto_delete_on_idle());
  EXPECT_FALSE(proto.has_forward_to());
  EXPECT_FALSE(proto.has_user_metadata());
  EXPECT_FALSE(proto.has_retry_policy());
  EXPECT_FALSE(proto.has_event_log_size_in_kilobytes());
  EXPECT_FALSE(proto.has_event_log_retention());
}

TEST(ConvertRequestTest, EveryStatusGoesThereAndBack) {  // STS-1, STS-2, STS-3, STS-4, EPR-13
  for (const EntityStatus status : {EntityStatus::kActive, EntityStatus::kDisabled,
                                    EntityStatus::kSendDisabled, EntityStatus::kReceiveDisabled}) {
    QueueDescription queue;
    queue.status = status;
    EXPECT_EQ(ThereAndBack(queue)->status, status);
  }
}

TEST(ConvertRequestTest, SessionsExpireAsAWholeUnlessToldOtherwise) {  // TTS-6
  v1::QueueProperties proto;
  ToProto(EntityRecord(), &proto);
  EXPECT_EQ(proto.session_expiry_scope(), v1::SESSION_EXPIRY_SCOPE_SESSION);

  proto.set_session_expiry_scope(v1::SESSION_EXPIRY_SCOPE_MESSAGE);
  EXPECT_EQ(FromProto(proto)->session_expiry_scope, SessionExpiryScope::kMessage);
  proto.set_session_expiry_scope(v1::SESSION_EXPIRY_SCOPE_UNSPECIFIED);
  EXPECT_EQ(FromProto(proto)->session_expiry_scope, SessionExpiryScope::kSession);
  proto.set_session_expiry_scope(static_cast<v1::SessionExpiryScope>(77));
  EXPECT_EQ(FromProto(proto).status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertRequestTest, BadPropertiesOfAQueueAreRefused) {  // ERR-15, ERR-16
  v1::QueueProperties status;
  status.set_status(static_cast<v1::EntityStatus>(99));  // STS-5: clients cannot set others.
  EXPECT_EQ(FromProto(status).status().code(), ErrorCode::kArgumentError);

  v1::QueueProperties duration;
  duration.mutable_lock_duration()->set_seconds(1);
  duration.mutable_lock_duration()->set_nanos(-1);
  EXPECT_EQ(FromProto(duration).status().code(), ErrorCode::kArgumentOutOfRange);
}

TEST(ConvertRequestTest, RuntimePropertiesAddUp) {
  QueueSnapshot snapshot;
  snapshot.record.description.name = "orders";
  snapshot.record.created_at = At(1);
  snapshot.record.updated_at = At(2);
  snapshot.main.fresh = 1;
  snapshot.main.locked = 2;
  snapshot.main.returned = 4;
  snapshot.main.delayed = 32;
  snapshot.main.deferred = 64;
  snapshot.main.scheduled = 128;
  snapshot.main.scheduled_bytes = 1000;
  snapshot.main.bytes = 100;
  snapshot.main.session_state_bytes = 5000;
  snapshot.main.accessed_at = At(3);
  snapshot.dead_letter.returned = 8;
  snapshot.dead_letter.locked = 16;
  snapshot.dead_letter.bytes = 50;

  v1::QueueRuntimeProperties proto;
  ToProto(snapshot, &proto);

  EXPECT_EQ(proto.name(), "orders");
  EXPECT_EQ(proto.active_message_count(), 103);  // RTP-1
  EXPECT_EQ(proto.locked_message_count(), 2);    // RTP-1
  EXPECT_EQ(proto.delayed_message_count(), 32);  // RTY-2
  EXPECT_EQ(proto.deferred_message_count(), 64);
  EXPECT_EQ(proto.dead_letter_message_count(), 24);  // RTP-2
  EXPECT_EQ(proto.scheduled_message_count(), 128);   // RTP-3
  EXPECT_EQ(proto.total_message_count(), 255);       // RTP-6
  EXPECT_EQ(proto.size_in_bytes(), 6150);            // RTP-7, SST-4
  EXPECT_EQ(proto.created_at().seconds(), 1);        // RTP-9
  EXPECT_EQ(proto.updated_at().seconds(), 2);
  EXPECT_EQ(proto.accessed_at().seconds(), 3);
}

TEST(ConvertRequestTest, WhatCannotBeReadIsCountedForEachOfTheTwoQueues) {
  QueueSnapshot snapshot;
  snapshot.main.quarantined = 1;
  snapshot.dead_letter.quarantined = 2;

  v1::QueueRuntimeProperties proto;
  ToProto(snapshot, &proto);

  EXPECT_EQ(proto.active_message_count(), 1);
  EXPECT_EQ(proto.quarantined_message_count(), 1);
  EXPECT_EQ(proto.dead_letter_message_count(), 2);
  EXPECT_EQ(proto.dead_letter_quarantined_message_count(), 2);
}

TEST(ConvertRequestTest, WhatIsAboutToBeForwardedIsATransferAndNotActive) {  // RTP-4, RTP-6
  QueueSnapshot snapshot;
  snapshot.record.description.forward_to = "there";
  snapshot.main.fresh = 1;
  snapshot.main.locked = 2;
  snapshot.main.returned = 4;
  snapshot.main.delayed = 8;
  snapshot.dead_letter.returned = 16;

  v1::QueueRuntimeProperties proto;
  ToProto(snapshot, &proto);

  EXPECT_EQ(proto.transfer_message_count(), 5);
  EXPECT_EQ(proto.active_message_count(), 10);
  EXPECT_EQ(proto.total_message_count(), 31);
}

}  // namespace
}  // namespace wharf
