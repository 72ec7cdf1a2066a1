#include "broker/core/entities/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Timestamp kNow{std::chrono::hours(1)};

QueueDescription Named(const std::string& name) {
  QueueDescription queue;
  queue.name = name;
  return queue;
}

class CatalogTest : public ::testing::Test {
 protected:
  Status Create(const std::string& name, EntityKind kind = EntityKind::kQueue) {
    return catalog_.Create(kind, Named(name), kNow, changes_).status();
  }

  const BrokerLimits limits_{.entities_max = 3};
  SeededRandom random_{1};
  Catalog catalog_{{}, limits_, random_};
  Changes changes_;
};

TEST_F(CatalogTest, NamesAreComparedWithoutCaseAndKeepIt) {  // ADR-10, EPR-34
  ASSERT_TRUE(Create("Orders").ok());

  EXPECT_EQ(Create("ORDERS").code(), ErrorCode::kMessagingEntityAlreadyExists);
  EXPECT_EQ((*catalog_.Find("orders"))->description().name, "Orders");
  ASSERT_TRUE(catalog_.Update(EntityKind::kQueue, Named("oRdErS"), kNow, changes_).ok());
  EXPECT_EQ((*catalog_.Find("orders"))->description().name, "Orders");
}

TEST_F(CatalogTest, NoMoreEntitiesThanAllowed) {  // QUO-5
  for (const auto* name : {"a", "b", "c"}) ASSERT_TRUE(Create(name).ok());

  EXPECT_EQ(Create("d").code(), ErrorCode::kQuotaExceeded);

  ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, "a", changes_).ok());
  EXPECT_TRUE(Create("d").ok());
}

TEST_F(CatalogTest, AnIdIsNeverUsedAgain) {
  ASSERT_TRUE(Create("a").ok());
  const EntityId first = (*catalog_.Find("a"))->record().id;
  ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, "A", changes_).ok());
  ASSERT_TRUE(Create("a").ok());

  EXPECT_NE((*catalog_.Find("a"))->record().id, first);
  EXPECT_EQ(catalog_.Find(first), nullptr);
}

// Runs are noted in no watch: what stands between their messages, or is scheduled there, is as it
// was.
TEST_F(CatalogTest, WhatExpiredWithOthersHasChangedSinceItWasFound) {  // TTL-6
  ASSERT_TRUE(Create("orders").ok());
  Lane& lane = (*catalog_.Find("orders"))->lane(LaneKind::kMain);
  MessageRun run;
  for (int i = 0; i < 12; ++i) {
    auto message = std::make_shared<StoredMessage>();
    message->number = lane.TakeNumber(0);
    message->facts.size = 10;
    message->facts.expires_at = kNow;
    lane.Enqueue(message, changes_);
    if (i != 1) run.Extend(message->number, 10, MessageRun::Between::kUnknown);
  }
  const Shelf shelf = lane.shelf();
  const PageWatch page = catalog_.BeginPageWatch();
  const NumberWatch numbers = catalog_.BeginWatch(lane.id(), {run.first, run.last});
  const FoundMessages found = {{run.first, FoundMessage()}, {run.last, std::nullopt}};
  EXPECT_FALSE(catalog_.HasChanged(shelf, run.first, page));
  EXPECT_FALSE(catalog_.HaveChanged(shelf, found, numbers));
  EXPECT_FALSE(catalog_.HaveChanged(shelf, run.AsOf(kNow), page));

  ASSERT_TRUE(lane.ExpireRun(run, kNow, changes_));

  EXPECT_TRUE(catalog_.HasChanged(shelf, run.first, page));
  EXPECT_TRUE(catalog_.HasChanged(shelf, run.last, page));
  EXPECT_FALSE(catalog_.HasChanged(shelf, run.first.Next(), page));
  EXPECT_TRUE(catalog_.HaveChanged(shelf, found, numbers));
  EXPECT_TRUE(catalog_.HaveChanged(shelf, run.AsOf(kNow), page));
  const Span between{run.first.Next(), run.first.Next(), kNow, {}};
  EXPECT_FALSE(catalog_.HaveChanged(shelf, between, page));
  // On a shelf that is gone nothing is as it was.
  EXPECT_TRUE(catalog_.HaveChanged({shelf.entity, shelf.kind, 9}, between, page));
  // What was not found, is not there.
  EXPECT_FALSE(catalog_.HaveChanged(shelf, {{run.last, std::nullopt}}, numbers));
}

