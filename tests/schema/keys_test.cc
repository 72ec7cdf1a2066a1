#include "broker/schema/keys.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

// Numbers around which a wrong encoding goes wrong.
constexpr std::uint64_t kNumbers[] = {0,
                                      1,
                                      127,
                                      128,
                                      255,
                                      256,
                                      65535,
                                      65536,
                                      1 << 24,
                                      1ULL << 32,
                                      (1ULL << 48) - 1,
                                      1ULL << 48,
                                      1ULL << 63,
                                      ~0ULL - 1};

constexpr Bucket kSomeBuckets[] = {0, 1, 127, 128, 254, 255};

// In the order of their rows: buckets first.
std::vector<EntityId> SomeEntities() {
  std::vector<EntityId> entities;
  for (const Bucket bucket : kSomeBuckets) {
    for (const std::uint64_t number : kNumbers) {
      if (number < std::uint64_t{1} << 48) entities.emplace_back(bucket, number);
    }
  }
  return entities;
}

std::vector<LaneId> AllLanes() {
  std::vector<LaneId> lanes;
  for (const EntityId entity : SomeEntities()) {
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      lanes.push_back({entity, kind});
    }
  }
  return lanes;
}

bool Contains(const KeyRange& range, const std::string& key) {
  return range.begin <= key && key < range.end;
}

