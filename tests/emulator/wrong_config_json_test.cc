// What is wrong with a Config.json is told with its place, what would be allowed, and what was
// probably meant.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/emulator/config_json.h"
#include "tests/emulator/any_config_json.h"

namespace wharf::emulator {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> Complaints(const std::string& text) {
  config::Complaints complaints;
  WantedOf("c.json", text, complaints);
  return complaints.Lines();
}

// The one thing that is wrong.
std::string Fault(const std::string& text) {
  const std::vector<std::string> lines = Complaints(text);
  EXPECT_EQ(lines.size(), 1u) << ::testing::PrintToString(lines);
  return lines.empty() ? "" : lines.front();
}

const std::string kQueue = "c.json:2: UserConfig.Namespaces[0].Queues[0]";
const std::string kRule = "c.json:2: UserConfig.Namespaces[0].Topics[0].Subscriptions[0].Rules[0]";

std::string Namespace(const std::string& members) {
  return R"({"UserConfig": {"Namespaces": [{)" + members + "}]}}";
}

TEST(WrongConfigJsonTest, WhatIsNoFileOfTheEmulatorIsToldSo) {
  EXPECT_THAT(Fault("{"), StartsWith("c.json: line 1: it is no JSON: "));
  EXPECT_EQ(Fault("[]"), "c.json:1: the file takes an object, not an array");
  EXPECT_EQ(Fault("{}"), "c.json:1: UserConfig is missing");
  EXPECT_THAT(Fault(std::string(10000, '[')), HasSubstr("it is deeper than 32"));
}

TEST(WrongConfigJsonTest, AWrongNameIsToldWithTheOneThatWasMeant) {
  EXPECT_EQ(
      Fault(Namespace(R"("Queus": [])")),
      "c.json:1: UserConfig.Namespaces[0].Queus is nothing that can be said here, where there is "
      "Name, Queues, Topics; did you mean Queues?");
  EXPECT_THAT(Fault(OfQueue(R"({"lockDuration": "PT1M"})")),
              AllOf(StartsWith(kQueue + ".Properties.lockDuration is nothing"),
                    HasSubstr("did you mean LockDuration?"), HasSubstr("MaxDeliveryCount")));
  EXPECT_THAT(Fault(OfRule(R"({"Name": "r", "Properties": {"FilterType": "Sql",
                               "SqlFilter": {"SqlExpresion": "1=1", "SqlExpression": "1=1"}}})")),
              HasSubstr("Properties.SqlFilter.SqlExpresion is nothing"));
}

TEST(WrongConfigJsonTest, WhatIsQuotedCommandsNoTerminal) {
  const std::string fault = Fault(Namespace(R"("Queues": [{"Name": "x\u001b[31m\nready"}])"));
  EXPECT_THAT(fault, HasSubstr("x?[31m?ready"));
  EXPECT_EQ(fault.find('\x1b'), std::string::npos);
}

// A property of another kind of entity is none of this one.
TEST(WrongConfigJsonTest, ATopicHasNoLocks) {
  EXPECT_THAT(Fault(Namespace(R"("Topics": [{"Name": "t", "Properties":
                                  {"LockDuration": "PT1M"}}])")),
              HasSubstr("Topics[0].Properties.LockDuration is nothing that can be said here"));
}

TEST(WrongConfigJsonTest, AWrongTypeIsToldWithWhatIsAllowed) {
  const auto of = [](const std::string& properties) { return Fault(OfQueue(properties)); };

  EXPECT_EQ(of("7"), kQueue + ".Properties takes an object, not 7");
  EXPECT_EQ(of(R"({"RequiresSession": "true"})"),
            kQueue + ".Properties.RequiresSession takes true or false, not \"true\"");
  EXPECT_EQ(of(R"({"MaxDeliveryCount": 1.5})"),
            kQueue + ".Properties.MaxDeliveryCount takes a whole number, not 1.5");
  EXPECT_EQ(of(R"({"MaxDeliveryCount": 99999999999})"),
            kQueue + ".Properties.MaxDeliveryCount takes a whole number, not 99999999999");
  EXPECT_EQ(of(R"({"LockDuration": "60"})"),
            kQueue +
                ".Properties.LockDuration takes a span as ISO 8601 writes it, \"PT1M30S\" or "
                "\"P7D\", not \"60\"");
  EXPECT_EQ(of(R"({"LockDuration": 60})"),
            kQueue +
                ".Properties.LockDuration takes a span as ISO 8601 writes it, \"PT1M30S\" or "
                "\"P7D\", not 60");
  EXPECT_EQ(of(R"({"ForwardTo": ["a"]})"),
            kQueue + ".Properties.ForwardTo takes text, not an array");
  EXPECT_EQ(of(R"({"Status": "Aktive"})"),
            kQueue +
                ".Properties.Status takes one of Active, Disabled, SendDisabled, "
                "ReceiveDisabled, not \"Aktive\"; did you mean Active?");
}

TEST(WrongConfigJsonTest, AValueOutOfItsRangeIsToldWithTheRange) {
  EXPECT_EQ(Fault(OfQueue(R"({"LockDuration": "PT1S"})")),
            kQueue +
                ".Properties.LockDuration is \"PT1S\": lock_duration must be from 5 seconds to "
                "24 hours");
  EXPECT_THAT(Fault(OfQueue(R"({"MaxDeliveryCount": 0})")), HasSubstr("must be 1 or more"));
  EXPECT_THAT(Fault(OfQueue(R"({"DuplicateDetectionHistoryTimeWindow": "P8D"})")),
              HasSubstr("from 20 seconds to 7 days"));
}

