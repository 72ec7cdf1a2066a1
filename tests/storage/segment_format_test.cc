#include "storage/segments/segment_format.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

std::string BytesOfEntry(std::uint64_t mark, std::size_t data_bytes) {
  const LogEntry entry = {
      .index = 7, .term = 5, .kind = EntryKind::kMember, .data = std::string(data_bytes, 'x')};
  std::string bytes;
  SegmentRecord::OfEntry(entry, 4).AppendTo(bytes, mark);
  return bytes;
}

TEST(SegmentFormatTest, AnEntryIsReadAsItWasWritten) {
  for (const std::size_t data_bytes : {0, 1, 7, 8, 9, 1000}) {
    const std::string bytes = BytesOfEntry(99, data_bytes);
    ASSERT_EQ(SegmentRecord::BytesOf(bytes, 99), bytes.size());
    EXPECT_EQ(bytes.size() % 8, 0);

    const auto record = SegmentRecord::Decode(bytes);

    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(record->kind, RecordKind::kEntry);
    EXPECT_EQ(record->entry_kind, EntryKind::kMember);
    EXPECT_EQ(record->place(), (LogPlace{7, 5}));
    EXPECT_EQ(record->term_before(), 4);
    EXPECT_EQ(record->data, std::string(data_bytes, 'x'));
  }
}

TEST(SegmentFormatTest, ARecordIsKnownByItsMark) {
  const std::string bytes = BytesOfEntry(99, 10);
  EXPECT_FALSE(SegmentRecord::BytesOf(bytes, 98).has_value());
  EXPECT_FALSE(SegmentRecord::BytesOf(bytes.substr(0, SegmentRecord::kHeadBytes - 1), 99));
}

// Or so much would be allocated for it.
TEST(SegmentFormatTest, ADamagedLengthIsBounded) {
  std::string bytes = BytesOfEntry(99, 10);
  const auto with_length = [&](std::uint32_t length) {
    for (int i = 0; i < 4; ++i) bytes[12 + i] = static_cast<char>(length >> (8 * i));
    return SegmentRecord::BytesOf(bytes, 99);
  };
  constexpr auto kMax = static_cast<std::uint32_t>(SegmentRecord::kDataBytesMax);
  EXPECT_EQ(with_length(kMax), SegmentRecord::BytesFor(kMax));
  EXPECT_FALSE(with_length(kMax + 1).has_value());
  EXPECT_FALSE(with_length(UINT32_MAX).has_value());
}

TEST(SegmentFormatTest, AHeadIsReadAsItWasWritten) {
  const SegmentHead head = {.salt = 1,
                            .number = 2,
                            .bytes_before = 3,
                            .begins = true,
                            .owner = {.cluster = "0123456789abcdef", .node = 4},
                            .last = {5, 6},
                            .state = {.term = 7, .vote = 8, .commit = 9}};

  const auto read = SegmentHead::Decode(head.Encode());

  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->salt, head.salt);
  EXPECT_EQ(read->number, head.number);
  EXPECT_EQ(read->bytes_before, head.bytes_before);
  EXPECT_EQ(read->begins, head.begins);
  EXPECT_EQ(read->owner, head.owner);
  EXPECT_EQ(read->last, head.last);
  EXPECT_EQ(read->state, head.state);
}

}  // namespace
}  // namespace wharf
