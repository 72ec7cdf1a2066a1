// XML that somebody sent: what is read of it, and what is refused.
#include "broker/doors/http/atom/xml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/http/atom/feed.h"
#include "broker/doors/http/atom/xml_writer.h"

namespace wharf::atom {
namespace {

using ::testing::HasSubstr;

std::string Nested(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "<a>";
  for (std::size_t i = 0; i < depth; ++i) text += "</a>";
  return text;
}

std::string Beside(std::size_t count) {
  std::string text = "<a>";
  for (std::size_t i = 1; i < count; ++i) text += "<b/>";
  return text + "</a>";
}

TEST(XmlTreeTest, IsReadByNamespacesAndLocalNames) {
  const auto tree = ParseXml(
      "<?xml version='1.0' encoding='utf-8'?>\n"
      "<x:a xmlns:x='one' xmlns='two' xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>"
      "<b i:type='y:long' xmlns:y='three'>1 &lt; <![CDATA[2 & 3]]></b>"
      "<x:c i:type='short'/>"
      "<c type='long' i:type='y:long'/></x:a>");

  ASSERT_TRUE(tree.ok()) << tree.status().message();
  EXPECT_EQ(tree->name, (XmlName{"one", "a"}));
  ASSERT_EQ(tree->children.size(), 3U);
  EXPECT_EQ(tree->children[0].name, (XmlName{"two", "b"}));
  EXPECT_EQ(tree->children[0].type, (XmlName{"three", "long"}));
  EXPECT_EQ(tree->children[0].text, "1 < 2 & 3");
  EXPECT_EQ(tree->children[1].type, (XmlName{"two", "short"}));
  EXPECT_EQ(tree->children[2].type, (XmlName{"", "long"})) << "the prefix means nothing any more";
  EXPECT_EQ(tree->Find("c"), &tree->children[1]);
  EXPECT_EQ(tree->Find("b"), nullptr) << "it is in another namespace";
}

TEST(XmlTreeTest, AttributesAndPrefixesAreThereAsTheyWereWritten) {
  const auto tree = ParseXml(
      "<a xmlns:x='one' b='1 &amp; 2&#10;' x:c=''>t<x:d xmlns='two' xmlns:y='a&amp;b'/>u"
      "<e/></a>");

  ASSERT_TRUE(tree.ok()) << tree.status().message();
  EXPECT_EQ(tree->attributes, (std::vector<XmlAttribute>{{"b", "1 & 2\n"}, {"x:c", ""}}));
  EXPECT_EQ(tree->declarations, (std::vector<XmlAttribute>{{"xmlns:x", "one"}}));
  ASSERT_EQ(tree->children.size(), 2U);
  EXPECT_EQ(tree->children[0].prefix, "x");
  EXPECT_EQ(tree->children[0].declarations,
            (std::vector<XmlAttribute>{{"xmlns", "two"}, {"xmlns:y", "a&b"}}));
  EXPECT_EQ(tree->children[0].text_before, 1U);
  EXPECT_EQ(tree->children[1].prefix, "");
  EXPECT_EQ(tree->children[1].text_before, 2U);
}

// Each element has its name: four thousand of them would have a gigabyte of a long one.
TEST(XmlTreeTest, TheNameOfANamespaceIsBounded) {
  const auto with = [](std::size_t bytes) {
    return "<a xmlns='" + std::string(bytes, 'u') + "'/>";
  };
  EXPECT_TRUE(ParseXml(with(kXmlNamespaceBytesMax)).ok());
  EXPECT_THAT(ParseXml(with(kXmlNamespaceBytesMax + 1)).status().message(),
              HasSubstr("the name of a namespace is too long"));
  const std::string more = "' b='" + std::string(1000, 'x') + "'/>";
  EXPECT_FALSE(ParseXml("<a xmlns='" + std::string(kXmlNamespaceBytesMax + 1, 'u') + more).ok());
}

TEST(XmlTreeTest, OtherEncodingsAreReadToo) {
  const std::string text("\xFF\xFE<\0a\0>\0\xE4\0<\0/\0a\0>\0", 18);
  const auto tree = ParseXml(text);

  ASSERT_TRUE(tree.ok()) << tree.status().message();
  EXPECT_EQ(tree->text, "\xC3\xA4");
}

TEST(XmlTreeTest, WhatIsNoXmlIsRefused) {
  for (const char* text :
       {"", " ", "a", "<a>", "<a></b>", "<a/><a/>", "<a>&b;</a>", "<a>\x01</a>", "<a>\xFF</a>",
        "<x:a/>", "<a b='1' b='2'/>", "{}", "<a/>trailing", "<!-- only a comment -->"}) {
    EXPECT_EQ(ParseXml(text).status().code(), ErrorCode::kArgumentError) << text;
  }
  EXPECT_FALSE(ParseXml(std::string_view("<a\0/>", 5)).ok());
}

// The library once told what it could not decode to whoever reads the daemon's log.
TEST(XmlTreeTest, NothingIsPrinted) {
  const std::string head = "<?xml version='1.0' encoding='UTF-32'?><a>";
  ::testing::internal::CaptureStderr();
  for (const std::string& text :
       {head + std::string(40, '\0'), std::string("\xFF\xFE\0\xD8\0\xD8\0\xD8\0\xD8", 10),
        std::string("\0\0\xFE\xFF\0\0\0\0\0\0\0\0", 12),
        std::string("<?xml version='1.0' encoding='EUC-JP'?><a>\x8F\xFF\xFF\xFF</a>"),
        std::string("<?xml version='1.0' encoding='none'?><a/>"), std::string("<a>\xFF</a>")}) {
    EXPECT_FALSE(ParseXml(text).ok()) << text;
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// Not one byte of it is looked at: no entity is declared, and nothing fetched.
TEST(XmlTreeTest, ADocumentTypeIsRefused) {
  for (const char* text : {"<!DOCTYPE a><a/>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
                           "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
                           "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
                           "<!DOCTYPE a [<!ENTITY % b SYSTEM 'http://127.0.0.1:1/'> %b;]><a/>",
                           "<!DOCTYPE a [<!ENTITY b '&c;&c;'><!ENTITY c 'x'>]><a>&b;</a>"}) {
    EXPECT_THAT(ParseXml(text).status().message(), HasSubstr("a document type is not allowed"))
        << text;
  }
}

TEST(XmlTreeTest, AttributesHaveABound) {
  const auto with = [](std::size_t count) {
    std::string text = "<a";
    for (std::size_t i = 0; i < count; ++i) text += " x" + std::to_string(i) + "='>='";
    return text + "><![CDATA[<= = =]]><!-- = --></a>";
  };

  EXPECT_TRUE(ParseXml(with(kXmlAttributesMax)).ok());
  EXPECT_THAT(ParseXml(with(kXmlAttributesMax + 1)).status().message(),
              HasSubstr("too many attributes"));
  // Of each element, and not of all together.
  EXPECT_TRUE(ParseXml("<r>" + with(40) + with(40) + "</r>").ok());
}

TEST(XmlTreeTest, DepthAndNumberAreBounded) {
  EXPECT_TRUE(ParseXml(Nested(kXmlDepthMax)).ok());
  EXPECT_THAT(ParseXml(Nested(kXmlDepthMax + 1)).status().message(), HasSubstr("too deep"));
  EXPECT_FALSE(ParseXml(Nested(10000)).ok());
  EXPECT_TRUE(ParseXml(Beside(kXmlElementsMax)).ok());
  EXPECT_THAT(ParseXml(Beside(kXmlElementsMax + 1)).status().message(),
              HasSubstr("too many elements"));
  EXPECT_FALSE(ParseXml(Beside(100000)).ok());
  const std::string much(kXmlBytesMax - 7, 'x');
  EXPECT_TRUE(ParseXml("<a>" + much + "</a>").ok());
  EXPECT_THAT(ParseXml("<a>" + much + "x</a>").status().message(), HasSubstr("it is too long"));
}

TEST(XmlTreeTest, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_THAT(ParseXml("<a>\n<b>\n</a>").status().message(), HasSubstr("line 3: "));
}

TEST(XmlWriterTest, AnyTextCanStandInIt) {
  XmlWriter writer;
  writer.Open("a", {{"b", "\"<'>&"}, {"n", "\r\n\t"}});
  writer.Leaf("c", "<&>\"'\r\n\t\x01\x1F\xFF\xC3\xA4\xEF\xBF\xBE\xF0\x9F\x8E\x89");
  writer.Leaf("d", "");
  writer.Flag("e", true);
  writer.Text("f & g");
  writer.Elements("<h/>");
  writer.Close();
  const std::string text = writer.Take();

  EXPECT_EQ(text,
            "<a b=\"&quot;&lt;'&gt;&amp;\" n=\"&#13;&#10;&#9;\"><c>&lt;&amp;&gt;&quot;'&#13;\n\t"
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA4\xEF\xBF\xBD\xF0\x9F\x8E\x89</c>"
            "<d/><e>true</e>f &amp; g<h/></a>");
  EXPECT_EQ(ParseXml(text)->Find("c")->text.substr(0, 8), "<&>\"'\r\n\t");
  EXPECT_EQ(ParseXml(text)->attributes[1].value, "\r\n\t");
}

TEST(ContentTest, IsOneDescriptionInAnEntry) {
  const std::string atom = "xmlns='http://www.w3.org/2005/Atom'";
  const std::string bus =
      "xmlns='http://schemas.microsoft.com/netservices/2010/10/servicebus/connect'";
  const auto entry = [&](const std::string& content) {
    return "<entry " + atom + "><content>" + content + "</content></entry>";
  };

  EXPECT_EQ(ContentOf(entry("<QueueDescription " + bus + "/>"))->name.name, "QueueDescription");
  for (const std::string& wrong :
       {entry(""), entry("<QueueDescription/>"), entry("text"),
        entry("<A " + bus + "/><B " + bus + "/>"), "<entry " + atom + "/>",
        "<entry><content><QueueDescription " + bus + "/></content></entry>", "<feed " + atom + "/>",
        "<QueueDescription " + bus + "/>", std::string("no XML")}) {
    EXPECT_EQ(ContentOf(wrong).status().code(), ErrorCode::kArgumentError) << wrong;
  }
}

}  // namespace
}  // namespace wharf::atom
