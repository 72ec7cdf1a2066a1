#include "broker/schema/garbage.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/messages/message.h"
#include "broker/core/order/partition.h"
#include "broker/schema/garbage_rules.h"
#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/log/ordered_writes.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

using std::chrono::seconds;

constexpr Timestamp kNow{std::chrono::hours(1)};
class GarbageTest : public ::testing::Test {
 protected:
  void Commit(Timestamp time) { garbage_.OnApplied({.time = time}); }

  ViewLedger views_;
  Garbage garbage_{views_};
};

TEST_F(GarbageTest, AMessageIdIsForgottenWhenACommitIsPastItsWindow) {  // DUP-5
  const std::string row = EncodeDuplicate({SequenceNumber(1), kNow, false});

  EXPECT_FALSE(garbage_.IsForgotten(row));
  Commit(kNow - seconds(1));
  EXPECT_FALSE(garbage_.IsForgotten(row));
  Commit(kNow);
  EXPECT_TRUE(garbage_.IsForgotten(row));
}

// The write may fail, and then it is not that late.
TEST_F(GarbageTest, ATimeThatIsNotCommittedYetForgetsNothing) {  // DUP-5
  garbage_.OnApplying({.time = kNow});

  EXPECT_FALSE(garbage_.IsForgotten(EncodeDuplicate({SequenceNumber(1), kNow, false})));
  EXPECT_FALSE(garbage_.IsForgottenOutcome(EncodeTransaction({.id = "tx", .forget_after = kNow})));
}

TEST_F(GarbageTest, AnOutcomeIsForgottenWhenACommitIsPastItsTime) {  // TXX-1
  Commit(kNow);

  EXPECT_TRUE(garbage_.IsForgottenOutcome(EncodeTransaction({.id = "tx", .forget_after = kNow})));
  EXPECT_FALSE(garbage_.IsForgottenOutcome(
      EncodeTransaction({.id = "tx", .forget_after = kNow + seconds(1)})));
  // One that is open is kept until its end is told.
  EXPECT_FALSE(garbage_.IsForgottenOutcome(EncodeTransaction({.id = "tx"})));
}

TEST_F(GarbageTest, WhatCannotBeReadIsKept) {
  Commit(kNow);

  EXPECT_FALSE(garbage_.IsForgotten("damaged"));
  EXPECT_FALSE(garbage_.IsForgottenOutcome("damaged"));
}

// Spans that are written, as the log tells of them.
class SpanGarbageTest : public GarbageTest {
 protected:
  static inline const Shelf kShelf{EntityId(7), LaneKind::kMain, 5};

  static Span SpanOf(std::uint64_t first, std::uint64_t last,
                     std::vector<SequenceNumber> exceptions = {}) {
    return {SequenceNumber(first), SequenceNumber(last), kNow, std::move(exceptions)};
  }
  static void Put(const Span& span, WriteBatch& batch, const Shelf& shelf = kShelf) {
    batch.Put(IdOf(Table::kSpans), SpanKey(shelf, span.first), EncodeSpan(span));
  }
  static void Delete(std::uint64_t first, WriteBatch& batch) {
    batch.Delete(IdOf(Table::kSpans), SpanKey(kShelf, SequenceNumber(first)));
  }
  static void DeleteShelf(const Shelf& shelf, WriteBatch& batch) {
    const KeyRange range = ShelfRange(shelf);
    batch.DeleteRange(IdOf(Table::kSpans), range.begin, range.end);
  }
  static BatchNotes NotesOf(const WriteBatch& batch) {
    OrderedWrites writes;
    EXPECT_TRUE(batch.Visit(BrokerTables(), writes).ok());
    return writes.notes();
  }

  // One commit, before and after it is written.
  void Commit(const WriteBatch& batch) {
    garbage_.OnApplying(NotesOf(batch));
    garbage_.OnApplied(NotesOf(batch));
  }
  void CommitSpan(const Span& span, const Shelf& shelf = kShelf) {
    WriteBatch batch;
    Put(span, batch, shelf);
    Commit(batch);
  }

