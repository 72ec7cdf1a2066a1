// What readers bring of sessions, from rows as the broker writes them.

#include "broker/reading/session_reader.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "broker/schema/change_encoder.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "storage/memory/memory_commit_log.h"
#include "storage/memory/memory_store.h"

namespace wharf {
namespace {

constexpr SequenceNumber kNumbersEnd{std::numeric_limits<std::uint64_t>::max()};
using Numbers = std::vector<std::uint64_t>;

class SessionReaderTest : public ::testing::Test {
 protected:
  void Apply(const Change& change) {
    WriteBatch batch;
    Encode(Changes{change}, batch);
    log_.Append(std::move(batch), [](const Result<CommitIndex>&) {});
  }
  MessagePtr Enqueue(const std::string& session, std::uint64_t number, std::int64_t size = 10) {
    auto message = std::make_shared<StoredMessage>();
    message->number = SequenceNumber(number);
    message->message.session_id = session;
    message->message.body = std::string(static_cast<std::size_t>(size), 'b');
    message->facts.session_id = session;
    message->facts.size = size;
    Apply(MessageEnqueued{shelf_, message});
    return message;
  }
  // Fails, and rests.
  void Delay(const MessagePtr& message) {
    Apply(MessageLocked{
        shelf_, message->number, LockToken(1, 2), kNever, {}, message->facts, Standing::kFresh});
    Apply(MessageDelayed{
        shelf_, message->number, {1, nullptr}, message->facts, Timestamp(Duration(60))});
  }
  SessionBatch Read(const std::string& session, std::uint64_t from, std::size_t messages_max = 100,
                    std::size_t bytes_max = 10000) {
    const auto batch =
        ReadSessionWindow(*store_.View(), shelf_,
                          ReadSession{session, SequenceNumber(from), messages_max, bytes_max});
    EXPECT_TRUE(batch.ok()) << batch.status().ToString();
    return batch.ok() ? std::get<SessionBatch>(*batch) : SessionBatch{};
  }
  static Numbers NumbersOf(const SessionBatch& batch) {
    Numbers numbers;
    for (const WaitingMessage& message : batch.messages) numbers.push_back(message.number.value());
    return numbers;
  }

