// Who may hold a session, in which order its messages come, and what its state is.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class HistorySessionsTest : public HistoryCheckerTest {
 protected:
  HistorySessionsTest() { run_.SetSession("chat"); }

  DeliveryRecord& Deliver(const MessageId& id, const std::string& token, const std::string& session,
                          std::uint32_t count = 0) {
    return run_.Deliver(id, token, {.count = count, .session = session});
  }
  void Release(const std::string& session) { run_.UseSession(session, SessionVerb::kRelease); }
};

TEST_F(HistorySessionsTest, AHolderThatGoesOnAfterAKillIsRight) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Accept("chat", "s");
  run_.ReadState("s", 0);
  Deliver(kOne, "a", "s");
  run_.SetState("s", 1, {"a"});
  run_.Kill();
  run_.Accept("chat", "", Answer::kRefused);
  run_.ReadState("s", 1);
  Deliver(kTwo, "b", "s");
  run_.Settle("b", Verb::kAbandon);
  run_.UseSession("s", SessionVerb::kRenew);
  Deliver(kTwo, "c", "s", 1);
  Release("s");
  run_.Accept("chat", "t");
  run_.ReadState("t", 1);
  Deliver(kTwo, "d", "t", 1);
  run_.Advance(kLockDuration);
  run_.Accept("chat", "u");
  Deliver(kTwo, "e", "u", 2);
  run_.Complete("e");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

// --- I2 ---

TEST_F(HistorySessionsTest, AMessageStaysInItsSession) {
  run_.Send(kOne);
  run_.Peek(kOne).session = "other";

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoGhost));
}

// --- I4: one holder at a time ---

