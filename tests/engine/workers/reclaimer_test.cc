// The reclaimer: unread or step by step, no generation twice, space given back when that is worth
// it.

#include "broker/engine/background/reclaimer.h"

#include <string>

#include "broker/schema/keys.h"
#include "tests/engine/workers/worker_fixture.h"
#include "tests/harness/job_rows.h"

namespace wharf {
namespace {

// Messages that one step reclaims, and steps that are worth a compaction.
constexpr std::size_t kReclaimedPerStep = 1024;
constexpr std::size_t kStepsWorth = 64;

class ReclaimerTest : public WorkerFixture {
 protected:
  Shelf ShelfNow() const { return queue_.lane(LaneKind::kMain).shelf(); }
  // What was there is on a shelf that nobody looks at any more.
  Shelf Purge() {
    const Shelf shelf = ShelfNow();
    Plan([&](Turn& turn) {
      const std::uint8_t next = *reclaimer_.NextGeneration(shelf);
      queue_.Purge(LaneKind::kMain, next, false, turn.now, turn.changes);
      touched_.Touch(MainOf(queue_));
      reclaimer_.ReclaimShelf(shelf, turn);
    });
    return shelf;
  }
  // The same, with what is known of it.
  Changes PurgeKnown() {
    return Plan([&](Turn& turn) { PurgeKnown(turn); });
  }
  void PurgeKnown(Turn& turn) {
    const Shelf shelf = ShelfNow();
    const Remains remains = queue_.lane(LaneKind::kMain).remains();
    queue_.Purge(LaneKind::kMain, *reclaimer_.NextGeneration(shelf), false, turn.now, turn.changes);
    touched_.Touch(MainOf(queue_));
    reclaimer_.ReclaimShelf(shelf, remains, turn);
  }
  void DeleteKnown(const std::string& name, Turn& turn) {
    const Queue& queue = **catalog_.Find(name);
    const EntityId entity = queue.record().id;
    const Remains remains = queue.remains();
    ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, name, turn.changes).ok());
    reclaimer_.ReclaimEntity(entity, remains, turn);
  }
  Changes DeleteKnown(const std::string& name) {
    return Plan([&](Turn& turn) { DeleteKnown(name, turn); });
  }
  void SendSeparateBody() {
    std::vector<Message> messages = Messages(1);
    messages[0].body = std::string(5000, 'x');
    Send(queue_, std::move(messages));
  }
  std::size_t RowsOf(Table table, EntityId entity) {
    const auto view = store_.View();
    std::size_t count = 0;
    const auto rows = view->Scan(IdOf(table), EntityRange(entity));
    for (; rows->valid(); rows->Next()) ++count;
    return count;
  }
  // An entity with so many messages, which is deleted.
  void DeleteFilled(const std::string& name, std::size_t messages) {
    Queue& queue = Create({.name = name});
    const EntityId entity = queue.record().id;
    if (messages > 0) Send(queue, Messages(messages));
    Plan([&](Turn& turn) {
      ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, name, turn.changes).ok());
      reclaimer_.ReclaimEntity(entity, turn);
    });
  }
  bool IsFree(const Shelf& shelf) {
    Shelf before = shelf;
    before.generation =
        static_cast<std::uint8_t>((shelf.generation + kShelfGenerations - 1) % kShelfGenerations);
    return *reclaimer_.NextGeneration(before) == shelf.generation;
  }

  // Changes after which space is worth giving back.
  static int CountFreeing(const Changes& changes) {
    int freeing = 0;
    for (const Change& change : changes) {
      const auto* shelf = std::get_if<ShelfReclaimFinished>(&change);
      const auto* entity = std::get_if<EntityReclaimFinished>(&change);
      freeing +=
          (shelf != nullptr && shelf->frees_much) || (entity != nullptr && entity->frees_much);
    }
    return freeing;
  }
  int FreeingOfAllReads() {
    int freeing = 0;
    while (!reads_.works.empty()) freeing += CountFreeing(TakeRead());
    return freeing;
  }

  Reclaimer reclaimer_{context_};
  Queue& queue_ = Create({.name = "orders"});
};

