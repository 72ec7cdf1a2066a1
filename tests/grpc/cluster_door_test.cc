// The service Cluster, and what every other service answers on a node that does not lead, over
// connections to a server in this process.

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <wharf/v1/clock.grpc.pb.h>
#include <wharf/v1/cluster.grpc.pb.h>
#include <wharf/v1/management.grpc.pb.h>
#include <wharf/v1/messaging.grpc.pb.h>
#include <wharf/v1/sessions.grpc.pb.h>
#include <wharf/v1/topics.grpc.pb.h>
#include <wharf/v1/transactions.grpc.pb.h>

#include "broker/access/guard.h"
#include "broker/access/token.h"
#include "broker/doors/grpc/server.h"
#include "tests/grpc/fake_cluster.h"
#include "tests/harness/engine_harness.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Duration kGrace = std::chrono::seconds(60);
constexpr char kKey[] = "a key that somebody chose, 32 signs";

google::rpc::ErrorInfo InfoOf(const grpc::Status& status) {
  google::rpc::Status detailed;
  EXPECT_TRUE(detailed.ParseFromString(status.error_details()));
  google::rpc::ErrorInfo info;
  if (detailed.details_size() > 0) detailed.details(0).UnpackTo(&info);
  return info;
}

std::string LeaderIn(const grpc::Status& status) {
  const auto info = InfoOf(status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(info.reason(), "PartitionNotOwned");
  EXPECT_EQ(info.metadata().at("outcome"), "not-done");
  EXPECT_EQ(info.metadata().at("is_transient"), "true");
  const auto leader = info.metadata().find("leader");
  return leader == info.metadata().end() ? "" : leader->second;
}

Status Elsewhere(const std::string& leader) {
  return Status::NotOwned(leader, "this node does not lead its cluster");
}

// Of this machine, but not of loopback; empty: it has none.
std::string FarAddress() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    if ((each->ifa_flags & IFF_LOOPBACK) != 0 || (each->ifa_flags & IFF_UP) == 0) continue;
    char host[NI_MAXHOST] = {};
    if (getnameinfo(each->ifa_addr, sizeof(sockaddr_in), host, sizeof(host), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      found = host;
    }
  }
  freeifaddrs(all);
  return found;
}

class ClusterDoorTest : public ::testing::Test {
 protected:
  ClusterDoorTest() {
    const auto any = boost::asio::ip::make_address("0.0.0.0");
    std::vector<Doorway> doorways;
    doorways.push_back({*Listener::Bind({.endpoint = {any, 0}}, 1 << 16)});
    port_ = ":" + std::to_string(doorways.front().listener->port());
    server_ = *Server::Start(std::move(doorways), connections_);
    channel_ = grpc::CreateChannel("127.0.0.1" + port_, grpc::InsecureChannelCredentials());
  }
  ~ClusterDoorTest() override { server_->Stop(kGrace); }

  // A node of the cluster.
  void TakePart(access::Guard* guard = nullptr) {
    server_->TakePart({cluster_, guard});
    EXPECT_TRUE(server_->Listen().ok());
  }
  void Lead() {
    server_->Open({engine_.broker().requests(), clock_, [] { return BrokerStatistics(); }});
  }
  // A rule for each right, by its name.
  void AddRules() {
    access::Book book;
    for (const auto& [name, right] : std::vector<std::pair<std::string, access::Right>>{
             {"listener", access::Right::kListen}, {"manager", access::Right::kManage}}) {
      book = book.With("", access::AccessRule(name, right, kKey, kKey, now_));
    }
    guard_.Publish(std::make_shared<const access::Book>(std::move(book)));
  }

