// BrokerStatistics: what the broker has done since it started, as the doors show it.
//
// Put together by the Daemon, which alone knows the version and the log behind the CommitLog.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "broker/engine/latency.h"
#include "broker/engine/shard_counters.h"
#include "storage/base/time.h"
#include "storage/disk_gate.h"

namespace wharf {

struct BrokerStatistics {
  std::string version;
  Timestamp started_at;
  ShardStatistics shard;
  std::uint64_t commits = 0;       // Turns made durable.
  std::uint64_t syncs = 0;         // Synced writes.
  std::uint64_t synced_bytes = 0;  // Bytes of the turns in them.
  Latency::Snapshot accept_next;   // How long the next session was looked for.
  DiskReport disk;
};

// Cheap; any thread may ask.
using StatisticsSource = std::function<BrokerStatistics()>;

}  // namespace wharf
