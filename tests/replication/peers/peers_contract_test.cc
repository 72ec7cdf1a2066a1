// What the consensus may rely on, in the clear and under TLS alike.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/peers/admission/newer_members.h"
#include "tests/replication/peers/peer_fixture.h"

namespace wharf {
namespace {

using testing::HasSubstr;

enum class Kind : std::uint8_t { kPlain, kTls };

class PeersContract : public PeerFixture, public ::testing::WithParamInterface<Kind> {
 protected:
  PeerSecurity Security(int number) {
    if (GetParam() == Kind::kPlain) return InTheClear();
    return {.certificates = authority_.Issue("n" + std::to_string(number))};
  }
  Node& Add(int number) { return AddNode(number, Security(number)); }

  // The messages of this kind that came, in their order.
  static std::vector<std::string> MessagesOf(const Node& node, Traffic traffic) {
    std::vector<std::string> messages;
    for (const Received& received : node.observer.messages) {
      if (received.traffic == traffic) messages.push_back(received.message);
    }
    return messages;
  }

  TestAuthority authority_;
};

INSTANTIATE_TEST_SUITE_P(Peers, PeersContract, ::testing::Values(Kind::kPlain, Kind::kTls),
                         [](const auto& about) {
                           return about.param == Kind::kPlain ? "Plain" : "Tls";
                         });

TEST_P(PeersContract, MembersFindEachOtherAndSaySo) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});

  ASSERT_TRUE(EventuallyConnected({&one, &two}));

  const PeerStatus status = StatusOf(one, two);
  EXPECT_EQ(status.member, MemberOf(two));
  EXPECT_EQ(status.connected_since, kPeerTestTime);
  EXPECT_EQ(status.last_heard, kPeerTestTime);
  EXPECT_EQ(status.last_failure, "");
  EXPECT_EQ(status.levels, levels_);
}

// n1 lags: the entry by which n3 became a member may come from nobody but n3.
class NewerMemberContract : public PeersContract {
 protected:
  void SetUp() override {
    one_ = &Add(1);
    three_ = &Add(3);
    one_->observer.known_up_to = 10;
    three_->observer.known_up_to = 12;
    one_->peers->SetMembers({MemberOf(*one_)});
    three_->peers->SetMembers({MemberOf(*one_), MemberOf(*three_)});
  }

  Node* one_ = nullptr;
  Node* three_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Peers, NewerMemberContract, ::testing::Values(Kind::kPlain, Kind::kTls),
                         [](const auto& about) {
                           return about.param == Kind::kPlain ? "Plain" : "Tls";
                         });

TEST_P(NewerMemberContract, WhoDoesNotKnowItYetSpeaksWithItBothWays) {
  ASSERT_TRUE(EventuallyConnected({one_, three_}));

  EXPECT_TRUE(three_->peers->Send(NodeId(1), Traffic::kSmall, "vote for me"));
  EXPECT_TRUE(one_->peers->Send(NodeId(3), Traffic::kSmall, "granted"));

  EXPECT_TRUE(Eventually(
      [&] { return !one_->observer.messages.empty() && !three_->observer.messages.empty(); }));
  EXPECT_EQ(StatusOf(*one_, *three_).member, MemberOf(*three_));
}

TEST_P(NewerMemberContract, OtherChangesOfTheMembersLeaveItsStreams) {
  ASSERT_TRUE(EventuallyConnected({one_, three_}));

  one_->peers->SetMembers({MemberOf(*one_), {NodeId(2), "n2", "127.0.0.1:1"}});
  one_->observer.known_up_to = 11;
  EXPECT_TRUE(three_->peers->Send(NodeId(1), Traffic::kSmall, "still here"));

  EXPECT_TRUE(Eventually([&] { return !one_->observer.messages.empty(); }));
  EXPECT_EQ(one_->observer.unreachable[3], 0);
  EXPECT_TRUE(IsConnected(*one_, *three_));
}

