// The dispatcher: who gets what is there, in which order, and who is told that it ends.

#include "broker/engine/delivery/dispatcher.h"

#include <algorithm>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "tests/engine/receiving/recording_sink.h"
#include "tests/engine/workers/memory_calls.h"
#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DispatcherTest : public WorkerFixture {
 protected:
  explicit DispatcherTest(const Dispatcher::Limits& limits = {.receivers_per_lane_max = 3,
                                                              .locked_per_connection_max = 10})
      : dispatcher_{
            touched_,
            tasks_,
            limits,
            [this](LaneId, std::vector<LockToken> tokens) { released_ = std::move(tokens); },
            [this](const Receiver& receiver, Timestamp) { left_.push_back(receiver.id()); },
            [](const BodyRef&) {}} {}

  struct Attached {
    HolderId id;
    std::shared_ptr<RecordingSink> sink;
  };
  Attached Attach(Receiver::Options options = {}, LaneKind kind = LaneKind::kMain) {
    options.lane = {queue_.record().id, kind};
    Attached attached{{}, std::make_shared<RecordingSink>()};
    attached.id = *dispatcher_.Attach(options, "127.0.0.1:1", attached.sink);
    dispatcher_.TakeSeat(attached.id, LineId{options.lane});
    return attached;
  }
  void Grant(const Attached& receiver, std::uint64_t messages) {
    dispatcher_.Grant(receiver.id, {messages, {}});
  }
  // One turn, with what waits for it.
  void PlanNext() {
    Task task = std::move(tasks_.tasks.front());
    tasks_.tasks.pop_front();
    Plan([&](Turn& turn) { std::move(task)(turn); });
  }
  // One turn; whether more could be handed out in another.
  bool Match() {
    bool has_more = false;
    Plan([&](Turn& turn) {
      const LaneId lane = MainOf(queue_);
      touched_.Touch(lane);
      dispatcher_.NoteFreed(lane, queue_.lane(lane.kind).TakeFreedHolders(), turn);
      has_more = dispatcher_.Match(queue_, LineId{lane}, {lane.kind}, turn);
      dispatcher_.FinishLeaving(queue_, lane.kind, turn);
    });
    return has_more;
  }

  Queue& queue_ = Create({.name = "orders"});
  std::vector<LockToken> released_;
  std::vector<HolderId> left_;
  Dispatcher dispatcher_;
};

TEST_F(DispatcherTest, ThoseWithCreditAreServedInTheOrderInWhichTheyCame) {  // STA-6
  const Attached first = Attach();
  const Attached second = Attach();
  const Attached third = Attach();
  Grant(third, 1);
  Grant(first, 1);
  Send(queue_, Messages(3));
  Match();

  EXPECT_THAT(third.sink->events, ElementsAre("1"));
  EXPECT_THAT(first.sink->events, ElementsAre("2"));
  EXPECT_THAT(second.sink->events, IsEmpty());
}

TEST_F(DispatcherTest, NobodyHearsOfADeliveryBeforeItsCommit) {
  const Attached receiver = Attach();
  Grant(receiver, 1);
  Send(queue_, Messages(1));
  Plan([&](Turn& turn) {
    dispatcher_.Match(queue_, LineId{MainOf(queue_)}, {LaneKind::kMain}, turn);
    EXPECT_THAT(receiver.sink->events, IsEmpty());
  });
  EXPECT_THAT(receiver.sink->events, ElementsAre("1"));
}

TEST_F(DispatcherTest, ALaneTakesSoManyReceivers) {  // QUO-7
  for (int i = 0; i < 3; ++i) Attach();
  const auto refused = dispatcher_.Attach({.lane = MainOf(queue_)}, "127.0.0.1:1",
                                          std::make_shared<RecordingSink>());
  EXPECT_EQ(refused.status().code(), ErrorCode::kQuotaExceeded);
}

