// What a rule says of a message, and why.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/topics/rule_judge.h"

namespace wharf {
namespace {

using testing::ElementsAre;
using testing::Field;

class RuleVerdictTest : public testing::Test {
 protected:
  RuleVerdictTest() {
    message_.subject = "urgent";
    message_.application_properties = {
        {"Color", std::string("red")}, {"n", std::int32_t{2}}, {"nothing", PropertyValue()}};
  }

  RuleVerdict Ask(RuleFilter filter, std::optional<SqlText> action = std::nullopt) {
    const Result<Rule> rule = CompileRule(
        EntityId(), {.name = "r", .filter = std::move(filter), .action = std::move(action)});
    EXPECT_TRUE(rule.ok()) << rule.status().message();
    return Judge(*rule, message_, {}, random_, like_steps_);
  }

  static auto Names(const std::vector<std::string>& names) {
    std::vector<testing::Matcher<PropertyEvidence>> matchers;
    matchers.reserve(names.size());
    for (const std::string& name : names) matchers.push_back(Field(&PropertyEvidence::name, name));
    return testing::ElementsAreArray(matchers);
  }

  Message message_;
  SeededRandom random_{1};
  std::size_t like_steps_ = 0;
};

TEST_F(RuleVerdictTest, TrueAndFalseNeedNoEvidence) {  // RUL-16
  EXPECT_EQ(Ask(TrueFilter()).truth, Truth::kTrue);
  EXPECT_EQ(Ask(FalseFilter()).truth, Truth::kFalse);
  EXPECT_THAT(Ask(TrueFilter()).evidence, testing::IsEmpty());
}

TEST_F(RuleVerdictTest, AnSqlFilterTellsEachPropertyThatItNamesOnce) {  // SQL-1, SQL-18
  const RuleVerdict verdict =
      Ask(SqlText{"COLOR = 'red' AND (color <> 'x' OR other IS NULL) AND EXISTS(nothing) AND "
                  "sys.subject = 'urgent' AND sys.To IS NULL"});

  EXPECT_EQ(verdict.rule, "r");
  EXPECT_EQ(verdict.truth, Truth::kTrue);
  ASSERT_THAT(verdict.evidence, Names({"Color", "other", "nothing", "sys.Label", "sys.To"}));
  EXPECT_EQ(verdict.evidence[0].actual, PropertyValue(std::string("red")));
  EXPECT_EQ(verdict.evidence[1].actual, std::nullopt);
  EXPECT_EQ(verdict.evidence[2].actual, PropertyValue());
  EXPECT_EQ(verdict.evidence[3].actual, PropertyValue(std::string("urgent")));
  EXPECT_EQ(verdict.evidence[4].actual, std::nullopt);
  EXPECT_EQ(verdict.evidence[0].wanted, std::nullopt);
}

TEST_F(RuleVerdictTest, UnknownIsNoError) {  // SQL-14, SQL-23
  const RuleVerdict verdict = Ask(SqlText{"other = 1"});

  EXPECT_EQ(verdict.truth, Truth::kUnknown);
  EXPECT_TRUE(verdict.error.ok());
}

TEST_F(RuleVerdictTest, AFilterThatCannotBeEvaluatedSaysWhy) {  // RUL-8
  const RuleVerdict verdict = Ask(SqlText{"1 / (n - 2) = 1"}, SqlText{"SET a = 1"});

  EXPECT_EQ(verdict.truth, std::nullopt);
  EXPECT_EQ(verdict.error.code(), ErrorCode::kFilterException);
  EXPECT_EQ(verdict.copy, std::nullopt);
  EXPECT_THAT(verdict.evidence, Names({"n"}));
}

TEST_F(RuleVerdictTest, ACorrelationFilterComparesEachByItself) {  // COR-3, COR-5..8
  const RuleVerdict verdict =
      Ask(CorrelationFilter{.to = "me",
                            .reply_to = "",
                            .subject = "urgent",
                            .application_properties = {{"COLOR", std::string("red")},
                                                       {"N", std::int64_t{2}},
                                                       {"n2", std::int64_t{2}},
                                                       {"nothing", std::string()}}});

  EXPECT_EQ(verdict.truth, Truth::kFalse);
  ASSERT_THAT(verdict.evidence, Names({"sys.To", "sys.Label", "Color", "n", "n2", "nothing"}));
  std::vector<bool> equal;
  for (const PropertyEvidence& evidence : verdict.evidence) equal.push_back(evidence.is_equal);
  EXPECT_THAT(equal, ElementsAre(false, true, true, true, false, false));
  EXPECT_EQ(verdict.evidence[0].wanted, PropertyValue(std::string("me")));
  EXPECT_EQ(verdict.evidence[3].actual, PropertyValue(std::int32_t{2}));
}

TEST_F(RuleVerdictTest, ANumberIsNotAText) {  // COR-5
  EXPECT_EQ(Ask(CorrelationFilter{.application_properties = {{"n", std::string("2")}}}).truth,
            Truth::kFalse);
  EXPECT_EQ(Ask(CorrelationFilter{.application_properties = {{"n", 2.0}}}).truth, Truth::kTrue);
}

TEST_F(RuleVerdictTest, TheCopyIsAsTheActionMakesIt) {  // RUL-5, ACT-5
  const RuleVerdict verdict = Ask(TrueFilter(), SqlText{"SET n = n + 1; SET sys.To = 'x'"});

  ASSERT_TRUE(verdict.copy);
  EXPECT_EQ(verdict.copy->to, "x");
  EXPECT_EQ(verdict.copy->application_properties, (PropertyMap{{"Color", std::string("red")},
                                                               {"n", std::int32_t{3}},
                                                               {"nothing", PropertyValue()},
                                                               {"RuleName", std::string("r")}}));
  EXPECT_EQ(message_.to, std::nullopt);
}

TEST_F(RuleVerdictTest, WithoutAnActionOrAMatchThereIsNoCopy) {
  EXPECT_EQ(Ask(TrueFilter()).copy, std::nullopt);
  EXPECT_EQ(Ask(FalseFilter(), SqlText{"SET a = 1"}).copy, std::nullopt);
}

TEST_F(RuleVerdictTest, AnActionThatFailsSaysWhy) {  // RUL-9
  const RuleVerdict verdict = Ask(TrueFilter(), SqlText{"SET a = 1 / (n - 2)"});

  EXPECT_EQ(verdict.truth, Truth::kTrue);
  EXPECT_EQ(verdict.error.code(), ErrorCode::kRuleActionException);
  EXPECT_EQ(verdict.copy, std::nullopt);
}

TEST_F(RuleVerdictTest, SoDoesOneThatMakesTheMessageTooLarge) {  // RSN-3, SIZ-5
  message_.application_properties.emplace_back("big", std::string(30'000, 'x'));

  const RuleVerdict verdict =
      Ask(TrueFilter(), SqlText{"SET a = big; SET b = big; SET sys.To = 'x'"});

  EXPECT_EQ(verdict.error.code(), ErrorCode::kMessageSizeExceeded);
  EXPECT_EQ(verdict.copy, std::nullopt);
}

TEST_F(RuleVerdictTest, ItsSizeCountsWhatItHolds) {
  const std::size_t plain = SizeOf(Ask(TrueFilter()));
  message_.application_properties.emplace_back("big", std::string(30'000, 'x'));

  EXPECT_LT(plain, 100);
  EXPECT_GT(SizeOf(Ask(SqlText{"big = 1"})), 30'000);
  EXPECT_GT(SizeOf(Ask(SqlText{"big <> 'x'"}, SqlText{"SET a = 1"})), 60'000);
}

TEST(RuleSizeTest, MoreThanAMessageHasIsRefused) {  // SIZ-5
  const auto code = [](std::size_t bytes) {
    RuleDescription rule{.name = "r"};
    rule.filter = CorrelationFilter{.to = std::string(bytes, 'x')};
    return CompileRule(EntityId(), rule).status().code();
  };

  EXPECT_EQ(code(kRuleBytesMax - 1), ErrorCode::kOk);
  EXPECT_EQ(code(kRuleBytesMax), ErrorCode::kArgumentError);
}

TEST(RuleSizeTest, WhatItsActionSetsCountsToo) {  // SIZ-5
  const auto code = [](std::size_t bytes) {
    RuleDescription rule{.name = "r"};
    rule.action = SqlText{"SET a = @p", {{"@p", std::string(bytes, 'x')}}};
    return CompileRule(EntityId(), rule).status().code();
  };

  EXPECT_EQ(code(kRuleBytesMax / 2), ErrorCode::kOk);
  EXPECT_EQ(code(kRuleBytesMax), ErrorCode::kArgumentError);
}

TEST_F(RuleVerdictTest, AnActionThatMakesWhatNobodyCouldSendHasFailed) {  // RUL-9
  message_.session_id = "mine";
  const RuleVerdict verdict = Ask(TrueFilter(), SqlText{"SET sys.PartitionKey = 'other'"});

  EXPECT_EQ(verdict.error.code(), ErrorCode::kRuleActionException);
  EXPECT_EQ(verdict.error.message(),
            "partition_key and session_id must be equal when both are set");
  EXPECT_EQ(verdict.copy, std::nullopt);
}

}  // namespace
}  // namespace wharf
