// BrokerStatistics: what the broker has done since it started, as the doors show it.
//
// Put together by the Daemon, which alone knows the version and the log.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "broker/access/guard_statistics.h"
#include "storage/base/latency.h"
#include "storage/base/time.h"
#include "storage/disk/disk_gate.h"
#include "storage/store_space.h"

namespace wharf {

// Since the broker started.
struct ShardStatistics {
  std::int64_t entities = 0;  // That exist now.
  std::int64_t turns = 0;
  std::int64_t changes = 0;
  std::int64_t messages_sent = 0;
  // Locked, or taken by a receiver that needs no lock.
  std::int64_t messages_delivered = 0;
  // Deliveries that ended: by a receiver, another caller, or their time.
  std::int64_t messages_settled = 0;
};

struct BrokerStatistics {
  std::string version;
  Timestamp started_at;
  ShardStatistics shard;
  std::uint64_t commits = 0;       // Turns that changed something, made durable.
  std::uint64_t syncs = 0;         // Synced writes.
  std::uint64_t synced_bytes = 0;  // Bytes of the turns in them.
  Latency::Snapshot accept_next;   // How long the next session was looked for.
  DiskReport disk;
  StoreSpace::Use space;
  access::GuardStatistics access;
  // Of the store, as "messages/000123.sst"; compactions could not read them.
  std::vector<std::string> damaged_files{};
};

// Cheap; any thread may ask.
using StatisticsSource = std::function<BrokerStatistics()>;

}  // namespace wharf
