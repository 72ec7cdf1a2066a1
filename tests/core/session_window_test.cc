// A window of one session, moved by hand as a SessionBook moves it.

#include "broker/core/order/session_window.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

MessagePtr ContentOf(std::uint64_t number, std::int64_t size = 10) {
  auto message = std::make_shared<StoredMessage>();
  message->number = SequenceNumber(number);
  message->facts.size = size;
  return message;
}

WaitingMessage Fresh(std::uint64_t number, std::int64_t size = 10) {
  const MessagePtr content = ContentOf(number, size);
  return {content->number, {}, content->facts, Standing::kFresh, content};
}

// As it comes back from a lock: its content is to be read again.
WaitingMessage Back(std::uint64_t number, Standing standing = Standing::kReturned) {
  return {SequenceNumber(number), {}, ContentOf(number)->facts, standing, nullptr};
}

// A session of which nothing is in memory.
class SessionWindowFixture {
 public:
  explicit SessionWindowFixture(SessionWindowLimits limits = {}) : limits_(limits) {}

  SessionWindow& window() { return window_; }

  void Add(WaitingMessage message) { window_.Add(std::move(message), limits_); }
  void Remove(std::uint64_t number) { window_.Remove(SequenceNumber(number)); }
  void RemoveThrough(std::uint64_t number) { window_.RemoveThrough(SequenceNumber(number)); }
  // What is asked for next, which must be messages; 0: nothing is.
  std::uint64_t BeginRead() {
    const auto read = window_.NextRead("a", limits_);
    if (!read) return 0;
    from_ = std::get<ReadSession>(*read).from;
    return from_.value() + 1;
  }
  void EndRead(std::vector<WaitingMessage> messages, std::uint64_t covered = kEnd) {
    window_.Take(SessionBatch{from_, SequenceNumber(covered), std::move(messages)}, limits_);
  }
  // Numbers whose content is asked for next.
  std::vector<std::uint64_t> BeginContentRead() {
    const auto read = window_.NextRead("a", limits_);
    std::vector<std::uint64_t> numbers;
    for (const SequenceNumber number : std::get<ReadContent>(*read).numbers) {
      numbers.push_back(number.value());
    }
    return numbers;
  }
  void EndContentRead(std::vector<MessagePtr> messages) {
    window_.Take(ContentBatch{std::move(messages)}, limits_);
  }
  // All that can be delivered, lowest first.
  std::vector<std::uint64_t> PopAll() {
    std::vector<std::uint64_t> popped;
    while (window_.deliverable() != nullptr) popped.push_back(window_.PopFirst().number.value());
    return popped;
  }

  static constexpr std::uint64_t kEnd = ~std::uint64_t{0};

 private:
  const SessionWindowLimits limits_;
  SessionWindow window_{SequenceNumber()};
  SequenceNumber from_;
};

using Numbers = std::vector<std::uint64_t>;

TEST(SessionWindowTest, ContentIsReadAheadAsFarAsThereIsRoom) {
  SessionWindowFixture session({.messages_max = 8, .bytes_max = 25, .content_ahead = 8});
  session.BeginRead();
  session.EndRead({});
  for (std::uint64_t number = 1; number <= 5; ++number) session.Add(Back(number));

  EXPECT_EQ(session.BeginContentRead(), Numbers({1, 2, 3}));
}

TEST(SessionWindowTest, WhatFitsToTheByteStays) {
  SessionWindowFixture exact({.bytes_max = 30});
  SessionWindowFixture tight({.bytes_max = 29});
  for (SessionWindowFixture* session : {&exact, &tight}) {
    session->BeginRead();
    session->EndRead({});
    for (std::uint64_t number = 1; number <= 3; ++number) session->Add(Fresh(number));
  }

  EXPECT_EQ(exact.PopAll(), Numbers({1, 2, 3}));
  EXPECT_EQ(tight.PopAll(), Numbers({1, 2}));
}

TEST(SessionWindowTest, AsManyAsMayBeStay) {
  SessionWindowFixture session({.messages_max = 3});
  session.BeginRead();
  session.EndRead({});
  for (std::uint64_t number = 1; number <= 4; ++number) session.Add(Fresh(number));

  EXPECT_EQ(session.PopAll(), Numbers({1, 2, 3}));
}

