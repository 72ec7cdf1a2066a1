#include "replication/peers/admission/peer_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wharf {
namespace {

using testing::HasSubstr;

// n1 (id 1), a member of a cluster with n2 (id 2), looks at what n2 says.
class AdmissionTest : public ::testing::Test {
 protected:
  AdmissionTest() {
    own_.set_identity({.cluster = cluster_, .node = NodeId(1), .name = "n1"});
    own_.set_members({Address(1), Address(2)});
    own_.set_level(2);
  }

  static Member Address(std::uint64_t node) {
    return {.node = NodeId(node),
            .name = "n" + std::to_string(node),
            .peer_address = "127.0.0.1:" + std::to_string(node)};
  }

  Hello FromN2() const {
    return {.from = {.cluster = cluster_, .node = NodeId(2), .name = "n2"},
            .to = NodeId(1),
            .to_name = "n1",
            .levels = {.in_force = 2, .highest = 3},
            .incarnation = Incarnation(200)};
  }
  Invitation ForN1() const {
    return {.from_name = "n2",
            .identity = {.cluster = cluster_, .node = NodeId(1), .name = "n1"},
            .level = 2};
  }

  // The reason why it is refused at both ends; empty if it is not.
  std::string Reason(const Hello& hello, const ProvenName& proven = "n2") const {
    const std::string dialled = own_.CheckHello(hello, proven).message();
    const std::string answered = own_.CheckWelcome(hello, Address(2), proven).message();
    EXPECT_EQ(dialled, answered);
    return dialled;
  }

