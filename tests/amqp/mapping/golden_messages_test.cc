// Messages as clients write them: they come back byte for byte, through the store (ENC-3), and the
// broker reads in them what it works with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/message_record.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/mapping/bare_message.h"

namespace wharf::amqp {
namespace {

using testing::HasSubstr;

struct Golden {
  const char* name;
  const char* hex;
};

// Of properties: 0 message-id, 1 user-id, 2 to, 3 subject, 4 reply-to, 5 correlation-id,
// 6 content-type, 7 content-encoding, 8 absolute-expiry-time, 9 creation-time, 10 group-id,
// 11 group-sequence, 12 reply-to-group-id.
const Golden kGolden[] = {
    {"a body alone", "00 53 75 a0 ['body']"},
    {"an empty body", "00 53 75 a0 00"},
    {"everything short",
     "00 53 73 c0 [03 a1 ['id'] 40 a1 ['q']] 00 53 74 c1 [02 a1 ['a'] 54 05] 00 53 75 a0 ['b']"},
    {"lists and maps written long",
     "00 53 73 d0 00 00 00 08 00 00 00 01 a1 ['id'] 00 53 74 d1 00 00 00 09 00 00 00 02 a1 ['a'] "
     "54 05 "
     "00 53 75 b0 00 00 00 01 'b'"},
    {"descriptors of eight bytes",
     "00 80 00 00 00 00 00 00 00 73 c0 [01 a1 ['id']] 00 80 00 00 00 00 00 00 00 75 a0 ['b']"},
    {"descriptors that are symbols",
     "00 a3 ['amqp:properties:list'] c0 [01 a1 ['id']] "
     "00 a3 ['amqp:application-properties:map'] c1 [02 a1 ['a'] 41] 00 a3 ['amqp:data:binary'] a0 "
     "['b']"},
    {"an id that is a small ulong", "00 53 73 c0 [01 53 05] 00 53 75 a0 ['b']"},
    {"an id that is a ulong of eight bytes",
     "00 53 73 c0 [01 80 00 00 00 00 00 00 00 05] 00 53 75 a0 ['b']"},
    {"an id that is zero", "00 53 73 c0 [01 44] 00 53 75 a0 ['b']"},
    {"ids that are uuids",
     "00 53 73 c0 [06 98 '0123456789abcdef' 40 40 40 40 98 'fedcba9876543210'] 00 53 75 a0 ['b']"},
    {"an id that is binary", "00 53 73 c0 [01 a0 [00 ff]] 00 53 75 a0 ['b']"},
    {"an id written long", "00 53 73 c0 [01 b1 00 00 00 02 'id'] 00 53 75 a0 ['b']"},
    {"nulls at the end of properties", "00 53 73 c0 [05 a1 ['id'] 40 40 40 40] 00 53 75 a0 ['b']"},
    {"only nulls in properties", "00 53 73 c0 [02 40 40] 00 53 75 a0 ['b']"},
    {"properties with nothing in them", "00 53 73 45 00 53 74 c1 [00] 00 53 75 a0 ['b']"},
    {"properties with nothing in them, written long",
     "00 53 73 c0 [00] 00 53 74 d1 00 00 00 04 00 00 00 00 00 53 75 a0 ['b']"},
    {"every field of properties",
     "00 53 73 c0 [0d a1 ['id'] a0 [00 01] a1 ['to'] a1 ['subject'] a1 ['reply'] a1 ['corr'] a3 "
     "['text/plain'] "
     "a3 ['gzip'] 83 00 00 01 90 00 00 00 00 83 00 00 01 8f ff ff ff ff a1 ['session'] 52 03 a1 "
     "['again']] "
     "00 53 75 a0 ['b']"},
    {"every field of properties, written long",
     "00 53 73 d0 00 00 00 5a 00 00 00 0d b1 00 00 00 02 'id' b0 00 00 00 02 00 01 b1 00 00 00 02 "
     "'to' "
     "b1 00 00 00 01 's' b1 00 00 00 01 'r' b1 00 00 00 01 'c' b3 00 00 00 01 't' b3 00 00 00 01 "
     "'g' "
     "83 00 00 01 90 00 00 00 00 83 00 00 01 8f ff ff ff ff b1 00 00 00 01 's' 70 00 00 00 03 "
     "b1 00 00 00 01 'a' 00 53 75 a0 ['b']"},
    {"a time before the year 1",
     "00 53 73 c0 [0a 40 40 40 40 40 40 40 40 40 83 80 00 00 00 00 00 00 00] 00 53 75 a0 ['b']"},
    {"numbers that are longer than they need be",
     "00 53 74 c1 [0c a1 ['i'] 71 00 00 00 05 a1 ['l'] 81 00 00 00 00 00 00 00 05 a1 ['u'] 70 00 "
     "00 00 00 "
     "a1 ['U'] 80 00 00 00 00 00 00 00 00 a1 ['b'] 56 01 a1 ['s'] b1 00 00 00 01 'x'] 00 53 75 a0 "
     "['b']"},
    {"names that are written long",
     "00 53 74 c1 [04 b1 00 00 00 01 'a' 41 a1 ['b'] 42] 00 53 75 a0 ['b']"},
    {"two names that differ in case", "00 53 74 c1 [04 a1 ['a'] 41 a1 ['A'] 42] 00 53 75 a0 ['b']"},
    {"values that nobody else can say",
     "00 53 74 c1 [0e a1 ['s'] a3 ['symbol'] a1 ['b'] a0 [00 ff] a1 ['l'] c0 [02 54 01 a1 ['x']] "
     "a1 ['m'] c1 [02 a3 ['k'] 40] a1 ['a'] e0 [02 54 01 02] a1 ['d'] 94 '0123456789abcdef' "
     "a1 ['?'] 00 53 ff 41] 00 53 75 a0 ['b']"},
    {"values that the SDKs describe",
     "00 53 74 c1 [06 a1 ['t'] 00 a3 ['com.microsoft:timespan'] 81 00 00 00 00 00 98 96 80 "
     "a1 ['u'] 00 a3 ['com.microsoft:uri'] a1 ['http://x'] "
     "a1 ['d'] 00 a3 ['com.microsoft:datetime-offset'] 81 08 d9 00 00 00 00 00 00] 00 53 75 a0 "
     "['b']"},
    {"several data sections", "00 53 75 a0 ['a'] 00 53 75 b0 00 00 00 01 'b'"},
    {"sequences", "00 53 76 c0 [01 41] 00 53 76 45"},
    {"a value", "00 53 77 a1 ['value']"},
    {"a value that is null", "00 53 77 40"},
    {"a footer", "00 53 75 a0 ['b'] 00 53 78 c1 [02 a3 ['f'] 41]"},
    {"a footer with all that is rare in it",
     "00 53 75 a0 ['b'] 00 80 00 00 00 00 00 00 00 78 d1 00 00 00 10 00 00 00 04 53 01 41 b3 00 00 "
     "00 01 'k' a3 ['v']"},
};

class GoldenMessagesTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenMessagesTest, ComesBackByteForByte) {
  const Result<wharf::Message> message = Taken(GetParam().hex);
  ASSERT_TRUE(message.ok()) << message.status().message();