TEST(SessionWindowTest, WhatIsDroppedIsReadAgain) {
  SessionWindowFixture session;
  session.BeginRead();
  session.EndRead({Fresh(3), Fresh(4)});
  session.window().Drop();

  EXPECT_EQ(session.window().bytes(), 0U);
  EXPECT_EQ(session.BeginRead(), 4U);
  session.EndRead({Fresh(3), Fresh(4)});
  EXPECT_EQ(session.PopAll(), Numbers({3, 4}));
}

TEST(SessionWindowTest, AReadThatWasUnderWayWhenAllWasDroppedIsThrownAway) {
  SessionWindowFixture session;
  session.BeginRead();
  session.EndRead({Fresh(1)}, 5);
  EXPECT_EQ(session.BeginRead(), 6U);
  session.window().Drop();
  session.EndRead({Fresh(5)});

  EXPECT_EQ(session.window().first(), nullptr);
  EXPECT_EQ(session.BeginRead(), 2U);
}

TEST(SessionWindowTest, ANewWindowKnowsNothingAndReadsFromItsFloor) {
  SessionWindow window{SequenceNumber(7)};

  EXPECT_FALSE(window.is_exhausted());
  EXPECT_TRUE(window.may_deliver());
  EXPECT_EQ(window.lower_bound(), SequenceNumber(7));
  EXPECT_EQ(std::get<ReadSession>(*window.NextRead("a", {})).from, SequenceNumber(7));
  EXPECT_FALSE(window.NextRead("a", {}));
}

// SES-10
TEST(SessionWindowTest, MessagesComeInTheOrderOfTheirNumbers) {
  SessionWindowFixture session;
  session.BeginRead();
  session.EndRead({Fresh(3), Fresh(5)});

  session.Add(Fresh(9));
  session.Add(Fresh(4));

  EXPECT_EQ(session.PopAll(), (Numbers{3, 4, 5, 9}));
  EXPECT_TRUE(session.window().is_exhausted());
}

TEST(SessionWindowTest, WhatComesWhileAReadIsUnderWayIsAddedToIt) {
  SessionWindowFixture session;
  session.BeginRead();
  session.Add(Fresh(8));

  session.EndRead({Fresh(3)});

  EXPECT_EQ(session.PopAll(), (Numbers{3, 8}));
}

TEST(SessionWindowTest, WhatComesBeyondWhatWasReadWaitsInTheStore) {
  SessionWindowFixture session;
  session.BeginRead();
  session.Add(Fresh(8));

  session.EndRead({Fresh(3)}, 4);

  EXPECT_EQ(session.PopAll(), (Numbers{3}));
  EXPECT_EQ(session.BeginRead(), 5u);
}

TEST(SessionWindowTest, WhatGoesWhileAReadIsUnderWayIsNotTakenFromIt) {
  SessionWindowFixture session;
  session.BeginRead();
  session.Remove(3);

  session.EndRead({Fresh(3), Fresh(5)});

  EXPECT_EQ(session.PopAll(), (Numbers{5}));
}

TEST(SessionWindowTest, WhatGoesAndComesBackMeanwhileIsTakenAsItCameBack) {
  SessionWindowFixture session;
  session.BeginRead();
  session.Remove(3);
  session.Add(Back(3, Standing::kDelayed));

  session.EndRead({Fresh(3), Fresh(5)});

  EXPECT_EQ(session.window().first()->standing, Standing::kDelayed);
  EXPECT_EQ(session.PopAll(), Numbers());
}

TEST(SessionWindowTest, WhatComesAndGoesMeanwhileIsGone) {
  SessionWindowFixture session;
  session.BeginRead();
  session.Add(Fresh(8));
  session.Remove(8);

  session.EndRead({Fresh(3), Fresh(8)});

  EXPECT_EQ(session.PopAll(), (Numbers{3}));
}

TEST(SessionWindowTest, AReadOfAPurgedSessionIsThrownAway) {
  SessionWindowFixture session;
  session.BeginRead();
  session.window().RemoveAll();
  session.Add(Fresh(9));

  session.EndRead({Fresh(3), Fresh(5)});

  EXPECT_EQ(session.PopAll(), (Numbers{9}));
  EXPECT_TRUE(session.window().is_exhausted());
}

