// A queue in which nothing is rests, and is as it was when it wakes.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/entities/catalog.h"
#include "queue_fixture.h"

namespace wharf {
namespace {

class RestingQueueTest : public ::testing::Test {
 protected:
  explicit RestingQueueTest(QueueDescription description = {}) : it_(std::move(description)) {}

  Queue& queue() { return it_.queue(); }
  // As at the end of a turn, which takes what is told and writes what is counted.
  bool Rest() {
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      if (queue().is_at_rest()) continue;
      queue().lane(kind).TakeFreedHolders();
      queue().lane(kind).TakeArrived();
      queue().lane(kind).TakeCountersChanged();
    }
    return queue().Rest(it_.now(), settings_);
  }
  void SendAndComplete() {
    const Delivered delivered = it_.SendAndReceive();
    ASSERT_TRUE(it_.Settle(delivered.token, SettleVerb::kComplete).ok());
  }

  QueueFixture it_;
  SharedSettings settings_;
};

TEST_F(RestingQueueTest, WhatWasCountedIsAsItWas) {
  it_.clock().Advance(std::chrono::minutes(3));
  queue().lane(LaneKind::kMain).NoteAccess(it_.now());
  SendAndComplete();
  SendAndComplete();
  std::vector<LaneCounters> before;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    before.push_back(queue().lane(kind).counters());
  }

  ASSERT_TRUE(Rest());

  EXPECT_EQ(queue().counters(LaneKind::kMain), before[0]);
  EXPECT_EQ(queue().counters(LaneKind::kDeadLetter), before[1]);
  EXPECT_TRUE(queue().is_at_rest());
  EXPECT_EQ(queue().lane(LaneKind::kMain).counters(), before[0]);
  EXPECT_FALSE(queue().is_at_rest());
  EXPECT_EQ(queue().lane(LaneKind::kDeadLetter).counters(), before[1]);
  EXPECT_EQ(*it_.Send(), SequenceNumber(3));
}

TEST_F(RestingQueueTest, WhatItIsStaysAsItWasDescribed) {
  QueueDescription description = queue().description();
  description.user_metadata = "of the north";
  description.lock_duration = std::chrono::seconds(42);
  it_.clock().Advance(std::chrono::minutes(3));
  it_.Update(description);
  const EntityRecord before = queue().record();

  ASSERT_TRUE(Rest());

  EXPECT_EQ(queue().id(), before.id);
  EXPECT_EQ(queue().name(), "orders");
  EXPECT_EQ(queue().settings().lock_duration, std::chrono::seconds(42));
  EXPECT_TRUE(queue().is_at_rest());
  EXPECT_EQ(queue().description(), before.description);
  EXPECT_EQ(queue().record().created_at, before.created_at);
  EXPECT_EQ(queue().record().updated_at, before.updated_at);
  EXPECT_EQ(queue().kind(), before.kind);
}

TEST_F(RestingQueueTest, APurgedShelfIsNotTakenUpAgain) {
  Changes changes;
  for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
    queue().Purge(kind, kind == LaneKind::kMain ? 7 : 8, false, it_.now(), changes);
  }

  ASSERT_TRUE(Rest());

  EXPECT_EQ(queue().shelf(LaneKind::kMain).generation, 7);
  EXPECT_EQ(queue().shelf(LaneKind::kDeadLetter).generation, 8);
  EXPECT_EQ(queue().lane(LaneKind::kDeadLetter).shelf().generation, 8);
}

TEST_F(RestingQueueTest, WhatIsAskedOfManyLeavesItAtRest) {
  ASSERT_TRUE(Rest());

  EXPECT_EQ(queue().bytes(), 0);
  EXPECT_EQ(queue().idle_deadline(), kNever);
  EXPECT_TRUE(queue().remains().can_go_unread);
  EXPECT_TRUE(queue().CheckFence().ok());
  EXPECT_FALSE(queue().is_fenced());
  EXPECT_TRUE(queue().is_at_rest());
}

// A minute of use is not written each time; who rests with it has it still.
TEST_F(RestingQueueTest, UseThatIsNotWrittenYetIsNotForgotten) {
  const Timestamp begin = it_.now();
  queue().lane(LaneKind::kMain).NoteAccess(begin);
  ASSERT_TRUE(Rest());
  it_.clock().Advance(std::chrono::seconds(50));
  queue().lane(LaneKind::kMain).NoteAccess(it_.now());
  ASSERT_FALSE(queue().lane(LaneKind::kMain).TakeCountersChanged());

  ASSERT_TRUE(Rest());
  EXPECT_EQ(queue().counters(LaneKind::kMain).accessed_at, it_.now());

  it_.clock().Advance(std::chrono::seconds(10));
  queue().lane(LaneKind::kMain).NoteAccess(it_.now());
  EXPECT_TRUE(queue().lane(LaneKind::kMain).TakeCountersChanged());
}

