#include "broker/requests/directory.h"

#include <gtest/gtest.h>

namespace wharf {
namespace {

EntityRecord Entity(std::uint64_t id, const std::string& name,
                    EntityKind kind = EntityKind::kQueue) {
  EntityRecord record;
  record.id = EntityId(id);
  record.kind = kind;
  record.description.name = name;
  return record;
}

Changes Made(const EntityRecord& record) { return {EntityCreated{record}}; }

// The id and the lane that a path means; 0 for none.
std::pair<std::uint64_t, LaneKind> Meaning(const Directory& directory, const std::string& path) {
  const EntityRef ref = directory.Refer(path);
  EXPECT_EQ(ref.path, path);
  if (!ref.lane) return {0, LaneKind::kMain};
  return {ref.lane->entity.value(), ref.lane->kind};
}

TEST(DirectoryTest, APathMeansTheEntityWhateverItsCase) {
  Directory directory;
  directory.Publish(Made(Entity(7, "Orders/New")));

  EXPECT_EQ(Meaning(directory, "orders/NEW"), std::pair(std::uint64_t{7}, LaneKind::kMain));
  EXPECT_EQ(Meaning(directory, "orders"), std::pair(std::uint64_t{0}, LaneKind::kMain));
}

TEST(DirectoryTest, ADeadLetterQueueIsALaneOfItsEntity) {
  Directory directory;
  directory.Publish(Made(Entity(7, "orders")));

  EXPECT_EQ(Meaning(directory, "orders/$DeadLetterQueue"),
            std::pair(std::uint64_t{7}, LaneKind::kDeadLetter));
}

// DLQ-12: the shard says what is wrong with it.
TEST(DirectoryTest, ATopicHasNoDeadLetterQueue) {
  Directory directory;
  directory.Publish(Made(Entity(7, "news", EntityKind::kTopic)));

  EXPECT_EQ(Meaning(directory, "news").first, 7U);
  EXPECT_EQ(Meaning(directory, "news/$DeadLetterQueue").first, 0U);
}

TEST(DirectoryTest, WhatIsDeletedAndMadeAnewInOneTurnIsTheNewOne) {
  Directory directory;
  directory.Publish(Made(Entity(7, "orders")));

  directory.Publish({EntityDeleted{EntityId(7), "orders"}, EntityCreated{Entity(8, "ORDERS")}});
  EXPECT_EQ(Meaning(directory, "orders").first, 8U);

  directory.Publish({EntityDeleted{EntityId(8), "ORDERS"}});
  EXPECT_EQ(Meaning(directory, "orders").first, 0U);
}

TEST(DirectoryTest, ASubscriptionIsFoundByItsPath) {
  Directory directory;
  directory.Load({{"news", {EntityId(1), EntityKind::kTopic}},
                  {"news/Subscriptions/mine", {EntityId(2), EntityKind::kSubscription}}});

  EXPECT_EQ(Meaning(directory, "News/subscriptions/Mine").first, 2U);
}

}  // namespace
}  // namespace wharf
