#include "broker/doors/grpc/convert/convert_cluster.h"

#include <string>

#include <gtest/gtest.h>

namespace wharf {
namespace {

using std::chrono::milliseconds;

TEST(ConvertClusterTest, AllThatIsKnownOfAMemberIsTold) {
  ClusterStatus status{.cluster_id = "c1", .node_id = "1", .node_name = "n1"};
  status.leader = "n1";
  status.term = 7;
  status.committed_index = 30;
  status.applied_index = 29;
  status.format_level = 2;
  status.log_bytes = 4096;
  status.log_segments = 3;
  status.snapshot = "sending 1 of 2 GiB to n2";
  status.trouble = "its disk has 3 MB left";
  status.refused_peer = "n9 from 10.0.0.9: it is of another cluster";
  status.refused_ago = milliseconds(2500);
  status.members.push_back({.id = "2",
                            .name = "n2",
                            .peer_address = "n2:5691",
                            .client_address = "n2:5681",
                            .is_voter = true,
                            .trouble = "its certificate is over",
                            .last_heard = milliseconds(1500),
                            .lag_entries = 3,
                            .lag_bytes = 700,
                            .lag = milliseconds(20),
                            .round_trip = milliseconds(1),
                            .clock_offset = milliseconds(-250),
                            .is_short_of_disk = true});

  v1::ClusterStatus proto;
  ToProto(status, &proto);

  EXPECT_EQ(proto.cluster_id(), "c1");
  EXPECT_EQ(proto.node_id(), "1");
  EXPECT_EQ(proto.node_name(), "n1");
  EXPECT_EQ(proto.leader(), "n1");
  EXPECT_EQ(proto.term(), 7U);
  EXPECT_EQ(proto.committed_index(), 30U);
  EXPECT_EQ(proto.applied_index(), 29U);
  EXPECT_EQ(proto.format_level(), 2U);
  EXPECT_EQ(proto.log_bytes(), 4096U);
  EXPECT_EQ(proto.log_segments(), 3U);
  EXPECT_EQ(proto.snapshot(), "sending 1 of 2 GiB to n2");
  EXPECT_EQ(proto.trouble(), "its disk has 3 MB left");
  EXPECT_EQ(proto.refused_peer(), "n9 from 10.0.0.9: it is of another cluster");
  EXPECT_EQ(proto.refused_ago().nanos(), 500'000'000);
  EXPECT_FALSE(proto.one_more_loss().empty());
  const v1::ClusterMember& member = proto.members(0);
  EXPECT_EQ(member.id(), "2");
  EXPECT_EQ(member.name(), "n2");
  EXPECT_EQ(member.peer_address(), "n2:5691");
  EXPECT_EQ(member.client_address(), "n2:5681");
  EXPECT_TRUE(member.voter());
  EXPECT_FALSE(member.leader());
  EXPECT_FALSE(member.reachable());
  EXPECT_EQ(member.trouble(), "its certificate is over");
  EXPECT_EQ(member.last_heard().seconds(), 1);
  EXPECT_EQ(member.lag_entries(), 3U);
  EXPECT_EQ(member.lag_bytes(), 700U);
  EXPECT_EQ(member.lag().nanos(), 20'000'000);
  EXPECT_EQ(member.round_trip().nanos(), 1'000'000);
  EXPECT_EQ(member.clock_offset().nanos(), -250'000'000);
  EXPECT_TRUE(member.short_of_disk());
}

TEST(ConvertClusterTest, WhatIsNotKnownIsAbsent) {
  ClusterStatus status;
  status.members.push_back({.name = "n2"});

  v1::ClusterStatus proto;
  ToProto(status, &proto);

  const v1::ClusterMember& member = proto.members(0);
  EXPECT_FALSE(member.has_last_heard());
  EXPECT_FALSE(member.has_lag_entries());
  EXPECT_FALSE(member.has_lag_bytes());
  EXPECT_FALSE(member.has_lag());
  EXPECT_FALSE(member.has_round_trip());
  EXPECT_FALSE(member.has_clock_offset());
  EXPECT_FALSE(proto.has_sync_p50());
  EXPECT_FALSE(proto.has_sync_p99());
}

TEST(ConvertClusterTest, MembersStandInTheOrderOfTheirNames) {
  ClusterStatus status;
  for (const char* name : {"n3", "n1", "n2"}) status.members.push_back({.name = name});

  v1::ClusterStatus proto;
  ToProto(status, &proto);

  EXPECT_EQ(proto.members(0).name(), "n1");
  EXPECT_EQ(proto.members(1).name(), "n2");
  EXPECT_EQ(proto.members(2).name(), "n3");
}

TEST(ConvertClusterTest, SyncedWritesAreToldByWhatHalfAndNearlyAllOfThemTook) {
  Latency syncs;
  syncs.Note(Duration(90), 98);
  syncs.Note(Duration(9000), 1);
  syncs.Note(Duration(90000), 1);
  ClusterStatus status{.sync_latency = syncs.Read()};

  v1::ClusterStatus proto;
  ToProto(status, &proto);

  EXPECT_EQ(proto.sync_p50().nanos(), 100'000);
  EXPECT_EQ(proto.sync_p99().nanos(), 10'000'000);
}

TEST(ConvertClusterTest, NamesOfNodesFitIntoCertificatesAndFiles) {
  for (const char* name : {"n1", "1", "node-1.example.org", "a"}) {
    EXPECT_TRUE(CheckMemberName(name).ok()) << name;
  }
  EXPECT_TRUE(CheckMemberName(std::string(63, 'n')).ok());
  for (const std::string& name :
       {std::string(), std::string("N1"), std::string("-n"), std::string(".n"), std::string("n 1"),
        std::string("n/1"), std::string("n\n"), std::string(64, 'n')}) {
    EXPECT_EQ(CheckMemberName(name).code(), ErrorCode::kArgumentError) << name;
  }
}

TEST(ConvertClusterTest, AddressesOfNodesHaveAHostAndAPort) {
  for (const char* address : {"n2:5691", "10.0.0.2:1", "[::1]:65535", "node-2.example.org:5691"}) {
    EXPECT_TRUE(CheckMemberAddress("peer_address", address).ok()) << address;
  }
  for (const std::string& address :
       {std::string(), std::string("n2"), std::string("n2:"), std::string(":5691"),
        std::string("n2:0"), std::string("n2:65536"), std::string("n2:+5"), std::string("::1:5691"),
        std::string("http://n2:5691"), std::string("n 2:5691"), std::string(300, 'n') + ":5691"}) {
    const Status status = CheckMemberAddress("peer_address", address);
    EXPECT_EQ(status.code(), ErrorCode::kArgumentError) << address;
    EXPECT_EQ(status.message().rfind("peer_address: ", 0), 0U) << address;
  }
}

}  // namespace
}  // namespace wharf
