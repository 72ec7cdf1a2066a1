// Messages that were abandoned with a delay.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class HistoryDelayTest : public HistoryCheckerTest {
 protected:
  // Sent, locked with the token "a" and abandoned for two seconds.
  void Delay(Answer answer = Answer::kOk) {
    run_.Send(kOne);
    run_.Deliver(kOne, "a");
    run_.Delay("a", seconds(2), answer);
  }
  // Seen resting until two seconds from now.
  void PeekResting() {
    SeenMessage& seen = run_.Peek(kOne);
    seen.delivery_count = 1;
    seen.available_at = seen.enqueued_at + seconds(2);
  }
};

TEST_F(HistoryDelayTest, AMessageThatComesBackAfterItsDelayIsGood) {
  Delay();
  PeekResting();
  run_.Kill();
  run_.Census({kOne});
  run_.Advance(seconds(2));
  run_.Deliver(kOne, "b", {.count = 1});
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDelayTest, OverAmqpItsEndIsByTheClockOfTheClient) {
  Delay();
  run_.Advance(milliseconds(1600));
  run_.Deliver(kOne, "b", {.count = 1});
  History history = run_.history();
  EXPECT_THAT(CheckHistory(history), Not(IsEmpty()));

  for (SettleRecord& settle : history.settles) settle.hides_outcome = true;
  EXPECT_THAT(CheckHistory(history), IsEmpty());
}

TEST_F(HistoryDelayTest, ADelayWithoutAnAnswerMayNotHaveWorked) {
  Delay(Answer::kUnknown);
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDelayTest, AMessageThatComesBackDuringItsDelayIsAViolation) {
  Delay();
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryDelayTest, AMessageThatComesBackBeforeTheTimeThatAPeekToldIsAViolation) {
  Delay();
  run_.Advance(seconds(1));
  PeekResting();
  run_.Advance(seconds(2) - milliseconds(1));
  run_.Deliver(kOne, "b", {.count = 1});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryDelayTest, ADelayedMessageThatIsNotThereIsLost) {
  Delay();
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryDelayTest, ADelayMustCount) {
  Delay();
  run_.Advance(seconds(2));
  run_.Deliver(kOne, "b", {.count = 0});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kExactCounts));
}

TEST_F(HistoryDelayTest, AMessageThatRestsForNobodyIsAViolation) {
  run_.Send(kOne);
  PeekResting();

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

}  // namespace
}  // namespace wharf::crash
