// What a batch notes beside its rows, for whoever applies it.

#include <gtest/gtest.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "storage/log/ordered_writes.h"

namespace wharf {
namespace {

const Shelf kShelf{EntityId(3), LaneKind::kDeadLetter, 5};

BatchNotes NotesOf(const WriteBatch& batch) {
  OrderedWrites writes;
  EXPECT_TRUE(batch.Visit(BrokerTables(), writes).ok());
  return writes.notes();
}

BatchNotes NotesOf(const Change& change) {
  Changes changes;
  changes.push_back(change);
  WriteBatch batch;
  Encode(changes, batch);
  return NotesOf(batch);
}

void ExpectFreed(const TableRange& freed, Table table, const KeyRange& range) {
  EXPECT_EQ(freed.table, IdOf(table));
  EXPECT_EQ(freed.range.begin, range.begin);
  EXPECT_EQ(freed.range.end, range.end);
}

TEST(NotesTest, ACommitSaysItsTime) {
  const Timestamp now(std::chrono::hours(24 * 365 * 50));
  WriteBatch batch;
  EncodeCommitTime(7, now, batch);

  EXPECT_EQ(NotesOf(batch).time, now);
  EXPECT_EQ(NotesOf(EncodeFormat()).time, std::nullopt);
}

TEST(NotesTest, ALargeShelfThatIsGoneSaysWhereItsSpaceIs) {  // PRG-1
  const BatchNotes notes = NotesOf(ShelfReclaimFinished{kShelf, true});

  ASSERT_EQ(notes.freed.size(), 1U);
  ExpectFreed(notes.freed[0], Table::kMessages, MessageRange(kShelf, SequenceNumber()));
}

TEST(NotesTest, ALargeEntityThatIsGoneSaysWhereItsSpaceIs) {
  const BatchNotes notes = NotesOf(EntityReclaimFinished{kShelf.entity, true});

  ASSERT_EQ(notes.freed.size(), 1U);
  ExpectFreed(notes.freed[0], Table::kMessages, EntityRange(kShelf.entity));
}

TEST(NotesTest, BodiesSayTheirSpaceWhereTheirMessagesWereBorn) {
  constexpr std::uint64_t kBytes = 600 << 10;
  const EntityId other(9);
  const BodyRef first{other, SequenceNumber(10), kBytes};
  const BodyRef last{other, SequenceNumber(12), kBytes};
  const BodyRef small{kShelf.entity, SequenceNumber(3), 32 << 10};

  const BatchNotes notes =
      NotesOf(ShelfReclaimed{kShelf, SequenceNumber(20), {last, small, first}});

  ASSERT_EQ(notes.freed.size(), 1U);
  ExpectFreed(notes.freed[0], Table::kBodies, {BodyRange(first).begin, BodyRange(last).end});
}

TEST(NotesTest, BodiesThatLieApartSayNothingOfWhatLiesBetween) {
  constexpr std::uint64_t kBytes = 600 << 10;
  const BodyRef first{kShelf.entity, SequenceNumber(10), kBytes};
  const BodyRef second{kShelf.entity, SequenceNumber(11), kBytes};
  const BodyRef last{kShelf.entity, SequenceNumber(20), kBytes};

  const BatchNotes notes =
      NotesOf(ShelfReclaimed{kShelf, SequenceNumber(20), {first, second, last}});

  ASSERT_EQ(notes.freed.size(), 2U);
  ExpectFreed(notes.freed[0], Table::kBodies, {BodyRange(first).begin, BodyRange(second).end});
  ExpectFreed(notes.freed[1], Table::kBodies, BodyRange(last));
}

TEST(NotesTest, ASpanThatIsGivenUpSaysItsSpaceIfMostOfItGoes) {
  const auto freed_by = [](std::vector<SequenceNumber> exceptions) {
    const Span span{SequenceNumber(1), SequenceNumber(2000), {}, std::move(exceptions)};
    return NotesOf(SpanForgotten{kShelf, Boxed<Span>(span)}).freed.size();
  };
  std::vector<SequenceNumber> most;
  for (std::uint64_t number = 2; number < 1900; ++number) most.emplace_back(number);

  EXPECT_EQ(freed_by({}), 1U);
  EXPECT_EQ(freed_by(most), 0U);
}

TEST(NotesTest, ScheduledBodiesSayTheirSpace) {
  const BodyRef body{kShelf.entity, SequenceNumber(3), 2 << 20};

  const BatchNotes notes = NotesOf(ScheduledReclaimed{kShelf.entity, {}, {body}});

  ASSERT_EQ(notes.freed.size(), 1U);
  ExpectFreed(notes.freed[0], Table::kBodies, BodyRange(body));
}

TEST(NotesTest, SharedBodiesSayTheirSpaceWhenTheyWereReleased) {
  const BodyRef body{kShelf.entity, SequenceNumber(3), 2 << 20, 7};

  const BatchNotes notes = NotesOf(SharedBodyDropped{body, /*was_released=*/true});

  ASSERT_EQ(notes.freed.size(), 1U);
  ExpectFreed(notes.freed[0], Table::kBodies, BodyRange(body));
  EXPECT_TRUE(NotesOf(SharedBodyDropped{body}).freed.empty());
  EXPECT_TRUE(NotesOf(ShelfReclaimed{kShelf, SequenceNumber(20), {body}}).freed.empty());
}

TEST(NotesTest, OfASmallOneNothingIsSaid) {
  EXPECT_TRUE(NotesOf(ShelfReclaimFinished{kShelf}).freed.empty());
  EXPECT_TRUE(NotesOf(EntityReclaimFinished{kShelf.entity}).freed.empty());
}

}  // namespace
}  // namespace wharf
