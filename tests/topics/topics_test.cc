#include "broker/topics/topics.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr Timestamp kNow{std::chrono::hours(1)};

class TopicsTest : public ::testing::Test {
 protected:
  TopicsTest() {
    Queue* topic = *catalog_.Create(EntityKind::kTopic, {.name = "orders"}, kNow, changes_);
    topics_.AddTopic(*topic);
    topic_ = topic;
  }

  Queue* Subscribe(const std::string& name) {
    const std::string path = SubscriptionPath("orders", name);
    Rule rule = *topics_.CheckFirstRule(path, std::nullopt, kNow);
    Queue* queue = *catalog_.Create(EntityKind::kSubscription, {.name = path}, kNow, changes_);
    topics_.AddSubscription(*queue, std::move(rule), changes_);
    return queue;
  }
  Changes Publish(std::size_t body_bytes) {
    Changes changes;
    KnownIds known;
    Message message;
    message.body = std::string(body_bytes, 'b');
    EXPECT_TRUE(topic_->sending().Send({message}, true, known, kNow, changes).ok());
    return changes;
  }
  template <typename T>
  static std::vector<T> Of(const Changes& changes) {
    std::vector<T> found;
    for (const Change& change : changes) {
      if (const auto* one = std::get_if<T>(&change)) found.push_back(*one);
    }
    return found;
  }

  BrokerLimits limits_{.subscriptions_max = 3};
  SeededRandom random_{1};
  Catalog catalog_{{}, limits_, random_};
  Topics topics_{catalog_, RuleLimits(), random_};
  Changes changes_;
  Queue* topic_ = nullptr;
};

TEST_F(TopicsTest, ABodyIsSharedByAllCopies) {  // TOP-8
  Subscribe("a");
  Subscribe("b");
  const Changes changes = Publish(1000);
  const auto published = Of<MessagePublished>(changes);
  const auto copies = Of<MessageCopied>(changes);

  ASSERT_EQ(published.size(), 1U);
  ASSERT_TRUE(published[0].body);
  EXPECT_FALSE(published[0].body->is_shared());
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0].message->facts.body_ref->number, published[0].body->number);
  EXPECT_TRUE(copies[0].message->facts.body_ref->is_shared());
  EXPECT_NE(copies[0].message->facts.body_ref->handle, copies[1].message->facts.body_ref->handle);
}

// The rest is read when it is wanted.
TEST_F(TopicsTest, ALongBodyIsInTheMemoryOfFewCopies) {  // TOP-8
  for (const char* name : {"a", "b", "c"}) Subscribe(name);
  std::size_t in_memory = 0;
  for (const MessageCopied& copy : Of<MessageCopied>(Publish(100 * 1024))) {
    EXPECT_EQ(copy.message->facts.body_ref->size, 100U * 1024);
    in_memory += copy.message->message.body.size();
  }

  EXPECT_EQ(in_memory, 200U * 1024);
}

// Of every subscription, whatever happens there (TOP-4).
TEST_F(TopicsTest, TheBytesOfATopicAreThoseOfItsCopies) {
  Queue* a = Subscribe("a");
  Queue* b = Subscribe("b");
  Publish(1000);
  EXPECT_EQ(topic_->quota().bytes(), a->quota().bytes() + b->quota().bytes());
  EXPECT_EQ(a->quota().bytes(), 1000);

  a->lane(LaneKind::kMain).Purge(1, changes_);
  EXPECT_EQ(topic_->quota().bytes(), b->quota().bytes());

  Subscribe("c");
  Publish(1000);
  const std::int64_t before = topic_->quota().bytes();
  const std::int64_t of_b = b->quota().bytes();
  const EntityId id = b->record().id;
  ASSERT_TRUE(
      catalog_.Delete(EntityKind::kSubscription, SubscriptionPath("orders", "b"), changes_).ok());
  topics_.Forget({id});
  EXPECT_EQ(topic_->quota().bytes(), before - of_b);
}