TEST_F(ReclaimerTest, APurgedShelfIsReclaimedStepByStepAndThenFree) {
  for (int i = 0; i < 3; ++i) Send(queue_, Messages(kReclaimedPerStep));
  const Shelf shelf = Purge();
  ASSERT_EQ(reads_.works.size(), 1U);
  EXPECT_EQ(reads_.last_urgency, Urgency::kBackground);
  EXPECT_FALSE(IsFree(shelf));

  std::size_t finished = 0;
  int reads = 0;
  for (; !reads_.works.empty(); ++reads) {
    EXPECT_EQ(finished, 0U);
    const Changes changes = TakeRead();
    finished += Count<ShelfReclaimFinished>(changes);
    EXPECT_EQ(CountFreeing(changes), 0);
  }

  EXPECT_EQ(reads, 4);
  EXPECT_EQ(finished, 1U);
  EXPECT_TRUE(IsFree(shelf));
}

TEST_F(ReclaimerTest, AShelfWithoutSeparateBodiesGoesUnreadWithItsPurge) {  // PRG-1
  for (int i = 0; i < 3; ++i) Send(queue_, Messages(kReclaimedPerStep));
  const Shelf shelf = ShelfNow();

  const Changes changes = PurgeKnown();

  EXPECT_TRUE(reads_.works.empty());
  EXPECT_EQ(Count<ShelfReclaimFinished>(changes), 1U);
  EXPECT_TRUE(IsFree(shelf));
  EXPECT_EQ(RowsOf(Table::kMessages, shelf.entity), 0U);
  EXPECT_TRUE(KeysOfJobs(*store_.View(), JobKind::kReclaimShelf).empty());
}

TEST_F(ReclaimerTest, AnEntityWithoutSeparateBodiesGoesUnreadWithItsDeletion) {  // EPR-33
  Send(queue_, Messages(10));
  const EntityId entity = queue_.record().id;

  const Changes changes = DeleteKnown("orders");

  EXPECT_TRUE(reads_.works.empty());
  EXPECT_EQ(Count<EntityReclaimFinished>(changes), 1U);
  EXPECT_EQ(RowsOf(Table::kMessages, entity), 0U);
  EXPECT_TRUE(KeysOfJobs(*store_.View(), JobKind::kReclaimEntity).empty());
}

TEST_F(ReclaimerTest, OneSeparateBodyIsReadFor) {
  Send(queue_, Messages(10));
  SendSeparateBody();
  const Shelf shelf = ShelfNow();
  ASSERT_EQ(RowsOf(Table::kBodies, shelf.entity), 1U);

  EXPECT_EQ(Count<ShelfReclaimFinished>(PurgeKnown()), 0U);

  EXPECT_EQ(reads_.works.size(), 1U);
  EXPECT_FALSE(IsFree(shelf));
  TakeAllReads();
  EXPECT_EQ(RowsOf(Table::kBodies, shelf.entity), 0U);
}

// What is left on the shelf names bodies, and the counters of the queue know nothing of it.
TEST_F(ReclaimerTest, AnEntityIsReadAsLongAsAShelfOfItIs) {
  SendSeparateBody();
  PurgeKnown();
  Send(queue_, Messages(10));
  const EntityId entity = queue_.record().id;

  EXPECT_EQ(Count<EntityReclaimFinished>(DeleteKnown("orders")), 0U);

  TakeAllReads();
  EXPECT_EQ(RowsOf(Table::kBodies, entity), 0U);
  EXPECT_EQ(RowsOf(Table::kMessages, entity), 0U);
}

TEST_F(ReclaimerTest, AnEntityIsReadAsLongAsItsScheduleIs) {
  std::vector<Message> later = Messages(1);
  later[0].scheduled_enqueue_time = now() + std::chrono::hours(1);
  Send(queue_, later);
  Plan([&](Turn& turn) {
    queue_.Purge(LaneKind::kMain, 1, true, turn.now, turn.changes);
    touched_.Touch(MainOf(queue_));
    reclaimer_.ReclaimScheduled(queue_.record().id, turn);
  });

  EXPECT_EQ(Count<EntityReclaimFinished>(DeleteKnown("orders")), 0U);
}

