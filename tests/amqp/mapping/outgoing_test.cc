// What the broker tells receivers over AMQP, with its exact types (ENC-1, ENC-4).
#include "broker/doors/amqp/mapping/outgoing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/mapping/incoming.h"
#include "broker/doors/amqp/message/sections.h"
#include "storage/base/random.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/mapping/bare_message.h"
#include "tests/harness/sample_message.h"

namespace wharf::amqp {
namespace {

const DecodeLimits kLimits;

StoredMessage Plain() {
  StoredMessage stored;
  stored.number = SequenceNumber(7);
  stored.enqueued_at = Timestamp(std::chrono::milliseconds(1000));
  return stored;
}

TEST(OutgoingTest, TheBrokerSaysWhatItKnows) {
  StoredMessage stored = Plain();
  stored.number = SequenceNumber((std::uint64_t{3} << 48) + 9);
  stored.enqueued_number = SequenceNumber(5);
  stored.dead_letter_source = "orders";
  stored.message.partition_key = "p";
  const Outgoing outgoing{.stored = stored,
                          .delivery_count = 2,
                          .locked_until = Timestamp(std::chrono::milliseconds(2000)),
                          .state = 1,
                          .is_partitioned = true};
  const std::string bytes = EncodeWhole(outgoing);
  const Result<Map> map = MapOf(SplitSections(bytes, kLimits)->message_annotations, kLimits);

  const auto is = [&](std::string_view key, const Value& value) {
    const Value* const found = map->FindSymbol(key);
    return found != nullptr && *found == value;
  };
  EXPECT_TRUE(is("x-opt-sequence-number", Value(static_cast<std::int64_t>(stored.number.value()))));
  EXPECT_TRUE(is("x-opt-enqueued-time", Value(TimestampMs{1000})));
  EXPECT_TRUE(is("x-opt-locked-until", Value(TimestampMs{2000})));
  EXPECT_TRUE(is("x-opt-enqueue-sequence-number", Value(std::int64_t{5})));
  EXPECT_TRUE(is("x-opt-message-state", Value(std::int32_t{1})));
  EXPECT_TRUE(is("x-opt-partition-key", Value(std::string("p"))));
  EXPECT_TRUE(is("x-opt-deadletter-source", Value(std::string("orders"))));
  EXPECT_TRUE(is("x-opt-partition-id", Value(std::int16_t{3})));
  EXPECT_EQ(map->entries.size(), 8U);
  const Result<Header> header = HeaderOf(SplitSections(bytes, kLimits)->header, kLimits);
  EXPECT_EQ(header->delivery_count, 2U);
  EXPECT_EQ(header->ttl, std::nullopt);
}

TEST(OutgoingTest, WhatIsNotSaidIsNotThere) {
  const StoredMessage stored = Plain();
  const std::string bytes = EncodeWhole({.stored = stored});

  EXPECT_EQ(HexText(bytes),
            HexText(FromHex(
                "00 53 70 c0 [05 40 40 40 40 43] 00 53 72 c1 [04 a3 ['x-opt-sequence-number'] "
                "55 07 a3 ['x-opt-enqueued-time'] 83 00 00 00 00 00 00 03 e8] "
                "00 53 75 a0 00")));
}

TEST(OutgoingTest, AMessageThatExpiresTellsItsLifeAndItsEnd) {  // PRP-11, PRP-16
  StoredMessage stored = Plain();
  stored.facts.expires_at = stored.enqueued_at + std::chrono::hours(24 * 100);
  const std::string bytes = EncodeWhole({.stored = stored});
  const Result<Sections> sections = SplitSections(bytes, kLimits);

  EXPECT_EQ(HeaderOf(sections->header, kLimits)->ttl, 0xffffffffU);
  EXPECT_EQ(PropertiesOf(sections->properties, kLimits)->absolute_expiry_time,
            TimestampMs{1000 + std::int64_t{8'640'000'000}});
}

TEST(OutgoingTest, UnknownAnnotationsComeBackAsTheyWereSent) {  // PRP-29
  const char* const sent =
      "00 53 72 c1 [08 a3 ['x-mine'] 71 00 00 00 01 a3 ['s'] a3 ['v'] 53 09 41 b3 00 00 00 01 'k' "
      "42] 00 53 75 a0 00";
  const StoredMessage stored = Stored(*Taken(sent));

  const std::string bytes = EncodeWhole({.stored = stored});

  EXPECT_NE(bytes.find(FromHex(
                "a3 ['x-mine'] 71 00 00 00 01 a3 ['s'] a3 ['v'] 53 09 41 b3 00 00 00 01 'k' 42")),
            std::string::npos)
      << HexText(bytes);
}

TEST(OutgoingTest, TheTokenOfAMessageAskedForByNumberIsADeliveryAnnotation) {
  const StoredMessage stored = Plain();
  amqp::Uuid token;
  token.bytes.fill('t');
  const std::string bytes = EncodeWhole({.stored = stored, .lock_token = token});

  EXPECT_EQ(HexText(SplitSections(bytes, kLimits)->delivery_annotations),
            HexText(FromHex("00 53 71 c1 [02 a3 ['x-opt-lock-token'] 98 'tttttttttttttttt']")));
}

// USR-2, USR-7: what another protocol's client said can be read over AMQP, and comes back the same.
TEST(OutgoingTest, WhatOtherClientsSendBecomesAMessage) {
  StoredMessage stored = Plain();
  stored.message = SampleMessage();
  stored.message.body_kind = wharf::BodyKind::kData;
  stored.message.amqp_form = nullptr;
  stored.message.time_to_live.reset();
  const std::string bytes = EncodeWhole({.stored = stored});

  const Result<Sections> sections = SplitSections(bytes, kLimits);
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  Result<wharf::Message> back = MessageOf(*sections, kLimits);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(back->amqp_form, nullptr);
  const PropertyMap& sent = stored.message.application_properties;
  ASSERT_EQ(back->application_properties.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    // Times are coarser in AMQP, and its decimals no text.
    const bool is_other = sent[i].first == "decimal" || sent[i].first == "timestamp" ||
                          sent[i].first == "datetime offset";
    if (is_other) continue;
    EXPECT_EQ(back->application_properties[i], sent[i]) << sent[i].first;
  }
  back->application_properties = sent;
  CarriedProperties carried = *back->carried;
  EXPECT_EQ(carried.creation_time, (Nanotime{-1, 999'000'000}));
  carried.creation_time = stored.message.carried->creation_time;
  back->carried = std::make_shared<const CarriedProperties>(carried);
  EXPECT_EQ(FirstDifference(*back, stored.message), "");
}

// Nobody could read the message otherwise.
TEST(OutgoingTest, ABodyThatIsNoSectionGoesOutAsData) {
  for (const auto kind :
       {wharf::BodyKind::kValue, wharf::BodyKind::kSequence, wharf::BodyKind::kDataSections}) {
    for (const std::string& body :
         {std::string(), std::string("junk"), FromHex("00 53 78 c1 [00]")}) {
      StoredMessage stored = Plain();
      stored.message.body_kind = kind;
      stored.message.body = body;
      const std::string bytes = EncodeWhole({.stored = stored});
      const Result<Sections> sections = SplitSections(bytes, kLimits);
      ASSERT_TRUE(sections.ok()) << sections.status().message();
      EXPECT_EQ(sections->body, FromHex("00 53 75 a0") + static_cast<char>(body.size()) + body);
    }
  }
}

TEST(OutgoingTest, AMessageThatHasNoIdGoesOutWithItsNumber) {
  StoredMessage stored = Plain();
  const auto id_of = [&stored] {
    const std::string bytes = EncodeWhole({.stored = stored, .needs_id = true});
    return MessageOf(*SplitSections(bytes, kLimits), kLimits)->message_id;
  };

  EXPECT_EQ(id_of(), "7");
  stored.message.message_id = "mine";
  EXPECT_EQ(id_of(), "mine");
  stored.message.message_id = "";
  EXPECT_EQ(id_of(), "7");
}

TEST(OutgoingTest, ALargeBodyStandsBetweenHeadAndTail) {
  StoredMessage stored = Stored(*Taken("00 53 75 a0 ['b'] 00 53 78 c1 [02 a3 ['f'] 41]"));
  stored.message.body.clear();
  stored.facts.body_ref = BodyRef{EntityId(1), SequenceNumber(7), std::uint64_t{2} << 20};
  const EncodedMessage encoded = EncodeMessage({.stored = stored});

  EXPECT_TRUE(encoded.head.ends_with(FromHex("00 53 75 b0 00 20 00 00")));
  EXPECT_EQ(HexText(encoded.tail), HexText(FromHex("00 53 78 c1 [02 a3 ['f'] 41]")));
}

TEST(IncomingTest, AMessageWithoutAnIdGetsOne) {  // PRP-1
  SeededRandom random(1);
  wharf::Message message;
  wharf::Message another;
  wharf::Message has_one;
  has_one.message_id = "mine";
  GiveId(message, random);
  GiveId(another, random);
  GiveId(has_one, random);

  EXPECT_THAT(
      *message.message_id,
      testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_NE(message.message_id, another.message_id);
  EXPECT_EQ(has_one.message_id, "mine");
}

}  // namespace
}  // namespace wharf::amqp
