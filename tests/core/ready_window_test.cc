// A window and the counters of its lane, moved by hand as a Lane moves them.

#include "broker/core/order/ready_window.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

// The instant at which some messages expire.
constexpr Timestamp kExpiry{std::chrono::hours(1)};

MessagePtr MessageOf(std::uint64_t number, std::int64_t size = 10, Timestamp expires_at = kNever) {
  auto message = std::make_shared<StoredMessage>();
  message->facts.expires_at = expires_at;
  message->number = SequenceNumber(number);
  message->facts.size = size;
  return message;
}

ReturnedRow RowOf(std::uint64_t number, std::int64_t size = 10) {
  ReturnedRow row;
  row.number = SequenceNumber(number);
  row.facts.size = size;
  return row;
}

// A lane of which only window and counters exist.
class WindowFixture {
 public:
  // With so many fresh messages in the store, and none in memory.
  explicit WindowFixture(WindowLimits limits, std::int64_t fresh = 0)
      : limits_(limits), counters_(CountersWith(fresh)), window_(counters_, limits_) {}

  ReadyWindow& window() { return window_; }
  LaneCounters& counters() { return counters_; }

  void Enqueue(std::int64_t size = 10, Timestamp expires_at = kNever) {
    window_.AddFresh(MessageOf(counters_.next_number.value(), size, expires_at), counters_);
    ++counters_.fresh;
    counters_.next_number = counters_.next_number.Next();
  }
  void Return(std::uint64_t number) {
    window_.AddReturned(RowOf(number), counters_);
    ++counters_.returned;
  }
  // So many expired, from `first` on, those that the span covers.
  void Expire(std::int64_t count, std::uint64_t first, std::uint64_t last,
              std::vector<SequenceNumber> exceptions = {}) {
    counters_.fresh -= count;
    window_.RemoveSpan({SequenceNumber(first), SequenceNumber(last), kExpiry, exceptions},
                       counters_);
    counters_.cursor = std::max(counters_.cursor, window_.lowest_fresh());
  }
  // The number of the head; 0 if there is none.
  std::uint64_t head() const {
    const auto* head = window_.head(counters_);
    return head == nullptr ? 0 : head->message->number.value();
  }
  std::uint64_t Pop() {
    const ReadyHead head = window_.PopHead(counters_);
    if (head.from == Standing::kReturned) {
      --counters_.returned;
    } else {
      --counters_.fresh;
      counters_.cursor = head.message->number.Next();
    }
    return head.message->number.value();
  }
  std::optional<WindowRead> NextRead(bool is_wanted = true) {
    return window_.NextRead(counters_, is_wanted);
  }
  template <typename Read>
  Read Expect() {
    const std::optional<WindowRead> read = NextRead();
    EXPECT_TRUE(read && std::holds_alternative<Read>(*read));
    return read && std::holds_alternative<Read>(*read) ? std::get<Read>(*read) : Read();
  }
  void TakeFresh(std::uint64_t from, std::uint64_t covered, std::vector<MessagePtr> messages) {
    window_.Take(FreshBatch{SequenceNumber(from), SequenceNumber(covered), std::move(messages)},
                 counters_);
  }
  void TakeReturned(SequenceNumber from, std::uint64_t covered, std::vector<ReturnedRow> rows) {
    window_.Take(ReturnedBatch{from, SequenceNumber(covered), std::move(rows)}, counters_);
  }
  void TakeContent(std::vector<MessagePtr> messages) {
    window_.Take(ContentBatch{std::move(messages)}, counters_);
  }

 private:
  static LaneCounters CountersWith(std::int64_t fresh) {
    LaneCounters counters;
    counters.fresh = fresh;
    counters.next_number = SequenceNumber(static_cast<std::uint64_t>(fresh) + 1);
    return counters;
  }

  const WindowLimits limits_;
  LaneCounters counters_;
  ReadyWindow window_;
};

constexpr std::uint64_t kEnd = ~std::uint64_t{0};

