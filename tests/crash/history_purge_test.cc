// Messages that were purged.

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

class HistoryPurgeTest : public HistoryCheckerTest {
 protected:
  // Sent, locked with the token "a" and dead-lettered.
  void DeadLetter() {
    run_.Send(kOne);
    run_.Deliver(kOne, "a");
    run_.Settle("a", Verb::kDeadLetter);
  }
};

TEST_F(HistoryPurgeTest, APurgedMessageIsGone) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Deliver(kOne, "a");
  run_.Purge(2);
  run_.Kill();
  run_.Census({});
  run_.Settle("a", Verb::kComplete, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryPurgeTest, APurgeWithoutAnAnswerMayHaveWorkedOrNot) {
  run_.Send(kOne);
  run_.Purge(0, Lane::kMain, Answer::kUnknown);
  run_.Kill();
  run_.Census({kOne});
  run_.Send(kTwo);
  run_.Purge(0, Lane::kMain, Answer::kUnknown);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryPurgeTest, ADeadLetterStaysWhenItsQueueIsPurged) {
  DeadLetter();
  run_.Purge(0);
  run_.Kill();
  run_.Census({}, {kOne});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryPurgeTest, AScheduledMessageStaysUnlessItIsAskedFor) {
  run_.Schedule(kOne, seconds(10));
  run_.Purge(0);
  run_.Census({kOne});
  run_.Purge(1).with_scheduled = true;
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryPurgeTest, ADeferredMessageThatIsPurgedIsNotFound) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDefer);
  run_.Purge(1);
  run_.Kill();
  run_.ReceiveDeferred(kOne, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryPurgeTest, HalfOfAnAtomicBatchMayBePurged) {
  run_.SendAtomic({kOne, kTwo});
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDeadLetter);
  run_.Purge(1);
  run_.Census({}, {kOne});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryPurgeTest, AMessageThatIsThereAfterThePurgeWasResurrected) {
  run_.Send(kOne);
  run_.Purge(1);
  run_.Kill();
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNoResurrection));
}

TEST_F(HistoryPurgeTest, ATokenFromBeforeThePurgeMustNotSettle) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Purge(1);
  run_.Kill();
  run_.Complete("a");

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNoResurrection));
}

TEST_F(HistoryPurgeTest, AMessageThatIsDeliveredAfterThePurgeWasResurrected) {
  run_.Send(kOne);
  run_.Purge(1);
  run_.Kill();
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNoResurrection));
}

TEST_F(HistoryPurgeTest, AScheduledMessageThatIsThereAfterThePurgeWasResurrected) {
  run_.Schedule(kOne, seconds(10));
  run_.Purge(1).with_scheduled = true;
  run_.Kill();
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNoResurrection));
}

TEST_F(HistoryPurgeTest, ADeadLetterThatIsThereAfterThePurgeWasResurrected) {
  DeadLetter();
  run_.Purge(1, Lane::kDeadLetter);
  run_.Kill();
  run_.Census({}, {kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNoResurrection));
}

TEST_F(HistoryPurgeTest, ADeadLetterThatAPurgeOfItsQueueTookIsLost) {
  DeadLetter();
  run_.Purge(0);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryPurgeTest, AMessageThatAPurgeOfTheDeadLetterQueueTookIsLost) {
  run_.Send(kOne);
  run_.Purge(0, Lane::kDeadLetter);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryPurgeTest, AScheduledMessageThatAPurgeTookUnaskedIsLost) {
  run_.Schedule(kOne, seconds(10));
  run_.Purge(0);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryPurgeTest, AMessageThatWasSentAfterThePurgeIsLost) {
  run_.Purge(0);
  run_.Send(kOne);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryPurgeTest, AMessageThatWasSeenAfterThePurgeIsLost) {
  run_.Send(kOne);
  PurgeRecord& purge = run_.Purge(0, Lane::kMain, Answer::kUnknown);
  purge.end = run_.Kill().signal + 1;
  run_.Census({kOne});
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryPurgeTest, ARefusedPurgeMustNotTakeEffect) {
  run_.Send(kOne);
  run_.Purge(0, Lane::kMain, Answer::kRefused);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryPurgeTest, APurgeThatCountsTooFewIsAViolation) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Purge(1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

TEST_F(HistoryPurgeTest, APurgeThatCountsWhatWasGoneIsAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Purge(1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounters));
}

TEST_F(HistoryPurgeTest, AnIdStaysKnownAfterAPurge) {
  run_.DropDuplicates();
  run_.Send(kOne);
  run_.Purge(1);
  run_.Kill();
  run_.Repeat(kOne, 1).is_duplicate = false;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStoredOnce));
}

}  // namespace
}  // namespace wharf::crash
