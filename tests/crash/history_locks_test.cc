// Who may hold a message, and how often that counts.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;

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
