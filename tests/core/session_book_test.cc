// A book of sessions, moved by hand as a Lane and readers move it.

#include "broker/core/order/session_book.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace wharf {
namespace {

constexpr SequenceNumber kEnd{std::numeric_limits<std::uint64_t>::max()};
constexpr Timestamp kNow{Duration(1000)};
constexpr Timestamp kUntil{Duration(2000)};

class SessionBookTest : public ::testing::Test {
 protected:
  WaitingMessage In(const std::string& session, std::uint64_t number,
                    Standing standing = Standing::kFresh) {
    auto content = std::make_shared<StoredMessage>();
    content->number = SequenceNumber(number);
    content->facts.session_id = session;
    content->facts.size = 10;
    return {content->number, {}, content->facts, standing, content};
  }
  void Add(const std::string& session, std::uint64_t number, Standing standing = Standing::kFresh) {
    book_.Add(In(session, number, standing), changes_);
  }
  void Remove(const std::string& session, std::uint64_t number, Standing from) {
    book_.Remove(session, SequenceNumber(number), from, changes_);
  }
  Session& Hold(const std::string& session) {
    return book_.Hold(session, LockToken(1, ++tokens_), kUntil, kNow, changes_);
  }
  // Nothing is in the store: all that is asked for is brought, and is nothing.
  void ReadNothing() {
    if (const auto offers = book_.NextOffersRead()) {
      book_.TakeOffers({offers->from, {kEnd, ""}, {}});
    }
    for (const auto& [serial, read] : book_.NextLooks(10)) {
      const auto* messages = std::get_if<ReadSession>(&read);
      if (messages == nullptr) continue;
      book_.TakeRead(*book_.Find(serial), SessionBatch{messages->from, kEnd, {}});
    }
  }
  // The id of the next session; empty if there is none.
  std::string Next() {
    const Session* next = book_.Next(changes_);
    return next == nullptr ? "" : next->id();
  }
  template <typename T>
  std::size_t Count() const {
    std::size_t count = 0;
    for (const Change& change : changes_) count += std::holds_alternative<T>(change) ? 1 : 0;
    return count;
  }