TEST_F(HistorySessionsTest, AnAcceptDuringAnotherLockIsAViolation) {
  run_.Accept("chat", "s");
  run_.Kill();
  run_.Advance(kLockDuration - seconds(1));
  run_.Accept("chat", "t");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistorySessionsTest, AnAcceptDuringARenewedLockIsAViolation) {
  run_.Accept("chat", "s");
  run_.Advance(seconds(4));
  run_.UseSession("s", SessionVerb::kRenew);
  run_.Kill();
  run_.Advance(seconds(4));
  run_.Accept("chat", "t");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistorySessionsTest, AnAcceptAfterAReleaseThatHadNoAnswerIsRight) {
  run_.Accept("chat", "s");
  run_.UseSession("s", SessionVerb::kRelease, Answer::kUnknown);
  run_.Kill();
  run_.Accept("chat", "t");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistorySessionsTest, ATokenThatWorksAfterTheSessionWasAcceptedAgainIsAViolation) {
  run_.Accept("chat", "s");
  run_.Advance(kLockDuration);
  run_.Accept("chat", "t");
  run_.ReadState("s", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistorySessionsTest, ATokenThatReceivesAfterTheSessionWasAcceptedAgainIsAViolation) {
  run_.Accept("chat", "s");
  run_.Advance(kLockDuration);
  run_.Accept("chat", "t");
  run_.ReceiveFromSession("s");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistorySessionsTest, ATokenThatWorksAfterItsEndIsAViolation) {
  run_.Accept("chat", "s");
  run_.Advance(kLockDuration + seconds(1));
  run_.ReadState("s", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistorySessionsTest, ATokenThatWorksAfterItsReleaseIsAViolation) {
  run_.Accept("chat", "s");
  Release("s");
  run_.Kill();
  run_.ReadState("s", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistorySessionsTest, ATokenThatIsHandedOutTwiceIsAViolation) {
  run_.Accept("chat", "s");
  run_.Advance(kLockDuration);
  run_.Accept("other", "s");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistorySessionsTest, AMessageMayNotBeDeliveredTwiceUnderOneSessionLock) {
  run_.Send(kOne);
  run_.Accept("chat", "s");
  Deliver(kOne, "a", "s");
  run_.Kill();
  Deliver(kOne, "b", "s", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

// --- SES-24: a lock survives a crash, and so does its end ---

TEST_F(HistorySessionsTest, ATokenThatIsRefusedBeforeItsEndIsAViolation) {
  run_.Accept("chat", "s");
  run_.Kill();
  run_.UseSession("s", SessionVerb::kGetState, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistorySessionsTest, AReceiveThatIsRefusedBeforeTheEndIsAViolation) {
  run_.Accept("chat", "s");
  run_.Advance(seconds(4));
  run_.UseSession("s", SessionVerb::kRenew);
  run_.Kill();
  run_.Advance(seconds(4));
  run_.ReceiveFromSession("s", Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistorySessionsTest, ASettlementThatIsRefusedBeforeTheEndIsAViolation) {
  run_.Send(kOne);
  run_.Accept("chat", "s");
  Deliver(kOne, "a", "s");
  run_.Kill();
  run_.Settle("a", Verb::kComplete, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistorySessionsTest, ATokenIsRefusedAfterItsEndOrItsRelease) {
  run_.Send(kOne);
  run_.Accept("chat", "s");
  Deliver(kOne, "a", "s");
  Release("s");
  run_.Kill();
  run_.Settle("a", Verb::kComplete, Answer::kRefused);
  run_.ReceiveFromSession("s", Answer::kRefused);
  run_.Accept("chat", "t");
  run_.Advance(kLockDuration);
  run_.UseSession("t", SessionVerb::kRenew, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistorySessionsTest, ASessionThatWasReleasedIsFreeAfterAKill) {
  run_.Accept("chat", "s");
  Release("s");
  run_.Kill();
  run_.Accept("chat", "", Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistorySessionsTest, ASessionWhoseLockEndedIsFree) {
  run_.Accept("chat", "s");
  run_.Advance(kLockDuration + seconds(1));
  run_.Accept("chat", "", Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

// --- I5, SES-10, SES-11 ---

TEST_F(HistorySessionsTest, FirstDeliveriesFollowTheNumbersAcrossLocks) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Accept("chat", "s");
  Deliver(kTwo, "b", "s");
  Release("s");
  run_.Kill();
  run_.Accept("chat", "t");
  Deliver(kOne, "a", "t");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

TEST_F(HistorySessionsTest, WhatAReceiveWithoutAnAnswerMayHaveTakenComesLater) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Accept("chat", "s");
  run_.ReceiveFromSession("s", Answer::kUnknown);
  run_.Kill();
  Deliver(kTwo, "b", "s");
  Release("s");
  run_.Accept("chat", "t");
  Deliver(kOne, "a", "t");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistorySessionsTest, SessionsHaveOrdersOfTheirOwn) {
  run_.Send(kOne);
  run_.SetSession("other");
  run_.Send(kTwo);
  run_.Accept("other", "s");
  Deliver(kTwo, "b", "s");
  run_.Accept("chat", "t");
  Deliver(kOne, "a", "t");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistorySessionsTest, AnAbandonedMessageComesBeforeLaterOnes) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Accept("chat", "s");
  Deliver(kOne, "a", "s");
  run_.Settle("a", Verb::kAbandon);
  run_.Kill();
  Deliver(kTwo, "b", "s");
  Deliver(kOne, "c", "s", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

TEST_F(HistorySessionsTest, AMessageWhoseSessionLockEndedComesBeforeLaterOnes) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Accept("chat", "s");
  Deliver(kOne, "a", "s");
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Accept("chat", "t");
  Deliver(kTwo, "b", "t");
  Deliver(kOne, "c", "t", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

// --- CNT-8, CNT-9 ---

TEST_F(HistorySessionsTest, AReleaseOfASessionDoesNotCount) {
  run_.Send(kOne);
  run_.Accept("chat", "s");
  Deliver(kOne, "a", "s");
  Release("s");
  run_.Accept("chat", "t");
  Deliver(kOne, "b", "t", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistorySessionsTest, TheEndOfASessionLockCounts) {
  run_.Send(kOne);
  run_.Accept("chat", "s");
  Deliver(kOne, "a", "s");
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Accept("chat", "t");
  Deliver(kOne, "b", "t", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

// --- Case 48 ---

TEST_F(HistorySessionsTest, AStateThatIsOlderThanTheOneAcknowledgedIsAViolation) {
  run_.Accept("chat", "s");
  run_.SetState("s", 1, {});
  run_.SetState("s", 2, {});
  run_.Kill();
  run_.ReadState("s", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistorySessionsTest, AStateThatIsLostIsAViolation) {
  run_.Accept("chat", "s");
  run_.SetState("s", 1, {});
  Release("s");
  run_.Kill();
  run_.Accept("chat", "t");
  run_.ReadState("t", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistorySessionsTest, AStateThatWasReadOnceMustStay) {
  run_.Accept("chat", "s");
  run_.SetState("s", 1, {}, Answer::kUnknown);
  run_.Kill();
  run_.ReadState("s", 1);
  run_.Kill();
  run_.ReadState("s", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistorySessionsTest, AStateThatNobodySetIsAViolation) {
  run_.Accept("chat", "s");
  run_.ReadState("s", 7);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoGhost));
}

TEST_F(HistorySessionsTest, AStateWhoseSetWasRefusedIsAViolation) {
  run_.Accept("chat", "s");
  Release("s");
  run_.SetState("s", 1, {}, Answer::kRefused);
  run_.Accept("chat", "t");
  run_.ReadState("t", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoGhost));
}

TEST_F(HistorySessionsTest, AStateOfAnotherSessionIsAViolation) {
  run_.Accept("chat", "s");
  run_.SetState("s", 1, {});
  run_.Accept("other", "t");
  run_.ReadState("t", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoGhost));
}

// --- a state and its completes ---

class StateWithCompleteTest : public HistorySessionsTest {
 protected:
  // A request that a kill left without an answer.
  StateWithCompleteTest() {
    run_.Send(kOne);
    run_.Send(kTwo);
    run_.Accept("chat", "s");
    Deliver(kOne, "a", "s");
    Deliver(kTwo, "b", "s");
    run_.SetState("s", 1, {"a", "b"}, Answer::kUnknown);
    run_.Kill();
    run_.Advance(seconds(1));
  }
};

TEST_F(StateWithCompleteTest, BothOrNoneIsRight) {
  run_.Census({kOne, kTwo});
  run_.ReadState("s", 0);
  run_.SetState("s", 2, {"a", "b"}, Answer::kUnknown);
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Census({});
  run_.ReadState("s", 2);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(StateWithCompleteTest, AStateWithoutItsCompletesIsAViolation) {
  run_.Census({kOne, kTwo});
  run_.ReadState("s", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold, Rule::kAnswersHold));
}

TEST_F(StateWithCompleteTest, CompletesWithoutTheirStateAreAViolation) {
  run_.Census({});
  run_.ReadState("s", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold, Rule::kAnswersHold));
}

TEST_F(StateWithCompleteTest, SomeOfTheCompletesAreAViolation) {
  run_.Census({kTwo});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

}  // namespace
}  // namespace wharf::crash
