// Who is refused, and that both ends can say why.

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/peers/peer_fixture.h"
#include "tests/replication/peers/raw_peer.h"

namespace wharf {
namespace {

using testing::HasSubstr;

class PeersHandshakeTest : public PeerFixture {
 protected:
  // What who dials says of it, and what who was dialled does.
  void ExpectRefused(Node& dialler, Node& listener, const std::string& why) {
    dialler.peers->SetMembers({MemberOf(dialler), MemberOf(listener)});
    ASSERT_TRUE(Eventually([&] {
      return StatusOf(dialler, listener).last_failure.find(why) != std::string::npos;
    })) << StatusOf(dialler, listener).last_failure;
    ASSERT_TRUE(Eventually([&] {
      return listener.peers->last_refused().sentence.find(why) != std::string::npos;
    })) << listener.peers->last_refused().sentence;
    EXPECT_FALSE(IsConnected(dialler, listener));
    EXPECT_TRUE(listener.observer.messages.empty());
  }
};

TEST_F(PeersHandshakeTest, AnotherClusterIsRefused) {
  Node& one = AddNode(1);
  Node& two = AddNode(2);
  two.identity.cluster = *ClusterId::FromText("ffffffffffffffffffffffffffffffff");
  two.peers->BeNode(two.identity, levels_.in_force);
  two.peers->SetMembers({MemberOf(one)});

  ExpectRefused(one, two,
                "it belongs to cluster 0123456789abcdef0123456789abcdef, this node to "
                "cluster ffffffffffffffffffffffffffffffff");
}

TEST_F(PeersHandshakeTest, WhoIsNoMemberIsRefused) {
  Node& one = AddNode(1);
  Node& two = AddNode(2);

  ExpectRefused(one, two, "n1 (id 1) is no member of the cluster");
}

TEST_F(PeersHandshakeTest, AnEmptyNodeSaysThatItWaits) {
  Node& one = AddNode(1);
  Node& two = AddEmptyNode("n2", InTheClear());
  two.identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"};

  ExpectRefused(one, two, "node n2 belongs to no cluster yet, and waits to be invited");
}

TEST_F(PeersHandshakeTest, AnotherNodeAtTheAddressOfAMemberIsRefused) {
  Node& one = AddNode(1);
  Node& three = AddNode(3);
  three.peers->SetMembers({MemberOf(one)});
  Member wrong = MemberOf(three);
  wrong.node = NodeId(2);
  wrong.name = "n2";

  one.peers->SetMembers({wrong});

  ASSERT_TRUE(Eventually([&] {
    return one.peers->statuses()[0].last_failure.find(
               "it wants to speak with n2 (id 2), this is n3 (id 3)") != std::string::npos;
  }));
}

TEST_F(PeersHandshakeTest, AnAddressThatIsTheNodesOwnIsCalledSo) {
  Node& one = AddNode(1);
  Member itself = MemberOf(one);
  itself.node = NodeId(2);
  itself.name = "n2";

  one.peers->SetMembers({itself});

  ASSERT_TRUE(Eventually([&] {
    return one.peers->statuses()[0].last_failure.find("this address is the node's own") !=
           std::string::npos;
  }));
}

TEST_F(PeersHandshakeTest, AnOlderNodeIsRefusedAfterTheLevelRose) {
  Node& one = AddNode(1);
  levels_.highest = 3;
  Node& two = AddNode(2);
  two.peers->SetLevel(3);
  two.peers->SetMembers({MemberOf(one)});

  ExpectRefused(one, two, "this node writes level 3 of the format, it reads up to level 2");
}

TEST_F(PeersHandshakeTest, ACopyOfANodeIsRefusedWhileTheFirstIsThereAndTheFirstGoesOn) {
  Node& one = AddNode(1);
  Node& two = AddNode(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));

  Node& copy = AddNode(2);
  ExpectRefused(copy, one, "node n2 (id 2) is there twice");

  EXPECT_TRUE(IsConnected(one, two));
  EXPECT_EQ(one.observer.unreachable[2], 0);
  // The status of the first's peers says so, too.
  EXPECT_THAT(StatusOf(one, two).last_failure, HasSubstr("is there twice"));

