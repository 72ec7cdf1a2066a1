// Messages that were sent for later, and those that were cancelled.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(HistoryCheckerTest, AScheduledMessageThatIsSeenAndComesUnderItsNewNumberIsGood) {
  run_.Schedule(kOne, seconds(1));
  run_.Kill();
  run_.Census({kOne});
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Deliver(kOne, "a");
  run_.Cancel(kOne, Answer::kRefused);
  run_.Complete("a");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ACancelledMessageMayBeGone) {
  run_.Schedule(kOne, seconds(1));
  run_.Schedule(kTwo, seconds(1));
  run_.Census({kOne, kTwo});
  run_.Cancel(kOne);
  run_.Cancel(kTwo, Answer::kUnknown);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ACancelWithoutAnAnswerMayNotHaveWorked) {
  run_.Schedule(kOne, seconds(1));
  run_.Cancel(kOne, Answer::kUnknown);
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AScheduledMessageThatIsNotThereIsLost) {
  run_.Schedule(kOne, seconds(1));
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, ARefusedCancelMustNotTakeEffect) {
  run_.Schedule(kOne, seconds(1));
  run_.Cancel(kOne, Answer::kRefused);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, ACancelThatDoesNotFindAScheduledMessageIsAViolation) {
  run_.Schedule(kOne, seconds(1));
  run_.Cancel(kOne, Answer::kRefused);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, ACancelledMessageThatIsDeliveredWasResurrected) {
  run_.Schedule(kOne, seconds(1));
  run_.Cancel(kOne);
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, ACancelledMessageThatIsStillScheduledWasResurrected) {
  run_.Schedule(kOne, seconds(1));
  run_.Cancel(kOne);
  run_.Kill();
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AScheduledMessageThatIsEnqueuedTwiceIsAViolation) {
  run_.Schedule(kOne, seconds(1));
  run_.Advance(seconds(1));
  run_.Enqueue(kOne);
  run_.Census({kOne});
  run_.Kill();
  run_.Enqueue(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AnEnqueuedMessageMustNotBeScheduledAgain) {
  run_.Schedule(kOne, seconds(1));
  run_.Kill();
  run_.Census({kOne}).active[0].state = State::kActive;
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), testing::Contains(Rule::kNoResurrection));
}

TEST_F(HistoryCheckerTest, AScheduledMessageKeepsTheNumberThatWasAcknowledged) {
  run_.Schedule(kOne, seconds(1));
  run_.Census({kOne}).active[0].sequence_number = 9;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, AScheduledMessageThatComesBeforeItsTimeIsAViolation) {
  run_.Schedule(kOne, seconds(1));
  run_.Enqueue(kOne);
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryCheckerTest, ScheduledMessagesAreCountedApart) {
  run_.Schedule(kOne, seconds(1));
  CensusRecord& census = run_.Census({kOne});
  std::swap(census.active_count, census.scheduled_count);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

}  // namespace
}  // namespace wharf::crash
