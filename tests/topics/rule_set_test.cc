#include "broker/topics/rule_set.h"

#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr EntityId kFirst{1};
constexpr EntityId kSecond{2};

RuleDescription Sql(std::string name, std::string text) {
  return {.name = std::move(name), .filter = SqlText{.text = std::move(text)}};
}

RuleDescription Subject(std::string name, std::string subject) {
  CorrelationFilter wanted;
  wanted.subject = std::move(subject);
  return {.name = std::move(name), .filter = wanted};
}

class RuleSetTest : public ::testing::Test {
 protected:
  Status Add(EntityId subscription, RuleDescription rule) {
    Result<Rule> compiled = CompileRule(subscription, std::move(rule));
    if (!compiled.ok()) return compiled.status();
    WHARF_RETURN_IF_ERROR(rules_.CheckNew(subscription, compiled->description, 2));
    rules_.Add(*std::move(compiled));
    return {};
  }
  // "subscription:rule" of those that match.
  std::vector<std::string> Matches(const Message& message) {
    std::vector<RuleSet::Match> matches;
    rules_.FindMatches(MessageView(message), random_, matches);
    std::vector<std::string> names;
    names.reserve(matches.size());
    for (const RuleSet::Match& match : matches) {
      names.push_back(fmt::format("{}:{}{}", match.rule->subscription.value(),
                                  match.rule->description.name, match.error.ok() ? "" : "!"));
    }
    return names;
  }

  SeededRandom random_{1};
  RuleSet rules_{RuleLimits{.sql_filters_max = 2, .correlation_filters_max = 2}};
};

TEST_F(RuleSetTest, EveryKindOfFilterIsAsked) {  // RUL-16
  ASSERT_TRUE(Add(kFirst, {.name = "true"}).ok());
  ASSERT_TRUE(Add(kFirst, {.name = "false", .filter = FalseFilter()}).ok());
  ASSERT_TRUE(Add(kSecond, Sql("sql", "sys.Label = 'red'")).ok());
  ASSERT_TRUE(Add(kSecond, Subject("correlation", "red")).ok());
  Message red;
  red.subject = "red";

  EXPECT_THAT(Matches(red), ElementsAre("1:true", "2:correlation", "2:sql"));
  EXPECT_THAT(Matches(Message()), ElementsAre("1:true"));
}

TEST_F(RuleSetTest, RulesWithoutAnActionComeFirst) {  // RUL-4, RUL-5
  ASSERT_TRUE(Add(kFirst, {.name = "a", .action = SqlText{.text = "SET x = 1"}}).ok());
  ASSERT_TRUE(Add(kFirst, {.name = "b"}).ok());

  EXPECT_THAT(Matches(Message()), ElementsAre("1:b", "1:a"));
}

TEST_F(RuleSetTest, WhatCannotBeEvaluatedIsTold) {  // RUL-8
  ASSERT_TRUE(Add(kFirst, Sql("divides", "1 / n = 1")).ok());
  Message zero;
  zero.application_properties = {{"n", std::int64_t{0}}};

  EXPECT_THAT(Matches(zero), ElementsAre("1:divides!"));
}

TEST_F(RuleSetTest, ARemovedRuleIsNotAskedAnyMore) {  // RUL-12
  ASSERT_TRUE(Add(kFirst, {.name = "true"}).ok());
  ASSERT_TRUE(Add(kFirst, Sql("sql", "1=1")).ok());
  ASSERT_TRUE(Add(kFirst, Subject("correlation", "red")).ok());
  Message red;
  red.subject = "red";
  for (const char* name : {"TRUE", "Sql", "correlation"}) {
    EXPECT_TRUE(rules_.Remove(kFirst, name).ok()) << name;
  }

  EXPECT_THAT(Matches(red), IsEmpty());
  EXPECT_EQ(rules_.Remove(kFirst, "true").status().code(), ErrorCode::kMessagingEntityNotFound);
}

TEST_F(RuleSetTest, TheRulesOfASubscriptionGoWithIt) {  // ADI-2
  ASSERT_TRUE(Add(kFirst, {.name = "a"}).ok());
  ASSERT_TRUE(Add(kSecond, {.name = "b"}).ok());
  rules_.RemoveAll(kFirst);

  EXPECT_THAT(Matches(Message()), ElementsAre("2:b"));
}

