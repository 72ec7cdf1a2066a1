// WorkerFixture: one worker of a shard, without the shard.
//
// A test makes the turns, and says when a read comes back and what it found. Everything that a turn
// changes is in the store when the turn ends.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "broker/core/entities/catalog.h"
#include "broker/engine/entities/entity_finder.h"
#include "broker/engine/turn/tasks.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/schema/change_encoder.h"
#include "broker/schema/span_view.h"
#include "broker/schema/tables.h"
#include "storage/base/clock.h"
#include "storage/base/random.h"
#include "storage/disk/disk_gate.h"
#include "storage/failed_view.h"
#include "storage/memory/memory_store.h"

namespace wharf {

// In a view of which nothing can be read.
inline const Status kDamage(ErrorCode::kGeneralError, "a block is damaged");

class WorkerFixture : public ::testing::Test {
 protected:
  // What was asked for in turns that are committed, oldest first.
  struct HeldReads final : Reads {
    using Reads::ReadAfter;
    void ReadAfter(Turn& turn, Urgency urgency, Work work) override {
      turn.OnCommitted([this, urgency, work = std::move(work)](const Status&, Tellings&) mutable {
        last_urgency = urgency;
        works.push_back(std::move(work));
      });
    }
    std::deque<Work> works;
    // Of the newest one.
    Urgency last_urgency = Urgency::kAwaited;
  };
  struct HeldTasks final : Tasks {
    using Tasks::Post;
    void Post(Task task, std::size_t) override { tasks.push_back(std::move(task)); }
    std::deque<Task> tasks;
  };

  Timestamp now() { return clock_.Now(); }

  // One turn: `plan(turn)`, its counters, its commit.
  template <typename PlanTurn>
  Changes Plan(PlanTurn plan) {
    Turn turn(clock_.Now());
    touched_.Begin();
    plan(turn);
    was_touched_ = touched_.TakeForCounters();
    for (const LaneId& id : was_touched_) {
      Queue* queue = catalog_.Find(id.entity);
      if (queue == nullptr || !queue->lane(id.kind).TakeCountersChanged()) continue;
      turn.changes.push_back(CountersChanged{id, queue->lane(id.kind).counters()});
    }
    WriteBatch batch;
    Encode(turn.changes, batch);
    EXPECT_TRUE(store_.Apply(batch).ok());
    turn.Publish(Status::Ok()).Tell();
    return std::move(turn.changes);
  }
  // The oldest read finds what is there now, as readers see it; it is planned when `TakeRead` is
  // called.
  Task Read() { return ReadFrom(SpanView(store_.View())); }
  Task ReadFrom(const StoreView& view) {
    Reads::Work work = std::move(reads_.works.front());
    reads_.works.pop_front();
    return work(view);
  }
  Changes TakeRead(Task found) {
    return Plan([&found](Turn& turn) { std::move(found)(turn); });
  }
  Changes TakeRead() { return TakeRead(Read()); }
  // Until nothing is asked for any more; how many reads that took.
  int TakeAllReads() {
    int reads = 0;
    for (; !reads_.works.empty(); ++reads) TakeRead();
    return reads;
  }

  Queue& Create(QueueDescription description, EntityKind kind = EntityKind::kQueue) {
    Queue* queue = nullptr;
    Plan([&](Turn& turn) {
      queue = *catalog_.Create(kind, std::move(description), turn.now, turn.changes);
    });
    return *queue;
  }
  void Delete(const std::string& name) {
    Plan([&](Turn& turn) {
      ASSERT_TRUE(catalog_.Delete(EntityKind::kQueue, name, turn.changes).ok());
    });
  }
  Changes Send(Queue& queue, std::vector<Message> messages) {
    return Plan([&](Turn& turn) {
      KnownIds none;
      ASSERT_TRUE(
          queue.sending().Send(std::move(messages), true, none, turn.now, turn.changes).ok());
      touched_.Touch(MainOf(queue));
    });
  }
  static LaneId MainOf(const Queue& queue) { return {queue.record().id, LaneKind::kMain}; }
  static std::vector<Message> Messages(std::size_t count) {
    Message message;
    message.body = "0123456789";
    return std::vector<Message>(count, message);
  }

  template <typename Kind>
  static std::size_t Count(const Changes& changes) {
    std::size_t count = 0;
    for (const Change& change : changes) count += std::holds_alternative<Kind>(change);
    return count;
  }
  // As if all that a turn may do were done already.
  static void Fill(Turn& turn) {
    while (!turn.is_full()) turn.changes.push_back(DueHandled{Bucket(), turn.now});
  }

  ManualClock clock_{Timestamp(std::chrono::hours(24 * 365 * 50))};
  SeededRandom random_{1};
  MemoryStore store_{BrokerTables()};
  const BrokerLimits limits_;
  Catalog catalog_{{}, limits_, random_};
  TouchedLanes touched_;
  OpenState open_;
  HeldReads reads_;
  HeldTasks tasks_;
  const WorkerContext context_{catalog_, touched_, reads_, open_};
  const EntityFinder finder_{catalog_, open_};
  DiskGate disk_;
  // By the last turn.
  TouchedLanes::Lanes was_touched_;
};

}  // namespace wharf