// Each is eleven tombstones. Of those that wait nothing is read either.
TEST_F(ReclaimerTest, SoManyGoUnreadInATurnAndTheOthersInLine) {
  constexpr std::size_t kEntities = 4 * Reclaimer::kUnreadMax;
  for (std::size_t i = 0; i < kEntities; ++i) {
    Send(Create({.name = "q" + std::to_string(i)}), Messages(3));
  }

  const Changes changes = Plan([&](Turn& turn) {
    for (std::size_t i = 0; i < kEntities; ++i) DeleteKnown("q" + std::to_string(i), turn);
  });

  std::size_t finished = Count<EntityReclaimFinished>(changes);
  EXPECT_EQ(finished, Reclaimer::kUnreadMax);
  while (!reads_.works.empty()) {
    EXPECT_LE(reads_.works.size(), Reclaimer::kStepsMax);
    finished += Count<EntityReclaimFinished>(TakeRead(ReadFrom(FailedView(kDamage))));
  }
  EXPECT_EQ(finished, kEntities);
  EXPECT_TRUE(KeysOfJobs(*store_.View(), JobKind::kReclaimEntity).empty());
}

TEST_F(ReclaimerTest, AShelfInLineIsNotUsedAgain) {
  const Shelf first = ShelfNow();
  Plan([&](Turn& turn) {
    for (std::size_t i = 0; i < Reclaimer::kUnreadMax; ++i) PurgeKnown(turn);
    ASSERT_EQ(ShelfNow(), first);
    PurgeKnown(turn);
  });
  EXPECT_FALSE(IsFree(first));

  EXPECT_EQ(Count<ShelfReclaimFinished>(TakeRead(ReadFrom(FailedView(kDamage)))), 1U);

  EXPECT_TRUE(IsFree(first));
}

TEST_F(ReclaimerTest, ADeletedEntityTakesOverItsShelfInLine) {
  Plan([&](Turn& turn) {
    for (std::size_t i = 0; i <= Reclaimer::kUnreadMax; ++i) PurgeKnown(turn);
  });

  EXPECT_EQ(Count<EntityReclaimFinished>(DeleteKnown("orders")), 0U);

  std::size_t shelves = 0;
  std::size_t entities = 0;
  while (!reads_.works.empty()) {
    const Changes changes = TakeRead();
    shelves += Count<ShelfReclaimFinished>(changes);
    entities += Count<EntityReclaimFinished>(changes);
  }
  EXPECT_EQ(shelves, 0U);
  EXPECT_EQ(entities, 1U);
}

TEST_F(ReclaimerTest, SpaceOfUnreadMessagesIsGivenBack) {
  Send(queue_, Messages(256));
  EXPECT_EQ(CountFreeing(PurgeKnown()), 1);

  Send(queue_, Messages(255));
  EXPECT_EQ(CountFreeing(PurgeKnown()), 0);
}

TEST_F(ReclaimerTest, AShelfIsNotUsedAgainBeforeItIsReclaimed) {
  for (std::size_t i = 1; i < kShelfGenerations; ++i) {
    Send(queue_, Messages(1));
    Purge();
  }
  EXPECT_EQ(reclaimer_.NextGeneration(ShelfNow()).status().code(), ErrorCode::kServiceBusy);

  TakeAllReads();
  EXPECT_TRUE(reclaimer_.NextGeneration(ShelfNow()).ok());
}

// Ten times as many entities as it works on at a time.
TEST_F(ReclaimerTest, AFewStepsAreUnderWayHoweverMuchThereIs) {
  constexpr std::size_t kEntities = 10 * Reclaimer::kStepsMax;
  for (std::size_t i = 0; i < kEntities; ++i) DeleteFilled("q" + std::to_string(i), 1);

  std::size_t finished = 0;
  while (!reads_.works.empty()) {
    EXPECT_LE(reads_.works.size(), Reclaimer::kStepsMax);
    finished += Count<EntityReclaimFinished>(TakeRead());
  }
  EXPECT_EQ(finished, kEntities);
}