TEST_P(NewerMemberContract, ItIsAMemberWhenTheListSaysSo) {
  ASSERT_TRUE(EventuallyConnected({one_, three_}));
  const Timestamp connected = StatusOf(*one_, *three_).connected_since;

  one_->peers->SetMembers({MemberOf(*one_), MemberOf(*three_)});
  one_->observer.known_up_to = 20;
  EXPECT_TRUE(three_->peers->Send(NodeId(1), Traffic::kSmall, "still here"));

  EXPECT_TRUE(Eventually([&] { return !one_->observer.messages.empty(); }));
  EXPECT_EQ(one_->observer.unreachable[3], 0);
  EXPECT_EQ(StatusOf(*one_, *three_).connected_since, connected);
  EXPECT_EQ(one_->peers->statuses().size(), 1u);
}

TEST_P(NewerMemberContract, ItIsRefusedOnceTheNodeKnowsAsMuchAndItIsNoMember) {
  ASSERT_TRUE(EventuallyConnected({one_, three_}));

  one_->observer.known_up_to = 12;

  ASSERT_TRUE(Eventually([&] { return one_->peers->statuses().empty(); }));
  ASSERT_TRUE(Eventually([&] {
    return StatusOf(*three_, *one_).last_failure.find("n3 (id 3) is no member") !=
           std::string::npos;
  })) << StatusOf(*three_, *one_).last_failure;
  EXPECT_FALSE(one_->peers->Send(NodeId(3), Traffic::kSmall, "to nobody"));
}

// Who leads tells this node of all that there are; nobody's word is needed then.
TEST_P(NewerMemberContract, ItIsRefusedWhereAnotherOneLeads) {
  ASSERT_TRUE(EventuallyConnected({one_, three_}));

  one_->observer.leader = NodeId(2);

  ASSERT_TRUE(Eventually([&] { return one_->peers->statuses().empty(); }));
  one_->observer.leader = NodeId(3);
  EXPECT_TRUE(EventuallyConnected({one_, three_}));
}

TEST_P(NewerMemberContract, ThereIsABoundToThem) {
  std::vector<Node*> newer;
  for (std::size_t number = 0; number < NewerMembers::kMax; ++number) {
    newer.push_back(&Add(static_cast<int>(10 + number)));
    newer.back()->observer.known_up_to = 100;
    newer.back()->peers->SetMembers({MemberOf(*one_), MemberOf(*newer.back())});
  }

  const auto is_refused = [this](const Node* node) {
    return StatusOf(*node, *one_).last_failure.find("too many are new") != std::string::npos;
  };
  newer.push_back(three_);
  EXPECT_TRUE(Eventually([&] { return std::any_of(newer.begin(), newer.end(), is_refused); }));
  EXPECT_LE(one_->peers->statuses().size(), NewerMembers::kMax);
}

TEST_P(PeersContract, MessagesOfAnySizeArriveWholeAndInTheirOrder) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));
  std::vector<std::string> small, bulk;
  for (const std::size_t size : {0, 1, 100, 13, 64 << 10}) {
    small.push_back(std::string(size, static_cast<char>('a' + small.size())));
  }
  for (const std::size_t size : {0, 1 << 20, 7, (2 << 20) - 1, 65537}) {
    bulk.push_back(std::string(size, static_cast<char>('a' + bulk.size())));
  }

  for (const auto& message : small)
    ASSERT_TRUE(one.peers->Send(NodeId(2), Traffic::kSmall, message));
  for (const auto& message : bulk) ASSERT_TRUE(one.peers->Send(NodeId(2), Traffic::kBulk, message));

  ASSERT_TRUE(Eventually([&] { return two.observer.messages.size() == 10; }));
  EXPECT_TRUE(MessagesOf(two, Traffic::kSmall) == small);
  EXPECT_TRUE(MessagesOf(two, Traffic::kBulk) == bulk);
  for (const Received& received : two.observer.messages) EXPECT_EQ(received.from, NodeId(1));
  EXPECT_TRUE(one.observer.messages.empty());
}

