// Numbers, counters, and what the broker said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using testing::Contains;
using testing::ElementsAre;

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

}  // namespace
}  // namespace wharf::crash