  template <typename Service, typename Stub, typename Request, typename Response>
  grpc::Status Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const Request& request, Response* response) {
    const auto stub = Service::NewStub(channel_);
    grpc::ClientContext context;
    if (!token_.empty()) context.AddMetadata("authorization", token_);
    return (stub.get()->*method)(&context, request, response);
  }
  template <typename Service, typename Stub, typename Request, typename Response>
  grpc::Status Ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                   const Request& request = {}) {
    Response response;
    return Call<Service>(method, request, &response);
  }

  grpc::Status AskStatus() { return Ask<v1::Cluster>(&v1::Cluster::Stub::GetStatus); }
  grpc::Status AskFound() { return Ask<v1::Cluster>(&v1::Cluster::Stub::Found); }
  grpc::Status AskAdd(const std::string& name, const std::string& address) {
    v1::AddMemberRequest request;
    request.set_name(name);
    request.set_peer_address(address);
    return Ask<v1::Cluster>(&v1::Cluster::Stub::AddMember, request);
  }
  // Of a broker whose clock is not manual.
  grpc::Status AskTime() { return Ask<v1::Clock>(&v1::Clock::Stub::Get); }
  grpc::Status Send() {
    v1::SendRequest request;
    request.set_entity_path("orders");
    return Ask<v1::Messaging>(&v1::Messaging::Stub::Send, request);
  }
  // What generic tools ask, in the bytes of grpc.health.v1, whose messages are none of ours.
  bool IsServing(const std::string& service) {
    const grpc::Slice slice("\n" + std::string(1, static_cast<char>(service.size())) + service);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ByteBuffer response;
    grpc::ClientContext context;
    std::promise<grpc::Status> done;
    grpc::GenericStub(channel_).UnaryCall(
        &context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &request, &response,
        [&done](grpc::Status status) { done.set_value(std::move(status)); });
    EXPECT_TRUE(done.get_future().get().ok()) << service;
    grpc::Slice answer;
    EXPECT_TRUE(response.DumpToSingleSlice(&answer).ok());
    return std::string(answer.begin(), answer.end()) == "\x08\x01";
  }
  void Become(const std::string& rule) {
    token_ =
        rule.empty() ? "" : access::MakeToken("sb://h/", rule, kKey, now_ + std::chrono::hours(1));
  }

  Timestamp now_ = kHarnessStart;
  access::Guard guard_{std::make_shared<const access::Book>(), [this] { return now_; }};
  EngineHarness engine_;
  ClockControl clock_{engine_.broker().requests(), nullptr};
  FakeCluster cluster_;
  OpenConnections connections_{100};
  std::string port_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::string token_;
};

// --- who does not lead

TEST_F(ClusterDoorTest, EveryServiceOfANodeThatDoesNotLeadNamesTheLeader) {  // ERR-26
  TakePart();
  server_->Refuse(Elsewhere("n2:5681"));

  EXPECT_EQ(LeaderIn(Send()), "n2:5681");
  EXPECT_EQ(LeaderIn(AskTime()), "n2:5681");
  EXPECT_EQ(LeaderIn(Ask<v1::Management>(&v1::Management::Stub::ListQueues)), "n2:5681");
  EXPECT_EQ(LeaderIn(Ask<v1::Sessions>(&v1::Sessions::Stub::ListSessions)), "n2:5681");
  EXPECT_EQ(LeaderIn(Ask<v1::Topics>(&v1::Topics::Stub::ListTopics)), "n2:5681");
  EXPECT_EQ(LeaderIn(Ask<v1::Transactions>(&v1::Transactions::Stub::GetTransaction)), "n2:5681");
}

TEST_F(ClusterDoorTest, StreamsOfANodeThatDoesNotLeadEndWithTheLeader) {  // ERR-26
  TakePart();
  server_->Refuse(Elsewhere("n2:5681"));
  const auto stub = v1::Messaging::NewStub(channel_);

  grpc::ClientContext sends;
  EXPECT_EQ(LeaderIn(stub->SendStream(&sends)->Finish()), "n2:5681");
  grpc::ClientContext receives;
  EXPECT_EQ(LeaderIn(stub->ReceiveStream(&receives)->Finish()), "n2:5681");
}

TEST_F(ClusterDoorTest, TheLeaderThatIsNamedChangesWithTime) {  // ERR-26
  TakePart();
  server_->Refuse(Elsewhere("n2:5681"));
  EXPECT_EQ(LeaderIn(Send()), "n2:5681");

  server_->Refuse(Elsewhere(""));
  EXPECT_EQ(LeaderIn(Send()), "");

  server_->Refuse(Elsewhere("n3:5681"));
  EXPECT_EQ(LeaderIn(Send()), "n3:5681");
}