  const ClusterId cluster_ = *ClusterId::FromText("0123456789abcdef0123456789abcdef");
  const ClusterId other_cluster_ = *ClusterId::FromText("ffffffffffffffffffffffffffffffff");
  std::uint64_t known_up_to_ = 10;
  NodeId leader_{};
  PeerAdmission own_{"n1", Incarnation(100), 3, [this] { return known_up_to_; },
                     [this] { return leader_; }};
};

TEST_F(AdmissionTest, AMemberIsAdmitted) {
  EXPECT_EQ(Reason(FromN2()), "");
  EXPECT_EQ(Reason(FromN2(), std::nullopt), "");
}

TEST_F(AdmissionTest, WhatItSaysItselfAnotherNodeAdmits) {
  PeerAdmission n2(
      "n2", Incarnation(200), 3, [] { return 0; }, [] { return NodeId(); });
  n2.set_identity({.cluster = cluster_, .node = NodeId(2), .name = "n2"});
  n2.set_members({Address(1), Address(2)});
  n2.set_level(2);

  const Hello hello = own_.HelloTo(Address(2), Traffic::kBulk);

  EXPECT_TRUE(n2.CheckHello(hello, "n1").ok());
  EXPECT_TRUE(own_.CheckWelcome(n2.WelcomeTo(hello), Address(2), "n2").ok());
}

TEST_F(AdmissionTest, ACertificateOfAnotherNodeIsRefused) {
  EXPECT_THAT(Reason(FromN2(), "n3"),
              HasSubstr("its certificate is that of node n3, and it says that it is n2"));
  EXPECT_THAT(Reason(FromN2(), ""), HasSubstr("its certificate names no node"));
}

TEST_F(AdmissionTest, AnotherClusterIsRefusedByItsName) {
  Hello hello = FromN2();
  hello.from.cluster = other_cluster_;

  EXPECT_THAT(Reason(hello), HasSubstr("it belongs to cluster ffffffffffffffffffffffffffffffff, "
                                       "this node to cluster 0123456789abcdef0123456789abcdef"));
}

TEST_F(AdmissionTest, WhoMeansAnotherNodeIsRefused) {
  Hello other_id = FromN2(), other_name = FromN2();
  other_id.to = NodeId(9);
  other_name.to_name = "n9";

  EXPECT_THAT(Reason(other_id), HasSubstr("it wants to speak with n1 (id 9), this is n1 (id 1)"));
  EXPECT_THAT(Reason(other_name), HasSubstr("it wants to speak with n9 (id 1)"));
}

TEST_F(AdmissionTest, WhoIsNoMemberIsRefused) {
  Hello stranger = FromN2(), renamed = FromN2();
  stranger.from.node = NodeId(3);
  stranger.from.name = "n3";
  renamed.from.name = "n3";

  EXPECT_THAT(own_.CheckHello(stranger, "n3").message(), HasSubstr("n3 (id 3) is no member"));
  EXPECT_THAT(own_.CheckHello(renamed, "n3").message(), HasSubstr("n3 (id 2) is no member"));
}

TEST_F(AdmissionTest, WhoIsAMemberByANewerListIsAdmitted) {
  Hello newer = FromN2();
  newer.from.node = NodeId(3);
  newer.from.name = "n3";
  newer.peer_address = "127.0.0.1:3";
  newer.as_of = 11;
  Hello of_now = newer, nowhere = newer, other_cluster = newer;
  of_now.as_of = 10;
  nowhere.peer_address = "";
  other_cluster.from.cluster = other_cluster_;

  Hello of_a_member = newer;
  of_a_member.from.node = NodeId(2);

  EXPECT_EQ(own_.CheckHello(newer, "n3").message(), "");
  EXPECT_THAT(own_.CheckHello(of_a_member, "n3").message(), HasSubstr("n3 (id 2) is no member"));
  EXPECT_THAT(own_.CheckHello(newer, "n2").message(), HasSubstr("its certificate is that of"));
  EXPECT_THAT(own_.CheckHello(of_now, "n3").message(), HasSubstr("n3 (id 3) is no member"));
  EXPECT_THAT(own_.CheckHello(nowhere, "n3").message(), HasSubstr("n3 (id 3) is no member"));
  EXPECT_THAT(own_.CheckHello(other_cluster, "n3").message(), HasSubstr("belongs to cluster"));
  leader_ = NodeId(2);
  EXPECT_THAT(own_.CheckHello(newer, "n3").message(), HasSubstr("n3 (id 3) is no member"));
  leader_ = NodeId(3);
  EXPECT_EQ(own_.CheckHello(newer, "n3").message(), "");
  known_up_to_ = 11;
  EXPECT_THAT(own_.CheckHello(newer, "n3").message(), HasSubstr("n3 (id 3) is no member"));
}

TEST_F(AdmissionTest, WhoIsInItsOwnListSaysSinceWhenAndWhere) {
  const Hello listed = own_.HelloTo(Address(2), Traffic::kSmall);
  own_.set_members({Address(2)});
  const Hello unlisted = own_.HelloTo(Address(2), Traffic::kSmall);

  EXPECT_EQ(listed.peer_address, "127.0.0.1:1");
  EXPECT_EQ(listed.as_of, 10u);
  EXPECT_EQ(unlisted.peer_address, "");
  EXPECT_EQ(unlisted.as_of, 0u);
}

TEST_F(AdmissionTest, WhoAnswersInThePlaceOfAMemberIsRefused) {
  Hello other = FromN2();
  other.from.node = NodeId(3);
  other.from.name = "n3";

  EXPECT_THAT(own_.CheckWelcome(other, Address(2), "n3").message(),
              HasSubstr("n3 (id 3) answers where n2 (id 2) was expected"));
}

TEST_F(AdmissionTest, ANodeThatHasThisNodesIdIsACopy) {
  Hello copy = FromN2();
  copy.from.node = NodeId(1);
  copy.from.name = "n1";

  EXPECT_THAT(own_.CheckHello(copy, "n1").message(), HasSubstr("n1 (id 1) is there twice"));
}

TEST_F(AdmissionTest, ANodeThatDialsItselfSaysThatTheAddressIsItsOwn) {
  Hello self = own_.HelloTo(Address(2), Traffic::kSmall);

  EXPECT_THAT(own_.CheckHello(self, "n1").message(), HasSubstr("this address is the node's own"));
}

TEST_F(AdmissionTest, ANewerProtocolIsRefusedUnlessItSpeaksThisOne) {
  Hello newer = FromN2(), broader = FromN2();
  newer.protocol = newer.oldest_protocol = kPeerProtocol + 1;
  broader.protocol = kPeerProtocol + 1;

  EXPECT_THAT(Reason(newer), HasSubstr("it speaks the peer protocol 2 and none below 2, this node "
                                       "speaks 1; upgrade this node"));
  EXPECT_EQ(Reason(broader), "");
}

TEST_F(AdmissionTest, LevelsThatOneOfThemCannotReadAreRefusedByNumber) {
  Hello newer = FromN2(), older = FromN2(), wider = FromN2();
  newer.levels = {.in_force = 4, .highest = 4};
  older.levels = {.in_force = 1, .highest = 1};
  wider.levels = {.in_force = 3, .highest = 9};

  EXPECT_THAT(Reason(newer), HasSubstr("it writes level 4 of the format, this node reads up to "
                                       "level 3; upgrade this node"));
  EXPECT_THAT(Reason(older), HasSubstr("this node writes level 2 of the format, it reads up to "
                                       "level 1; upgrade it"));
  EXPECT_EQ(Reason(wider), "");
}

TEST_F(AdmissionTest, ANodeWithoutAClusterWaitsToBeInvited) {
  const PeerAdmission empty(
      "n1", Incarnation(100), 3, [] { return 0; }, [] { return NodeId(); });

  EXPECT_THAT(empty.CheckHello(FromN2(), "n2").message(),
              HasSubstr("node n1 belongs to no cluster yet, and waits to be invited"));
  EXPECT_TRUE(empty.CheckInvitation(ForN1(), std::nullopt).ok());
}

TEST_F(AdmissionTest, AnInvitationIsForTheNodeThatItNames) {
  const PeerAdmission empty(
      "n5", Incarnation(100), 3, [] { return 0; }, [] { return NodeId(); });

  EXPECT_THAT(empty.CheckInvitation(ForN1(), "n2").message(),
              HasSubstr("it invites node n1, this is node n5"));
}

TEST_F(AdmissionTest, WhoHasAClusterTakesNoOtherInvitationButItsOwnAgain) {
  Invitation elsewhere = ForN1(), renumbered = ForN1();
  elsewhere.identity.cluster = other_cluster_;
  renumbered.identity.node = NodeId(7);

  EXPECT_TRUE(own_.CheckInvitation(ForN1(), "n2").ok());
  for (const Invitation& other : {elsewhere, renumbered}) {
    EXPECT_THAT(own_.CheckInvitation(other, "n2").message(),
                HasSubstr("this is node n1 (id 1) of cluster 0123456789abcdef0123456789abcdef"));
  }
}

TEST_F(AdmissionTest, AnInvitationNeedsACertificateOfWhoInvitesAndALevelThatCanBeRead) {
  const PeerAdmission empty(
      "n1", Incarnation(100), 1, [] { return 0; }, [] { return NodeId(); });
  Invitation newer = ForN1(), unspoken = ForN1();
  newer.level = 2;
  unspoken.protocol = unspoken.oldest_protocol = 5;

  EXPECT_THAT(empty.CheckInvitation(ForN1(), "n3").message(), HasSubstr("that of node n3"));
  EXPECT_THAT(empty.CheckInvitation(newer, "n2").message(), HasSubstr("it writes level 2"));
  EXPECT_THAT(empty.CheckInvitation(unspoken, "n2").message(), HasSubstr("peer protocol 5"));
}

TEST_F(AdmissionTest, OnlyWhoIsMeantGetsToReadAnInvitation) {
  EXPECT_TRUE(own_.CheckInvited("n2", "n2").ok());
  EXPECT_TRUE(own_.CheckInvited("n2", std::nullopt).ok());
  EXPECT_FALSE(own_.CheckInvited("n2", "n3").ok());
}

}  // namespace
}  // namespace wharf
