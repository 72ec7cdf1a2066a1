// Messages that were sent more than once, where duplicates are dropped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class HistoryDuplicateTest : public HistoryCheckerTest {
 protected:
  HistoryDuplicateTest() { run_.DropDuplicates(); }
};

TEST_F(HistoryDuplicateTest, AMessageThatIsSentAgainAndIsThereOnceIsGood) {
  run_.Send(kOne);
  run_.Repeat(kOne, 1);
  run_.Kill();
  run_.Repeat(kOne, 1);
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Repeat(kOne, 1);
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDuplicateTest, ASendWithoutAnAnswerMayBeStoredByTheNext) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Kill();
  run_.Repeat(kOne, 1).is_duplicate = false;
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryDuplicateTest, ADuplicateOfWhatIsNotThereIsLost) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Kill();
  run_.Repeat(kOne, 1);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryDuplicateTest, AMessageThatIsStoredAgainIsAViolation) {
  run_.Send(kOne);
  run_.Kill();
  run_.Repeat(kOne, 1).is_duplicate = false;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStoredOnce));
}

TEST_F(HistoryDuplicateTest, ADuplicateMustNameTheNumberOfTheOriginal) {
  run_.Send(kOne);
  run_.Repeat(kOne, 7);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStoredOnce));
}

TEST_F(HistoryDuplicateTest, TwoMessagesOfOneIdAreAViolation) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Kill();
  run_.Census({kOne});
  run_.Enqueue(kOne);
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), Contains(Rule::kStoredOnce));
}

}  // namespace
}  // namespace wharf::crash
