#include "broker/filter/correlation_filter.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "broker/filter/correlation_index.h"
#include "tests/filter/judge.h"

namespace wharf {
namespace {

bool Matches(const CorrelationFilter& filter, const Message& message) {
  EXPECT_TRUE(Check(filter).ok()) << Check(filter).message();
  CorrelationIndex index;
  index.Add(filter, 1);
  std::vector<CorrelationIndex::Id> ids;
  index.Match(MessageView(message), ids);
  return ids == std::vector<CorrelationIndex::Id>{1};
}

bool ValuesMatch(const PropertyValue& wanted, const PropertyValue& value) {
  Message message;
  message.application_properties = {{"x", value}};
  return Matches({.application_properties = {{"x", wanted}}}, message);
}

TEST(CorrelationFilterTest, EachFieldIsCompared) {  // COR-1
  Message message;
  message.correlation_id = "a";
  message.message_id = "b";
  message.to = "c";
  message.reply_to = "d";
  message.subject = "e";
  message.session_id = "f";
  message.reply_to_session_id = "g";
  message.content_type = "h";
  message.application_properties = {{"i", std::string("j")}};

  const auto expect_compared = [&](const CorrelationFilter& right, const CorrelationFilter& wrong) {
    EXPECT_TRUE(Matches(right, message));
    EXPECT_FALSE(Matches(wrong, message));
  };
  expect_compared({.correlation_id = "a"}, {.correlation_id = "x"});
  expect_compared({.message_id = "b"}, {.message_id = "x"});
  expect_compared({.to = "c"}, {.to = "x"});
  expect_compared({.reply_to = "d"}, {.reply_to = "x"});
  expect_compared({.subject = "e"}, {.subject = "x"});
  expect_compared({.session_id = "f"}, {.session_id = "x"});
  expect_compared({.reply_to_session_id = "g"}, {.reply_to_session_id = "x"});
  expect_compared({.content_type = "h"}, {.content_type = "x"});
  expect_compared({.application_properties = {{"i", std::string("j")}}},
                  {.application_properties = {{"i", std::string("x")}}});
}

TEST(CorrelationFilterTest, AtLeastOneFieldIsSet) {  // COR-2, COR-8
  EXPECT_EQ(Check({}).code(), ErrorCode::kFilterException);
  EXPECT_EQ(Check({}).message(), "a correlation filter needs at least one property to compare");
  EXPECT_FALSE(Check({.correlation_id = "", .subject = ""}).ok());
  EXPECT_TRUE(Check({.subject = "x"}).ok());
  EXPECT_TRUE(Check({.application_properties = {{"x", true}}}).ok());
}

TEST(CorrelationFilterTest, AllSetFieldsMatchAndTheOthersDoNotCount) {  // COR-3
  const Message& order = SampleOrder();

  EXPECT_TRUE(Matches({.correlation_id = "high", .subject = "order"}, order));
  EXPECT_FALSE(Matches({.correlation_id = "low", .subject = "order"}, order));
  EXPECT_FALSE(Matches({.correlation_id = "high", .subject = "other"}, order));
  EXPECT_TRUE(Matches(
      {.subject = "order",
       .application_properties = {{"quantity", std::int32_t{3}}, {"color", std::string("red")}}},
      order));
  EXPECT_FALSE(Matches(
      {.subject = "order",
       .application_properties = {{"quantity", std::int32_t{4}}, {"color", std::string("red")}}},
      order));
}

TEST(CorrelationFilterTest, TextsCompareWithRegardToCase) {  // COR-4
  EXPECT_FALSE(Matches({.subject = "Order"}, SampleOrder()));
  EXPECT_FALSE(ValuesMatch(std::string("red"), std::string("Red")));
  EXPECT_FALSE(ValuesMatch(std::string("red"), std::string("red ")));
}

TEST(CorrelationFilterTest, ANumberIsNoText) {  // COR-5
  EXPECT_FALSE(ValuesMatch(std::int64_t{2}, std::string("2")));
  EXPECT_FALSE(ValuesMatch(std::string("2"), std::int64_t{2}));
  EXPECT_FALSE(ValuesMatch(true, std::int64_t{1}));
  EXPECT_FALSE(ValuesMatch(true, std::string("true")));
  EXPECT_FALSE(ValuesMatch(std::string("urn:a"), Uri{"urn:a"}));
  EXPECT_FALSE(ValuesMatch(U'A', std::int64_t{65}));
  EXPECT_FALSE(ValuesMatch(Instant{{5, 0}}, TimeSpan{{5, 0}}));
}

TEST(CorrelationFilterTest, NumbersCompareByTheirValue) {  // COR-6
  EXPECT_TRUE(ValuesMatch(std::int32_t{2}, std::int64_t{2}));
  EXPECT_TRUE(ValuesMatch(std::int8_t{-2}, std::int16_t{-2}));
  EXPECT_TRUE(ValuesMatch(std::uint64_t{2}, std::int8_t{2}));
  EXPECT_TRUE(ValuesMatch(2.0, std::int32_t{2}));
  EXPECT_TRUE(ValuesMatch(2.5F, 2.5));
  EXPECT_TRUE(ValuesMatch(-0.0, std::int32_t{0}));
  EXPECT_TRUE(ValuesMatch(Decimal{"2.00"}, std::int64_t{2}));
  EXPECT_TRUE(ValuesMatch(Decimal{"2.50"}, Decimal{"2.5"}));
  EXPECT_FALSE(ValuesMatch(std::int64_t{-1}, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(ValuesMatch(2.5, std::int32_t{2}));
  EXPECT_FALSE(ValuesMatch(0.1F, 0.1));
  EXPECT_FALSE(ValuesMatch(Decimal{"2.5"}, 2.5));  // C# does not compare them.
  EXPECT_TRUE(
      ValuesMatch(std::numeric_limits<double>::infinity(), std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(ValuesMatch(1e300, 1e300));
  EXPECT_TRUE(ValuesMatch(18446744073709549568.0, std::uint64_t{18446744073709549568U}));
}

TEST(CorrelationFilterTest, OtherTypesCompareByTheirValue) {
  EXPECT_TRUE(ValuesMatch(true, true));
  EXPECT_FALSE(ValuesMatch(true, false));
  EXPECT_TRUE(ValuesMatch(U'A', U'A'));
  EXPECT_TRUE(ValuesMatch(Uuid{{1}}, Uuid{{1}}));
  EXPECT_FALSE(ValuesMatch(Uuid{{1}}, Uuid{{2}}));
  EXPECT_TRUE(ValuesMatch(Uri{"urn:a"}, Uri{"urn:a"}));
  EXPECT_TRUE(ValuesMatch(Instant{{5, 6}}, DateTimeOffset{{5, 6}}));
  EXPECT_FALSE(ValuesMatch(Instant{{5, 6}}, Instant{{5, 7}}));
  EXPECT_TRUE(ValuesMatch(TimeSpan{{-1, -500'000'000}}, TimeSpan{{-2, 500'000'000}}));
  EXPECT_TRUE(ValuesMatch(std::string(), std::string()));
}

// What AMQP wrote longer than it need be is what it means; what nobody else can say is equal to
// nothing, not even to itself.
TEST(CorrelationFilterTest, EncodedValuesCompareByWhatTheyMean) {
  const EncodedValue symbol{"\xa3\x03red"};
  const EncodedValue five{std::string("\x71\0\0\0\x05", 5)};
  const EncodedValue list{"\x45"};
  EXPECT_TRUE(ValuesMatch(symbol, std::string("red")));
  EXPECT_TRUE(ValuesMatch(symbol, symbol));
  EXPECT_FALSE(ValuesMatch(symbol, std::string("blue")));
  EXPECT_TRUE(ValuesMatch(five, std::int64_t{5}));
  EXPECT_FALSE(ValuesMatch(list, list));
}

TEST(CorrelationFilterTest, NamesHaveNoCase) {  // COR-7
  EXPECT_TRUE(Matches({.application_properties = {{"Color", std::string("red")}}}, SampleOrder()));
  EXPECT_TRUE(Matches({.application_properties = {{"SIZE", std::int64_t{10}}}}, SampleOrder()));
  EXPECT_EQ(Check({.application_properties = {{"Color", true}, {"color", true}}}).message(),
            "the correlation filter names the property 'color' twice");
}

TEST(CorrelationFilterTest, WhatIsMissingNeverMatches) {  // COR-8
  const Message& order = SampleOrder();
  EXPECT_FALSE(Matches({.to = "x"}, order));
  EXPECT_FALSE(Matches({.application_properties = {{"missing", std::string()}}}, order));
  EXPECT_FALSE(Matches({.application_properties = {{"nothing", std::string()}}}, order));
  EXPECT_FALSE(ValuesMatch(std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(Matches({.correlation_id = "high", .to = ""}, order));
}

TEST(CorrelationFilterTest, APropertyToCompareHasANameAndAValue) {  // COR-8
  EXPECT_EQ(Check({.application_properties = {{"x", std::monostate()}}}).message(),
            "the correlation filter has no value for the property 'x'");
  EXPECT_EQ(Check({.application_properties = {{"x", EncodedValue{"\x40"}}}}).message(),
            "the correlation filter has no value for the property 'x'");
  EXPECT_EQ(Check({.application_properties = {{"", true}}}).message(),
            "the correlation filter has a property without a name");
}

}  // namespace
}  // namespace wharf