TEST(ReadyWindowTest, OnlyCountersThatAreCertainAreContradicted) {
  WindowFixture lane({}, 3);
  ASSERT_TRUE(lane.NextRead());
  lane.TakeFresh(1, 4, {MessageOf(1), MessageOf(2)});
  ASSERT_NE(lane.window().Contradiction(lane.counters()), nullptr);

  lane.counters().is_uncertain = true;

  EXPECT_EQ(lane.window().Contradiction(lane.counters()), nullptr);
}

TEST(ReadyWindowTest, WhatIsEnqueuedIsThereInOrder) {  // STA-1
  WindowFixture lane({});
  EXPECT_EQ(lane.head(), 0U);
  lane.Enqueue();
  lane.Enqueue();

  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Pop(), 2U);
  EXPECT_EQ(lane.head(), 0U);
  EXPECT_EQ(lane.window().bytes(), 0U);
}

// They may not be delivered before the fresh ones below them, which have no room.
TEST(ReadyWindowTest, BehindReturnedOnesThatFillItTheNextFreshOneIsRead) {
  WindowFixture lane({.messages_max = 2, .bytes_max = 20}, 5);
  lane.Return(8);
  lane.Return(9);
  lane.TakeContent({MessageOf(8), MessageOf(9)});
  ASSERT_EQ(lane.head(), 0U);

  const auto read = lane.Expect<ReadFresh>();

  EXPECT_EQ(read.messages_max, 1U);
  EXPECT_GE(read.bytes_max, 1U);
  lane.TakeFresh(read.from.value(), 2, {MessageOf(1)});
  EXPECT_EQ(lane.Pop(), 1U);
}

TEST(ReadyWindowTest, NothingIsReadForNobody) {
  WindowFixture lane({}, 5);

  EXPECT_EQ(lane.NextRead(false), std::nullopt);
  EXPECT_NE(lane.NextRead(true), std::nullopt);
}

TEST(ReadyWindowTest, OneReadIsUnderWayAtATime) {
  WindowFixture lane({}, 5);

  EXPECT_NE(lane.NextRead(), std::nullopt);
  EXPECT_EQ(lane.NextRead(), std::nullopt);
}

TEST(ReadyWindowTest, AfterLoadingTheHeadIsReadFromTheCursor) {
  WindowFixture lane({}, 2);
  EXPECT_EQ(lane.head(), 0U);

  const auto read = lane.Expect<ReadFresh>();
  EXPECT_EQ(read.from, SequenceNumber(1));
  EXPECT_EQ(read.until, SequenceNumber(3));
  lane.TakeFresh(1, 3, {MessageOf(1), MessageOf(2)});

  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Pop(), 2U);
  EXPECT_EQ(lane.NextRead(), std::nullopt);
}

TEST(ReadyWindowTest, WhatIsSentWhileReadingIsNotLost) {
  WindowFixture lane({}, 2);
  lane.Expect<ReadFresh>();

  lane.Enqueue();  // Not read: it is behind what was asked for.
  lane.TakeFresh(1, 3, {MessageOf(1), MessageOf(2)});

  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(3));
  lane.TakeFresh(3, 4, {MessageOf(3)});
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Pop(), 2U);
  EXPECT_EQ(lane.Pop(), 3U);
}

TEST(ReadyWindowTest, ItHoldsNoMoreMessagesThanAllowed) {
  WindowFixture lane({.messages_max = 3});
  for (int i = 0; i < 10; ++i) lane.Enqueue();
  EXPECT_EQ(lane.window().messages(), 3U);

  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.NextRead(), std::nullopt);  // More than half is there.
  EXPECT_EQ(lane.Pop(), 2U);
  const auto read = lane.Expect<ReadFresh>();

  EXPECT_EQ(read.from, SequenceNumber(4));
  EXPECT_EQ(read.messages_max, 2U);
}

TEST(ReadyWindowTest, ItHoldsNoMoreBytesThanAllowedButOneMessageAlways) {
  WindowFixture lane({.bytes_max = 100});
  lane.Enqueue(1000);
  lane.Enqueue(1);

  EXPECT_EQ(lane.window().messages(), 1U);
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(2));
}

