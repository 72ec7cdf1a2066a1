#include "broker/daemon/daemon_statistics.h"

#include <vector>

#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "storage/disk/folder_bytes.h"

namespace wharf {
namespace {

TraceStatistics TracesOf(const trace::Tracer* tracer) {
  if (tracer == nullptr) return {};
  const trace::Tracer::Counts counts = tracer->counts();
  return {counts.exported, counts.lost_for_room, counts.lost_on_the_way};
}

ArchiveStatistics ArchiveOf(const BatchArchive* archive) {
  if (archive == nullptr) return {};
  const ArchiveStats stats = archive->stats();
  return {.last_commit = stats.last.value(),
          .waiting_bytes = stats.waiting_bytes,
          .written_bytes = stats.bytes_written,
          .holes = stats.holes,
          .missing_commits = stats.missing_commits};
}

std::uint64_t LogBytesOf(const DaemonParts& parts) {
  const std::uint64_t entries =
      parts.entries_folder.empty() ? 0 : BytesOfFiles(parts.entries_folder, "");
  return BytesOfFiles(parts.store.path(), ".log") + entries;
}

// Every table whose keys begin with the entity.
constexpr Table kTablesOfEntities[] = {
    Table::kCounters,  Table::kMessages,       Table::kBodies,        Table::kDelivery,
    Table::kScheduled, Table::kScheduledTimes, Table::kDuplicates,    Table::kOrder,
    Table::kSessions,  Table::kSessionState,   Table::kSessionsReady, Table::kRules,
    Table::kBodyRefs,  Table::kSpans,          Table::kEvents};

std::uint64_t TableBytesOf(const RocksStore& store, EntityId entity) {
  std::vector<TableRange> ranges;
  for (const Table table : kTablesOfEntities) {
    ranges.push_back({IdOf(table), EntityRange(entity)});
  }
  return store.TableBytes(ranges);
}

// Of the process and the store, whoever leads.
BrokerStatistics WithoutMessages(const DaemonParts& parts) {
  const StoreSpace::Use space = parts.store.use();
  return {.has_messages = false,
          .version = WHARF_VERSION,
          .started_at = parts.started_at,
          .now = parts.now,
          .shard = {},
          .accept_next = {},
          .disk = parts.gate.report(),
          .space = space,
          .log_bytes = LogBytesOf(parts),
          .access = parts.guard == nullptr ? access::GuardStatistics() : parts.guard->statistics(),
          .damaged_files = parts.store.damaged_files(),
          .memory = {.write_buffer_bytes = space.buffer_bytes,
                     .block_cache_bytes = space.cache_bytes,
                     .stream_bytes = parts.server == nullptr ? 0 : parts.server->stream_bytes()},
          .grpc_connections = parts.connections.admitted(),
          .grpc_connections_refused = parts.connections.refused(),
          .grpc_open_connections = parts.connections.Count(),
          .amqp = parts.amqp == nullptr ? std::nullopt : std::optional(parts.amqp->statistics()),
          .http = parts.http == nullptr ? std::nullopt : std::optional(parts.http->statistics()),
          .traces = TracesOf(parts.tracer),
          .archive = ArchiveOf(parts.archive)};
}

ReadStatistics::Of ReadsOf(const Readers& readers, Urgency urgency) {
  const ReadCounts::Snapshot counts = readers.counts(urgency);
  return {counts.reads, counts.rows, counts.time};
}

void AddMessages(const Leadership& leadership, const CommitLog::Stats& log,
                 BrokerStatistics& statistics) {
  const Shard& shard = leadership.shard();
  const RequestWatch& requests = *shard.request_watch();
  statistics.has_messages = true;
  statistics.shard = shard.statistics();
  statistics.commits = log.commits;
  statistics.syncs = log.groups;
  statistics.synced_bytes = log.bytes;
  statistics.accept_next = shard.accept_latency();
  statistics.latencies = {.send = requests.sends.Read(),
                          .settle = requests.settlements.Read(),
                          .receive = shard.receive_latency(),
                          .turn = shard.watch().lengths(),
                          .sync = log.sync_latency,
                          .wait = shard.message_wait()};
  statistics.reads = {ReadsOf(leadership.readers(), Urgency::kAwaited),
                      ReadsOf(leadership.readers(), Urgency::kBackground)};
  statistics.memory.window_bytes = shard.window_bytes();
  statistics.memory.request_bytes = shard.admitted_weight() * kBytesPerWeight;
  statistics.memory.request_bytes_max = shard.admitted_weight_max() * kBytesPerWeight;
  statistics.memory.requests_are_near = shard.is_nearly_full();
  statistics.name_space = shard.namespace_use();
  statistics.throttled = requests.throttled;
  statistics.timed = shard.timed_entities();
  statistics.entities = shard.entity_numbers();
}

}  // namespace

BrokerStatistics StatisticsOf(const DaemonParts& parts) {
  BrokerStatistics statistics = WithoutMessages(parts);
  if (parts.leadership != nullptr) AddMessages(*parts.leadership, parts.log, statistics);
  statistics.table_bytes = [&store = parts.store](EntityId entity) {
    return TableBytesOf(store, entity);
  };
  return statistics;
}

}  // namespace wharf
