#include "broker/doors/http/cluster_metrics.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "broker/requests/one_more_loss.h"

namespace wharf {
namespace {

std::int64_t AsNumber(bool is_so) { return is_so ? 1 : 0; }

double Seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

// Of this node itself.
bool IsShortOfDisk(const ClusterStatus& status) {
  return std::any_of(status.members.begin(), status.members.end(),
                     [&status](const ClusterMember& member) {
                       return member.name == status.node_name && member.is_short_of_disk;
                     });
}

void WriteRole(const ClusterStatus& status, MetricText& text) {
  text.One(
      {"wharf_cluster_waits", MetricType::kGauge, "1 while the node belongs to no cluster yet"},
      AsNumber(status.waits_for_invitation));
  text.One({"wharf_cluster_leads", MetricType::kGauge, "1 while the node leads and serves clients"},
           AsNumber(status.is_serving));
  text.One({"wharf_cluster_knows_leader", MetricType::kGauge, "1 while the node knows who leads"},
           AsNumber(!status.leader.empty()));
  text.One({"wharf_cluster_term", MetricType::kGauge, "The last election that the node knows of"},
           status.term);
  text.One({"wharf_cluster_lacks_state", MetricType::kGauge,
            "1 while the node takes no part, because it takes the state of another one"},
           AsNumber(status.lacks_state));
  text.One({"wharf_cluster_short_of_disk", MetricType::kGauge,
            "1 while the node leads only where the disk of no other one has room"},
           AsNumber(IsShortOfDisk(status)));
  text.Begin({"wharf_cluster_leaderships_total", MetricType::kCounter,
              "Times that clients began to be served here, and ceased to be"});
  text.Add("event=\"begun\"", status.leaderships_begun);
  text.Add("event=\"ended\"", status.leaderships_ended);
  text.One({"wharf_cluster_refused_batches_total", MetricType::kCounter,
            "Batches that were not done, or may be, because leadership ended"},
           status.refused_batches);
}

void WriteLog(const ClusterStatus& status, MetricText& text) {
  text.One(
      {"wharf_cluster_committed_index", MetricType::kGauge, "The last entry that a majority has"},
      status.committed_index);
  text.One({"wharf_cluster_applied_index", MetricType::kGauge,
            "The last entry that is in the node's state"},
           status.applied_index);
  text.One(
      {"wharf_cluster_log_bytes", MetricType::kGauge, "Of the node's log of entries, on its disk"},
      status.log_bytes);
  text.One({"wharf_cluster_log_segments", MetricType::kGauge, "Files of it"}, status.log_segments);
  text.Begin({"wharf_cluster_log_sync_seconds", MetricType::kHistogram,
              "How long a sync of that log took"});
  text.Add("", status.sync_latency);
}

void WriteMembers(const ClusterStatus& status, MetricText& text) {
  const std::int64_t voters =
      std::count_if(status.members.begin(), status.members.end(),
                    [](const ClusterMember& member) { return member.is_voter; });
  text.Begin({"wharf_cluster_members", MetricType::kGauge, "Members by whether they vote"});
  text.Add("role=\"voter\"", voters);
  text.Add("role=\"learner\"", static_cast<std::int64_t>(status.members.size()) - voters);
  text.Begin({"wharf_cluster_failures_survived", MetricType::kGauge,
              "Nodes that may die now without stopping the cluster, as the leader knows"});
  if (const auto survived = FailuresSurvived(status)) text.Add("", std::uint64_t{*survived});
}

// Of the others, as this node sees them.
template <typename Value>
void WriteEach(const ClusterStatus& status, const Metric& metric, const Value& value_of,
               MetricText& text) {
  text.Begin(metric);
  for (const ClusterMember& member : status.members) {
    if (member.name == status.node_name) continue;
    if (const auto value = value_of(member)) text.Add(LabelText("member", member.name), *value);
  }
}

void WriteOthers(const ClusterStatus& status, MetricText& text) {
  const auto seconds = [](std::optional<Duration> ClusterMember::*span) {
    return [span](const ClusterMember& member) {
      return member.*span ? std::optional(Seconds(*(member.*span))) : std::nullopt;
    };
  };
  WriteEach(
      status,
      {"wharf_cluster_member_reachable", MetricType::kGauge,
       "1 while the node reaches the other member"},
      [](const ClusterMember& member) { return std::optional(AsNumber(member.is_reachable)); },
      text);
  WriteEach(
      status,
      {"wharf_cluster_member_short_of_disk", MetricType::kGauge,
       "1 while the other member says that its disk is short of space, or does not answer"},
      [](const ClusterMember& member) { return std::optional(AsNumber(member.is_short_of_disk)); },
      text);
  WriteEach(
      status,
      {"wharf_cluster_member_lag_entries", MetricType::kGauge,
       "Entries that a member lacks, says the leader"},
      [](const ClusterMember& member) { return member.lag_entries; }, text);
  WriteEach(
      status,
      {"wharf_cluster_member_lag_bytes", MetricType::kGauge, "Bytes of the log that these are"},
      [](const ClusterMember& member) { return member.lag_bytes; }, text);
  WriteEach(status,
            {"wharf_cluster_member_lag_seconds", MetricType::kGauge,
             "Since when the leader has had them"},
            seconds(&ClusterMember::lag), text);
  WriteEach(status,
            {"wharf_cluster_member_round_trip_seconds", MetricType::kGauge,
             "To the other member and back"},
            seconds(&ClusterMember::round_trip), text);
  WriteEach(status,
            {"wharf_cluster_member_clock_offset_seconds", MetricType::kGauge,
             "By how much its wall clock is ahead"},
            seconds(&ClusterMember::clock_offset), text);
}

}  // namespace

void Write(const ClusterStatus& status, MetricText& text) {
  WriteRole(status, text);
  WriteLog(status, text);
  WriteMembers(status, text);
  WriteOthers(status, text);
}

}  // namespace wharf
