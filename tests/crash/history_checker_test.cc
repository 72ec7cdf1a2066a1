#include "tools/crash/history_checker.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_maker.h"

namespace wharf::crash {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr MessageId kOne{1, 1};
constexpr MessageId kTwo{1, 2};
constexpr MessageId kThree{1, 3};

std::vector<Rule> BrokenRules(HistoryMaker& run) {
  std::vector<Rule> rules;
  for (const Violation& violation : CheckHistory(run.history())) rules.push_back(violation.rule);
  return rules;
}

class HistoryCheckerTest : public testing::Test {
 protected:
  HistoryMaker run_;
};

// --- What may happen ---

TEST_F(HistoryCheckerTest, AMessageThatIsSentReceivedAndCompletedIsGood) {
  run_.Send(kOne);
  run_.Census({kOne});
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ASendWithoutAnAnswerMayHaveWorkedOrNot) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Send(kTwo, Answer::kUnknown);
  run_.Kill();
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ACompleteWithoutAnAnswerMayHaveWorkedOrNot) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Deliver(kOne, "a");
  run_.Deliver(kTwo, "b");
  run_.Settle("a", Verb::kComplete, Answer::kUnknown);
  run_.Settle("b", Verb::kComplete, Answer::kUnknown);
  run_.Kill();
  run_.Census({kTwo});
  run_.Settle("a", Verb::kComplete, Answer::kRefused);
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ALockThatEndsByItselfCountsOnce) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "b", {.count = 1});
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ALockThatNobodyHeardOfMayHaveCounted) {
  run_.Send(kOne);
  run_.ReceiveUnheard();
  run_.Kill();
  run_.Advance(kLockDuration);
  DeliveryRecord& delivery = run_.Deliver(kOne, "a", {.count = 1});
  delivery.enqueued_at -= kLockDuration;

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AReleasedMessageComesAgainAtOnceAndUncounted) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kRelease);
  run_.Deliver(kOne, "b", {.receiver = 2});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, WhatWasOnItsWayToAReceiverThatDeletesMayBeGone) {
  const QueueIndex drops = run_.AddConsumedQueue();
  run_.Send(kOne, Answer::kOk, drops);
  run_.ReceiveUnheard(Mode::kReceiveAndDelete, drops);
  run_.Kill();
  run_.Census({}, {}, drops);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AMessageOfADeletedQueueMayBeGone) {
  run_.Change(QueueVerb::kCreate, Answer::kOk);
  run_.Send(kOne);
  run_.Change(QueueVerb::kDelete, Answer::kUnknown);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

// --- I1 ---

TEST_F(HistoryCheckerTest, AnAcknowledgedMessageThatIsNotThereIsLost) {
  run_.Send(kOne);
  run_.Kill();
  run_.Census({});

  const Violations violations = CheckHistory(run_.history());

  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].rule, Rule::kNothingLost);
  EXPECT_EQ(violations[0].message, kOne);
  EXPECT_THAT(violations[0].story, HasSubstr("sent to orders, 10 bytes: ok"));
  EXPECT_THAT(violations[0].story, HasSubstr("life 1 ends by kill -9"));
}

TEST_F(HistoryCheckerTest, AMessageThatWasSeenIsLostAlthoughItsSendHadNoAnswer) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Kill();
  run_.Census({kOne});
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, AMessageThatWasOnlyReceivedIsLost) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, HalfAnAtomicBatchIsAViolationAlsoWithoutAnAnswer) {
  run_.SendAtomic({kOne, kTwo, kThree}, Answer::kUnknown);
  run_.Kill();
  run_.Census({kOne, kThree});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, MoreThanWhatWasOnItsWayToAReceiverThatDeletesIsLost) {
  const QueueIndex drops = run_.AddConsumedQueue();
  run_.Send(kOne, Answer::kOk, drops);
  run_.Send(kTwo, Answer::kOk, drops);
  run_.ReceiveUnheard(Mode::kReceiveAndDelete, drops);
  run_.Kill();
  run_.Census({}, {}, drops);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, AQueueThatIsNotThereAnyMoreIsLost) {
  run_.Change(QueueVerb::kCreate, Answer::kOk);
  run_.Kill();
  run_.List({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

// --- I2 ---

TEST_F(HistoryCheckerTest, AMessageThatNobodySentIsAGhost) {
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoGhost));
}

TEST_F(HistoryCheckerTest, ABodyThatChangedIsAGhost) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a").body.checksum = 4711;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoGhost));
}