// The work of removing them once grew with the square of their number.
TEST_F(RuleSetTest, ManyRulesOfEveryKindGoWithTheirSubscription) {  // ADI-2
  constexpr int kRules = 20'000;
  for (int i = 0; i < kRules; ++i) {
    for (RuleDescription rule : {Sql(fmt::format("sql{}", i), "sys.Label = 'red'"),
                                 Subject(fmt::format("wants{}", i), "red"),
                                 RuleDescription{.name = fmt::format("true{}", i)}}) {
      rules_.Add(*CompileRule(kFirst, std::move(rule)));
    }
  }
  ASSERT_TRUE(Add(kSecond, {.name = "free"}).code() == ErrorCode::kQuotaExceeded);
  rules_.Add(*CompileRule(kSecond, {.name = "stays"}));
  rules_.RemoveAll(kFirst);

  EXPECT_THAT(Matches(Message()), ElementsAre("2:stays"));
  EXPECT_TRUE(Add(kSecond, Sql("sql", "1=1")).ok());
}

TEST_F(RuleSetTest, ANameIsUsedOnceInASubscription) {  // RUL-10
  ASSERT_TRUE(Add(kFirst, {.name = "a"}).ok());

  EXPECT_EQ(Add(kFirst, {.name = "A"}).code(), ErrorCode::kMessagingEntityAlreadyExists);
  EXPECT_TRUE(Add(kSecond, {.name = "a"}).ok());
}

TEST_F(RuleSetTest, FiltersOfAKindAreLimited) {  // RUL-14, QUO-8
  ASSERT_TRUE(Add(kFirst, Sql("s1", "1=1")).ok());
  ASSERT_TRUE(Add(kSecond, Sql("s2", "1=1")).ok());
  ASSERT_TRUE(Add(kFirst, Subject("c1", "a")).ok());
  ASSERT_TRUE(Add(kFirst, Subject("c2", "a")).ok());

  EXPECT_EQ(Add(kFirst, Sql("s3", "1=1")).code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(Add(kFirst, Subject("c3", "a")).code(), ErrorCode::kQuotaExceeded);
  EXPECT_TRUE(Add(kFirst, {.name = "true"}).ok());
  ASSERT_TRUE(rules_.Remove(kSecond, "s2").ok());
  EXPECT_TRUE(Add(kFirst, Sql("s3", "1=1")).ok());
}

// Each makes a copy of its own of every message that its filter takes.
TEST_F(RuleSetTest, ActionsAreLimited) {  // RUL-5, RUL-14
  const auto changes = [](std::string name) {
    RuleDescription rule = Subject(std::move(name), "a");
    rule.action = SqlText{.text = "SET b = 1"};
    return rule;
  };
  RuleSet rules(RuleLimits{.sql_filters_max = 2, .correlation_filters_max = 9});
  const auto add = [&](RuleDescription rule) {
    auto compiled = CompileRule(kFirst, std::move(rule));
    if (!compiled.ok()) return compiled.status();
    WHARF_RETURN_IF_ERROR(rules.CheckNew(kFirst, compiled->description, 1));
    rules.Add(*std::move(compiled));
    return Status();
  };
  ASSERT_TRUE(add(changes("c1")).ok());
  ASSERT_TRUE(add(changes("c2")).ok());

  EXPECT_EQ(add(changes("c3")).code(), ErrorCode::kQuotaExceeded);
  EXPECT_TRUE(add(Subject("plain", "a")).ok());
  EXPECT_EQ(rules.actions(), 2U);
  rules.RemoveAll(kFirst);
  EXPECT_EQ(rules.actions(), 0U);
  EXPECT_TRUE(add(changes("c3")).ok());
}

TEST_F(RuleSetTest, TrueAndFalseBeyondOneForEachSubscriptionAreSqlFilters) {  // RUL-14, RUL-16
  ASSERT_TRUE(Add(kFirst, {.name = "free"}).ok());
  ASSERT_TRUE(Add(kSecond, {.name = "free", .filter = FalseFilter()}).ok());
  ASSERT_TRUE(Add(kFirst, {.name = "third"}).ok());
  ASSERT_TRUE(Add(kFirst, Sql("s1", "1=1")).ok());

  EXPECT_EQ(Add(kFirst, {.name = "fourth"}).code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(Add(kFirst, {.name = "fourth", .filter = FalseFilter()}).code(),
            ErrorCode::kQuotaExceeded);
  EXPECT_EQ(Add(kFirst, Sql("s2", "1=1")).code(), ErrorCode::kQuotaExceeded);
  ASSERT_TRUE(rules_.Remove(kFirst, "third").ok());
  EXPECT_TRUE(Add(kFirst, Sql("s2", "1=1")).ok());
  ASSERT_TRUE(rules_.Remove(kSecond, "free").ok());
  EXPECT_TRUE(Add(kSecond, {.name = "again"}).ok());
}

TEST_F(RuleSetTest, TextIsLimited) {  // RUL-14, SQL-24, ACT-8
  const std::string at_most(1024 - 4, ' ');
  EXPECT_TRUE(Add(kFirst, Sql("fits", "1=1" + at_most + " ")).ok());
  EXPECT_EQ(Add(kFirst, Sql("long", "1=1" + at_most + "  ")).code(), ErrorCode::kFilterException);
  std::string statements;
  for (int i = 0; i < 33; ++i) statements += "SET a = 1;";
  EXPECT_EQ(Add(kFirst, {.name = "many", .action = SqlText{.text = statements}}).code(),
            ErrorCode::kRuleActionException);
}

TEST_F(RuleSetTest, RulesAreListedByNameAPageAtATime) {  // RUL-12
  for (const char* name : {"b", "A", "c"}) ASSERT_TRUE(Add(kFirst, {.name = name}).ok());
  ASSERT_TRUE(Add(kSecond, {.name = "d"}).ok());
  const auto page = rules_.List(kFirst, "", 2);
  const auto rest = rules_.List(kFirst, "B", 2);

  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0]->description.name, "A");
  EXPECT_EQ(page[1]->description.name, "b");
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0]->description.name, "c");
}

