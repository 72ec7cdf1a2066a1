// What is told of a batch that was applied: the time goes to what drops garbage, freed ranges to
// what gives their space back.

#include "broker/reading/upkeep.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Timestamp kNow{std::chrono::hours(24 * 365 * 50)};

class UpkeepTest : public ::testing::Test {
 protected:
  bool IsForgotten(Timestamp forget_after) {
    return garbage_.IsForgotten(EncodeDuplicate({SequenceNumber(1), forget_after}));
  }

  std::vector<std::string> freed_;
  ViewLedger views_;
  Garbage garbage_{views_};
  Upkeep upkeep_{garbage_, [this](const std::vector<TableRange>& ranges) {
                   for (const TableRange& each : ranges) freed_.push_back(each.range.begin);
                 }};
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

TEST_F(UpkeepTest, WhatWasFreedIsNoted) {
  upkeep_.OnApplied({.time = kNow, .freed = {}});
  EXPECT_THAT(freed_, IsEmpty());

  upkeep_.OnApplied({.time = {}, .freed = {{TableId(1), {"a", "b"}}, {TableId(2), {"c", "d"}}}});
  EXPECT_THAT(freed_, ElementsAre("a", "c"));
}

}  // namespace
}  // namespace wharf
