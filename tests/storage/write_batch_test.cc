#include "storage/write_batch.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// As many as there may be.
const TableSet kTables(256);

// Writes down what it visits.
class Recorder : public WriteBatch::Visitor {
 public:
  void Put(TableId table, std::string_view key, std::string_view value) override {
    Record("put", table, key, value);
  }
  void Delete(TableId table, std::string_view key) override { Record("delete", table, key, ""); }
  void SingleDelete(TableId table, std::string_view key) override {
    Record("single-delete", table, key, "");
  }
  void DeleteRange(TableId table, std::string_view begin, std::string_view end) override {
    Record("delete-range", table, begin, end);
  }
  void NoteTime(Timestamp time) override { writes.push_back("time " + ToString(time)); }
  void NoteFreed(TableId table, std::string_view begin, std::string_view end) override {
    Record("freed", table, begin, end);
  }

  std::vector<std::string> writes;

 private:
  void Record(const std::string& verb, TableId table, std::string_view key,
              std::string_view value) {
    writes.push_back(verb + " " + std::to_string(table) + " " + std::string(key) + " " +
                     std::string(value));
  }
};

WriteBatch BatchOfEveryKind() {
  WriteBatch batch;
  batch.Put(1, "key", "value");
  batch.Delete(2, "gone");
  batch.SingleDelete(3, "once");
  batch.DeleteRange(255, "a", "z");
  batch.NoteTime(Timestamp(std::chrono::microseconds(-1)));
  batch.NoteFreed(4, "b", "y");
  return batch;
}

TEST(WriteBatchTest, VisitsWritesInTheirOrder) {
  Recorder recorder;

  const Status status = BatchOfEveryKind().Visit(kTables, recorder);

  EXPECT_TRUE(status.ok());
  EXPECT_THAT(recorder.writes, ElementsAre("put 1 key value", "delete 2 gone ",
                                           "single-delete 3 once ", "delete-range 255 a z",
                                           "time 1969-12-31T23:59:59.999999Z", "freed 4 b y"));
}

TEST(WriteBatchTest, BytesAreSelfContained) {
  Recorder original;
  Recorder copy;

  ASSERT_TRUE(BatchOfEveryKind().Visit(kTables, original).ok());
  ASSERT_TRUE(WriteBatch(BatchOfEveryKind().bytes()).Visit(kTables, copy).ok());

  EXPECT_EQ(copy.writes, original.writes);
}

// A start and a replica have but the bytes.
TEST(WriteBatchTest, OnlyTheBatchItselfKnowsWhichRowsAreNew) {
  struct NewRows final : Recorder {
    void PutNew(TableId /*table*/, std::string_view key, std::string_view /*value*/) override {
      writes.push_back("put new " + std::string(key));
    }
  };
  WriteBatch batch;
  batch.Put(1, "a", "1");
  batch.PutNew(1, "b", "2");
  batch.Delete(1, "c");
  batch.PutNew(1, "d", "3");
  batch.Put(1, "e", "4");
  const std::string bytes = batch.bytes();
  const WriteBatch moved = std::move(batch);

  NewRows planned;
  NewRows read;
  ASSERT_TRUE(moved.Visit(kTables, planned).ok());
  ASSERT_TRUE(WriteBatch(bytes).Visit(kTables, read).ok());

  EXPECT_THAT(planned.writes,
              ElementsAre("put 1 a 1", "put new b", "delete 1 c ", "put new d", "put 1 e 4"));
  EXPECT_THAT(read.writes,
              ElementsAre("put 1 a 1", "put 1 b 2", "delete 1 c ", "put 1 d 3", "put 1 e 4"));
}

TEST(WriteBatchTest, EmptyBatchHasNoWrites) {
  Recorder recorder;

  EXPECT_TRUE(WriteBatch().empty());
  EXPECT_TRUE(WriteBatch().Visit(kTables, recorder).ok());
  EXPECT_THAT(recorder.writes, IsEmpty());
}

TEST(WriteBatchTest, KeepsLongAndBinaryTexts) {
  for (const std::size_t size : {0u, 1u, 127u, 128u, 16383u, 16384u, 300000u}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31);
    WriteBatch batch;
    batch.Put(7, text, text);
    Recorder recorder;

    ASSERT_TRUE(batch.Visit(kTables, recorder).ok());

    EXPECT_THAT(recorder.writes, ElementsAre("put 7 " + text + " " + text));
  }
}

TEST(WriteBatchTest, TruncatedBytesAreRefusedAfterTheWholeWrites) {
  const std::string bytes = BatchOfEveryKind().bytes();
  Recorder all;
  ASSERT_TRUE(BatchOfEveryKind().Visit(kTables, all).ok());

  int whole_prefixes = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    Recorder recorder;
    const Status status = WriteBatch(bytes.substr(0, size)).Visit(kTables, recorder);
    whole_prefixes += status.ok();
    ASSERT_LE(recorder.writes.size(), all.writes.size());
    for (std::size_t i = 0; i < recorder.writes.size(); ++i) {
      EXPECT_EQ(recorder.writes[i], all.writes[i]) << "cut at " << size;
    }
  }

  EXPECT_EQ(whole_prefixes, 7);  // Cut before, between and behind the writes and notes.
}