TEST_F(DispatcherTest, WhatWasLockedForOneThatLeftIsGivenBack) {  // LCK-14
  const Attached receiver = Attach();
  Grant(receiver, 1);
  Send(queue_, Messages(1));
  Plan([&](Turn& turn) {
    dispatcher_.Match(queue_, LineId{MainOf(queue_)}, {LaneKind::kMain}, turn);
    dispatcher_.Detach(receiver.id, turn.now);
  });

  EXPECT_THAT(receiver.sink->events, IsEmpty());
  EXPECT_THAT(released_, SizeIs(1));
  EXPECT_THAT(left_, ElementsAre(receiver.id));
}

TEST_F(DispatcherTest, OneThatLeftHearsNoMoreVerbs) {
  const Attached receiver = Attach();
  dispatcher_.Detach(receiver.id, now());
  Grant(receiver, 5);
  dispatcher_.Revoke(receiver.id, {5, {}});
  dispatcher_.Drain(receiver.id);
  Plan([&](Turn& turn) { dispatcher_.Stop(receiver.id, turn); });
  Send(queue_, Messages(1));
  Match();

  EXPECT_THAT(receiver.sink->events, IsEmpty());
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().messages(), 1);
}

TEST_F(DispatcherTest, AConnectionLocksSoManyAndGoesOnWhenOneIsSettled) {
  const Attached receiver = Attach();
  Grant(receiver, 100);
  Send(queue_, Messages(20));
  Match();
  const std::size_t locked = receiver.sink->deliveries.size();
  ASSERT_LT(locked, 11U);
  EXPECT_FALSE(dispatcher_.IsWanted(MainOf(queue_)));

  Plan([&](Turn& turn) {
    touched_.Touch(MainOf(queue_));
    const Settlement complete{.verb = SettleVerb::kComplete};
    ASSERT_TRUE(queue_.settling()
                    .Settle(LaneKind::kMain, receiver.sink->deliveries.front().token, complete, {},
                            turn.now, turn.changes)
                    .ok());
  });
  Match();
  EXPECT_EQ(receiver.sink->deliveries.size(), locked + 1);
}

TEST_F(DispatcherTest, AWaitThatIsOverEndsWithNothing) {  // STA-5
  const Attached receiver = Attach({.lane = {}, .is_once = true, .wait_until = now() + seconds(5)});
  Grant(receiver, 1);
  Match();
  EXPECT_EQ(dispatcher_.next_deadline(), now() + seconds(5));
  EXPECT_THAT(receiver.sink->events, IsEmpty());

  clock_.Advance(seconds(5));
  Plan([&](Turn& turn) { dispatcher_.PlanDue(turn); });
  EXPECT_TRUE(was_touched_.contains(MainOf(queue_)));
  EXPECT_EQ(dispatcher_.next_deadline(), kNever);
  Match();
  EXPECT_THAT(receiver.sink->events, ElementsAre("detached Ok"));
}

TEST_F(DispatcherTest, DrainedHearsWhatCreditIsLeftOnceNothingIsThere) {
  const Attached receiver = Attach();
  Grant(receiver, 5);
  Send(queue_, Messages(2));
  dispatcher_.Drain(receiver.id);
  Match();
  EXPECT_THAT(receiver.sink->events, ElementsAre("1", "2", "drained 3"));
}

TEST_F(DispatcherTest, AnEntityThatIsGoneEndsItsReceiversWithTheReason) {
  const Attached receiver = Attach();
  const Attached of_dead = Attach({}, LaneKind::kDeadLetter);
  const Status gone(ErrorCode::kMessagingEntityNotFound, "the entity was deleted");
  Plan([&](Turn& turn) { dispatcher_.OnEntityDeleted(queue_.record().id, gone, turn); });
  EXPECT_EQ(receiver.sink->detached.message(), gone.message());
  EXPECT_EQ(of_dead.sink->detached.message(), gone.message());
  EXPECT_FALSE(dispatcher_.HasWaiting(queue_.record().id));
}

