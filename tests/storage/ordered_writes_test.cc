#include "storage/log/ordered_writes.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;

const TableSet kTables(4);

// Writes as text.
class Transcript final : public WriteBatch::Visitor {
 public:
  void Put(TableId table, std::string_view key, std::string_view value) override {
    Note(table, "put", key, value);
  }
  void Delete(TableId table, std::string_view key) override { Note(table, "delete", key, ""); }
  void SingleDelete(TableId table, std::string_view key) override {
    Note(table, "single-delete", key, "");
  }
  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override {
    Note(table, "delete-range", begin, end);
  }
  void NoteTime(Timestamp /*time*/) override { lines.emplace_back("time"); }
  void NoteFreed(TableId table, std::string_view begin, std::string_view end) override {
    Note(table, "freed", begin, end);
  }

  std::vector<std::string> lines;

 private:
  void Note(TableId table, std::string_view verb, std::string_view key, std::string_view value) {
    std::string line = std::to_string(table);
    for (const std::string_view part : {verb, key, value}) {
      if (!part.empty()) line.append(" ").append(part);
    }
    lines.push_back(std::move(line));
  }
};

std::vector<std::string> Ordered(const std::vector<WriteBatch>& batches) {
  OrderedWrites writes;
  for (const WriteBatch& batch : batches) EXPECT_TRUE(batch.Visit(kTables, writes).ok());
  Transcript transcript;
  writes.Visit(transcript);
  return transcript.lines;
}

TEST(OrderedWritesTest, StandInTheOrderOfTablesAndKeys) {
  WriteBatch first;
  first.Put(1, "b", "2");
  first.Delete(0, "z");
  first.SingleDelete(1, "c");
  WriteBatch second;
  second.Put(1, "a", "1");
  second.Put(0, "y", "3");

  EXPECT_THAT(Ordered({first, second}), ElementsAre("0 put y 3", "0 delete z", "1 put a 1",
                                                    "1 put b 2", "1 single-delete c"));
}

TEST(OrderedWritesTest, OfARowCountsWhatCameLast) {
  WriteBatch batch;
  batch.Put(0, "b", "1");
  batch.Delete(0, "b");
  batch.Put(0, "a", "1");
  batch.Put(0, "b", "2");
  batch.Delete(0, "a");
  batch.Put(1, "a", "3");

  EXPECT_THAT(Ordered({batch}), ElementsAre("0 delete a", "0 put b 2", "1 put a 3"));
}

// It was put once before, so what is put and deleted here was never there; a deletion of what was
// there before stays, whatever comes behind it.
TEST(OrderedWritesTest, ARowThatIsPutAndDeletedSinglyIsNothing) {
  WriteBatch first;
  first.Put(0, "b", "1");
  first.SingleDelete(0, "a");
  first.Put(0, "a", "2");
  WriteBatch second;
  second.SingleDelete(0, "b");
  second.SingleDelete(0, "a");
  second.SingleDelete(0, "c");
  second.Put(0, "c", "3");
  second.Put(0, "d", "4");

  EXPECT_THAT(Ordered({first, second}),
              ElementsAre("0 single-delete a", "0 single-delete c", "0 put c 3", "0 put d 4"));
}

// Also where it was put again meanwhile, as a lock is that is renewed.
TEST(OrderedWritesTest, ARowThatIsPutAsNewAndDeletedIsNothing) {
  WriteBatch first;
  first.PutNew(0, "a", "1");
  first.PutNew(0, "b", "1");
  first.PutNew(0, "c", "1");
  first.PutNew(0, "d", "1");
  WriteBatch second;
  second.Delete(0, "a");
  second.Put(0, "b", "2");
  second.Delete(0, "b");
  second.Put(0, "c", "2");
  second.Delete(0, "d");
  second.PutNew(0, "d", "3");

  EXPECT_THAT(Ordered({first, second}), ElementsAre("0 put c 2", "0 put d 3"));
}

// Its deletion stays, however often it is new again behind that.
TEST(OrderedWritesTest, OfARowThatWasThereADeletionIsLeft) {
  WriteBatch batch;
  batch.Delete(0, "a");
  for (const char* key : {"a", "a", "b"}) {
    batch.PutNew(0, key, "1");
    batch.Delete(0, key);
  }
  batch.Put(0, "c", "1");
  batch.Delete(0, "c");
  batch.PutNew(0, "c", "2");
  batch.Delete(0, "c");
  batch.PutNew(0, "d", "1");
  batch.DeleteRange(0, "d", "e");
  batch.Delete(0, "d");

  EXPECT_THAT(Ordered({batch}), ElementsAre("0 delete a", "0 delete c", "0 put d 1",
                                            "0 delete-range d e", "0 delete d"));
}

