// Members that come, are invited in vain, are removed, and are away. Reliability 30, 31.

#include <algorithm>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/replication/cluster_node/cluster_node_fixture.h"

namespace wharf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Another node, of which there is no more than its streams.
class Inviter final : public Peers::Observer {
 public:
  Inviter()
      : work_(boost::asio::make_work_guard(io_)),
        thread_([this] { io_.run(); }),
        peers_(io_.get_executor(), "z", 1, {.plain = PlainPeers::kThisMachine}, {}, wall_, random_,
               *this) {
    const auto port = peers_.Listen({boost::asio::ip::address_v4::loopback(), 0});
    self_ = {NodeId(7), "z", "127.0.0.1:" + std::to_string(port.value())};
    peers_.BeNode({cluster_, self_.node, self_.name}, 1);
  }
  ~Inviter() override {
    peers_.Stop();
    work_.reset();
    thread_.join();
  }

  Status Invite(const std::string& name, const std::string& address) {
    invited_ = {NodeId(8), name, address};
    peers_.SetMembers({self_, invited_});
    Invitation invitation;
    invitation.from_name = self_.name;
    invitation.identity = {cluster_, invited_.node, name};
    invitation.members = {self_};
    std::promise<Status> told;
    peers_.Invite(invitation, address, [&told](const Status& taken) { told.set_value(taken); });
    return told.get_future().get();
  }
  // The invited one lets this node in, because it knows it; nobody else is let in.
  bool is_let_in() {
    const std::vector<PeerStatus> peers = peers_.statuses();
    return std::any_of(peers.begin(), peers.end(), [this](const PeerStatus& peer) {
      return peer.member == invited_ && peer.is_connected;
    });
  }

  void OnMessage(NodeId /*from*/, Traffic /*traffic*/, std::string /*message*/) override {}
  void OnUnreachable(NodeId /*node*/) override {}
  void OnInvited(const Invitation& /*invitation*/, Answer answer) override { answer({}); }
  Status OnRelayed(const RelayedClient& /*client*/, Descriptor /*connection*/) override {
    return {ErrorCode::kNotImplemented, "nobody is served here"};
  }
  std::uint64_t MembersKnownUpTo() override { return 0; }
  NodeId Leader() override { return {}; }

 private:
  SystemRandom random_;
  MachineClock wall_;
  const ClusterId cluster_ = DrawClusterId(random_);
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
  Peers peers_;
  Member self_;
  Member invited_;
};

TEST_F(ClusterNodeTest, ANodeIsFoundedOnce) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());

  EXPECT_THAT(a_.Found().message(), HasSubstr("belongs to a cluster already"));
}

TEST_F(ClusterNodeTest, TheLastMemberStays) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_THAT(a_.Remove("a").message(), HasSubstr("'a' is the last member"));
}

TEST_F(ClusterNodeTest, WhoIsAddedCatchesUpAndVotes) {
  StartAll();
  ASSERT_TRUE(a_.Found().ok());
  PutSomewhere({&a_}, "before", "they came");

  ASSERT_TRUE(a_.Add("b", b_.address()).ok());
  ASSERT_TRUE(a_.Add("c", c_.address()).ok());

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([&] { return Has(*machine, "before", "they came"); }));
    EXPECT_TRUE(Eventually([&] { return machine->Voters().size() == 3; })) << machine->name();
  }
}

TEST_F(ClusterNodeTest, WhoIsRemovedIsNoVoterAndTheOthersGoOn) {
  FoundThree();

  const Status removed = a_.Remove("c");
  ASSERT_TRUE(removed.ok()) << removed.message();

  EXPECT_THAT(a_.Voters(), ElementsAre("a", "b"));
  PutSomewhere({&a_, &b_}, "without", "c");
}

// Of those who vote only two are there: one that was away meanwhile, and one that it never heard
// of.
TEST_F(ClusterNodeTest, WhoDoesNotKnowANewMemberYetElectsWithIt) {
  FoundThree();
  Machine d("d");
  d.Start();
  PutSomewhere(all(), "before", "all");
  c_.Stop();
  ASSERT_TRUE(a_.Add("d", d.address()).ok());
  ASSERT_TRUE(Eventually([this] { return a_.Voters().size() == 4; }));
  ASSERT_TRUE(Eventually([&] { return d.Voters().size() == 4; }));
  ASSERT_TRUE(a_.Remove("b").ok());
  ASSERT_TRUE(Eventually([&] { return d.Voters().size() == 3; }));

  for (Machine* gone : {&a_, &b_}) gone->Stop();
  c_.Start();

  PutSomewhere({&c_, &d}, "later", "too");
  EXPECT_TRUE(Eventually([&] { return Has(c_, "later", "too"); }));
  EXPECT_THAT(c_.Voters(), ElementsAre("a", "c", "d"));
}