// What was locked there is no more, and weighs on nobody.
TEST_F(DispatcherTest, LocksOfAnEntityThatIsGoneAreForgotten) {
  const Attached receiver = Attach();
  Grant(receiver, 100);
  Send(queue_, Messages(20));
  Match();
  Queue& other = Create({.name = "other"});
  const auto sink = std::make_shared<RecordingSink>();
  const HolderId id = *dispatcher_.Attach({.lane = MainOf(other)}, "127.0.0.1:1", sink);
  dispatcher_.TakeSeat(id, LineId{MainOf(other)});
  dispatcher_.Grant(id, {100, {}});
  Plan([&](Turn& turn) { dispatcher_.OnEntityDeleted(queue_.record().id, Status::Ok(), turn); });
  Send(other, Messages(20));
  Plan([&](Turn& turn) {
    touched_.Touch(MainOf(other));
    dispatcher_.Match(other, LineId{MainOf(other)}, {LaneKind::kMain}, turn);
  });
  EXPECT_EQ(sink->deliveries.size(), 10U);
}

TEST_F(DispatcherTest, OnlyThoseWhoMayNotReceiveAnyMoreEndWhenAnEntityChanges) {  // STS-8
  const Attached receiver = Attach();
  Plan([&](Turn& turn) { dispatcher_.OnEntityChanged(queue_, turn); });
  EXPECT_THAT(receiver.sink->events, IsEmpty());

  Plan([&](Turn& turn) {
    QueueDescription disabled = queue_.description();
    disabled.status = EntityStatus::kReceiveDisabled;
    queue_.Update(std::move(disabled), turn.now, turn.changes);
    dispatcher_.OnEntityChanged(queue_, turn);
  });
  EXPECT_THAT(receiver.sink->events, SizeIs(1));
  EXPECT_EQ(receiver.sink->detached.code(), ErrorCode::kMessagingEntityDisabled);
}

TEST_F(DispatcherTest, WhatCannotBeReadEndsTheReceiversOfTheEntity) {
  const Attached receiver = Attach();
  const Status damage(ErrorCode::kGeneralError, "a block is damaged");
  Plan([&](Turn& turn) { dispatcher_.OnUnreadable(MainOf(queue_), damage, turn); });
  EXPECT_EQ(receiver.sink->detached.message(), damage.message());
}

// A lane takes thousands of receivers.
class ManyReceiversTest : public DispatcherTest {
 protected:
  static constexpr std::size_t kReceivers = 10 * Turn::kEndingsMax;

  ManyReceiversTest()
      : DispatcherTest({.receivers_per_lane_max = kReceivers, .locked_per_connection_max = 1}) {}

  void AttachMany(const Receiver::Options& options = {}) {
    for (std::size_t i = 0; i < kReceivers; ++i) receivers_.push_back(Attach(options));
  }
  std::size_t CountHeard() const {
    std::size_t heard = 0;
    for (const Attached& receiver : receivers_) heard += receiver.sink->events.size();
    return heard;
  }
  void Disable() {
    Plan([&](Turn& turn) {
      QueueDescription disabled = queue_.description();
      disabled.status = EntityStatus::kReceiveDisabled;
      queue_.Update(std::move(disabled), turn.now, turn.changes);
      dispatcher_.OnEntityChanged(queue_, turn);
    });
  }
  void Damage() {
    Plan([&](Turn& turn) {
      dispatcher_.OnUnreadable(MainOf(queue_), {ErrorCode::kGeneralError, "a block is damaged"},
                               turn);
    });
  }
  void Settle(const LockToken& token) {
    Plan([&](Turn& turn) {
      touched_.Touch(MainOf(queue_));
      const Settlement complete{.verb = SettleVerb::kComplete};
      ASSERT_TRUE(queue_.settling()
                      .Settle(LaneKind::kMain, token, complete, {}, turn.now, turn.changes)
                      .ok());
    });
  }

  std::vector<Attached> receivers_;
};