TEST_F(HistoryCheckerTest, AMessageOfADeletedQueueInItsSuccessorIsAGhost) {
  const QueueIndex successor = run_.AddQueue({.name = "orders", .lock_duration = kLockDuration});
  run_.Send(kOne);
  run_.Change(QueueVerb::kDelete, Answer::kOk);
  run_.Change(QueueVerb::kCreate, Answer::kOk, successor);
  run_.Census({kOne}, {}, successor);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoGhost));
}

// --- I3 ---

TEST_F(HistoryCheckerTest, AMessageThatIsDeliveredAfterItsCompleteWasResurrected) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AMessageThatIsSeenAfterItsCompleteWasResurrected) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Kill();
  run_.Peek(kOne);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AMessageThatIsReceivedAndDeletedTwiceWasResurrected) {
  const QueueIndex drops = run_.AddConsumedQueue();
  run_.Send(kOne, Answer::kOk, drops);
  run_.Deliver(kOne, "", {.mode = Mode::kReceiveAndDelete, .queue = drops});
  run_.Kill();
  run_.Deliver(kOne, "", {.mode = Mode::kReceiveAndDelete, .queue = drops});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, ADeletedQueueThatIsThereAgainWasResurrected) {
  run_.Change(QueueVerb::kCreate, Answer::kOk);
  run_.Change(QueueVerb::kDelete, Answer::kOk);
  run_.Kill();
  run_.List({"orders"});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AMessageDoesNotComeBackFromTheDeadLetterQueue) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDeadLetter);
  run_.Deliver(kOne, "b", {.lane = Lane::kDeadLetter});
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "c");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

// --- I4 ---

TEST_F(HistoryCheckerTest, ALockDuringAnotherLockIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Advance(kLockDuration - seconds(1));
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistoryCheckerTest, ALockDuringARenewedLockIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Advance(seconds(4));
  run_.Renew("a");
  run_.Kill();
  run_.Advance(seconds(4));
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistoryCheckerTest, AnOldTokenThatSettlesAfterANewOneWasHandedOutIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Renew("a", Answer::kUnknown);
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "b", {.count = 1});
  run_.Settle("a", Verb::kAbandon);
  run_.Complete("b");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistoryCheckerTest, ATokenThatSettlesTwiceIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Complete("a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistoryCheckerTest, ATokenThatSettlesAfterItsLockEndedIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Advance(kLockDuration + seconds(1));
  run_.Complete("a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistoryCheckerTest, ATokenThatIsHandedOutTwiceIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "a", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kOneLock));
}

// --- I5 ---

TEST_F(HistoryCheckerTest, ANumberThatIsGivenTwiceIsAViolation) {
  run_.SendWithNumber(kOne, 1);
  run_.SendWithNumber(kTwo, 1);

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kOrder));
}