TEST(KeysTest, MessagesSortByEntityLaneAndNumber) {
  std::vector<std::string> keys;
  for (const LaneId lane : AllLanes()) {
    for (const std::uint64_t number : kNumbers) {
      keys.push_back(MessageKey(lane, SequenceNumber(number)));
      EXPECT_EQ(NumberOfMessageKey(keys.back()), SequenceNumber(number));
    }
  }

  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(KeysTest, DeliveriesSortByEntityLaneStateAndNumber) {
  std::vector<std::string> keys;
  for (const LaneId lane : AllLanes()) {
    for (const Standing state : {Standing::kLocked, Standing::kReturned}) {
      for (const std::uint64_t number : kNumbers) {
        keys.push_back(DeliveryKey(lane, state, SequenceNumber(number)));
        EXPECT_EQ(NumberOfDeliveryKey(keys.back()), SequenceNumber(number));
      }
    }
  }

  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(KeysTest, BodiesSortByBirthAndChunk) {
  std::vector<std::string> keys;
  for (const EntityId entity : SomeEntities()) {
    for (const std::uint64_t number : kNumbers) {
      for (const std::uint32_t chunk : {0U, 1U, 255U, 256U, ~0U}) {
        keys.push_back(BodyKey({entity, SequenceNumber(number), 1}, chunk));
      }
    }
  }

  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST(KeysTest, ARangeOfMessagesHoldsItsLaneAlone) {
  for (const LaneId lane : AllLanes()) {
    const KeyRange all = MessageRange(lane, SequenceNumber());
    for (const LaneId other : AllLanes()) {
      for (const std::uint64_t number : kNumbers) {
        EXPECT_EQ(Contains(all, MessageKey(other, SequenceNumber(number))), other == lane);
      }
    }
  }
}

TEST(KeysTest, ARangeOfMessagesBeginsAndEndsWhereItSays) {
  const LaneId lane{EntityId(1), LaneKind::kMain};
  const KeyRange range = MessageRange(lane, SequenceNumber(10), SequenceNumber(20));

  EXPECT_FALSE(Contains(range, MessageKey(lane, SequenceNumber(9))));
  EXPECT_TRUE(Contains(range, MessageKey(lane, SequenceNumber(10))));
  EXPECT_TRUE(Contains(range, MessageKey(lane, SequenceNumber(19))));
  EXPECT_FALSE(Contains(range, MessageKey(lane, SequenceNumber(20))));
}

TEST(KeysTest, ARangeOfDeliveriesHoldsItsStateAlone) {
  for (const LaneId lane : AllLanes()) {
    const KeyRange locked = DeliveryRange(lane, Standing::kLocked, SequenceNumber());
    for (const LaneId other : AllLanes()) {
      for (const std::uint64_t number : kNumbers) {
        const SequenceNumber at(number);
        EXPECT_EQ(Contains(locked, DeliveryKey(other, Standing::kLocked, at)), other == lane);
        EXPECT_FALSE(Contains(locked, DeliveryKey(other, Standing::kReturned, at)));
      }
    }
  }
}

TEST(KeysTest, ARangeOfABodyHoldsItsChunksAlone) {
  const BodyRef body{EntityId(1), SequenceNumber(255), 1};
  const KeyRange range = BodyRange(body);

  for (const std::uint32_t chunk : {0U, 1U, ~0U}) {
    EXPECT_TRUE(Contains(range, BodyKey(body, chunk)));
    EXPECT_FALSE(Contains(range, BodyKey({EntityId(1), SequenceNumber(254), 1}, chunk)));
    EXPECT_FALSE(Contains(range, BodyKey({EntityId(1), SequenceNumber(256), 1}, chunk)));
    EXPECT_FALSE(Contains(range, BodyKey({EntityId(2), SequenceNumber(255), 1}, chunk)));
  }
}

TEST(KeysTest, ARangeOfAnEntityHoldsAllItsRowsAndNoOthers) {
  for (const EntityId entity : SomeEntities()) {
    const KeyRange range = EntityRange(entity);
    for (const LaneId lane : AllLanes()) {
      const bool is_own = lane.entity == entity;
      EXPECT_EQ(Contains(range, CountersKey(lane)), is_own);
      EXPECT_EQ(Contains(range, MessageKey(lane, SequenceNumber(~0ULL))), is_own);
      EXPECT_EQ(Contains(range, DeliveryKey(lane, Standing::kReturned, SequenceNumber(1))), is_own);
    }
  }
}

TEST(KeysTest, CountersNameTheirLane) {
  for (const LaneId lane : AllLanes()) EXPECT_EQ(LaneOfCountersKey(CountersKey(lane)), lane);
}

// Keys that begin with the bucket, and then are in another order than that of entities.
template <typename KeyOf>
void ExpectBucketFirst(KeyOf key_of) {
  for (const EntityId one : SomeEntities()) {
    for (const EntityId other : SomeEntities()) {
      if (one.bucket() >= other.bucket()) continue;
      EXPECT_LT(key_of(one), key_of(other));
    }
  }
}

TEST(KeysTest, WhatIsReclaimedStandsInItsBucketAndIsNamed) {
  for (const JobKind kind :
       {JobKind::kReclaimEntity, JobKind::kReclaimScheduled, JobKind::kFence}) {
    ExpectBucketFirst([kind](EntityId entity) { return ReclaimKey(kind, entity); });
    for (const EntityId entity : SomeEntities()) {
      const std::string key = ReclaimKey(kind, entity);
      EXPECT_EQ(KindOfJobKey(key), kind);
      EXPECT_EQ(EntityOfReclaimKey(key), entity);
    }
  }
  for (const LaneId lane : AllLanes()) {
    const Shelf shelf(lane.entity, lane.kind, 63);
    const std::string key = ReclaimShelfKey(shelf);
    EXPECT_EQ(KindOfJobKey(key), JobKind::kReclaimShelf);
    EXPECT_EQ(ShelfOfReclaimKey(key), shelf);
    for (const EntityId entity : SomeEntities()) {
      EXPECT_EQ(Contains(ReclaimShelfRange(entity), key), entity == lane.entity);
    }
    EXPECT_FALSE(
        Contains(ReclaimShelfRange(lane.entity), ReclaimKey(JobKind::kReclaimEntity, lane.entity)));
  }
}

TEST(KeysTest, JobsStandInTheirBucketAndAreNamed) {
  std::vector<std::string> keys;
  for (const Bucket bucket : kSomeBuckets) {
    for (const std::uint64_t id : kNumbers) {
      keys.push_back(JobKey(bucket, JobId(id)));
      EXPECT_EQ(KindOfJobKey(keys.back()), JobKind::kJob);
      EXPECT_EQ(IdOfJobKey(keys.back()), JobId(id));
    }
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST(KeysTest, LooseAndReleasedBodiesAreJobsThatNameTheirBody) {
  for (const EntityId entity : SomeEntities()) {
    for (const std::uint64_t number : kNumbers) {
      const BodyRef body{entity, SequenceNumber(number), 0};
      const BodyRef shared{entity, SequenceNumber(number), 0, 7};
      EXPECT_EQ(KindOfJobKey(LooseBodyKey(body)), JobKind::kLooseBody);
      EXPECT_EQ(BodyOfLooseBodyKey(LooseBodyKey(body)), body);
      EXPECT_EQ(BodyOfLooseBodyKey(LooseBodyKey(shared)), shared);
      EXPECT_EQ(KindOfJobKey(ReleasedBodyKey(body)), JobKind::kReleasedBody);
      EXPECT_EQ(BodyOfReleasedBodyKey(ReleasedBodyKey(shared)), body);
    }
  }
  ExpectBucketFirst([](EntityId entity) { return LooseBodyKey({entity, SequenceNumber(1), 0}); });
  EXPECT_EQ(BodyOfLooseBodyKey(ReclaimKey(JobKind::kLooseBody, EntityId(1))), std::nullopt);
}

TEST(KeysTest, ReleasedBodiesOfABucketStandTogether) {
  const auto is_in = [](const KeyRange& range, const std::string& key) {
    return range.begin <= key && key < range.end;
  };
  const BodyRef first{EntityId(3, 1), SequenceNumber(1), 0};
  const BodyRef second{EntityId(3, 1), SequenceNumber(2), 0};
  const KeyRange all = ReleasedBodyRange(3, std::nullopt);
  const KeyRange behind_first = ReleasedBodyRange(3, first);
  EXPECT_TRUE(is_in(all, ReleasedBodyKey(first)));
  EXPECT_FALSE(is_in(all, ReleasedBodyKey({EntityId(4, 1), SequenceNumber(1), 0})));
  EXPECT_FALSE(is_in(all, LooseBodyKey(first)));
  EXPECT_FALSE(is_in(behind_first, ReleasedBodyKey(first)));
  EXPECT_TRUE(is_in(behind_first, ReleasedBodyKey(second)));
}

// The time is first within a bucket, and the bucket before the time.
TEST(KeysTest, HintsSortByBucketAndThenByTime) {
  constexpr std::int64_t kTimes[] = {-1, 0, 1, 255, 256, std::int64_t{1} << 62};
  std::vector<std::string> keys;
  for (const Bucket bucket : kSomeBuckets) {
    for (const std::int64_t time : kTimes) {
      for (const DueKind kind :
           {DueKind::kExpire, DueKind::kActivate, DueKind::kEndDelay, DueKind::kExpireShared}) {
        for (const std::uint64_t number : {1, 2, 255}) {
          for (const std::uint8_t generation : {0, 1, 63}) {
            for (const LaneKind lane : {LaneKind::kMain, LaneKind::kDeadLetter}) {
              const Shelf shelf(EntityId(bucket, number), lane, generation);
              const DueHint hint{Timestamp(Duration(time)), kind, shelf,
                                 SequenceNumber(300 - number)};
              keys.push_back(DueKey(hint));
              EXPECT_EQ(HintOfDueKey(keys.back()), hint);
            }
          }
        }
      }
    }
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(KeysTest, AHintOfAKindOfANewerVersionIsDamaged) {
  for (const int kind : {0, 5}) {
    const DueHint hint{Timestamp(), static_cast<DueKind>(kind), {}, {}};
    EXPECT_EQ(HintOfDueKey(DueKey(hint)), std::nullopt) << kind;
  }
}

TEST(KeysTest, ARangeOfHintsHoldsItsBucketAlone) {
  const DueHint from{Timestamp(Duration(10)), DueKind{}, {}, {}};
  for (const Bucket bucket : kSomeBuckets) {
    const KeyRange range = DueRange(bucket, from, Timestamp(Duration(20)));
    for (const Bucket other : kSomeBuckets) {
      const auto key_at = [other](std::int64_t time) {
        const Shelf shelf(EntityId(other, 1), LaneKind::kMain);
        return DueKey({Timestamp(Duration(time)), DueKind::kExpire, shelf, SequenceNumber(1)});
      };
      EXPECT_FALSE(Contains(range, key_at(9)));
      EXPECT_EQ(Contains(range, key_at(10)), bucket == other);
      EXPECT_EQ(Contains(range, key_at(19)), bucket == other);
      EXPECT_FALSE(Contains(range, key_at(20)));
    }
  }
}

TEST(KeysTest, NamesOfBucketsStandApartFromThoseOfTheFolder) {
  for (const Bucket bucket : kSomeBuckets) {
    const std::string key = BucketMetaKey(bucket, "due-handled-until");
    EXPECT_TRUE(Contains(BucketMetaRange(), key));
    EXPECT_EQ(NameOfBucketMetaKey(key)->bucket, bucket);
    EXPECT_EQ(NameOfBucketMetaKey(key)->name, "due-handled-until");
  }
  EXPECT_FALSE(Contains(BucketMetaRange(), "format"));
  EXPECT_FALSE(NameOfBucketMetaKey("format"));
  EXPECT_FALSE(NameOfBucketMetaKey(BucketMetaKey(1, "")));
}

// What says twice in which bucket it is, and not the same, is damaged.
TEST(KeysTest, ARowInAnotherBucketThanItsEntityIsNoRow) {
  const EntityId entity(Bucket{7}, 1);
  const Shelf shelf(entity, LaneKind::kMain);
  const auto moved = [](std::string key) {
    key[0] = 8;
    return key;
  };
  EXPECT_FALSE(
      HintOfDueKey(moved(DueKey({Timestamp(), DueKind::kExpire, shelf, SequenceNumber(1)}))));
  EXPECT_FALSE(EntityOfReclaimKey(moved(ReclaimKey(JobKind::kReclaimEntity, entity))));
  EXPECT_FALSE(ShelfOfReclaimKey(moved(ReclaimShelfKey(shelf))));
  EXPECT_FALSE(BodyOfLooseBodyKey(moved(LooseBodyKey({entity, SequenceNumber(1), 1}))));
  EXPECT_FALSE(BodyOfReleasedBodyKey(moved(ReleasedBodyKey({entity, SequenceNumber(1), 1}))));
  EXPECT_FALSE(TransactionOfKey(moved(OutcomeKey("foobar", true))));
  EXPECT_FALSE(LaneOfCountersKey("\x01" + CountersKey(shelf.lane()).substr(1)));
}

TEST(KeysTest, WhatIsNoKeyIsToldApart) {
  const LaneId lane{EntityId(1), LaneKind::kMain};
  const std::string message = MessageKey(lane, SequenceNumber(1));
  const std::string delivery = DeliveryKey(lane, Standing::kLocked, SequenceNumber(1));

  EXPECT_EQ(NumberOfMessageKey(delivery), std::nullopt);
  EXPECT_EQ(NumberOfDeliveryKey(message), std::nullopt);
  EXPECT_EQ(NumberOfMessageKey(""), std::nullopt);
  EXPECT_EQ(LaneOfCountersKey(message), std::nullopt);
  EXPECT_EQ(LaneOfCountersKey(std::string(9, '\x09')), std::nullopt);
  EXPECT_EQ(IdOfJobKey(message), std::nullopt);
  EXPECT_EQ(KindOfJobKey("\x01"), std::nullopt);
  EXPECT_EQ(KindOfJobKey(std::string("\x01\x00", 2)), std::nullopt);
  EXPECT_EQ(KindOfJobKey("\x01\x08"), std::nullopt);
}

TEST(KeysTest, OpenTransactionsStandApartFromThoseThatEnded) {
  EXPECT_EQ(TransactionOfKey(OutcomeKey("tx", true)), "tx");
  EXPECT_EQ(TransactionOfKey(OutcomeKey("tx", false)), "tx");
  const std::string bucket = OutcomeKey("tx", true).substr(0, 1);
  EXPECT_EQ(TransactionOfKey(bucket + "\x03tx"), std::nullopt);
  EXPECT_EQ(TransactionOfKey("\xE1\x01"), std::nullopt);  // The bucket of an empty id.

  std::size_t found = 0;
  for (std::size_t each = 0; each < kBuckets; ++each) {
    const KeyRange open = OpenTransactionRange(static_cast<Bucket>(each));
    for (const TransactionId& id : {TransactionId("!"), TransactionId(128, '~')}) {
      found += Contains(open, OutcomeKey(id, true));
      EXPECT_FALSE(Contains(open, OutcomeKey(id, false)));
    }
  }
  EXPECT_EQ(found, 2U);
}

}  // namespace
}  // namespace wharf