TEST_P(PeersContract, TheLargestMessageOfEachKindArrives) {
  Node& one = Add(1);
  Node& three = Add(3);
  Introduce({&one, &three});
  ASSERT_TRUE(EventuallyConnected({&one, &three}));

  for (const Traffic traffic : kAllTraffic) {
    EXPECT_TRUE(three.peers->Send(NodeId(1), traffic, std::string(MessageBytesMax(traffic), 'x')));
    EXPECT_FALSE(
        three.peers->Send(NodeId(1), traffic, std::string(MessageBytesMax(traffic) + 1, 'x')));
  }

  ASSERT_TRUE(Eventually([&] { return one.observer.messages.size() == 2; }));
  EXPECT_EQ(one.observer.bytes, MessageBytesMax(Traffic::kSmall) + MessageBytesMax(Traffic::kBulk));
}

TEST_P(PeersContract, ToWhoIsNotThereNothingIsSent) {
  Node& one = Add(1);
  Node& two = Add(2);

  EXPECT_FALSE(one.peers->Send(NodeId(2), Traffic::kSmall, "x"));
  one.peers->SetMembers({MemberOf(one), MemberOf(two)});  // Who knows nothing of it.
  ASSERT_TRUE(Eventually([&] { return !StatusOf(one, two).last_failure.empty(); }));
  EXPECT_FALSE(one.peers->Send(NodeId(2), Traffic::kSmall, "x"));
  EXPECT_FALSE(one.peers->Send(NodeId(1), Traffic::kSmall, "x"));  // Itself.
}

TEST_P(PeersContract, TenTimesTheQueueIsRefusedInPartAndNeverMixedUp) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));

  // The stream's own thread is this one: nothing leaves while the queue is filled.
  std::vector<std::string> taken;
  for (int i = 0; i < 400; ++i) {
    std::string message = std::to_string(i) + std::string(100 << 10, 'x');
    if (one.peers->Send(NodeId(2), Traffic::kBulk, message)) taken.push_back(std::move(message));
    ASSERT_LE(StatusOf(one, two).bytes_queued, limits_.bulk_queue_bytes);
  }

  EXPECT_LT(taken.size(), 42u);
  EXPECT_GT(taken.size(), 35u);
  EXPECT_EQ(StatusOf(one, two).messages_dropped, 400 - taken.size());
  ASSERT_TRUE(Eventually([&] { return two.observer.messages.size() == taken.size(); }));
  EXPECT_TRUE(MessagesOf(two, Traffic::kBulk) == taken);
  EXPECT_EQ(StatusOf(one, two).bytes_queued, 0u);
}

TEST_P(PeersContract, FortyMegabytesGoThroughAsFastAsTheyAreTaken) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));
  constexpr std::size_t kMessages = 160;
  const std::string message(256 << 10, 'x');

  std::size_t sent = 0;
  ASSERT_TRUE(Eventually([&] {
    // Not one that is refused after each step: to make it would be most of the work.
    const bool has_room = StatusOf(one, two).bytes_queued < limits_.bulk_queue_bytes / 2;
    while (has_room && sent < kMessages && one.peers->Send(NodeId(2), Traffic::kBulk, message)) {
      ++sent;
    }
    two.observer.messages.clear();
    return two.observer.bytes == kMessages * message.size();
  }));

  EXPECT_EQ(one.observer.unreachable.size(), 0u);
}

TEST_P(PeersContract, RoundTripAndClockOffsetAreMeasured) {
  Node& one = Add(1);
  Node& two = Add(2);
  two.wall.Advance(std::chrono::hours(1));
  Introduce({&one, &two});

  ASSERT_TRUE(Eventually([&] {
    return StatusOf(one, two).clock_offset.has_value() && StatusOf(two, one).clock_offset;
  }));

  // The clocks stand still, so only the way is missing.
  const Duration round_trip = *StatusOf(one, two).round_trip;
  EXPECT_GT(round_trip, Duration());
  EXPECT_EQ(*StatusOf(one, two).clock_offset, std::chrono::hours(1) + round_trip / 2);
  EXPECT_LT(*StatusOf(two, one).clock_offset, -std::chrono::minutes(59));
}