TEST_F(RuleSetTest, APageOfRulesBeginsAtAnyPlace) {  // ATM-5
  for (const char* name : {"b", "A", "c"}) ASSERT_TRUE(Add(kFirst, {.name = name}).ok());
  ASSERT_TRUE(Add(kSecond, {.name = "d"}).ok());

  ASSERT_EQ(rules_.List(kFirst, "", 9, 1).size(), 2U);
  EXPECT_EQ(rules_.List(kFirst, "", 9, 1)[0]->description.name, "b");
  EXPECT_EQ(rules_.List(kFirst, "a", 9, 1)[0]->description.name, "c");
  EXPECT_TRUE(rules_.List(kFirst, "", 9, 3).empty());
}

TEST_F(RuleSetTest, APageOfTenThousandBeginsAtAnyPlace) {  // ATM-5
  constexpr int kRules = 10'000;
  const auto name = [](int i) { return fmt::format("r{:05}", i); };
  RuleSet rules{RuleLimits()};
  // 7919 is prime: they come in no order.
  for (int i = 0; i < kRules; ++i) {
    rules.Add(*CompileRule(kFirst, Subject(name(i * 7919 % kRules), "red")));
  }
  rules.Add(*CompileRule(kSecond, {.name = "other"}));

  for (int skip = 0; skip < kRules; skip += 99) {
    const auto page = rules.List(kFirst, "", 100, skip);
    ASSERT_EQ(page.size(), static_cast<std::size_t>(std::min(100, kRules - skip)));
    ASSERT_EQ(page.front()->description.name, name(skip));
    ASSERT_EQ(page.back()->description.name, name(std::min(skip + 99, kRules - 1)));
  }
  EXPECT_TRUE(rules.List(kFirst, "", 100, kRules).empty());
  ASSERT_TRUE(rules.Remove(kFirst, "R00005").ok());
  EXPECT_EQ(rules.List(kFirst, "", 1, 5)[0]->description.name, name(6));
  rules.RemoveAll(kFirst);
  EXPECT_TRUE(rules.List(kFirst, "", 100).empty());
  EXPECT_EQ(rules.List(kSecond, "", 100).size(), 1U);
}

TEST_F(RuleSetTest, TellsWhatAMessageCosts) {
  Message message;
  message.subject = std::string(100, 'a');
  std::vector<RuleSet::Match> matches;
  const auto cost = [&] { return rules_.FindMatches(MessageView(message), random_, matches); };
  EXPECT_EQ(cost(), 0U);
  ASSERT_TRUE(Add(kFirst, {.name = "true"}).ok());
  ASSERT_TRUE(Add(kFirst, Subject("correlation", "red")).ok());
  EXPECT_EQ(cost(), 0U);

  ASSERT_TRUE(Add(kSecond, Sql("equal", "sys.Label = 'red'")).ok());
  const std::size_t of_one = cost();
  EXPECT_EQ(of_one, 3 * RuleWork::kStepsPerInstruction);
  EXPECT_EQ(rules_.steps(), of_one);
  ASSERT_TRUE(Add(kSecond, Sql("like", "sys.Label LIKE '%b'")).ok());
  EXPECT_GT(cost(), 2 * of_one + 100);

  ASSERT_TRUE(rules_.Remove(kSecond, "like").ok());
  EXPECT_EQ(cost(), of_one);
  rules_.RemoveAll(kSecond);
  EXPECT_EQ(cost(), 0U);
}

}  // namespace
}  // namespace wharf
