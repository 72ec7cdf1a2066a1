// The rows of spans: what they say, and what is written when one is made, grows, and ends.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/core/order/partition.h"
#include "broker/schema/bytes.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/records.h"
#include "broker/schema/shelf_spans.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SpanRowsTest : public ::testing::Test {
 protected:
  static Span SpanOf(std::uint64_t first, std::uint64_t last,
                     std::vector<std::uint64_t> exceptions = {}) {
    Span span{SequenceNumber(first), SequenceNumber(last), Timestamp(Duration(7)), {}};
    for (const std::uint64_t each : exceptions) span.exceptions.emplace_back(each);
    return span;
  }
  static Result<Span> Decode(std::uint64_t first, const std::string& record) {
    return DecodeSpan(SequenceNumber(first), record);
  }

  // One commit.
  void Commit(Changes changes) {
    WriteBatch batch;
    Encode(changes, batch);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  void Send(std::uint64_t count) {
    for (std::uint64_t number = 1; number <= count; ++number) {
      auto message = std::make_shared<StoredMessage>();
      message->number = SequenceNumber(number);
      message->facts.size = StoredSizeOf(*message);
      Commit({MessageEnqueued{shelf_, std::move(message)}});
    }
  }
  void Expire(const Span& span, std::vector<SequenceNumber> absorbed = {}) {
    Commit({MessagesExpired{shelf_, span.first, span.last, 0, 0, span, std::move(absorbed)}});
  }
  std::vector<std::uint64_t> Messages() {
    const auto view = store_.View();
    const auto rows = view->Scan(IdOf(Table::kMessages), ShelfRange(shelf_));
    std::vector<std::uint64_t> numbers;
    for (; rows->valid(); rows->Next()) numbers.push_back(NumberOfMessageKey(rows->key())->value());
    return numbers;
  }
  std::vector<Span> Spans(const Shelf& shelf) { return ReadSpans(*store_.View(), shelf)->all(); }
  std::vector<Span> Spans() { return Spans(shelf_); }

  const Shelf shelf_{EntityId(7), LaneKind::kMain, 5};
  MemoryStore store_{BrokerTables()};
};

