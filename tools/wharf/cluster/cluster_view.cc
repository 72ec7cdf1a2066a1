#include "tools/wharf/cluster/cluster_view.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <fmt/core.h>
#include <google/protobuf/util/time_util.h>

#include "storage/base/duration_text.h"
#include "tools/wharf/terminal/table.h"
#include "tools/wharf/text/printable_text.h"
#include "tools/wharf/top/screen.h"

namespace wharf::tool {
namespace {

// "-250 ms".
std::string SpanText(const google::protobuf::Duration& span) {
  const auto us = google::protobuf::util::TimeUtil::DurationToMicroseconds(span);
  const double seconds = static_cast<double>(us) / 1e6;
  return us < 0 ? "-" + RoundedDuration(-seconds) : RoundedDuration(seconds);
}

std::string RoleOf(const v1::ClusterMember& member) {
  if (member.leader()) return "leader";
  return member.voter() ? "voter" : "learner";
}

// "yes", or for how long it has said nothing.
std::string ReachedText(const v1::ClusterMember& member) {
  if (member.reachable()) return "yes";
  return member.has_last_heard() ? SpanText(member.last_heard()) + " ago" : "no";
}

std::string BehindText(const v1::ClusterMember& member) {
  std::string text = member.has_lag_entries() ? std::to_string(member.lag_entries()) : "";
  if (member.has_lag_bytes()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        ShortBytes(static_cast<double>(member.lag_bytes())));
  }
  if (member.has_lag()) text += (text.empty() ? "" : ", ") + SpanText(member.lag());
  return text;
}

void PrintMembers(Output& out, const v1::ClusterStatus& status) {
  Table table({{"NAME", Column::Kind::kText},
               {"ROLE", Column::Kind::kWord},
               {"REACHED", Column::Kind::kWord},
               {"BEHIND", Column::Kind::kWord},
               {"CLIENTS ASK", Column::Kind::kText},
               {"PEERS", Column::Kind::kText, /*is_optional=*/true},
               {"TRIP", Column::Kind::kNumber, /*is_optional=*/true},
               {"CLOCK", Column::Kind::kNumber, /*is_optional=*/true}},
              out);
  for (const v1::ClusterMember& each : status.members()) {
    table.Add({each.name(), RoleOf(each), ReachedText(each), BehindText(each),
               each.client_address(), each.peer_address(),
               each.has_round_trip() ? SpanText(each.round_trip()) : "",
               each.has_clock_offset() ? SpanText(each.clock_offset()) : ""});
  }
  table.End();
}

// What the newest of them reads.
std::uint64_t HighestLevel(const v1::ClusterStatus& status) {
  std::uint64_t highest = 0;
  for (const v1::ClusterMember& each : status.members()) {
    highest = std::max<std::uint64_t>(highest, each.format_level_max());
  }
  return highest;
}

void PrintLevels(Output& out, const v1::ClusterStatus& status) {
  const std::uint64_t highest = HighestLevel(status);
  for (const v1::ClusterMember& each : status.members()) {
    if (!each.has_format_level_max() || each.format_level_max() >= highest) continue;
    out.Print("{}: it reads up to level {} of the format, others up to {}: upgrade it\n",
              Printable(each.name()), each.format_level_max(), highest);
  }
}

void PrintTroubles(Output& out, const v1::ClusterStatus& status) {
  if (!status.trouble().empty()) {
    out.Print("{}: {}\n", Printable(status.node_name()), Printable(status.trouble()));
  }
  for (const v1::ClusterMember& each : status.members()) {
    const std::string name = Printable(each.name());
    if (!each.trouble().empty()) out.Print("{}: {}\n", name, Printable(each.trouble()));
    if (each.short_of_disk() && each.name() != status.node_name()) {
      out.Print(
          "{}: its disk is short of space, or does not answer: it leads only where no other one "
          "can\n",
          name);
    }
  }
}

void PrintRefused(Output& out, const v1::ClusterStatus& status) {
  if (status.refused_peer().empty()) return;
  out.Print("refused as a peer {} ago: {}\n", SpanText(status.refused_ago()),
            Printable(status.refused_peer()));
}

void PrintLog(Output& out, const v1::ClusterStatus& status) {
  out.Print("log: {} in {} segments", ShortBytes(static_cast<double>(status.log_bytes())),
            status.log_segments());
  if (status.has_sync_p50() && status.has_sync_p99()) {
    out.Print("; synced within {} (p50), {} (p99)", SpanText(status.sync_p50()),
              SpanText(status.sync_p99()));
  }
  out.Print("\n");
  if (!status.snapshot().empty()) out.Print("snapshot: {}\n", Printable(status.snapshot()));
}

void PrintWaiting(Output& out, const v1::ClusterStatus& status) {
  const std::string name = Printable(status.node_name());
  out.Print(
      "{} belongs to no cluster yet. Invite it from a member with\n"
      "  wharf cluster add {} HOST:PORT\n"
      "or make it the first of a new one with\n"
      "  wharf cluster init\n",
      name, name);
  PrintRefused(out, status);
}

}  // namespace

void PrintCluster(Output& out, const v1::ClusterStatus& status) {
  if (status.cluster_id().empty()) return PrintWaiting(out, status);
  out.Print("cluster {}, as {} sees it\n", Printable(status.cluster_id()),
            Printable(status.node_name()));
  out.Print("leader {}, term {}, committed {}, applied {}, format level {}\n\n",
            status.leader().empty() ? "unknown" : Printable(status.leader()), status.term(),
            status.committed_index(), status.applied_index(), status.format_level());
  PrintMembers(out, status);
  out.Print("\n");
  PrintTroubles(out, status);
  PrintLevels(out, status);
  PrintRefused(out, status);
  PrintLog(out, status);
  out.Print("{}\n", Printable(status.one_more_loss()));
}

}  // namespace wharf::tool
