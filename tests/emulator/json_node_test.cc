#include "broker/emulator/json_node.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::emulator {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string WhyNot(const std::string& text) { return ParseJsonNode(text).status().message(); }

std::string Nested(int depth) {
  std::string text(static_cast<std::size_t>(depth), '[');
  return text + std::string(static_cast<std::size_t>(depth), ']');
}

TEST(JsonNodeTest, EachMemberKnowsItsLine) {
  const auto root = ParseJsonNode("{\n\"a\":\n 1,\n\n\"b\": [\n{},\n{}],\n\"c\": \"x\\ny\" }");

  ASSERT_TRUE(root.ok()) << root.status().message();
  ASSERT_EQ(root->children.size(), 3u);
  EXPECT_EQ(root->line, 1u);
  EXPECT_EQ(root->children[0].line, 2u);
  EXPECT_EQ(root->children[1].line, 5u);
  EXPECT_EQ(root->children[1].children[0].line, 6u);
  EXPECT_EQ(root->children[1].children[1].line, 7u);
  EXPECT_EQ(root->children[2].line, 8u);
  EXPECT_EQ(root->children[2].text, "x\ny");
}

TEST(JsonNodeTest, ValuesKeepWhatTheyAre) {
  const auto root = ParseJsonNode(R"([null, true, -7, 1.5, "x", [], {}, 18446744073709551615])");

  ASSERT_TRUE(root.ok());
  std::string shown;
  for (const JsonNode& node : root->children) shown += ToSentence(node) + ' ';
  EXPECT_EQ(shown, "null true -7 1.5 \"x\" an array an object 1.8446744073709552e+19 ");
}

TEST(JsonNodeTest, CommentsAndAByteOrderMarkAreNoMistake) {
  EXPECT_TRUE(ParseJsonNode("\xEF\xBB\xBF{ // what\n \"a\": /* it is */ 1 }").ok());
}

TEST(JsonNodeTest, WhatIsNoJsonIsToldWithItsLine) {
  EXPECT_THAT(WhyNot(""), StartsWith("line 1: it is no JSON: "));
  EXPECT_THAT(WhyNot("{\n\"a\": 1,\n}"), StartsWith("line 3: it is no JSON: "));
  EXPECT_THAT(WhyNot("{\n\"a\": tru\n}"), StartsWith("line 2: it is no JSON: "));
  EXPECT_THAT(WhyNot("{}\n{}"), StartsWith("line 2: it is no JSON: "));
  EXPECT_THAT(WhyNot("\"\xff\""), StartsWith("line 1: it is no JSON: "));
  EXPECT_THAT(WhyNot("[1e999]"), StartsWith("line 1: it is no JSON: "));
}

// It stands in a log, and may have been made by somebody else.
TEST(JsonNodeTest, WhatIsShownOfItIsShortAndPrintable) {
  const std::string why = WhyNot("\"\x01\xff" + std::string(10000, 'x'));

  EXPECT_LT(why.size(), 200u);
  EXPECT_EQ(why.find('\xff'), std::string::npos);
  EXPECT_LT(
      ToSentence(JsonNode{.kind = JsonNode::Kind::kText, .text = std::string(999, '\n')}).size(),
      300u);
}

TEST(JsonNodeTest, ANameStandsOnce) {
  EXPECT_EQ(WhyNot("{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3 }"),
            "line 4: \"a\" stands in line 2 already");
}

TEST(JsonNodeTest, DepthAndSizeHaveABound) {
  EXPECT_TRUE(ParseJsonNode(Nested(kJsonDepthMax)).ok());
  EXPECT_EQ(WhyNot(Nested(kJsonDepthMax + 1)), "line 1: it is deeper than 32");
  EXPECT_EQ(WhyNot(Nested(10000)), "line 1: it is deeper than 32");
  EXPECT_EQ(WhyNot(std::string(10000, '{')), WhyNot("{{"));

  std::string many = "[0";
  for (std::size_t i = 0; i < kJsonValuesMax; ++i) many += ",0";
  EXPECT_EQ(WhyNot(many + "]"), "line 1: there are more than 500000 values");
}

}  // namespace
}  // namespace wharf::emulator