TEST_F(ManyReceiversTest, EndAFewInEachTurnAndEachHearsOnce) {  // STS-8
  AttachMany();
  Disable();
  EXPECT_EQ(CountHeard(), Turn::kEndingsMax);

  for (std::size_t turns = 2; !tasks_.tasks.empty(); ++turns) {
    PlanNext();
    EXPECT_EQ(CountHeard(), turns * Turn::kEndingsMax);
  }
  for (const Attached& receiver : receivers_) {
    EXPECT_THAT(receiver.sink->events, ElementsAre("detached MessagingEntityDisabled"));
  }
  EXPECT_EQ(left_.size(), kReceivers);
}

TEST_F(ManyReceiversTest, OneThatIsAboutToEndGetsNothingAndDoesNotCount) {
  AttachMany();
  const Attached& last = receivers_.back();
  Grant(last, 5);
  Damage();
  ASSERT_THAT(last.sink->events, IsEmpty());

  Grant(last, 5);
  dispatcher_.Drain(last.id);
  Plan([&](Turn& turn) { dispatcher_.Stop(last.id, turn); });
  Send(queue_, Messages(1));
  Match();

  EXPECT_THAT(last.sink->events, IsEmpty());
  EXPECT_FALSE(dispatcher_.HasWaiting(queue_.record().id));
  EXPECT_EQ(dispatcher_.Find(last.id), nullptr);
  while (!tasks_.tasks.empty()) PlanNext();
  EXPECT_THAT(last.sink->events, ElementsAre("detached GeneralError"));
}

TEST_F(ManyReceiversTest, OneThatItsClientDetachesMeanwhileIsNotTold) {
  AttachMany();
  Disable();
  dispatcher_.Detach(receivers_.back().id, now());
  dispatcher_.Detach(receivers_.front().id, now());
  while (!tasks_.tasks.empty()) PlanNext();

  EXPECT_THAT(receivers_.back().sink->events, IsEmpty());
  EXPECT_EQ(CountHeard(), kReceivers - 1);
  EXPECT_EQ(left_.size(), kReceivers);
}

TEST_F(ManyReceiversTest, OneThatAttachesMeanwhileIsNotAmongThemAndIsServedBehindThem) {
  AttachMany();
  Damage();
  Attached next = Attach();
  Grant(next, 1);
  Send(queue_, Messages(1));

  EXPECT_TRUE(Match());
  EXPECT_THAT(next.sink->events, IsEmpty());
  while (!tasks_.tasks.empty()) PlanNext();
  EXPECT_THAT(next.sink->events, IsEmpty());
  Match();
  EXPECT_THAT(next.sink->events, ElementsAre("1"));
}

TEST_F(ManyReceiversTest, WhenTheBrokerStopsMeanwhileAllHearOnce) {
  AttachMany();
  const Attached of_dead = Attach({}, LaneKind::kDeadLetter);
  Disable();
  PlanNext();
  const Status stop(ErrorCode::kServiceCommunicationProblem, "the broker stops");
  Plan([&](Turn& turn) { dispatcher_.DetachEveryone(stop, turn); });
  while (!tasks_.tasks.empty()) PlanNext();

  EXPECT_EQ(CountHeard(), kReceivers);
  EXPECT_THAT(of_dead.sink->events, SizeIs(1));
}

TEST_F(ManyReceiversTest, WaitsThatAreOverTogetherEndAFewInEachTurn) {  // STA-5
  AttachMany({.lane = {}, .is_once = true, .wait_until = now() + seconds(5)});
  for (const Attached& receiver : receivers_) Grant(receiver, 1);
  Match();
  clock_.Advance(seconds(5));

  for (std::size_t turns = 1; turns <= kReceivers / Turn::kEndingsMax; ++turns) {
    EXPECT_LE(dispatcher_.next_deadline(), now()) << turns;
    Plan([&](Turn& turn) {
      dispatcher_.PlanDue(turn);
      EXPECT_THAT(touched_.lanes(), ElementsAre(MainOf(queue_)));
      dispatcher_.FinishLeaving(queue_, LaneKind::kMain, turn);
    });
    EXPECT_EQ(CountHeard(), turns * Turn::kEndingsMax);
  }
  EXPECT_EQ(dispatcher_.next_deadline(), kNever);
}

