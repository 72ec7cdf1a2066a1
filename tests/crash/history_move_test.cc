// Scheduled messages that were moved to another time, or activated.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(HistoryCheckerTest, AMovedMessageThatComesAtItsNewTimeIsGood) {
  run_.Schedule(kOne, seconds(3));
  run_.Move(kOne, seconds(1));
  run_.Kill();
  run_.Census({kOne});
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AMoveWithoutAnAnswerMayHaveWorkedOrNot) {
  run_.Schedule(kOne, seconds(3));
  run_.Schedule(kTwo, seconds(1));
  run_.Move(kOne, seconds(1), Answer::kUnknown);
  run_.Move(kTwo, seconds(3), Answer::kUnknown);
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Enqueue(kTwo);
  run_.Deliver(kOne, "a");
  run_.Deliver(kTwo, "b");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AMovedMessageMustNotComeAtItsOldTime) {
  run_.Schedule(kOne, seconds(1));
  run_.Move(kOne, seconds(3));
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryCheckerTest, ARefusedMoveMustNotTakeEffect) {
  run_.Schedule(kOne, seconds(3));
  run_.Move(kOne, seconds(1), Answer::kRefused);
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryCheckerTest, AMoveThatIsUndoneByACrashIsAViolation) {
  run_.Schedule(kOne, seconds(1));
  run_.Move(kOne, seconds(3));
  run_.Kill();
  run_.SetDue(kOne, seconds(1));
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, AMoveThatDoesNotFindAScheduledMessageIsAViolation) {
  run_.Schedule(kOne, seconds(1));
  run_.Move(kOne, seconds(3), Answer::kRefused);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, AMovedMessageThatIsNotThereIsLost) {
  run_.Schedule(kOne, seconds(1));
  run_.Move(kOne, seconds(3));
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, AnEnqueuedMessageMustNotBeMoved) {
  run_.Schedule(kOne, seconds(1));
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Census({kOne});
  run_.Move(kOne, Duration(0));

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, ACancelledMessageMustNotBeMoved) {
  run_.Schedule(kOne, seconds(1));
  run_.Cancel(kOne);
  run_.Move(kOne, seconds(3));

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AnActivatedMessageThatComesAtOnceIsGood) {
  run_.Schedule(kOne, seconds(10));
  run_.Activate(kOne);
  run_.Enqueue(kOne);
  run_.Kill();
  run_.Census({kOne});
  run_.Deliver(kOne, "a");
  run_.Activate(kOne, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AnActivationWithoutAnAnswerMayHaveWorkedOrNot) {
  run_.Schedule(kOne, seconds(10));
  run_.Schedule(kTwo, seconds(10));
  run_.Activate(kOne, Answer::kUnknown);
  run_.Activate(kTwo, Answer::kUnknown);
  run_.Kill();
  run_.Enqueue(kOne);
  run_.Census({kOne, kTwo});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AnActivatedMessageMustNotBeScheduled) {
  run_.Schedule(kOne, seconds(10));
  run_.Activate(kOne);
  run_.Kill();
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AnActivatedMessageHasTheNumberThatWasAcknowledged) {
  run_.Schedule(kOne, seconds(10));
  run_.Activate(kOne).sequence_number = 5;
  run_.Enqueue(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, AnActivatedMessageThatIsNotThereIsLost) {
  run_.Schedule(kOne, seconds(10));
  run_.Activate(kOne);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, ARefusedActivationMustNotTakeEffect) {
  run_.Schedule(kOne, seconds(10));
  run_.Activate(kOne, Answer::kRefused);
  run_.Enqueue(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryCheckerTest, AMessageIsActivatedOnce) {
  run_.Schedule(kOne, seconds(10));
  run_.Activate(kOne);
  run_.Kill();
  run_.Activate(kOne);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

}  // namespace
}  // namespace wharf::crash