TEST_F(TopicsTest, AShortBodyIsInEachCopy) {
  Subscribe("a");
  Subscribe("b");
  const Changes changes = Publish(256);

  EXPECT_FALSE(Of<MessagePublished>(changes)[0].body);
  EXPECT_FALSE(Of<MessageCopied>(changes)[0].message->facts.body_ref);
}

TEST_F(TopicsTest, TheOnlyCopyHasItsBodyForItself) {
  Subscribe("a");

  EXPECT_FALSE(Of<MessageCopied>(Publish(1000))[0].message->facts.body_ref);
  EXPECT_FALSE(Of<MessageCopied>(Publish(5000))[0].message->facts.body_ref->is_shared());
}

TEST_F(TopicsTest, SubscriptionsAreLimited) {  // RUL-14, QUO-8
  for (const char* name : {"a", "b", "c"}) Subscribe(name);
  const auto refused = catalog_.Create(EntityKind::kSubscription,
                                       {.name = SubscriptionPath("orders", "d")}, kNow, changes_);

  EXPECT_EQ(refused.status().code(), ErrorCode::kQuotaExceeded);
}

TEST_F(TopicsTest, ADeletedSubscriptionGetsNothing) {  // EPR-33
  Subscribe("a");
  const Queue* gone = Subscribe("b");
  const EntityId id = gone->record().id;
  ASSERT_TRUE(catalog_.Delete(EntityKind::kSubscription, "orders/Subscriptions/b", changes_).ok());
  topics_.Forget({id});

  EXPECT_EQ(Of<MessageCopied>(Publish(10)).size(), 1U);
}

TEST_F(TopicsTest, ADeletedTopicTakesItsSubscriptionsAlong) {  // EPR-33
  std::vector<EntityId> ids;
  for (const char* name : {"a", "b"}) ids.push_back(Subscribe(name)->record().id);
  const EntityId topic = topic_->record().id;
  const auto deleted = catalog_.Delete(EntityKind::kTopic, "orders", changes_);
  ASSERT_EQ(*deleted, (std::vector<EntityId>{ids[0], ids[1], topic}));
  topics_.Forget(*deleted);

  EXPECT_EQ(topics_.Find(topic), nullptr);
}

TEST_F(TopicsTest, ADamagedRuleIsTold) {
  const Queue* queue = Subscribe("a");
  Topics loaded(catalog_, RuleLimits(), random_);
  const RuleAdded damaged{queue->record().id,
                          RuleDescription{.name = "r", .filter = SqlText{.text = "=="}}};

  EXPECT_EQ(loaded.Load({damaged}).code(), ErrorCode::kGeneralError);
}

// It once was refused as damaged, and with it the start of the broker.
TEST_F(TopicsTest, WhatWasAddedUnderHigherLimitsIsLoaded) {  // RUL-14
  Queue* queue = Subscribe("a");
  std::vector<RuleAdded> stored;
  CorrelationFilter wanted;
  wanted.subject = "red";
  for (const char* name : {"1", "2"}) {
    stored.push_back({queue->record().id, RuleDescription{.name = std::string("sql") + name,
                                                          .filter = SqlText{.text = "1=1"}}});
    stored.push_back({queue->record().id,
                      RuleDescription{.name = std::string("wants") + name, .filter = wanted}});
  }
  Topics loaded(catalog_, {.sql_filters_max = 1, .correlation_filters_max = 1}, random_);

  ASSERT_TRUE(loaded.Load(stored).ok());

  EXPECT_EQ(loaded.TopicOf(*queue)->rules().List(queue->record().id, "", 9).size(), 4U);
  const auto refused =
      loaded.AddRule(*queue, {.name = "sql3", .filter = SqlText{.text = "1=1"}}, kNow, changes_);
  EXPECT_EQ(refused.status().code(), ErrorCode::kQuotaExceeded);
}

