// What a view shows when messages of it were counted out.

#include "broker/schema/span_view.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"
#include "tests/harness/recording_store.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Numbers = std::vector<std::uint64_t>;

const Shelf kShelf(EntityId(7), LaneKind::kMain, 5);

std::vector<SequenceNumber> ToNumbers(const Numbers& values) {
  std::vector<SequenceNumber> numbers;
  for (const std::uint64_t value : values) numbers.emplace_back(value);
  return numbers;
}

Span SpanOf(std::uint64_t first, std::uint64_t last, const Numbers& exceptions = {}) {
  return {SequenceNumber(first), SequenceNumber(last), Timestamp(), ToNumbers(exceptions)};
}

TEST(ShelfSpansTest, TheFirstShownIsBehindWhatIsCovered) {
  const ShelfSpans spans({SpanOf(10, 20, {12, 13, 20}), SpanOf(21, 22), SpanOf(30, 30)});
  const auto shown = [&](std::uint64_t from) {
    return spans.FirstShown(SequenceNumber(from)).value();
  };

  EXPECT_EQ(shown(1), 1U);
  EXPECT_EQ(shown(10), 12U);
  EXPECT_EQ(shown(12), 12U);
  EXPECT_EQ(shown(13), 13U);
  EXPECT_EQ(shown(14), 20U);
  EXPECT_EQ(shown(21), 23U);
  EXPECT_EQ(shown(29), 29U);
  EXPECT_EQ(shown(30), 31U);
  EXPECT_EQ(shown(31), 31U);
}

TEST(ShelfSpansTest, NeighboursAreStillTwoSpans) {
  const ShelfSpans spans({SpanOf(10, 20), SpanOf(21, 30)});

  EXPECT_EQ(spans.FirstShown(SequenceNumber(15)), SequenceNumber(31));
  EXPECT_TRUE(spans.Covers(SequenceNumber(21)));
  EXPECT_FALSE(spans.Covers(SequenceNumber(31)));
}