  const SessionLimits limits_{};
  Changes changes_;
  std::uint64_t tokens_ = 0;
  SessionBook book_{Shelf(EntityId(1), LaneKind::kMain), {}, limits_};
};

TEST_F(SessionBookTest, NothingIsNextBeforeTheOffersAreRead) {
  EXPECT_EQ(Next(), "");
  EXPECT_TRUE(book_.may_have_next());

  ReadNothing();

  EXPECT_FALSE(book_.may_have_next());
}

TEST_F(SessionBookTest, WhatWasOfferedInRowsThatAreLostIsOfferedAgain) {
  Add("a", 5);  // Beyond what is in memory: a reader would bring it.
  const auto read = book_.NextOffersRead();
  ASSERT_TRUE(read);

  book_.TakeOffers({read->from, {kEnd, ""}, {}, /*lost_some=*/true});

  Add("a", 7);
  EXPECT_EQ(Count<SessionOffered>(), 2U);
}

TEST_F(SessionBookTest, TheNextIsTheOneWithTheLowestMessage) {  // SES-6
  ReadNothing();
  Add("b", 2);
  Add("a", 3);
  EXPECT_EQ(Next(), "");
  // Bodies that are in memory when they are sent are offered only; the session is read.
  auto looks = book_.NextLooks(10);
  ASSERT_EQ(looks.size(), 2U);
  for (const auto& [serial, read] : looks) {
    Session& session = *book_.Find(serial);
    const std::uint64_t number = session.id() == "b" ? 2 : 3;
    book_.TakeRead(
        session, SessionBatch{std::get<ReadSession>(read).from, kEnd, {In(session.id(), number)}});
  }

  EXPECT_EQ(Next(), "b");
  Hold("b");
  EXPECT_EQ(Next(), "a");
}

TEST_F(SessionBookTest, ASessionIsOfferedOnceForItsLowestMessage) {
  Add("a", 3);
  Add("a", 4);
  EXPECT_EQ(Count<SessionOffered>(), 1U);

  Add("a", 2, Standing::kReturned);

  EXPECT_EQ(Count<SessionOffered>(), 2U);
}

TEST_F(SessionBookTest, ADelayedMessageIsNoOffer) {  // RTY-5
  Add("a", 3, Standing::kDelayed);
  EXPECT_EQ(Count<SessionOffered>(), 0U);

  // Whatever it kept back may be delivered now.
  Remove("a", 3, Standing::kDelayed);

  EXPECT_EQ(Count<SessionOffered>(), 1U);
}

TEST_F(SessionBookTest, WhatIsHeldIsNotOffered) {  // SES-8
  ReadNothing();
  Hold("a");

  Add("a", 3);

  EXPECT_EQ(Count<SessionOffered>(), 0U);
  EXPECT_FALSE(book_.may_have_next());
}

TEST_F(SessionBookTest, WhatComesBackIsOfferedIfSomethingMayWait) {
  ReadNothing();
  Session& session = Hold("a");
  const auto read = book_.NextRead(session);
  book_.TakeRead(session, SessionBatch{std::get<ReadSession>(*read).from, kEnd, {}});
  book_.Unhold(session, SessionEndCause::kReleased, changes_);
  EXPECT_EQ(Count<SessionOffered>(), 0U);

  book_.Unhold(Hold("b"), SessionEndCause::kReleased, changes_);

  EXPECT_EQ(Count<SessionOffered>(), 1U);
  EXPECT_EQ(book_.Find("b"), nullptr);
}

// The trace says that nothing waits: no read would ever come.
TEST_F(SessionBookTest, AStaleOfferOfAnEmptySessionIsWithdrawnWithoutARead) {
  ReadNothing();
  Add("a", 3);
  Add("a", 2, Standing::kReturned);
  Session& session = Hold("a");
  const auto read = book_.NextRead(session);
  book_.TakeRead(session, SessionBatch{std::get<ReadSession>(*read).from, kEnd, {}});
  book_.Unhold(session, SessionEndCause::kReleased, changes_);

  EXPECT_EQ(Next(), "");

  EXPECT_FALSE(book_.may_have_next());
}

// RTY-5: an offer from before does not say where to begin to read.
TEST_F(SessionBookTest, AStaleOfferDoesNotHideADelayedMessage) {
  ReadNothing();
  Add("a", 3);
  Add("a", 2, Standing::kReturned);
  Session& session = Hold("a");
  const auto read = book_.NextRead(session);
  book_.TakeRead(session, SessionBatch{std::get<ReadSession>(*read).from,
                                       kEnd,
                                       {In("a", 2, Standing::kDelayed), In("a", 3)}});
  book_.Unhold(session, SessionEndCause::kReleased, changes_);

  const auto looks = book_.NextLooks(10);

  ASSERT_EQ(looks.size(), 1U);
  EXPECT_LE(std::get<ReadSession>(looks[0].second).from, SequenceNumber(2));
}

TEST_F(SessionBookTest, AReadOfASessionThatCameBackMeanwhileFitsNoOther) {
  Session& first = Hold("a");
  const SessionSerial serial = first.serial();
  ASSERT_TRUE(book_.NextRead(first));
  book_.Unhold(first, SessionEndCause::kReleased, changes_);

  const Session& second = Hold("a");

  EXPECT_EQ(book_.Find(serial), nullptr);
  EXPECT_NE(second.serial(), serial);
}

TEST_F(SessionBookTest, APurgeEmptiesWhatIsHeldAndForgetsTheRest) {
  ReadNothing();
  Add("b", 2);
  static_cast<void>(book_.NextLooks(10));
  Session& session = Hold("a");
  Add("a", 3);
  book_.NoteLocked("a", SequenceNumber(1), LockToken(9, 9));
  static_cast<void>(book_.TakeStirred());

  book_.Purge(Shelf(EntityId(1), LaneKind::kMain, 1));

  EXPECT_EQ(book_.Find("b"), nullptr);
  EXPECT_TRUE(session.is_held());
  EXPECT_TRUE(session.window().is_exhausted());
  EXPECT_TRUE(session.in_flight().empty());
  EXPECT_EQ(book_.TakeStirred(), std::vector<SessionSerial>{session.serial()});
  EXPECT_FALSE(book_.may_have_next());
}

TEST_F(SessionBookTest, LocksEndInTheOrderOfTheirTimes) {  // SES-9
  Session& first = Hold("a");
  Session& second = Hold("b");
  book_.Renew(first, kUntil + Duration(5), changes_);

  EXPECT_EQ(book_.next_deadline(), kUntil);
  EXPECT_EQ(book_.EndedBy(kUntil, 9), std::vector<SessionSerial>{second.serial()});
  EXPECT_EQ(book_.EndedBy(kUntil + Duration(5), 9).size(), 2U);
  EXPECT_EQ(book_.EndedBy(kUntil + Duration(5), 1).size(), 1U);
  book_.BeginEnd(second);
  EXPECT_EQ(book_.next_deadline(), kUntil + Duration(5));
}

TEST_F(SessionBookTest, AnExpiryIsRememberedForAsLongAsSomethingMayComeBack) {  // TTS-3, TTS-7
  Session& session = Hold("a");
  book_.Expire("a", SequenceNumber(5), changes_);
  EXPECT_EQ(book_.TakeExpired(), std::vector<std::string>{"a"});

  book_.FinishExpiry("a", SequenceNumber(5), changes_);

  EXPECT_TRUE(book_.IsExpired("a", SequenceNumber(5)));
  EXPECT_FALSE(book_.IsExpired("a", SequenceNumber(6)));
  EXPECT_FALSE(book_.IsExpired("b", SequenceNumber(5)));
  EXPECT_EQ(Count<SessionExpiryFinished>(), 0U);
  book_.Unhold(session, SessionEndCause::kReleased, changes_);
  EXPECT_FALSE(book_.IsExpired("a", SequenceNumber(5)));
}

TEST_F(SessionBookTest, ALaterExpiryIsNotFinishedByAnEarlierOne) {  // TTS-7
  book_.Expire("a", SequenceNumber(5), changes_);
  book_.Expire("a", SequenceNumber(9), changes_);

  book_.FinishExpiry("a", SequenceNumber(5), changes_);

  EXPECT_TRUE(book_.IsExpired("a", SequenceNumber(9)));
  book_.FinishExpiry("a", SequenceNumber(9), changes_);
  EXPECT_FALSE(book_.IsExpired("a", SequenceNumber(9)));
  EXPECT_EQ(Count<SessionExpiryFinished>(), 1U);
}

TEST(LoadedSessionBookTest, HoldersAndExpiriesComeBack) {  // SES-24
  const SessionLimits limits;
  const SessionRow held{LockToken(1, 2), kUntil, kNow, SequenceNumber()};
  const SessionRow expired{LockToken(), Timestamp(), Timestamp(), SequenceNumber(5)};

  SessionBook book(Shelf(EntityId(1), LaneKind::kMain), {{"a", held}, {"b", expired}}, limits);

  EXPECT_EQ(book.FindHeld(LockToken(1, 2))->id(), "a");
  EXPECT_EQ(book.next_deadline(), kUntil);
  EXPECT_EQ(book.held(), 1U);
  EXPECT_EQ(book.Find("b"), nullptr);
  EXPECT_TRUE(book.has_expired());
  EXPECT_EQ(book.ExpiredThrough("b"), SequenceNumber(5));
}

}  // namespace
}  // namespace wharf