TEST(ReadyWindowTest, WhatIsEnqueuedBehindAGapIsLeftToTheStore) {
  WindowFixture lane({.messages_max = 1});
  lane.Enqueue();
  lane.Enqueue();  // No room.
  lane.Pop();

  lane.Enqueue();  // Room, but 2 is not here.

  EXPECT_EQ(lane.head(), 0U);
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(2));
}

TEST(ReadyWindowTest, AReturnedMessageComesFirstWhenItsContentIsThere) {  // STA-2
  WindowFixture lane({});
  lane.Enqueue();
  lane.Enqueue();
  lane.Pop();

  lane.Return(1);
  EXPECT_EQ(lane.head(), 0U);  // Not 2: 1 comes first, and must be read.
  EXPECT_EQ(lane.Expect<ReadContent>().numbers, std::vector{SequenceNumber(1)});
  lane.TakeContent({MessageOf(1)});

  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Pop(), 2U);
}

TEST(ReadyWindowTest, AReturnedMessageKeepsItsDelivery) {
  WindowFixture lane({});
  lane.Enqueue();
  lane.Pop();
  ReturnedRow row = RowOf(1);
  row.delivery.count = 4;
  lane.window().AddReturned(row, lane.counters());
  ++lane.counters().returned;
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(1)});

  const ReadyHead* head = lane.window().head(lane.counters());

  ASSERT_NE(head, nullptr);
  EXPECT_EQ(head->from, Standing::kReturned);
  EXPECT_EQ(head->delivery.count, 4U);
}

TEST(ReadyWindowTest, AfterLoadingReturnedRowsAreReadBeforeFreshOnes) {
  WindowFixture lane({.messages_max = 10}, 3);
  lane.counters().returned = 2;
  lane.counters().cursor = SequenceNumber(10);

  const auto read = lane.Expect<ReadReturned>();
  EXPECT_EQ(read.from, SequenceNumber());
  EXPECT_EQ(read.messages_max, 10U);
  lane.TakeReturned(read.from, kEnd, {RowOf(4), RowOf(7)});

  EXPECT_EQ(lane.Expect<ReadContent>().numbers,
            (std::vector{SequenceNumber(4), SequenceNumber(7)}));
  lane.TakeContent({MessageOf(4), MessageOf(7)});
  EXPECT_EQ(lane.Pop(), 4U);
  EXPECT_EQ(lane.Pop(), 7U);
}

TEST(ReadyWindowTest, WhatReturnsWhileReturnedRowsAreReadIsNotLost) {
  WindowFixture lane({});
  lane.counters().returned = 1;
  const auto read = lane.Expect<ReadReturned>();

  lane.Return(2);  // The reader may not have seen it.
  lane.TakeReturned(read.from, kEnd, {RowOf(5)});

  EXPECT_EQ(lane.Expect<ReadContent>().numbers,
            (std::vector{SequenceNumber(2), SequenceNumber(5)}));
}

TEST(ReadyWindowTest, WhatReturnsWhileMoreAreReadLeavesNoGapBehindIt) {
  WindowFixture lane({.messages_max = 2});
  lane.counters().returned = 5;
  lane.TakeReturned(lane.Expect<ReadReturned>().from, 3, {RowOf(1), RowOf(2)});
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(1), MessageOf(2)});
  lane.Pop();
  lane.Pop();
  const auto read = lane.Expect<ReadReturned>();

  lane.Return(1);
  lane.Return(2);
  lane.TakeReturned(read.from, 5, {RowOf(3), RowOf(4)});

  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(1), MessageOf(2)});
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Pop(), 2U);
  EXPECT_EQ(lane.Expect<ReadReturned>().from, SequenceNumber(3));
}

TEST(ReadyWindowTest, WhatReturnsBehindTheWindowIsLeftToTheStore) {
  WindowFixture lane({.messages_max = 2});
  lane.counters().returned = 3;
  const auto read = lane.Expect<ReadReturned>();
  lane.TakeReturned(read.from, 6, {RowOf(1), RowOf(5)});

  lane.Return(9);

  EXPECT_EQ(lane.window().messages(), 2U);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(1), MessageOf(5)});
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Expect<ReadReturned>().from, SequenceNumber(6));
}