TEST_F(CatalogTest, ListsInTheOrderOfNames) {
  for (const auto* name : {"b", "A", "c"}) ASSERT_TRUE(Create(name).ok());

  const auto first = catalog_.List(EntityKind::kQueue, "", 2);
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0]->description().name, "A");
  EXPECT_EQ(first[1]->description().name, "b");
  const auto rest = catalog_.List(EntityKind::kQueue, "b", 2);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0]->description().name, "c");
}

TEST_F(CatalogTest, APageBeginsAtAnyPlace) {  // ATM-5
  const BrokerLimits limits;
  Catalog catalog({}, limits, random_);
  const auto create = [&](const std::string& name, EntityKind kind) {
    return catalog.Create(kind, Named(name), kNow, changes_).ok();
  };
  ASSERT_TRUE(create("t", EntityKind::kTopic));
  for (const auto* name : {"d", "B", "c", "a"}) {
    ASSERT_TRUE(create(name, EntityKind::kQueue));
    ASSERT_TRUE(create("t/Subscriptions/" + std::string(name), EntityKind::kSubscription));
  }
  const auto names = [&catalog](std::string_view after, std::size_t skip) {
    std::string listed;
    for (const Queue* each : catalog.List(EntityKind::kQueue, after, 2, skip)) {
      listed += each->description().name;
    }
    for (const Queue* each : catalog.ListSubscriptions("t", after, 2, skip)) {
      listed += SplitSubscriptionPath(each->description().name).name;
    }
    return listed;
  };

  EXPECT_EQ(names("", 0), "aBaB");
  EXPECT_EQ(names("", 1), "BcBc");
  EXPECT_EQ(names("", 3), "dd");
  EXPECT_EQ(names("", 4), "");
  EXPECT_EQ(names("", 1000), "");
  EXPECT_EQ(names("a", 1), "cdcd");
  EXPECT_EQ(names("d", 1), "");
}

TEST_F(CatalogTest, APageOfTenThousandSubscriptionsBeginsAtAnyPlace) {  // ATM-5
  constexpr int kSubscriptions = 10'000;
  const BrokerLimits limits{.subscriptions_max = kSubscriptions};
  Catalog catalog({}, limits, random_);
  const auto create = [&](const std::string& name, EntityKind kind) {
    return catalog.Create(kind, Named(name), kNow, changes_).ok();
  };
  const auto name = [](int i) {
    std::string digits = std::to_string(i);
    return "T/Subscriptions/S" + digits.insert(0, 5 - digits.size(), '0');
  };
  for (const char* topic : {"T", "s", "u"}) ASSERT_TRUE(create(topic, EntityKind::kTopic));
  ASSERT_TRUE(create("u/Subscriptions/a", EntityKind::kSubscription));
  // 7919 is prime: they come in no order.
  for (int i = 0; i < kSubscriptions; ++i) {
    ASSERT_TRUE(create(name(i * 7919 % kSubscriptions), EntityKind::kSubscription));
  }
  EXPECT_FALSE(create("T/Subscriptions/more", EntityKind::kSubscription));

  for (int skip = 0; skip < kSubscriptions; skip += 99) {
    const auto page = catalog.ListSubscriptions("t", "", 100, skip);
    ASSERT_EQ(page.size(), static_cast<std::size_t>(std::min(100, kSubscriptions - skip)));
    ASSERT_EQ(page.front()->description().name, name(skip));
  }
  EXPECT_THAT(catalog.ListSubscriptions("t", "", 100, kSubscriptions), IsEmpty());
  EXPECT_THAT(catalog.ListSubscriptions("s", "", 100), IsEmpty());
  ASSERT_TRUE(catalog.Delete(EntityKind::kSubscription, "T/subscriptions/s00005", changes_).ok());
  EXPECT_EQ(catalog.ListSubscriptions("t", "", 1, 5)[0]->description().name, name(6));
  ASSERT_TRUE(catalog.Delete(EntityKind::kTopic, "t", changes_).ok());
  EXPECT_THAT(catalog.ListSubscriptions("t", "", 100), IsEmpty());
  EXPECT_EQ(catalog.ListSubscriptions("u", "", 100).size(), 1U);
  ASSERT_TRUE(create("t", EntityKind::kTopic));
  EXPECT_THAT(catalog.ListSubscriptions("t", "", 100), IsEmpty());
}