// What is put behind a range deletion stays, and what was put before it goes; between two of them
// rows are put into order, and those that came to nothing are left out.
TEST(OrderedWritesTest, ARangeDeletionIsABarrierForItsTable) {
  WriteBatch batch;
  batch.Put(0, "c", "1");
  batch.Put(0, "b", "1");
  batch.Put(0, "e", "1");
  batch.SingleDelete(0, "b");
  batch.DeleteRange(0, "a", "d");
  batch.SingleDelete(0, "e");
  batch.Put(0, "b", "2");
  batch.Put(0, "a", "2");
  batch.DeleteRange(0, "b", "c");
  batch.Put(0, "b", "3");
  batch.SingleDelete(0, "b");
  batch.Put(1, "z", "3");
  batch.Put(1, "y", "4");

  EXPECT_THAT(Ordered({batch}),
              ElementsAre("0 put c 1", "0 put e 1", "0 delete-range a d", "0 put a 2", "0 put b 2",
                          "0 single-delete e", "0 delete-range b c", "1 put y 4", "1 put z 3"));
}

TEST(OrderedWritesTest, WhatWasPutBeforeARangeDeletionIsNotTakenForWhatIsPutBehindIt) {
  WriteBatch batch;
  batch.Put(0, "a", "1");
  batch.DeleteRange(0, "a", "b");
  batch.Put(0, "a", "2");
  batch.Delete(1, "a");
  batch.DeleteRange(1, "b", "c");
  batch.Put(1, "a", "3");

  EXPECT_THAT(Ordered({batch}), ElementsAre("0 put a 1", "0 delete-range a b", "0 put a 2",
                                            "1 delete a", "1 delete-range b c", "1 put a 3"));
}

TEST(OrderedWritesTest, NotesAreCollectedAndNotWritten) {
  WriteBatch first;
  first.NoteTime(Timestamp(std::chrono::seconds(1)));
  first.NoteFreed(2, "a", "b");
  first.Put(0, "key", "value");
  WriteBatch second;
  second.NoteFreed(1, "c", "d");
  second.NoteTime(Timestamp(std::chrono::seconds(2)));
  OrderedWrites writes;
  for (const WriteBatch* batch : {&first, &second}) {
    ASSERT_TRUE(batch->Visit(kTables, writes).ok());
  }

  EXPECT_EQ(writes.notes().time, Timestamp(std::chrono::seconds(2)));
  ASSERT_EQ(writes.notes().freed.size(), 2U);
  EXPECT_EQ(writes.notes().freed[0].table, 2);
  EXPECT_EQ(writes.notes().freed[0].range.begin, "a");
  EXPECT_EQ(writes.notes().freed[1].range.end, "d");
  Transcript transcript;
  writes.Visit(transcript);
  EXPECT_THAT(transcript.lines, ElementsAre("0 put key value"));
}

TEST(OrderedWritesTest, WhatIsWrittenToAWatchedTableIsNoted) {
  const TableSet tables = {{.name = "plain"}, {.name = "watched", .is_watched = true}};
  WriteBatch batch;
  batch.Put(0, "a", "1");
  batch.Put(1, "b", "2");
  batch.Delete(1, "c");
  batch.DeleteRange(1, "a", "z");
  OrderedWrites writes;
  ASSERT_TRUE(batch.Visit(tables, writes).ok());

  std::vector<std::string> noted;
  for (const WatchedWrite& each : writes.notes().watched) {
    EXPECT_EQ(each.rows.table, 1);
    noted.push_back(each.rows.range.begin + (each.value ? " put " + *each.value : " deleted"));
  }

  EXPECT_THAT(noted, ElementsAre("b put 2", "c deleted", "a deleted"));
  EXPECT_EQ(writes.notes().watched[1].rows.range.end, std::string("c\0", 2));
  EXPECT_EQ(writes.notes().watched[2].rows.range.end, "z");
}

// What it ends must be unlearned all the same.
TEST(OrderedWritesTest, AWatchedWriteIsNotedThoughNothingOfItIsLeft) {
  const TableSet tables = {{.name = "watched", .is_watched = true}};
  WriteBatch batch;
  batch.Put(0, "a", "1");
  batch.SingleDelete(0, "a");
  OrderedWrites writes;
  ASSERT_TRUE(batch.Visit(tables, writes).ok());
  Transcript transcript;
  writes.Visit(transcript);

  EXPECT_THAT(transcript.lines, ElementsAre());
  ASSERT_EQ(writes.notes().watched.size(), 2U);
  EXPECT_EQ(writes.notes().watched[0].value, "1");
  EXPECT_EQ(writes.notes().watched[1].value, std::nullopt);
}

TEST(OrderedWritesTest, NothingIsNothing) { EXPECT_TRUE(Ordered({}).empty()); }

}  // namespace
}  // namespace wharf