// It was removed while the one that does not know of it was away.
TEST_F(ClusterNodeTest, WhoWasRemovedIsRefusedByWhoKnows) {
  FoundThree();
  c_.Stop();
  ASSERT_TRUE(a_.Remove("c").ok());
  PutSomewhere({&a_, &b_}, "without", "c");

  c_.Start();

  ASSERT_TRUE(Eventually([this] {
    return a_.Report().refused.sentence.find("c (id") != std::string::npos;
  })) << a_.Report().refused.sentence;
  EXPECT_THAT(a_.Report().refused.sentence, HasSubstr("is no member of the cluster"));
}

TEST_F(ClusterNodeTest, ARemovalAfterWhichNobodyCouldGoOnIsRefused) {
  FoundThree();
  c_.Stop();
  // The consensus may not have missed it yet.
  ASSERT_TRUE(Eventually([this] {
    for (const MemberReport& member : a_.Report().members) {
      if (member.record.name == "c" && member.peer) return !member.peer->is_connected;
    }
    return false;
  }));

  EXPECT_THAT(a_.Remove("b").message(), HasSubstr("could not go on"));
  EXPECT_THAT(a_.Remove("a").message(), HasSubstr("hand leadership over"));
  EXPECT_THAT(a_.Remove("nobody").message(), HasSubstr("no member 'nobody'"));
  PutSomewhere({&a_, &b_}, "k", "v");
}

TEST_F(ClusterNodeTest, NamesAndAddressesAreUsedOnce) {
  FoundThree();

  EXPECT_THAT(a_.Add("b", "127.0.0.1:1").message(), HasSubstr("has a member 'b' already"));
  EXPECT_THAT(a_.Add("b", "127.0.0.1:1").message(), HasSubstr("removed first"));
  EXPECT_THAT(a_.Add("d", "127.0.0.1:1").message(), HasSubstr("d at 127.0.0.1:1 has not taken"));
  EXPECT_THAT(a_.Add("d", b_.address()).message(), HasSubstr("member 'b' has the address"));
  EXPECT_EQ(a_.Add("Not A Name", "127.0.0.1:1").code(), ErrorCode::kArgumentError);
  EXPECT_EQ(b_.Add("d", "127.0.0.1:1").code(), ErrorCode::kPartitionNotOwned);
}

TEST_F(ClusterNodeTest, ABrokerWithDataFoundsAClusterAndTheOthersGetThem) {
  a_.KeepAlone("kept", "before");
  StartAll();
  EXPECT_TRUE(Has(a_, "kept", "before"));
  EXPECT_FALSE(a_.node().is_member());

  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] {
    a_.Tend();
    return a_.leads();
  }));
  ASSERT_TRUE(a_.Add("b", b_.address()).ok());
  ASSERT_TRUE(Eventually([this] { return a_.Voters().size() == 2; }));
  ASSERT_TRUE(a_.Add("c", c_.address()).ok());

  for (Machine* machine : all()) {
    EXPECT_TRUE(Eventually([machine] { return Has(*machine, "kept", "before"); }));
    EXPECT_EQ(machine->Format(), "new") << machine->name();
  }
  ASSERT_TRUE(Eventually([this] { return a_.Voters().size() == 3; }));
  PutSomewhere(all(), "new", "row");
  a_.Stop();
  PutSomewhere({&b_, &c_}, "without", "a");
  EXPECT_TRUE(Has(b_, "kept", "before"));
}

