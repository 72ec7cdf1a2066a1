#include "broker/reading/message_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/reading/peek_reader.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/message_record.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

constexpr LaneId kLane{EntityId(1), LaneKind::kMain};

class ReaderTest : public ::testing::Test {
 protected:
  void Put(Table table, const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(IdOf(table), key, value);
    ASSERT_TRUE(store_.Apply(batch).ok());
  }
  void PutMessage(std::uint64_t number, std::optional<BodyRef> body_ref = std::nullopt,
                  std::int64_t size = 10) {
    StoredMessage message;
    message.facts.size = size;
    message.facts.body_ref = body_ref;
    Put(Table::kMessages, MessageKey(kLane, SequenceNumber(number)), EncodeMessage(message));
  }
  Result<Contents> Read(std::uint64_t number) {
    return ReadContents(*store_.View(), kLane, {SequenceNumber(number)});
  }

  Result<PeekPage> Peek(std::uint64_t from, std::size_t messages_max, std::size_t bytes_max) {
    return ReadPeek(*store_.View(), {kLane, SequenceNumber(from), SequenceNumber(),
                                     PeekFilter::kAll, messages_max, bytes_max});
  }

  MemoryStore store_;
};

TEST_F(ReaderTest, ABodyIsPutTogetherFromItsRows) {
  const BodyRef body{EntityId(1), SequenceNumber(1), 6};
  PutMessage(1, body);
  Put(Table::kBodies, BodyKey(body, 0), "abc");
  Put(Table::kBodies, BodyKey(body, 1), "def");
  Put(Table::kBodies, BodyKey({EntityId(1), SequenceNumber(2), 3}, 0), "ghi");

  EXPECT_EQ(Read(1)->at(SequenceNumber(1))->message.body, "abcdef");
}

TEST_F(ReaderTest, AMissingPartOfABodyIsAnError) {
  const BodyRef body{EntityId(1), SequenceNumber(1), 6};
  PutMessage(1, body);
  Put(Table::kBodies, BodyKey(body, 0), "abc");

  EXPECT_EQ(Read(1).status().code(), ErrorCode::kGeneralError);
}

TEST_F(ReaderTest, ALengthOfABodyIsNotTrusted) {
  PutMessage(1, BodyRef{EntityId(1), SequenceNumber(1), ~std::uint64_t{0}});

  EXPECT_EQ(Read(1).status().code(), ErrorCode::kGeneralError);
}

TEST_F(ReaderTest, ALengthThatMayBeHeldIsNotTrusted) {
  PutMessage(1, BodyRef{EntityId(1), SequenceNumber(1), kHeldBodyBytesMax}, kHeldBodyBytesMax);

  EXPECT_EQ(Read(1).status().code(), ErrorCode::kGeneralError);
}

TEST_F(ReaderTest, ALargeBodyStaysWhereItIs) {
  const BodyRef body{EntityId(1), SequenceNumber(1), kHeldBodyBytesMax + 1};
  PutMessage(1, body, static_cast<std::int64_t>(body.size));

  const Result<Contents> read = Read(1);

  ASSERT_TRUE(read.ok());
  EXPECT_FALSE(read->at(SequenceNumber(1))->has_body());
  EXPECT_EQ(read->at(SequenceNumber(1))->facts.held_size(), 0);
}

TEST_F(ReaderTest, AChunkOfTheWrongLengthIsNone) {
  const BodyRef body{EntityId(1), SequenceNumber(1), kHeldBodyBytesMax + 3};
  Put(Table::kBodies, BodyKey(body, 0), std::string(kBodyChunkBytes, 'a'));
  Put(Table::kBodies, BodyKey(body, 1), std::string(kBodyChunkBytes - 1, 'b'));
  Put(Table::kBodies, BodyKey(body, 4), "ccc");
  const auto view = store_.View();

  EXPECT_EQ(ReadBodyChunk(*view, body, 0)->size(), kBodyChunkBytes);
  EXPECT_EQ(ReadBodyChunk(*view, body, 1).status().code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(ReadBodyChunk(*view, body, 2).status().code(), ErrorCode::kMessageLockLost);
  EXPECT_EQ(*ReadBodyChunk(*view, body, 4), "ccc");
}

TEST_F(ReaderTest, WhatIsNotThereIsLeftOut) {
  PutMessage(1);

  const auto contents = ReadContents(*store_.View(), kLane, {SequenceNumber(1), SequenceNumber(2)});

  EXPECT_EQ(contents->size(), 1U);
}

TEST_F(ReaderTest, ContentsAreFoundInAnyOrderAmongGapsAndTwice) {
  for (const std::uint64_t number : {1, 2, 3, 5, 8, 9, 12}) PutMessage(number);
  std::vector<SequenceNumber> wanted;
  for (const std::uint64_t number : {9, 4, 8, 2, 1, 13, 6, 2, 12, 7}) wanted.emplace_back(number);

  const auto contents = ReadContents(*store_.View(), kLane, wanted);

  std::vector<std::uint64_t> found;
  for (const auto& [number, message] : *contents) found.push_back(message->number.value());
  EXPECT_THAT(found, ::testing::UnorderedElementsAre(1, 2, 8, 9, 12));
}

TEST_F(ReaderTest, ADamagedMessageIsToldBesideTheOthers) {
  PutMessage(1);
  Put(Table::kMessages, MessageKey(kLane, SequenceNumber(2)), "\x09");
  PutMessage(3);

  const auto peeked = Peek(0, 10, 1000);
  const auto read =
      ReadWindow(*store_.View(), kLane, ReadFresh{SequenceNumber(1), SequenceNumber(4), 10, 1000});

  ASSERT_TRUE(peeked.ok());
  ASSERT_EQ(peeked->messages.size(), 3U);
  EXPECT_FALSE(peeked->messages[1].unreadable.empty());
  ASSERT_TRUE(read.ok());
  const auto& fresh = std::get<FreshBatch>(*read);
  EXPECT_EQ(fresh.messages.size(), 2U);
  ASSERT_EQ(fresh.unreadable.size(), 1U);
  EXPECT_EQ(fresh.unreadable[0].number, SequenceNumber(2));
  EXPECT_FALSE(fresh.unreadable[0].is_guess);
  EXPECT_EQ(fresh.covered, SequenceNumber(4));
}

TEST_F(ReaderTest, APeekIsBoundedInBytesButShowsOneMessageAlways) {  // PEEK-5
  for (std::uint64_t number = 1; number <= 5; ++number) PutMessage(number);

  const auto two = Peek(1, 10, 20);
  EXPECT_EQ(two->messages.size(), 2U);
  EXPECT_EQ(two->next, SequenceNumber(3));
  const auto one = Peek(3, 10, 1);
  EXPECT_EQ(one->messages.size(), 1U);
  EXPECT_EQ(one->next, SequenceNumber(4));
}

}  // namespace
}  // namespace wharf