  std::unique_ptr<RowJudge> NewJudge(Table table = Table::kMessages) {
    return GarbageRules()[IdOf(table)].make_judge(garbage_);
  }
  static bool IsGarbage(RowJudge& judge, std::uint64_t number, const Shelf& shelf = kShelf) {
    return judge.IsGarbage(MessageKey(shelf, SequenceNumber(number)), "");
  }
  // As a new judge says.
  bool IsGarbage(std::uint64_t number, const Shelf& shelf = kShelf) {
    return IsGarbage(*NewJudge(), number, shelf);
  }
};

TEST_F(SpanGarbageTest, WhatASpanCoversIsGarbageAndNothingElse) {
  CommitSpan(SpanOf(3, 9, {SequenceNumber(5)}));
  CommitSpan(SpanOf(20, 20));
  const auto judge = NewJudge();
  const Shelf next(kShelf.entity, kShelf.kind, 6);

  for (int round = 0; round < 2; ++round) {
    for (const std::uint64_t kept : {0, 2, 5, 10, 19, 21}) EXPECT_FALSE(IsGarbage(*judge, kept));
    for (const std::uint64_t dropped : {3, 4, 6, 9, 20}) EXPECT_TRUE(IsGarbage(*judge, dropped));
    EXPECT_FALSE(IsGarbage(*judge, 4, next));
    EXPECT_FALSE(IsGarbage(*judge, 4, {EntityId(6), LaneKind::kMain, 5}));
  }
  EXPECT_FALSE(judge->IsGarbage("damaged", ""));
}

// So files are found that are worth rewriting.
TEST_F(SpanGarbageTest, WhatIsCoveredIsToldInPages) {
  const auto first_of = [](const Span& span) { return MessageKey(kShelf, span.first); };
  const auto behind = [](const Span& span) { return MessageKey(kShelf, span.last.Next()); };
  const Span spans[] = {SpanOf(1, 9), SpanOf(20, 29), SpanOf(40, 40)};
  for (const Span& span : spans) CommitSpan(span);
  garbage_.Refresh();

  const auto page = garbage_.CoveredFrom("", 2);
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0].begin, first_of(spans[0]));
  EXPECT_EQ(page[0].end, behind(spans[0]));
  EXPECT_EQ(page[1].begin, first_of(spans[1]));
  // From within one, from the end of one, and behind all.
  EXPECT_EQ(garbage_.CoveredFrom(MessageKey(kShelf, SequenceNumber(5)), 9).size(), 3U);
  const auto rest = garbage_.CoveredFrom(page[1].end, 9);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].begin, first_of(spans[2]));
  EXPECT_TRUE(garbage_.CoveredFrom(rest[0].end, 9).empty());
}

// What lives in them would be written again, for nothing, and on a full disk there is no room.
TEST_F(SpanGarbageTest, WhereMuchLivesNothingIsWorthRewriting) {
  const auto living = [](std::uint64_t first, std::size_t count) {
    std::vector<SequenceNumber> exceptions;
    for (std::size_t i = 0; i < count; ++i) exceptions.emplace_back(first + 1 + i);
    return exceptions;
  };
  CommitSpan(SpanOf(1, 100, living(1, 11)));
  CommitSpan(SpanOf(1001, 1100, living(1001, 10)));
  garbage_.Refresh();

  const auto page = garbage_.CoveredFrom("", 9);

  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0].begin, MessageKey(kShelf, SequenceNumber(1001)));
  EXPECT_TRUE(IsGarbage(1));
}

// A lane with levels may have rows in each of them; of the numbers of a partition there is one
// track.
TEST_F(SpanGarbageTest, WhatIsCoveredInTracksIsToldInPages) {  // PRI-1, PAR-4
  const std::uint64_t third = FirstNumberOf(2).value();
  CommitSpan(SpanOf(1, 9));
  CommitSpan(SpanOf(20, 29));
  CommitSpan(SpanOf(third, third + 9));
  garbage_.Refresh();

  std::vector<KeyRange> all;
  for (;;) {
    const auto page = garbage_.CoveredInTracksFrom(all.empty() ? "" : all.back().end, 3);
    all.insert(all.end(), page.begin(), page.end());
    if (page.size() < 3) break;
  }

  EXPECT_EQ(all.size(), 2U * kTracksMax + 1);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].end, all[i].begin) << i;
  const auto is_told = [&all](std::uint8_t track, std::uint64_t number) {
    MessageFacts facts;
    facts.track = track;
    const std::string key = OrderKey(kShelf, facts.ordering_key(), SequenceNumber(number));
    return std::any_of(all.begin(), all.end(), [&key](const KeyRange& each) {
      return each.begin <= key && key < each.end;
    });
  };
  EXPECT_TRUE(is_told(0, 1) && is_told(9, 25) && is_told(2, third + 9));
  EXPECT_FALSE(is_told(0, 10) || is_told(3, third) || is_told(2, third + 10));
}

