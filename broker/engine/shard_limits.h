// ShardLimits: what one shard takes, holds and plans at most.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "broker/core/entities/catalog.h"
#include "broker/engine/sending/transactions.h"
#include "broker/topics/topics.h"

namespace wharf {

struct ShardLimits {
  BrokerLimits broker;
  // Of one topic.
  RuleLimits rules{};
  // Of an entity and its dead-letter queue, each (QUO-7).
  std::size_t receivers_per_lane_max = 5000;
  // Messages that one connection may have locked, over all its receivers and calls.
  std::size_t locked_per_connection_max = 45000;
  // What may be asked and not answered: one for a message or another request, for each 2 KiB of it
  // (see admissions.h); more hear ServiceBusy. 128 MiB of full ones.
  std::size_t admitted_weight_max = 65536;
  TransactionLimits transactions{};
  // Messages that share the hint for their time to live, and expire so soon behind each other, are
  // counted out together.
  Duration expiry_grain = std::chrono::milliseconds(100);
  // A request that takes as long until it is answered is told the log.
  Duration slow_operation = std::chrono::seconds(1);
  // Entities that are timed by themselves, by their paths (timed_entities.h).
  std::vector<std::string> timed_entities{};
  // What one turn plans of it.
  std::size_t turn_weight_max = 4096;
  // Turns planned and not yet committed; and their batches, behind which no turn is planned.
  std::size_t turns_in_flight_max = 8;
  std::size_t bytes_in_flight_max = 64 * 1024 * 1024;
  // Memory for the windows of all lanes, a KiB for each message beside its bytes; beyond it those
  // that nobody waits on are dropped.
  std::size_t windows_bytes_max = 64 * 1024 * 1024;
};

}  // namespace wharf
