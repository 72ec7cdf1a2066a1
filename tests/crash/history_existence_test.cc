// What must be there, what must not, and what must not come back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

TEST_F(HistoryCheckerTest, AStoryTellsWhoMayHaveTakenItAndWhatStruck) {
  const QueueIndex drops = run_.AddConsumedQueue();
  run_.Send(kOne, Answer::kOk, drops);
  run_.ReceiveUnheard(Mode::kReceiveAndDelete, drops).open_credit = 0;
  run_.Kill().fault = "leader-alone";
  run_.Census({}, {}, drops);

  const Violations violations = CheckHistory(run_.history());

  ASSERT_EQ(violations.size(), 1U);
  EXPECT_THAT(violations[0].story, HasSubstr("received and deleted there: unknown"));
  EXPECT_THAT(violations[0].story, HasSubstr("life 1 ends by leader-alone"));
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

}  // namespace
}  // namespace wharf::crash