class SpanViewTest : public ::testing::Test {
 protected:
  void Put(Table table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(IdOf(table), key, value);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  // Rows of messages whose values nobody looks at.
  void PutMessages(const Shelf& shelf, std::uint64_t first, std::uint64_t last) {
    for (; first <= last; ++first)
      Put(Table::kMessages, MessageKey(shelf, SequenceNumber(first)), "");
  }
  void PutOrder(std::string_view track, const Numbers& numbers) {
    for (const std::uint64_t number : numbers) {
      Put(Table::kOrder, OrderKey(kShelf, track, SequenceNumber(number)), "");
    }
  }
  void PutSpan(const Shelf& shelf, const Span& span) {
    Put(Table::kSpans, SpanKey(shelf, span.first), EncodeSpan(span));
  }

  static Numbers NumbersOf(StoreCursor& rows) {
    Numbers numbers;
    for (; rows.valid(); rows.Next()) {
      const std::string_view key = rows.key();
      const auto ordered = MessageOfOrderKey(key);
      numbers.push_back((ordered ? ordered->number : *NumberOfMessageKey(key)).value());
    }
    EXPECT_TRUE(rows.status().ok()) << rows.status().ToString();
    return numbers;
  }
  static Numbers Messages(const StoreView& view, const KeyRange& range) {
    return NumbersOf(*view.Scan(IdOf(Table::kMessages), range));
  }
  static Numbers Messages(const StoreView& view, const Shelf& shelf = kShelf) {
    return Messages(view, MessageRange(shelf, SequenceNumber()));
  }
  static Numbers Order(const StoreView& view, const KeyRange& range) {
    return NumbersOf(*view.Scan(IdOf(Table::kOrder), range));
  }
  static bool Has(const StoreView& view, const Shelf& shelf, std::uint64_t number) {
    return view.Get(IdOf(Table::kMessages), MessageKey(shelf, SequenceNumber(number)))->has_value();
  }
  SpanView View() const { return SpanView(store_.View()); }

  MemoryStore store_{BrokerTables()};
};

TEST_F(SpanViewTest, WhatIsCoveredIsNotThere) {
  PutMessages(kShelf, 1, 12);
  PutSpan(kShelf, SpanOf(3, 9, {5, 6}));
  const SpanView view = View();

  EXPECT_THAT(Messages(view), ElementsAre(1, 2, 5, 6, 10, 11, 12));
  EXPECT_FALSE(Has(view, kShelf, 3));
  EXPECT_FALSE(Has(view, kShelf, 9));
  EXPECT_TRUE(Has(view, kShelf, 2));
  EXPECT_TRUE(Has(view, kShelf, 5));
  EXPECT_TRUE(Has(view, kShelf, 10));
}

TEST_F(SpanViewTest, ARangeMayBeginAndEndUnderASpan) {
  PutMessages(kShelf, 1, 12);
  PutSpan(kShelf, SpanOf(3, 9, {5}));
  const SpanView view = View();
  const auto between = [&](std::uint64_t from, std::uint64_t until) {
    return Messages(view, MessageRange(kShelf, SequenceNumber(from), SequenceNumber(until)));
  };

  EXPECT_THAT(between(4, 11), ElementsAre(5, 10));
  EXPECT_THAT(between(6, 9), IsEmpty());
  EXPECT_THAT(between(1, 4), ElementsAre(1, 2));
  EXPECT_THAT(between(10, 12), ElementsAre(10, 11));
}

TEST_F(SpanViewTest, OtherShelvesHaveSpansOfTheirOwn) {
  const Shelf later(kShelf.entity, kShelf.kind, 6);
  const Shelf dead(kShelf.entity, LaneKind::kDeadLetter, 5);
  const Shelf neighbour(EntityId(8), LaneKind::kMain, 5);
  for (const Shelf& shelf : {kShelf, later, dead, neighbour}) PutMessages(shelf, 1, 3);
  PutSpan(kShelf, SpanOf(1, 2));
  PutSpan(neighbour, SpanOf(3, 3));
  const SpanView view = View();

  EXPECT_THAT(Messages(view), ElementsAre(3));
  EXPECT_THAT(Messages(view, later), ElementsAre(1, 2, 3));
  EXPECT_THAT(Messages(view, dead), ElementsAre(1, 2, 3));
  EXPECT_THAT(Messages(view, neighbour), ElementsAre(1, 2));
  EXPECT_THAT(Messages(view, EntityRange(kShelf.entity)), ElementsAre(3, 1, 2, 3, 1, 2, 3));
}

// In `order` the messages of a track stand together, and numbers run across tracks.
TEST_F(SpanViewTest, AnOrderIsJudgedByItsNumbers) {  // PRI-1
  PutOrder("\x01", {1, 4, 5, 9});
  PutOrder("\x02", {2, 3, 6, 8});
  PutSpan(kShelf, SpanOf(3, 8, {5}));
  const SpanView view = View();

  EXPECT_THAT(Order(view, OrderRange(kShelf, std::nullopt)), ElementsAre(1, 5, 9, 2));
  EXPECT_THAT(Order(view, OrderRange(kShelf, "\x01", SequenceNumber(4))), ElementsAre(5, 9));
  EXPECT_THAT(Order(view, OrderRange(kShelf, "\x02", SequenceNumber(3))), IsEmpty());
  const auto hidden = view.Get(IdOf(Table::kOrder), OrderKey(kShelf, "\x02", SequenceNumber(6)));
  EXPECT_FALSE(hidden->has_value());
}

TEST_F(SpanViewTest, ASeekEndsBehindWhatIsCovered) {
  PutMessages(kShelf, 1, 12);
  PutSpan(kShelf, SpanOf(3, 9, {5}));
  const SpanView view = View();
  const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(kShelf, SequenceNumber()));
  const auto seek = [&](std::uint64_t number) {
    rows->Seek(MessageKey(kShelf, SequenceNumber(number)));
    return NumberOfMessageKey(rows->key())->value();
  };

  EXPECT_EQ(seek(6), 10U);
  EXPECT_EQ(seek(3), 5U);
  EXPECT_EQ(seek(2), 2U);
  rows->Seek(ShelfRange(kShelf).begin);
  EXPECT_EQ(NumberOfMessageKey(rows->key()), SequenceNumber(1));
}

// In a view either the span is not there and all rows are, or it is.
TEST_F(SpanViewTest, AViewHasTheSpansOfItsOwnInstant) {
  PutMessages(kShelf, 1, 3);
  const SpanView before = View();
  PutSpan(kShelf, SpanOf(1, 3));

  EXPECT_THAT(Messages(before), ElementsAre(1, 2, 3));
  EXPECT_THAT(Messages(View()), IsEmpty());
}

TEST_F(SpanViewTest, NeitherSpansNorWhatLiesBelowAreReadAgainAndAgain) {
  PutMessages(kShelf, 1, 1000);
  PutSpan(kShelf, SpanOf(2, 999, {500}));
  const RecordingStore recording(store_);
  const SpanView view(recording.View());

  EXPECT_THAT(Messages(view), ElementsAre(1, 500, 1000));
  EXPECT_THAT(Messages(view), ElementsAre(1, 500, 1000));
  EXPECT_EQ(recording.reads_of(IdOf(Table::kSpans)), 1U);
  EXPECT_LE(recording.reads_of(IdOf(Table::kMessages)), 6U);
}