TEST_F(TopicsTest, ARuleIsReplacedInOneStep) {  // ATM-2, RUL-12
  Queue* queue = Subscribe("a");
  const EntityId id = queue->record().id;
  ASSERT_TRUE(topics_.AddRule(*queue, {.name = "Red"}, kNow, changes_).ok());
  changes_.clear();

  const RuleDescription wanted{.name = "other", .filter = SqlText{.text = "color = 'red'"}};
  const auto replaced =
      topics_.ReplaceRule(*queue, "RED", wanted, kNow + std::chrono::hours(1), changes_);

  ASSERT_TRUE(replaced.ok());
  EXPECT_EQ(replaced->name, "Red");
  EXPECT_EQ(replaced->created_at, kNow);
  EXPECT_EQ(replaced->filter, wanted.filter);
  EXPECT_EQ(topics_.TopicOf(*queue)->rules().Find(id, "red")->description, *replaced);
  ASSERT_EQ(Of<RuleRemoved>(changes_).size(), 1U);
  ASSERT_EQ(Of<RuleAdded>(changes_).size(), 1U);
  EXPECT_EQ(*Of<RuleAdded>(changes_)[0].rule, *replaced);
}

TEST_F(TopicsTest, ARuleThatCannotBeReplacedStays) {
  Queue* queue = Subscribe("a");
  Topics full(catalog_, {.sql_filters_max = 1}, random_);
  const RuleAdded sql{queue->record().id,
                      RuleDescription{.name = "sql", .filter = SqlText{.text = "1=1"}}};
  CorrelationFilter wanted;
  wanted.subject = "red";
  const RuleAdded red{queue->record().id, RuleDescription{.name = "red", .filter = wanted}};
  ASSERT_TRUE(full.Load({sql, red}).ok());
  const auto replace = [&](const char* name, RuleFilter filter) {
    return full.ReplaceRule(*queue, name, {.filter = std::move(filter)}, kNow, changes_).status();
  };
  changes_.clear();

  EXPECT_EQ(replace("red", SqlText{.text = "2=2"}).code(), ErrorCode::kQuotaExceeded);
  EXPECT_EQ(replace("red", SqlText{.text = "=="}).code(), ErrorCode::kFilterException);
  EXPECT_EQ(replace("none", TrueFilter()).code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(full.TopicOf(*queue)->rules().Find(queue->record().id, "red")->description, *red.rule);
  EXPECT_TRUE(replace("sql", SqlText{.text = "2=2"}).ok());
}

TEST_F(TopicsTest, OnlyWhatAKindHasCanBeAsked) {  // EPR-2, EPR-7, EPR-9, EPR-17, STS-3, STS-4
  const auto refused = [&](EntityKind kind, QueueDescription description) {
    description.name = kind == EntityKind::kTopic ? "other" : "orders/Subscriptions/a";
    return CheckDescription(kind, description).code() == ErrorCode::kArgumentError;
  };
  QueueDescription sessions;
  sessions.requires_session = true;
  QueueDescription duplicates;
  duplicates.requires_duplicate_detection = true;
  QueueDescription filtering;
  filtering.enable_filtering_messages_before_publishing = true;

  EXPECT_TRUE(refused(EntityKind::kTopic, sessions));
  EXPECT_FALSE(refused(EntityKind::kSubscription, sessions));
  EXPECT_TRUE(refused(EntityKind::kSubscription, duplicates));
  EXPECT_FALSE(refused(EntityKind::kTopic, duplicates));
  EXPECT_TRUE(refused(EntityKind::kSubscription, filtering));
  EXPECT_FALSE(refused(EntityKind::kTopic, filtering));
  EXPECT_TRUE(refused(EntityKind::kTopic, {.status = EntityStatus::kReceiveDisabled}));
  EXPECT_TRUE(refused(EntityKind::kSubscription, {.status = EntityStatus::kSendDisabled}));
}

}  // namespace
}  // namespace wharf
