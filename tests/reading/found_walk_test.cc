#include "broker/reading/found_walk.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr LaneId kLane{EntityId(1), LaneKind::kMain};
constexpr LaneId kNeighbour{EntityId(2), LaneKind::kMain};

// Counts the walks of each table that are begun.
class CountingView final : public StoreView {
 public:
  explicit CountingView(const StoreView& view) : view_(view) {}
  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    ++looks[table];
    return view_.Get(table, key);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    ++walks[table];
    return view_.Scan(table, range);
  }
  mutable std::map<TableId, int> looks;
  mutable std::map<TableId, int> walks;

 private:
  const StoreView& view_;
};

class FoundWalkTest : public ::testing::Test {
 protected:
  void Put(Table table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(IdOf(table), key, value);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  void PutMessages(std::uint64_t first, std::uint64_t last, const LaneId& lane = kLane) {
    for (std::uint64_t number = first; number <= last; ++number) {
      Put(Table::kMessages, MessageKey(lane, SequenceNumber(number)),
          EncodeMessage(StoredMessage()));
    }
  }
  void PutReturned(std::uint64_t number) {
    Put(Table::kDelivery, DeliveryKey(kLane, Standing::kReturned, SequenceNumber(number)),
        EncodeReturned({3, {}}, {}));
  }
  void Damage(std::uint64_t number) {
    Put(Table::kMessages, MessageKey(kLane, SequenceNumber(number)), "\xff");
  }

  // All from `from` up to but not `until`.
  std::vector<FoundMessage> Walk(const StoreView& view, std::uint64_t from, std::uint64_t until) {
    FoundWalk walk(view, kLane, SequenceNumber(from), SequenceNumber(until));
    std::vector<FoundMessage> all;
    for (;;) {
      Result<std::optional<FoundMessage>> found = walk.Next();
      EXPECT_TRUE(found.ok()) << found.status().message();
      if (!found.ok() || !*found) return all;
      all.push_back(**std::move(found));
    }
  }
  std::vector<FoundMessage> Walk(std::uint64_t from, std::uint64_t until) {
    return Walk(*store_.View(), from, until);
  }

  static std::vector<std::uint64_t> NumbersOf(const std::vector<FoundMessage>& all) {
    std::vector<std::uint64_t> numbers;
    for (const FoundMessage& found : all) numbers.push_back(found.message->number.value());
    return numbers;
  }

  MemoryStore store_;
};

TEST_F(FoundWalkTest, MessagesComeInTheOrderOfTheirNumbersWithHowTheyStand) {
  PutMessages(4, 8);
  PutMessages(1, 9, kNeighbour);
  PutReturned(6);

  const std::vector<FoundMessage> all = Walk(5, 8);

  EXPECT_THAT(NumbersOf(all), ElementsAre(5, 6, 7));
  EXPECT_EQ(all[0].standing, Standing::kFresh);
  EXPECT_EQ(all[1].standing, Standing::kReturned);
  EXPECT_EQ(all[1].delivery.count, 3);
  EXPECT_EQ(all[2].standing, Standing::kFresh);
}

TEST_F(FoundWalkTest, ARangeWithoutMessagesHasNone) {
  PutMessages(1, 3);

  EXPECT_THAT(Walk(4, 9), IsEmpty());
  EXPECT_THAT(Walk(2, 2), IsEmpty());
}

// However many there are: what costs is how often a table is entered, and each row.
TEST_F(FoundWalkTest, EachTableIsEnteredOnce) {
  PutMessages(1, 1000);
  for (std::uint64_t number = 1; number <= 1000; number += 100) PutReturned(number);
  const auto view = store_.View();
  const CountingView counting(*view);

  EXPECT_EQ(Walk(counting, 1, 2000).size(), 1000U);

  EXPECT_EQ(counting.walks[IdOf(Table::kMessages)], 1);
  EXPECT_EQ(counting.walks[IdOf(Table::kDelivery)], static_cast<int>(std::size(kStandingsInRows)));
  EXPECT_THAT(counting.looks, IsEmpty());
}

TEST_F(FoundWalkTest, WhatCannotBeReadIsToldAndTheOthersComeBehindIt) {
  PutMessages(1, 200);
  Damage(50);
  Damage(120);
  PutReturned(150);

  const std::vector<FoundMessage> all = Walk(1, 201);

  ASSERT_EQ(all.size(), 200U);
  for (std::uint64_t number = 1; number <= 200; ++number) {
    const FoundMessage& found = all[number - 1];
    EXPECT_EQ(found.message->number, SequenceNumber(number));
    EXPECT_EQ(found.is_readable(), number != 50 && number != 120) << number;
    EXPECT_EQ(found.standing == Standing::kReturned, number == 150) << number;
  }
}

TEST_F(FoundWalkTest, TheFirstAndTheLastMayBeThoseThatCannotBeRead) {
  PutMessages(1, 3);
  Damage(1);
  Damage(3);

  const std::vector<FoundMessage> all = Walk(1, 4);

  EXPECT_THAT(NumbersOf(all), ElementsAre(1, 2, 3));
  EXPECT_FALSE(all[0].is_readable());
  EXPECT_TRUE(all[1].is_readable());
  EXPECT_FALSE(all[2].is_readable());
}

// A row of `delivery` that cannot be read harms its message only.
TEST_F(FoundWalkTest, HowOneStandsMayBeWhatCannotBeRead) {
  PutMessages(1, 3);
  Put(Table::kDelivery, DeliveryKey(kLane, Standing::kLocked, SequenceNumber(2)), "\xff");

  const std::vector<FoundMessage> all = Walk(1, 4);

  EXPECT_THAT(NumbersOf(all), ElementsAre(1, 2, 3));
  EXPECT_TRUE(all[0].is_readable());
  EXPECT_FALSE(all[1].is_readable());
  EXPECT_TRUE(all[2].is_readable());
}

}  // namespace
}  // namespace wharf