TEST_F(CatalogTest, ListsOneKindAsIfTheOthersWereNotThere) {
  const auto names = [this](EntityKind kind, std::string_view after) {
    std::vector<std::string> listed;
    for (const Queue* entity : catalog_.List(kind, after, 2)) {
      listed.push_back(entity->description().name);
    }
    return listed;
  };
  for (const auto* name : {"a", "c"}) ASSERT_TRUE(Create(name).ok());
  ASSERT_TRUE(Create("b", EntityKind::kTopic).ok());
  ASSERT_TRUE(Create("b/Subscriptions/x", EntityKind::kSubscription).ok());

  EXPECT_THAT(names(EntityKind::kQueue, ""), ElementsAre("a", "c"));
  EXPECT_THAT(names(EntityKind::kQueue, "b"), ElementsAre("c"));
  EXPECT_THAT(names(EntityKind::kTopic, ""), ElementsAre("b"));
  EXPECT_THAT(names(EntityKind::kTopic, "b"), IsEmpty());

  ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, "c", changes_).ok());
  ASSERT_TRUE(catalog_.Delete(EntityKind::kTopic, "b", changes_).ok());
  EXPECT_THAT(names(EntityKind::kQueue, ""), ElementsAre("a"));
  EXPECT_THAT(names(EntityKind::kTopic, ""), IsEmpty());
}

TEST_F(CatalogTest, WhatIsNotThereIsNotFound) {  // ERR-1
  EXPECT_EQ(catalog_.Find("a").status().code(), ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(catalog_.Update(EntityKind::kQueue, Named("a"), kNow, changes_).status().code(),
            ErrorCode::kMessagingEntityNotFound);
  EXPECT_EQ(catalog_.Delete(EntityKind::kQueue, "a", changes_).status().code(),
            ErrorCode::kMessagingEntityNotFound);
  EXPECT_TRUE(changes_.empty());
}

TEST_F(CatalogTest, ARefusedUpdateChangesNothing) {  // EPR-31
  ASSERT_TRUE(Create("a").ok());
  changes_.clear();
  QueueDescription wanted = Named("a");
  wanted.max_delivery_count = 0;
  QueueDescription fixed = Named("a");
  fixed.enable_express = true;

  EXPECT_FALSE(catalog_.Update(EntityKind::kQueue, wanted, kNow, changes_).ok());
  EXPECT_FALSE(catalog_.Update(EntityKind::kQueue, fixed, kNow, changes_).ok());

  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ((*catalog_.Find("a"))->description(), Named("a"));
}

TEST_F(CatalogTest, AnUpdateReplacesEverythingAndItsTime) {  // EPR-30, RTP-9
  QueueDescription wanted = Named("a");
  wanted.max_delivery_count = 3;
  ASSERT_TRUE(catalog_.Create(EntityKind::kQueue, wanted, kNow, changes_).ok());

  ASSERT_TRUE(
      catalog_.Update(EntityKind::kQueue, Named("a"), kNow + std::chrono::seconds(5), changes_)
          .ok());

  const EntityRecord& record = (*catalog_.Find("a"))->record();
  EXPECT_EQ(record.description.max_delivery_count, 10);
  EXPECT_EQ(record.created_at, kNow);
  EXPECT_EQ(record.updated_at, kNow + std::chrono::seconds(5));
}

}  // namespace
}  // namespace wharf
