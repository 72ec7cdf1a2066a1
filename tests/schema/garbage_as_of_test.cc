#include "broker/schema/garbage_as_of.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

using std::chrono::minutes;

constexpr Timestamp kPosition{std::chrono::hours(1)};

class GarbageAsOfTest : public ::testing::Test {
 protected:
  std::unique_ptr<LeftOutRows> LeftOut() {
    return GarbageAsOf::Make(*store_.View(), kPosition, now_).value();
  }
  static std::string DuplicateUntil(Timestamp forget_after) {
    return EncodeDuplicate({SequenceNumber(1), forget_after, false});
  }
  void CommitUntil(Timestamp time) { now_.OnApplied({.time = time}); }

  static inline const Shelf kShelf{EntityId(7), LaneKind::kMain, 5};

  MemoryStore store_{BrokerTables()};
  ViewLedger views_;
  Garbage now_{views_};
};

// One state may have been compacted by a later commit than the other.
TEST_F(GarbageAsOfTest, WhatIsGarbageByTimeIsLeftOutSomeMinutesEarly) {
  const auto left_out = LeftOut();

  for (const Timestamp until : {kPosition, kPosition + minutes(9)}) {
    EXPECT_TRUE(left_out->IsLeftOut(IdOf(Table::kDuplicates), "id", DuplicateUntil(until)));
  }
  EXPECT_FALSE(
      left_out->IsLeftOut(IdOf(Table::kDuplicates), "id", DuplicateUntil(kPosition + minutes(11))));
  EXPECT_FALSE(left_out->IsLeftOut(IdOf(Table::kCatalog), "id", DuplicateUntil(kPosition)));
}

TEST_F(GarbageAsOfTest, WhatASpanOfThePositionCoversIsLeftOut) {
  WriteBatch batch;
  const Span span{SequenceNumber(2), SequenceNumber(9), kPosition, {SequenceNumber(5)}};
  batch.Put(IdOf(Table::kSpans), SpanKey(kShelf, span.first), EncodeSpan(span));
  ASSERT_TRUE(store_.Apply(batch).ok());

  const auto left_out = LeftOut();

  const auto is_left_out = [&](std::uint64_t number) {
    return left_out->IsLeftOut(IdOf(Table::kMessages), MessageKey(kShelf, SequenceNumber(number)),
                               {});
  };
  EXPECT_TRUE(is_left_out(2));
  EXPECT_TRUE(is_left_out(9));
  EXPECT_FALSE(is_left_out(5));
  EXPECT_FALSE(is_left_out(10));
}

// Compactions that run while the view is read go by what is committed by then.
TEST_F(GarbageAsOfTest, WhoReadsForTooLongSaysSo) {
  const auto left_out = LeftOut();
  CommitUntil(kPosition + minutes(10));
  EXPECT_TRUE(left_out->is_true_yet());

  CommitUntil(kPosition + minutes(10) + std::chrono::microseconds(1));

  EXPECT_FALSE(left_out->is_true_yet());
}

}  // namespace
}  // namespace wharf
