#include "storage/write_batch.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Writes down what it visits.
class Recorder final : public WriteBatch::Visitor {
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
  return batch;
}

TEST(WriteBatchTest, VisitsWritesInTheirOrder) {
  Recorder recorder;

  const Status status = BatchOfEveryKind().Visit(recorder);

  EXPECT_TRUE(status.ok());
  EXPECT_THAT(recorder.writes, ElementsAre("put 1 key value", "delete 2 gone ",
                                           "single-delete 3 once ", "delete-range 255 a z"));
}

TEST(WriteBatchTest, BytesAreSelfContained) {
  Recorder original;
  Recorder copy;

  ASSERT_TRUE(BatchOfEveryKind().Visit(original).ok());
  ASSERT_TRUE(WriteBatch(BatchOfEveryKind().bytes()).Visit(copy).ok());

  EXPECT_EQ(copy.writes, original.writes);
}

TEST(WriteBatchTest, EmptyBatchHasNoWrites) {
  Recorder recorder;

  EXPECT_TRUE(WriteBatch().empty());
  EXPECT_TRUE(WriteBatch().Visit(recorder).ok());
  EXPECT_THAT(recorder.writes, IsEmpty());
}

TEST(WriteBatchTest, KeepsLongAndBinaryTexts) {
  for (const std::size_t size : {0u, 1u, 127u, 128u, 16383u, 16384u, 300000u}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31);
    WriteBatch batch;
    batch.Put(7, text, text);
    Recorder recorder;

    ASSERT_TRUE(batch.Visit(recorder).ok());

    EXPECT_THAT(recorder.writes, ElementsAre("put 7 " + text + " " + text));
  }
}

TEST(WriteBatchTest, TruncatedBytesAreRefusedAfterTheWholeWrites) {
  const std::string bytes = BatchOfEveryKind().bytes();
  Recorder all;
  ASSERT_TRUE(BatchOfEveryKind().Visit(all).ok());

  int whole_prefixes = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    Recorder recorder;
    const Status status = WriteBatch(bytes.substr(0, size)).Visit(recorder);
    whole_prefixes += status.ok();
    ASSERT_LE(recorder.writes.size(), all.writes.size());
    for (std::size_t i = 0; i < recorder.writes.size(); ++i) {
      EXPECT_EQ(recorder.writes[i], all.writes[i]) << "cut at " << size;
    }
  }

  EXPECT_EQ(whole_prefixes, 5);  // Cut before, between and behind the four writes.
}

TEST(WriteBatchTest, FlippedBitsNeverReadOutside) {
  const std::string bytes = BatchOfEveryKind().bytes();

  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    Recorder recorder;
    const Status status = WriteBatch(flipped).Visit(recorder);  // The sanitizers watch.
    EXPECT_TRUE(status.ok() || status.code() == ErrorCode::kGeneralError);
  }
}

TEST(WriteBatchTest, HugeLengthsAreRefused) {
  const std::string huge = std::string("\x02\x01") + std::string(9, '\xFF') + '\x01';
  const std::string endless = std::string("\x02\x01") + std::string(32, '\xFF');
  Recorder recorder;

  EXPECT_FALSE(WriteBatch(huge).Visit(recorder).ok());
  EXPECT_FALSE(WriteBatch(endless).Visit(recorder).ok());
  EXPECT_THAT(recorder.writes, IsEmpty());
}

}  // namespace
}  // namespace wharf
