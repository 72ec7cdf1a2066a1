// Messages that a job sent back from the dead-letter queue.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kJob = 7;

class HistoryRedriveTest : public HistoryCheckerTest {
 protected:
  // Sent, locked with the token "a" and dead-lettered.
  void DeadLetter() {
    run_.Send(kOne);
    run_.Deliver(kOne, "a");
    run_.Settle("a", Verb::kDeadLetter);
  }
};

TEST_F(HistoryRedriveTest, AMessageThatIsSentBackComesAnew) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.Kill();
  run_.SendBack(kOne);
  run_.LookAtJob(kJob, 1);
  run_.Census({kOne});
  run_.Deliver(kOne, "b");
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryRedriveTest, AMessageMayBeSentBackAgain) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.LookAtJob(kJob, 1);
  run_.Deliver(kOne, "b");
  run_.Settle("b", Verb::kDeadLetter);
  run_.Redrive(kJob + 1);
  run_.SendBack(kOne);
  run_.LookAtJob(kJob + 1, 1);
  run_.Deliver(kOne, "c");
  run_.Complete("c");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryRedriveTest, AMessageThatIsLockedIsLeft) {
  DeadLetter();
  run_.Deliver(kOne, "b", {.lane = Lane::kDeadLetter});
  run_.Redrive(kJob);
  JobLookRecord& look = run_.LookAtJob(kJob, 0);
  look.examined_count = look.matched_count = look.left_count = 1;
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryRedriveTest, ARedriveWithoutAnAnswerMayHaveWorked) {
  DeadLetter();
  run_.Redrive(0, Answer::kUnknown);
  run_.Kill();
  run_.SendBack(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryRedriveTest, AMessageInTwoPlacesIsAViolation) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Kill();
  run_.Census({kOne}, {kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kOnePlace));
}

TEST_F(HistoryRedriveTest, AMessageThatIsInItsOldPlaceAgainIsAViolation) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Census({kOne});
  run_.Kill();
  run_.Peek(kOne).redrives = 0;

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kOnePlace));
}

TEST_F(HistoryRedriveTest, AMessageThatIsSentBackTwiceByOneJobIsAViolation) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.SendBack(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, AMessageThatNobodySentBackIsAViolation) {
  DeadLetter();
  run_.Redrive(kJob, Answer::kRefused);
  run_.Kill();
  run_.SendBack(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, AJobThatHasEndedSendsNothingBack) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.LookAtJob(kJob, 0).state = JobState::kCancelled;
  run_.Peek(kOne);
  run_.SendBack(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, AMessageThatIsSentBackIsNotLost) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.Kill();
  run_.LookAtJob(kJob, 1);
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNothingLost));
}

TEST_F(HistoryRedriveTest, AMessageThatIsSentBackHasAHigherNumber) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Deliver(kOne, "b").sequence_number = 1;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

TEST_F(HistoryRedriveTest, OneRedriveGivesOneNumber) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Census({kOne});
  run_.Kill();
  run_.Enqueue(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOnePlace));
}

TEST_F(HistoryRedriveTest, AMessageThatIsSentBackDoesNotSayWhy) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Deliver(kOne, "b").reason = "drawn by lot";

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, ItsCountBeginsAnew) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryRedriveTest, AMessageThatWasNotDeadLetteredIsNotSentBack) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kRelease);
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Deliver(kOne, "b");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryRedriveTest, AJobThatIsNotThereIsLost) {
  run_.Redrive(kJob);
  run_.Kill();
  JobLookRecord& look = run_.LookAtJob(kJob, 0);
  look.reply = {.answer = Answer::kRefused, .code = ErrorCode::kMessagingEntityNotFound};

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryRedriveTest, AJobMustNotForgetWhatItDid) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.LookAtJob(kJob, 1).state = JobState::kRunning;
  run_.Kill();
  run_.Census({kOne});
  run_.LookAtJob(kJob, 0).state = JobState::kRunning;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, AJobThatHasEndedStaysAsItIs) {
  run_.Redrive(kJob);
  run_.LookAtJob(kJob, 0);
  run_.Kill();
  run_.LookAtJob(kJob, 0).state = JobState::kRunning;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, AJobThatFailsIsAViolation) {
  run_.Redrive(kJob);
  run_.LookAtJob(kJob, 0).state = JobState::kFailed;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, TheCountsOfAJobFitTogether) {
  run_.Redrive(kJob);
  run_.LookAtJob(kJob, 0).left_count = 1;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

TEST_F(HistoryRedriveTest, AJobThatLeavesAMessageSaysSo) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.LookAtJob(kJob, 0);
  run_.Census({}, {kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryRedriveTest, MoreMessagesSentBackThanTheJobsSayAreAViolation) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.Census({kOne});
  run_.LookAtJob(kJob, 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

TEST_F(HistoryRedriveTest, FewerMessagesSentBackThanTheJobsSayAreAViolation) {
  DeadLetter();
  run_.Redrive(kJob);
  run_.SendBack(kOne);
  run_.LookAtJob(kJob, 2);
  run_.Deliver(kOne, "b");
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

}  // namespace
}  // namespace wharf::crash