TEST_P(PeersContract, WhoDiedIsUnreachableAndFoundAgainWhenItIsBack) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));

  StopNode(two);

  ASSERT_TRUE(Eventually([&] { return !IsConnected(one, two); }));
  ASSERT_TRUE(Eventually([&] { return one.observer.unreachable[2] == 2; }));
  EXPECT_EQ(StatusOf(one, two).connected_since, Timestamp());
  EXPECT_THAT(StatusOf(one, two).last_failure, HasSubstr("n2 at 127.0.0.1:"));
  EXPECT_FALSE(one.peers->Send(NodeId(2), Traffic::kSmall, "lost"));

  Node& again = AddNode(2, Security(2), two.port);
  Introduce({&one, &again});
  ASSERT_TRUE(EventuallyConnected({&one, &again}));
  ASSERT_TRUE(one.peers->Send(NodeId(2), Traffic::kSmall, "found"));
  ASSERT_TRUE(Eventually([&] { return again.observer.messages.size() == 1; }));
  EXPECT_EQ(again.observer.messages[0].message, "found");
}

TEST_P(PeersContract, WhoComesBackIsDialledAtOnceHoweverLongThePauseHasBecome) {
  limits_.redial = {.first = std::chrono::hours(1), .longest = std::chrono::hours(1)};
  Node& one = Add(1);
  limits_.redial = QuickLimits().redial;
  Node& two = Add(2);
  const std::uint16_t port = two.port;
  StopNode(two);
  one.peers->SetMembers({MemberOf(one), MemberOf(two)});
  ASSERT_TRUE(Eventually([&] { return !StatusOf(one, two).last_failure.empty(); }));

  Node& again = AddNode(2, Security(2), port);
  again.peers->SetMembers({MemberOf(one), MemberOf(again)});

  EXPECT_TRUE(Eventually([&] { return IsConnected(one, again); }));
}

TEST_P(PeersContract, WhoIsAddedIsFoundAndWhoIsRemovedIsLeft) {
  Node& one = Add(1);
  Node& two = Add(2);
  Node& three = Add(3);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));

  Introduce({&one, &two, &three});
  ASSERT_TRUE(EventuallyConnected({&one, &two, &three}));

  for (Node* node : {&one, &two}) node->peers->SetMembers({MemberOf(one), MemberOf(two)});
  ASSERT_TRUE(Eventually([&] {
    return three.observer.unreachable[1] == 2 && three.observer.unreachable[2] == 2 &&
           StatusOf(three, one).last_failure.find("is no member") != std::string::npos;
  }));
  EXPECT_FALSE(one.peers->Send(NodeId(3), Traffic::kSmall, "x"));
  EXPECT_EQ(one.peers->statuses().size(), 1u);
  // Who stays is not touched.
  EXPECT_TRUE(IsConnected(one, two));
  EXPECT_EQ(one.observer.unreachable[2], 0);
  EXPECT_EQ(two.observer.unreachable[1], 0);
}

TEST_P(PeersContract, AMemberThatMovesIsDialledAtItsNewAddressAndWhatWasOnItsWayIsLost) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));
  StopNode(two);

  Node& moved = Add(2);
  ASSERT_NE(moved.port, two.port);
  Introduce({&one, &moved});

  ASSERT_TRUE(EventuallyConnected({&one, &moved}));
  EXPECT_GE(one.observer.unreachable[2], 1);
  EXPECT_EQ(StatusOf(one, moved).member.peer_address, AddressOf(moved.port));
}

TEST_P(PeersContract, TheSameMembersAgainChangeNothing) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));
  one.wall.Advance(std::chrono::hours(1));

  for (int i = 0; i < 10; ++i) Introduce({&two, &one});
  ASSERT_TRUE(one.peers->Send(NodeId(2), Traffic::kSmall, "x"));
  ASSERT_TRUE(Eventually([&] { return two.observer.messages.size() == 1; }));

  EXPECT_EQ(StatusOf(one, two).connected_since, kPeerTestTime);
  EXPECT_EQ(one.observer.unreachable[2], 0);
}