TEST(ReadyWindowTest, TheHighestGoesWhenALowerOneReturns) {
  WindowFixture lane({.messages_max = 2});
  lane.Return(5);
  lane.Return(7);

  lane.Return(1);

  EXPECT_EQ(lane.window().messages(), 2U);
  EXPECT_EQ(lane.Expect<ReadContent>().numbers,
            (std::vector{SequenceNumber(1), SequenceNumber(5)}));
  lane.TakeContent({MessageOf(1), MessageOf(5)});
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Expect<ReadReturned>().from, SequenceNumber(7));
}

TEST(ReadyWindowTest, AReadIsDiscardedIfTheWindowForgotMeanwhile) {
  WindowFixture lane({}, 2);
  lane.Expect<ReadFresh>();

  lane.window().Drop(lane.counters());
  lane.TakeFresh(1, 3, {MessageOf(1), MessageOf(2)});

  EXPECT_EQ(lane.head(), 0U);
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(1));
}

TEST(ReadyWindowTest, WhatLiesBelowTheCursorIsNotTaken) {
  WindowFixture lane({}, 3);
  lane.Expect<ReadFresh>();
  lane.counters().cursor = SequenceNumber(3);
  lane.counters().fresh = 1;

  lane.TakeFresh(1, 4, {MessageOf(1), MessageOf(2), MessageOf(3)});

  EXPECT_EQ(lane.Pop(), 3U);
}

TEST(ReadyWindowTest, WhatWasPassedIsNotTheHeadAgain) {
  WindowFixture lane({});
  lane.Return(3);
  lane.Return(5);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(3), MessageOf(5)});

  lane.window().PassHead();

  EXPECT_EQ(lane.head(), 5U);
  EXPECT_EQ(lane.window().passed(), 1U);
  EXPECT_EQ(lane.window().bytes(), 10U);
  lane.Pop();
  EXPECT_EQ(lane.head(), 0U);
  EXPECT_FALSE(lane.NextRead());
}

TEST(ReadyWindowTest, WhatComesBelowAPassedMessageIsTheNextHead) {
  WindowFixture lane({});
  lane.Return(3);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(3)});
  lane.window().PassHead();

  lane.Return(2);

  EXPECT_EQ(lane.Expect<ReadContent>().numbers, std::vector{SequenceNumber(2)});
  lane.TakeContent({MessageOf(2)});
  EXPECT_EQ(lane.Pop(), 2U);
}

TEST(ReadyWindowTest, APassedMessageThatIsGoneIsNotMissed) {
  WindowFixture lane({});
  lane.Return(3);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(3)});
  lane.window().PassHead();

  lane.window().Remove(SequenceNumber(3), Standing::kReturned);
  --lane.counters().returned;

  EXPECT_EQ(lane.window().passed(), 0U);
  EXPECT_FALSE(lane.NextRead());
}

// The window does not know it: it was neither passed nor read.
TEST(ReadyWindowTest, AMessageRightBehindAPassedOneThatIsGoneWasNotPassed) {
  WindowFixture lane({});
  lane.Return(3);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(3)});
  lane.window().PassHead();

  lane.window().Remove(SequenceNumber(4), Standing::kReturned);

  EXPECT_EQ(lane.window().passed(), 1U);
}

TEST(ReadyWindowTest, APassedMessageComesAgainWhenTheWindowIsDropped) {
  WindowFixture lane({});
  lane.Return(3);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(3)});
  lane.window().PassHead();

  lane.window().Drop(lane.counters());

  EXPECT_EQ(lane.window().passed(), 0U);
  EXPECT_EQ(lane.Expect<ReadReturned>().from, SequenceNumber());
}