TEST_F(RestingQueueTest, WhatIsCountedAndNotWrittenKeepsItAwake) {
  SendAndComplete();

  EXPECT_FALSE(queue().Rest(it_.now(), settings_));
  EXPECT_TRUE(Rest());
}

// What is read for a lane of before must not be taken for the one of now.
TEST_F(RestingQueueTest, EachTimeItWakesItsLanesHaveAnotherLife) {
  const std::uint32_t first = queue().lane(LaneKind::kMain).life();
  ASSERT_TRUE(Rest());
  const std::uint32_t second = queue().lane(LaneKind::kMain).life();
  ASSERT_TRUE(Rest());

  EXPECT_NE(second, first);
  EXPECT_NE(queue().lane(LaneKind::kMain).life(), second);
  EXPECT_NE(queue().lane(LaneKind::kMain).life(), first);
}

TEST_F(RestingQueueTest, AnyMessageKeepsItAwake) {
  ASSERT_TRUE(it_.Send().ok());
  EXPECT_FALSE(Rest());
  const Delivered locked = it_.Receive().value();
  EXPECT_FALSE(Rest());
  ASSERT_TRUE(it_.Settle(locked.token, SettleVerb::kDefer).ok());
  EXPECT_FALSE(Rest());
}

TEST_F(RestingQueueTest, ADeadLetterKeepsItAwake) {
  const Delivered delivered = it_.SendAndReceive();
  ASSERT_TRUE(it_.Settle(delivered.token, SettleVerb::kDeadLetter).ok());
  EXPECT_FALSE(Rest());

  const Delivered dead = it_.Receive(LaneKind::kDeadLetter).value();
  ASSERT_TRUE(it_.Settle(dead.token, SettleVerb::kComplete, LaneKind::kDeadLetter).ok());
  EXPECT_TRUE(Rest());
}

TEST_F(RestingQueueTest, AScheduledMessageKeepsItAwake) {
  std::vector<Message> messages(1);
  messages[0].scheduled_enqueue_time = it_.now() + std::chrono::hours(1);
  ASSERT_TRUE(it_.Send(std::move(messages)).ok());

  EXPECT_FALSE(Rest());
}

TEST_F(RestingQueueTest, WhatIsFencedIsNotTouched) {
  queue().Fence("something does not agree");

  EXPECT_FALSE(Rest());
}

// Else each message of a queue that is empty between two of them would have a hint of its own.
TEST_F(RestingQueueTest, AHintThatMayStillBeSharedKeepsItAwake) {
  std::vector<Message> messages(1);
  messages[0].time_to_live = std::chrono::hours(1);
  ASSERT_TRUE(it_.Send(std::move(messages)).ok());
  ASSERT_TRUE(it_.Settle(it_.Receive()->token, SettleVerb::kComplete).ok());

  EXPECT_FALSE(Rest());
  it_.clock().Advance(std::chrono::seconds(1));
  EXPECT_FALSE(Rest());
  it_.clock().Advance(Duration(1));
  EXPECT_TRUE(Rest());
}

TEST_F(RestingQueueTest, ItsBytesGoOnToBePartOfTheTotals) {
  NamespaceSize size(0);
  const auto total = std::make_shared<std::int64_t>(0);
  queue().CountInto(total);
  ASSERT_TRUE(Rest());
  queue().CountIntoNamespace(size);

  ASSERT_TRUE(it_.Send().ok());

  EXPECT_GT(queue().bytes(), 0);
  EXPECT_EQ(*total, queue().bytes());
  EXPECT_EQ(size.bytes(), queue().bytes());
}

class RestingSessionsTest : public RestingQueueTest {
 protected:
  RestingSessionsTest() : RestingQueueTest({.requires_session = true}) {}
};

TEST_F(RestingSessionsTest, SessionsAreNotForgotten) { EXPECT_FALSE(Rest()); }

class RestingPartitionsTest : public RestingQueueTest {
 protected:
  RestingPartitionsTest() : RestingQueueTest({.enable_partitioning = true}) {}
};

TEST_F(RestingPartitionsTest, WhoseTurnItIsIsNotForgotten) { EXPECT_FALSE(Rest()); }

// Thousands are there, and few of them are used.
TEST(RestingQueueSizeTest, WhatIsNotUsedIsSmall) { EXPECT_LE(sizeof(Queue), 256U); }

TEST(SharedSettingsTest, WhatIsDescribedAsAnotherIsThereOnce) {
  SharedSettings known;
  QueueDescription first;
  first.name = "first";
  QueueDescription second = first;
  second.name = "second";
  QueueDescription other = first;
  other.max_delivery_count = 3;

  const SettingsPtr shared = known.Share(first);
  EXPECT_EQ(known.Share(second), shared);
  EXPECT_NE(known.Share(other), shared);
  EXPECT_EQ(known.Share(other)->max_delivery_count, 3);
  EXPECT_EQ(known.Share(first), shared);
  EXPECT_TRUE(shared->name.empty());
}

