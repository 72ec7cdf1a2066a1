#include "broker/doors/http/cluster_metrics.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string TextOf(const ClusterStatus& status) {
  MetricText text(MetricText::Format::kPrometheus);
  Write(status, text);
  return text.Take();
}

// As the leader n1 sees it, whose n3 is away.
ClusterStatus Three() {
  ClusterStatus status{.cluster_id = "c1",
                       .node_name = "n1",
                       .leader = "n1",
                       .term = 7,
                       .committed_index = 90,
                       .applied_index = 89,
                       .log_bytes = 4096,
                       .log_segments = 2};
  status.members = {{.name = "n1", .is_voter = true, .is_leader = true, .is_reachable = true},
                    {.name = "n2",
                     .is_voter = true,
                     .is_reachable = true,
                     .lag_entries = 0,
                     .lag_bytes = 0,
                     .lag = Duration(0),
                     .round_trip = std::chrono::milliseconds(2),
                     .clock_offset = std::chrono::milliseconds(-1500)},
                    {.name = "n3",
                     .is_voter = true,
                     .lag_entries = 12,
                     .lag_bytes = 3000,
                     .lag = std::chrono::seconds(40),
                     .is_short_of_disk = true}};
  status.is_serving = true;
  status.leaderships_begun = 2;
  status.leaderships_ended = 1;
  status.refused_batches = 5;
  return status;
}

TEST(ClusterMetricsTest, TheLeaderTellsOfAll) {
  const std::string text = TextOf(Three());

  for (const char* const line :
       {"\nwharf_cluster_waits 0\n",
        "\nwharf_cluster_leads 1\n",
        "\nwharf_cluster_knows_leader 1\n",
        "\nwharf_cluster_term 7\n",
        "\nwharf_cluster_leaderships_total{event=\"begun\"} 2\n",
        "\nwharf_cluster_leaderships_total{event=\"ended\"} 1\n",
        "\nwharf_cluster_refused_batches_total 5\n",
        "\nwharf_cluster_committed_index 90\n",
        "\nwharf_cluster_applied_index 89\n",
        "\nwharf_cluster_log_bytes 4096\n",
        "\nwharf_cluster_log_segments 2\n",
        "\nwharf_cluster_members{role=\"voter\"} 3\n",
        "\nwharf_cluster_members{role=\"learner\"} 0\n",
        "\nwharf_cluster_failures_survived 0\n",
        "\nwharf_cluster_member_reachable{member=\"n2\"} 1\n",
        "\nwharf_cluster_member_reachable{member=\"n3\"} 0\n",
        "\nwharf_cluster_lacks_state 0\n",
        "\nwharf_cluster_short_of_disk 0\n",
        "\nwharf_cluster_member_short_of_disk{member=\"n2\"} 0\n",
        "\nwharf_cluster_member_short_of_disk{member=\"n3\"} 1\n",
        "\nwharf_cluster_member_lag_entries{member=\"n2\"} 0\n",
        "\nwharf_cluster_member_lag_entries{member=\"n3\"} 12\n",
        "\nwharf_cluster_member_lag_bytes{member=\"n3\"} 3000\n",
        "\nwharf_cluster_member_lag_seconds{member=\"n3\"} 40\n",
        "\nwharf_cluster_member_round_trip_seconds{member=\"n2\"} 0.002\n",
        "\nwharf_cluster_member_clock_offset_seconds{member=\"n2\"} -1.5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("{member=\"n1\"}")));
}

TEST(ClusterMetricsTest, WhatANodeDoesNotKnowItDoesNotTell) {
  ClusterStatus status = Three();
  status.node_name = "n2";
  status.is_serving = false;
  status.members = {{.name = "n1", .is_voter = true, .is_leader = true, .is_reachable = true},
                    {.name = "n2", .is_voter = true, .is_reachable = true}};

  const std::string text = TextOf(status);

  EXPECT_THAT(text, HasSubstr("\nwharf_cluster_leads 0\n"));
  EXPECT_THAT(text, HasSubstr("\nwharf_cluster_member_reachable{member=\"n1\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("\nwharf_cluster_failures_survived 0")));
  EXPECT_THAT(text, Not(HasSubstr("lag_entries{")));
}

TEST(ClusterMetricsTest, ANodeTellsThatItsOwnDiskIsShort) {
  ClusterStatus status = Three();
  status.node_name = "n3";

  EXPECT_THAT(TextOf(status), HasSubstr("\nwharf_cluster_short_of_disk 1\n"));
}

TEST(ClusterMetricsTest, ANodeThatWaitsSaysSo) {
  const std::string text = TextOf({.node_name = "n1", .waits_for_invitation = true});
  EXPECT_THAT(TextOf({.node_name = "n1", .lacks_state = true}),
              HasSubstr("\nwharf_cluster_lacks_state 1\n"));

  EXPECT_THAT(text, HasSubstr("\nwharf_cluster_waits 1\n"));
  EXPECT_THAT(text, HasSubstr("\nwharf_cluster_knows_leader 0\n"));
  EXPECT_THAT(text, HasSubstr("\nwharf_cluster_members{role=\"voter\"} 0\n"));
}

}  // namespace
}  // namespace wharf
