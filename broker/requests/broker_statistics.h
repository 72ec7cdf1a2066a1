// BrokerStatistics: what the broker has done since it started, as the doors show it.
//
// Put together by the Daemon, which alone knows the version and the log.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/access/guard_statistics.h"
#include "broker/requests/cluster_control.h"
#include "broker/requests/entity_numbers.h"
#include "storage/base/latency.h"
#include "storage/base/time.h"
#include "storage/disk/disk_gate.h"
#include "storage/store_space.h"

namespace wharf {

// Since the broker started.
struct ShardStatistics {
  std::int64_t entities = 0;         // That exist now.
  std::int64_t fenced_entities = 0;  // Of them.
  std::int64_t turns = 0;
  std::int64_t changes = 0;
  std::int64_t messages_sent = 0;
  // Locked, or taken by a receiver that needs no lock.
  std::int64_t messages_delivered = 0;
  // Deliveries that ended: by a receiver, another caller, or their time.
  std::int64_t messages_settled = 0;
  // Locked once more after a delivery that failed.
  std::int64_t messages_redelivered = 0;
  std::int64_t messages_dead_lettered = 0;
  // Gone because their time was over; those that became dead letters are counted there.
  std::int64_t messages_expired = 0;
  std::int64_t messages_quarantined = 0;
  // Whose messages came back, or would come later.
  std::int64_t lock_expiries = 0;
};

// How long things take.
struct BrokerLatencies {
  Latency::Snapshot send;     // From the request to its answer.
  Latency::Snapshot settle;   // The same.
  Latency::Snapshot receive;  // Of a message, from its turn to its delivery.
  Latency::Snapshot turn;     // Of the shard's work.
  Latency::Snapshot sync;     // Of a synced write.
  // For how long a message waits until it is delivered for the first time.
  Latency::Snapshot wait{.bounds = &Latency::kWaitBounds};
};

// The same of one entity that is timed by itself.
struct TimedEntity {
  std::string path;
  Latency::Snapshot send;
  Latency::Snapshot settle;
  Latency::Snapshot wait{.bounds = &Latency::kWaitBounds};
};

// What was read of the store, since this broker leads.
struct ReadStatistics {
  struct Of {
    std::uint64_t reads = 0;
    std::uint64_t rows = 0;
    Duration time{};  // In which a thread was at it.
  };
  Of awaited;     // By a caller or a receiver.
  Of background;  // By nobody: jobs, reclaiming, long walks.
};

// What memory is taken for.
struct BrokerMemory {
  std::uint64_t window_bytes = 0;        // Heads of lanes.
  std::uint64_t request_bytes = 0;       // Asked and not answered.
  std::uint64_t request_bytes_max = 0;   // Beyond it callers hear ServiceBusy.
  bool requests_are_near = false;        // That bound is near.
  std::uint64_t write_buffer_bytes = 0;  // Of the store.
  std::uint64_t block_cache_bytes = 0;   // Of the store.
  std::uint64_t stream_bytes = 0;        // Of streams and long answers, not with the transport yet.
};

// What messages of all entities take together, as sends are counted.
struct NamespaceUse {
  std::uint64_t bytes = 0;
  // Beyond it sends are refused; 0: there is no bound.
  std::uint64_t bytes_max = 0;
  bool is_near = false;
  // Queues and topics, and subscriptions of one topic.
  std::size_t entities_max = 0;
  std::size_t subscriptions_max = 0;
};

// What became of spans; all zero where none are made.
struct TraceStatistics {
  std::uint64_t exported = 0;
  std::uint64_t lost_for_room = 0;
  // Their receiver did not take them.
  std::uint64_t lost_on_the_way = 0;
};

// Of the door of AMQP 1.0.
struct AmqpStatistics {
  std::uint64_t open_connections = 0;
  std::uint64_t open_links = 0;   // To entities.
  std::uint64_t connections = 0;  // That were accepted, since the start; the same of the others.
  std::uint64_t connections_refused = 0;
  std::uint64_t links = 0;
  std::uint64_t links_refused = 0;
  std::uint64_t frames_received = 0;
  std::uint64_t frames_sent = 0;
};

// Of the door of Service Bus over HTTP.
struct HttpStatistics {
  // Of a kind, as "send", that were answered by a status, as "201".
  struct Requests {
    std::string kind;
    std::string status;
    std::uint64_t count = 0;
  };
  std::uint64_t open_connections = 0;
  std::uint64_t connections = 0;  // That were accepted, since the start; the same of the others.
  std::uint64_t connections_refused = 0;
  // Those that there were.
  std::vector<Requests> requests{};
};

// Of what was committed, kept for restores; zero where nothing is archived.
struct ArchiveStatistics {
  std::uint64_t last_commit = 0;    // In the archive by now.
  std::uint64_t waiting_bytes = 0;  // In memory.
  std::uint64_t written_bytes = 0;  // Since the start; the same of the others.
  std::uint64_t holes = 0;
  std::uint64_t missing_commits = 0;
};

struct BrokerStatistics {
  // False: of a node that does not lead, which has a store and connections and knows no messages.
  bool has_messages = true;
  std::string version;
  Timestamp started_at;
  Timestamp now{};  // When they were read.
  ShardStatistics shard;
  std::uint64_t commits = 0;       // Turns that changed something, made durable.
  std::uint64_t syncs = 0;         // Synced writes.
  std::uint64_t synced_bytes = 0;  // Bytes of the turns in them.
  Latency::Snapshot accept_next;   // How long the next session was looked for.
  DiskReport disk;
  StoreSpace::Use space;
  std::uint64_t log_bytes = 0;  // On the disk, of the log.
  access::GuardStatistics access;
  // Of the store, as "messages/000123.sst"; compactions could not read them.
  std::vector<std::string> damaged_files{};
  BrokerLatencies latencies{};
  ReadStatistics reads{};
  BrokerMemory memory{};
  NamespaceUse name_space{};
  std::uint64_t throttled = 0;         // Requests that heard ServiceBusy.
  std::uint64_t grpc_connections = 0;  // That were accepted.
  std::uint64_t grpc_connections_refused = 0;
  std::uint64_t grpc_open_connections = 0;
  // Absent: AMQP is not listened for.
  std::optional<AmqpStatistics> amqp{};
  // Absent: Service Bus over HTTP is not listened for.
  std::optional<HttpStatistics> http{};
  // Those that were named for it, in the order of their names.
  std::vector<TimedEntity> timed{};
  TraceStatistics traces{};
  ArchiveStatistics archive{};
  // As this node sees it; absent: the broker runs by itself, or nobody has looked yet.
  std::optional<ClusterStatus> cluster{};
  // Of each entity; may be kept beyond the broker.
  std::shared_ptr<const EntityNumbers> entities{};
  // What an entity takes of sorted tables, about; while the broker lives. Takes its time.
  std::function<std::uint64_t(EntityId)> table_bytes{};
};

// Cheap; any thread may ask.
using StatisticsSource = std::function<BrokerStatistics()>;

}  // namespace wharf
