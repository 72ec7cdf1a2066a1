#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/wharf/definitions/definitions_reader.h"
#include "tools/wharf/definitions/plan.h"
#include "tools/wharf/definitions/plan_printer.h"

namespace wharf::tool {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Definitions Read(const std::string& parts) {
  const std::string separator = parts.empty() ? "" : ", ";
  Result<Definitions> read =
      ReadDefinitions(fmt::format(R"({{"format_version": 1{}{}}})", separator, parts));
  EXPECT_TRUE(read.ok()) << read.status().message();
  return read.ok() ? *std::move(read) : Definitions();
}

Definitions Queues(const std::string& queues) {
  return Read(fmt::format("\"queues\": [{}]", queues));
}

// A topic "t" with a subscription "s" of these rules.
Definitions Rules(const std::string& rules) {
  return Read(fmt::format(
      R"("topics": [{{"name": "t", "subscriptions": [{{"name": "s", "rules": [{}]}}]}}])", rules));
}

class DefinitionsPlanTest : public testing::Test {
 protected:
  static constexpr PlanOptions kDeletes = {.deletes = true};

  Plan Make(const Definitions& wanted, const Definitions& present, PlanOptions options = {}) {
    present_.definitions = present;
    for (std::size_t i = 0; i < present_.definitions.queues.size(); ++i) {
      present_.definitions.queues[i].properties.set_etag(fmt::format("etag-{}", i));
    }
    return MakePlan(wanted, present_, options);
  }
  static std::vector<std::string> Lines(const Plan& plan) {
    std::vector<std::string> lines;
    for (const Change& change : plan.changes) lines.push_back(TextOf(change));
    for (const Leftover& each : plan.leftovers) lines.push_back("leave " + each.path + each.name);
    return lines;
  }
  static std::string WhyNot(const Plan& plan) {
    std::string why;
    for (const Obstacle& each : plan.obstacles) why += each.why + "\n";
    return why;
  }

  BrokerDefinitions present_;
};

TEST_F(DefinitionsPlanTest, NothingIsToBeDoneWhereAllIsAsItShouldBe) {
  const Definitions same = Queues(R"({"name": "a", "forward_to": "b"}, {"name": "B"})");
  const Plan plan = Make(same, same);
  EXPECT_TRUE(plan.IsEmpty());
  EXPECT_EQ(plan.unchanged, 2U);
  // Names are the same whatever their case.
  EXPECT_TRUE(Make(Queues(R"({"name": "A", "forward_to": "b"}, {"name": "b"})"), same).IsEmpty());
}

TEST_F(DefinitionsPlanTest, WhatIsMissingIsMadeWithItsTargetsFirst) {
  const Plan plan = Make(Read(R"("queues": [{"name": "a", "forward_to": "t",
                                             "access_rules": [{"name": "r", "rights": ["Send"]}]}],
      "topics": [{"name": "t", "subscriptions": [{"name": "s", "rules": [
        {"name": "one", "filter": {"kind": "true"}},
        {"name": "two", "filter": {"kind": "false"}}]}]}],
      "access_rules": [{"name": "ops", "rights": ["Manage"]}])"),
                         {});
  EXPECT_THAT(Lines(plan),
              ElementsAre("create topic t", "create subscription t/Subscriptions/s",
                          "create rule two of t/Subscriptions/s", "create queue a",
                          "create access rule ops of the namespace", "create access rule r of a"));
  const auto& subscription = std::get<SubscriptionDefinition>(plan.changes[1].wanted);
  ASSERT_EQ(subscription.rules.size(), 1U);
  EXPECT_EQ(subscription.rules[0].name(), "one");
}

TEST_F(DefinitionsPlanTest, AnUpdateSaysWhatChangesAndForWhichDescription) {
  const Plan plan =
      Make(Queues(R"({"name": "a", "lock_duration": 30, "retry_policy": {}})"),
           Queues(R"({"name": "a", "user_metadata": "x", "auto_delete_on_idle": "1d"})"));
  ASSERT_EQ(plan.changes.size(), 1U);
  std::vector<std::string> changes;
  for (const PropertyChange& each : plan.changes[0].properties) {
    changes.push_back(fmt::format("{} {} {}", each.name, each.from_text, each.to_text));
  }
  EXPECT_THAT(
      changes,
      ElementsAre("lock_duration 1m 30s", "auto_delete_on_idle 1d never", "user_metadata x none",
                  R"(retry_policy none {"backoff":"fixed","base":1,"cap":604800,"jitter":0.0})"));
  EXPECT_EQ(std::get<v1::QueueProperties>(plan.changes[0].wanted).etag(), "etag-0");
}

