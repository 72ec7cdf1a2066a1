// What is heard over HTTP: times in whole seconds, so that locks that follow each other soon have
// the same.

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

class HistoryRestTest : public HistoryCheckerTest {
 protected:
  // It is not the first instant of a second.
  HistoryRestTest() { run_.Advance(milliseconds(600)); }

  void DeliverOverHttp(const std::string& token, std::uint32_t count = 0) {
    DeliveryRecord& delivery = run_.Deliver(kOne, token, {.count = count});
    delivery.rounding = kHttpRounding;
    delivery.enqueued_at = std::chrono::floor<seconds>(delivery.enqueued_at);
    delivery.locked_until = std::chrono::floor<seconds>(delivery.locked_until);
  }
};

TEST_F(HistoryRestTest, ALockStandsBehindOneOfTheSameSecondThatWasHeardOfBefore) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a", {});
  run_.Settle("a", Verb::kRelease);
  run_.Advance(milliseconds(100));
  DeliverOverHttp("b");
  run_.Settle("b", Verb::kAbandon);
  DeliverOverHttp("c", 1);
  run_.Complete("c");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryRestTest, WhatComesAfterItsCompleteIsAViolationThere) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a", {});
  run_.Complete("a");
  DeliverOverHttp("b");

  EXPECT_THAT(BrokenRules(run_), testing::Contains(Rule::kNoResurrection));
}

TEST_F(HistoryRestTest, ALockMayEndASecondLaterThanItWasTold) {
  run_.Send(kOne);
  DeliverOverHttp("a");
  run_.Advance(kLockDuration - milliseconds(1));
  run_.Complete("a");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryRestTest, ThatItEndsLaterThanThatIsAViolation) {
  run_.Send(kOne);
  DeliverOverHttp("a");
  run_.Advance(kLockDuration + seconds(2));
  run_.Complete("a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kOneLock));
}

TEST_F(HistoryRestTest, ARenewalThatIsToldRoughlyIsNoLongerThanThat) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a", {});
  RenewRecord& renew = run_.Renew("a");
  renew.locked_until = std::chrono::floor<seconds>(renew.locked_until);
  renew.rounding = kHttpRounding;
  run_.Advance(kLockDuration - milliseconds(1));
  run_.Complete("a");

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryRestTest, TwoLocksAtATimeAreAViolation) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a", {});
  run_.Advance(seconds(2));
  DeliverOverHttp("b");

  EXPECT_THAT(BrokenRules(run_), testing::Contains(Rule::kOneLock));
}

}  // namespace
}  // namespace wharf::crash
