#include "broker/engine/shard_counters.h"

#include <variant>

namespace wharf {
namespace {

// What one turn adds.
struct Tally {
  Tally(EntityNumbers& entity_numbers, absl::flat_hash_set<EntityId>& fenced_entities)
      : numbers(entity_numbers), fenced(fenced_entities) {}

  void operator()(const EntityCreated& change) {
    ++entities;
    has_entities = true;
    numbers.Add(change.record->id, change.record->description.name);
  }
  void operator()(const EntityDeleted& change) {
    --entities;
    has_entities = true;
    numbers.Remove(change.id);
  }
  void operator()(const EntityFenced& change) { fenced.insert(change.entity); }
  void operator()(const EntityUnfenced& change) { fenced.erase(change.entity); }
  void operator()(const CountersChanged& change) { numbers.Note(change.lane, *change.counters); }
  void operator()(const MessageEnqueued&) { ++sent; }
  void operator()(const MessageLocked& change) {
    ++delivered;
    redelivered += change.delivery.count > 0 ? 1 : 0;
  }
  void operator()(const MessageConsumed&) {
    ++delivered;
    ++settled;
  }
  void operator()(const MessageCompleted&) { ++settled; }
  void operator()(const MessageReturned& change) { CountReturned(change.cause); }
  void operator()(const MessageDelayed& change) { CountReturned(change.cause); }
  void operator()(const MessageDeferred&) { ++settled; }
  void operator()(const MessageDeadLettered& change) {
    ++dead_lettered;
    CountSettled(change.from);
  }
  void operator()(const MessageRemoved& change) {
    expired += change.cause == RemovalCause::kExpired ? 1 : 0;
    CountSettled(change.from);
  }
  void operator()(const MessagesExpired& change) { expired += change.count; }
  void operator()(const MessageQuarantined&) { ++quarantined; }
  void operator()(const ScheduledQuarantined&) { ++quarantined; }
  void operator()(const MessageScheduled&) { ++sent; }
  // The others neither send, deliver nor settle.
  template <typename Other>
  void operator()(const Other&) {}

  // Only of a locked message a delivery ended.
  void CountSettled(Standing from) { settled += from == Standing::kLocked ? 1 : 0; }
  void CountReturned(ReturnCause cause) {
    ++settled;
    lock_expiries += cause == ReturnCause::kLockExpired ? 1 : 0;
  }

  EntityNumbers& numbers;
  absl::flat_hash_set<EntityId>& fenced;
  std::int64_t entities = 0;
  // Came or went.
  bool has_entities = false;
  std::int64_t sent = 0;
  std::int64_t delivered = 0;
  std::int64_t settled = 0;
  std::int64_t redelivered = 0;
  std::int64_t dead_lettered = 0;
  std::int64_t expired = 0;
  std::int64_t quarantined = 0;
  std::int64_t lock_expiries = 0;
};

void Add(std::atomic<std::int64_t>& counter, std::int64_t number) {
  if (number != 0) counter.fetch_add(number, std::memory_order_relaxed);
}

}  // namespace

ShardCounters::ShardCounters(const std::vector<const Queue*>& queues)
    : entities_(static_cast<std::int64_t>(queues.size())) {
  for (const Queue* queue : queues) {
    numbers_->Add(queue->id(), queue->record().description.name);
    for (const LaneKind kind : {LaneKind::kMain, LaneKind::kDeadLetter}) {
      numbers_->Note({queue->id(), kind}, queue->counters(kind));
    }
  }
}

bool ShardCounters::Count(const Turn& turn, Duration taken) {
  Tally tally(*numbers_, fenced_);
  for (const Change& change : turn.changes) std::visit(tally, change);
  Add(turns_, 1);
  Add(changes_, static_cast<std::int64_t>(turn.changes.size()));
  Add(entities_, tally.entities);
  fenced_count_.store(static_cast<std::int64_t>(fenced_.size()), std::memory_order_relaxed);
  Add(sent_, tally.sent);
  Add(delivered_, tally.delivered);
  Add(settled_, tally.settled);
  Add(redelivered_, tally.redelivered);
  Add(dead_lettered_, tally.dead_lettered);
  Add(expired_, tally.expired);
  Add(quarantined_, tally.quarantined);
  Add(lock_expiries_, tally.lock_expiries);
  if (tally.delivered > 0) {
    receive_latency_.Note(taken, static_cast<std::uint64_t>(tally.delivered));
  }
  for (const Duration waited : turn.waits) wait_.Note(waited + taken);
  for (const auto& [latencies, waited] : turn.timed_waits) latencies->wait.Note(waited + taken);
  return tally.has_entities;
}

ShardStatistics ShardCounters::Read() const {
  return {.entities = entities_,
          .fenced_entities = fenced_count_,
          .turns = turns_,
          .changes = changes_,
          .messages_sent = sent_,
          .messages_delivered = delivered_,
          .messages_settled = settled_,
          .messages_redelivered = redelivered_,
          .messages_dead_lettered = dead_lettered_,
          .messages_expired = expired_,
          .messages_quarantined = quarantined_,
          .lock_expiries = lock_expiries_};
}

}  // namespace wharf
