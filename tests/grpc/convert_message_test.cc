// Messages on the wire and in the broker, both ways.

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "broker/doors/grpc/convert/convert.h"
#include "tests/harness/sample_message.h"

namespace wharf {
namespace {

constexpr Timestamp At(int second) { return Timestamp(std::chrono::seconds(second)); }

MessagePtr StoredOf(Message message) {
  auto stored = std::make_shared<StoredMessage>();
  stored->number = SequenceNumber(7);
  stored->enqueued_at = At(10);
  stored->facts.size = 99;
  stored->message = std::move(message);
  return stored;
}

v1::ReceivedMessage ProtoOf(const Delivered& delivered) {
  v1::ReceivedMessage proto;
  ToProto(delivered, &proto);
  return proto;
}

// A map on the wire has no order.
void Sort(PropertyMap& properties) {
  std::sort(properties.begin(), properties.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
}
Message Sorted(Message message) {
  Sort(message.application_properties);
  if (!message.carried) return message;
  CarriedProperties carried = *message.carried;
  Sort(carried.annotations);
  Sort(carried.footer);
  message.carried = std::make_shared<const CarriedProperties>(std::move(carried));
  return message;
}

Result<Message> ThereAndBack(const Message& message) {
  v1::ReceivedMessage proto = ProtoOf({StoredOf(message), {}, {}, kNever});
  return FromProto(*proto.mutable_message());
}

// PRP-1..10, PRP-12, PRP-26, PRP-27, PRP-29
TEST(ConvertMessageTest, EveryFieldGoesThereAndBack) {
  const Result<Message> back = ThereAndBack(SampleMessage());

  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(FirstDifference(Sorted(*back), Sorted(SampleMessage())), "");
}

TEST(ConvertMessageTest, WhatIsAbsentStaysAbsent) {
  const Result<Message> back = ThereAndBack(Message());

  ASSERT_TRUE(back.ok());
  EXPECT_EQ(FirstDifference(*back, Message()), "");
  EXPECT_EQ(back->carried, nullptr);
}

TEST(ConvertMessageTest, EveryTypeOfPropertyGoesThereAndBack) {  // USR-2, USR-3
  for (const auto& property : SampleProperties()) {
    Message message;
    message.application_properties = {property};
    const Result<Message> back = ThereAndBack(message);
    ASSERT_TRUE(back.ok()) << property.first;
    EXPECT_EQ(back->application_properties, message.application_properties) << property.first;
  }
}

// What a kind of its own says is shown by it, however long it was encoded.
TEST(ConvertMessageTest, OnlyWhatNobodyElseSaysIsShownEncoded) {
  using namespace std::string_literals;
  Message message;
  message.application_properties = {{"int", EncodedValue{"\x71\0\0\0\x05"s}},
                                    {"symbol", EncodedValue{"\xa3\x01s"}},
                                    {"list", EncodedValue{"\x45"}}};
  v1::Message proto;
  ToProto(message, &proto);

  const auto& properties = proto.application_properties();
  EXPECT_EQ(properties.at("int").int32_value(), 5);
  EXPECT_EQ(properties.at("symbol").encoded_value(), "\xa3\x01s");
  EXPECT_EQ(properties.at("list").encoded_value(), "\x45");
}

TEST(ConvertMessageTest, EveryKindOfBodyGoesThereAndBack) {  // USR-6
  for (const BodyKind kind :
       {BodyKind::kData, BodyKind::kValue, BodyKind::kSequence, BodyKind::kDataSections}) {
    Message message;
    message.body_kind = kind;
    EXPECT_EQ(ThereAndBack(message)->body_kind, kind);
  }
}

TEST(ConvertMessageTest, TheBrokersFieldsOfAReceivedMessage) {
  const LockToken token(0x0102030405060708, 0x1112131415161718);
  const v1::ReceivedMessage proto =
      ProtoOf({StoredOf(Message()), Delivery{3, nullptr}, token, At(70)});

  EXPECT_EQ(proto.sequence_number(), 7);               // PRP-13
  EXPECT_FALSE(proto.has_enqueued_sequence_number());  // PRP-14
  EXPECT_EQ(proto.enqueued_time().seconds(), 10);      // PRP-15
  EXPECT_FALSE(proto.has_expires_at());
  EXPECT_EQ(proto.delivery_count(), 3U);          // PRP-17, CNT-1
  EXPECT_EQ(proto.locked_until().seconds(), 70);  // PRP-18
  EXPECT_EQ(proto.lock_token().size(), 16U);      // PRP-19
  EXPECT_EQ(LockToken::FromBytes(proto.lock_token()), token);
  EXPECT_FALSE(proto.has_dead_letter_source());  // PRP-20
  EXPECT_EQ(proto.state(), v1::MESSAGE_STATE_ACTIVE);
  EXPECT_EQ(proto.size(), 99);                                               // PRP-23
  EXPECT_EQ(static_cast<std::uint64_t>(proto.sequence_number()) >> 48, 0U);  // PRP-25
}

TEST(ConvertMessageTest, FieldsOfForwardedAndExpiringMessagesAreShown) {  // PRP-14, PRP-20
  auto stored = std::make_shared<StoredMessage>();
  stored->enqueued_number = SequenceNumber(5);
  stored->facts.expires_at = At(90) + Duration(1500);
  stored->dead_letter_source = "other";

  const v1::ReceivedMessage proto = ProtoOf({stored, {}, {}, kNever});

  EXPECT_EQ(proto.enqueued_sequence_number(), 5);
  EXPECT_EQ(proto.expires_at().seconds(), 90);
  EXPECT_EQ(proto.expires_at().nanos(), 1500000);
  EXPECT_EQ(proto.dead_letter_source(), "other");
}

v1::ReceivedMessage PeekProtoOf(const PeekedMessage& peeked) {
  v1::ReceivedMessage proto;
  ToProto(peeked, &proto);
  return proto;
}

TEST(ConvertMessageTest, TheTimesOfAMessageAreShown) {  // PRP-11, PRP-12, PRP-16
  Message message;
  message.time_to_live = std::chrono::seconds(30);
  message.scheduled_enqueue_time = At(60);
  auto stored = std::make_shared<StoredMessage>(*StoredOf(message));
  stored->facts.expires_at = At(90);

  for (const v1::ReceivedMessage& proto :
       {ProtoOf(Delivered{.message = stored}), PeekProtoOf(PeekedMessage{.message = stored})}) {
    EXPECT_EQ(proto.message().time_to_live().seconds(), 30);
    EXPECT_EQ(proto.message().scheduled_enqueue_time().seconds(), 60);
    EXPECT_EQ(proto.expires_at().seconds(), 90);
    EXPECT_FALSE(proto.has_available_at());
  }
}

TEST(ConvertMessageTest, TheStateOfAMessageIsShown) {  // PRP-22
  const MessagePtr stored = StoredOf(Message());

  EXPECT_EQ(ProtoOf(Delivered{.message = stored, .was_deferred = true}).state(),
            v1::MESSAGE_STATE_DEFERRED);
  EXPECT_EQ(PeekProtoOf(PeekedMessage{.message = stored, .standing = Standing::kDeferred}).state(),
            v1::MESSAGE_STATE_DEFERRED);
  EXPECT_EQ(PeekProtoOf(PeekedMessage{.message = stored, .is_scheduled = true}).state(),
            v1::MESSAGE_STATE_SCHEDULED);
  const auto quarantined = PeekProtoOf(PeekedMessage{
      .message = stored, .standing = Standing::kQuarantined, .unreadable = "a block is damaged"});
  EXPECT_EQ(quarantined.state(), v1::MESSAGE_STATE_QUARANTINED);
  EXPECT_EQ(quarantined.unreadable_reason(), "a block is damaged");
  for (const Standing standing :
       {Standing::kFresh, Standing::kLocked, Standing::kReturned, Standing::kDelayed}) {
    EXPECT_EQ(PeekProtoOf(PeekedMessage{.message = stored, .standing = standing}).state(),
              v1::MESSAGE_STATE_ACTIVE);
  }
}

TEST(ConvertMessageTest, ADelayedMessageTellsWhenItIsAvailable) {  // RTY-2
  const v1::ReceivedMessage proto = PeekProtoOf(PeekedMessage{
      .message = StoredOf(Message()), .standing = Standing::kDelayed, .available_at = At(80)});

  EXPECT_EQ(proto.state(), v1::MESSAGE_STATE_ACTIVE);
  EXPECT_EQ(proto.available_at().seconds(), 80);
}

TEST(ConvertMessageTest, WithoutALockThereIsNoToken) {  // RCV-1, PEEK-7, STL-11
  const v1::ReceivedMessage deleted = ProtoOf({StoredOf(Message()), {}, {}, kNever});
  v1::ReceivedMessage peeked;
  ToProto(PeekedMessage{StoredOf(Message()), {}}, &peeked);

  for (const v1::ReceivedMessage& proto : {deleted, peeked}) {
    EXPECT_TRUE(proto.lock_token().empty());
    EXPECT_FALSE(proto.has_locked_until());
  }
}

TEST(ConvertMessageTest, ChangedPropertiesAreShownOverTheOldOnes) {  // STL-7
  Message message;
  message.application_properties = {{"color", std::string("red")}, {"size", std::int32_t{1}}};
  Delivery delivery;
  delivery.changed_properties = std::make_shared<const PropertyMap>(
      PropertyMap{{"size", std::string("big")}, {"note", std::monostate()}});

  v1::ReceivedMessage proto = ProtoOf({StoredOf(message), delivery, {}, kNever});
  const auto& properties = proto.message().application_properties();

  EXPECT_EQ(properties.at("color").string_value(), "red");
  EXPECT_EQ(properties.at("size").string_value(), "big");
  EXPECT_EQ(properties.at("note").kind_case(), v1::PropertyValue::KIND_NOT_SET);
}

// A value that no application may send, and how it is refused.
struct BadValue {
  const char* name;
  std::function<void(v1::Message&)> set;
  ErrorCode code;
};

class BadValueTest : public ::testing::TestWithParam<BadValue> {};

TEST_P(BadValueTest, IsRefused) {
  v1::Message proto;
  GetParam().set(proto);

  EXPECT_EQ(FromProto(proto).status().code(), GetParam().code);
}

std::function<void(v1::Message&)> Property(std::function<void(v1::PropertyValue&)> set) {
  return [set = std::move(set)](v1::Message& proto) {
    set((*proto.mutable_application_properties())["name"]);
  };
}

constexpr ErrorCode kRange = ErrorCode::kArgumentOutOfRange;
constexpr ErrorCode kArgument = ErrorCode::kArgumentError;

// ERR-15, ERR-16, USR-2
INSTANTIATE_TEST_SUITE_P(
    ConvertMessage, BadValueTest,
    ::testing::Values(
        BadValue{"Int8Above", Property([](auto& value) { value.set_int8_value(128); }), kRange},
        BadValue{"Int8Below", Property([](auto& value) { value.set_int8_value(-129); }), kRange},
        BadValue{"Int16Above", Property([](auto& value) { value.set_int16_value(32768); }), kRange},
        BadValue{"Int16Below", Property([](auto& value) { value.set_int16_value(-32769); }),
                 kRange},
        BadValue{"Uint8Above", Property([](auto& value) { value.set_uint8_value(256); }), kRange},
        BadValue{"Uint16Above", Property([](auto& value) { value.set_uint16_value(65536); }),
                 kRange},
        BadValue{"CharAbove", Property([](auto& value) { value.set_char_value(0x110000); }),
                 kArgument},
        BadValue{"CharSurrogate", Property([](auto& value) { value.set_char_value(0xD800); }),
                 kArgument},
        BadValue{"DecimalExponent",
                 Property([](auto& value) { value.set_decimal_value("1E+5"); }), kArgument},
        BadValue{"DecimalEmpty", Property([](auto& value) { value.set_decimal_value(""); }),
                 kArgument},
        BadValue{"DecimalText", Property([](auto& value) { value.set_decimal_value("abc"); }),
                 kArgument},
        BadValue{"UuidShort",
                 Property([](auto& value) { value.set_uuid_value(std::string(15, 'x')); }),
                 kArgument},
        BadValue{"UuidLong",
                 Property([](auto& value) { value.set_uuid_value(std::string(17, 'x')); }),
                 kArgument},
        BadValue{"TimestampNanos",
                 Property([](auto& value) { value.mutable_timestamp_value()->set_nanos(-1); }),
                 kArgument},
        BadValue{"TimestampYear", Property([](auto& value) {
                   value.mutable_timestamp_value()->set_seconds(253402300800);
                 }),
                 kArgument},
        BadValue{"TimespanSigns", Property([](auto& value) {
                   value.mutable_timespan_value()->set_seconds(1);
                   value.mutable_timespan_value()->set_nanos(-1);
                 }),
                 kArgument},
        BadValue{"DatetimeOffset", Property([](auto& value) {
                   value.mutable_datetime_offset_value()->set_nanos(1000000000);
                 }),
                 kArgument},
        BadValue{"EncodedValue", Property([](auto& value) { value.set_encoded_value("\xa1"); }),
                 kArgument},
        BadValue{"AmqpForm", [](auto& proto) { proto.mutable_amqp_form()->set_footer("x"); },
                 kArgument},
        BadValue{"AmqpFormCode",
                 [](auto& proto) { proto.mutable_amqp_form()->mutable_data()->set_code(0x1b0); },
                 kArgument},
        BadValue{"AmqpFormPlace",
                 [](auto& proto) {
                   auto& field = *proto.mutable_amqp_form()->add_fields();
                   field.set_place(256);
                   field.set_value("\x41");
                 },
                 kArgument},
        BadValue{"Annotation",
                 [](auto& proto) { (*proto.mutable_annotations())["a"].set_uuid_value("short"); },
                 kArgument},
        BadValue{"Footer", [](auto& proto) { (*proto.mutable_footer())["a"].set_int8_value(1000); },
                 kRange},
        BadValue{"BodyKind", [](auto& proto) { proto.set_body_kind(static_cast<v1::BodyKind>(9)); },
                 kArgument},
        BadValue{"TimeToLive",
                 [](auto& proto) { proto.mutable_time_to_live()->set_seconds(315576000001); },
                 kRange},
        BadValue{
            "Schedule",
            [](auto& proto) { proto.mutable_scheduled_enqueue_time()->set_seconds(-62135596801); },
            kRange},
        BadValue{"CreationTime",
                 [](auto& proto) { proto.mutable_creation_time()->set_nanos(1000000000); },
                 kArgument}),
    [](const auto& value) { return value.param.name; });

TEST(ConvertMessageTest, OneBadMessageRefusesTheWholeRequest) {
  google::protobuf::RepeatedPtrField<v1::Message> protos;
  protos.Add();
  protos.Add()->set_body_kind(static_cast<v1::BodyKind>(9));

  EXPECT_EQ(FromProto(protos).status().code(), ErrorCode::kArgumentError);
}

TEST(ConvertMessageTest, AnErrorNamesABoundedPartOfTheProperty) {
  v1::Message proto;
  (*proto.mutable_application_properties())[std::string(100000, 'n')].set_int8_value(1000);

  EXPECT_LT(FromProto(proto).status().message().size(), 200U);
}

TEST(ConvertMessageTest, ASpanShorterThanAMicrosecondIsNotNothing) {
  v1::Message proto;
  proto.mutable_time_to_live()->set_nanos(1);

  EXPECT_EQ(FromProto(proto)->time_to_live, Duration(1));
}

}  // namespace
}  // namespace wharf