  EXPECT_EQ(BareHex(Stored(*message)), HexText(FromHex(GetParam().hex)));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenMessagesTest, testing::ValuesIn(kGolden),
                         [](const auto& golden) {
                           std::string name = golden.param.name;
                           std::erase_if(name, [](char c) { return c == ' ' || c == ','; });
                           return name;
                         });

TEST(IncomingTest, AnIdOfAnotherTypeIsTextForTheBroker) {  // PRP-1
  const struct {
    const char* id;
    const char* text;
  } kIds[] = {
      {"53 05", "5"},
      {"80 ff ff ff ff ff ff ff ff", "18446744073709551615"},
      {"98 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f",
       "00010203-0405-0607-0809-0a0b0c0d0e0f"},
      {"a0 [00 ff]", "00ff"},
      {"a1 ['id']", "id"},
  };
  for (const auto& [id, text] : kIds) {
    const std::string hex = std::string("00 53 73 c0 [01 ") + id + "] 00 53 75 a0 00";
    EXPECT_EQ(Taken(hex)->message_id, text);
    EXPECT_EQ(Stored(*Taken(hex)).message.message_id, text);
  }
}

TEST(IncomingTest, WhatIsWrittenInTheUsualWayHasNoForm) {
  EXPECT_EQ(Taken(kGolden[2].hex)->amqp_form, nullptr);
  EXPECT_EQ(Taken(kGolden[2].hex)->carried, nullptr);
}

TEST(IncomingTest, AnnotationsThatTheBrokerKnowsAreItsFields) {  // PRP-9, PRP-10, PRP-12, SND-10
  const Result<wharf::Message> message = Taken(
      "00 53 72 c1 [0a a3 ['x-opt-partition-key'] a1 ['p'] a3 ['x-opt-via-partition-key'] a1 ['v'] "
      "a3 ['x-opt-scheduled-enqueue-time'] 83 00 00 00 00 00 00 03 e9 "
      "a3 ['x-opt-sequence-number'] 81 00 00 00 00 00 00 00 63 a3 ['x-opt-mine'] 54 07] 00 53 75 "
      "a0 00");
  ASSERT_TRUE(message.ok()) << message.status().message();
  EXPECT_EQ(message->partition_key, "p");
  EXPECT_EQ(message->via_partition_key, "v");
  EXPECT_EQ(message->scheduled_enqueue_time, Timestamp(std::chrono::milliseconds(1001)));
  EXPECT_EQ(message->carried->annotations, (PropertyMap{{"x-opt-mine", std::int32_t{7}}}));
}

TEST(IncomingTest, TheHeaderIsCarried) {  // PRP-26, PRP-11
  const Result<wharf::Message> message =
      Taken("00 53 70 c0 [04 41 50 07 70 00 00 03 e8 42] 00 53 75 a0 00");
  EXPECT_EQ(message->carried->durable, true);
  EXPECT_EQ(message->carried->priority, 7U);
  EXPECT_EQ(message->carried->first_acquirer, false);
  EXPECT_EQ(message->time_to_live, std::chrono::seconds(1));
  EXPECT_EQ(Taken("00 53 70 c0 [03 40 40 43] 00 53 75 a0 00")->time_to_live, std::nullopt);
}

TEST(IncomingTest, ALifeBeyondTheHeaderIsBetweenTwoTimes) {  // PRP-11
  const Result<wharf::Message> message = Taken(
      "00 53 70 c0 [03 40 40 70 ff ff ff ff] 00 53 73 c0 [0a 40 40 40 40 40 40 40 40 "
      "83 00 00 01 00 00 00 00 02 83 00 00 00 00 00 00 00 01] 00 53 75 a0 00");
  EXPECT_EQ(message->time_to_live, std::chrono::milliseconds((std::int64_t{1} << 40) + 1));
}

TEST(IncomingTest, WhatHasNoPlaceIsRefused) {
  const struct {
    const char* hex;
    const char* why;
  } kRefused[] = {
      {"00 53 73 c0 [01 54 05] 00 53 75 a0 00", "an int as an id"},
      {"00 53 73 c0 [03 40 40 a3 ['q']] 00 53 75 a0 00", "properties"},
      {"00 53 73 c0 [0e 40 40 40 40 40 40 40 40 40 40 40 40 40 41] 00 53 75 a0 00", "more fields"},
      {"00 53 74 c1 [02 a3 ['a'] 41] 00 53 75 a0 00", "application-properties"},
      {"00 53 74 c1 [04 b1 00 00 00 01 'a' 41 a1 ['a'] 42] 00 53 75 a0 00", "the key 'a' twice"},
      {"00 53 72 c1 [02 a3 ['x-opt-partition-key'] 41] 00 53 75 a0 00",
       "a partition key that is no string"},
      {"00 53 72 c1 [02 a3 ['x-opt-scheduled-enqueue-time'] 55 01] 00 53 75 a0 00", "no timestamp"},
      {"00 53 70 c0 [01 a1 ['x']] 00 53 75 a0 00", "header"},
  };
  for (const auto& [hex, why] : kRefused) {
    const Status refused = Taken(hex).status();
    EXPECT_EQ(refused.code(), ErrorCode::kArgumentError) << hex;
    EXPECT_THAT(refused.message(), HasSubstr(why));
  }
}

TEST(IncomingTest, TheFormCostsAFewBytes) {
  wharf::Message message = *Taken(kGolden[3].hex);
  StoredMessage stored;
  stored.message = message;
  const std::size_t with = EncodeMessage(stored).size();
  stored.message.amqp_form = nullptr;

  EXPECT_LE(with - EncodeMessage(stored).size(), 12U);
}

TEST(IncomingTest, AnIdOfAnotherTypeIsStoredOnce) {
  StoredMessage stored;
  stored.message = *Taken("00 53 73 c0 [01 98 '0123456789abcdef'] 00 53 75 a0 00");
  const std::string record = EncodeMessage(stored);

  EXPECT_NE(record.find("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(record.find(*stored.message.message_id), std::string::npos);
}

}  // namespace
}  // namespace wharf::amqp
