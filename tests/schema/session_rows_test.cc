// Keys and records of sessions.

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "tests/schema/sample_records.h"

namespace wharf {
namespace {

const Shelf kShelf(EntityId(7), LaneKind::kMain, 3);

// In the order of their bytes (SES-22, SLS-5): beginnings of each other, zeros, bytes of 255.
std::vector<std::string> SessionIds() {
  using std::string;
  std::vector<string> ids = {string("\0", 1),
                             string("\0\0", 2),
                             string("\0\x01", 2),
                             string("\0\xFF", 2),
                             "\x01",
                             "A",
                             "a",
                             string("a\0", 2),
                             string("a\0b", 3),
                             "a\x01",
                             "aa",
                             "a\xFF",
                             "b",
                             "\xC3\xA9",
                             "\xFF",
                             "\xFF\xFF"};
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  return ids;
}

bool Contains(const KeyRange& range, const std::string& key) {
  return range.begin <= key && key < range.end;
}

TEST(SessionKeysTest, MessagesSortBySessionAndNumber) {
  std::vector<std::string> keys;
  for (const std::string& id : SessionIds()) {
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{255}, ~std::uint64_t{0}}) {
      keys.push_back(OrderKey(kShelf, id, SequenceNumber(number)));
      const auto message = MessageOfOrderKey(keys.back());
      ASSERT_TRUE(message);
      EXPECT_EQ(message->session, id);
      EXPECT_EQ(message->number, SequenceNumber(number));
    }
  }

  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(SessionKeysTest, ARangeHoldsTheMessagesOfOneSession) {
  for (const std::string& id : SessionIds()) {
    const KeyRange range = OrderRange(kShelf, id, SequenceNumber(5));
    for (const std::string& other : SessionIds()) {
      EXPECT_FALSE(Contains(range, OrderKey(kShelf, other, SequenceNumber(4))));
      EXPECT_EQ(Contains(range, OrderKey(kShelf, other, SequenceNumber(5))), id == other);
      EXPECT_EQ(Contains(range, OrderKey(kShelf, other, SequenceNumber(~std::uint64_t{0}))),
                id == other);
    }
  }
}

TEST(SessionKeysTest, WhatIsBehindASessionIsEverySessionWithAHigherId) {
  for (const std::string& id : SessionIds()) {
    const KeyRange messages = OrderRange(kShelf, std::optional(id));
    const KeyRange sessions = SessionRange(kShelf.entity, id);
    for (const std::string& other : SessionIds()) {
      EXPECT_EQ(Contains(messages, OrderKey(kShelf, other, SequenceNumber(9))), other > id);
      EXPECT_EQ(Contains(sessions, SessionKey(kShelf.entity, other)), other > id);
    }
  }
}

TEST(SessionKeysTest, OffersSortByNumberAndSession) {
  std::vector<std::string> keys;
  for (const std::uint64_t number : {0, 255, 256}) {
    for (const std::string& id : SessionIds()) {
      keys.push_back(OfferKey(kShelf, SequenceNumber(number), id));
      const auto offer = OfferOfKey(keys.back());
      ASSERT_TRUE(offer);
      EXPECT_EQ(std::tie(offer->session, offer->number), std::tuple(id, SequenceNumber(number)));
    }
  }

  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  const KeyRange from = OfferRange(kShelf, SequenceNumber(255), "a");
  for (const std::string& key : keys) {
    EXPECT_EQ(Contains(from, key), key >= OfferKey(kShelf, SequenceNumber(255), "a"));
  }
}

TEST(SessionKeysTest, RowsOfOtherShelvesAndEntitiesAreOutside) {
  const Shelf next(EntityId(7), LaneKind::kMain, 4);
  const SequenceNumber one(1);

  EXPECT_FALSE(Contains(ShelfRange(kShelf), OrderKey(next, "a", one)));
  EXPECT_FALSE(Contains(ShelfRange(kShelf), OfferKey(next, one, "a")));
  EXPECT_TRUE(Contains(EntityRange(EntityId(7)), OrderKey(next, "\xFF", one)));
  EXPECT_TRUE(Contains(EntityRange(EntityId(7)), SessionKey(EntityId(7), "\xFF")));
  EXPECT_FALSE(Contains(EntityRange(EntityId(7)), SessionKey(EntityId(8), "a")));
}

TEST(SessionKeysTest, APartOfAKeyIsNoKey) {
  const std::string order = OrderKey(kShelf, std::string("a\0b", 3), SequenceNumber(9));
  for (std::size_t size = 0; size < order.size(); ++size) {
    EXPECT_FALSE(MessageOfOrderKey(order.substr(0, size))) << size;
  }
  EXPECT_FALSE(MessageOfOrderKey(order + "x"));
  // Without a session nothing is a session's.
  EXPECT_FALSE(OfferOfKey(OfferKey(kShelf, SequenceNumber(9), "")));
  EXPECT_FALSE(SessionOfKey(SessionKey(EntityId(7), "")));
}

// Every beginning of the record, and the record with one byte more, is damage.
template <typename Decode>
void ExpectDamage(const std::string& record, Decode decode, std::size_t whole_from) {
  for (std::size_t size = 0; size < whole_from; ++size) {
    EXPECT_FALSE(decode(record.substr(0, size)).ok()) << size;
  }
  std::string other_version = record;
  other_version[0] = '\x7F';
  EXPECT_FALSE(decode(other_version).ok());
}

TEST(SessionRecordsTest, ASessionComesBackWithEveryField) {
  const SessionRow row{kSampleToken, Timestamp(Duration(-5)), Timestamp(Duration(1LL << 60)),
                       SequenceNumber(1ULL << 63)};

  const std::string record = EncodeSession(row);

  EXPECT_EQ(*DecodeSession(record), row);
  EXPECT_EQ(*DecodeSession(EncodeSession({})), SessionRow());
  ExpectDamage(record, DecodeSession, record.size());
  EXPECT_FALSE(DecodeSession(record + "x").ok());
}

TEST(SessionRecordsTest, AStateComesBack) {  // SST-1, SST-2
  for (const std::string& bytes : {std::string(), std::string("\0x\xFF", 3)}) {
    const std::string record = EncodeSessionState({Timestamp(Duration(9)), bytes});
    const auto state = DecodeSessionState(record);
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(state->bytes, bytes);
    EXPECT_EQ(state->updated_at, Timestamp(Duration(9)));
    ExpectDamage(record, DecodeSessionState, record.size() - bytes.size());
  }
}

TEST(SessionRecordsTest, AnOrderIsFreshReturnedOrDelayed) {
  for (const Standing standing : {Standing::kFresh, Standing::kReturned, Standing::kDelayed}) {
    EXPECT_EQ(*DecodeOrder(EncodeOrder(standing)), standing);
  }
  for (const Standing standing : {Standing::kLocked, Standing::kDeferred}) {
    EXPECT_FALSE(DecodeOrder(EncodeOrder(standing)).ok());
  }
  const std::string record = EncodeOrder(Standing::kFresh);
  ExpectDamage(record, DecodeOrder, record.size());
  EXPECT_FALSE(DecodeOrder(record + "x").ok());
}

TEST(SessionRecordsTest, ALockOfAMessageKnowsItsSession) {
  Lane::LockedRow row{kSampleToken, SampleLock()};
  row.lock.facts.session_id = std::string("a\0b", 3);
  row.lock.until = kNever;
  row.lock.was_deferred = true;

  const auto decoded = DecodeLocked(row.lock.number, EncodeLocked(row));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->lock.facts.session_id, row.lock.facts.session_id);
  EXPECT_EQ(decoded->lock.until, kNever);
  EXPECT_TRUE(decoded->lock.was_deferred);
}

}  // namespace
}  // namespace wharf