TEST_F(ClusterDoorTest, WhoCannotProveAnythingIsNotToldWhoLeads) {  // ERR-26
  AddRules();
  TakePart(&guard_);
  server_->Refuse(Elsewhere("n2:5681"));
  const auto stub = v1::Messaging::NewStub(channel_);

  for (const char* const rule : {"", "stranger"}) {
    Become(rule);
    EXPECT_EQ(LeaderIn(Send()), "") << rule;
    EXPECT_THAT(Send().error_message(), HasSubstr("ask the others"));
    grpc::ClientContext sends;
    EXPECT_EQ(LeaderIn(stub->SendStream(&sends)->Finish()), "");
    grpc::ClientContext receives;
    EXPECT_EQ(LeaderIn(stub->ReceiveStream(&receives)->Finish()), "");
  }
  // It may have the right, or not: whoever leads knows.
  Become("listener");
  EXPECT_EQ(LeaderIn(Send()), "n2:5681");
  EXPECT_EQ(guard_.statistics().unauthorized, 0U);
}

TEST_F(ClusterDoorTest, WhatEndsWithALeadershipHidesTheNextLeaderFromStrangers) {  // ERR-26
  AddRules();
  TakePart(&guard_);
  Lead();
  server_->Close(Elsewhere("n3:5681"), kGrace);

  EXPECT_EQ(LeaderIn(Send()), "");
  Become("manager");
  EXPECT_EQ(LeaderIn(Send()), "n3:5681");
}

