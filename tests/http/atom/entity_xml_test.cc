// Entities as clients must hear them, by themselves and in feeds: the order of the elements, and
// which are always there.
#include "broker/doors/http/atom/entity_xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/doors/http/atom/feed.h"
#include "broker/doors/http/atom/given_description.h"
#include "tests/http/atom/lines.h"

namespace wharf::atom {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Site kSite{.origin = "https://h:8443", .api_version = "2017-04"};

QueueSnapshot Entity(EntityKind kind, const std::string& name) {
  QueueSnapshot entity;
  entity.record.id = EntityId(1);
  entity.record.kind = kind;
  entity.record.description.name = name;
  entity.record.created_at = Timestamp(std::chrono::seconds(1577934245));
  entity.record.updated_at = entity.record.created_at + std::chrono::seconds(1);
  entity.main.accessed_at = entity.record.created_at + std::chrono::milliseconds(2500);
  return entity;
}

QueueSnapshot FullQueue() {
  QueueSnapshot queue = Entity(EntityKind::kQueue, "a/Orders");
  QueueDescription& description = queue.record.description;
  description.forward_dead_lettered_messages_to = "dead";
  description.user_metadata = "a & b";
  queue.main.fresh = 3;
  queue.main.locked = 1;
  queue.main.scheduled = 5;
  queue.dead_letter.returned = 2;
  queue.bytes = 4096;
  queue.access_rules = {{.path = "a/Orders",
                         .name = "all",
                         .rights = access::Right::kManage,
                         .created_at = queue.record.created_at,
                         .keys = AccessRuleInfo::Keys{"p+=", "s"}}};
  return queue;
}

TEST(EntityXmlTest, AQueueIsWrittenInThisOrder) {  // ATM-3, RTP-1 to RTP-10, RTP-5
  EXPECT_EQ(Lines(EntityEntry(FullQueue(), kSite)), R"(<entry xmlns="http://www.w3.org/2005/Atom">
<id>https://h:8443/a/Orders?api-version=2017-04</id>
<title type="text">a/Orders</title>
<published>2020-01-02T03:04:05Z</published>
<updated>2020-01-02T03:04:06Z</updated>
<author>
<name>wharf</name></author>
<link rel="self" href="https://h:8443/a/Orders?api-version=2017-04"/>
<content type="application/xml">
<QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
<LockDuration>PT1M</LockDuration>
<MaxSizeInMegabytes>1024</MaxSizeInMegabytes>
<RequiresDuplicateDetection>false</RequiresDuplicateDetection>
<RequiresSession>false</RequiresSession>
<DefaultMessageTimeToLive>P10675199DT2H48M5.4775807S</DefaultMessageTimeToLive>
<DeadLetteringOnMessageExpiration>false</DeadLetteringOnMessageExpiration>
<DuplicateDetectionHistoryTimeWindow>PT10M</DuplicateDetectionHistoryTimeWindow>
<MaxDeliveryCount>10</MaxDeliveryCount>
<EnableBatchedOperations>true</EnableBatchedOperations>
<SizeInBytes>4096</SizeInBytes>
<MessageCount>11</MessageCount>
<IsAnonymousAccessible>false</IsAnonymousAccessible>
<AuthorizationRules>
<AuthorizationRule i:type="SharedAccessAuthorizationRule">
<ClaimType>SharedAccessKey</ClaimType>
<ClaimValue>None</ClaimValue>
<Rights>
<AccessRights>Manage</AccessRights>
<AccessRights>Send</AccessRights>
<AccessRights>Listen</AccessRights></Rights>
<CreatedTime>2020-01-02T03:04:05Z</CreatedTime>
<ModifiedTime>2020-01-02T03:04:05Z</ModifiedTime>
<KeyName>all</KeyName>
<PrimaryKey>p+=</PrimaryKey>
<SecondaryKey>s</SecondaryKey></AuthorizationRule></AuthorizationRules>
<Status>Active</Status>
<UserMetadata>a &amp; b</UserMetadata>
<CreatedAt>2020-01-02T03:04:05Z</CreatedAt>
<UpdatedAt>2020-01-02T03:04:06Z</UpdatedAt>
<AccessedAt>2020-01-02T03:04:07.5Z</AccessedAt>
<SupportOrdering>true</SupportOrdering>
<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">
<d2p1:ActiveMessageCount>4</d2p1:ActiveMessageCount>
<d2p1:DeadLetterMessageCount>2</d2p1:DeadLetterMessageCount>
<d2p1:ScheduledMessageCount>5</d2p1:ScheduledMessageCount>
<d2p1:TransferMessageCount>0</d2p1:TransferMessageCount>
<d2p1:TransferDeadLetterMessageCount>0</d2p1:TransferDeadLetterMessageCount></CountDetails>
<AutoDeleteOnIdle>P10675199DT2H48M5.4775807S</AutoDeleteOnIdle>
<EnablePartitioning>false</EnablePartitioning>
<EntityAvailabilityStatus>Available</EntityAvailabilityStatus>
<ForwardDeadLetteredMessagesTo>sb://h:8443/dead</ForwardDeadLetteredMessagesTo>
<EnableExpress>false</EnableExpress>
<MaxMessageSizeInKilobytes>1024</MaxMessageSizeInKilobytes></QueueDescription></content></entry>
)");
}

TEST(EntityXmlTest, ATopicIsWrittenInThisOrder) {
  QueueSnapshot topic = Entity(EntityKind::kTopic, "News");
  topic.subscriptions = 2;
  topic.main.scheduled = 1;
  const std::string written = Lines(EntityEntry(topic, kSite));

  EXPECT_THAT(written, HasSubstr(R"(
<DefaultMessageTimeToLive>P10675199DT2H48M5.4775807S</DefaultMessageTimeToLive>
<MaxSizeInMegabytes>1024</MaxSizeInMegabytes>
<RequiresDuplicateDetection>false</RequiresDuplicateDetection>
<DuplicateDetectionHistoryTimeWindow>PT10M</DuplicateDetectionHistoryTimeWindow>
<EnableBatchedOperations>true</EnableBatchedOperations>
<SizeInBytes>0</SizeInBytes>
<FilteringMessagesBeforePublishing>false</FilteringMessagesBeforePublishing>
<IsAnonymousAccessible>false</IsAnonymousAccessible>
<Status>Active</Status>
<CreatedAt>2020-01-02T03:04:05Z</CreatedAt>
<UpdatedAt>2020-01-02T03:04:06Z</UpdatedAt>
<AccessedAt>2020-01-02T03:04:07.5Z</AccessedAt>
<SupportOrdering>true</SupportOrdering>
<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">
<d2p1:ActiveMessageCount>0</d2p1:ActiveMessageCount>
<d2p1:DeadLetterMessageCount>0</d2p1:DeadLetterMessageCount>
<d2p1:ScheduledMessageCount>1</d2p1:ScheduledMessageCount>
<d2p1:TransferMessageCount>0</d2p1:TransferMessageCount>
<d2p1:TransferDeadLetterMessageCount>0</d2p1:TransferDeadLetterMessageCount></CountDetails>
<SubscriptionCount>2</SubscriptionCount>
<AutoDeleteOnIdle>P10675199DT2H48M5.4775807S</AutoDeleteOnIdle>
<EnablePartitioning>false</EnablePartitioning>
<EntityAvailabilityStatus>Available</EntityAvailabilityStatus>
<EnableSubscriptionPartitioning>false</EnableSubscriptionPartitioning>
<EnableExpress>false</EnableExpress>
<MaxMessageSizeInKilobytes>1024</MaxMessageSizeInKilobytes></TopicDescription>)"));
}

TEST(EntityXmlTest, ASubscriptionIsWrittenInThisOrder) {
  QueueSnapshot subscription = Entity(EntityKind::kSubscription, "a/News/Subscriptions/Me");
  subscription.record.description.forward_to = "a/Orders";
  subscription.record.description.status = EntityStatus::kReceiveDisabled;
  subscription.main.fresh = 3;
  subscription.dead_letter.fresh = 1;
  const std::string written = Lines(EntityEntry(subscription, kSite));

  EXPECT_THAT(written, HasSubstr("<id>https://h:8443/a/News/Subscriptions/Me?api-version=2017-04"));
  EXPECT_THAT(written, HasSubstr("<title type=\"text\">Me</title>"));
  EXPECT_THAT(written, HasSubstr(R"(
<LockDuration>PT1M</LockDuration>
<RequiresSession>false</RequiresSession>
<DefaultMessageTimeToLive>P10675199DT2H48M5.4775807S</DefaultMessageTimeToLive>
<DeadLetteringOnMessageExpiration>false</DeadLetteringOnMessageExpiration>
<DeadLetteringOnFilterEvaluationExceptions>true</DeadLetteringOnFilterEvaluationExceptions>
<MessageCount>4</MessageCount>
<MaxDeliveryCount>10</MaxDeliveryCount>
<EnableBatchedOperations>true</EnableBatchedOperations>
<Status>ReceiveDisabled</Status>
<ForwardTo>sb://h:8443/a/Orders</ForwardTo>
<CreatedAt>2020-01-02T03:04:05Z</CreatedAt>
<UpdatedAt>2020-01-02T03:04:06Z</UpdatedAt>
<AccessedAt>2020-01-02T03:04:07.5Z</AccessedAt>
<CountDetails xmlns:d2p1="http://schemas.microsoft.com/netservices/2011/06/servicebus">
<d2p1:ActiveMessageCount>0</d2p1:ActiveMessageCount>
<d2p1:DeadLetterMessageCount>1</d2p1:DeadLetterMessageCount>
<d2p1:ScheduledMessageCount>0</d2p1:ScheduledMessageCount>
<d2p1:TransferMessageCount>3</d2p1:TransferMessageCount>
<d2p1:TransferDeadLetterMessageCount>0</d2p1:TransferDeadLetterMessageCount></CountDetails>
<AutoDeleteOnIdle>P10675199DT2H48M5.4775807S</AutoDeleteOnIdle>
<EntityAvailabilityStatus>Available</EntityAvailabilityStatus></SubscriptionDescription>)"));
}

TEST(EntityXmlTest, WhatIsNotKnownComesLast) {  // EPR-24
  for (const EntityKind kind :
       {EntityKind::kQueue, EntityKind::kTopic, EntityKind::kSubscription}) {
    QueueSnapshot entity = Entity(kind, "e");
    entity.record.description.unknown_elements = "<New a=\"b\">1</New><x:A xmlns:x=\"urn:x\"/>";
    EXPECT_THAT(EntityEntry(entity, kSite),
                HasSubstr("<New a=\"b\">1</New><x:A xmlns:x=\"urn:x\"/></" +
                          std::string(ElementOf(kind)) + ">"));
  }
}

// Whatever we write we know, or it would be kept from the first client on that gives it back.
TEST(EntityXmlTest, NothingThatWeWriteIsUnknown) {
  for (const EntityKind kind :
       {EntityKind::kQueue, EntityKind::kTopic, EntityKind::kSubscription}) {
    QueueSnapshot entity = FullQueue();
    entity.record.kind = kind;
    entity.record.description.forward_to = "other";
    const auto content = ContentOf(EntityEntry(entity, kSite));
    ASSERT_TRUE(content.ok());
    const auto given = DescriptionFromXml(kind, *content);
    ASSERT_TRUE(given.ok()) << given.status().message();
    EXPECT_EQ(given->description.unknown_elements, "");
  }
}

// A client that gives back what it read changes nothing.
TEST(EntityXmlTest, WhatIsReadCanBeGivenBack) {
  QueueSnapshot queue = FullQueue();
  QueueDescription& description = queue.record.description;
  description.lock_duration = std::chrono::minutes(10);
  description.default_message_time_to_live = std::chrono::milliseconds(1500);
  description.requires_session = true;
  description.status = EntityStatus::kDisabled;
  description.retry_policy = RetryPolicy{.base = std::chrono::seconds(1)};
  description.unknown_elements = "<New xmlns:x=\"urn:x\" x:a=\"&amp;&#10;\"> 1<x:B/>2</New><C/>";

  const auto content = ContentOf(EntityEntry(queue, kSite));
  ASSERT_TRUE(content.ok());
  const auto given = DescriptionFromXml(EntityKind::kQueue, *content);
  ASSERT_TRUE(given.ok()) << given.status().message();

  EXPECT_EQ(*UpdatedTo(description, *given), description);
  EXPECT_EQ(given->access_rules->at(0).primary_key, "p+=");
  EXPECT_EQ(given->access_rules->at(0).rights, access::Rights(access::Right::kManage));
}

TEST(EntityXmlTest, AnEtagIsThatOfADescription) {
  const QueueSnapshot queue = FullQueue();
  QueueSnapshot other = queue;
  other.main.fresh = 9;
  EXPECT_EQ(EtagOf(queue.record), EtagOf(other.record)) << "messages come and go";
  other.record.description.max_delivery_count = 3;
  EXPECT_NE(EtagOf(queue.record), EtagOf(other.record));
  other = queue;
  other.record.description.unknown_elements = "<New/>";
  EXPECT_NE(EtagOf(queue.record), EtagOf(other.record));
  other = queue;
  other.record.updated_at += std::chrono::microseconds(1);
  EXPECT_NE(EtagOf(queue.record), EtagOf(other.record)) << "by what cannot be seen here";
  other = queue;
  other.record.id = EntityId(2);
  EXPECT_NE(EtagOf(queue.record), EtagOf(other.record)) << "it was made anew";
  EXPECT_THAT(EtagOf(queue.record), ::testing::MatchesRegex("\"[0-9a-f-]{36}\""));
}

QueuePage Page(std::size_t count, bool has_more) {
  QueuePage page{.queues = {}, .has_more = has_more};
  for (std::size_t i = 0; i < count; ++i) {
    page.queues.push_back(Entity(EntityKind::kQueue, "q" + std::to_string(i)));
  }
  return page;
}

// Clients count the links: a second one is the next page.
TEST(FeedTest, HasTwoLinksWhereThereIsANextPage) {  // ATM-5
  const std::string feed = Lines(EntityFeed({"$Resources/queues", 200, 2}, Page(2, true), kSite));

  EXPECT_THAT(feed, ::testing::StartsWith(R"(<feed xmlns="http://www.w3.org/2005/Atom">
<title type="text">queues</title>
<id>https://h:8443/$Resources/queues/?api-version=2017-04</id>
<updated>2020-01-02T03:04:06Z</updated>
<link rel="self" href="https://h:8443/$Resources/queues?api-version=2017-04&amp;%24skip=200&amp;%24top=2"/>
<link rel="next" href="https://h:8443/$Resources/queues?api-version=2017-04&amp;%24skip=202&amp;%24top=2"/>
<entry>
<id>https://h:8443/q0?api-version=2017-04</id>)"));
  EXPECT_THAT(Lines(EntityFeed({"$Resources/queues", 0, 9}, Page(0, false), kSite)),
              R"(<feed xmlns="http://www.w3.org/2005/Atom">
<title type="text">queues</title>
<id>https://h:8443/$Resources/queues/?api-version=2017-04</id>
<updated>1970-01-01T00:00:00Z</updated>
<link rel="self" href="https://h:8443/$Resources/queues?api-version=2017-04&amp;%24skip=0&amp;%24top=9"/></feed>
)");
}

TEST(FeedTest, OfRulesGoesOnBehindThoseThatItHas) {
  RulePage page{.rules = {{.name = "a"}, {.name = "b"}}, .has_more = true};
  const std::string feed =
      RuleFeed({"t/Subscriptions/s/rules", 5, 100}, "t/Subscriptions/s", page, kSite);

  EXPECT_THAT(feed, HasSubstr("%24skip=7&amp;%24top=100"));
  EXPECT_THAT(feed, HasSubstr("<id>https://h:8443/t/Subscriptions/s/rules/?api-version="));
  EXPECT_THAT(feed, HasSubstr("<id>https://h:8443/t/Subscriptions/s/Rules/b?api-version="));
  EXPECT_THAT(RuleFeed({"x", 0, 1}, "t/Subscriptions/s", {}, kSite), Not(HasSubstr("next")));
}

TEST(NamespaceTest, IsWrittenInThisOrder) {  // ATM-6
  EXPECT_THAT(Lines(NamespaceEntry(Timestamp(std::chrono::seconds(1577934245)), kSite)),
              HasSubstr(R"(
<NamespaceInfo xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
<CreatedTime>2020-01-02T03:04:05Z</CreatedTime>
<MessagingSKU>Premium</MessagingSKU>
<MessagingUnits>1</MessagingUnits>
<ModifiedTime>2020-01-02T03:04:05Z</ModifiedTime>
<Name>h</Name>
<NamespaceType>Messaging</NamespaceType></NamespaceInfo>)"));
}

}  // namespace
}  // namespace wharf::atom