TEST(WrongConfigJsonTest, WhatDoesNotFitTogetherIsToldOfTheEntity) {
  EXPECT_THAT(Fault(OfQueue(R"({"RequiresSession": true, "ForwardTo": "other"})")),
              AllOf(StartsWith(kQueue + " cannot be so: "), HasSubstr("requires sessions")));
}

TEST(WrongConfigJsonTest, NamesAreNeededAndStandOnce) {
  EXPECT_EQ(Fault(Namespace(R"("Queues": [{}])")),
            "c.json:1: UserConfig.Namespaces[0].Queues[0] has no Name");
  EXPECT_EQ(Fault(Namespace(R"("Queues": [{"Name": 7}])")),
            "c.json:1: UserConfig.Namespaces[0].Queues[0].Name takes text, not 7");
  EXPECT_THAT(Fault(Namespace(R"("Queues": [{"Name": "a b?"}])")),
              HasSubstr("Queues[0] cannot be so: 'a b?' cannot name an entity"));
  EXPECT_EQ(Fault(Namespace(R"("Queues": [{"Name": "a"}], "Topics": [{"Name": "A"}])")),
            "c.json:1: UserConfig.Namespaces[0].Topics[0] has the name of "
            "UserConfig.Namespaces[0].Queues[0]");
}

TEST(WrongConfigJsonTest, ThereIsOneNamespace) {
  EXPECT_EQ(Fault(R"({"UserConfig": {"Namespaces": [{}, {}]}})"),
            "c.json:1: UserConfig.Namespaces[1] is one too many: wharfd is one namespace");
  EXPECT_EQ(Fault(R"({"UserConfig": {"Namespaces": {}}})"),
            "c.json:1: UserConfig.Namespaces takes an array, not an object");
  EXPECT_EQ(Fault(R"({"UserConfig": {"Namespaces": [7]}})"),
            "c.json:1: UserConfig.Namespaces[0] takes an object, not 7");
  EXPECT_EQ(Fault(R"({"UserConfig": {"Logging": "File"}})"),
            "c.json:1: UserConfig.Logging takes an object, not \"File\"");
}

std::string RuleWith(const std::string& properties) {
  return OfRule(R"({"Name": "r", "Properties": )" + properties + "}");
}

TEST(WrongConfigJsonTest, ARuleSaysWhatItFilters) {
  EXPECT_EQ(Fault(RuleWith("{}")), kRule + ".Properties has no FilterType: Correlation or Sql");
  EXPECT_EQ(Fault(RuleWith(R"({"FilterType": "Sqll"})")),
            kRule +
                ".Properties.FilterType takes one of Correlation, Sql, not \"Sqll\"; did you "
                "mean Sql?");
  EXPECT_EQ(Fault(RuleWith(R"({"FilterType": "Sql"})")),
            kRule + ".Properties has no SqlFilter with an SqlExpression");
  EXPECT_EQ(Fault(RuleWith(R"({"FilterType": "Correlation", "CorrelationFilter": {"To": ""}})")),
            kRule + ".Properties has no CorrelationFilter that compares something");
  EXPECT_EQ(Fault(RuleWith(R"({"FilterType": "Correlation",
                                "CorrelationFilter": {"Properties": {"a": 1, "b": [1]}}})")),
            "c.json:3: UserConfig.Namespaces[0].Topics[0].Subscriptions[0].Rules[0].Properties."
            "CorrelationFilter.Properties.b takes text, a number, true or false, not an array");
  EXPECT_EQ(Fault(OfRule(R"({"Name": "a/b", "Properties": {"FilterType": "Sql",
                              "SqlFilter": {"SqlExpression": "1=1"}}})"))
                .find(kRule + ".Name is wrong: "),
            0u);
}

TEST(WrongConfigJsonTest, WhatIsNoSqlIsToldWithItsColumn) {
  EXPECT_THAT(Fault(RuleWith(R"({"FilterType": "Sql", "SqlFilter": {"SqlExpression": "a >"}})")),
              AllOf(StartsWith(kRule + ".Properties.SqlFilter.SqlExpression is no filter: "),
                    HasSubstr("column")));
  EXPECT_THAT(Fault(RuleWith(R"({"FilterType": "Sql", "SqlFilter": {"SqlExpression": "1=1"},
                                  "Action": {"SqlExpression": "SIT a = 1"}})")),
              HasSubstr("Properties.Action.SqlExpression is no action: "));
}

TEST(WrongConfigJsonTest, RulesOfASubscriptionHaveNamesOfTheirOwn) {
  const std::string rule =
      R"("Properties": {"FilterType": "Sql", "SqlFilter": {"SqlExpression": "1=1"}}})";
  EXPECT_THAT(Fault(OfRule(R"({"Name": "r", )" + rule + R"(, {"Name": "R", )" + rule)),
              HasSubstr("Rules[1] has the name of UserConfig"));
}

// What is wrong is told at once, not one thing at a start.
TEST(WrongConfigJsonTest, AllThatIsWrongIsToldInTheOrderOfTheFile) {
  EXPECT_THAT(Complaints(OfQueue(R"({"MaxDeliveryCount": "x", "LockDuration": 1, "Nmae": 2})")),
              ElementsAre(HasSubstr("Nmae"), HasSubstr("MaxDeliveryCount takes"),
                          HasSubstr("LockDuration takes")));
  std::string many = "{\"a0\": 1";
  for (int i = 1; i < 1000; ++i) many += ", \"a" + std::to_string(i) + "\": 1";
  EXPECT_LE(Complaints(OfQueue(many + "}")).size(), 21u);
}

}  // namespace
}  // namespace wharf::emulator
