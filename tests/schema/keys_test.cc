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

std::vector<LaneId> AllLanes() {
  std::vector<LaneId> lanes;
  for (const std::uint64_t entity : kNumbers) {
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      lanes.push_back({EntityId(entity), kind});
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
  for (const std::uint64_t entity : kNumbers) {
    for (const std::uint64_t number : kNumbers) {
      for (const std::uint32_t chunk : {0U, 1U, 255U, 256U, ~0U}) {
        keys.push_back(BodyKey({EntityId(entity), SequenceNumber(number), 1}, chunk));
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
  for (const std::uint64_t entity : kNumbers) {
    const KeyRange range = EntityRange(EntityId(entity));
    for (const LaneId lane : AllLanes()) {
      const bool is_own = lane.entity == EntityId(entity);
      EXPECT_EQ(Contains(range, CountersKey(lane)), is_own);
      EXPECT_EQ(Contains(range, MessageKey(lane, SequenceNumber(~0ULL))), is_own);
      EXPECT_EQ(Contains(range, DeliveryKey(lane, Standing::kReturned, SequenceNumber(1))), is_own);
    }
  }
}

TEST(KeysTest, CountersNameTheirLane) {
  for (const LaneId lane : AllLanes()) EXPECT_EQ(LaneOfCountersKey(CountersKey(lane)), lane);
}

TEST(KeysTest, JobsSortByKindAndId) {
  const KeyRange range = JobRange(JobKind::kReclaimEntity);
  for (const std::uint64_t id : kNumbers) {
    const std::string key = JobKey(JobKind::kReclaimEntity, id);
    EXPECT_TRUE(Contains(range, key));
    EXPECT_EQ(IdOfJobKey(key), id);
  }
}

TEST(KeysTest, LooseBodiesAreJobsThatNameTheirBody) {
  const KeyRange range = JobRange(JobKind::kLooseBody);
  for (const std::uint64_t entity : kNumbers) {
    for (const std::uint64_t number : kNumbers) {
      const BodyRef body{EntityId(entity), SequenceNumber(number), 0};
      const std::string key = LooseBodyKey(body);
      EXPECT_TRUE(Contains(range, key));
      EXPECT_FALSE(Contains(JobRange(JobKind::kReclaimEntity), key));
      EXPECT_EQ(BodyOfLooseBodyKey(key), body);
    }
  }
  EXPECT_EQ(BodyOfLooseBodyKey(JobKey(JobKind::kLooseBody, 1)), std::nullopt);
}

TEST(KeysTest, WhatIsNoKeyIsToldApart) {
  const LaneId lane{EntityId(1), LaneKind::kMain};
  const std::string message = MessageKey(lane, SequenceNumber(1));
  const std::string delivery = DeliveryKey(lane, Standing::kLocked, SequenceNumber(1));

  EXPECT_EQ(NumberOfMessageKey(delivery), std::nullopt);
  EXPECT_EQ(NumberOfDeliveryKey(message), std::nullopt);
  EXPECT_EQ(NumberOfMessageKey(""), std::nullopt);
  EXPECT_EQ(LaneOfCountersKey(message), std::nullopt);
  EXPECT_EQ(LaneOfCountersKey(std::string(11, '\x09')), std::nullopt);
  EXPECT_EQ(IdOfJobKey(message), std::nullopt);
}

TEST(KeysTest, OpenTransactionsStandApartFromThoseThatEnded) {
  EXPECT_EQ(TransactionOfKey(OutcomeKey("tx", true)), "tx");
  EXPECT_EQ(TransactionOfKey(OutcomeKey("tx", false)), "tx");
  EXPECT_EQ(TransactionOfKey("\x03tx"), std::nullopt);
  EXPECT_EQ(TransactionOfKey("\x01"), std::nullopt);

  const KeyRange open = OpenTransactionRange();
  EXPECT_LE(open.begin, OutcomeKey("!", true));
  EXPECT_LT(OutcomeKey(std::string(128, '~'), true), open.end);
  EXPECT_LE(open.end, OutcomeKey("!", false));
}

}  // namespace
}  // namespace wharf
