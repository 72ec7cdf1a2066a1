// What clients say an entity shall be, and what comes of it.
#include "broker/doors/http/atom/given_description.h"

#include <gtest/gtest.h>

#include "broker/doors/http/atom/feed.h"

namespace wharf::atom {
namespace {

std::string Entry(const std::string& name, const std::string& content) {
  return R"(<entry xmlns="http://www.w3.org/2005/Atom"><content><)" + name +
         R"( xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" )"
         R"(xmlns:i="http://www.w3.org/2001/XMLSchema-instance">)" +
         content + "</" + name + "></content></entry>";
}

Result<GivenDescription> Read(EntityKind kind, const std::string& content) {
  const Result<XmlElement> element = ContentOf(Entry(std::string(ElementOf(kind)), content));
  return element.ok() ? DescriptionFromXml(kind, *element) : element.status();
}
Result<GivenDescription> Queue(const std::string& content) {
  return Read(EntityKind::kQueue, content);
}

TEST(GivenDescriptionTest, WhatIsNotSaidHasItsDefault) {  // EPR-30
  for (const EntityKind kind :
       {EntityKind::kQueue, EntityKind::kTopic, EntityKind::kSubscription}) {
    const auto given = Read(kind, "");
    ASSERT_TRUE(given.ok());
    EXPECT_EQ(*CreatedAs("q", *given), (QueueDescription{.name = "q"}));
    EXPECT_EQ(given->access_rules, std::nullopt);
  }
}

TEST(GivenDescriptionTest, AQueueSaysAllOfIt) {  // EPR-2 to EPR-21, EPR-24
  const auto given = Queue(R"(
      <LockDuration> PT30S </LockDuration><MaxSizeInMegabytes>2048</MaxSizeInMegabytes>
      <RequiresDuplicateDetection>true</RequiresDuplicateDetection>
      <RequiresSession>true</RequiresSession>
      <DefaultMessageTimeToLive>P1D</DefaultMessageTimeToLive>
      <DeadLetteringOnMessageExpiration>true</DeadLetteringOnMessageExpiration>
      <DuplicateDetectionHistoryTimeWindow>PT1H</DuplicateDetectionHistoryTimeWindow>
      <MaxDeliveryCount>3</MaxDeliveryCount><EnableBatchedOperations>false</EnableBatchedOperations>
      <Status>SendDisabled</Status><ForwardTo>sb://h:1/Other/One</ForwardTo>
      <UserMetadata> as it is </UserMetadata><SupportOrdering>false</SupportOrdering>
      <AutoDeleteOnIdle>PT5M</AutoDeleteOnIdle><EnablePartitioning>true</EnablePartitioning>
      <ForwardDeadLetteredMessagesTo>dead</ForwardDeadLetteredMessagesTo>
      <EnableExpress>true</EnableExpress>
      <MaxMessageSizeInKilobytes>256</MaxMessageSizeInKilobytes>
      <MessageCount>17</MessageCount><NobodyKnowsThis><Deep/></NobodyKnowsThis>)");

  ASSERT_TRUE(given.ok()) << given.status().message();
  QueueDescription wanted{.name = "q"};
  wanted.lock_duration = std::chrono::seconds(30);
  wanted.max_size_in_megabytes = 2048;
  wanted.requires_duplicate_detection = true;
  wanted.requires_session = true;
  wanted.default_message_time_to_live = std::chrono::hours(24);
  wanted.dead_lettering_on_message_expiration = true;
  wanted.duplicate_detection_history_time_window = std::chrono::hours(1);
  wanted.max_delivery_count = 3;
  wanted.enable_batched_operations = false;
  wanted.status = EntityStatus::kSendDisabled;
  wanted.forward_to = "Other/One";
  wanted.user_metadata = " as it is ";
  wanted.support_ordering = false;
  wanted.auto_delete_on_idle = std::chrono::minutes(5);
  wanted.enable_partitioning = true;
  wanted.forward_dead_lettered_messages_to = "dead";
  wanted.enable_express = true;
  wanted.max_message_size_in_kilobytes = 256;
  wanted.unknown_elements = "<NobodyKnowsThis><Deep/></NobodyKnowsThis>";
  EXPECT_EQ(*CreatedAs("q", *given), wanted);
}

TEST(GivenDescriptionTest, ASubscriptionBringsItsFirstRule) {  // EPR-23, RUL-1
  const auto given = Read(EntityKind::kSubscription, R"(
      <DeadLetteringOnFilterEvaluationExceptions>false</DeadLetteringOnFilterEvaluationExceptions>
      <DefaultRuleDescription><Filter i:type="FalseFilter"/><Action i:type="EmptyRuleAction"/>
      <Name>none</Name></DefaultRuleDescription>)");

  ASSERT_TRUE(given.ok()) << given.status().message();
  EXPECT_FALSE(given->description.dead_lettering_on_filter_evaluation_exceptions);
  EXPECT_EQ(given->first_rule, (RuleDescription{.name = "none", .filter = FalseFilter()}));
}

TEST(GivenDescriptionTest, RulesOfAccessComeWithIt) {  // EPR-19
  const auto given = Queue(R"(<AuthorizationRules>
      <AuthorizationRule i:type="SharedAccessAuthorizationRule"><ClaimType>SharedAccessKey</ClaimType>
      <ClaimValue>None</ClaimValue><Rights><AccessRights>Send</AccessRights>
      <AccessRights>Listen</AccessRights></Rights><KeyName>both</KeyName><PrimaryKey>p</PrimaryKey>
      <SecondaryKey>s</SecondaryKey></AuthorizationRule>
      <AuthorizationRule><Rights><AccessRights>Manage</AccessRights></Rights><KeyName>all</KeyName>
      </AuthorizationRule></AuthorizationRules>)");

  ASSERT_TRUE(given.ok()) << given.status().message();
  ASSERT_EQ(given->access_rules->size(), 2U);
  EXPECT_EQ(given->access_rules->at(0).name, "both");
  EXPECT_EQ(given->access_rules->at(0).rights,
            access::Rights(access::Right::kSend) | access::Right::kListen);
  EXPECT_EQ(given->access_rules->at(0).primary_key, "p");
  EXPECT_EQ(given->access_rules->at(0).secondary_key, "s");
  EXPECT_EQ(given->access_rules->at(1).rights, access::Rights(access::Right::kManage));
  EXPECT_EQ(given->access_rules->at(1).primary_key, "");
  EXPECT_TRUE(Queue("<AuthorizationRules/>")->access_rules->empty()) << "which removes them";
}

TEST(GivenDescriptionTest, WhatCannotBeIsRefusedByName) {
  const std::pair<const char*, const char*> all[] = {
      {"LockDuration", "1 minute"},
      {"LockDuration", "-PT1M"},
      {"LockDuration", "P99999999999999999999D"},
      {"MaxSizeInMegabytes", "much"},
      {"MaxSizeInMegabytes", "99999999999999999999"},
      {"MaxDeliveryCount", "1.5"},
      {"MaxDeliveryCount", "4294967297"},
      {"RequiresSession", "yes"},
      {"Status", "Restoring"},
      {"ForwardTo", "sb://host/"},
      {"IsAnonymousAccessible", "true"},
      {"AuthorizationRules",
       "<AuthorizationRule><Rights><AccessRights>Rule</AccessRights></Rights></AuthorizationRule>"},
  };
  for (const auto& [name, value] : all) {
    const auto given = Queue("<" + std::string(name) + ">" + value + "</" + name + ">");
    EXPECT_FALSE(given.ok()) << name << ' ' << value;
  }
  const std::string much = "<New>" + std::string(kUnknownElementsBytesMax, 'x') + "</New>";
  for (const EntityKind kind :
       {EntityKind::kQueue, EntityKind::kTopic, EntityKind::kSubscription}) {
    EXPECT_EQ(Read(kind, much).status().code(), ErrorCode::kArgumentOutOfRange);
  }
  EXPECT_FALSE(Read(EntityKind::kTopic,
                    "<EnableSubscriptionPartitioning>true</EnableSubscriptionPartitioning>")
                   .ok());
}

TEST(GivenDescriptionTest, WhatIsSaidTwiceIsRefusedByName) {
  const auto why = [](const std::string& content) { return Queue(content).status().message(); };
  EXPECT_EQ(why("<MaxDeliveryCount>1</MaxDeliveryCount><MaxDeliveryCount>2</MaxDeliveryCount>"),
            "MaxDeliveryCount is there twice in QueueDescription");
  EXPECT_EQ(why("<AuthorizationRules><AuthorizationRule><KeyName>a</KeyName><KeyName>b</KeyName>"
                "</AuthorizationRule></AuthorizationRules>"),
            "KeyName is there twice in AuthorizationRule");
  EXPECT_EQ(why("<New>1</New><New>2</New><CountDetails xmlns='other'/><CountDetails/>"), "");
}

TEST(GivenDescriptionTest, ABooleanMayBeInAnyCase) {
  EXPECT_TRUE(Queue("<RequiresSession>True</RequiresSession>")->description.requires_session);
  EXPECT_TRUE(Queue("<RequiresSession>TRUE</RequiresSession>")->description.requires_session);
  EXPECT_FALSE(Queue("<RequiresSession>False</RequiresSession>")->description.requires_session);
}

TEST(GivenDescriptionTest, ALongLockIsNotMadeHereButStays) {  // LCK-15
  const auto given = Queue("<LockDuration>PT10M</LockDuration>");
  QueueDescription current{.name = "q"};

  EXPECT_EQ(CreatedAs("q", *given).status().code(), ErrorCode::kArgumentOutOfRange);
  EXPECT_FALSE(UpdatedTo(current, *given).ok());
  current.lock_duration = std::chrono::minutes(10);
  EXPECT_TRUE(UpdatedTo(current, *given).ok());
  EXPECT_EQ(UpdatedTo(current, *Queue(""))->lock_duration, std::chrono::minutes(1));
  EXPECT_TRUE(CreatedAs("q", *Queue("<LockDuration>PT5M</LockDuration>")).ok());
}

TEST(GivenDescriptionTest, AnUpdateReplacesAllThatCanBeSaid) {  // ATM-2, EPR-24, EPR-30
  QueueDescription current{.name = "Q"};
  current.max_delivery_count = 3;
  current.user_metadata = "old";
  current.forward_to = "other";
  current.status = EntityStatus::kDisabled;
  current.unknown_elements = "<Old/>";

  EXPECT_EQ(*UpdatedTo(current, *Queue("")), (QueueDescription{.name = "Q"}));
  EXPECT_EQ(UpdatedTo(current, *Queue("<New/>"))->unknown_elements, "<New/>");
}

TEST(GivenDescriptionTest, OrderIsAsPartitionsHaveItUnlessItIsSaid) {  // EPR-20
  const std::string partitioned = "<EnablePartitioning>true</EnablePartitioning>";
  EXPECT_FALSE(CreatedAs("q", *Queue(partitioned))->support_ordering);
  EXPECT_TRUE(CreatedAs("q", *Queue(""))->support_ordering);
  EXPECT_TRUE(CreatedAs("q", *Queue("<SupportOrdering>true</SupportOrdering>" + partitioned))
                  ->support_ordering);
  QueueDescription current{.name = "q"};
  current.enable_partitioning = true;
  current.support_ordering = false;
  EXPECT_EQ(*UpdatedTo(current, *Queue("")), current);
}

// Each of these is kept by a line of its own.
TEST(GivenDescriptionTest, AnUpdateLeavesAloneWhatCannotBeSaid) {  // ATM-2
  QueueDescription current{.name = "Q"};
  current.retry_policy = RetryPolicy{.base = std::chrono::seconds(1)};
  current.enable_priority = true;
  current.session_expiry_scope = SessionExpiryScope::kMessage;
  current.event_log_size_in_kilobytes = 64;
  current.event_log_retention = std::chrono::hours(1);
  // Longer than anything that can be said, and no "never".
  current.auto_delete_on_idle = std::chrono::hours(24 * 10675300);
  current.default_message_time_to_live = std::chrono::hours(24 * 10675301);

  EXPECT_EQ(*UpdatedTo(current, *Queue("")), current);
}

TEST(GivenDescriptionTest, WhatIsFixedStaysUnlessAnUpdateSaysOtherwise) {  // EPR-31
  QueueDescription current{.name = "Q"};
  current.requires_duplicate_detection = true;
  current.requires_session = true;
  current.enable_partitioning = true;
  current.support_ordering = false;
  current.enable_express = true;

  EXPECT_EQ(*UpdatedTo(current, *Queue("")), current);
  for (const char* name :
       {"RequiresDuplicateDetection", "RequiresSession", "EnablePartitioning", "EnableExpress"}) {
    const auto given = Queue("<" + std::string(name) + ">false</" + name + ">");
    EXPECT_FALSE(CheckUpdate(EntityKind::kQueue, current, *UpdatedTo(current, *given)).ok())
        << name;
  }
}

}  // namespace
}  // namespace wharf::atom