// TTS-7
TEST(SessionWindowTest, AReadOfMessagesThatHaveExpiredIsThrownAway) {
  SessionWindowFixture session;
  session.BeginRead();
  session.RemoveThrough(4);

  session.EndRead({Fresh(3), Fresh(5)});

  EXPECT_EQ(session.PopAll(), Numbers());
  EXPECT_EQ(session.BeginRead(), 6u);
  session.EndRead({Fresh(5)});
  EXPECT_EQ(session.PopAll(), (Numbers{5}));
}

TEST(SessionWindowTest, WhatHasExpiredWhileItWaitedGoesAndTheRestStays) {
  SessionWindowFixture session;
  session.BeginRead();
  session.EndRead({Fresh(3), Fresh(5)});

  session.RemoveThrough(4);

  EXPECT_EQ(session.PopAll(), (Numbers{5}));
}

// SES-11
TEST(SessionWindowTest, AMessageThatComesBackIsFirstAgainOnceItIsRead) {
  SessionWindowFixture session;
  session.BeginRead();
  session.EndRead({Fresh(3), Fresh(5)});
  session.window().PopFirst();
  session.Add(Back(3));

  EXPECT_EQ(session.PopAll(), Numbers());
  EXPECT_TRUE(session.window().may_deliver());
  EXPECT_EQ(session.BeginContentRead(), (Numbers{3}));
  session.EndContentRead({ContentOf(3)});

  EXPECT_EQ(session.PopAll(), (Numbers{3, 5}));
}

TEST(SessionWindowTest, ContentOfAMessageThatWentMeanwhileIsNotKept) {
  SessionWindowFixture session;
  session.BeginRead();
  session.EndRead({Fresh(5)});
  session.Add(Back(3));
  session.BeginContentRead();
  session.Remove(3);

  session.EndContentRead({ContentOf(3)});

  EXPECT_EQ(session.PopAll(), (Numbers{5}));
}

TEST(SessionWindowTest, ContentIsReadForTheFirstFew) {
  SessionWindowFixture session({.content_ahead = 2});
  session.BeginRead();
  session.EndRead({});
  for (const std::uint64_t number : {3, 4, 5}) session.Add(Back(number));

  EXPECT_EQ(session.BeginContentRead(), (Numbers{3, 4}));
}

// RTY-5
TEST(SessionWindowTest, ADelayedMessageKeepsThoseBehindItBack) {
  SessionWindowFixture session;
  session.BeginRead();
  session.EndRead({Fresh(3), Fresh(5), Fresh(7)});
  session.Remove(5);
  session.Add(Back(5, Standing::kDelayed));

  EXPECT_EQ(session.PopAll(), (Numbers{3}));
  EXPECT_FALSE(session.window().may_deliver());
  EXPECT_FALSE(session.window().is_exhausted());

  session.Remove(5);
  EXPECT_EQ(session.PopAll(), (Numbers{7}));
}

TEST(SessionWindowTest, BeyondTheBoundTheHighestIsForgottenAndReadAgain) {
  SessionWindowFixture session({.messages_max = 2});
  session.BeginRead();
  session.EndRead({Fresh(3), Fresh(5)});

  session.Add(Fresh(4));

  EXPECT_EQ(session.PopAll(), (Numbers{3, 4}));
  EXPECT_FALSE(session.window().is_exhausted());
  EXPECT_EQ(session.BeginRead(), 6u);
}

TEST(SessionWindowTest, AReadIsThrownAwayIfTheWindowForgotWhatItGoesOnBehind) {
  SessionWindowFixture session({.messages_max = 4});
  session.BeginRead();
  session.EndRead({Fresh(2), Fresh(8)}, 9);
  EXPECT_EQ(session.BeginRead(), 10u);
  for (const std::uint64_t number : {3, 4, 5}) session.Add(Fresh(number));

  session.EndRead({Fresh(9)});

  EXPECT_EQ(session.PopAll(), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(session.BeginRead(), 9u);
}

TEST(SessionWindowTest, OneMessageLargerThanTheBoundIsKept) {
  SessionWindowFixture session({.bytes_max = 100});
  session.BeginRead();
  session.EndRead({Fresh(3, 5000)}, 4);

  EXPECT_EQ(session.BeginRead(), 0u);
  EXPECT_EQ(session.PopAll(), (Numbers{3}));
  EXPECT_EQ(session.BeginRead(), 5u);
}

}  // namespace
}  // namespace wharf
