// Messages by their sections: found, refused, and rewritten with what is not changed as it came.
#include "broker/doors/amqp/message/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/amqp/codec/value_text.h"
#include "broker/doors/amqp/message/batch.h"
#include "broker/doors/amqp/message/rewrite.h"
#include "tests/amqp/hex.h"

namespace wharf::amqp {
namespace {

const DecodeLimits kLimits;

constexpr std::string_view kHeader = "00 53 70 c0 [02 41 50 05]";
constexpr std::string_view kDeliveryAnnotations = "00 53 71 c1 [02 a3 ['d'] 43]";
constexpr std::string_view kMessageAnnotations =
    "00 53 72 c1 [04 a3 ['x'] 52 01 a3 ['y'] 70 00 00 00 02]";
constexpr std::string_view kProperties =
    "00 53 73 c0 [04 a1 ['id'] 40 b1 00 00 00 01 'q' a1 ['subject']]";
constexpr std::string_view kApplicationProperties =
    "00 53 74 d1 00 00 00 10 00 00 00 04 a1 ['a'] 70 00 00 00 01 a1 ['b'] 40";
constexpr std::string_view kData = "00 53 75 a0 ['body']";
constexpr std::string_view kSequence = "00 53 76 45";
constexpr std::string_view kValue = "00 53 77 a1 ['value']";
constexpr std::string_view kFooter = "00 53 78 c1 [02 a3 ['f'] 41]";

std::string Join(std::initializer_list<std::string_view> sections) {
  std::string message;
  for (const std::string_view section : sections) message += FromHex(section);
  return message;
}

std::string ErrorOf(std::initializer_list<std::string_view> sections) {
  const std::string message = Join(sections);
  return SplitSections(message, kLimits).status().message();
}

TEST(SectionsTest, EachSectionKeepsItsBytes) {
  const std::string message = Join({kHeader, kDeliveryAnnotations, kMessageAnnotations, kProperties,
                                    kApplicationProperties, kData, kData, kFooter});
  const Result<Sections> sections = SplitSections(message, kLimits);
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  EXPECT_EQ(sections->header, FromHex(kHeader));
  EXPECT_EQ(sections->delivery_annotations, FromHex(kDeliveryAnnotations));
  EXPECT_EQ(sections->message_annotations, FromHex(kMessageAnnotations));
  EXPECT_EQ(sections->properties, FromHex(kProperties));
  EXPECT_EQ(sections->application_properties, FromHex(kApplicationProperties));
  EXPECT_EQ(sections->body, Join({kData, kData}));
  EXPECT_EQ(sections->body_sections, 2U);
  EXPECT_EQ(sections->footer, FromHex(kFooter));
}

// Azure's SDK for JavaScript writes it there.
TEST(SectionsTest, AFooterMayStandBeforeTheBody) {
  const std::string message = Join({kProperties, kFooter, kData, kData});
  const Result<Sections> sections = SplitSections(message, kLimits);
  ASSERT_TRUE(sections.ok()) << sections.status().message();
  EXPECT_EQ(sections->footer, FromHex(kFooter));
  EXPECT_EQ(sections->body, Join({kData, kData}));

  const auto head = SplitHead(message, kLimits);
  ASSERT_TRUE(head.ok() && head->has_value());
  EXPECT_EQ((*head)->sections.footer, FromHex(kFooter));
  EXPECT_EQ((*head)->body_at, Join({kProperties, kFooter}).size());
}

TEST(SectionsTest, ABodyAloneIsAMessage) {
  const struct {
    std::string_view body;
    BodyKind kind;
  } kBodies[] = {
      {kData, BodyKind::kData}, {kSequence, BodyKind::kSequence}, {kValue, BodyKind::kValue}};
  for (const auto& row : kBodies) {
    const std::string message = FromHex(row.body);
    const Result<Sections> sections = SplitSections(message, kLimits);
    ASSERT_TRUE(sections.ok());
    EXPECT_EQ(sections->body, message);
    EXPECT_EQ(sections->body_kind, row.kind);
    EXPECT_EQ(sections->header, "");
  }
}

TEST(SectionsTest, WhatIsMissingTwiceOrInTheWrongPlaceIsRefused) {
  EXPECT_EQ(ErrorOf({}), "byte 0: a message without a body");
  EXPECT_EQ(ErrorOf({kHeader, kProperties}), "byte 35: a message without a body");
  EXPECT_EQ(ErrorOf({kHeader, kHeader, kData}), "byte 12: header behind header");
  EXPECT_EQ(ErrorOf({kProperties, kHeader, kData}), "byte 29: header behind properties");
  EXPECT_EQ(ErrorOf({kData, kProperties}), "byte 12: properties behind data");
  EXPECT_EQ(ErrorOf({kData, kSequence}), "byte 12: amqp-sequence behind data");
  EXPECT_EQ(ErrorOf({kValue, kValue}), "byte 13: amqp-value behind amqp-value");
  EXPECT_EQ(ErrorOf({kData, kFooter, kFooter}), "byte 22: footer behind footer");
  EXPECT_EQ(ErrorOf({kFooter}), "byte 10: a message without a body");
  EXPECT_EQ(ErrorOf({kFooter, kFooter, kData}), "byte 13: footer behind footer");
  EXPECT_EQ(ErrorOf({kFooter, kData, kFooter}), "byte 22: footer behind data");
  EXPECT_EQ(ErrorOf({kData, kFooter, kData}), "byte 22: data behind footer");
  EXPECT_EQ(ErrorOf({kFooter, kHeader, kData}), "byte 13: header behind footer");
  EXPECT_EQ(ErrorOf({kData, "00 53 24 45"}), "byte 12: a section that no message has");
  EXPECT_EQ(ErrorOf({"45"}), "byte 0: a list where a described value is due");
  EXPECT_EQ(ErrorOf({"00 53 75 a1 ['text']"}), "byte 3: data of a string");
  EXPECT_EQ(ErrorOf({"00 53 74 45", kData}), "byte 3: application-properties of a list");
  EXPECT_EQ(ErrorOf({"00 53 75 a0 05 'cut'"}), "data: byte 5: 5 bytes are due, and there are 3");
  EXPECT_EQ(ErrorOf({"00 53 77 a1 [ff]"}), "amqp-value: byte 6: a string that is not UTF-8");
}

TEST(SectionsTest, EveryPrefixOfAMessageIsRefused) {
  const std::string message = Join({kHeader, kProperties, kApplicationProperties, kValue});
  for (std::size_t size = 0; size < message.size(); ++size) {
    EXPECT_FALSE(SplitSections(message.substr(0, size), kLimits).ok()) << size;
  }
}

TEST(SectionsTest, AHeadIsThereWhenTheBodyBegins) {
  const std::string message =
      Join({kHeader, kMessageAnnotations, kProperties, kApplicationProperties, kData});
  const std::size_t body_at = message.size() - FromHex(kData).size();
  // A descriptor of three bytes, and the code of what it describes.
  for (std::size_t size = 0; size < body_at + 4; ++size) {
    const auto head = SplitHead(message.substr(0, size), kLimits);
    ASSERT_TRUE(head.ok()) << size << ": " << head.status().message();
    EXPECT_FALSE(head->has_value()) << size;
  }
  const std::string begin = message.substr(0, body_at + 4);
  const auto head = SplitHead(begin, kLimits);
  ASSERT_TRUE(head.ok() && head->has_value());
  EXPECT_EQ((*head)->body_at, body_at);
  EXPECT_EQ((*head)->sections.body_kind, BodyKind::kData);
  EXPECT_EQ((*head)->sections.body, "");
  EXPECT_EQ((*head)->sections.application_properties, FromHex(kApplicationProperties));
}

TEST(SectionsTest, AHeadThatMoreBytesDoNotMendIsRefused) {
  const auto error_of = [](std::initializer_list<std::string_view> sections) {
    return SplitHead(Join(sections), kLimits).status().message();
  };
  EXPECT_EQ(error_of({kHeader, kHeader}), "byte 12: header behind header");
  EXPECT_EQ(error_of({kHeader, kFooter, kFooter}), "byte 22: footer behind footer");
  EXPECT_EQ(error_of({"00 53 74 45"}), "byte 3: application-properties of a list");
  EXPECT_EQ(error_of({"00 53 74 c1 [02 a1 05 40]"}),
            "application-properties: byte 8: 5 bytes are due, and there are 1");
}

TEST(SectionsTest, PropertiesAreReadWithTheirTypes) {
  const Result<Properties> properties = PropertiesOf(FromHex(kProperties), kLimits);
  ASSERT_TRUE(properties.ok());
  EXPECT_EQ(TextOf(*properties), "properties{message-id=\"id\", to=\"q\", subject=\"subject\"}");
  EXPECT_EQ(TextOf(*HeaderOf(FromHex(kHeader), kLimits)), "header{durable=true, priority=5}");
  EXPECT_EQ(TextOf(*PropertiesOf("", kLimits)), "properties{}");
  EXPECT_EQ(PropertiesOf(FromHex("00 53 73 c0 [01 41]"), kLimits).status().message(),
            "properties.message-id: byte 6: a boolean has no place here");
}

TEST(RewriteTest, WhatIsNotChangedKeepsItsBytes) {
  const std::string before = FromHex(kApplicationProperties);
  const std::string after =
      RewriteMap(descriptor::kApplicationProperties, before,
                 {{"b", Value(std::string("new"))}, {"c", Value(true)}, {"d", std::nullopt}});
  // The 1 of `a` is still four bytes wide.
  EXPECT_EQ(HexOf(after),
            HexOf(FromHex("00 53 74 c1 [06 a1 ['a'] 70 00 00 00 01 a1 ['b'] a1 ['new'] "
                          "a1 ['c'] 41]")));
}

TEST(RewriteTest, AnEntryIsTakenAway) {
  const std::string after = RewriteMap(descriptor::kMessageAnnotations,
                                       FromHex(kMessageAnnotations), {{"x", std::nullopt}});
  EXPECT_EQ(HexOf(after), HexOf(FromHex("00 53 72 c1 [02 a3 ['y'] 70 00 00 00 02]")));
}

TEST(RewriteTest, ASectionComesIntoBeing) {
  EXPECT_EQ(RewriteMap(descriptor::kFooter, "", {}), "");
  EXPECT_EQ(RewriteMap(descriptor::kFooter, "", {{"x", std::nullopt}}), "");
  EXPECT_EQ(HexOf(RewriteMap(descriptor::kMessageAnnotations, "", {{"k", Value(std::int64_t{1})}})),
            HexOf(FromHex("00 53 72 c1 [02 a3 ['k'] 55 01]")));
  EXPECT_EQ(RewriteList(descriptor::kProperties, "", {{3, std::nullopt}}), "");
  EXPECT_EQ(HexOf(RewriteList(descriptor::kProperties, "",
                              {{properties_field::kTo, Value(std::string("q"))}})),
            HexOf(FromHex("00 53 73 c0 [03 40 40 a1 ['q']]")));
}

TEST(RewriteTest, AFieldIsChangedWhereItStands) {
  const std::string after =
      RewriteList(descriptor::kProperties, FromHex(kProperties),
                  {{properties_field::kMessageId, Value(std::uint64_t{7})},
                   {properties_field::kSubject, std::nullopt},
                   {properties_field::kAbsoluteExpiryTime, Value(TimestampMs{1})}});
  // `to` is still a long string.
  EXPECT_EQ(HexOf(after),
            HexOf(FromHex("00 53 73 c0 [09 53 07 40 b1 00 00 00 01 'q' 40 40 40 40 40 "
                          "83 00 00 00 00 00 00 00 01]")));
  EXPECT_EQ(TextOf(*PropertiesOf(after, kLimits)),
            "properties{message-id=7, to=\"q\", absolute-expiry-time=1:ms}");
}

TEST(BatchTest, EachDataSectionIsAMessage) {
  const std::string batch =
      Join({kProperties, "00 53 75 a0 [00 53 77 40]", "00 53 75 a0 [00 53 77 41]"});
  const auto messages = SplitBatch(batch, 10, kLimits);
  ASSERT_TRUE(messages.ok());
  EXPECT_THAT(*messages, testing::ElementsAre(FromHex("00 53 77 40"), FromHex("00 53 77 41")));
}

TEST(BatchTest, WhatIsNoBatchIsRefused) {
  EXPECT_EQ(SplitBatch(FromHex(kValue), 10, kLimits).status().message(),
            "a batch whose body is no data");
  EXPECT_EQ(SplitBatch("", 10, kLimits).status().message(), "byte 0: a message without a body");
  EXPECT_EQ(SplitBatch(Join({kData, kData, kData}), 2, kLimits).status().message(),
            "byte 27: more than 2 messages");
}

}  // namespace
}  // namespace wharf::amqp