TEST_F(SpanRowsTest, ASpanComesBack) {
  for (const Span& span : {SpanOf(1, 1), SpanOf(3, 9, {3, 4, 9}), SpanOf(5, 1'000'000'000, {77})}) {
    const Result<Span> decoded = DecodeSpan(span.first, EncodeSpan(span));
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_EQ(*decoded, span);
  }
}

// Folders have it.
TEST_F(SpanRowsTest, ARowHasTheseBytes) {
  EXPECT_EQ(SpanKey(shelf_, SequenceNumber(1000)),
            std::string("\0\0\0\0\0\0\0\x07\x14\0\0\0\0\0\0\x03\xE8", 17));
  EXPECT_EQ(EncodeSpan(SpanOf(1000, 1300, {1002, 1004})),
            std::string("\x01\xAC\x02\x0E\x02\x02\x02", 7));
}

// As many exceptions as there may be, as far from each other as numbers of a partition are.
TEST_F(SpanRowsTest, TheLongestSpanFitsIntoItsRow) {
  const std::uint64_t first = FirstNumberOf(3).value();
  Span span = SpanOf(first, first + (std::uint64_t{1} << 47));
  for (std::uint64_t i = 1; i <= 1024; ++i) span.exceptions.emplace_back(first + (i << 37));

  const std::string record = EncodeSpan(span);

  EXPECT_LE(record.size(), kSpanBytesMax);
  EXPECT_EQ(*DecodeSpan(span.first, record), span);
}

TEST_F(SpanRowsTest, WhatNoSpanSaysIsDamage) {
  const auto record = [](std::uint64_t length, std::vector<std::uint64_t> distances) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.Byte(1);
    writer.Varint(length);
    WriteTime(writer, Timestamp());
    writer.Varint(distances.size());
    for (const std::uint64_t each : distances) writer.Varint(each);
    return bytes;
  };
  ASSERT_TRUE(Decode(10, record(5, {0, 5})).ok());

  for (const std::string& bad :
       {record(5, {2, 4}), record(5, {2, 0}), record(std::uint64_t{1} << 48, {}),
        record(~std::uint64_t{0}, {}), record(5, {2}) + 'x',
        record(10'000, std::vector<std::uint64_t>(9000, 1))}) {
    EXPECT_TRUE(Decode(10, bad).status().is_damage());
  }
}

TEST_F(SpanRowsTest, AnExpiryWritesItsSpanAndLeavesTheMessages) {  // TTL-1
  Send(4);

  Expire(SpanOf(1, 3));

  EXPECT_THAT(Spans(), ElementsAre(SpanOf(1, 3)));
  EXPECT_THAT(Messages(), ElementsAre(1, 2, 3, 4));
}

TEST_F(SpanRowsTest, ASpanGrowsInItsRowAndTakesThePlaceOfOthers) {
  Expire(SpanOf(10, 20));
  Expire(SpanOf(10, 25));
  Expire(SpanOf(30, 40));
  EXPECT_THAT(Spans(), ElementsAre(SpanOf(10, 25), SpanOf(30, 40)));

  Expire(SpanOf(5, 40, {27}), {SequenceNumber(10), SequenceNumber(30)});

  EXPECT_THAT(Spans(), ElementsAre(SpanOf(5, 40, {27})));
}

// Otherwise what no compaction came to would be there again.
TEST_F(SpanRowsTest, WithASpanGoesWhatItHid) {
  Send(9);
  Expire(SpanOf(2, 8, {4, 5, 7}));

  Commit({SpanForgotten{shelf_, SpanOf(2, 8, {4, 5, 7})}});

  EXPECT_THAT(Spans(), IsEmpty());
  EXPECT_THAT(Messages(), ElementsAre(1, 4, 5, 7, 9));
}

// In a partition each message waits in the track that is its own.
TEST_F(SpanRowsTest, WithASpanGoesItsOrder) {  // PAR-4
  constexpr std::uint8_t kPartition = 3;
  const std::uint64_t first = FirstNumberOf(kPartition).value();
  for (std::uint64_t number = first; number < first + 6; ++number) {
    auto message = std::make_shared<StoredMessage>();
    message->number = SequenceNumber(number);
    message->facts.track = kPartition;
    Commit({MessageEnqueued{shelf_, std::move(message)}});
  }
  Expire(SpanOf(first + 1, first + 4, {first + 3}));

  Commit({SpanForgotten{shelf_, SpanOf(first + 1, first + 4, {first + 3}), kPartition}});

  const auto view = store_.View();
  const auto rows = view->Scan(IdOf(Table::kOrder), ShelfRange(shelf_));
  std::vector<std::uint64_t> left;
  for (; rows->valid(); rows->Next()) {
    left.push_back(MessageOfOrderKey(rows->key())->number.value() - first);
  }
  EXPECT_THAT(left, ElementsAre(0, 3, 5));
  EXPECT_EQ(Messages().size(), 3U);
}

TEST_F(SpanRowsTest, TheSpansOfAPurgedShelfGoWithItsMessages) {  // PRG-1
  const Shelf next(shelf_.entity, shelf_.kind, 6);
  Send(4);
  Expire(SpanOf(1, 3));
  Commit({MessagesExpired{next, SequenceNumber(5), SequenceNumber(5), 0, 0, SpanOf(5, 5), {}}});

  Commit({LanePurged{shelf_}, ShelfReclaimFinished{shelf_}});

  EXPECT_THAT(Spans(), IsEmpty());
  EXPECT_THAT(Messages(), IsEmpty());
  EXPECT_THAT(Spans(next), ElementsAre(SpanOf(5, 5)));
}

TEST_F(SpanRowsTest, TheSpansOfADeletedEntityGoWithIt) {  // EPR-33
  const Shelf other(EntityId(8), LaneKind::kMain);
  Expire(SpanOf(1, 3));
  Commit({MessagesExpired{other, SequenceNumber(5), SequenceNumber(5), 0, 0, SpanOf(5, 5), {}}});

  Commit({EntityReclaimFinished{shelf_.entity}});

  EXPECT_THAT(Spans(), IsEmpty());
  EXPECT_THAT(Spans(other), ElementsAre(SpanOf(5, 5)));
}

}  // namespace
}  // namespace wharf
