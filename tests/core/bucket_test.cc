// Which bucket a name is in stands on disk: other numbers here are another format.

#include "broker/core/entities/bucket.h"

#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

TEST(BucketTest, TheBucketOfANameNeverChanges) {
  EXPECT_EQ(BucketOfPath(""), 225);  // FNV-1a of nothing is 0xcbf29ce484222325.
  EXPECT_EQ(BucketOfPath("a"), 187);
  EXPECT_EQ(BucketOfPath("foobar"), 96);  // 0x85944171f73967e8.
  EXPECT_EQ(BucketOfPath("orders"), 244);
  EXPECT_EQ(BucketOfPath("bills"), 151);
  EXPECT_EQ(BucketOf(TransactionId("foobar")), 96);
  EXPECT_EQ(BucketOf(TransactionId("FOOBAR")), 155);  // Ids are not folded.
}

TEST(BucketTest, APathHasOneBucketHoweverItIsWritten) {
  EXPECT_EQ(BucketOfPath("Orders"), BucketOfPath("orders"));
  EXPECT_EQ(BucketOfPath("tenant\\Orders"), BucketOfPath("tenant/orders"));
}

TEST(BucketTest, ATopicHasItsSubscriptionsBesideIt) {
  EXPECT_EQ(BucketOfPath("orders/Subscriptions/audit"), BucketOfPath("orders"));
  EXPECT_EQ(BucketOfPath("ORDERS/subscriptions/billing"), BucketOfPath("orders"));
}

// Names that differ in a digit or two are what brokers have many of.
TEST(BucketTest, EnumeratedNamesSpreadOverAllBuckets) {
  std::vector<int> counts(kBuckets);
  constexpr int kNames = 10000;
  for (int i = 0; i < kNames; ++i) ++counts[BucketOfPath("queue-" + std::to_string(i))];
  for (const int count : counts) {
    EXPECT_GT(count, kNames / 256 / 2);
    EXPECT_LT(count, kNames / 256 * 2);
  }
}

TEST(EntityIdTest, AnIdNamesItsBucketAndItsNumber) {
  const EntityId id(Bucket{255}, (std::uint64_t{1} << 48) - 1);
  EXPECT_EQ(id.value(), 0x00FF'FFFF'FFFF'FFFFU);
  EXPECT_EQ(id.bucket(), 255);
  EXPECT_EQ(id.number(), (std::uint64_t{1} << 48) - 1);
  EXPECT_EQ(EntityId(id.value()), id);
}

TEST(EntityIdTest, IdsAreInTheOrderOfTheirCreationAndNotOfBuckets) {
  EXPECT_LT(EntityId(Bucket{200}, 1), EntityId(Bucket{3}, 2));
  EXPECT_LT(EntityId(Bucket{3}, 2), EntityId(Bucket{200}, 3));
  EXPECT_NE(EntityId(Bucket{3}, 2), EntityId(Bucket{4}, 2));
}

}  // namespace
}  // namespace wharf
