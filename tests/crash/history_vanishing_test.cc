// Messages that are nowhere any more when their time is over.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/crash/history_checker_fixture.h"

namespace wharf::crash {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class HistoryVanishingTest : public HistoryCheckerTest {
 protected:
  HistoryVanishingTest() {
    run_.SetTimeToLive(seconds(10));
    run_.ExpireToNothing();
  }
  // This has passed, and nothing is there.
  void MissAfter(Duration span) {
    run_.Advance(span);
    run_.Census({});
  }
};

TEST_F(HistoryVanishingTest, WhatHasExpiredMayBeGone) {  // TTL-9
  run_.Send(kOne);
  run_.Kill();
  MissAfter(seconds(11));

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, WhatLivesMustBeThere) {
  run_.Send(kOne);
  run_.Kill();
  MissAfter(seconds(9));

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryVanishingTest, ItsOwnTimeMayBeShorter) {  // TTL-1
  run_.Send(kOne);
  run_.SetOwnTimeToLive(seconds(2));
  MissAfter(seconds(3));

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, ItsOwnTimeIsAtMostThatOfItsQueue) {  // TTL-1
  run_.Send(kOne);
  run_.SetOwnTimeToLive(seconds(20));
  MissAfter(seconds(11));

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, WhatWasGoneMustNotBeSeenAgain) {
  run_.Send(kOne);
  run_.Send(kTwo);
  MissAfter(seconds(11));
  run_.Peek(kOne);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection));
}

TEST_F(HistoryVanishingTest, WhatWasGoneMustNotBeDeliveredAgain) {
  run_.Send(kOne);
  MissAfter(seconds(11));
  run_.Kill();
  run_.Deliver(kOne, "a");
  run_.Complete("a");

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNoResurrection, Rule::kInTime));
}

TEST_F(HistoryVanishingTest, WhatIsLockedIsNot) {  // TTL-7
  run_.Send(kOne);
  run_.Advance(seconds(9));
  run_.Deliver(kOne, "a");
  MissAfter(seconds(3));

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryVanishingTest, WhatWasLockedMayBe) {  // TTL-8
  run_.Send(kOne);
  run_.Advance(seconds(9));
  run_.Deliver(kOne, "a");
  MissAfter(seconds(6));

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, ALockThatWasRenewedKeepsIt) {  // TTL-7
  run_.Send(kOne);
  run_.Advance(seconds(9));
  run_.Deliver(kOne, "a");
  run_.Advance(seconds(4));
  run_.Renew("a");
  MissAfter(seconds(3));

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryVanishingTest, WhatWasGivenBackMayBe) {  // TTL-8
  run_.Send(kOne);
  run_.Advance(seconds(9));
  run_.Deliver(kOne, "a");
  run_.Advance(seconds(2));
  run_.Settle("a", Verb::kAbandon);
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, WhatIsLockedCanBeSettled) {  // TTL-7
  run_.Send(kOne);
  run_.Advance(seconds(9));
  run_.Deliver(kOne, "a");
  run_.Advance(seconds(3));
  run_.Settle("a", Verb::kComplete, Answer::kRefused);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryVanishingTest, WhatIsDeferredIsNot) {  // TTL-14
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDefer);
  run_.Kill();
  MissAfter(seconds(60));

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryVanishingTest, WhatWasDeferredTooLateMayBe) {  // TTL-8
  run_.Send(kOne);
  run_.Advance(seconds(9));
  run_.Deliver(kOne, "a");
  run_.Advance(seconds(2));
  run_.Settle("a", Verb::kDefer);
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, WhatMayBeDeferredMayBe) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDefer, Answer::kUnknown);
  run_.Kill();
  MissAfter(seconds(60));

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, WhatIsDeferredIsSeenForAsLongAsItLikes) {  // TTL-14
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDefer);
  run_.SetState(kOne, State::kDeferred);
  run_.Advance(seconds(60));
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, WhatIsDeferredGoesWhenItIsAskedFor) {  // TTL-14
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDefer);
  run_.Advance(seconds(60));
  run_.ReceiveDeferred(kOne, Answer::kRefused);
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, ADeadLetterIsNot) {  // TTL-15
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kDeadLetter);
  MissAfter(seconds(60));

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryVanishingTest, WhatExpiresIsNoDeadLetter) {  // TTL-9
  run_.Send(kOne);
  run_.Advance(seconds(11));
  run_.Census({}, {kOne}).dead_letters[0].reason = "TTLExpiredException";

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kAnswersHold));
}

TEST_F(HistoryVanishingTest, WhatHasExpiredIsSeenNoMoreSoon) {  // TTL-10
  run_.Send(kOne);
  run_.Advance(seconds(11));
  run_.Peek(kOne);
  EXPECT_THAT(BrokenRules(run_), IsEmpty());

  run_.Advance(seconds(2));
  run_.Peek(kOne);
  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

// The life after may begin far behind the end.
TEST_F(HistoryVanishingTest, AStartHasTheSameTimeToFindIt) {  // TTL-10
  run_.Send(kOne);
  run_.Advance(seconds(60));
  run_.Kill();
  run_.Advance(seconds(1));
  run_.Peek(kOne);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryVanishingTest, SomebodyMayHaveItLockedOfWhomNobodyHeard) {  // TTL-7
  run_.Send(kOne);
  run_.ReceiveUnheard();
  run_.Kill();
  run_.Advance(seconds(14));
  run_.Peek(kOne);
  EXPECT_THAT(BrokenRules(run_), IsEmpty());

  run_.Advance(seconds(4));
  run_.Peek(kOne);
  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kInTime));
}

// Nobody can say any more what of it was there.
TEST_F(HistoryVanishingTest, OfAnAtomicBatchSomeMayBeGone) {
  run_.SendAtomic({kOne, kTwo}, Answer::kUnknown);
  run_.Kill();
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  MissAfter(seconds(11));

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

}  // namespace
}  // namespace wharf::crash