TEST_F(DefinitionsPlanTest, WhatIsFixedAtCreationIsInTheWay) {
  present_.holdings["a"] = {.messages = 3};
  const Plan plan = Make(Queues(R"({"name": "a", "requires_session": true})"),
                         Queues(R"({"name": "a"})"), kDeletes);
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_THAT(WhyNot(plan),
              AllOf(HasSubstr("'a' has requires_session false on the broker and true"),
                    HasSubstr("with the 3 messages that it holds")));
}

TEST_F(DefinitionsPlanTest, AnotherKindOfThatNameIsInTheWay) {
  const Plan plan =
      Make(Queues(R"({"name": "t"})"), Rules(R"({"name": "r", "filter": {"kind": "true"}})"));
  EXPECT_THAT(WhyNot(plan), HasSubstr("'t' is a queue in the file and a topic on the broker"));
}

TEST_F(DefinitionsPlanTest, WhatIsNotInTheFileStays) {
  const Plan plan = Make(Queues(""), Read(R"("queues": [{"name": "a"}],
      "topics": [{"name": "t", "subscriptions": [{"name": "s", "rules": []}]}],
      "access_rules": [{"name": "ops", "rights": ["Manage"]}])"));
  // A subscription goes with its topic.
  EXPECT_THAT(Lines(plan), ElementsAre("leave ops", "leave a", "leave t"));
  EXPECT_FALSE(plan.IsEmpty());
}

TEST_F(DefinitionsPlanTest, WhatForwardsIsDeletedFirst) {
  const Plan plan =
      Make(Queues(""), Queues(R"({"name": "a"}, {"name": "b", "forward_to": "a"})"), kDeletes);
  EXPECT_THAT(Lines(plan), ElementsAre("delete queue b", "delete queue a"));
}

TEST_F(DefinitionsPlanTest, MessagesAreNotLostUnlessThatWasSaid) {
  present_.holdings["a"] = {.messages = 1, .bytes = 5};
  const Definitions present = Queues(R"({"name": "A"}, {"name": "b"})");
  const Plan refused = Make({}, present, kDeletes);
  EXPECT_EQ(WhyNot(refused),
            "the queue 'A' holds 1 message, which would be lost with it; say --lose-messages if "
            "that is what you want\n");
  const Plan plan = Make({}, present, {.deletes = true, .loses_messages = true});
  EXPECT_EQ(WhyNot(plan), "");
  EXPECT_EQ(plan.changes.back().lost.messages + plan.changes.front().lost.messages, 1);
}

TEST_F(DefinitionsPlanTest, StatesOfSessionsAreNotLostUnlessThatWasSaid) {
  present_.holdings["a"] = {.messages = 0, .bytes = 12};
  const Definitions present = Queues(R"({"name": "a", "requires_session": true})");
  EXPECT_EQ(WhyNot(Make({}, present, kDeletes)),
            "the queue 'a' holds session states of 12 bytes, which would be lost with it; say "
            "--lose-messages if that is what you want\n");
  const Plan plan = Make({}, present, {.deletes = true, .loses_messages = true});
  EXPECT_EQ(WhyNot(plan), "");
  EXPECT_EQ(plan.changes.back().lost.bytes, 12);
}

TEST_F(DefinitionsPlanTest, RulesComeAndAreReplacedBeforeOthersGo) {
  const Definitions present = Rules(R"({"name": "$Default", "filter": {"kind": "true"}},
      {"name": "old", "filter": {"kind": "true"}}, {"name": "same", "filter": {"kind": "false"}})");
  const Definitions wanted = Rules(R"({"name": "OLD", "filter": {"kind": "sql", "text": "a = 1"}},
      {"name": "new", "filter": {"kind": "true"}}, {"name": "Same", "filter": {"kind": "false"}})");
  const Plan plan = Make(wanted, present, kDeletes);
  EXPECT_THAT(Lines(plan), ElementsAre("replace rule OLD of t/Subscriptions/s",
                                       "create rule new of t/Subscriptions/s",
                                       "delete rule $Default of t/Subscriptions/s"));
  ASSERT_EQ(plan.changes[0].properties.size(), 1U);
  EXPECT_EQ(plan.changes[0].properties[0].to_text, "a = 1");
  EXPECT_EQ(plan.unchanged, 3U);  // The topic, its subscription, and a rule.
}

TEST_F(DefinitionsPlanTest, WhatGoesOrIsReplacedIsKnownByItsEtag) {
  Definitions present = Read(R"("queues": [{"name": "old", "access_rules": []}],
      "topics": [{"name": "t", "subscriptions": [{"name": "s", "rules": [
        {"name": "a", "filter": {"kind": "false"}}, {"name": "b", "filter": {"kind": "false"}}]}]}],
      "access_rules": [{"name": "ops", "rights": ["Manage"]}])");
  std::vector<v1::Rule>& rules = present.topics[0].subscriptions[0].rules;
  rules[0].set_etag("etag-a");
  rules[1].set_etag("etag-b");
  present.access_rules[0].set_etag("etag-ops");
  const Plan plan = Make(Rules(R"({"name": "a", "filter": {"kind": "true"}})"), present, kDeletes);
  std::vector<std::string> etags;
  for (const Change& each : plan.changes) etags.push_back(TextOf(each) + ": " + each.etag);
  EXPECT_THAT(etags,
              ElementsAre("replace rule a of t/Subscriptions/s: etag-a",
                          "delete rule b of t/Subscriptions/s: etag-b", "delete queue old: etag-0",
                          "delete access rule ops of the namespace: etag-ops"));
}

// Who is connected by one of them can do all the rest.
TEST_F(DefinitionsPlanTest, AccessRulesAreDeletedLast) {
  const Definitions present = Read(R"("queues": [
        {"name": "a", "access_rules": [{"name": "reader", "rights": ["Listen"]}]},
        {"name": "old"}],
      "topics": [{"name": "t", "subscriptions": [{"name": "s", "rules": [
        {"name": "r", "filter": {"kind": "true"}}]}]}],
      "access_rules": [{"name": "ops", "rights": ["Manage"]}])");
  const Plan plan = Make(Read(R"("queues": [{"name": "a"}],
      "topics": [{"name": "t", "subscriptions": [{"name": "s", "rules": []}]}])"),
                         present, kDeletes);
  EXPECT_THAT(Lines(plan), ElementsAre("delete rule r of t/Subscriptions/s", "delete queue old",
                                       "delete access rule reader of a",
                                       "delete access rule ops of the namespace"));
  EXPECT_EQ(WhyNot(plan), "");
}