TEST_F(ClusterDoorTest, WhoLeadsIsNotDisturbedByTheNameOfAnother) {
  TakePart();
  Lead();

  server_->Refuse(Elsewhere("n2:5681"));

  EXPECT_EQ(AskTime().error_code(), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(ClusterDoorTest, AStreamThatIsOpenEndsWithTheNextLeader) {  // ERR-26
  TakePart();
  Lead();
  const auto stub = v1::Messaging::NewStub(channel_);
  grpc::ClientContext context;
  const auto stream = stub->SendStream(&context);
  // On the same connection, so behind it.
  ASSERT_EQ(AskTime().error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  server_->Close(Elsewhere("n3:5681"), kGrace);

  v1::SendStreamResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(LeaderIn(stream->Finish()), "n3:5681");
}

TEST_F(ClusterDoorTest, HealthTellsWhoTakesPartFromWhoLeads) {
  const auto is_serving = [this](const std::string& service) { return IsServing(service); };
  TakePart();
  EXPECT_TRUE(is_serving(""));
  EXPECT_TRUE(is_serving("wharf.v1.Cluster"));
  EXPECT_FALSE(is_serving("wharf.v1.Messaging"));

  Lead();
  EXPECT_TRUE(is_serving("wharf.v1.Messaging"));

  server_->Close(Elsewhere("n2:5681"), kGrace);
  EXPECT_TRUE(is_serving(""));
  EXPECT_FALSE(is_serving("wharf.v1.Messaging"));

  server_->SetWell(false);
  EXPECT_FALSE(is_serving(""));
}

// --- the service

TEST_F(ClusterDoorTest, StatusIsToldWhoeverLeads) {
  cluster_.SetStatus({.cluster_id = "c1", .node_name = "n1", .leader = "n2"});
  TakePart();
  server_->Refuse(Elsewhere("n2:5681"));

  v1::ClusterStatus status;
  ASSERT_TRUE(
      Call<v1::Cluster>(&v1::Cluster::Stub::GetStatus, v1::GetClusterStatusRequest(), &status)
          .ok());
  EXPECT_EQ(status.node_name(), "n1");
  EXPECT_EQ(status.leader(), "n2");
  EXPECT_THAT(status.one_more_loss(), HasSubstr("Ask n2"));

  Lead();
  EXPECT_TRUE(AskStatus().ok());
}

TEST_F(ClusterDoorTest, ChangesReachTheCluster) {
  TakePart();
  v1::RemoveMemberRequest remove;
  remove.set_name("n2");
  v1::TransferLeadershipRequest transfer;
  transfer.set_name("n3");
  v1::SetMemberAddressRequest address;
  address.set_name("n3");
  address.set_client_address("10.0.0.3:5681");

  EXPECT_TRUE(AskFound().ok());
  EXPECT_TRUE(AskAdd("n2", "n2:5691").ok());
  EXPECT_TRUE(Ask<v1::Cluster>(&v1::Cluster::Stub::RemoveMember, remove).ok());
  EXPECT_TRUE(Ask<v1::Cluster>(&v1::Cluster::Stub::TransferLeadership, transfer).ok());
  EXPECT_TRUE(Ask<v1::Cluster>(&v1::Cluster::Stub::SetMemberAddress, address).ok());

  EXPECT_THAT(cluster_.asked(), ElementsAre("found", "add n2 n2:5691", "remove n2", "transfer n3",
                                            "set-address n3 10.0.0.3:5681"));
}

TEST_F(ClusterDoorTest, HowStatesCompareIsTold) {
  TakePart();
  cluster_.SetVerification({.rows = 7,
                            .index = 9,
                            .members = {{"n1", ""}, {"n2", "it is not reached"}},
                            .difference = {{.table = "messages",
                                            .key = std::string("\0k", 2),
                                            .index = 9,
                                            .members = {"n1"},
                                            .has_majority = true}},
                            .trouble = "they differ"});

  v1::VerifyStateResponse told;
  ASSERT_TRUE(
      Call<v1::Cluster>(&v1::Cluster::Stub::VerifyState, v1::VerifyStateRequest(), &told).ok());
  v1::VerifyStateRequest look;
  look.set_look_only(true);
  ASSERT_TRUE(Call<v1::Cluster>(&v1::Cluster::Stub::VerifyState, look, &told).ok());

  EXPECT_THAT(cluster_.asked(), ElementsAre("verify", "look at verify"));
  EXPECT_FALSE(told.under_way());
  EXPECT_EQ(told.row_count(), 7U);
  EXPECT_EQ(told.members(1).trouble(), "it is not reached");
  EXPECT_EQ(told.difference().table(), "messages");
  EXPECT_EQ(told.difference().key(), std::string("\0k", 2));
  EXPECT_THAT(told.difference().members(), ElementsAre("n1"));
  EXPECT_TRUE(told.difference().has_majority());
  EXPECT_EQ(told.trouble(), "they differ");
}

TEST_F(ClusterDoorTest, AChangeThatIsRefusedSaysWhyAndWhoLeads) {
  TakePart();
  cluster_.SetOutcome(Elsewhere("n2:5681"));
  EXPECT_EQ(LeaderIn(AskAdd("n3", "n3:5691")), "n2:5681");

  cluster_.SetOutcome({ErrorCode::kInvalidOperation, "n3 is a member already"});
  const grpc::Status refused = AskAdd("n3", "n3:5691");
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(refused.error_message(), "n3 is a member already");
}

TEST_F(ClusterDoorTest, NamesAndAddressesThatAreNoneNeverReachTheCluster) {
  TakePart();

  EXPECT_EQ(AskAdd("N 2", "n2:5691").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(AskAdd("n2", "n2").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Ask<v1::Cluster>(&v1::Cluster::Stub::RemoveMember).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Ask<v1::Cluster>(&v1::Cluster::Stub::TransferLeadership).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Ask<v1::Cluster>(&v1::Cluster::Stub::SetMemberAddress).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);

  EXPECT_THAT(cluster_.asked(), IsEmpty());
}

TEST_F(ClusterDoorTest, ABrokerByItselfSaysHowItWouldHaveACluster) {
  ASSERT_TRUE(server_->Listen().ok());
  Lead();

  for (const grpc::Status& answer : {AskStatus(), AskFound(), AskAdd("n2", "n2:5691")}) {
    EXPECT_EQ(answer.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_THAT(answer.error_message(), HasSubstr("start wharfd with --node"));
  }
}

TEST_F(ClusterDoorTest, ABrokerByItselfMayComeAndGo) {
  ASSERT_TRUE(server_->Listen().ok());
  Lead();
  server_->Close({ErrorCode::kServiceCommunicationProblem, "it is over"}, kGrace);
  EXPECT_EQ(AskStatus().error_code(), grpc::StatusCode::UNAVAILABLE);

  Lead();

  EXPECT_THAT(AskStatus().error_message(), HasSubstr("start wharfd with --node"));
}

// --- who may

TEST_F(ClusterDoorTest, StatusTakesListenAndAllElseManage) {  // SEC-20
  AddRules();
  TakePart(&guard_);

  EXPECT_EQ(AskStatus().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(AskFound().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  Become("listener");
  EXPECT_TRUE(AskStatus().ok());
  EXPECT_EQ(AskFound().error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(AskAdd("n2", "n2:5691").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  for (const auto code : {Ask<v1::Cluster>(&v1::Cluster::Stub::RemoveMember).error_code(),
                          Ask<v1::Cluster>(&v1::Cluster::Stub::TransferLeadership).error_code(),
                          Ask<v1::Cluster>(&v1::Cluster::Stub::SetMemberAddress).error_code(),
                          Ask<v1::Cluster>(&v1::Cluster::Stub::VerifyState).error_code()}) {
    EXPECT_EQ(code, grpc::StatusCode::PERMISSION_DENIED);
  }
  EXPECT_THAT(cluster_.asked(), IsEmpty());
  Become("manager");
  EXPECT_TRUE(AskFound().ok());
  EXPECT_TRUE(AskAdd("n2", "n2:5691").ok());
}

TEST_F(ClusterDoorTest, BeforeThereAreRulesWhoIsOnTheMachineMayFound) {
  cluster_.SetHasCluster(false);
  TakePart(&guard_);

  EXPECT_TRUE(AskStatus().ok());
  EXPECT_TRUE(AskFound().ok());
}

TEST_F(ClusterDoorTest, ANodeWithRulesIsFoundedByWhoManagesIt) {
  cluster_.SetHasCluster(false);
  AddRules();
  TakePart(&guard_);

  EXPECT_EQ(AskFound().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  Become("manager");
  EXPECT_TRUE(AskFound().ok());
}

// This machine by an address that others reach it by, too.
TEST_F(ClusterDoorTest, ANodeWithoutAClusterIsNotFoundedFromElsewhere) {
  const std::string host = FarAddress();
  if (host.empty()) GTEST_SKIP() << "this machine has no address but loopback";
  cluster_.SetHasCluster(false);
  TakePart();
  channel_ = grpc::CreateChannel(host + port_, grpc::InsecureChannelCredentials());

  const grpc::Status refused = AskFound();

  EXPECT_EQ(refused.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(refused.error_message(), HasSubstr("from its own machine only"));
  EXPECT_THAT(cluster_.asked(), IsEmpty());
  EXPECT_TRUE(AskStatus().ok());
}

TEST_F(ClusterDoorTest, AMemberThatWasNotToldWhetherObeysFromTheFirstRuleOn) {
  access::Guard guard(
      std::make_shared<const access::Book>(), [this] { return now_; },
      access::Guard::Obeyed::kFromFirstRule);
  TakePart(&guard);
  server_->Refuse(Elsewhere("n2:5681"));
  EXPECT_TRUE(AskStatus().ok());
  EXPECT_EQ(LeaderIn(Send()), "n2:5681");

  AddRules();
  guard.Publish(guard_.book());

  EXPECT_EQ(AskStatus().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(LeaderIn(Send()), "");
  Become("listener");
  EXPECT_TRUE(AskStatus().ok());
}

// A follower that has not read the rules yet.
TEST_F(ClusterDoorTest, AMemberWithoutRulesLetsNobodyIn) {
  TakePart(&guard_);

  EXPECT_EQ(AskStatus().error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

}  // namespace
}  // namespace wharf