// Else it would be read, and counted, twice.
TEST(ReadyWindowTest, AWindowThatShrinksBelowAPassedMessageBeginsAnew) {
  WindowFixture lane({.messages_max = 2});
  lane.Return(9);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(9)});
  lane.window().PassHead();

  for (const std::uint64_t number : {4, 5, 6}) lane.Return(number);

  EXPECT_EQ(lane.window().passed(), 0U);
  EXPECT_EQ(lane.window().messages(), 0U);
  EXPECT_EQ(lane.window().bytes(), 0U);
  EXPECT_EQ(lane.Expect<ReadReturned>().from, SequenceNumber());
}

TEST(ReadyWindowTest, DroppedItIsReadAgain) {
  WindowFixture lane({});
  lane.Enqueue();
  lane.Enqueue();
  lane.Pop();

  lane.window().Drop(lane.counters());

  EXPECT_EQ(lane.window().bytes(), 0U);
  EXPECT_EQ(lane.window().messages(), 0U);
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(2));
  lane.TakeFresh(2, 3, {MessageOf(2)});
  EXPECT_EQ(lane.Pop(), 2U);
}

TEST(ReadyWindowTest, ContentThatNobodyWaitsForIsIgnored) {
  WindowFixture lane({});
  lane.Return(1);
  lane.Expect<ReadContent>();

  lane.TakeContent({MessageOf(1), MessageOf(9)});

  EXPECT_EQ(lane.window().bytes(), 10U);
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.window().bytes(), 0U);
}

TEST(ReadyWindowTest, ContentIsReadAheadNotAFewAtATime) {
  WindowFixture lane({.content_ahead = 4});
  for (std::uint64_t number = 1; number <= 8; ++number) lane.Return(number);

  EXPECT_EQ(lane.Expect<ReadContent>().numbers.size(), 4U);
  lane.TakeContent({MessageOf(1), MessageOf(2), MessageOf(3), MessageOf(4)});
  EXPECT_EQ(lane.NextRead(), std::nullopt);
  lane.Pop();
  lane.Pop();
  EXPECT_EQ(lane.NextRead(), std::nullopt);  // The gap is still far.
  lane.Pop();
  EXPECT_EQ(lane.Expect<ReadContent>().numbers.size(), 3U);
}

// Those that returned may be above the cursor: they were taken by their numbers.
TEST(ReadyWindowTest, TheHeadIsTheFirstOfThoseAhead) {  // DUP-9
  WindowFixture lane({});
  for (int i = 0; i < 3; ++i) lane.Enqueue();
  lane.window().Remove(SequenceNumber(2), Standing::kFresh);
  --lane.counters().fresh;
  lane.Return(2);
  lane.Expect<ReadContent>();
  lane.TakeContent({MessageOf(2)});

  std::vector<std::uint64_t> ahead;
  for (const MessagePtr& each : lane.window().Ahead(2)) ahead.push_back(each->number.value());
  EXPECT_EQ(ahead, std::vector<std::uint64_t>({1, 2}));
  EXPECT_EQ(lane.head(), 1U);
}

TEST(ReadyWindowTest, ContentStopsAtTheBytesAllowedButTheHeadIsAlwaysRead) {
  WindowFixture lane({.bytes_max = 5});
  lane.Return(1);
  lane.Return(2);

  EXPECT_EQ(lane.Expect<ReadContent>().numbers, std::vector{SequenceNumber(1)});
}

TEST(ReadyWindowTest, ALargeBodyTakesNoRoom) {
  constexpr std::int64_t kBytes = 100 * 1024 * 1024;
  WindowFixture lane({.messages_max = 10, .bytes_max = 1000});
  auto message = std::make_shared<StoredMessage>();
  message->number = SequenceNumber(1);
  message->facts.size = kBytes + 20;
  message->facts.body_ref = BodyRef{EntityId(1), SequenceNumber(1), kBytes};

  lane.window().AddFresh(message, lane.counters());
  EXPECT_EQ(lane.window().bytes(), 20U);

  ++lane.counters().fresh;
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.window().bytes(), 0U);
}

