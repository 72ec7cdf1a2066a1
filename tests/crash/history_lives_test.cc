// What may have been lost with the end of a leader, or of the broker.

#include <gtest/gtest.h>

#include "tools/crash/history/lives.h"

namespace wharf::crash {
namespace {

// A broker lived from tick 10 to the signal at 20, and again from 30 on.
History TwoLives(bool is_killed) {
  History history;
  history.lives.push_back({.begin = 10, .signal = 20, .is_killed = is_killed});
  history.lives.push_back({.begin = 30});
  return history;
}

ReceiveRecord EndedWith(ErrorCode code, Mode mode = Mode::kPeekLock, Tick end = 25) {
  ReceiveRecord receive;
  receive.begin = 15;
  receive.end = end;
  receive.mode = mode;
  receive.open_credit = 5;
  receive.reply = {Answer::kRefused, code};
  return receive;
}

TEST(LivesTest, ALifeIsTheOneThatBeganLast) {
  const History history = TwoLives(true);

  EXPECT_EQ(LifeAt(history, 9), nullptr);
  EXPECT_EQ(LifeAt(history, 10), &history.lives[0]);
  EXPECT_EQ(LifeAt(history, 29), &history.lives[0]);
  EXPECT_EQ(LifeAt(history, 30), &history.lives[1]);
}

TEST(LivesTest, WhatHasNoAnswerMayHaveLost) {
  ReceiveRecord receive = EndedWith(ErrorCode::kServiceTimeout, Mode::kReceiveAndDelete);
  receive.reply.answer = Answer::kUnknown;

  EXPECT_TRUE(MayHaveLost(TwoLives(true), receive));
  EXPECT_TRUE(MayHaveLost(TwoLives(false), receive));
}

TEST(LivesTest, ALeaderThatLostItsMajorityLeavesLocksUnheard) {  // LCK-14
  EXPECT_TRUE(MayHaveLost(TwoLives(true), EndedWith(ErrorCode::kPartitionNotOwned)));
  EXPECT_TRUE(MayHaveLost(TwoLives(true), EndedWith(ErrorCode::kServiceCommunicationProblem)));
}

TEST(LivesTest, ANodeThatHandsOverCannotGiveLocksBack) {
  EXPECT_TRUE(MayHaveLost(TwoLives(false), EndedWith(ErrorCode::kPartitionNotOwned)));
}

TEST(LivesTest, ABrokerThatIsAskedToStopGivesLocksBack) {  // LCK-14
  EXPECT_FALSE(MayHaveLost(TwoLives(false), EndedWith(ErrorCode::kServiceCommunicationProblem)));
}

TEST(LivesTest, WhatIsTakenForGoodIsInDoubtOnlyIfTheBrokerSaysSo) {  // RCV-1
  for (const ErrorCode code :
       {ErrorCode::kPartitionNotOwned, ErrorCode::kServiceCommunicationProblem}) {
    EXPECT_FALSE(MayHaveLost(TwoLives(true), EndedWith(code, Mode::kReceiveAndDelete)));
  }
}

TEST(LivesTest, WhatEndedBeforeAnythingHappenedLostNothing) {
  EXPECT_FALSE(
      MayHaveLost(TwoLives(true), EndedWith(ErrorCode::kPartitionNotOwned, Mode::kPeekLock, 19)));
}

TEST(LivesTest, WhoHadNoCreditLostNothing) {
  ReceiveRecord receive = EndedWith(ErrorCode::kPartitionNotOwned);
  receive.open_credit = 0;

  EXPECT_FALSE(MayHaveLost(TwoLives(true), receive));
}

TEST(LivesTest, AnAnswerBehindTheBlowMayBeAPartOfWhatWasLocked) {
  ReceiveRecord receive = EndedWith(ErrorCode::kOk);
  receive.reply.answer = Answer::kOk;
  EXPECT_TRUE(MayHaveLost(TwoLives(true), receive));
  EXPECT_FALSE(MayHaveLost(TwoLives(false), receive));

  receive.open_credit = 0;
  EXPECT_FALSE(MayHaveLost(TwoLives(true), receive));
}

TEST(LivesTest, AnAnswerIsAllThatWasTakenForGood) {  // RCV-1
  ReceiveRecord receive = EndedWith(ErrorCode::kOk, Mode::kReceiveAndDelete);
  receive.reply.answer = Answer::kOk;

  EXPECT_FALSE(MayHaveLost(TwoLives(true), receive));
}

TEST(LivesTest, AnAnswerBeforeTheBlowIsAllThatWasLocked) {
  ReceiveRecord receive = EndedWith(ErrorCode::kOk, Mode::kPeekLock, 19);
  receive.reply.answer = Answer::kOk;

  EXPECT_FALSE(MayHaveLost(TwoLives(true), receive));
}

TEST(LivesTest, AnotherRefusalIsAnAnswer) {
  EXPECT_FALSE(MayHaveLost(TwoLives(true), EndedWith(ErrorCode::kMessagingEntityNotFound)));
}

}  // namespace
}  // namespace wharf::crash