// As many lanes as waits are looked at in a turn.
TEST_F(ManyReceiversTest, WaitsThatAreOverTogetherAreDueAFewInEachTurn) {  // STA-5
  AttachMany({.lane = {}, .is_once = true, .wait_until = now() + seconds(5)});
  clock_.Advance(seconds(5));

  for (std::size_t turns = 1; turns <= kReceivers / Turn::kEndingsMax; ++turns) {
    EXPECT_LE(dispatcher_.next_deadline(), now()) << turns;
    Plan([&](Turn& turn) { dispatcher_.PlanDue(turn); });
  }
  EXPECT_EQ(dispatcher_.next_deadline(), kNever);
}

TEST_F(ManyReceiversTest, StreamsThatDrainTogetherHearAFewInEachTurn) {
  AttachMany();
  for (const Attached& receiver : receivers_) {
    Grant(receiver, 5);
    dispatcher_.Drain(receiver.id);
  }

  for (std::size_t turns = 1; turns <= kReceivers / Turn::kEndingsMax; ++turns) {
    Match();
    EXPECT_EQ(CountHeard(), turns * Turn::kEndingsMax);
  }
  for (const Attached& receiver : receivers_) {
    EXPECT_THAT(receiver.sink->events, ElementsAre("drained 5"));
  }
}

// Each of a connection of its own, that left without settling.
TEST_F(ManyReceiversTest, LocksOfAnEntityThatIsGoneAreForgottenAFewInEachTurn) {
  const LaneId lane = MainOf(queue_);
  Send(queue_, Messages(kReceivers));
  std::vector<HolderId> ids;
  for (std::size_t i = 0; i < kReceivers; ++i) {
    ids.push_back(*dispatcher_.Attach({.lane = lane}, fmt::format("127.0.0.1:{}", i),
                                      std::make_shared<RecordingSink>()));
    dispatcher_.TakeSeat(ids.back(), LineId{lane});
    dispatcher_.Grant(ids.back(), {1, {}});
  }
  while (Match()) continue;
  for (const HolderId id : ids) dispatcher_.Detach(id, now());
  ASSERT_EQ(dispatcher_.holders().size(), kReceivers);

  Plan([&](Turn& turn) { dispatcher_.OnEntityDeleted(lane.entity, Status::Ok(), turn); });
  for (std::size_t turns = 1; turns <= kReceivers / Turn::kEndingsMax; ++turns) {
    EXPECT_EQ(dispatcher_.holders().size(), kReceivers - turns * Turn::kEndingsMax);
    if (!tasks_.tasks.empty()) PlanNext();
  }
  EXPECT_THAT(tasks_.tasks, IsEmpty());
}

// The connection holds as much as it may: a settlement makes room for one.
TEST_F(ManyReceiversTest, StreamsThatWereHeldBackAreWokenAFewInEachTurn) {
  AttachMany();
  for (const Attached& receiver : receivers_) Grant(receiver, 1);
  Send(queue_, Messages(50));
  while (Match()) continue;
  ASSERT_THAT(receivers_[0].sink->events, ElementsAre("1"));

  Settle(receivers_[0].sink->deliveries[0].token);
  Plan([&](Turn& turn) {
    dispatcher_.NoteFreed(MainOf(queue_), queue_.lane(LaneKind::kMain).TakeFreedHolders(), turn);
    EXPECT_EQ(turn.wakes, Turn::kWakesMax);
  });
  std::size_t turns = 1;
  for (; !tasks_.tasks.empty(); ++turns) PlanNext();
  // A round for the connection reaches all; one for the lane finds none that is held back.
  EXPECT_GE(turns, kReceivers / Turn::kWakesMax);
}

