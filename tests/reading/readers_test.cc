// What runs on which threads.

#include "broker/reading/readers.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"
#include "tests/harness/held_executor.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class ReadersTest : public ::testing::Test {
 protected:
  MemoryStore store_;
  HeldExecutor awaited_;
  HeldExecutor background_;
  const Readers readers_{store_, {awaited_, background_}};
};

TEST_F(ReadersTest, WhatSomebodyWaitsForDoesNotStandBehindTheOthers) {
  std::vector<std::string> read;
  readers_.Read(Urgency::kBackground, [&](const StoreView&) { read.emplace_back("lazy"); });
  readers_.Read(Urgency::kAwaited, [&](const StoreView&) { read.emplace_back("awaited"); });

  EXPECT_THAT(background_.works, SizeIs(1));
  awaited_.RunOne();
  EXPECT_THAT(read, ElementsAre("awaited"));
  background_.RunOne();
  EXPECT_THAT(read, ElementsAre("awaited", "lazy"));
}

TEST_F(ReadersTest, NobodySeesWhatWasCountedOut) {
  const Shelf shelf(EntityId(7), LaneKind::kMain);
  const Span span{SequenceNumber(1), SequenceNumber(2), Timestamp(), {}};
  const std::string covered = MessageKey(shelf, SequenceNumber(2));
  WriteBatch batch;
  batch.Put(IdOf(Table::kMessages), covered, "a message");
  batch.Put(IdOf(Table::kSpans), SpanKey(shelf, span.first), EncodeSpan(span));
  ASSERT_TRUE(store_.Apply(batch).ok());
  const auto expect_hidden = [&](const StoreView& view) {
    EXPECT_FALSE(view.Get(IdOf(Table::kMessages), covered)->has_value());
  };

  expect_hidden(*readers_.View());
  for (const Urgency urgency : {Urgency::kAwaited, Urgency::kBackground}) {
    readers_.Read(urgency, expect_hidden);
  }
  awaited_.RunOne();
  background_.RunOne();
}

// Time is counted by whole microseconds, and a read of memory is over in less.
void LastAMicrosecond() {
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(1)) continue;
}

// Also what is read below the view, where spans hide nothing.
TEST_F(ReadersTest, RowsAreCountedByWhetherSomebodyWaits) {
  WriteBatch batch;
  for (const char* key : {"a", "b", "c"}) batch.Put(IdOf(Table::kMeta), key, "row");
  ASSERT_TRUE(store_.Apply(batch).ok());
  const auto rows = [this](Urgency urgency) { return readers_.counts(urgency).rows; };
  readers_.Read(Urgency::kAwaited, [](const StoreView& view) {
    const auto cursor = view.Scan(IdOf(Table::kMeta), {"a", "c"});
    while (cursor->valid()) cursor->Next();
    EXPECT_TRUE(view.Get(IdOf(Table::kMeta), "c")->has_value());
    EXPECT_FALSE(view.Get(IdOf(Table::kMeta), "d")->has_value());
    LastAMicrosecond();
  });
  readers_.Read(Urgency::kBackground, [](const StoreView& view) {
    EXPECT_TRUE(SpanView::RowsBelow(view).Get(IdOf(Table::kMeta), "a")->has_value());
  });
  EXPECT_EQ(rows(Urgency::kAwaited), 0U);

  awaited_.RunOne();
  EXPECT_EQ(rows(Urgency::kAwaited), 3U);
  EXPECT_EQ(rows(Urgency::kBackground), 0U);
  background_.RunOne();

  EXPECT_EQ(rows(Urgency::kAwaited), 3U);
  EXPECT_EQ(rows(Urgency::kBackground), 1U);
  EXPECT_EQ(readers_.counts(Urgency::kAwaited).reads, 1U);
  EXPECT_GT(readers_.counts(Urgency::kAwaited).time, Duration(0));
}

}  // namespace
}  // namespace wharf
