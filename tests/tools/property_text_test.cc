#include "tools/wharf/text/property_text.h"

#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

// Property values of every type, as JSON writes them. USR-2.
constexpr const char* kValues[] = {
    R"(null)",
    R"(true)",
    R"(-9223372036854775808)",
    R"(1.5)",
    R"(3.0)",
    R"("text with \"quotes\" and ü")",
    R"({"type":"int8","value":-128})",
    R"({"type":"int16","value":-32768})",
    R"({"type":"int32","value":5})",
    R"({"type":"uint8","value":255})",
    R"({"type":"uint16","value":65535})",
    R"({"type":"uint32","value":4294967295})",
    R"({"type":"uint64","value":18446744073709551615})",
    R"({"type":"float","value":0.5})",
    R"({"type":"float","value":"Infinity"})",
    R"({"type":"double","value":"NaN"})",
    R"({"type":"double","value":"-Infinity"})",
    R"({"type":"decimal","value":"12.50"})",
    R"({"type":"char","value":"ü"})",
    R"({"type":"uuid","value":"00112233-4455-6677-8899-aabbccddeeff"})",
    R"({"type":"timestamp","value":"2026-01-31T12:00:00.123456700Z"})",
    R"({"type":"timespan","value":-1.5})",
    R"({"type":"uri","value":"https://example.org/a"})",
    R"({"type":"datetime-offset","value":"2026-01-31T12:00:00Z"})",
    R"({"type":"encoded","value":"owFh"})",
};

TEST(PropertyTextTest, EveryTypeReturnsFromJsonUnchanged) {
  for (const char* text : kValues) {
    const Result<v1::PropertyValue> value = PropertyFromJson(Json::parse(text));

    ASSERT_TRUE(value.ok()) << text << ": " << value.status().ToString();
    EXPECT_EQ(ToLine(PropertyToJson(*value)), text);
  }
}

TEST(PropertyTextTest, EveryKindOfTheApiIsAmongTheTypes) {
  const auto* kinds = v1::PropertyValue::descriptor()->oneof_decl(0);
  std::set<int> seen;
  for (const char* text : kValues) {
    seen.insert(PropertyFromJson(Json::parse(text)).value().kind_case());
  }

  seen.erase(v1::PropertyValue::KIND_NOT_SET);

  EXPECT_EQ(static_cast<int>(seen.size()), kinds->field_count());
}

TEST(PropertyTextTest, ValuesOutsideTheirTypeAreRefused) {
  const std::pair<const char*, const char*> values[] = {
      {"int8", "128"},      {"uint8", "-1"},   {"uint16", "65536"},  {"int32", "1.5"},
      {"bool", "1"},        {"char", "ab"},    {"char", ""},         {"uuid", "0011"},
      {"decimal", "1.2.3"}, {"decimal", "."},  {"timestamp", "now"}, {"timespan", "1y"},
      {"string", "\xff"},   {"double", "1,5"}, {"int64", ""},
  };
  for (const auto& [type, text] : values) {
    EXPECT_EQ(ParseProperty(type, text).status().code(), ErrorCode::kArgumentError)
        << type << " " << text;
  }
}

TEST(PropertyTextTest, ATimespanIsReadInEveryFormOfADuration) {
  for (const char* text : {"5400s", "5400", "90m", "1h30m", "5400.0"}) {
    EXPECT_EQ(ToLine(PropertyToJson(*ParseProperty("timespan", text))),
              R"({"type":"timespan","value":5400})")
        << text;
  }
  EXPECT_EQ(ToLine(PropertyToJson(*ParseProperty("timespan", "-1m30s"))),
            R"({"type":"timespan","value":-90})");
  for (const char* text : {"1000000000h", "1e300", "nan", "-", "--1s"}) {
    EXPECT_FALSE(ParseProperty("timespan", text).ok()) << text;
  }
}

TEST(PropertyTextTest, ATimespanLosesNoDigits) {
  for (const char* text : {"1.000000001s", "-1.000000001s", "315360000000.000000001s"}) {
    const auto value = ParseProperty("timespan", text);

    EXPECT_EQ(PropertyFromJson(PropertyToJson(*value))->timespan_value().ShortDebugString(),
              value->timespan_value().ShortDebugString());
  }
}

// A broker of before took them; an import of today takes what they are shown as.
TEST(PropertyTextTest, WhatNoTypeOfTodayHoldsIsShownAsOneThatDoes) {
  v1::PropertyValue decimal;
  decimal.set_decimal_value("1E+5");
  v1::PropertyValue surrogate;
  surrogate.set_char_value(0xD800);

  EXPECT_EQ(ToLine(PropertyToJson(decimal)), R"("1E+5")");
  EXPECT_EQ(ToLine(PropertyToJson(surrogate)), R"({"type":"uint32","value":55296})");
  EXPECT_TRUE(PropertyFromJson(PropertyToJson(surrogate)).ok());
  EXPECT_FALSE(ParseProperty("decimal", "1E+5").ok());
}

TEST(PropertyTextTest, AnUnknownTypeIsAnsweredWithAllTypes) {
  const Status status = ParseProperty("int", "5").status();

  EXPECT_NE(status.message().find("int8, int16, int32"), std::string::npos);
}

TEST(PropertyTextTest, BadJsonIsRefused) {
  for (const char* text :
       {R"([1])", R"({"type":"int32"})", R"({"value":5})", R"({"type":"int32","value":[5]})",
        R"({"type":5,"value":5})", R"(18446744073709551615)"}) {
    EXPECT_FALSE(PropertyFromJson(Json::parse(text)).ok()) << text;
  }
}

TEST(PropertyTextTest, TheCommandLineNamesTypeAndValue) {
  const Result<NamedProperty> plain = ParseNamedProperty("color=red=blue");
  const Result<NamedProperty> typed = ParseNamedProperty("ns:count:int32=-5");

  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->name, "color");
  EXPECT_EQ(plain->value.string_value(), "red=blue");
  ASSERT_TRUE(typed.ok());
  EXPECT_EQ(typed->name, "ns:count");
  EXPECT_EQ(typed->value.int32_value(), -5);
}

TEST(PropertyTextTest, AnArgumentWithoutNameOrValueIsRefused) {
  EXPECT_FALSE(ParseNamedProperty("color").ok());
  EXPECT_FALSE(ParseNamedProperty("\xff=red").ok());
  EXPECT_FALSE(ParseNamedProperty("=red").ok());
}

}  // namespace
}  // namespace wharf::tool