// A list may change more often than streams come up.
TEST_P(PeersContract, MembersThatComeAndGoAllTheTimeAreRightInTheEnd) {
  Node& one = Add(1);
  Node& two = Add(2);
  Node& three = Add(3);
  SeededRandom random(1);
  int changes = 0;

  ASSERT_TRUE(Eventually([&] {
    std::vector<Member> members = {MemberOf(one)};
    if (random.Next() % 2 == 0) members.push_back(MemberOf(two));
    if (random.Next() % 2 == 0) members.push_back(MemberOf(three));
    for (Node* node : {&one, &two, &three}) node->peers->SetMembers(members);
    return ++changes == 300;
  }));
  Introduce({&one, &two, &three});

  EXPECT_TRUE(EventuallyConnected({&one, &two, &three}));
}

TEST_P(PeersContract, AfterStopNothingIsToldAndNothingTaken) {
  Node& one = Add(1);
  Node& two = Add(2);
  Introduce({&one, &two});
  ASSERT_TRUE(EventuallyConnected({&one, &two}));

  StopNode(one);
  const int told = one.observer.unreachable[2];
  StopNode(two);

  EXPECT_FALSE(one.peers->Send(NodeId(2), Traffic::kSmall, "x"));
  EXPECT_EQ(one.observer.unreachable[2], told);
  EXPECT_EQ(told, 0);
}

TEST_P(PeersContract, ANodeThatWaitsTakesAnInvitationAndIsAMember) {
  Node& one = Add(1);
  Node& two = AddEmptyNode("n2", Security(2));
  const Invitation invitation{.from_name = "n1",
                              .identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"},
                              .members = {MemberOf(one)}};
  std::vector<Status> answers;

  one.peers->Invite(invitation, AddressOf(two.port),
                    [&](const Status& answer) { answers.push_back(answer); });

  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  EXPECT_TRUE(answers[0].ok()) << answers[0].message();
  ASSERT_EQ(two.observer.invitations.size(), 1u);
  EXPECT_EQ(two.observer.invitations[0], invitation);
  two.identity = invitation.identity;
  two.peers->BeNode(two.identity, levels_.in_force);
  Introduce({&one, &two});
  EXPECT_TRUE(EventuallyConnected({&one, &two}));
}

TEST_P(PeersContract, AnInvitationIsAnsweredWhenTheIdentityIsOnTheDisk) {
  Node& one = Add(1);
  Node& two = AddEmptyNode("n2", Security(2));
  two.observer.answers_at_once = false;
  std::vector<Status> answers;
  one.peers->Invite(
      {.from_name = "n1", .identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"}},
      AddressOf(two.port), [&](const Status& answer) { answers.push_back(answer); });
  ASSERT_TRUE(Eventually([&] { return two.observer.open_answers.size() == 1; }));
  EXPECT_TRUE(answers.empty());

  two.observer.open_answers[0](Status(ErrorCode::kGeneralError, "the disk is full"));

  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  EXPECT_THAT(answers[0].message(), HasSubstr("it refuses this node: the disk is full"));
}

TEST_P(PeersContract, AnInvitationThatIsNotForItIsRefusedByBothEnds) {
  Node& one = Add(1);
  Node& five = AddEmptyNode("n5", Security(5));
  std::vector<Status> answers;
  one.peers->Invite(
      {.from_name = "n1", .identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"}},
      AddressOf(five.port), [&](const Status& answer) { answers.push_back(answer); });

  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  // Under TLS it does not even get to read it.
  EXPECT_THAT(answers[0].message(),
              HasSubstr(GetParam() == Kind::kTls ? "its certificate is that of node n5"
                                                 : "it invites node n2, this is node n5"));
  EXPECT_TRUE(five.observer.invitations.empty());
  ASSERT_TRUE(Eventually([&] { return !five.peers->last_refused().sentence.empty(); }));
}

TEST_P(PeersContract, AnInvitationToNobodyIsAnsweredToo) {
  Node& one = Add(1);
  Node& two = AddEmptyNode("n2", Security(2));
  StopNode(two);
  std::vector<Status> answers;

  one.peers->Invite(
      {.from_name = "n1", .identity = {.cluster = cluster_, .node = NodeId(2), .name = "n2"}},
      AddressOf(two.port), [&](const Status& answer) { answers.push_back(answer); });

  ASSERT_TRUE(Eventually([&] { return answers.size() == 1; }));
  EXPECT_FALSE(answers[0].ok());
}

}  // namespace
}  // namespace wharf
