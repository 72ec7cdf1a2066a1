// What may happen; and how long a broker may take to start and stop.

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
using testing::UnorderedElementsAre;

// --- What may happen ---

TEST_F(HistoryCheckerTest, AMessageThatIsSentReceivedAndCompletedIsGood) {
  run_.Send(kOne);
  run_.Census({kOne});
  run_.Deliver(kOne, "a");
  run_.Complete("a");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ASendWithoutAnAnswerMayHaveWorkedOrNot) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Send(kTwo, Answer::kUnknown);
  run_.Kill();
  run_.Census({kOne});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ACompleteWithoutAnAnswerMayHaveWorkedOrNot) {
  run_.Send(kOne);
  run_.Send(kTwo);
  run_.Deliver(kOne, "a");
  run_.Deliver(kTwo, "b");
  run_.Settle("a", Verb::kComplete, Answer::kUnknown);
  run_.Settle("b", Verb::kComplete, Answer::kUnknown);
  run_.Kill();
  run_.Census({kTwo});
  run_.Settle("a", Verb::kComplete, Answer::kRefused);
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ALockThatEndsByItselfCountsOnce) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Kill();
  run_.Advance(kLockDuration);
  run_.Deliver(kOne, "b", {.count = 1});
  run_.Complete("b");
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, ALockThatNobodyHeardOfMayHaveCounted) {
  run_.Send(kOne);
  run_.ReceiveUnheard();
  run_.Kill();
  run_.Advance(kLockDuration);
  DeliveryRecord& delivery = run_.Deliver(kOne, "a", {.count = 1});
  delivery.enqueued_at -= kLockDuration;

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AReleasedMessageComesAgainAtOnceAndUncounted) {
  run_.Send(kOne);
  run_.Deliver(kOne, "a");
  run_.Settle("a", Verb::kRelease);
  run_.Deliver(kOne, "b", {.receiver = 2});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, WhatWasOnItsWayToAReceiverThatDeletesMayBeGone) {
  const QueueIndex drops = run_.AddConsumedQueue();
  run_.Send(kOne, Answer::kOk, drops);
  run_.ReceiveUnheard(Mode::kReceiveAndDelete, drops);
  run_.Kill();
  run_.Census({}, {}, drops);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

// Its client went without a word, and a message comes so much later.
void SendBehindAReceiverThatWent(HistoryMaker& run, Duration later) {
  const QueueIndex drops = run.AddConsumedQueue();
  ReceiveRecord& receive = run.ReceiveUnheard(Mode::kReceiveAndDelete, drops);
  receive.reply = {};
  receive.is_left = true;
  receive.end = receive.begin + 1;
  run.Census({}, {}, drops);
  run.Advance(later);
  run.Send(kOne, Answer::kOk, drops);
  run.Kill();
  run.Census({}, {}, drops);
}

// The broker has not seen it yet.
TEST_F(HistoryCheckerTest, WhatIsSentJustBehindAReceiverThatWentMayBeGone) {
  SendBehindAReceiverThatWent(run_, kGoneMargin);

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, WhatIsSentLongBehindAReceiverThatWentIsLost) {
  SendBehindAReceiverThatWent(run_, 2 * kGoneMargin);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, WhoLeadsIsLeftAloneUnlessTheMachineStandsStill) {
  run_.Renew("a", Answer::kRefused).reply.code = ErrorCode::kPartitionNotOwned;
  run_.Kill().standstill = milliseconds(501);
  EXPECT_THAT(BrokenRules(run_), testing::Not(testing::Contains(Rule::kAnswersHold)));

  // Slow it may be, as long as it goes on.
  run_.Renew("a", Answer::kRefused).reply.code = ErrorCode::kPartitionNotOwned;
  LifeRecord& slow = run_.Kill();
  slow.standstill = milliseconds(500);
  slow.slowness = 6;
  EXPECT_THAT(BrokenRules(run_), testing::Contains(Rule::kAnswersHold));
}

TEST_F(HistoryCheckerTest, WhoLeadsIsLeftAloneForAsLongAsTheNodesWereToldToWait) {
  run_.Renew("a", Answer::kRefused).reply.code = ErrorCode::kPartitionNotOwned;
  LifeRecord& life = run_.Kill();
  life.election_timeout = seconds(4);
  life.standstill = milliseconds(1900);

  EXPECT_THAT(BrokenRules(run_), testing::Contains(Rule::kAnswersHold));
}

// The broker said that nothing was on its way; what it has no word for is in doubt.
TEST_F(HistoryCheckerTest, WhatALeaderSaysItDidNotTakeMustNotBeGone) {
  const QueueIndex drops = run_.AddConsumedQueue();
  run_.Send(kOne, Answer::kOk, drops);
  run_.ReceiveUnheard(Mode::kReceiveAndDelete, drops).reply = {Answer::kRefused,
                                                               ErrorCode::kPartitionNotOwned};
  run_.Kill();
  run_.Census({}, {}, drops);

  EXPECT_THAT(BrokenRules(run_), testing::Contains(Rule::kNothingLost));
}

TEST_F(HistoryCheckerTest, AMessageOfADeletedQueueMayBeGone) {
  run_.Change(QueueVerb::kCreate, Answer::kOk);
  run_.Send(kOne);
  run_.Change(QueueVerb::kDelete, Answer::kUnknown);
  run_.Kill();
  run_.Census({});

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

// --- I7, I8 and case 4 ---

TEST_F(HistoryCheckerTest, AStartThatFailsIsAViolation) {
  run_.Kill().is_ready = false;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStartsAgain));
}

