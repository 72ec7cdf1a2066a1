// The forwarder: which lanes it serves, when it lets one rest, and who is read for it.

#include "broker/engine/background/forwarder.h"

#include <fmt/core.h>

#include "tests/engine/workers/worker_fixture.h"

namespace wharf {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Lanes that may be read at a time.
constexpr std::size_t kReading = 8;

class ForwardingWorkerTest : public WorkerFixture {
 protected:
  // Forwards from lanes that the turn before touched.
  Changes Forward(const std::vector<LaneId>& touched) {
    return Plan([&](Turn& turn) {
      for (const LaneId& lane : touched) touched_.Touch(lane);
      const TouchedLanes::Lanes lanes(touched.begin(), touched.end());
      forwarder_.Plan(lanes, turn);
    });
  }
  Changes PlanDue() {
    return Plan([&](Turn& turn) { forwarder_.PlanDue(turn); });
  }
  static std::int64_t MessagesOf(const Queue& queue) {
    return queue.lane(LaneKind::kMain).counters().messages();
  }
  void FillDisk() { disk_.Set({.state = DiskState::kFull}, disk_.written_bytes()); }
  void EmptyDisk() { disk_.Set({.free_bytes = std::uint64_t{1} << 30}, disk_.written_bytes()); }

  SendLine sends_{context_, tasks_};
  Forwarder forwarder_{context_, sends_, DiskRoom(&disk_)};
  Queue& target_ = Create({.name = "there"});
  Queue& source_ = Create({.name = "here", .forward_to = "there"});
};

TEST_F(ForwardingWorkerTest, WhatIsInMemoryGoesAndItsTargetIsTouched) {
  Send(source_, Messages(3));
  Forward({MainOf(source_)});
  EXPECT_EQ(MessagesOf(source_), 0);
  EXPECT_EQ(MessagesOf(target_), 3);
  EXPECT_TRUE(was_touched_.contains(MainOf(target_)));
  EXPECT_FALSE(forwarder_.is_busy());
}

TEST_F(ForwardingWorkerTest, ATurnForwardsOnAsFarAsTheChainGoes) {
  Queue& first = Create({.name = "first", .forward_to = "here"});
  Send(first, Messages(2));
  Forward({MainOf(first)});
  EXPECT_EQ(MessagesOf(target_), 2);
}

TEST_F(ForwardingWorkerTest, WhatDoesNotFitIntoATurnIsServedInTheNext) {
  Send(source_, Messages(2));
  Plan([&](Turn& turn) {
    Fill(turn);
    forwarder_.Plan({MainOf(source_)}, turn);
  });
  EXPECT_EQ(MessagesOf(target_), 0);
  EXPECT_TRUE(touched_.has_next());

  Forward({MainOf(source_)});
  EXPECT_EQ(MessagesOf(target_), 2);
}

TEST_F(ForwardingWorkerTest, WithoutRoomOnTheDiskItRestsAndTriesAgain) {
  Send(source_, Messages(1));
  FillDisk();
  Forward({MainOf(source_)});
  EXPECT_EQ(forwarder_.next_deadline(), now() + seconds(1));
  Forward({MainOf(source_)});
  EXPECT_EQ(MessagesOf(target_), 0);

  EmptyDisk();
  clock_.Advance(seconds(1));
  PlanDue();
  EXPECT_TRUE(was_touched_.contains(MainOf(source_)));
  Forward({MainOf(source_)});
  EXPECT_EQ(MessagesOf(target_), 1);
  EXPECT_EQ(forwarder_.next_deadline(), kNever);
}

TEST_F(ForwardingWorkerTest, EachRestIsTwiceAsLongUpToAMinute) {
  Send(source_, Messages(1));
  FillDisk();
  for (const int rest : {1, 2, 4, 8, 16, 32, 60, 60}) {
    Forward({MainOf(source_)});
    EXPECT_EQ(forwarder_.next_deadline(), now() + seconds(rest));
    clock_.Advance(seconds(rest));
    PlanDue();
  }
}

TEST_F(ForwardingWorkerTest, AChangedTargetEndsTheRest) {
  Send(source_, Messages(1));
  FillDisk();
  Forward({MainOf(source_)});
  EmptyDisk();
  Plan([&](Turn& turn) { forwarder_.OnEntityChanged(target_, turn); });
  EXPECT_EQ(forwarder_.next_deadline(), kNever);
  EXPECT_TRUE(was_touched_.contains(MainOf(source_)));
}

TEST_F(ForwardingWorkerTest, ADeletedSourceIsForgotten) {
  Send(source_, Messages(1));
  FillDisk();
  Forward({MainOf(source_)});
  const EntityId id = source_.record().id;
  Delete("here");
  Plan([&](Turn& turn) { forwarder_.OnEntityDeleted(id, Status::Ok(), turn); });
  EXPECT_EQ(forwarder_.next_deadline(), kNever);
  EXPECT_FALSE(forwarder_.is_busy());
}

TEST_F(ForwardingWorkerTest, SoManyLanesAreReadAtATimeAndTheNextHasItsTurn) {
  std::vector<Queue*> sources;
  for (std::size_t i = 0; i <= kReading; ++i) {
    sources.push_back(&Create({.name = fmt::format("source{}", i), .forward_to = "there"}));
    Send(*sources.back(), Messages(1));
  }
  for (std::size_t i = 0; i < kReading; ++i) {
    EXPECT_TRUE(forwarder_.IsWanted(*sources[i], LaneKind::kMain));
  }
  // The next one has something to forward that is not in memory.
  Queue& next = *sources[kReading];
  next.lane(LaneKind::kMain).DropWindow();
  Forward({MainOf(next)});
  EXPECT_FALSE(forwarder_.IsWanted(next, LaneKind::kMain));
  EXPECT_FALSE(touched_.has_next());

  Forward({MainOf(*sources[0])});
  EXPECT_TRUE(touched_.has_next());
  EXPECT_TRUE(forwarder_.IsWanted(next, LaneKind::kMain));
}

TEST_F(ForwardingWorkerTest, WhatCannotBeReadRests) {
  Send(source_, Messages(1));
  const Status damage(ErrorCode::kGeneralError, "a block is damaged");
  Plan([&](Turn& turn) { forwarder_.OnUnreadable(MainOf(source_), damage, turn); });
  EXPECT_EQ(forwarder_.next_deadline(), now() + seconds(1));
  EXPECT_FALSE(forwarder_.IsWanted(source_, LaneKind::kMain));
}

TEST_F(ForwardingWorkerTest, IdsAreLookedUpBeforeATargetThatDetectsDuplicatesGetsAny) {  // DUP-9
  Queue& once = Create({.name = "once", .requires_duplicate_detection = true});
  Queue& from = Create({.name = "from", .forward_to = "once"});
  std::vector<Message> messages = Messages(2);
  for (Message& message : messages) message.message_id = "the same";
  Send(from, std::move(messages));
  Forward({MainOf(from)});
  EXPECT_EQ(MessagesOf(from), 2);
  EXPECT_TRUE(forwarder_.NeedsWindow(MainOf(from)));
  EXPECT_TRUE(forwarder_.is_busy());

  TakeAllReads();
  EXPECT_EQ(MessagesOf(from), 0);
  EXPECT_EQ(MessagesOf(once), 1);
  EXPECT_FALSE(forwarder_.NeedsWindow(MainOf(from)));
}

TEST_F(ForwardingWorkerTest, OnceTheShardIsClosedNothingIsReadForIt) {
  Send(source_, Messages(1));
  EXPECT_TRUE(forwarder_.IsLeft(source_, LaneKind::kMain));
  open_.Close({ErrorCode::kGeneralError, "the log is closed"});
  EXPECT_FALSE(forwarder_.IsWanted(source_, LaneKind::kMain));
  EXPECT_FALSE(forwarder_.IsLeft(source_, LaneKind::kMain));
}

}  // namespace
}  // namespace wharf