TEST_F(DefinitionsPlanTest, NobodyDeletesTheAccessRuleByWhichHeIsConnected) {
  const Definitions present =
      Read(R"("queues": [{"name": "a", "access_rules": [{"name": "ops", "rights": ["Send"]}]}],
      "access_rules": [{"name": "Ops", "rights": ["Manage"]}])");
  const PlanOptions options = {.deletes = true, .loses_messages = false, .own_rule = "oPS"};
  EXPECT_EQ(WhyNot(Make(Queues(R"({"name": "a"})"), present, options)),
            "the access rule 'Ops' of the namespace would be deleted, by which you are connected: "
            "put it into the file, or connect by another one\n");
  const Definitions wanted = Read(R"("access_rules": [{"name": "ops", "rights": ["Manage"]}])");
  EXPECT_EQ(WhyNot(Make(wanted, present, options)), "");
  // Without --delete it stays.
  EXPECT_EQ(WhyNot(Make({}, present, {.own_rule = "ops"})), "");
}

TEST_F(DefinitionsPlanTest, MoreThanTheBrokerTakesIsInTheWay) {
  const Definitions present = Queues(R"({"name": "a"}, {"name": "b"})");
  const Definitions wanted = Queues(R"({"name": "b"}, {"name": "c"})");
  present_.bounds.top_level = 3;
  EXPECT_EQ(WhyNot(Make(wanted, present, kDeletes)), "");
  // What is deleted goes last.
  present_.bounds.top_level = 2;
  EXPECT_EQ(WhyNot(Make(wanted, present, kDeletes)),
            "there would be 3 queues and topics, and this broker takes 2 (max-entities)\n");
  // It had them when its bound was another one.
  present_.bounds.top_level = 1;
  EXPECT_EQ(WhyNot(Make(present, present)), "");
}