// What lives between may be all that one of the levels has.
TEST_F(SpanGarbageTest, BesideExceptionsNothingIsToldOfLevels) {  // PRI-1
  const std::uint64_t second = FirstNumberOf(1).value();
  CommitSpan(SpanOf(1, 100, {SequenceNumber(50)}));
  CommitSpan(SpanOf(second, second + 99, {SequenceNumber(second + 50)}));
  garbage_.Refresh();

  EXPECT_EQ(garbage_.CoveredInTracksFrom("", 99).size(), 1U);
}

TEST_F(SpanGarbageTest, ARowOfAnOrderIsJudgedByItsNumber) {  // PRI-1, PAR-7
  CommitSpan(SpanOf(3, 9, {SequenceNumber(5)}));
  const auto judge = NewJudge(Table::kOrder);
  const auto is_garbage = [&](std::string_view track, std::uint64_t number) {
    return judge->IsGarbage(OrderKey(kShelf, track, SequenceNumber(number)), "");
  };

  for (const std::string_view track : {std::string_view("\0", 1), std::string_view("\x09", 1)}) {
    EXPECT_FALSE(is_garbage(track, 2));
    EXPECT_TRUE(is_garbage(track, 3));
    EXPECT_FALSE(is_garbage(track, 5));
    EXPECT_TRUE(is_garbage(track, 9));
    EXPECT_FALSE(is_garbage(track, 10));
  }
}

// A filter sees no snapshots.
TEST_F(SpanGarbageTest, WhatAnOlderViewMaySeeIsKept) {
  std::optional<ViewLedger::Ticket> older(std::in_place, views_);
  CommitSpan(SpanOf(3, 9));
  const ViewLedger::Ticket later(views_);
  EXPECT_FALSE(IsGarbage(4));

  older.reset();
  EXPECT_TRUE(IsGarbage(4));
}

// It drops from under open views, as RocksDB does.
TEST_F(SpanGarbageTest, BetweenTwoReadsOfAViewNothingOfItIsDropped) {
  MemoryStore store(BrokerTables(garbage_), &views_);
  store.DropGarbageAtRandom(7);
  WriteBatch messages;
  for (std::uint64_t number = 1; number <= 9; ++number) {
    messages.Put(IdOf(Table::kMessages), MessageKey(kShelf, SequenceNumber(number)), "a message");
  }
  ASSERT_TRUE(store.Apply(messages).ok());
  const auto count_in = [](const StoreView& view) {
    int count = 0;
    const auto rows = view.Scan(IdOf(Table::kMessages), ShelfRange(kShelf));
    for (; rows->valid(); rows->Next()) ++count;
    return count;
  };
  std::unique_ptr<StoreView> view = store.View();
  WriteBatch span;
  Put(SpanOf(1, 8), span);
  garbage_.OnApplying(NotesOf(span));
  ASSERT_TRUE(store.Apply(span).ok());
  garbage_.OnApplied(NotesOf(span));

  for (int look = 0; look < 100; ++look) ASSERT_EQ(count_in(*view), 9);
  store.DropGarbage();
  EXPECT_EQ(count_in(*view), 9);
  view.reset();
  store.DropGarbage();
  EXPECT_EQ(count_in(*store.View()), 1);
}

// A lane that expires all the time writes its span anew all the time; and there is always a view.
TEST_F(SpanGarbageTest, ASpanThatGrowsIsBelievedAllTheSame) {
  std::optional<ViewLedger::Ticket> views[2];
  views[0].emplace(views_);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const std::uint64_t last = 10 + 2 * i;
    CommitSpan(SpanOf(1, last));
    views[(i + 1) % 2].emplace(views_);
    views[i % 2].reset();
    CommitSpan(SpanOf(1, last + 1));

    // One commit late, and not more.
    EXPECT_TRUE(IsGarbage(last - 1));
    EXPECT_FALSE(IsGarbage(last + 1));
  }
}