// More than is kept.
TEST_F(SpanViewTest, AWalkOverAllShelvesHoldsNotAllTheirSpans) {
  constexpr std::uint64_t kShelves = 200;
  Numbers exceptions;
  for (std::uint64_t number = 2; number < 1000; ++number) exceptions.push_back(number);
  for (std::uint64_t entity = 0; entity < kShelves; ++entity) {
    PutMessages({EntityId(entity), LaneKind::kMain}, 1, 2);
    PutSpan({EntityId(entity), LaneKind::kMain}, SpanOf(1, 1000, exceptions));
  }
  const SpanView view = View();

  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t entity = 0; entity < kShelves; ++entity) {
      EXPECT_THAT(Messages(view, {EntityId(entity), LaneKind::kMain}), ElementsAre(2));
    }
  }
}

TEST_F(SpanViewTest, WhereSpansCannotBeReadNothingOfTheShelfCan) {
  const Shelf other(EntityId(8), LaneKind::kMain);
  PutMessages(kShelf, 1, 3);
  PutMessages(other, 1, 3);
  const auto expect_nothing = [&](const std::string& sentence) {
    const SpanView view = View();
    const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(kShelf, SequenceNumber()));
    const auto row = view.Get(IdOf(Table::kMessages), MessageKey(kShelf, SequenceNumber(1)));
    EXPECT_FALSE(rows->valid());
    for (const Status& status : {rows->status(), row.status()}) {
      EXPECT_EQ(status.message(), sentence);
      EXPECT_FALSE(status.is_damage());  // Nobody is to give up messages for it.
    }
    EXPECT_THAT(Messages(view, other), ElementsAre(1, 2, 3));
  };

  Put(Table::kSpans, SpanKey(kShelf, SequenceNumber(1)), "damaged");
  expect_nothing("the row of a span cannot be read");
  PutSpan(kShelf, SpanOf(1, 3));
  PutSpan(kShelf, SpanOf(3, 4));
  expect_nothing("two spans cover the same messages");
}

// A view of which rows of some messages cannot be read.
class BrokenView final : public StoreView {
 public:
  BrokenView(std::unique_ptr<StoreView> rows, std::set<std::string> broken)
      : rows_(std::move(rows)), broken_(std::move(broken)) {}

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    const bool is_broken = table == IdOf(Table::kMessages) && broken_.contains(std::string(key));
    if (is_broken) return Status::Damage("broken");
    return rows_->Get(table, key);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    std::unique_ptr<StoreCursor> rows = rows_->Scan(table, range);
    if (table != IdOf(Table::kMessages)) return rows;
    return std::make_unique<Cursor>(std::move(rows), broken_);
  }

 private:
  class Cursor final : public StoreCursor {
   public:
    Cursor(std::unique_ptr<StoreCursor> rows, const std::set<std::string>& broken)
        : rows_(std::move(rows)), broken_(broken) {}
    bool valid() const override { return rows_->valid() && !is_broken(); }
    void Next() override { rows_->Next(); }
    void Seek(std::string_view key) override { rows_->Seek(key); }
    std::string_view key() const override { return rows_->key(); }
    std::string_view value() const override { return rows_->value(); }
    Status status() const override {
      return rows_->valid() && is_broken() ? Status::Damage("broken") : rows_->status();
    }

   private:
    bool is_broken() const { return broken_.contains(std::string(rows_->key())); }

    const std::unique_ptr<StoreCursor> rows_;
    const std::set<std::string>& broken_;
  };

  const std::unique_ptr<StoreView> rows_;
  const std::set<std::string> broken_;
};

class BrokenSpanViewTest : public SpanViewTest {
 protected:
  SpanView ViewWithout(const Numbers& broken) {
    std::set<std::string> keys;
    for (const std::uint64_t number : broken) {
      keys.insert(MessageKey(kShelf, SequenceNumber(number)));
    }
    return SpanView(std::make_unique<BrokenView>(store_.View(), std::move(keys)));
  }
};

TEST_F(BrokenSpanViewTest, DamageBelowASpanIsNotMet) {
  PutMessages(kShelf, 1, 12);
  PutSpan(kShelf, SpanOf(3, 9, {6}));
  const SpanView view = ViewWithout({3, 4, 5, 7, 8, 9});

  EXPECT_THAT(Messages(view), ElementsAre(1, 2, 6, 10, 11, 12));
  EXPECT_FALSE(Has(view, kShelf, 4));
}

TEST_F(BrokenSpanViewTest, DamageBeforeASpanEndsWhereItBegins) {
  PutMessages(kShelf, 1, 12);
  PutSpan(kShelf, SpanOf(4, 9));
  const SpanView view = ViewWithout({3, 4, 5});
  const auto rows = view.Scan(IdOf(Table::kMessages), MessageRange(kShelf, SequenceNumber(3)));
  const auto key_of = [](SequenceNumber number) { return MessageKey(kShelf, number); };

  ASSERT_TRUE(HasMetDamage(*rows));
  EXPECT_EQ(PassDamage(*rows, key_of, SequenceNumber(3), kNumberEnd), SequenceNumber(4));
  EXPECT_THAT(NumbersOf(*rows), ElementsAre(10, 11, 12));
}

}  // namespace
}  // namespace wharf
