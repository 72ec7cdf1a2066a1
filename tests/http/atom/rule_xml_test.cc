// Rules as clients send them and must hear them.
#include "broker/doors/http/atom/rule_xml.h"

#include <gtest/gtest.h>

#include "broker/doors/http/atom/feed.h"
#include "tests/http/atom/lines.h"

namespace wharf::atom {
namespace {

// As Python's client 7.8.2 sends it.
std::string FromPython(const std::string& content) {
  return "<?xml version='1.0' encoding='utf-8'?>\n"
         R"(<ns0:entry xmlns:ns0="http://www.w3.org/2005/Atom" )"
         R"(xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" )"
         R"(xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">)"
         R"(<ns0:content type="application/xml"><RuleDescription>)" +
         content + "</RuleDescription></ns0:content></ns0:entry>";
}
// As 7.9.5 of JavaScript's does.
std::string FromJavaScript(const std::string& content) {
  return R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?>)"
         R"(<entry xmlns="http://www.w3.org/2005/Atom"><updated>2026-11-26T08:22:06.238Z</updated>)"
         R"(<content type="application/xml"><RuleDescription )"
         R"(xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" )"
         R"(xmlns:i="http://www.w3.org/2001/XMLSchema-instance">)" +
         content + "</RuleDescription></content></entry>";
}

Result<RuleDescription> Read(const std::string& entry) {
  const Result<XmlElement> content = ContentOf(entry);
  return content.ok() ? RuleFromXml(*content) : content.status();
}

TEST(RuleXmlTest, WhatIsSaidTwiceIsRefusedByName) {
  const auto why = [](const std::string& content) {
    return Read(FromJavaScript(content)).status().message();
  };
  const std::string filter = R"(<Filter i:type="TrueFilter"/>)";
  EXPECT_EQ(why(filter + filter), "Filter is there twice in RuleDescription");
  EXPECT_EQ(why(R"(<Filter i:type="SqlFilter"><SqlExpression>a=1</SqlExpression>)"
                "<SqlExpression>b=1</SqlExpression></Filter>"),
            "SqlExpression is there twice in Filter");
}

std::string PythonValue(const std::string& type, const std::string& value) {
  return R"(<KeyValueOfstringanyType><Key>k</Key><Value xsi:type="d6p1:)" + type +
         R"(" xmlns:d6p1="http://www.w3.org/2001/XMLSchema">)" + value +
         "</Value></KeyValueOfstringanyType>";
}
Result<RuleDescription> WithValue(const std::string& type, const std::string& value) {
  return Read(FromPython(R"(<Filter xsi:type="CorrelationFilter"><Properties>)" +
                         PythonValue(type, value) + "</Properties></Filter>"));
}
PropertyValue ValueOf(const std::string& type, const std::string& value) {
  const auto rule = WithValue(type, value);
  EXPECT_TRUE(rule.ok()) << rule.status().message();
  return rule.ok() ? std::get<CorrelationFilter>(rule->filter).application_properties[0].second
                   : PropertyValue();
}

TEST(RuleXmlTest, IsReadAsPythonSendsIt) {  // RUL-16, SQL-28
  const auto rule = Read(FromPython(
      R"(<Filter xsi:type="SqlFilter"><SqlExpression>a=@p</SqlExpression>)"
      R"(<CompatibilityLevel>20</CompatibilityLevel><Parameters><KeyValueOfstringanyType>)"
      R"(<Key>@p</Key><Value xsi:type="d6p1:int" xmlns:d6p1="http://www.w3.org/2001/XMLSchema">1)"
      R"(</Value></KeyValueOfstringanyType></Parameters>)"
      R"(<RequiresPreprocessing>true</RequiresPreprocessing></Filter>)"
      R"(<Action xsi:type="SqlRuleAction"><SqlExpression>SET a=2</SqlExpression>)"
      R"(<CompatibilityLevel>20</CompatibilityLevel></Action><Name>r</Name>)"));

  ASSERT_TRUE(rule.ok()) << rule.status().message();
  EXPECT_EQ(rule->name, "r");
  EXPECT_EQ(rule->filter, RuleFilter(SqlText{"a=@p", {{"@p", std::int32_t{1}}}}));
  EXPECT_EQ(rule->action, (SqlText{.text = "SET a=2"}));
}

TEST(RuleXmlTest, IsReadAsJavaScriptSendsIt) {
  const auto rule = Read(FromJavaScript(
      R"(<Filter p4:type="CorrelationFilter" xmlns:p4="http://www.w3.org/2001/XMLSchema-instance">)"
      R"(<CorrelationId>c</CorrelationId><Label>l</Label><To></To><Properties>)"
      R"(<KeyValueOfstringanyType><Key>d</Key><Value p4:type="l28:boolean" )"
      R"(xmlns:l28="http://www.w3.org/2001/XMLSchema">true</Value></KeyValueOfstringanyType>)"
      R"(<KeyValueOfstringanyType><Key>e</Key><Value p4:type="l28:dateTime" )"
      R"(xmlns:l28="http://www.w3.org/2001/XMLSchema">1970-01-01T00:00:00.000Z</Value>)"
      R"(</KeyValueOfstringanyType></Properties></Filter>)"
      R"(<Action p4:type="EmptyRuleAction" xmlns:p4="http://www.w3.org/2001/XMLSchema-instance"/>)"
      R"(<Name>r</Name>)"));

  ASSERT_TRUE(rule.ok()) << rule.status().message();
  CorrelationFilter wanted;
  wanted.correlation_id = "c";
  wanted.subject = "l";
  wanted.application_properties = {{"d", true}, {"e", Instant{{0, 0}}}};
  EXPECT_EQ(rule->filter, RuleFilter(wanted));
  EXPECT_EQ(rule->action, std::nullopt);
}