  const Shelf shelf_{EntityId(7), LaneKind::kMain, 2};
  MemoryStore store_;
  MemoryCommitLog log_{store_};
};

TEST_F(SessionReaderTest, OneSessionIsReadInOrder) {  // SES-10
  Enqueue("a", 5);
  Enqueue("aa", 2);
  Enqueue(std::string("a\0b", 3), 3);
  Enqueue("a", 4);

  const SessionBatch batch = Read("a", 0);

  EXPECT_EQ(NumbersOf(batch), (Numbers{4, 5}));
  EXPECT_EQ(batch.covered, kNumbersEnd);
  EXPECT_EQ(batch.messages[0].message->message.body, std::string(10, 'b'));
  EXPECT_EQ(NumbersOf(Read("a", 5)), (Numbers{5}));
  EXPECT_EQ(NumbersOf(Read("b", 0)), Numbers());
}

TEST_F(SessionReaderTest, AReadSaysHowFarItWent) {
  for (const std::uint64_t number : {3, 5, 9}) Enqueue("a", number, 100);

  EXPECT_EQ(NumbersOf(Read("a", 0, 2)), (Numbers{3, 5}));
  EXPECT_EQ(Read("a", 0, 2).covered, SequenceNumber(6));
  EXPECT_EQ(NumbersOf(Read("a", 0, 100, 1)), (Numbers{3}));
  EXPECT_EQ(Read("a", 0, 100, 1).covered, SequenceNumber(4));
  EXPECT_EQ(Read("a", 0, 3).covered, kNumbersEnd);
}

TEST_F(SessionReaderTest, ADelayedMessageIsThereWithItsCount) {  // RTY-5
  Delay(Enqueue("a", 3));
  Enqueue("a", 5);

  const SessionBatch batch = Read("a", 0);

  ASSERT_EQ(NumbersOf(batch), (Numbers{3, 5}));
  EXPECT_EQ(batch.messages[0].standing, Standing::kDelayed);
  EXPECT_EQ(batch.messages[0].delivery.count, 1U);
  EXPECT_EQ(batch.messages[1].standing, Standing::kFresh);
}

TEST_F(SessionReaderTest, LockedAndDeferredMessagesDoNotWait) {
  for (const std::uint64_t number : {3, 5}) {
    const MessagePtr message = Enqueue("a", number);
    Apply(MessageLocked{shelf_,
                        message->number,
                        LockToken(1, number),
                        kNever,
                        {},
                        message->facts,
                        Standing::kFresh});
    if (number == 5) Apply(MessageDeferred{shelf_, message->number, {}, message->facts});
  }

  EXPECT_EQ(NumbersOf(Read("a", 0)), Numbers());
}

TEST_F(SessionReaderTest, AMessageThatIsNotThereIsTold) {
  Enqueue("a", 3);
  WriteBatch batch;
  batch.SingleDelete(IdOf(Table::kMessages), MessageKey(shelf_, SequenceNumber(3)));
  log_.Append(std::move(batch), [](const Result<CommitIndex>&) {});

  const SessionBatch read = Read("a", 0);
  EXPECT_EQ(NumbersOf(read), Numbers());
  ASSERT_EQ(read.unreadable.size(), 1U);
  EXPECT_EQ(read.unreadable[0].number, SequenceNumber(3));
}

TEST_F(SessionReaderTest, OffersAreReadInTheOrderOfTheirNumbers) {  // SES-6
  Apply(SessionOffered{shelf_, SequenceNumber(9), "a"});
  Apply(SessionOffered{shelf_, SequenceNumber(3), "b"});
  Apply(SessionOffered{shelf_, SequenceNumber(3), "a"});
  Apply(SessionOffered{shelf_, SequenceNumber(1), "c"});
  Apply(SessionOfferWithdrawn{shelf_, SequenceNumber(1), "c"});

  const auto all = ReadSessionOffers(*store_.View(), shelf_, {{}, 9});
  const auto two = ReadSessionOffers(*store_.View(), shelf_, {{}, 2});

  using Places = std::vector<OfferPlace>;
  const OfferPlace a3{SequenceNumber(3), "a"};
  const OfferPlace b3{SequenceNumber(3), "b"};
  const OfferPlace a9{SequenceNumber(9), "a"};
  EXPECT_EQ(all->offers, (Places{a3, b3, a9}));
  EXPECT_EQ(all->covered, (OfferPlace{kNumbersEnd, ""}));
  EXPECT_EQ(two->offers, (Places{a3, b3}));
  EXPECT_EQ(two->covered, a9);
  EXPECT_EQ(ReadSessionOffers(*store_.View(), shelf_, {b3, 9})->offers, (Places{b3, a9}));
}

TEST_F(SessionReaderTest, WhatHasExpiredComesInPages) {  // TTS-7
  Delay(Enqueue("a", 3));
  for (const std::uint64_t number : {4, 5, 6}) Enqueue("a", number);

  const auto read = [this](std::uint64_t from, std::size_t messages_max) {
    return ReadExpiredOfSession(*store_.View(), shelf_, "a", SequenceNumber(from),
                                SequenceNumber(5), messages_max);
  };
  const auto page = read(0, 2);
  const auto all = read(0, 3);

  ASSERT_EQ(page->messages.size(), 2U);
  EXPECT_EQ(page->messages[0].standing, Standing::kDelayed);
  EXPECT_EQ(page->messages[0].available_at, Timestamp(Duration(60)));
  EXPECT_EQ(page->next, SequenceNumber(5));
  EXPECT_EQ(all->messages.size(), 3U);
  EXPECT_EQ(all->next, std::nullopt);
  const auto rest = read(5, 2);
  ASSERT_EQ(rest->messages.size(), 1U);
  EXPECT_EQ(rest->messages[0].message->number, SequenceNumber(5));
  EXPECT_EQ(rest->next, std::nullopt);
}

TEST_F(SessionReaderTest, AStateIsThereUntilItIsCleared) {  // SST-2
  const auto state = [this] { return *ReadSessionState(*store_.View(), EntityId(7), "a"); };
  EXPECT_FALSE(state());

  Apply(SessionStateSet{EntityId(7), "a", "", Timestamp(Duration(5))});
  ASSERT_TRUE(state());
  EXPECT_EQ(state()->bytes, "");

  Apply(SessionStateSet{EntityId(7), "a", std::nullopt, Timestamp(Duration(6))});
  EXPECT_FALSE(state());
}

}  // namespace
}  // namespace wharf