// Else nothing would be acknowledged before the snapshot has come.
TEST_F(ClusterNodeTest, WhoHasNoStateYetDoesNotVote) {
  SeededRandom random(1);
  std::string body;
  while (body.size() < 1'200'000) body.push_back(static_cast<char>(random.Next()));
  a_.KeepAlone("kept", body);
  b_.snapshot_rate = 400'000;
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] {
    a_.Tend();
    return a_.leads();
  }));
  ASSERT_TRUE(a_.Add("b", b_.address()).ok());

  ASSERT_TRUE(Eventually([this] {
    const auto taken = a_.Report().snapshots.sending;
    return taken && taken->bytes > 600'000;
  }));
  EXPECT_THAT(a_.Voters(), ElementsAre("a"));
  EXPECT_TRUE(Put(a_, "meanwhile", "acknowledged").ok());

  EXPECT_TRUE(Eventually([this] { return a_.Voters().size() == 2; }));
  EXPECT_TRUE(Eventually([this] { return Has(b_, "meanwhile", "acknowledged"); }));
}

TEST_F(ClusterNodeTest, ABrokerWithDataIsInvitedByNobody) {
  b_.KeepAlone("kept", "before");
  StartAll();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_THAT(a_.Add("b", b_.address()).message(), HasSubstr("has data of its own"));

  EXPECT_FALSE(b_.node().is_member());
  EXPECT_TRUE(Has(b_, "kept", "before"));
}

TEST_F(ClusterNodeTest, NobodyIsAddedWhoIsNotThere) {
  a_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));

  EXPECT_FALSE(a_.Add("b", "127.0.0.1:1").ok());

  EXPECT_THAT(a_.Voters(), ElementsAre("a"));
  b_.Start();
  EXPECT_TRUE(a_.Add("b", b_.address()).ok());
}

// The first waits for a machine that takes its connection and says nothing.
TEST_F(ClusterNodeTest, OfTwoChangesAtOnceTheSecondIsRefusedAndChangesNothing) {
  a_.Start();
  b_.Start();
  ASSERT_TRUE(a_.Found().ok());
  ASSERT_TRUE(Eventually([this] { return a_.leads(); }));
  boost::asio::io_context io;
  const boost::asio::ip::tcp::acceptor silent(io, {boost::asio::ip::address_v4::loopback(), 0});
  std::promise<Status> first;
  a_.node().Add("c", "127.0.0.1:" + std::to_string(silent.local_endpoint().port()),
                [&first](Status status) { first.set_value(std::move(status)); });

  const Status second = a_.Add("b", b_.address());

  EXPECT_EQ(second.code(), ErrorCode::kServiceBusy);
  EXPECT_THAT(second.message(), HasSubstr("one at a time"));
  EXPECT_FALSE(b_.node().is_member());
  a_.Stop();
  EXPECT_FALSE(first.get_future().get().ok());
}

// Leadership was lost between the two, so no entry knows it.
TEST_F(ClusterNodeTest, WhoWasInvitedInVainSaysHowItComesIn) {
  Inviter lost;
  a_.Start();
  ASSERT_TRUE(lost.Invite("a", a_.address()).ok());
  Inviter next;

  const Status refused = next.Invite("a", a_.address());

  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(refused.message(), HasSubstr("stop 'a', empty its data folder, start it and add it"));
}

TEST_F(ClusterNodeTest, WhoIsAwayIsBehindInEntriesBytesAndTime) {
  FoundThree();
  c_.Stop();
  PutSomewhere({&a_}, "k", "v");
  const auto of_c = [this] {
    for (const MemberReport& member : a_.Report().members) {
      if (member.record.name == "c") return member;
    }
    return MemberReport();
  };

  EXPECT_TRUE(Eventually([&] { return of_c().behind_for.value_or(Duration(0)) > Duration(0); }));

  EXPECT_GT(of_c().bytes_behind.value_or(0), 0U);
  c_.Start();
  EXPECT_TRUE(Eventually([&] { return of_c().behind_for == Duration(0); }));
}

// It was invited, and nothing came of it yet: no entry names the others.
TEST_F(ClusterNodeTest, WhoWasInvitedFindsTheOthersAfterARestart) {
  Inviter inviter;
  a_.Start();
  ASSERT_TRUE(inviter.Invite("a", a_.address()).ok());

  a_.Stop();
  ASSERT_TRUE(Eventually([&] { return !inviter.is_let_in(); }));
  a_.Start();

  EXPECT_TRUE(Eventually([&] { return inviter.is_let_in(); }));
  EXPECT_TRUE(a_.node().is_member());
  EXPECT_THAT(a_.Found().message(), HasSubstr("belongs to a cluster already"));
}

}  // namespace
}  // namespace wharf