// --- when they are looked at

constexpr Duration kPause = std::chrono::seconds(2);

class RestingCatalogTest : public ::testing::Test {
 protected:
  Queue& Create(const std::string& name) {
    QueueDescription description;
    description.name = name;
    return **catalog_.Create(EntityKind::kQueue, std::move(description), now_, changes_);
  }
  void Use(Queue& queue) { queue.lane(LaneKind::kMain).CountScheduled(1, 10); }
  void EndUse(Queue& queue) {
    queue.lane(LaneKind::kMain).CountScheduled(-1, -10);
    queue.lane(LaneKind::kMain).TakeCountersChanged();
  }

  const BrokerLimits limits_{};
  SeededRandom random_{1};
  Catalog catalog_{{}, limits_, random_};
  Changes changes_;
  Timestamp now_{std::chrono::hours(1)};
};

TEST_F(RestingCatalogTest, WhatNobodyUsesRestsWhenTheTurnEnds) {
  Queue& used = Create("used");
  Queue& made = Create("made");
  Use(used);

  catalog_.RestIdle(now_);

  EXPECT_TRUE(made.is_at_rest());
  EXPECT_FALSE(used.is_at_rest());

  static_cast<void>(made.lane(LaneKind::kMain));
  catalog_.RestIdle(now_);
  EXPECT_TRUE(made.is_at_rest());
}

TEST_F(RestingCatalogTest, WhatWasInUseIsLookedAtALittleLaterAndAgain) {
  Queue& queue = Create("used");
  Use(queue);
  catalog_.RestIdle(now_);
  catalog_.RestIdle(now_ + kPause);
  EndUse(queue);

  catalog_.RestIdle(now_ + 2 * kPause - Duration(1));
  EXPECT_FALSE(queue.is_at_rest());
  catalog_.RestIdle(now_ + 2 * kPause);
  EXPECT_TRUE(queue.is_at_rest());
}

// However many are in use, a turn is not held up by them.
TEST_F(RestingCatalogTest, ATurnLooksAtAFewOfThem) {
  std::vector<Queue*> queues;
  for (std::size_t i = 0; i < 10 * AwakeQueues::kLooksMax; ++i) {
    queues.push_back(&Create("q" + std::to_string(i)));
    Use(*queues.back());
  }
  catalog_.RestIdle(now_);
  for (Queue* queue : queues) EndUse(*queue);
  const auto resting = [&] {
    return static_cast<std::size_t>(std::count_if(
        queues.begin(), queues.end(), [](const Queue* queue) { return queue->is_at_rest(); }));
  };

  for (std::size_t turn = 1; turn <= 10; ++turn) {
    catalog_.RestIdle(now_ + kPause);
    EXPECT_EQ(resting(), turn * AwakeQueues::kLooksMax);
  }
}

// Each of those that come and go stands in line until it was looked for.
TEST(AwakeQueuesTest, TheLineEndsHoweverManyComeAndGo) {
  constexpr std::size_t kTurns = 10;
  constexpr std::size_t kPerTurn = 10 * AwakeQueues::kLooksMax;
  AwakeQueues awake{Duration(0)};
  std::uint64_t next = 1;
  std::size_t left = 0;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < kPerTurn; ++i) awake.Note(EntityId(next++));
    left += kPerTurn;
    for (const EntityId each : awake.Take(Timestamp())) {
      // It was made in this turn, and is in use; or it is deleted meanwhile.
      if (each.value() + kPerTurn >= next)
        awake.NoteUsed(each, Timestamp());
      else
        --left;
    }
    EXPECT_LE(left, kPerTurn);
  }
}

TEST_F(RestingCatalogTest, WhatIsDeletedWhileItIsLookedForIsLeftOut) {
  Use(Create("gone"));
  catalog_.RestIdle(now_);
  ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, "gone", changes_).ok());

  catalog_.RestIdle(now_ + kPause);
}

TEST_F(RestingCatalogTest, WhatIsLoadedWithNothingInItIsAtRest) {
  Catalog::Image image;
  for (const std::string name : {"empty", "used"}) {
    Queue::Image& queue = image.queues.emplace_back();
    queue.record.id = EntityId(image.queues.size());
    queue.record.description.name = name;
    queue.main.counters.scheduled = name == "used" ? 1 : 0;
  }
  const Catalog loaded(std::move(image), limits_, random_);

  EXPECT_TRUE((*loaded.Find("empty"))->is_at_rest());
  EXPECT_FALSE((*loaded.Find("used"))->is_at_rest());
}

}  // namespace
}  // namespace wharf