TEST(WriteBatchTest, FlippedBitsNeverReadOutside) {
  const std::string bytes = BatchOfEveryKind().bytes();

  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    Recorder recorder;
    const Status status = WriteBatch(flipped).Visit(kTables, recorder);  // The sanitizers watch.
    EXPECT_TRUE(status.ok() || status.code() == ErrorCode::kGeneralError);
  }
}

TEST(WriteBatchTest, HugeLengthsAreRefused) {
  const std::string huge = std::string("\x02\x01") + std::string(9, '\xFF') + '\x01';
  const std::string endless = std::string("\x02\x01") + std::string(32, '\xFF');
  Recorder recorder;

  EXPECT_FALSE(WriteBatch(huge).Visit(kTables, recorder).ok());
  EXPECT_FALSE(WriteBatch(endless).Visit(kTables, recorder).ok());
  EXPECT_THAT(recorder.writes, IsEmpty());
}

// What a store would refuse for its content is refused before anything is written.
TEST(WriteBatchTest, WhatNoStoreCouldApplyIsRefused) {
  const TableSet tables = {{.name = "plain"},
                           {.name = "neighbours", .neighbours_prefix = 2},
                           {.name = "singly", .is_deleted_singly = true},
                           {.name = "dropped", .garbage = GarbageOptions()},
                           {.name = "cut", .neighbours_prefix = 2, .is_deleted_singly = true}};
  const auto refusal_of = [&tables](const std::function<void(WriteBatch&)>& add) {
    WriteBatch batch;
    batch.Put(0, "before", "");
    add(batch);
    Recorder recorder;
    const Status status = batch.Visit(tables, recorder);
    EXPECT_EQ(batch.Check(tables), status);
    EXPECT_EQ(status.outcome(), Outcome::kNotDone);
    EXPECT_EQ(recorder.writes.size(), status.ok() ? 2U : 1U);
    return status.message();
  };
  const std::string large(WriteBatch::kTextBytesMax + 1, 'x');

  EXPECT_THAT(refusal_of([](auto& batch) { batch.Put(5, "key", ""); }), HasSubstr("not there"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.Delete(9, "key"); }), HasSubstr("not there"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.SingleDelete(255, "key"); }),
              HasSubstr("not there"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.NoteFreed(5, "a", "b"); }),
              HasSubstr("not there"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.DeleteRange(0, "b", "a"); }),
              HasSubstr("ends before it begins"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.DeleteRange(0, "a", "a"); }),
              HasSubstr("ends before it begins"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.NoteFreed(0, "b", "a"); }),
              HasSubstr("ends before it begins"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.DeleteRange(1, "q1-1", "q2"); }),
              HasSubstr("in the midst of neighbours"));
  EXPECT_EQ(refusal_of([](auto& batch) { batch.DeleteRange(4, "q1-1", "q2"); }), "");
  EXPECT_THAT(refusal_of([](auto& batch) { batch.Delete(2, "key"); }), HasSubstr("another way"));
  EXPECT_THAT(refusal_of([](auto& batch) { batch.SingleDelete(3, "key"); }),
              HasSubstr("another way"));
  EXPECT_THAT(refusal_of([&](auto& batch) { batch.Put(0, large, ""); }), HasSubstr("64 MiB"));
  EXPECT_THAT(refusal_of([&](auto& batch) { batch.Put(0, "key", large); }), HasSubstr("64 MiB"));

  EXPECT_EQ(refusal_of([](auto& batch) { batch.DeleteRange(1, "q1", "q2"); }), "");
  EXPECT_EQ(refusal_of([](auto& batch) { batch.NoteFreed(1, "q1-1", "q2"); }), "");
  EXPECT_EQ(refusal_of([](auto& batch) { batch.Put(0, "", ""); }), "");
  EXPECT_EQ(refusal_of([](auto& batch) { batch.SingleDelete(2, "key"); }), "");
  EXPECT_EQ(refusal_of([](auto& batch) { batch.DeleteRange(2, "a", "b"); }), "");
  EXPECT_EQ(refusal_of([](auto& batch) { batch.Delete(3, "key"); }), "");
}

TEST(WriteBatchTest, AValueInPiecesIsTheSameAsInOne) {
  const std::string large(300, 'x');
  WriteBatch whole;
  whole.Put(1, "key", "head" + large + "tail");
  whole.Put(1, "empty", "");

  WriteBatch pieces;
  pieces.Reserve(1000);
  pieces.Put(1, "key", std::vector<std::string_view>{"head", large, "", "tail"});
  pieces.Put(1, "empty", std::vector<std::string_view>{"", ""});

  EXPECT_EQ(pieces.bytes(), whole.bytes());
}

}  // namespace
}  // namespace wharf