  StopNode(two);
  one.peers->SetMembers({MemberOf(one), MemberOf(copy)});
  EXPECT_TRUE(EventuallyConnected({&one, &copy}));
}

// Whoever answers at the address of a member is looked at as closely as who dials. reliability 66
TEST_F(PeersHandshakeTest, ACopyThatAnswersInThePlaceOfTheFirstIsRefused) {
  Node& one = AddNode(1);
  Node& two = AddNode(2);
  Node& copy = AddNode(2);
  two.peers->SetMembers({MemberOf(one), MemberOf(two)});
  copy.peers->SetMembers({MemberOf(one)});
  one.peers->SetMembers({MemberOf(copy)});
  // Both dial, one is there first; the other hears of it in either direction.
  ASSERT_TRUE(Eventually([&] {
    return StatusOf(one, copy).last_failure.find("is there twice") != std::string::npos ||
           StatusOf(two, one).last_failure.find("is there twice") != std::string::npos;
  }));
}

TEST_F(PeersHandshakeTest, ATakenInvitationIsTakenAgainAndAnotherIsNot) {
  Node& one = AddNode(1);
  Node& two = AddNode(2);
  std::vector<Status> answers;
  const auto invite = [&](NodeId node) {
    one.peers->Invite(
        {.from_name = "n1", .identity = {.cluster = cluster_, .node = node, .name = "n2"}},
        AddressOf(two.port), [&](const Status& answer) { answers.push_back(answer); });
  };

  invite(NodeId(2));
  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  invite(NodeId(9));
  ASSERT_TRUE(Eventually([&] { return answers.size() == 2; }));

  EXPECT_TRUE(answers[0].ok()) << answers[0].message();
  EXPECT_THAT(answers[1].message(), HasSubstr("this is node n2 (id 2) of cluster"));
  EXPECT_EQ(two.observer.invitations.size(), 1u);
}

TEST_F(PeersHandshakeTest, AnAnswerThatComesWhenTheInviterIsGoneDoesNoHarm) {
  Node& one = AddNode(1);
  Node& two = AddEmptyNode("n2", InTheClear());
  two.observer.answers_at_once = false;
  one.peers->Invite(
      {.from_name = "n1", .identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"}},
      AddressOf(two.port), [](const Status&) {});
  ASSERT_TRUE(Eventually([&] { return two.observer.open_answers.size() == 1; }));

  StopNode(one);
  ASSERT_TRUE(Eventually([&] { return !two.peers->last_refused().sentence.empty(); }));
  two.observer.open_answers[0](Status());
  StopNode(two);
  two.observer.open_answers[0](Status());
}

TEST_F(PeersHandshakeTest, WithoutCertificatesNobodyListensWhereOthersReachIt) {
  RecordingObserver observer;
  ManualClock wall(kPeerTestTime);
  SeededRandom random(1);
  const auto everywhere = boost::asio::ip::make_address("0.0.0.0");
  const auto loopback = boost::asio::ip::make_address("127.0.0.1");
  const auto listen = [&](PlainPeers plain, const boost::asio::ip::address& address) {
    Peers peers(io_.get_executor(), "n1", 1, {.plain = plain}, limits_, wall, random, observer);
    const Status status = peers.Listen({address, 0}).status();
    auto stopped = std::async(std::launch::async, [&peers] { peers.Stop(); });
    EXPECT_TRUE(Eventually([&stopped] {
      return stopped.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }));
    return status;
  };

  EXPECT_THAT(listen(PlainPeers::kNobody, loopback).message(),
              HasSubstr("this node has none; make them with the cluster"));
  EXPECT_THAT(listen(PlainPeers::kThisMachine, everywhere).message(),
              HasSubstr("can be reached from elsewhere"));
  EXPECT_TRUE(listen(PlainPeers::kThisMachine, loopback).ok());
  EXPECT_TRUE(listen(PlainPeers::kAnywhere, everywhere).ok());
}

TEST_F(PeersHandshakeTest, WithoutCertificatesNobodyIsDialledElsewhere) {
  Node& one = AddNode(1);

  one.peers->SetMembers({{.node = NodeId(2), .name = "n2", .peer_address = "192.0.2.1:5691"}});

  ASSERT_TRUE(Eventually([&] {
    return one.peers->statuses()[0].last_failure.find("without certificates") != std::string::npos;
  }));
}

TEST_F(PeersHandshakeTest, APortThatIsInUseIsRefusedByItsName) {
  Node& one = AddNode(1);
  RecordingObserver observer;
  PeerSecurity security = InTheClear();
  auto& other = AddEmptyNode("n2", security);

  const auto again = other.peers->Listen({boost::asio::ip::make_address("127.0.0.1"), one.port});

  EXPECT_FALSE(again.ok());
}

}  // namespace
}  // namespace wharf
