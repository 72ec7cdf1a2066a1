// Who waits for a session: in which order they are served, when their waits are over, and that many
// of them cost no more than few.

#include "broker/engine/delivery/session_waiters.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/workers/memory_calls.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

class SessionWaitersTest : public ::testing::Test {
 protected:
  static constexpr LaneId kLane{EntityId(1), LaneKind::kMain};
  static constexpr LaneId kOther{EntityId(2), LaneKind::kMain};
  static constexpr Timestamp kStart{};

  // A call; what it hears is written down under its name.
  SessionWaiters::Waiter Call(const std::string& name, Duration wait = seconds(60),
                              LaneId lane = kLane) {
    return waiters_.Add({.lane = lane, .accepted = Hears(name), .wait_until = kStart + wait});
  }
  SessionWaiters::Waiter Many(std::uint64_t receiver) {
    return waiters_.Add({.lane = kLane,
                         .receiver = HolderId(receiver),
                         .accepted = Hears("many " + std::to_string(receiver)),
                         .many = ManySessions{}});
  }
  SessionWaiter::Accepted Hears(const std::string& name) {
    return [this, name](Turn&, const Result<AcceptedSession>&) { heard_.push_back(name); };
  }
  static void Tell(const SessionWaiters::Waiter& waiter, const Status& reason) {
    Turn turn{kStart};
    std::move(waiter->accepted)(turn, reason);
  }
  std::size_t TellOver(Timestamp now) {
    std::size_t told = 0;
    while (const SessionWaiters::Waiter over = waiters_.TakeOver(kLane, now)) {
      Tell(over, {ErrorCode::kServiceTimeout, "over"});
      ++told;
    }
    return told;
  }
  void TellRefused() {
    while (const auto refused = waiters_.TakeRefused()) Tell(refused->waiter, refused->reason);
  }
  // So many are served; the tickets of those that want none of many are in `full_`.
  std::vector<SessionWaiter*> Serve(std::size_t count) {
    std::vector<SessionWaiter*> served;
    SessionWaiters::Line& line = *waiters_.Find(kLane);
    SessionWaiters::Round round{line, line.of_many.begin()};
    while (served.size() < count) {
      SessionWaiter* next = SessionWaiters::Next(
          round, [this](const SessionWaiter& waiter) { return waiter.receiver != full_; });
      if (next == nullptr) break;
      served.push_back(next);
      waiters_.Serve(round, *next);
    }
    return served;
  }

  SessionWaiters waiters_;
  HolderId full_;
  std::vector<std::string> heard_;
};

TEST_F(SessionWaitersTest, AreServedInTheOrderInWhichTheyCame) {
  const auto first = Call("a");
  const auto many = Many(7);
  const auto last = Call("b");

  EXPECT_THAT(Serve(4), ElementsAre(first.get(), many.get(), last.get(), many.get()));
  EXPECT_EQ(waiters_.size(kLane), 1U);
  EXPECT_FALSE(waiters_.HasOne(kLane));
}

TEST_F(SessionWaitersTest, AReceiverOfManyThatWantsNoneIsPassedOver) {
  full_ = HolderId(7);
  Many(7);
  const auto other = Many(8);
  const auto call = Call("a");

  EXPECT_THAT(Serve(3), ElementsAre(other.get(), call.get(), other.get()));
}

TEST_F(SessionWaitersTest, AReceiverThatLeftIsServedNoMore) {
  const auto many = Many(7);
  EXPECT_EQ(waiters_.TakeOut(HolderId(7)), many);
  EXPECT_EQ(waiters_.TakeOut(HolderId(7)), nullptr);
  EXPECT_EQ(waiters_.Find(kLane), nullptr);
}

TEST_F(SessionWaitersTest, EndWhenTheirTimeIsOverTheFirstOneFirst) {
  Call("late", seconds(30));
  Call("early", seconds(10));
  Call("last", seconds(50));
  EXPECT_EQ(waiters_.next_deadline(), kStart + seconds(10));
  EXPECT_EQ(waiters_.TakeDue(kStart + seconds(9)), std::nullopt);
  EXPECT_EQ(waiters_.TakeDue(kStart + seconds(10)), kLane);
  EXPECT_EQ(waiters_.next_deadline(), kStart + seconds(30));

  EXPECT_TRUE(waiters_.HasOver(kLane, kStart + seconds(30)));
  TellOver(kStart + seconds(30));
  EXPECT_FALSE(waiters_.HasOver(kLane, kStart + seconds(30)));

  EXPECT_THAT(heard_, ElementsAre("early", "late"));
  EXPECT_EQ(waiters_.size(kLane), 1U);
}