TEST(ReadyWindowTest, WhatExpiredTogetherIsNotInItAnyMore) {  // TTL-6
  WindowFixture lane({});
  for (int i = 0; i < 6; ++i) lane.Enqueue();

  lane.Expire(3, 2, 5, {SequenceNumber(4)});

  EXPECT_EQ(lane.window().messages(), 3U);
  EXPECT_EQ(lane.window().bytes(), 30U);
  EXPECT_EQ(lane.Pop(), 1U);
  EXPECT_EQ(lane.Pop(), 4U);
  EXPECT_EQ(lane.Pop(), 6U);
  EXPECT_EQ(lane.window().Contradiction(lane.counters()), nullptr);
}

// Nobody ever received from it.
TEST(ReadyWindowTest, TheCursorGoesBehindWhatExpired) {
  WindowFixture lane({}, 100);

  lane.Expire(50, 1, 50);
  EXPECT_EQ(lane.counters().cursor, SequenceNumber(51));
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(51));

  lane.Expire(30, 1, 80);
  EXPECT_EQ(lane.counters().cursor, SequenceNumber(81));
}

TEST(ReadyWindowTest, TheCursorStaysAtWhatMayStillBeThere) {
  WindowFixture lane({}, 100);

  lane.Expire(50, 1, 52, {SequenceNumber(20), SequenceNumber(30)});

  EXPECT_EQ(lane.counters().cursor, SequenceNumber(20));
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(20));
}

TEST(ReadyWindowTest, TheCursorStaysAtWhatIsInMemory) {
  WindowFixture lane({});
  for (int i = 0; i < 20; ++i) lane.Enqueue();

  lane.Expire(10, 11, 20);

  EXPECT_EQ(lane.counters().cursor, SequenceNumber(1));
  EXPECT_EQ(lane.Pop(), 1U);
}

TEST(ReadyWindowTest, WhatExpiredBehindItIsLeftToTheReader) {
  WindowFixture lane({}, 100);

  lane.Expire(50, 41, 90);

  EXPECT_EQ(lane.counters().cursor, SequenceNumber(1));
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(1));
}

// What is sent then is the head at once.
TEST(ReadyWindowTest, WhenAllExpiredNothingHasToBeRead) {
  WindowFixture lane({}, 100);

  lane.Expire(100, 1, 100, {SequenceNumber(50)});
  lane.Enqueue();

  EXPECT_EQ(lane.counters().cursor, SequenceNumber(101));
  EXPECT_EQ(lane.NextRead(), std::nullopt);
  EXPECT_EQ(lane.Pop(), 101U);
}

// While messages expire in turn after turn, receivers go on.
TEST(ReadyWindowTest, OfAReadUnderWayItTakesWhatLiesBehindWhatExpired) {
  WindowFixture lane({}, 30);
  ASSERT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(1));

  lane.Expire(10, 1, 10);
  lane.TakeFresh(1, 12, {MessageOf(9), MessageOf(10), MessageOf(11)});

  EXPECT_EQ(lane.head(), 11U);
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(12));
}

TEST(ReadyWindowTest, AReadThatEndsInWhatExpiredIsDiscarded) {
  WindowFixture lane({}, 30);
  ASSERT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(1));

  lane.Expire(20, 1, 20);
  lane.TakeFresh(1, 12, {MessageOf(9), MessageOf(10), MessageOf(11)});

  EXPECT_EQ(lane.head(), 0U);
  EXPECT_EQ(lane.Expect<ReadFresh>().from, SequenceNumber(21));
}

TEST(ReadyWindowTest, ExpiredHeadsAreARunUpToTheFirstThatIsNot) {  // TTL-6
  WindowFixture lane({});
  for (int i = 0; i < 5; ++i) lane.Enqueue(7, kExpiry);
  lane.Enqueue();
  lane.Enqueue(7, kExpiry);

  const MessageRun run = lane.window().ReadyRun(kExpiry, MessageRun::Between::kGone);

  EXPECT_EQ(run.first, SequenceNumber(1));
  EXPECT_EQ(run.last, SequenceNumber(5));
  EXPECT_EQ(run.count, 5);
  EXPECT_EQ(run.bytes, 35);
  EXPECT_EQ(lane.window().ReadyRun(kExpiry - Duration(1), MessageRun::Between::kGone).count, 0);
}

}  // namespace
}  // namespace wharf
