// Messages that live for a while only.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kExpired[] = "TTLExpiredException";

class HistoryExpiryTest : public HistoryCheckerTest {
 protected:
  HistoryExpiryTest() { run_.SetTimeToLive(seconds(1)); }
};

TEST_F(HistoryExpiryTest, AMessageThatIsCompletedInTimeIsGood) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Advance(seconds(2));
  run_.Complete("a");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryExpiryTest, AnExpiredMessageInTheDeadLetterQueueIsGood) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kAbandon);
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Census({}, {kOne}).dead_letters[0].reason = kExpired;
  run_.Deliver(kOne, "b", {.count = 1, .lane = Lane::kDeadLetter}).reason = kExpired;
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryExpiryTest, AnExpiredMessageThatIsNowhereIsLost) {
  run_.Send(kOne);
  run_.Kill();
  run_.Advance(seconds(2));
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryExpiryTest, AnExpiredMessageMustNotBeDelivered) {
  run_.Send(kOne);
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Deliver(kOne, "a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryExpiryTest, AMessageMustNotExpireBeforeItsTime) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a", {.lane = Lane::kDeadLetter}).reason = kExpired;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

TEST_F(HistoryExpiryTest, AnExpiredMessageSaysSo) {
  run_.Send(kOne);
  run_.Advance(seconds(2));
  run_.Census({}, {kOne});

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryExpiryTest, TheEndOfAMessageMustNotMove) {
  run_.Send(kOne);
  *run_.Deliver(kOne, "a").expires_at += seconds(1);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryExpiryTest, AMessageThatLivesForEverMustNotExpire) {
  run_.SetTimeToLive(Duration(0));
  run_.Send(kOne);
  run_.Census({}, {kOne}).dead_letters[0].reason = kExpired;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

}  // namespace
}  // namespace wharf::crash
