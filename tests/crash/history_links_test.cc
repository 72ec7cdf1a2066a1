// What links of AMQP hold and hear: sessions without tokens, sends without numbers, times in whole
// milliseconds.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class HistoryLinksTest : public HistoryCheckerTest {
 protected:
  void AcceptByLink(const std::string& token) { run_.Accept("chat", token).is_of_link = true; }
  void Deliver(const std::string& token, const std::string& session, std::uint32_t count) {
    run_.Deliver(kOne, token, {.count = count, .session = session});
  }
  // A link gets a message of a session, lets go of it so much later, and another one has it.
  void ReleaseByLink(Duration later) {
    run_.SetSession("chat");
    run_.Send(kOne);
    AcceptByLink("s");
    Deliver("a", "s", 0);
    run_.Advance(later);
    run_.UseSession("s", SessionVerb::kRelease).began_at = run_.now();
    AcceptByLink("t");
  }
  // A session with a message that a link has got, and the broker is killed.
  void KillWhileALinkHolds() {
    run_.SetSession("chat");
    run_.Send(kOne);
    AcceptByLink("s");
    Deliver("a", "s", 0);
    run_.Kill();
  }
};

// --- sessions (SES-24)

TEST_F(HistoryLinksTest, WhatALinkHeldIsFreeAfterAKillAndNothingCounts) {
  KillWhileALinkHolds();
  AcceptByLink("t");
  Deliver("b", "t", 0);
  run_.Complete("b");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryLinksTest, ThatItCountsIsAViolation) {
  KillWhileALinkHolds();
  AcceptByLink("t");
  Deliver("b", "t", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryLinksTest, ItMayHaveCountedBeforeIfItsTimeWasOver) {
  run_.SetSession("chat");
  run_.Send(kOne);
  AcceptByLink("s");
  Deliver("a", "s", 0);
  run_.Advance(kLockDuration);
  run_.Kill();
  AcceptByLink("t");
  Deliver("b", "t", 1);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

// Its answer says nothing of that: commits may have taken longer than the lock.
TEST_F(HistoryLinksTest, ItMayHaveCountedIfALinkLetGoWhenItsTimeWasOver) {
  ReleaseByLink(kLockDuration);
  Deliver("b", "t", 1);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryLinksTest, ThatItCountsWhenALinkLetsGoInTimeIsAViolation) {
  ReleaseByLink(kLockDuration / 2);
  Deliver("b", "t", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryLinksTest, ThatItIsHeldAfterAKillIsAViolation) {
  KillWhileALinkHolds();
  run_.Accept("chat", "", Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryLinksTest, ItIsHeldWhileItsBrokerLives) {
  run_.SetSession("chat");
  AcceptByLink("s");
  run_.Accept("chat", "", Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryLinksTest, ThatTwoLinksHoldItIsAViolation) {
  run_.SetSession("chat");
  AcceptByLink("s");
  AcceptByLink("t");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistoryLinksTest, OneThatIsLeftMayBeFreeAtOnce) {
  run_.SetSession("chat");
  AcceptByLink("s");
  run_.UseSession("s", SessionVerb::kLeave);
  run_.Accept("chat", "", Answer::kRefused);
  AcceptByLink("t");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryLinksTest, OneThatIsLeftAndStaysHeldIsAViolation) {
  run_.SetSession("chat");
  AcceptByLink("s");
  run_.UseSession("s", SessionVerb::kLeave);
  run_.Advance(seconds(4));
  run_.Accept("chat", "", Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryLinksTest, ALinkThatLostItEndsAsAnyOther) {
  for (const SessionVerb end : {SessionVerb::kRelease, SessionVerb::kLeave}) {
    HistoryMaker run;
    run.SetSession("chat");
    run.Accept("chat", "s").is_of_link = true;
    run.Advance(kLockDuration);
    run.Accept("chat", "t").is_of_link = true;
    run.Advance(kLockDuration);
    run.UseSession("s", end);

    EXPECT_THAT(BrokenRules(run), IsEmpty());
  }
}

TEST_F(HistoryLinksTest, ThatATokenThatIsLostRenewsIsAViolation) {
  run_.SetSession("chat");
  AcceptByLink("s");
  run_.Advance(kLockDuration);
  AcceptByLink("t");
  run_.UseSession("s", SessionVerb::kRenew);

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kOneLock));
}

// --- what a sender is not told

TEST_F(HistoryLinksTest, AMessageMayHaveAnyNumberThatItsSenderWasNotTold) {
  run_.SendAtomic({kOne, kTwo}).messages[0].sequence_number = 0;
  History history = run_.history();
  for (SentMessage& sent : history.sends[0].messages) sent.sequence_number = 0;

  EXPECT_THAT(CheckHistory(history), IsEmpty());
}

TEST_F(HistoryLinksTest, OverAmqpNobodyKnowsWhatANodeThatStopsDidNotTake) {
  run_.Send(kOne, Answer::kUnknown);
  History history = run_.history();
  SendRecord& send = history.sends[0];
  history.lives[0].signal = send.begin;
  history.lives[0].is_killed = false;
  for (const ErrorCode code :
       {ErrorCode::kPartitionNotOwned, ErrorCode::kServiceCommunicationProblem}) {
    send.reply.code = code;
    send.hides_outcome = false;
    EXPECT_EQ(CheckHistory(history).size(), 1U);

    send.hides_outcome = true;
    EXPECT_THAT(CheckHistory(history), IsEmpty());
  }
}

// A broker that is alone has answered all that it has done when it has stopped in order.
TEST_F(HistoryLinksTest, WhatHasNoAnswerWhenItHasStoppedInOrderWasNotDone) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Stop();
  run_.Census({kOne});
  History history = run_.history();
  SendRecord& send = history.sends[0];
  send.hides_outcome = true;
  send.reply.code = ErrorCode::kServiceCommunicationProblem;
  send.messages[0].reply = send.reply;
  LifeRecord& life = history.lives[0];
  life.signal = send.begin;
  EXPECT_THAT(CheckHistory(history), IsEmpty());

  life.answers_all = true;
  EXPECT_THAT(CheckHistory(history), Not(IsEmpty()));
}

// --- times

TEST_F(HistoryLinksTest, ATimeMayBeToldInWholeMilliseconds) {
  run_.Advance(microseconds(300));
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kRelease);
  run_.Advance(microseconds(200));
  DeliveryRecord& over_amqp = run_.Deliver(kOne, "b");
  over_amqp.locked_until = Millisecond(over_amqp.locked_until);
  over_amqp.enqueued_at = Millisecond(over_amqp.enqueued_at);
  run_.Complete("b");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

// --- what was on its way

TEST_F(HistoryLinksTest, WhatWasOnItsWayToALinkThatWentCountsWhenItsLockEnds) {
  run_.Send(kOne);
  ReceiveRecord& receive = run_.ReceiveUnheard();
  receive.reply = {};
  receive.is_left = true;
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "a", {.count = 1}).enqueued_at -= kLockDuration;

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryLinksTest, WhatCameBackFromALinkThatWentIsOutOfOrder) {
  run_.Send(kOne);
  run_.Send(kTwo);
  ReceiveRecord& receive = run_.ReceiveUnheard();
  receive.reply = {};
  receive.is_left = true;
  run_.Deliver(kTwo, "a");
  run_.Deliver(kOne, "b");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

// The broker does not see at once that a client is gone.
TEST_F(HistoryLinksTest, WhatIsSentJustBehindItGoesThereAsWell) {
  ReceiveRecord& receive = run_.ReceiveUnheard();
  receive.reply = {};
  receive.is_left = true;
  run_.Advance(milliseconds(20));
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Deliver(kTwo, "a");
  run_.Deliver(kOne, "b");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryLinksTest, WhatIsSentLongBehindItDoesNot) {
  ReceiveRecord& receive = run_.ReceiveUnheard();
  receive.reply = {};
  receive.is_left = true;
  run_.Advance(2 * kGoneMargin);
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Deliver(kTwo, "a");
  run_.Deliver(kOne, "b");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

}  // namespace
}  // namespace wharf::crash
