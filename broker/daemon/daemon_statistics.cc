#include "broker/daemon/daemon_statistics.h"

namespace wharf {
namespace {

TraceStatistics TracesOf(const trace::Tracer* tracer) {
  if (tracer == nullptr) return {};
  const trace::Tracer::Counts counts = tracer->counts();
  return {counts.exported, counts.lost_for_room, counts.lost_on_the_way};
}

}  // namespace

BrokerStatistics StatisticsOf(const DaemonParts& parts) {
  const CommitLog::Stats& log = parts.log;
  const Shard& shard = parts.shard;
  const StoreSpace::Use space = parts.store.use();
  const RequestWatch& requests = *shard.request_watch();
  return {.version = WHARF_VERSION,
          .started_at = parts.started_at,
          .now = parts.now,
          .shard = shard.statistics(),
          .commits = log.commits,
          .syncs = log.groups,
          .synced_bytes = log.bytes,
          .accept_next = shard.accept_latency(),
          .disk = parts.gate.report(),
          .space = space,
          .access = parts.guard == nullptr ? access::GuardStatistics() : parts.guard->statistics(),
          .damaged_files = parts.store.damaged_files(),
          .latencies = {.send = requests.sends.Read(),
                        .settle = requests.settlements.Read(),
                        .receive = shard.receive_latency(),
                        .turn = shard.watch().lengths(),
                        .sync = log.sync_latency,
                        .wait = shard.message_wait()},
          .memory = {.window_bytes = shard.window_bytes(),
                     .request_bytes = shard.admitted_weight() * kBytesPerWeight,
                     .write_buffer_bytes = space.buffer_bytes,
                     .block_cache_bytes = space.cache_bytes,
                     .stream_bytes = parts.server == nullptr ? 0 : parts.server->stream_bytes()},
          .throttled = requests.throttled,
          .grpc_connections = parts.connections.admitted(),
          .grpc_connections_refused = parts.connections.refused(),
          .grpc_open_connections = parts.connections.Count(),
          .timed = shard.timed_entities(),
          .traces = TracesOf(parts.tracer),
          .entities = shard.entity_numbers()};
}

}  // namespace wharf
