// ShardCounters: how much a shard has done since it started.
//
// Counted on the shard's thread, turn by turn, when the turn is durable and before anyone hears of
// it; read on any thread, each number by itself.
#pragma once

#include <atomic>
#include <cstdint>

#include "broker/core/changes/change.h"
#include "broker/requests/broker_statistics.h"

namespace wharf {

class ShardCounters {
 public:
  explicit ShardCounters(std::size_t entities) : entities_(static_cast<std::int64_t>(entities)) {}

  // The changes of a turn; whether entities came or went.
  bool Count(const Changes& changes);

  ShardStatistics Read() const;

 private:
  std::atomic<std::int64_t> entities_;
  std::atomic<std::int64_t> turns_ = 0;
  std::atomic<std::int64_t> changes_ = 0;
  std::atomic<std::int64_t> sent_ = 0;
  std::atomic<std::int64_t> delivered_ = 0;
  std::atomic<std::int64_t> settled_ = 0;
};

}  // namespace wharf