TEST_F(HistoryCheckerTest, AStartThatTakesTooLongIsAViolation) {
  run_.Kill().start = seconds(11);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStartsAgain));
}

TEST_F(HistoryCheckerTest, ASilenceThatIsTooLongIsAViolationWhereWorkGoesOn) {
  run_.Stop().silence = seconds(3);
  EXPECT_THAT(BrokenRules(run_), IsEmpty());

  run_.Stop().silence = seconds(4);
  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStartsAgain));
}

TEST_F(HistoryCheckerTest, AStopThatTakesTooLongIsAViolation) {
  run_.Stop().stop = seconds(6);

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStopsWhenAsked));
}

TEST_F(HistoryCheckerTest, ASlowMachineMayTakeLongerButNotForEver) {
  LifeRecord& slow = run_.Stop();
  slow.slowness = 2;
  slow.start = seconds(19);
  slow.stop = seconds(9);
  EXPECT_THAT(BrokenRules(run_), IsEmpty());

  LifeRecord& too_slow = run_.Stop();
  too_slow.slowness = 2;
  too_slow.start = seconds(21);
  too_slow.stop = seconds(11);
  EXPECT_THAT(BrokenRules(run_), UnorderedElementsAre(Rule::kStartsAgain, Rule::kStopsWhenAsked));
}

TEST_F(HistoryCheckerTest, ARequestThatAStopLeavesInDoubtIsAViolation) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Stop();

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStopsWhenAsked));
}

// Another one leads meanwhile, and nobody asked it to; a broker that is alone has no such reason.
TEST_F(HistoryCheckerTest, NodesOnAMachineThatStandsStillMayLeaveOneInDoubt) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Stop().standstill = seconds(1);
  EXPECT_THAT(BrokenRules(run_), IsEmpty());

  run_.Send(kTwo, Answer::kUnknown);
  run_.Stop().slowness = 6;
  EXPECT_THAT(BrokenRules(run_), IsEmpty());

  run_.Send(kThree, Answer::kUnknown);
  LifeRecord& alone = run_.Stop();
  alone.standstill = seconds(1);
  alone.slowness = 6;
  alone.answers_all = true;
  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStopsWhenAsked));
}

TEST_F(HistoryCheckerTest, AKillMayLeaveARequestInDoubt) {
  run_.Send(kOne, Answer::kUnknown);
  run_.Kill();

  EXPECT_THAT(BrokenRules(run_), IsEmpty());
}

TEST_F(HistoryCheckerTest, AStopThatFailsIsAViolation) {
  run_.Stop().ended_cleanly = false;

  EXPECT_THAT(BrokenRules(run_), ElementsAre(Rule::kStopsWhenAsked));
}

}  // namespace
}  // namespace wharf::crash
