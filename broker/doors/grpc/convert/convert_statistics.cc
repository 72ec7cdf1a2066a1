// What the broker has done.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_cluster.h"
#include "broker/requests/space_alarms.h"

namespace wharf {
namespace {

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

void ToProto(std::string_view name, const Latency::Snapshot& latency,
             v1::DurationHistogram* proto) {
  proto->set_name(std::string(name));
  for (std::size_t i = 0; i < latency.counts.size(); ++i) {
    v1::DurationHistogram::Bucket* bucket = proto->add_buckets();
    bucket->set_at_most_seconds(i < latency.bounds->size()
                                    ? Seconds((*latency.bounds)[i])
                                    : std::numeric_limits<double>::infinity());
    bucket->set_count(static_cast<std::int64_t>(latency.counts[i]));
  }
  proto->set_count(static_cast<std::int64_t>(latency.count));
  proto->set_sum_seconds(Seconds(latency.sum));
}

v1::DiskStatus::State StateOf(DiskState state) {
  switch (state) {
    case DiskState::kAmple:
      return v1::DiskStatus::STATE_AMPLE;
    case DiskState::kNearlyFull:
      return v1::DiskStatus::STATE_NEARLY_FULL;
    case DiskState::kFull:
      return v1::DiskStatus::STATE_FULL;
  }
  return v1::DiskStatus::STATE_UNSPECIFIED;
}

void ToProto(const DiskReport& disk, v1::DiskStatus* proto) {
  proto->set_state(StateOf(disk.state));
  proto->set_free_bytes(static_cast<std::int64_t>(disk.free_bytes));
  proto->set_sends_refused_below_bytes(static_cast<std::int64_t>(disk.mark_bytes));
  proto->set_warned_below_bytes(static_cast<std::int64_t>(disk.warned_bytes));
  proto->set_reserve_bytes(static_cast<std::int64_t>(disk.reserve_bytes));
}

void ToProto(const StoreSpace::Use& space, v1::StoreSpace* proto) {
  const std::uint64_t all_bytes = space.table_bytes + space.blob_bytes;
  const std::uint64_t live_bytes = all_bytes - std::min(all_bytes, space.dead_bytes);
  proto->set_table_bytes(static_cast<std::int64_t>(space.table_bytes));
  proto->set_large_body_bytes(static_cast<std::int64_t>(space.blob_bytes));
  proto->set_dead_bytes(static_cast<std::int64_t>(space.dead_bytes));
  proto->set_live_bytes(static_cast<std::int64_t>(live_bytes));
  proto->set_buffered_bytes(static_cast<std::int64_t>(space.buffer_bytes));
  proto->set_returned_bytes(static_cast<std::int64_t>(space.returned_bytes));
  proto->set_rewritten_bytes(static_cast<std::int64_t>(space.rewritten_bytes));
  proto->set_dropped_row_count(static_cast<std::int64_t>(space.dropped_rows));
}

void ToProto(const BrokerMemory& memory, v1::MemoryUse* proto) {
  proto->set_window_bytes(static_cast<std::int64_t>(memory.window_bytes));
  proto->set_request_bytes(static_cast<std::int64_t>(memory.request_bytes));
  proto->set_stream_bytes(static_cast<std::int64_t>(memory.stream_bytes));
  proto->set_write_buffer_bytes(static_cast<std::int64_t>(memory.write_buffer_bytes));
  proto->set_block_cache_bytes(static_cast<std::int64_t>(memory.block_cache_bytes));
  proto->set_request_bytes_max(static_cast<std::int64_t>(memory.request_bytes_max));
}

void ToProto(const AmqpStatistics& amqp, v1::AmqpStatistics* proto) {
  proto->set_open_connection_count(static_cast<std::int64_t>(amqp.open_connections));
  proto->set_open_link_count(static_cast<std::int64_t>(amqp.open_links));
  proto->set_accepted_connection_count(static_cast<std::int64_t>(amqp.connections));
  proto->set_refused_connection_count(static_cast<std::int64_t>(amqp.connections_refused));
  proto->set_accepted_link_count(static_cast<std::int64_t>(amqp.links));
  proto->set_refused_link_count(static_cast<std::int64_t>(amqp.links_refused));
  proto->set_received_frame_count(static_cast<std::int64_t>(amqp.frames_received));
  proto->set_sent_frame_count(static_cast<std::int64_t>(amqp.frames_sent));
}

void ToProto(const HttpStatistics& http, v1::HttpStatistics* proto) {
  proto->set_open_connection_count(static_cast<std::int64_t>(http.open_connections));
  proto->set_accepted_connection_count(static_cast<std::int64_t>(http.connections));
  proto->set_refused_connection_count(static_cast<std::int64_t>(http.connections_refused));
  for (const HttpStatistics::Requests& each : http.requests) {
    v1::HttpRequestCount& row = *proto->add_requests();
    row.set_kind(each.kind);
    row.set_status(each.status);
    row.set_count(static_cast<std::int64_t>(each.count));
  }
}

void AddHistograms(const BrokerStatistics& statistics, v1::BrokerStatistics* proto) {
  const BrokerLatencies& latencies = statistics.latencies;
  ToProto("wharf_accept_next_seconds", statistics.accept_next, proto->add_histograms());
  ToProto("wharf_send_seconds", latencies.send, proto->add_histograms());
  ToProto("wharf_receive_seconds", latencies.receive, proto->add_histograms());
  ToProto("wharf_settle_seconds", latencies.settle, proto->add_histograms());
  ToProto("wharf_message_wait_seconds", latencies.wait, proto->add_histograms());
  ToProto("wharf_turn_seconds", latencies.turn, proto->add_histograms());
  ToProto("wharf_sync_seconds", latencies.sync, proto->add_histograms());
}

}  // namespace

void ToProto(const EntityNumbers::Row& row, v1::EntityNumbers* proto) {
  using Numbers = EntityNumbers;
  const auto time_of = [&row](Numbers::Field field) {
    return Timestamp(std::chrono::microseconds(row.values[field]));
  };
  proto->set_entity_path(row.path);
  proto->set_available_message_count(row.values[Numbers::kAvailable]);
  proto->set_locked_message_count(row.values[Numbers::kLocked]);
  proto->set_delayed_message_count(row.values[Numbers::kDelayed]);
  proto->set_deferred_message_count(row.values[Numbers::kDeferred]);
  proto->set_scheduled_message_count(row.values[Numbers::kScheduled]);
  proto->set_quarantined_message_count(row.values[Numbers::kQuarantined]);
  proto->set_dead_letter_message_count(row.values[Numbers::kDeadLettered]);
  proto->set_size_in_bytes(row.values[Numbers::kBytes]);
  proto->set_numbered_message_count(row.values[Numbers::kNumbers]);
  ToProto(time_of(Numbers::kAccessedAt), proto->mutable_accessed_at());
  if (row.values[Numbers::kOldestAt] != 0) {
    ToProto(time_of(Numbers::kOldestAt), proto->mutable_oldest_available_at());
  }
}

void ToProto(const BrokerStatistics& statistics, v1::BrokerStatistics* proto) {
  const ShardStatistics& shard = statistics.shard;
  proto->set_version(statistics.version);
  ToProto(statistics.started_at, proto->mutable_started_at());
  proto->set_entity_count(shard.entities);
  proto->set_fenced_entity_count(shard.fenced_entities);
  proto->set_namespace_bytes(static_cast<std::int64_t>(statistics.name_space.bytes));
  proto->set_max_namespace_bytes(static_cast<std::int64_t>(statistics.name_space.bytes_max));
  proto->set_access_enabled(statistics.access.is_obeyed);
  proto->set_max_top_level_entity_count(
      static_cast<std::int64_t>(statistics.name_space.entities_max));
  proto->set_max_subscriptions_per_topic(
      static_cast<std::int64_t>(statistics.name_space.subscriptions_max));
  proto->set_sent_message_count(shard.messages_sent);
  proto->set_delivered_message_count(shard.messages_delivered);
  proto->set_settled_message_count(shard.messages_settled);
  proto->set_turn_count(shard.turns);
  proto->set_change_count(shard.changes);
  proto->set_commit_count(static_cast<std::int64_t>(statistics.commits));
  proto->set_sync_count(static_cast<std::int64_t>(statistics.syncs));
  proto->set_synced_bytes(static_cast<std::int64_t>(statistics.synced_bytes));
  proto->set_unauthorized_count(static_cast<std::int64_t>(statistics.access.unauthorized));
  proto->set_forbidden_count(static_cast<std::int64_t>(statistics.access.forbidden));
  ToProto(statistics.disk, proto->mutable_disk());
  proto->mutable_disk()->set_log_bytes(static_cast<std::int64_t>(statistics.log_bytes));
  for (SpaceAlarm& each : SpaceAlarmsOf(statistics)) {
    v1::SpaceAlarm& alarm = *proto->add_alarms();
    alarm.set_name(std::string(each.name));
    alarm.set_text(std::move(each.text));
  }
  ToProto(statistics.space, proto->mutable_space());
  if (!statistics.damaged_files.empty()) {
    proto->set_damaged_files(fmt::format("{}", fmt::join(statistics.damaged_files, ", ")));
  }
  ToProto(statistics.now, proto->mutable_now());
  ToProto(statistics.memory, proto->mutable_memory());
  proto->set_open_connection_count(static_cast<std::int64_t>(statistics.grpc_open_connections));
  if (statistics.amqp) ToProto(*statistics.amqp, proto->mutable_amqp());
  if (statistics.http) ToProto(*statistics.http, proto->mutable_http());
  if (statistics.cluster) ToProto(*statistics.cluster, proto->mutable_cluster());
  AddHistograms(statistics, proto);
}

}  // namespace wharf
