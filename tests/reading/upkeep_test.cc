// What is told of a batch that was applied: the time goes to what drops garbage, space to the
// thread for compactions.

#include "broker/reading/upkeep.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"
#include "tests/harness/held_executor.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Timestamp kNow{std::chrono::hours(24 * 365 * 50)};

// Remembers which space was given back.
class GivingStore final : public Store {
 public:
  std::unique_ptr<StoreView> View() const override { return store_.View(); }
  Status GiveBackSpace(TableId, const KeyRange& range) const override {
    given_back.push_back(range.begin);
    if (range.begin == "damaged") return {ErrorCode::kGeneralError, "a block is damaged"};
    return {};
  }
  mutable std::vector<std::string> given_back;

 private:
  MemoryStore store_;
};

class UpkeepTest : public ::testing::Test {
 protected:
  bool IsForgotten(Timestamp forget_after) {
    return garbage_.IsForgotten(EncodeDuplicate({SequenceNumber(1), forget_after}));
  }

  GivingStore store_;
  HeldExecutor compactions_;
  ViewLedger views_;
  Garbage garbage_{views_};
  Upkeep upkeep_{garbage_, store_, compactions_};
};

TEST_F(UpkeepTest, TheTimeOfWhatIsAppliedDecidesWhatIsGarbage) {  // DUP-5
  EXPECT_FALSE(IsForgotten(kNow));

  upkeep_.OnApplied({.time = kNow, .freed = {}});
  EXPECT_TRUE(IsForgotten(kNow));
  EXPECT_FALSE(IsForgotten(kNow + seconds(1)));

  // A batch that says no time leaves it as it was.
  upkeep_.OnApplied({});
  EXPECT_TRUE(IsForgotten(kNow));
}

// Of a span that ends, before its shelf may be used again; of a new one, when it is committed.
TEST_F(UpkeepTest, WhatIsWrittenToSpansDecidesWhatIsGarbage) {
  const std::string key = SpanKey({EntityId(7), LaneKind::kMain}, SequenceNumber(1));
  const TableRange row{IdOf(Table::kSpans), {key, key + '\0'}};
  const std::string span = EncodeSpan({SequenceNumber(1), SequenceNumber(9), kNow, {}});
  const auto is_garbage = [&] {
    garbage_.Refresh();
    return garbage_.StretchAt(key).span != nullptr;
  };

  upkeep_.OnApplying({.time = {}, .watched = {{row, span}}});
  EXPECT_FALSE(is_garbage());
  upkeep_.OnApplied({.time = {}, .watched = {{row, span}}});
  EXPECT_TRUE(is_garbage());
  upkeep_.OnApplying({.time = {}, .watched = {{row, std::nullopt}}});
  EXPECT_FALSE(is_garbage());
}

TEST_F(UpkeepTest, SpaceIsGivenBackOnTheThreadForCompactions) {
  upkeep_.OnApplied({.time = kNow, .freed = {}});
  EXPECT_THAT(compactions_.works, SizeIs(0));

  upkeep_.OnApplied({.time = {}, .freed = {{TableId(1), {"a", "b"}}}});
  ASSERT_THAT(compactions_.works, SizeIs(1));
  EXPECT_THAT(store_.given_back, IsEmpty());
  compactions_.RunOne();
  EXPECT_THAT(store_.given_back, ElementsAre("a"));
}

TEST_F(UpkeepTest, SpaceThatCannotBeGivenBackHoldsUpNoOther) {
  upkeep_.OnApplied(
      {.time = {}, .freed = {{TableId(1), {"damaged", ""}}, {TableId(1), {"whole", ""}}}});
  compactions_.RunOne();
  EXPECT_THAT(store_.given_back, ElementsAre("damaged", "whole"));
}

}  // namespace
}  // namespace wharf
