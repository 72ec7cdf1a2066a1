#include "broker/doors/http/broker_metrics.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include "broker/requests/space_alarms.h"

namespace wharf {
namespace {

constexpr auto kCounter = MetricType::kCounter;
constexpr auto kGauge = MetricType::kGauge;
constexpr auto kHistogram = MetricType::kHistogram;

double SecondsOf(Duration time) { return std::chrono::duration<double>(time).count(); }
double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::string ReadText(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Of /proc/self/stat the 22nd word: when it started, in ticks since the machine did. The name
// before it may have spaces, and ends with the last bracket.
double StartOf(const std::string& stat, const std::string& machine) {
  const std::size_t bracket = stat.rfind(')');
  const std::size_t booted = machine.find("\nbtime ");
  if (bracket == std::string::npos || booted == std::string::npos) return 0;
  std::istringstream words(stat.substr(bracket + 1));
  std::string word;
  for (int i = 0; i < 20; ++i) words >> word;
  const double ticks = std::strtod(word.c_str(), nullptr);
  const double boot_seconds = std::strtod(machine.c_str() + booted + 7, nullptr);
  return boot_seconds + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::uint64_t ResidentOf(const std::string& statm) {
  std::istringstream words(statm);
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  words >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t CountDescriptors() {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end;
       !error && entry != end; entry.increment(error)) {
    ++count;
  }
  return count;
}

void WriteMessages(const BrokerStatistics& statistics, MetricText& text) {
  const ShardStatistics& shard = statistics.shard;
  text.One({"wharf_entities", kGauge, "Queues, topics and subscriptions that there are"},
           shard.entities);
  text.One({"wharf_fenced_entities", kGauge,
            "Of them those that nobody can use, because what is stored of them does not agree"},
           shard.fenced_entities);
  text.One({"wharf_namespace_bytes", kGauge, "Of the messages of all of them"},
           statistics.name_space.bytes);
  text.One({"wharf_namespace_max_bytes", kGauge,
            "Beyond so many sends are refused; 0: there is no bound"},
           statistics.name_space.bytes_max);
  text.One({"wharf_messages_sent_total", kCounter,
            "Messages that were stored, each copy of a topic's too"},
           shard.messages_sent);
  text.One({"wharf_messages_delivered_total", kCounter, "Deliveries to receivers"},
           shard.messages_delivered);
  text.One({"wharf_messages_redelivered_total", kCounter,
            "Deliveries of messages that a delivery had failed for"},
           shard.messages_redelivered);
  text.One({"wharf_messages_settled_total", kCounter, "Deliveries that ended, whoever ended them"},
           shard.messages_settled);
  text.One(
      {"wharf_messages_dead_lettered_total", kCounter, "Messages that went to a dead-letter queue"},
      shard.messages_dead_lettered);
  text.One({"wharf_messages_expired_total", kCounter,
            "Messages that are gone because their time was over"},
           shard.messages_expired);
  text.One({"wharf_messages_quarantined_total", kCounter,
            "Messages that the disk has damaged and that are kept apart"},
           shard.messages_quarantined);
  text.One({"wharf_lock_expiries_total", kCounter,
            "Locks whose time was over and whose messages came back"},
           shard.lock_expiries);
}

void WriteWork(const BrokerStatistics& statistics, MetricText& text) {
  const BrokerLatencies& latencies = statistics.latencies;
  const auto histogram = [&](std::string_view name, std::string_view help,
                             const Latency::Snapshot& latency) {
    text.Begin({name, kHistogram, help});
    text.Add("", latency);
  };
  histogram("wharf_send_seconds", "From a send to its answer, with the sync of the disk",
            latencies.send);
  histogram("wharf_receive_seconds",
            "From the turn that chose a message to its delivery, with the sync of its lock",
            latencies.receive);
  histogram("wharf_message_wait_seconds",
            "From when a message came to its first delivery, with the sync", latencies.wait);
  histogram("wharf_settle_seconds", "From a settlement to its answer, with the sync of the disk",
            latencies.settle);
  histogram("wharf_accept_next_seconds", "How long the next session was looked for",
            statistics.accept_next);
  histogram("wharf_turn_seconds", "How long the thread that plans was at one turn", latencies.turn);
  histogram("wharf_sync_seconds", "How long a synced write took", latencies.sync);
  text.One({"wharf_turns_total", kCounter, "Turns that were planned"}, statistics.shard.turns);
  text.One({"wharf_changes_total", kCounter, "Changes in them"}, statistics.shard.changes);
  text.One({"wharf_commits_total", kCounter, "Turns that changed something, made durable"},
           statistics.commits);
  text.One({"wharf_syncs_total", kCounter, "Synced writes; several turns share one"},
           statistics.syncs);
  text.One({"wharf_synced_bytes_total", kCounter, "Bytes of the turns in them"},
           statistics.synced_bytes);
  const auto of_each = [&](const ReadStatistics& reads, auto figure) {
    text.Add(LabelText("urgency", "awaited"), figure(reads.awaited));
    text.Add(LabelText("urgency", "background"), figure(reads.background));
  };
  text.Begin({"wharf_reads_total", kCounter, "Reads of the store, by whether somebody waited"});
  of_each(statistics.reads, [](const ReadStatistics::Of& reads) { return reads.reads; });
  text.Begin({"wharf_read_rows_total", kCounter, "Rows of the store that they looked at"});
  of_each(statistics.reads, [](const ReadStatistics::Of& reads) { return reads.rows; });
  text.Begin({"wharf_read_seconds_total", kCounter, "How long a thread was at them"});
  of_each(statistics.reads, [](const ReadStatistics::Of& reads) { return SecondsOf(reads.time); });
  text.One({"wharf_requests_throttled_total", kCounter, "Requests that heard ServiceBusy"},
           statistics.throttled);
}

void WriteCalls(const BrokerStatistics& statistics, MetricText& text) {
  text.One({"wharf_access_enabled", kGauge, "1 if clients must prove who they are"},
           std::int64_t{statistics.access.is_obeyed ? 1 : 0});
  text.Begin({"wharf_requests_denied_total", kCounter,
              "Calls and requests refused for want of a token or a right"});
  text.Add("reason=\"unauthorized\"", statistics.access.unauthorized);
  text.Add("reason=\"forbidden\"", statistics.access.forbidden);
  text.One({"wharf_grpc_connections_total", kCounter, "Connections of gRPC that were accepted"},
           statistics.grpc_connections);
  text.One({"wharf_grpc_connections_refused_total", kCounter,
            "Connections of gRPC that were closed because there were max-connections"},
           statistics.grpc_connections_refused);
  text.One({"wharf_grpc_open_connections", kGauge, "Connections of gRPC that are open"},
           statistics.grpc_open_connections);
}

void WriteAmqp(const AmqpStatistics& amqp, MetricText& text) {
  text.One({"wharf_amqp_connections_total", kCounter, "Connections of AMQP that were accepted"},
           amqp.connections);
  text.One({"wharf_amqp_connections_refused_total", kCounter,
            "Connections of AMQP that were closed because there were max-connections"},
           amqp.connections_refused);
  text.One({"wharf_amqp_open_connections", kGauge, "Connections of AMQP that are open"},
           amqp.open_connections);
  text.One({"wharf_amqp_links_total", kCounter, "Links of AMQP to entities that were accepted"},
           amqp.links);
  text.One({"wharf_amqp_links_refused_total", kCounter, "Links of AMQP that were refused"},
           amqp.links_refused);
  text.One({"wharf_amqp_open_links", kGauge, "Links of AMQP to entities that are open"},
           amqp.open_links);
  text.One({"wharf_amqp_frames_received_total", kCounter, "Frames of AMQP that clients sent"},
           amqp.frames_received);
  text.One({"wharf_amqp_frames_sent_total", kCounter, "Frames of AMQP that were sent to clients"},
           amqp.frames_sent);
}

void WriteTraces(const TraceStatistics& traces, MetricText& text) {
  text.One({"wharf_trace_spans_total", kCounter, "Spans of messages that were delivered"},
           traces.exported);
  text.Begin({"wharf_trace_spans_dropped_total", kCounter,
              "Spans that were lost: there was no room, or their receiver did not take them"});
  text.Add("reason=\"full\"", traces.lost_for_room);
  text.Add("reason=\"failed\"", traces.lost_on_the_way);
}

// Each name always has a row, so that an alert can tell "not raised" from "not asked".
void WriteAlarms(const BrokerStatistics& statistics, MetricText& text) {
  const std::vector<SpaceAlarm> raised = SpaceAlarmsOf(statistics);
  text.Begin({"wharf_space_alarm", kGauge, "1 while that bound of disk or memory is near"});
  for (const std::string_view name : kSpaceAlarms) {
    const bool is_raised = std::any_of(raised.begin(), raised.end(),
                                       [&](const SpaceAlarm& each) { return each.name == name; });
    text.Add(LabelText("name", std::string(name)), std::uint64_t{is_raised});
  }
}

void WriteArchive(const ArchiveStatistics& archive, MetricText& text) {
  text.One({"wharf_archive_last_commit", kGauge, "The last commit in the archive; 0: none is"},
           archive.last_commit);
  text.One({"wharf_archive_waiting_bytes", kGauge, "In memory, on the way to the archive"},
           archive.waiting_bytes);
  text.One({"wharf_archive_written_bytes_total", kCounter, "Bytes of commits that were archived"},
           archive.written_bytes);
  text.One({"wharf_archive_holes_total", kCounter,
            "Times that archiving was broken off, or that a start could not go on with it"},
           archive.holes);
  text.One({"wharf_archive_missing_commits_total", kCounter,
            "Commits that are in no archive: no restore gets beyond them"},
           archive.missing_commits);
}

void WriteStore(const BrokerStatistics& statistics, MetricText& text) {
  const StoreSpace::Use& space = statistics.space;
  text.One({"wharf_disk_free_bytes", kGauge, "Free on the disk of the data folder"},
           statistics.disk.free_bytes);
  text.One({"wharf_disk_sends_refused_below_bytes", kGauge,
            "Sends are refused while less of the disk is free"},
           statistics.disk.mark_bytes);
  text.One({"wharf_disk_reserve_bytes", kGauge, "Of that disk, kept for a disk that is full"},
           statistics.disk.reserve_bytes);
  text.One({"wharf_log_bytes", kGauge, "On the disk, of the log of what was committed"},
           statistics.log_bytes);
  WriteAlarms(statistics, text);
  text.Begin({"wharf_store_bytes", kGauge, "On the disk, by what it holds"});
  text.Add("part=\"tables\"", space.table_bytes);
  text.Add("part=\"large_bodies\"", space.blob_bytes);
  text.One({"wharf_store_dead_bytes", kGauge, "Of these, what is known to be dead"},
           space.dead_bytes);
  text.One({"wharf_store_returned_bytes_total", kCounter, "By which the folder was made smaller"},
           space.returned_bytes);
  text.One({"wharf_store_rewritten_bytes_total", kCounter, "Read and written for that"},
           space.rewritten_bytes);
  text.One({"wharf_store_dropped_rows_total", kCounter, "Rows that compactions found to be dead"},
           space.dropped_rows);
  text.One({"wharf_store_pending_compaction_bytes", kGauge,
            "What compactions have still to rewrite, by RocksDB's estimate"},
           space.pending_compaction_bytes);
  text.One({"wharf_store_damaged_files", kGauge, "Files that a compaction could not read"},
           std::uint64_t{statistics.damaged_files.size()});
  text.Begin({"wharf_memory_bytes", kGauge, "Memory, by what it is for"});
  text.Add("part=\"windows\"", statistics.memory.window_bytes);
  text.Add("part=\"requests\"", statistics.memory.request_bytes);
  text.Add("part=\"write_buffers\"", statistics.memory.write_buffer_bytes);
  text.Add("part=\"block_cache\"", statistics.memory.block_cache_bytes);
  text.Add("part=\"streams\"", statistics.memory.stream_bytes);
}

// Nothing, if nobody named an entity that there is.
void WriteTimed(const std::vector<TimedEntity>& timed, MetricText& text) {
  if (timed.empty()) return;
  const auto histograms = [&](std::string_view name, std::string_view help,
                              Latency::Snapshot TimedEntity::*latency) {
    text.Begin({name, kHistogram, help});
    for (const TimedEntity& each : timed) text.Add(LabelText("entity", each.path), each.*latency);
  };
  histograms("wharf_entity_send_seconds",
             "As wharf_send_seconds, of an entity that metrics-histograms names",
             &TimedEntity::send);
  histograms("wharf_entity_message_wait_seconds",
             "As wharf_message_wait_seconds, of such an entity", &TimedEntity::wait);
  histograms("wharf_entity_settle_seconds", "As wharf_settle_seconds, of such an entity",
             &TimedEntity::settle);
}

}  // namespace

ProcessStatistics ReadProcess() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  return {.cpu_seconds = SecondsOf(used.ru_utime) + SecondsOf(used.ru_stime),
          .start_seconds = StartOf(ReadText("/proc/self/stat"), ReadText("/proc/stat")),
          .resident_bytes = ResidentOf(ReadText("/proc/self/statm")),
          .open_descriptors = CountDescriptors(),
          .descriptors_max = descriptors.rlim_cur};
}

// As the libraries of Prometheus call them.
void Write(const ProcessStatistics& process, MetricText& text) {
  text.One({"process_cpu_seconds_total", kCounter, "Time that the process has worked"},
           process.cpu_seconds);
  text.One({"process_start_time_seconds", kGauge, "When it started, since the epoch"},
           process.start_seconds);
  text.One({"process_resident_memory_bytes", kGauge, "Memory that it has"}, process.resident_bytes);
  text.One({"process_open_fds", kGauge, "Files and connections that are open"},
           process.open_descriptors);
  text.One({"process_max_fds", kGauge, "As many may be"}, process.descriptors_max);
}

void Write(const Health& health, MetricText& text) {
  const std::vector<Health::Finding> findings = health.findings();
  text.One({"wharf_ready", kGauge, "1 while /readyz says 200"},
           std::int64_t{findings.empty() ? 1 : 0});
  text.Begin({"wharf_ailment", kGauge, "1 for each cause for which /readyz says 503"});
  for (const Ailment ailment : AllAilments()) {
    const bool is_there = std::any_of(findings.begin(), findings.end(), [&](const auto& finding) {
      return finding.ailment == ailment;
    });
    text.Add(LabelText("cause", NameOf(ailment)), std::int64_t{is_there ? 1 : 0});
  }
  text.One({"wharf_insecure", kGauge, "1 if it was started with insecure"},
           std::int64_t{health.is_insecure() ? 1 : 0});
}

void Write(const Certificates::Content& certificates, MetricText& text) {
  const auto ends_at = std::chrono::duration<double>(certificates.ends_at.time_since_epoch());
  text.One({"wharf_tls_certificate_end_timestamp_seconds", kGauge,
            "Until when the certificate of TLS is good, since the epoch"},
           ends_at.count());
}

void WriteServiceBus(const HttpStatistics& http, MetricText& text) {
  text.One({"wharf_servicebus_connections_total", kCounter,
            "Connections of Service Bus over HTTP that were accepted"},
           http.connections);
  text.One({"wharf_servicebus_connections_refused_total", kCounter,
            "Connections of it that were closed because there were http-max-connections"},
           http.connections_refused);
  text.One({"wharf_servicebus_open_connections", kGauge, "Connections of it that are open"},
           http.open_connections);
  text.Begin({"wharf_servicebus_requests_total", kCounter,
              "Requests of Service Bus over HTTP, by their kind and status"});
  for (const HttpStatistics::Requests& each : http.requests) {
    text.Add(LabelText("kind", each.kind) + ',' + LabelText("status", each.status), each.count);
  }
}

void WriteHttpConnections(std::size_t open, MetricText& text) {
  text.One(
      {"wharf_http_open_connections", kGauge, "Connections of HTTP that are open, this one too"},
      std::uint64_t{open});
}

void Write(const ConsoleStatistics& console, MetricText& text) {
  text.One({"wharf_console_connections_total", kCounter,
            "Connections of the console that were accepted"},
           console.http.connections);
  text.One({"wharf_console_connections_refused_total", kCounter,
            "Connections of the console that were closed because there were http-max-connections"},
           console.http.connections_refused);
  text.One({"wharf_console_open_connections", kGauge, "Connections of the console that are open"},
           console.http.open_connections);
  text.One(
      {"wharf_console_open_calls", kGauge, "Calls and streams of the JSON API that are under way"},
      std::uint64_t{console.open_calls});
  text.One({"wharf_console_sessions", kGauge, "Sessions of the console that are signed in"},
           std::uint64_t{console.sessions});
  text.Begin({"wharf_console_requests_total", kCounter,
              "Requests to the console, by their kind and status"});
  for (const HttpStatistics::Requests& each : console.http.requests) {
    text.Add(LabelText("kind", each.kind) + ',' + LabelText("status", each.status), each.count);
  }
}

void Write(const BrokerStatistics& statistics, MetricText& text) {
  text.Begin({"wharf_build_info", kGauge, "1, and the version that runs"});
  text.Add(LabelText("version", statistics.version), std::int64_t{1});
  if (statistics.has_messages) WriteMessages(statistics, text);
  if (statistics.has_messages) WriteWork(statistics, text);
  WriteCalls(statistics, text);
  if (statistics.amqp) WriteAmqp(*statistics.amqp, text);
  if (statistics.http) WriteServiceBus(*statistics.http, text);
  WriteTraces(statistics.traces, text);
  WriteStore(statistics, text);
  WriteArchive(statistics.archive, text);
  WriteTimed(statistics.timed, text);
}

}  // namespace wharf