TEST_F(ManyReceiversTest, StreamsThatWereHeldBackAreServedInTheOrderInWhichTheyCame) {  // STA-6
  AttachMany();
  for (const Attached& receiver : receivers_) Grant(receiver, 1);
  Send(queue_, Messages(50));
  while (Match()) continue;

  for (std::size_t i = 0; i < 20; ++i) {
    ASSERT_THAT(receivers_[i].sink->deliveries, SizeIs(1)) << i;
    EXPECT_EQ(CountHeard(), i + 1);
    Settle(receivers_[i].sink->deliveries[0].token);
    while (Match() || !tasks_.tasks.empty()) {
      if (!tasks_.tasks.empty()) PlanNext();
    }
  }
}

// Ten thousand calls wait on one lane, or one receiver on each of ten thousand lanes.
class TenThousandTest : public DispatcherTest {
 protected:
  static constexpr std::size_t kReceivers = 40 * Turn::kEndingsMax;

  TenThousandTest()
      : DispatcherTest({.receivers_per_lane_max = kReceivers, .locked_per_connection_max = 100}) {}

  HolderId AttachTo(LaneId lane, const Receiver::Options& options = {}) {
    Receiver::Options own = options;
    own.lane = lane;
    const HolderId id = *dispatcher_.Attach(own, "127.0.0.1:1", sink_);
    dispatcher_.TakeSeat(id, LineId{lane});
    dispatcher_.Grant(id, {1, {}});
    return id;
  }
  static LaneId LaneOf(std::size_t entity) { return {EntityId(1000 + entity), LaneKind::kMain}; }
  template <typename Act>
  static std::size_t WorkOf(Act act) {
    const std::size_t before = MemoryCalls();
    act();
    return MemoryCalls() - before;
  }
  std::size_t WorkOfAMessage() {
    Send(queue_, Messages(1));
    return WorkOf([this] { Match(); });
  }

  std::size_t ended_ = 0;
  std::shared_ptr<CountingSink> sink_ = std::make_shared<CountingSink>(ended_);
};

TEST_F(TenThousandTest, AMessageCostsTheSameHoweverManyWaitForIt) {  // STA-6
  const Receiver::Options call{.lane = {}, .is_once = true, .wait_until = now() + seconds(20)};
  for (std::size_t i = 0; i < 10; ++i) AttachTo(MainOf(queue_), call);
  const std::size_t with_few = WorkOfAMessage();
  for (std::size_t i = 9; i < kReceivers; ++i) AttachTo(MainOf(queue_), call);
  const std::size_t with_many = WorkOfAMessage();

  EXPECT_EQ(ended_, 2U);
  // Nodes of trees that are fuller.
  EXPECT_LT(with_many, with_few + 20);
}

TEST_F(TenThousandTest, WhenTheBrokerStopsATurnLooksAtAFewLanes) {
  for (std::size_t i = 0; i < kReceivers; ++i) AttachTo(LaneOf(i));
  const HolderId last = AttachTo(LaneOf(kReceivers));
  const Status stop(ErrorCode::kServiceCommunicationProblem, "the broker stops");

  const std::size_t first_turn =
      WorkOf([&] { Plan([&](Turn& turn) { dispatcher_.DetachEveryone(stop, turn); }); });
  EXPECT_EQ(ended_, Turn::kEndingsMax);
  EXPECT_EQ(dispatcher_.Find(last), nullptr);
  EXPECT_FALSE(dispatcher_.HasWaiting(LaneOf(kReceivers).entity));
  EXPECT_TRUE(dispatcher_.IsEnding(LaneOf(kReceivers)));
  const std::size_t second_turn = WorkOf([&] { PlanNext(); });
  EXPECT_LT(first_turn, 2 * second_turn);

  dispatcher_.Detach(last, now());
  while (!tasks_.tasks.empty()) PlanNext();
  EXPECT_EQ(ended_, kReceivers);
}

}  // namespace
}  // namespace wharf
