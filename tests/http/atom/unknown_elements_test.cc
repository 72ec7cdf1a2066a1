// What stands in a client's description beside what Service Bus has there: what is kept of it, as
// which text, and how much.
#include "broker/doors/http/atom/unknown_elements.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/core/entities/queue_description.h"
#include "broker/doors/http/atom/feed.h"

namespace wharf::atom {
namespace {

using ::testing::HasSubstr;

const std::string kBus = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";

std::string Entry(const std::string& description) {
  return R"(<entry xmlns="http://www.w3.org/2005/Atom" xmlns:e="urn:e"><content xmlns:c="urn:c">)" +
         description + "</content></entry>";
}

Result<std::string> KeptOf(const std::string& entry) {
  const Result<XmlElement> description = ContentOf(entry);
  return description.ok() ? UnknownElements(*description) : description.status();
}

// Of a description that declares also these namespaces.
std::string Kept(const std::string& content, const std::string& declarations = "") {
  const auto kept = KeptOf(Entry("<QueueDescription xmlns=\"" + kBus +
                                 "\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\"" +
                                 declarations + '>' + content + "</QueueDescription>"));
  return kept.ok() ? *kept : kept.status().message();
}

TEST(UnknownElementsTest, AreThoseThatServiceBusDoesNotHave) {  // EPR-24
  EXPECT_EQ(Kept(""), "");
  EXPECT_EQ(Kept("<LockDuration>PT1M</LockDuration> <New>1</New>\n<SizeInBytes>3</SizeInBytes>"
                 "<CountDetails><d:A xmlns:d='urn:d'>1</d:A></CountDetails><Newer a='b'/>"),
            "<New>1</New><Newer a=\"b\"/>");
  // Of another kind, and of what there only is.
  EXPECT_EQ(Kept("<SubscriptionCount>1</SubscriptionCount><SkippedUpdate>true</SkippedUpdate>"
                 "<DefaultRuleDescription><New/></DefaultRuleDescription>"),
            "");
  // Names are those of Service Bus in its namespace alone.
  EXPECT_EQ(Kept("<LockDuration xmlns='urn:mine'>1</LockDuration><Status xmlns=''/>"),
            "<LockDuration xmlns=\"urn:mine\">1</LockDuration><Status xmlns=\"\"/>");
  EXPECT_EQ(Kept("<b:LockDuration>PT1M</b:LockDuration>", " xmlns:b='" + kBus + "'"), "");
}

TEST(UnknownElementsTest, KeepTheirOrderAndAllTheirText) {
  const std::string text =
      "<A> x<B/>y <C>z</C>\n<D><E f=\"g\" h=\"\"/></D>\t</A><A/><Z> </Z><B>2</B>";
  EXPECT_EQ(Kept(text), text);
}

TEST(UnknownElementsTest, AreWrittenOneWayHoweverTheyWereWritten) {
  EXPECT_EQ(Kept("<A b='\"&amp;&#10;&#9;&#13;&lt;'><!-- no --><![CDATA[<x>&</A>]]>"
                 "]]&gt;<?pi no?>&#13;&#x41;</A>"),
            "<A b=\"&quot;&amp;&#10;&#9;&#13;&lt;\">&lt;x&gt;&amp;&lt;/A&gt;]]&gt;&#13;A</A>");
  EXPECT_EQ(Kept("<A\n  b = 'c'  ></A   >"), "<A b=\"c\"/>");
  EXPECT_EQ(Kept("<A b='1\n2\t3'/>"), "<A b=\"1 2 3\"/>");
  EXPECT_EQ(Kept("<A xmlns:x='u&amp;v' x:b='&amp;amp;'/>"),
            "<A xmlns:x=\"u&amp;v\" x:b=\"&amp;amp;\"/>");
}

// Whatever a prefix meant where it was written, it means where it is read.
TEST(UnknownElementsTest, DeclareWhatStoodAroundThem) {
  EXPECT_EQ(Kept("<A/>", " xmlns:m='urn:m'"), "<A/>");
  EXPECT_EQ(Kept("<m:A/>", " xmlns:m='urn:m'"), "<m:A xmlns:m=\"urn:m\"/>");
  EXPECT_EQ(Kept("<A><B m:c='1'/></A>", " xmlns:m='urn:m'"),
            "<A xmlns:m=\"urn:m\"><B m:c=\"1\"/></A>");
  EXPECT_EQ(Kept("<e:A c:b='1'/>"), "<e:A xmlns:c=\"urn:c\" xmlns:e=\"urn:e\" c:b=\"1\"/>");
  // The inner one counts.
  EXPECT_EQ(Kept("<e:A/>", " xmlns:e='urn:inner'"), "<e:A xmlns:e=\"urn:inner\"/>");
  EXPECT_EQ(Kept("<e:A xmlns:e='urn:own'/>"), "<e:A xmlns:e=\"urn:own\"/>");
  // Values may be names, too.
  EXPECT_EQ(Kept("<A i:type='m:long'>1</A>", " xmlns:m='urn:m'"),
            "<A xmlns:m=\"urn:m\" i:type=\"m:long\">1</A>");
  EXPECT_EQ(Kept("<A><B>m:x</B></A>", " xmlns:m='urn:m'"), "<A xmlns:m=\"urn:m\"><B>m:x</B></A>");
  EXPECT_EQ(Kept("<i:A/>"), "<i:A/>") << "each description of ours declares it";
  EXPECT_EQ(Kept("<A xml:lang='de'/>"), "<A xml:lang=\"de\"/>");
}

TEST(UnknownElementsTest, OfAClientWithOtherPrefixesMeanTheSame) {
  const std::string begin = "<b:QueueDescription xmlns:b=\"" + kBus + "\" xmlns:i=\"urn:i\">";
  const std::string end = "</b:QueueDescription>";
  EXPECT_EQ(*KeptOf(Entry(begin + "<b:New/>" + end)),
            "<b:New xmlns:b=\"" + kBus + "\" xmlns=\"http://www.w3.org/2005/Atom\"/>");
  EXPECT_EQ(*KeptOf(Entry(begin + "<New i:a='1'/>" + end)),
            "<New xmlns:i=\"urn:i\" xmlns=\"http://www.w3.org/2005/Atom\" i:a=\"1\"/>");
  EXPECT_EQ(*KeptOf("<a:entry xmlns:a='http://www.w3.org/2005/Atom'><a:content>" + begin +
                    "<New/><b:Status>Active</b:Status>" + end + "</a:content></a:entry>"),
            "<New xmlns=\"\"/>");
}

TEST(UnknownElementsTest, ReadAgainAreTheSame) {
  for (const char* content :
       {"<A b='&amp;&quot;&#10;'> x<B/>y&#13;<![CDATA[<]]></A>", "<m:A n:b='1'>m:x</m:A><A/>",
        "<A xmlns=''><B xmlns='urn:b'><C xmlns=''/></B></A>", "<A i:type='n:x' m:i='i:type'/>",
        "<i:A/><e:A/><A c:x='e:'/>", "<A xml:space='preserve'>  </A>"}) {
    const std::string kept = Kept(content, " xmlns:m='urn:m' xmlns:n='urn:n&amp;'");
    EXPECT_EQ(Kept(kept), kept) << content;
  }
}

TEST(UnknownElementsTest, AreBoundedAllTogether) {
  const auto of = [](std::size_t bytes) { return "<A>" + std::string(bytes - 7, 'x') + "</A>"; };
  const auto code = [](const std::string& content) {
    return KeptOf(
               Entry("<QueueDescription xmlns=\"" + kBus + "\">" + content + "</QueueDescription>"))
        .status()
        .code();
  };

  EXPECT_EQ(Kept(of(kUnknownElementsBytesMax)).size(), kUnknownElementsBytesMax);
  EXPECT_EQ(Kept(of(kUnknownElementsBytesMax + 1)),
            "what is not known of a QueueDescription has more than 8192 bytes as XML");
  EXPECT_EQ(code(of(kUnknownElementsBytesMax + 1)), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(code(of(4096) + "<Status>Active</Status>" + of(4096)), ErrorCode::kOk);
  EXPECT_EQ(code(of(4096) + of(4097)), ErrorCode::kArgumentOutOfRange);
  // As they are written, and not as they came.
  EXPECT_EQ(code("<A>" + std::string(4000, '"') + "</A>"), ErrorCode::kArgumentOutOfRange);
  EXPECT_EQ(code("<A><!--" + std::string(10000, 'x') + "--></A>"), ErrorCode::kOk);
}

TEST(UnknownElementsTest, WhatIsHostileIsRefusedOrHarmless) {
  std::string deep, beside;
  for (int i = 0; i < 4000; ++i) deep += "<a>";
  for (int i = 0; i < 4000; ++i) deep += "</a>", beside += "<a/>";
  EXPECT_THAT(Kept(deep), HasSubstr("too deep"));
  EXPECT_THAT(Kept(beside), HasSubstr("more than 8192 bytes"));
  EXPECT_THAT(Kept("<x:A/>"), HasSubstr("prefix x"));
  EXPECT_THAT(Kept("<A x:b='1'/>"), HasSubstr("prefix x"));
  EXPECT_THAT(Kept("<A>&#1;</A>"), HasSubstr("cannot be read"));
  EXPECT_THAT(Kept("<A>\x01</A>"), HasSubstr("cannot be read"));
  EXPECT_THAT(Kept("<A b='&file;'/>"), HasSubstr("cannot be read"));
  EXPECT_EQ(Kept("<A>&lt;/A>&lt;/QueueDescription></A>"),
            "<A>&lt;/A&gt;&lt;/QueueDescription&gt;</A>");
  // One more than can be read again, with what it must declare.
  std::string full;
  for (std::size_t i = 0; i < kXmlAttributesMax; ++i) full += fmt::format(" a{}=''", i);
  EXPECT_THAT(Kept("<A" + full + "/>"), HasSubstr(" a63=\"\"/>"));
  EXPECT_EQ(Kept("<e:A" + full + "/>"), "A has too many attributes");
  // Each would have sixty namespaces around it, if it had not to need them.
  std::string many;
  for (int i = 0; i < 60; ++i) many += fmt::format(" xmlns:p{}='urn:{}'", i, std::string(500, 'u'));
  EXPECT_EQ(Kept("<A/><B/><C/>", many), "<A/><B/><C/>");
}

}  // namespace
}  // namespace wharf::atom