TEST_F(SpanGarbageTest, WhatIsForgottenIsKeptBeforeItIsWritten) {
  CommitSpan(SpanOf(3, 9));
  CommitSpan(SpanOf(20, 29));
  const auto judge = NewJudge();
  ASSERT_TRUE(IsGarbage(*judge, 4));
  WriteBatch batch;
  Delete(3, batch);

  garbage_.OnApplying(NotesOf(batch));

  EXPECT_FALSE(IsGarbage(*judge, 4));
  EXPECT_TRUE(IsGarbage(*judge, 20));
}

// Nothing may be believed that is not committed: the write may fail.
TEST_F(SpanGarbageTest, WhatIsAboutToBeWrittenIsNotBelieved) {
  WriteBatch batch;
  Put(SpanOf(3, 9), batch);

  garbage_.OnApplying(NotesOf(batch));
  EXPECT_FALSE(IsGarbage(4));
  garbage_.OnApplied(NotesOf(batch));
  EXPECT_TRUE(IsGarbage(4));
}

// A compaction runs for minutes, and its judge began when other messages stood there.
TEST_F(SpanGarbageTest, AShelfIsUsedAgainUnderARunningJudge) {
  CommitSpan(SpanOf(1, 100));
  const auto judge = NewJudge();
  ASSERT_TRUE(IsGarbage(*judge, 50));

  WriteBatch purge;
  DeleteShelf(kShelf, purge);
  Commit(purge);
  EXPECT_FALSE(IsGarbage(*judge, 50));
  EXPECT_FALSE(IsGarbage(*judge, 101));
  CommitSpan(SpanOf(101, 110));
  EXPECT_FALSE(IsGarbage(*judge, 50));
  EXPECT_TRUE(IsGarbage(*judge, 105));
}

TEST_F(SpanGarbageTest, WhatWaitedForAViewIsForgottenToo) {
  std::optional<ViewLedger::Ticket> view(std::in_place, views_);
  CommitSpan(SpanOf(1, 100));
  CommitSpan(SpanOf(200, 300));
  WriteBatch purge;
  DeleteShelf(kShelf, purge);
  Commit(purge);

  view.reset();
  EXPECT_FALSE(IsGarbage(50));
  EXPECT_FALSE(IsGarbage(250));
}

// One write has the batches of many turns.
TEST_F(SpanGarbageTest, TheLastWriteOfASpanCounts) {
  WriteBatch batch;
  Put(SpanOf(1, 100), batch);
  DeleteShelf(kShelf, batch);
  Put(SpanOf(201, 210), batch);
  Put(SpanOf(201, 220), batch);
  Commit(batch);

  EXPECT_FALSE(IsGarbage(50));
  EXPECT_TRUE(IsGarbage(215));
}

TEST_F(SpanGarbageTest, ASpanTakesThePlaceOfOthers) {
  CommitSpan(SpanOf(10, 20));
  CommitSpan(SpanOf(30, 40));
  WriteBatch joined;
  Delete(10, joined);
  Delete(30, joined);
  Put(SpanOf(5, 50, {SequenceNumber(25)}), joined);
  Commit(joined);

  for (const std::uint64_t dropped : {5, 15, 24, 35, 50}) EXPECT_TRUE(IsGarbage(dropped));
  EXPECT_FALSE(IsGarbage(25));
}

TEST_F(SpanGarbageTest, AStartKnowsWhatIsCommitted) {
  MemoryStore store(BrokerTables());
  WriteBatch batch;
  Put(SpanOf(3, 9), batch);
  batch.Put(IdOf(Table::kSpans), SpanKey(kShelf, SequenceNumber(20)), "damaged");
  Put(SpanOf(30, 39), batch);
  ASSERT_TRUE(store.Apply(batch).ok());
  EXPECT_FALSE(IsGarbage(4));

  ASSERT_TRUE(garbage_.Load(store).ok());

  EXPECT_TRUE(IsGarbage(4));
  EXPECT_FALSE(IsGarbage(20));
  EXPECT_TRUE(IsGarbage(30));
}

}  // namespace
}  // namespace wharf
