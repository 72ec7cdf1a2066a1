// Messages that were sent to a queue that forwards them to "orders".

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class HistoryForwardTest : public HistoryCheckerTest {
 protected:
  void Send(const MessageId& id, std::int64_t number, Answer answer = Answer::kOk) {
    run_.SendVia(inbox_, id, number, answer);
  }

  const QueueIndex inbox_ =
      run_.AddQueue({.name = "inbox", .lock_duration = kLockDuration, .forwards_to = 0});
};

TEST_F(HistoryForwardTest, AMessageArrivesUnderAnotherNumber) {
  Send(kOne, 10);
  run_.Kill();
  Send(kTwo, 11);
  run_.Census({}, {}, inbox_);
  run_.Census({kOne, kTwo});
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Census({kTwo});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryForwardTest, OneThatDoesNotArriveIsLost) {
  Send(kOne, 10);
  run_.Census({}, {}, inbox_);
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryForwardTest, OneThatStaysBehindIsLost) {
  Send(kOne, 10);
  run_.Census({kOne}, {}, inbox_);

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNothingLost));
}

TEST_F(HistoryForwardTest, OneThatIsInBothIsInOneTooMany) {
  Send(kOne, 10);
  run_.Census({}, {kOne}, inbox_);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kNothingLost));
}

TEST_F(HistoryForwardTest, OneThatArrivesTwiceIsThereTwice) {
  Send(kOne, 10);
  run_.Census({kOne, kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kOnePlace));
}

TEST_F(HistoryForwardTest, OneThatArrivesBeforeAnEarlierOneBreaksTheOrder) {
  Send(kOne, 11);
  Send(kTwo, 10);
  run_.Census({kTwo, kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOrder));
}

TEST_F(HistoryForwardTest, ASendWithoutAnAnswerMayArriveOrNot) {
  Send(kOne, 10, Answer::kUnknown);
  Send(kTwo, 11, Answer::kUnknown);
  run_.Kill();
  run_.Census({kTwo});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryForwardTest, OneWithTheWrongFirstNumberIsNotWhatWasAcknowledged) {
  Send(kOne, 10);
  run_.Peek(kOne).first_number = 77;

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kAnswersHold));
}

}  // namespace
}  // namespace wharf::crash