TEST_F(DefinitionsPlanTest, MoreSubscriptionsThanATopicTakesAreInTheWay) {
  const auto topic = [](const char* more) {
    return Read(fmt::format(
        R"("topics": [{{"name": "t", "subscriptions": [{{"name": "a", "rules": []}}{}]}}])", more));
  };
  present_.bounds.subscriptions_of_a_topic = 2;
  EXPECT_EQ(WhyNot(Make(topic(R"(, {"name": "b", "rules": []})"), topic(""))), "");
  EXPECT_EQ(
      WhyNot(Make(topic(R"(, {"name": "b", "rules": []}, {"name": "c", "rules": []})"), topic(""))),
      "t/Subscriptions/b: its topic would have 3 subscriptions, and this broker takes 2 "
      "(max-subscriptions)\n");
}

TEST_F(DefinitionsPlanTest, RightsAreInTheWay) {
  const Plan plan = Make(Read(R"("access_rules": [{"name": "a", "rights": ["Send"]}])"),
                         Read(R"("access_rules": [{"name": "a", "rights": ["Listen"]}])"));
  EXPECT_THAT(WhyNot(plan), HasSubstr("rights Listen on the broker and Send in the file"));
}

TEST_F(DefinitionsPlanTest, ATargetMustBeThere) {  // FWD-2
  const Definitions wanted = Queues(R"({"name": "a", "forward_to": "b"})");
  EXPECT_THAT(WhyNot(Make(wanted, {})), HasSubstr("'b', which is neither in the file nor on"));
  const Definitions present = Queues(R"({"name": "b"})");
  EXPECT_EQ(WhyNot(Make(wanted, present)), "");
  EXPECT_THAT(WhyNot(Make(wanted, present, kDeletes)), HasSubstr("and would be deleted"));
  EXPECT_THAT(WhyNot(Make(Queues(R"({"name": "a", "forward_to": "A"})"), {})),
              HasSubstr("which is itself"));
  EXPECT_THAT(
      WhyNot(
          Make(Queues(R"({"name": "a", "forward_to": "b/$DeadLetterQueue"}, {"name": "b"})"), {})),
      HasSubstr("which is a dead-letter queue"));
}

TEST_F(DefinitionsPlanTest, ACircleIsInTheWay) {  // FWD-3
  const Plan plan =
      Make(Queues(R"({"name": "a", "forward_to": "b"}, {"name": "b", "forward_to": "a"})"), {});
  EXPECT_THAT(WhyNot(plan), HasSubstr("forwarded in a circle: 'a', 'b'"));
  std::string many = R"({"name": "q0", "forward_to": "q11"})";
  for (int i = 1; i < 12; ++i) {
    many += fmt::format(R"(, {{"name": "q{}", "forward_to": "q{}"}})", i, i - 1);
  }
  EXPECT_THAT(WhyNot(Make(Queues(many), {})), ::testing::ContainsRegex("'q[0-9]+' and 2 more"));
  // One that the broker has, and the file turns round, is none at any time.
  const Plan turned = Make(Queues(R"({"name": "a"}, {"name": "b", "forward_to": "a"})"),
                           Queues(R"({"name": "a", "forward_to": "b"}, {"name": "b"})"));
  EXPECT_THAT(Lines(turned), ElementsAre("update queue a", "update queue b"));
  EXPECT_EQ(WhyNot(turned), "");
}

TEST_F(DefinitionsPlanTest, DeadLettersMayGoInACircle) {
  const Plan plan = Make(Queues(R"({"name": "a", "forward_dead_lettered_messages_to": "b"},
                                   {"name": "b", "forward_dead_lettered_messages_to": "a"})"),
                         {});
  EXPECT_THAT(Lines(plan), ElementsAre("create queue a", "create queue b", "update queue a"));
  EXPECT_EQ(
      std::get<v1::QueueProperties>(plan.changes[0].wanted).forward_dead_lettered_messages_to(),
      "");
  EXPECT_EQ(
      std::get<v1::QueueProperties>(plan.changes[2].wanted).forward_dead_lettered_messages_to(),
      "b");
}

TEST_F(DefinitionsPlanTest,
       ATargetOfDeadLettersThatComesWithTheCreationWouldEndIdleness) {  // FWD-17
  const Plan plan = Make(Queues(R"({"name": "a", "auto_delete_on_idle": "1d",
                                    "forward_dead_lettered_messages_to": "b"}, {"name": "b"})"),
                         {});
  EXPECT_THAT(Lines(plan), ElementsAre("create queue b", "create queue a", "update queue a"));
  EXPECT_EQ(plan.changes[2].properties[0].name, "forward_dead_lettered_messages_to");
}

}  // namespace
}  // namespace wharf::tool