// It may have to stay, while something may be found for it; then it has no deadline any more.
TEST_F(SessionWaitersTest, OneWhoseTimeIsOverDoesNotHideTheOthers) {
  Call("early", seconds(10));
  Call("late", seconds(30));
  waiters_.TakeDue(kStart + seconds(20));

  EXPECT_EQ(waiters_.next_deadline(), kStart + seconds(30));
  waiters_.TakeDue(kStart + seconds(30));
  EXPECT_EQ(waiters_.next_deadline(), kNever);
  EXPECT_EQ(TellOver(kStart + seconds(30)), 2U);
}

TEST_F(SessionWaitersTest, ALaneThatNobodyWaitsOnHasNoDeadline) {
  Call("a", seconds(10));
  Serve(1);
  waiters_.ForgetIfEmpty(kLane);
  EXPECT_EQ(waiters_.next_deadline(), kNever);
  EXPECT_EQ(waiters_.Find(kLane), nullptr);
}

TEST_F(SessionWaitersTest, OneThatIsCancelledIsOver) {
  Call("a");
  const auto cancelled = Call("b");
  waiters_.SetEnd(*cancelled, kStart);

  TellOver(kStart);

  EXPECT_THAT(heard_, ElementsAre("b"));
}

TEST_F(SessionWaitersTest, WhenALaneIsRefusedThoseOfOthersStay) {
  Call("a");
  Many(7);
  Call("b", seconds(60), kOther);
  waiters_.Refuse(kLane, {ErrorCode::kMessagingEntityNotFound, "gone"});

  EXPECT_EQ(waiters_.size(kLane), 0U);
  EXPECT_EQ(waiters_.Find(kLane), nullptr);
  TellRefused();

  EXPECT_THAT(heard_, ElementsAre("a", "many 7"));
  EXPECT_EQ(waiters_.Find(kLane), nullptr);
  EXPECT_NE(waiters_.Find(kOther), nullptr);
  EXPECT_FALSE(waiters_.has_refused());
}

// They end a few at a time, so much may happen to them before they hear.
TEST_F(SessionWaitersTest, OneThatIsRefusedHearsOnceWhateverHappensToIt) {
  Call("over", seconds(1));
  const auto cancelled = Call("cancelled");
  Many(7);
  waiters_.Refuse(kLane, {ErrorCode::kMessagingEntityNotFound, "gone"});

  waiters_.SetEnd(*cancelled, kStart);
  EXPECT_NE(waiters_.TakeOut(HolderId(7)), nullptr);
  EXPECT_EQ(waiters_.next_deadline(), kNever);
  EXPECT_EQ(TellOver(kStart + seconds(1)), 0U);
  TellRefused();

  EXPECT_THAT(heard_, ElementsAre("over", "cancelled"));
}

TEST_F(SessionWaitersTest, WhenTheBrokerStopsAllHearLaneByLane) {
  Call("refused before");
  waiters_.Refuse(kLane, {ErrorCode::kMessagingEntityNotFound, "gone"});
  Call("b", seconds(60), kOther);
  Call("a", seconds(60), kLane);
  Many(7);
  waiters_.RefuseAll({ErrorCode::kServiceCommunicationProblem, "the broker stops"});

  EXPECT_EQ(waiters_.Find(kLane), nullptr);
  EXPECT_FALSE(waiters_.HasOne(kOther));
  EXPECT_EQ(waiters_.next_deadline(), kNever);
  EXPECT_TRUE(waiters_.has_refused());
  EXPECT_NE(waiters_.TakeOut(HolderId(7)), nullptr);
  TellRefused();

  EXPECT_THAT(heard_, ElementsAre("refused before", "a", "b"));
  EXPECT_FALSE(waiters_.has_refused());
}

TEST_F(SessionWaitersTest, ThatTheBrokerStopsCostsTheSameHoweverManyLanesHaveWaiters) {
  constexpr std::uint64_t kLanes = 10'000;
  for (std::uint64_t i = 1; i <= kLanes; ++i) {
    Call("a", seconds(60), {EntityId(i), LaneKind::kMain});
  }
  const std::size_t before = MemoryCalls();
  waiters_.RefuseAll({ErrorCode::kServiceCommunicationProblem, "the broker stops"});
  EXPECT_LT(MemoryCalls() - before, 10U);

  TellRefused();
  EXPECT_EQ(heard_.size(), kLanes);
}

TEST_F(SessionWaitersTest, OneThatComesWhenALaneWasRefusedIsNotAmongThose) {
  Call("before");
  waiters_.Refuse(kLane, {ErrorCode::kGeneralError, "unreadable"});
  const auto after = Call("after", seconds(5));

  TellRefused();
  EXPECT_THAT(heard_, ElementsAre("before"));
  EXPECT_EQ(waiters_.next_deadline(), kStart + seconds(5));
  EXPECT_THAT(Serve(2), ElementsAre(after.get()));
}

}  // namespace
}  // namespace wharf
