// Messages that were deferred.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HistoryDeferralTest : public HistoryCheckerTest {
 protected:
  // Sent, locked with the token "a" and deferred.
  void Defer(Answer answer = Answer::kOk) {
    run_.Send(kOne);
    run_.Deliver(kOne, "a");
    run_.Settle("a", Verb::kDefer, answer);
    if (answer == Answer::kOk) run_.SetState(kOne, State::kDeferred);
  }
  void DeliverByNumber(const std::string& token, std::uint32_t count) {
    run_.ReceiveDeferred(kOne);
    run_.Deliver(kOne, token, {.count = count, .is_by_number = true});
  }
};

TEST_F(HistoryDeferralTest, ADeferredMessageThatIsReceivedByItsNumberIsGood) {
  Defer();
  run_.Kill();
  run_.Census({kOne});
  DeliverByNumber("b", 1);
  run_.Settle("b", Verb::kAbandon);
  run_.Kill();
  run_.Census({kOne});
  DeliverByNumber("c", 2);
  run_.Complete("c");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDeferralTest, ADeferWithoutAnAnswerMayHaveWorked) {
  Defer(Answer::kUnknown);
  run_.Kill();
  run_.SetState(kOne, State::kDeferred);
  run_.Census({kOne});
  DeliverByNumber("b", 1);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDeferralTest, ADeferWithoutAnAnswerMayNotHaveWorked) {
  Defer(Answer::kUnknown);
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.ReceiveDeferred(kOne, Answer::kRefused);
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDeferralTest, AnUndeferredMessageComesInOrder) {
  Defer();
  run_.Undefer(kOne);
  run_.SetState(kOne, State::kActive);
  run_.Kill();
  run_.Census({kOne});
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDeferralTest, ADeferredMessageThatSomeoneHoldsIsNotFound) {
  Defer();
  run_.ReceiveDeferred(kOne, Answer::kUnknown);
  run_.Kill();
  run_.ReceiveDeferred(kOne, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDeferralTest, ADeferredMessageThatIsNotThereIsLost) {
  Defer();
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryDeferralTest, ADeferredMessageMustNotComeInOrder) {
  Defer();
  run_.Kill();
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryDeferralTest, ADeferredMessageThatIsGivenBackMustNotComeInOrder) {
  Defer();
  DeliverByNumber("b", 1);
  run_.Settle("b", Verb::kRelease);
  run_.Kill();
  run_.Deliver(kOne, "c", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryDeferralTest, ADeferredMessageMustBeFoundByItsNumber) {
  Defer();
  run_.Kill();
  run_.ReceiveDeferred(kOne, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryDeferralTest, ADeferredMessageMustStayDeferred) {
  Defer();
  run_.Kill();
  run_.SetState(kOne, State::kActive);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryDeferralTest, AMessageThatWasNotDeferredIsNotReceivedByItsNumber) {
  run_.Send(kOne);
  DeliverByNumber("a", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryDeferralTest, AnUndeferredMessageIsNotReceivedByItsNumber) {
  Defer();
  run_.Undefer(kOne);
  run_.Kill();
  DeliverByNumber("b", 1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryDeferralTest, AnAcknowledgedDeferMustCount) {
  Defer();
  DeliverByNumber("b", 0);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

}  // namespace
}  // namespace wharf::crash
