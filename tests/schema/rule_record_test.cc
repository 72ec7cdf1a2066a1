#include "broker/schema/rule_record.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

RuleDescription Correlated() {
  CorrelationFilter wanted;
  wanted.correlation_id = "c";
  wanted.reply_to_session_id = "s";
  wanted.application_properties = {{"color", std::string("red")}, {"size", std::int64_t{2}}};
  return {.name = "r", .filter = wanted, .created_at = Timestamp(std::chrono::seconds(7))};
}

TEST(RuleRecordTest, ReadsWhatItWrote) {
  const SqlText sql{"color = @color", {{"@color", std::string("red")}}};
  for (const RuleDescription& rule :
       {RuleDescription{.name = "$Default"}, RuleDescription{.name = "f", .filter = FalseFilter()},
        RuleDescription{.name = "q", .filter = sql, .action = SqlText{.text = "SET a = 1"}},
        Correlated()}) {
    const auto read = DecodeRule(EncodeRule(rule));
    ASSERT_TRUE(read.ok()) << rule.name;
    EXPECT_EQ(*read, rule);
  }
}

TEST(RuleRecordTest, EveryCutIsNoticed) {
  const std::string record = EncodeRule(Correlated());
  for (std::size_t length = 0; length < record.size(); ++length) {
    EXPECT_FALSE(DecodeRule(record.substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(DecodeRule(record + "x").ok());
}

TEST(RuleRecordTest, AnUnknownKindIsDamage) {
  std::string record = EncodeRule({.name = "r"});
  record[record.size() - 2] = 9;

  EXPECT_FALSE(DecodeRule(record).ok());
}

}  // namespace
}  // namespace wharf
