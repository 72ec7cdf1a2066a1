// ShardCounters: how much a shard has done since it started.
//
// Counted on the shard's thread, turn by turn, when the turn is durable and before anyone hears of
// it; read on any thread, each number by itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "broker/core/changes/change.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/turn/turn.h"
#include "broker/requests/broker_statistics.h"

namespace wharf {

class ShardCounters {
 public:
  // What there is at start.
  explicit ShardCounters(const std::vector<const Queue*>& queues);

  // What a turn changed that took so long until it was durable, and for how long messages had
  // waited; whether entities came or went.
  bool Count(const Turn& turn, Duration taken);
  // Of an entity as it is planned.
  void NoteOldest(EntityId id, std::optional<Timestamp> came) { numbers_->NoteOldest(id, came); }

  ShardStatistics Read() const;
  Latency::Snapshot receive_latency() const { return receive_latency_.Read(); }
  Latency::Snapshot wait() const { return wait_.Read(); }
  // May be kept beyond this.
  std::shared_ptr<const EntityNumbers> numbers() const { return numbers_; }

 private:
  // Owned by the shard's thread.
  absl::flat_hash_set<EntityId> fenced_;
  std::atomic<std::int64_t> entities_;
  std::atomic<std::int64_t> fenced_count_ = 0;
  std::atomic<std::int64_t> turns_ = 0;
  std::atomic<std::int64_t> changes_ = 0;
  std::atomic<std::int64_t> sent_ = 0;
  std::atomic<std::int64_t> delivered_ = 0;
  std::atomic<std::int64_t> settled_ = 0;
  std::atomic<std::int64_t> redelivered_ = 0;
  std::atomic<std::int64_t> dead_lettered_ = 0;
  std::atomic<std::int64_t> expired_ = 0;
  std::atomic<std::int64_t> quarantined_ = 0;
  std::atomic<std::int64_t> lock_expiries_ = 0;
  Latency receive_latency_;
  Latency wait_{Latency::kWaitBounds};
  const std::shared_ptr<EntityNumbers> numbers_ = std::make_shared<EntityNumbers>();
};

}  // namespace wharf
