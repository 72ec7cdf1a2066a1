// What the broker or a rule changes in a message is changed field by field; the others keep their
// bytes (ENC-3).
#include <gtest/gtest.h>

#include "broker/doors/amqp/mapping/outgoing.h"
#include "broker/filter/sql_action.h"
#include "storage/base/random.h"
#include "tests/amqp/hex.h"
#include "tests/amqp/mapping/bare_message.h"

namespace wharf::amqp {
namespace {

// Everything in it is written longer than it need be: an id that is a ulong, a subject, two
// numbers.
constexpr std::string_view kSent =
    "00 53 73 d0 00 00 00 15 00 00 00 04 80 00 00 00 00 00 00 00 05 40 40 b1 00 00 00 01 's' "
    "00 53 74 d1 00 00 00 17 00 00 00 04 b1 00 00 00 01 'a' 71 00 00 00 05 a1 ['b'] "
    "71 00 00 00 06 00 53 75 a0 ['b']";

// As it goes out after the action of a rule, stored in between.
std::string After(const std::string& action) {
  wharf::Message message = *Taken(kSent);
  SeededRandom random(1);
  const Status applied = SqlAction::Compile(action, {})->Apply(message, {}, random);
  EXPECT_TRUE(applied.ok()) << applied.message();
  const std::string at_once = [&] {
    StoredMessage stored;
    stored.message = message;
    return BareHex(stored);
  }();
  EXPECT_EQ(at_once, BareHex(Stored(message)));
  return at_once;
}

std::string Hex(std::string_view hex) { return HexText(FromHex(hex)); }

TEST(ChangedMessageTest, WhatIsNotChangedKeepsItsBytes) {
  EXPECT_EQ(After("SET c = 1; REMOVE c"), Hex(kSent));
}

TEST(ChangedMessageTest, AFieldThatARuleSetsIsWrittenAnew) {
  EXPECT_EQ(After("SET sys.Label = 'new'"),
            Hex("00 53 73 d0 00 00 00 14 00 00 00 04 80 00 00 00 00 00 00 00 05 40 40 a1 ['new'] "
                "00 53 74 d1 00 00 00 17 00 00 00 04 b1 00 00 00 01 'a' 71 00 00 00 05 a1 ['b'] "
                "71 00 00 00 06 00 53 75 a0 ['b']"));
}

TEST(ChangedMessageTest, AnIdThatARuleSetsIsAString) {
  EXPECT_EQ(After("SET sys.MessageId = 'x'; REMOVE sys.Label"),
            Hex("00 53 73 d0 00 00 00 07 00 00 00 01 a1 ['x'] "
                "00 53 74 d1 00 00 00 17 00 00 00 04 b1 00 00 00 01 'a' 71 00 00 00 05 a1 ['b'] "
                "71 00 00 00 06 00 53 75 a0 ['b']"));
}

TEST(ChangedMessageTest, APropertyThatARuleTakesAwayLeavesTheOthers) {
  EXPECT_EQ(
      After("REMOVE b"),
      Hex("00 53 73 d0 00 00 00 15 00 00 00 04 80 00 00 00 00 00 00 00 05 40 40 b1 00 00 00 01 's' "
          "00 53 74 d1 00 00 00 0f 00 00 00 02 b1 00 00 00 01 'a' 71 00 00 00 05 "
          "00 53 75 a0 ['b']"));
}

// It stays an int, as C# has it (ACT-5).
TEST(ChangedMessageTest, APropertyThatARuleSetsKeepsItsType) {
  EXPECT_EQ(
      After("SET b = b + 1"),
      Hex("00 53 73 d0 00 00 00 15 00 00 00 04 80 00 00 00 00 00 00 00 05 40 40 b1 00 00 00 01 's' "
          "00 53 74 d1 00 00 00 14 00 00 00 04 b1 00 00 00 01 'a' 71 00 00 00 05 a1 ['b'] 54 07 "
          "00 53 75 a0 ['b']"));
}

TEST(ChangedMessageTest, WhatReceiversChangedComesBehindTheOthers) {  // STL-7
  const StoredMessage stored = Stored(*Taken(kSent));
  const PropertyMap changed = {{"b", std::string("x")}, {"c", true}};

  const std::string bytes = EncodeWhole({.stored = stored, .changed = &changed});

  EXPECT_NE(
      bytes.find(FromHex("00 53 74 d1 00 00 00 19 00 00 00 06 b1 00 00 00 01 'a' 71 00 00 00 05 "
                         "a1 ['b'] a1 ['x'] a1 ['c'] 41")),
      std::string::npos);
}

TEST(ChangedMessageTest, TheEndOfAMessageThatExpiresIsTheBrokers) {  // PRP-16, PRP-28
  StoredMessage stored = Stored(
      *Taken("00 53 73 c0 [09 40 40 40 40 40 40 40 40 83 00 00 00 00 00 00 00 63] 00 53 75 a0 00"));
  stored.facts.expires_at = stored.enqueued_at + std::chrono::milliseconds(5);

  EXPECT_EQ(
      BareHex(stored),
      Hex("00 53 73 c0 [09 40 40 40 40 40 40 40 40 83 00 00 00 00 00 0f 42 45] 00 53 75 a0 00"));
}

// As a client of another protocol may, that gives back the form it was shown.
TEST(ChangedMessageTest, WhatIsOnlyCarriedCanBeChangedAsWell) {
  wharf::Message message = *Taken(
      "00 53 73 d0 00 00 00 2e 00 00 00 0c 40 b0 00 00 00 01 'u' 40 40 40 40 40 b3 00 00 00 01 'g' "
      "83 00 00 00 00 00 00 00 63 83 80 00 00 00 00 00 00 00 40 70 00 00 00 03 00 53 75 a0 ['b']");
  CarriedProperties carried = *message.carried;
  carried.user_id = "v";
  carried.content_encoding.reset();
  carried.creation_time = Nanotime{1, 0};
  carried.group_sequence = 4;
  message.carried = std::make_shared<const CarriedProperties>(carried);

  EXPECT_EQ(
      BareHex(Stored(message)),
      Hex("00 53 73 d0 00 00 00 23 00 00 00 0c 40 a0 ['v'] 40 40 40 40 40 40 "
          "83 00 00 00 00 00 00 00 63 83 00 00 00 00 00 00 03 e8 40 52 04 00 53 75 a0 ['b']"));
}

TEST(ChangedMessageTest, RulesSeeWhatAnEncodingHides) {
  wharf::Message message = *Taken(
      "00 53 74 c1 [08 a1 ['s'] a3 ['red'] a1 ['n'] 71 00 00 00 05 a1 ['l'] 45 "
      "a1 ['t'] b1 00 00 00 03 'red'] 00 53 75 a0 00");
  SeededRandom random(1);
  const auto apply = [&](const char* action) {
    EXPECT_TRUE(SqlAction::Compile(action, {})->Apply(message, {}, random).ok()) << action;
  };
  apply("SET sum = n + 1; SET text = s + '!'; SET both = t + s; SET list = l");

  const PropertyMap& properties = message.application_properties;
  ASSERT_EQ(properties.size(), 8U);
  EXPECT_EQ(properties[4].second, PropertyValue(std::int64_t{6}));
  EXPECT_EQ(properties[5].second, PropertyValue(std::string("red!")));
  EXPECT_EQ(properties[6].second, PropertyValue(std::string("redred")));
  EXPECT_EQ(properties[7].second, properties[2].second);
}

}  // namespace
}  // namespace wharf::amqp