TEST_F(HistoryCheckerTest, ANumberThatFallsIsAViolation) {
  run_.SendWithNumber(kOne, 7);
  run_.Kill();
  run_.SendWithNumber({2, 1}, 3);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

TEST_F(HistoryCheckerTest, AnAtomicBatchWithAGapInItsNumbersIsAViolation) {
  run_.SendAtomic({kOne, kTwo}).messages[1].sequence_number = 5;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

TEST_F(HistoryCheckerTest, FirstDeliveriesOutOfOrderAreAViolation) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Deliver(kTwo, "b");
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

// --- I6 ---

TEST_F(HistoryCheckerTest, CountersThatDifferFromWhatIsThereAreAViolation) {
  run_.Send(kOne);
  run_.Census({kOne}).active_count = 2;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

TEST_F(HistoryCheckerTest, BytesThatDifferFromWhatIsThereAreAViolation) {
  run_.Send(kOne);
  run_.Census({kOne}).bytes += 1;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

// --- I7, I8 and case 4 ---

TEST_F(HistoryCheckerTest, AStartThatFailsIsAViolation) {
  run_.Kill().is_ready = false;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStartsAgain));
}

TEST_F(HistoryCheckerTest, AStartThatTakesTooLongIsAViolation) {
  run_.Kill().start = seconds(11);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStartsAgain));
}

TEST_F(HistoryCheckerTest, AStopThatTakesTooLongIsAViolation) {
  run_.Stop().stop = seconds(6);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStopsWhenAsked));
}

TEST_F(HistoryCheckerTest, AStopThatFailsIsAViolation) {
  run_.Stop().ended_cleanly = false;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStopsWhenAsked));
}

// --- I10 ---

TEST_F(HistoryCheckerTest, AMessageWhoseSendWasRefusedMustNotBeThere) {
  run_.Send(kOne, Answer::kRefused);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, AMessageKeepsTheNumberThatWasAcknowledged) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a").sequence_number = 9;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, ALockThatIsLostInACrashIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Settle("a", Verb::kComplete, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, ALockThatCannotBeRenewedBeforeItsEndIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Renew("a", Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, APropertyThatAnAbandonSetMustNotBeLost) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kAbandon, Answer::kOk, 17);
  run_.Kill();
  run_.Deliver(kOne, "b", {.count = 1, .mark = 0});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, ARequestWithoutAnAnswerWhileTheBrokerLivesIsAViolation) {
  run_.Send(kOne, Answer::kUnknown);
  History history = run_.history();
  history.sends[0].end = history.sends[0].begin + 1;

  const Violations violations = CheckHistory(history);

  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].rule, Rule::kAnswersHold);
}

TEST_F(HistoryCheckerTest, ARefusalThatNobodyAskedForIsAViolation) {
  run_.Change(QueueVerb::kUpdate, Answer::kRefused).reply.code = ErrorCode::kGeneralError;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, AnUpdateOfAQueueMustNotBeUndone) {
  run_.Change(QueueVerb::kUpdate, Answer::kOk, 0, 1);
  run_.Change(QueueVerb::kUpdate, Answer::kOk, 0, 2);
  run_.Kill();
  run_.Change(QueueVerb::kLook, Answer::kOk, 0, 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

// --- Case 51 ---

TEST_F(HistoryCheckerTest, ACrashMustNotAddToTheDeliveryCount) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "b", {.count = 2});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryCheckerTest, AnAcknowledgedAbandonMustCount) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kAbandon);
  run_.Kill();
  run_.Deliver(kOne, "b", {.count = 0, .receiver = 2});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryCheckerTest, AFirstDeliveryHasACountOfZero) {
  run_.Send(kOne);
  run_.Kill();
  run_.Deliver(kOne, "a", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryCheckerTest, AMessageGoesToTheDeadLetterQueueOnlyForAReason) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kAbandon);
  run_.Kill();
  run_.Deliver(kOne, "b", {.count = 1, .lane = Lane::kDeadLetter});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryCheckerTest, TheCountStandsStillInTheDeadLetterQueue) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDeadLetter);
  run_.Deliver(kOne, "b", {.lane = Lane::kDeadLetter});
  run_.Settle("b", Verb::kAbandon);
  run_.Deliver(kOne, "c", {.count = 1, .lane = Lane::kDeadLetter});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

}  // namespace
}  // namespace wharf::crash
