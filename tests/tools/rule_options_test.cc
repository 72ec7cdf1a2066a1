#include "tools/wharf/entities/rule_options.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tools/wharf/entities/rule_text.h"

namespace wharf::tool {
namespace {

class RuleOptionsTest : public testing::Test {
 protected:
  // The rule, as JSON shows it.
  static std::string Parse(std::vector<std::string> arguments) {
    CLI::App app;
    GivenRule given;
    AddRuleOptions(app, given);
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    Json json = ToJson(RuleOf(given));
    json.erase("name");
    json.erase("created_at");
    return ToLine(json);
  }
};

TEST_F(RuleOptionsTest, WithoutAFilterEverythingMatches) {  // RUL-1
  EXPECT_EQ(Parse({}), R"({"filter":{"kind":"true"}})");
  EXPECT_EQ(Parse({"--true"}), R"({"filter":{"kind":"true"}})");
  EXPECT_EQ(Parse({"--false"}), R"({"filter":{"kind":"false"}})");
}

TEST_F(RuleOptionsTest, AnSqlFilterHasParameters) {
  EXPECT_EQ(Parse({"--parameter", "a=x", "--filter", "n = @a", "--parameter", "b:int64=1"}),
            R"({"filter":{"kind":"sql","text":"n = @a","parameters":{"a":"x","b":1}}})");
}

TEST_F(RuleOptionsTest, AnActionHasItsOwn) {  // ACT-9
  EXPECT_EQ(
      Parse({"--false", "--action", "SET n = @a", "--action-parameter", "a:bool=true"}),
      R"({"filter":{"kind":"false"},"action":{"text":"SET n = @a","parameters":{"a":true}}})");
}

TEST_F(RuleOptionsTest, ACorrelationFilterNamesPropertiesOfEitherKind) {  // COR-1
  EXPECT_EQ(Parse({"--correlation", "correlation-id=a,message-id=b,to=c,reply-to=d,label=e"}),
            R"({"filter":{"kind":"correlation","correlation_id":"a","message_id":"b","to":"c",)"
            R"("reply_to":"d","subject":"e"}})");
  EXPECT_EQ(Parse({"--correlation", "session_id=f,reply_to_session_id=g", "--correlation",
                   "content-type=h"}),
            R"({"filter":{"kind":"correlation","session_id":"f","reply_to_session_id":"g",)"
            R"("content_type":"h"}})");
  EXPECT_EQ(Parse({"--correlation", "user.to=x"}),
            R"({"filter":{"kind":"correlation","application_properties":{"to":"x"}}})");
  EXPECT_EQ(Parse({"--correlation", "Color:int64=5"}),
            R"({"filter":{"kind":"correlation","application_properties":{"Color":5}}})");
}

// A filter that a script left empty once let everything through.
TEST_F(RuleOptionsTest, AnEmptyTextIsNotNone) {
  EXPECT_EQ(Parse({"--filter", ""}), R"({"filter":{"kind":"sql","text":""}})");
  EXPECT_THROW(Parse({"--filter="}), CLI::ParseError);
  EXPECT_EQ(Parse({"--action", ""}), R"({"filter":{"kind":"true"},"action":{"text":""}})");
}

TEST_F(RuleOptionsTest, ACommaInAValueIsOne) {
  EXPECT_EQ(Parse({"--correlation", "to=a,b,c,reply-to=d"}),
            R"({"filter":{"kind":"correlation","to":"a,b,c","reply_to":"d"}})");
}

TEST_F(RuleOptionsTest, BadValuesAreBadUsage) {
  EXPECT_THROW(Parse({"--correlation", "color"}), CLI::ParseError);
  EXPECT_THROW(Parse({"--correlation", "n:int32=x"}), CLI::ParseError);
  EXPECT_THROW(Parse({"--parameter", "a=x"}), CLI::ParseError);
  EXPECT_THROW(Parse({"--action-parameter", "a=x"}), CLI::ParseError);
  EXPECT_THROW(Parse({"--true", "--false"}), CLI::ParseError);
  EXPECT_THROW(Parse({"--filter", "a = 1", "--correlation", "a=1"}), CLI::ParseError);
}

}  // namespace
}  // namespace wharf::tool
