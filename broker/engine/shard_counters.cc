#include "broker/engine/shard_counters.h"

#include <variant>

namespace wharf {
namespace {

// What one turn adds.
struct Tally {
  void operator()(const EntityCreated&) {
    ++entities;
    has_entities = true;
  }
  void operator()(const EntityDeleted&) {
    --entities;
    has_entities = true;
  }
  void operator()(const MessageEnqueued&) { ++sent; }
  void operator()(const MessageLocked&) { ++delivered; }
  void operator()(const MessageConsumed&) {
    ++delivered;
    ++settled;
  }
  void operator()(const MessageCompleted&) { ++settled; }
  void operator()(const MessageReturned&) { ++settled; }
  void operator()(const MessageDeadLettered& change) { CountSettled(change.from); }
  void operator()(const MessageRemoved& change) { CountSettled(change.from); }
  void operator()(const MessageDelayed&) { ++settled; }
  void operator()(const MessageDeferred&) { ++settled; }
  void operator()(const MessageScheduled&) { ++sent; }
  // The others neither send, deliver nor settle.
  template <typename Other>
  void operator()(const Other&) {}

  // Only of a locked message a delivery ended.
  void CountSettled(Standing from) { settled += from == Standing::kLocked ? 1 : 0; }

  std::int64_t entities = 0;
  // Came or went.
  bool has_entities = false;
  std::int64_t sent = 0;
  std::int64_t delivered = 0;
  std::int64_t settled = 0;
};

void Add(std::atomic<std::int64_t>& counter, std::int64_t number) {
  counter.fetch_add(number, std::memory_order_relaxed);
}

}  // namespace

bool ShardCounters::Count(const Changes& changes) {
  Tally tally;
  for (const Change& change : changes) std::visit(tally, change);
  Add(turns_, 1);
  Add(changes_, static_cast<std::int64_t>(changes.size()));
  Add(entities_, tally.entities);
  Add(sent_, tally.sent);
  Add(delivered_, tally.delivered);
  Add(settled_, tally.settled);
  return tally.has_entities;
}

ShardStatistics ShardCounters::Read() const {
  return {.entities = entities_,
          .turns = turns_,
          .changes = changes_,
          .messages_sent = sent_,
          .messages_delivered = delivered_,
          .messages_settled = settled_};
}

}  // namespace wharf
