#include "tools/wharf/cluster/cluster_view.h"

#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string PrintedCluster(const v1::ClusterStatus& status) {
  std::FILE* const file = std::tmpfile();
  {
    Output out(file);
    PrintCluster(out, status);
    EXPECT_TRUE(out.Flush());
  }
  std::rewind(file);
  std::string text(100'000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

v1::ClusterStatus TwoNodes() {
  v1::ClusterStatus status;
  status.set_cluster_id("0123456789abcdef0123456789abcdef");
  status.set_node_name("n1");
  status.set_leader("n1");
  status.set_term(7);
  status.set_log_bytes(1536);
  status.set_log_segments(3);
  status.mutable_sync_p50()->set_nanos(100'000);
  status.mutable_sync_p99()->set_nanos(10'000'000);
  status.set_one_more_loss("If one more node died, nothing would be lost.");
  v1::ClusterMember& one = *status.add_members();
  one.set_name("n1");
  one.set_voter(true);
  one.set_leader(true);
  one.set_reachable(true);
  one.set_client_address("10.0.0.1:5681");
  v1::ClusterMember& two = *status.add_members();
  two.set_name("n2");
  two.set_trouble("its certificate is that of n3");
  two.mutable_last_heard()->set_seconds(90);
  two.set_lag_entries(3);
  two.set_lag_bytes(700);
  return status;
}

TEST(ClusterViewTest, WhoLeadsWhoIsBehindAndWhyOneIsNotThere) {
  const std::string text = PrintedCluster(TwoNodes());

  EXPECT_THAT(text, HasSubstr("cluster 0123456789abcdef0123456789abcdef, as n1 sees it\n"));
  EXPECT_THAT(text, HasSubstr("leader n1, term 7, "));
  EXPECT_THAT(text, HasSubstr("n1    leader"));
  EXPECT_THAT(text, HasSubstr("n2    learner"));
  EXPECT_THAT(text, HasSubstr("3, 700 B"));
  EXPECT_THAT(text, HasSubstr("n2: its certificate is that of n3\n"));
  EXPECT_THAT(text, HasSubstr("log: 1.5 KiB in 3 segments; synced within"));
}

TEST(ClusterViewTest, WhoseDiskIsShortIsNamed) {
  v1::ClusterStatus status = TwoNodes();
  status.set_trouble("the disk of this node has 3 MB left");
  status.mutable_members(0)->set_short_of_disk(true);
  status.mutable_members(1)->set_short_of_disk(true);

  const std::string text = PrintedCluster(status);

  EXPECT_THAT(text, HasSubstr("\nn1: the disk of this node has 3 MB left\n"));
  EXPECT_THAT(text, HasSubstr("\nn2: its disk is short of space"));
  EXPECT_THAT(text, Not(HasSubstr("n1: its disk")));
}

TEST(ClusterViewTest, WhoHoldsTheLevelOfTheFormatIsNamed) {
  v1::ClusterStatus status = TwoNodes();
  status.mutable_members(0)->set_format_level_max(2);
  EXPECT_THAT(PrintedCluster(status), Not(HasSubstr("of the format, others")));

  status.mutable_members(1)->set_format_level_max(1);

  EXPECT_THAT(
      PrintedCluster(status),
      HasSubstr("\nn2: it reads up to level 1 of the format, others up to 2: upgrade it\n"));
}

TEST(ClusterViewTest, WhoWasRefusedIsToldAlsoByOneThatWaits) {
  v1::ClusterStatus status = TwoNodes();
  EXPECT_THAT(PrintedCluster(status), Not(HasSubstr("refused")));
  status.set_refused_peer("n9 from 10.0.0.9: it is of another cluster\x1b");
  status.mutable_refused_ago()->set_seconds(90);

  const std::string of_member = PrintedCluster(status);
  status.clear_cluster_id();
  const std::string of_waiting = PrintedCluster(status);

  for (const std::string& text : {of_member, of_waiting}) {
    EXPECT_THAT(text, HasSubstr("\nrefused as a peer 90 s ago: n9 from 10.0.0.9: it is of"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  }
}

TEST(ClusterViewTest, TheLastLineSaysWhatOneMoreDeadNodeMeans) {
  const std::string text = PrintedCluster(TwoNodes());

  EXPECT_TRUE(text.ends_with("\nIf one more node died, nothing would be lost.\n")) << text;
}

TEST(ClusterViewTest, WhoHasNoClusterSaysHowItGetsOne) {
  v1::ClusterStatus status;
  status.set_node_name("n2");
  status.set_waits_for_invitation(true);

  const std::string text = PrintedCluster(status);

  EXPECT_THAT(text, HasSubstr("wharf cluster add n2 HOST:PORT"));
  EXPECT_THAT(text, HasSubstr("wharf cluster init"));
  EXPECT_THAT(text, Not(HasSubstr("leader")));
}

}  // namespace
}  // namespace wharf::tool