TEST_F(ReclaimerTest, ASmallEntityDoesNotWaitForLargeOnes) {
  for (std::size_t i = 0; i < Reclaimer::kStepsMax; ++i) {
    DeleteFilled("large" + std::to_string(i), 4 * kReclaimedPerStep);
  }
  DeleteFilled("small", 0);

  std::size_t reads = 1;
  while (Count<EntityReclaimFinished>(TakeRead()) == 0) ++reads;
  EXPECT_LE(reads, 2 * Reclaimer::kStepsMax);
}

TEST_F(ReclaimerTest, SpaceOfManyMessagesIsGivenBackOnce) {
  for (std::size_t i = 0; i < kStepsWorth; ++i) Send(queue_, Messages(kReclaimedPerStep));
  Purge();
  EXPECT_EQ(FreeingOfAllReads(), 1);

  // What was given back is not counted again.
  Send(queue_, Messages(1));
  Purge();
  EXPECT_EQ(FreeingOfAllReads(), 0);
}

TEST_F(ReclaimerTest, SpaceOfALargeEntityIsGivenBackWhenAllOfItIsGone) {
  for (std::size_t i = 0; i < kStepsWorth; ++i) Send(queue_, Messages(kReclaimedPerStep));
  const EntityId entity = queue_.record().id;
  Plan([&](Turn& turn) {
    ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, "orders", turn.changes).ok());
    reclaimer_.ReclaimEntity(entity, turn);
  });

  EXPECT_EQ(FreeingOfAllReads(), 1);
}

TEST_F(ReclaimerTest, ADeletedEntityTakesOverWhatIsLeftOfItsShelves) {
  Send(queue_, Messages(2 * kReclaimedPerStep));
  const Shelf shelf = Purge();
  TakeRead();
  const EntityId entity = queue_.record().id;
  Plan([&](Turn& turn) {
    ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, "orders", turn.changes).ok());
    reclaimer_.ReclaimEntity(entity, turn);
  });

  std::size_t shelves = 0;
  std::size_t entities = 0;
  while (!reads_.works.empty()) {
    const Changes changes = TakeRead();
    shelves += Count<ShelfReclaimFinished>(changes);
    entities += Count<EntityReclaimFinished>(changes);
  }
  EXPECT_EQ(shelves, 0U);
  EXPECT_EQ(entities, 1U);
  EXPECT_TRUE(IsFree(shelf));
}

TEST_F(ReclaimerTest, APurgeOfSchedulesWhileOneGoesOnNeedsNoSecondWalk) {
  std::vector<Message> later = Messages(2);
  for (Message& message : later) message.scheduled_enqueue_time = now() + std::chrono::hours(1);
  const auto purge = [&] {
    Plan([&](Turn& turn) {
      const Shelf shelf = ShelfNow();
      queue_.Purge(LaneKind::kMain, *reclaimer_.NextGeneration(shelf), true, turn.now,
                   turn.changes);
      touched_.Touch(MainOf(queue_));
      reclaimer_.ReclaimScheduled(queue_.record().id, turn);
    });
  };
  Send(queue_, later);
  purge();
  Send(queue_, later);
  purge();
  ASSERT_EQ(reads_.works.size(), 1U);

  std::size_t finished = 0;
  while (!reads_.works.empty()) finished += Count<ScheduledReclaimFinished>(TakeRead());
  EXPECT_EQ(finished, 1U);
  EXPECT_EQ(queue_.lane(LaneKind::kMain).counters().scheduled, 0);
}

TEST_F(ReclaimerTest, WhatCannotBeReadStaysForTheNextStart) {
  Send(queue_, Messages(1));
  const Shelf shelf = Purge();
  EXPECT_EQ(TakeRead(ReadFrom(FailedView(kDamage))).size(), 0U);
  EXPECT_TRUE(reads_.works.empty());
  EXPECT_FALSE(IsFree(shelf));
}

TEST_F(ReclaimerTest, OnceTheShardIsClosedNothingIsReclaimed) {
  Send(queue_, Messages(1));
  Purge();
  Task found = Read();
  open_.Close({ErrorCode::kGeneralError, "the log is closed"});
  EXPECT_EQ(TakeRead(std::move(found)).size(), 0U);
  EXPECT_TRUE(reads_.works.empty());
}

}  // namespace
}  // namespace wharf