// It has the action under the name of another element.
TEST(RuleXmlTest, IsReadAsTheOlderClientSendsIt) {
  const auto rule = Read(
      FromJavaScript(R"(<Filter i:type="SqlFilter"><SqlExpression>a = 1</SqlExpression></Filter>)"
                     R"(<Action i:type="SqlFilterExpression"><SqlFilterExpression>SET a = 2)"
                     R"(</SqlFilterExpression></Action>)"));

  ASSERT_TRUE(rule.ok()) << rule.status().message();
  EXPECT_EQ(rule->action, (SqlText{.text = "SET a = 2"}));
}

TEST(RuleXmlTest, TrueAndFalseAreFiltersOfTheirOwn) {
  EXPECT_EQ(Read(FromPython(R"(<Filter xsi:type="TrueFilter"/>)"))->filter,
            RuleFilter(TrueFilter()));
  EXPECT_EQ(Read(FromPython(R"(<Filter xsi:type="FalseFilter"/>)"))->filter,
            RuleFilter(FalseFilter()));
  EXPECT_EQ(Read(FromPython(""))->filter, RuleFilter(TrueFilter()));
}

TEST(RuleXmlTest, ValuesHaveTypes) {  // SQL-28
  EXPECT_EQ(ValueOf("int", " -5 "), PropertyValue(std::int32_t{-5}));
  EXPECT_EQ(ValueOf("long", "1099511627776"), PropertyValue(std::int64_t{1} << 40));
  EXPECT_EQ(ValueOf("double", "2.5"), PropertyValue(2.5));
  EXPECT_EQ(ValueOf("double", "-INF"), PropertyValue(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(ValueOf("boolean", "1"), PropertyValue(true));
  EXPECT_EQ(ValueOf("string", " x "), PropertyValue(std::string(" x ")));
  EXPECT_EQ(ValueOf("duration", "P1DT2S"), PropertyValue(TimeSpan{{86402, 0}}));
  EXPECT_EQ(ValueOf("dateTime", "2020-01-02T03:04:05"), PropertyValue(Instant{{1577934245, 0}}));
  EXPECT_EQ(ValueOf("unsignedLong", "18446744073709551615"), PropertyValue(~std::uint64_t{0}));
  EXPECT_EQ(ValueOf("anyURI", "a:b"), PropertyValue(Uri{"a:b"}));
}

TEST(RuleXmlTest, WhatIsNotUnderstoodIsRefused) {
  for (const auto& [type, value] :
       {std::pair("int", "2147483648"), std::pair("int", "1.5"), std::pair("int", ""),
        std::pair("boolean", "yes"), std::pair("dateTime", "now"), std::pair("duration", "1h"),
        std::pair("double", "one"), std::pair("unsignedByte", "-1"), std::pair("date", "x"),
        std::pair("base64Binary", "AAAA")}) {
    EXPECT_EQ(WithValue(type, value).status().code(), ErrorCode::kArgumentError)
        << type << ' ' << value;
  }
  for (const char* content :
       {R"(<Filter/>)", R"(<Filter xsi:type="OtherFilter"/>)", R"(<Filter xsi:type="SqlFilter"/>)",
        R"(<Action/>)", R"(<Action xsi:type="SqlRuleAction"/>)",
        R"(<Filter xsi:type="CorrelationFilter"><Properties><KeyValueOfstringanyType>)"
        R"(<Value xsi:type="d6p1:int">1</Value></KeyValueOfstringanyType></Properties></Filter>)",
        R"(<Filter xsi:type="CorrelationFilter"><Properties><KeyValueOfstringanyType>)"
        R"(<Key>k</Key></KeyValueOfstringanyType></Properties></Filter>)",
        R"(<Filter xsi:type="CorrelationFilter"><Properties><KeyValueOfstringanyType>)"
        R"(<Key>k</Key><Value>1</Value></KeyValueOfstringanyType></Properties></Filter>)"}) {
    EXPECT_EQ(Read(FromPython(content)).status().code(), ErrorCode::kArgumentError) << content;
  }
}

std::string Written(const RuleDescription& rule) {
  return Lines(RuleEntry("t/Subscriptions/s", rule, {.origin = "https://h:8443"}));
}

// The prefix of a type has four letters, which JavaScript counts.
TEST(RuleXmlTest, IsWrittenAsClientsMustHearIt) {  // RUL-15
  CorrelationFilter filter;
  filter.subject = "<red>";
  filter.application_properties = {{"a", std::int8_t{1}}, {"b", true}, {"c", 2.5}};
  const RuleDescription rule{.name = "r",
                             .filter = filter,
                             .action = SqlText{"SET a=@b", {{"@b", std::string("v")}}},
                             .created_at = Timestamp(std::chrono::seconds(1577934245))};

  EXPECT_EQ(Written(rule), R"(<entry xmlns="http://www.w3.org/2005/Atom">
<id>https://h:8443/t/Subscriptions/s/Rules/r?api-version=2021-05</id>
<title type="text">r</title>
<published>2020-01-02T03:04:05Z</published>
<updated>2020-01-02T03:04:05Z</updated>
<author>
<name>wharf</name></author>
<link rel="self" href="https://h:8443/t/Subscriptions/s/Rules/r?api-version=2021-05"/>
<content type="application/xml">
<RuleDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
<Filter i:type="CorrelationFilter">
<Label>&lt;red&gt;</Label>
<Properties>
<KeyValueOfstringanyType>
<Key>a</Key>
<Value xmlns:d6p1="http://www.w3.org/2001/XMLSchema" i:type="d6p1:int">1</Value></KeyValueOfstringanyType>
<KeyValueOfstringanyType>
<Key>b</Key>
<Value xmlns:d6p1="http://www.w3.org/2001/XMLSchema" i:type="d6p1:boolean">true</Value></KeyValueOfstringanyType>
<KeyValueOfstringanyType>
<Key>c</Key>
<Value xmlns:d6p1="http://www.w3.org/2001/XMLSchema" i:type="d6p1:double">2.5</Value></KeyValueOfstringanyType></Properties></Filter>
<Action i:type="SqlRuleAction">
<SqlExpression>SET a=@b</SqlExpression>
<CompatibilityLevel>20</CompatibilityLevel>
<Parameters>
<KeyValueOfstringanyType>
<Key>@b</Key>
<Value xmlns:d6p1="http://www.w3.org/2001/XMLSchema" i:type="d6p1:string">v</Value></KeyValueOfstringanyType></Parameters></Action>
<CreatedAt>2020-01-02T03:04:05Z</CreatedAt>
<Name>r</Name></RuleDescription></content></entry>
)");
}

TEST(RuleXmlTest, FilterAndActionAreAlwaysThere) {
  const std::string written = Written({.name = "r"});

  EXPECT_NE(written.find("<Filter i:type=\"TrueFilter\">\n<SqlExpression>1=1</SqlExpression>"),
            std::string::npos);
  EXPECT_NE(written.find("<Action i:type=\"EmptyRuleAction\"/>"), std::string::npos);
  EXPECT_NE(Written({.filter = FalseFilter()}).find("<SqlExpression>1=0</SqlExpression>"),
            std::string::npos);
}

TEST(RuleXmlTest, WithoutPropertiesThereIsNoListOfThem) {
  CorrelationFilter filter;
  filter.subject = "red";
  const std::string written =
      Written({.name = "r", .filter = filter, .action = SqlText{.text = "SET a=1"}});

  EXPECT_EQ(written.find("<Properties"), std::string::npos);
  EXPECT_EQ(written.find("<Parameters"), std::string::npos);
}

// Every type of a value that XML has: what is written is read again, in a wider type at most.
TEST(RuleXmlTest, ReadsWhatItWrites) {
  const PropertyMap properties = {
      {"bool", false},
      {"int", std::int32_t{-7}},
      {"long", std::int64_t{1} << 60},
      {"unsigned", ~std::uint64_t{0}},
      {"double", 0.1},
      {"decimal", Decimal{"1.10"}},
      {"char", char32_t{0x1F389}},
      {"string", std::string(" a\nb<&")},
      {"uuid",
       Uuid{{'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'}}},
      {"instant", Instant{{-1, 500}}},
      {"span", TimeSpan{{-5, -1000}}},
      {"uri", Uri{"urn:x"}},
      {"offset", DateTimeOffset{{5, 0}}},
  };
  RuleDescription rule{.name = "r", .filter = SqlText{"a = 1", properties}};
  const auto read = Read(RuleEntry("t/Subscriptions/s", rule, {}));

  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(*read, rule);
  CorrelationFilter narrow;
  narrow.application_properties = {{"a", std::uint16_t{7}}, {"b", 0.5F}};
  const auto wide = Read(RuleEntry("t/Subscriptions/s", {.filter = narrow}, {}));
  EXPECT_EQ(std::get<CorrelationFilter>(wide->filter).application_properties,
            (PropertyMap{{"a", std::int32_t{7}}, {"b", 0.5}}));
}

// What only AMQP can say cannot be lost by being given back.
TEST(RuleXmlTest, WhatXmlCannotSayIsNotTakenBack) {
  CorrelationFilter filter;
  filter.application_properties = {{"binary", EncodedValue{std::string("\xA0\x01z")}}};

  EXPECT_FALSE(Read(RuleEntry("t/Subscriptions/s", {.filter = filter}, {})).ok());
}

}  // namespace
}  // namespace wharf::atom
