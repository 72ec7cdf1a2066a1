// Clients that a node brings to another one: what they say arrives as it is, both ways, and nothing
// of it stays behind.

#include "replication/peers/relay/relay.h"

#include <array>
#include <cerrno>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "replication/peers/relay/relay_request.h"
#include "tests/replication/peers/peer_fixture.h"

namespace wharf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Kind : std::uint8_t { kPlain, kTls };

const RelayedClient kClient{.door = "amqp", .address = "10.0.0.9:40000", .is_local = true};

class RelayTest : public PeerFixture, public ::testing::WithParamInterface<Kind> {
 protected:
  void SetUp() override {
    follower_ = &Add(1);
    leader_ = &Add(2);
    Introduce({follower_, leader_});
    ASSERT_TRUE(EventuallyConnected({follower_, leader_}));
  }

  Node& Add(int number) {
    if (GetParam() == Kind::kPlain) return AddNode(number);
    return AddNode(number, {.certificates = authority_.Issue("n" + std::to_string(number))});
  }

  // A client of the follower, brought to the leader; its end of the connection.
  Descriptor Bring(RelayedClient client = kClient) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    follower_->peers->Relay(
        NodeId(2), std::move(client), Descriptor(ends[0]),
        [this](Descriptor connection) { undone_.push_back(std::move(connection)); });
    return Descriptor(ends[1]);
  }
  Descriptor BringAndServe(Descriptor& door) {
    Descriptor client = Bring();
    EXPECT_TRUE(Eventually([this] { return !leader_->observer.served.empty(); }));
    door = std::move(leader_->observer.served.back());
    leader_->observer.served.pop_back();
    return client;
  }

  // As much as is taken now.
  static std::size_t Write(const Descriptor& to, std::string_view bytes) {
    const auto written = ::send(to.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return written < 0 ? 0 : static_cast<std::size_t>(written);
  }
  // What has come; false: it is closed.
  static bool Read(const Descriptor& from, std::string& into) {
    std::array<char, 64 << 10> piece;
    const auto bytes = ::recv(from.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (bytes > 0) into.append(piece.data(), static_cast<std::size_t>(bytes));
    return bytes > 0 || (bytes < 0 && errno == EAGAIN);
  }
  bool EventuallyReads(const Descriptor& from, const std::string& text) {
    std::string read;
    return Eventually([&] { return Read(from, read) && read == text; });
  }
  bool EventuallyClosed(const Descriptor& connection) {
    std::string ignored;
    return Eventually([&] { return !Read(connection, ignored); });
  }

  TestAuthority authority_;
  Node* follower_ = nullptr;
  Node* leader_ = nullptr;
  std::vector<Descriptor> undone_;
};

INSTANTIATE_TEST_SUITE_P(Peers, RelayTest, ::testing::Values(Kind::kPlain, Kind::kTls),
                         [](const auto& about) {
                           return about.param == Kind::kPlain ? "Plain" : "Tls";
                         });

TEST_P(RelayTest, BytesGoBothWaysAsTheyAre) {
  Descriptor door;
  const Descriptor client = BringAndServe(door);

  const std::string greeting("AMQP\0\1\0\0", 8);
  Write(client, greeting);
  ASSERT_TRUE(EventuallyReads(door, greeting));
  Write(door, "and back");

  EXPECT_TRUE(EventuallyReads(client, "and back"));
  EXPECT_THAT(leader_->observer.relayed, ElementsAre(kClient));
}

TEST_P(RelayTest, WhatAClientSaidBeforeItLeftArrives) {
  Descriptor door;
  {
    const Descriptor client = BringAndServe(door);
    Write(client, "the last");
  }

  EXPECT_TRUE(EventuallyReads(door, "the last"));
  EXPECT_TRUE(EventuallyClosed(door));
}

TEST_P(RelayTest, WhatADoorSaidBeforeItClosedArrives) {
  Descriptor door;
  const Descriptor client = BringAndServe(door);

  Write(door, "forced");
  door = Descriptor();

  EXPECT_TRUE(EventuallyReads(client, "forced"));
  EXPECT_TRUE(EventuallyClosed(client));
}

// Of two clients each has its own.
TEST_P(RelayTest, ClientsAreToldApart) {
  Descriptor first_door, second_door;
  const Descriptor first = BringAndServe(first_door);
  const Descriptor second = BringAndServe(second_door);

  Write(second, "from the second");
  Write(first, "from the first");

  EXPECT_TRUE(EventuallyReads(first_door, "from the first"));
  EXPECT_TRUE(EventuallyReads(second_door, "from the second"));
}

// What nobody reads is held back at the one who writes, and comes when it is read.
TEST_P(RelayTest, WhatIsNotReadIsNotTaken) {
  Descriptor door;
  const Descriptor client = BringAndServe(door);
  constexpr std::size_t kMuch = std::size_t{32} << 20;
  const std::string piece(64 << 10, 'x');
  std::size_t taken = 0;
  int quiet_turns = 0;

  // Until nothing has moved for a hundred turns of the loop.
  ASSERT_TRUE(Eventually([&] {
    const std::size_t written = Write(client, piece);
    taken += written;
    quiet_turns = written == 0 ? quiet_turns + 1 : 0;
    return quiet_turns == 100 || taken > kMuch;
  }));
  // The buffers of three connections of the kernel, and ours.
  EXPECT_LT(taken, kMuch / 2);

  std::string read;
  EXPECT_TRUE(Eventually([&] {
    Read(door, read);
    return read.size() >= taken;
  }));
}

TEST_P(RelayTest, AClientThatIsNotServedThereComesBack) {
  leader_->observer.serves_relayed = {ErrorCode::kInvalidOperation, "there is no such door"};

  const Descriptor client = Bring();

  ASSERT_TRUE(Eventually([this] { return undone_.size() == 1; }));
  Write(undone_[0], "served here");
  EXPECT_TRUE(EventuallyReads(client, "served here"));
}

// The member that brings it is none that was refused.
TEST_P(RelayTest, AClientThatIsTurnedAwayIsNoPeerThatIs) {
  leader_->observer.serves_relayed = {ErrorCode::kInvalidOperation, "there is no such door"};

  const Descriptor client = Bring();

  ASSERT_TRUE(Eventually([this] { return undone_.size() == 1; }));
  EXPECT_EQ(leader_->peers->last_refused().sentence, "");
  EXPECT_EQ(StatusOf(*leader_, *follower_).last_failure, "");
}

// Those that wait for their turn do not wait for a node that is gone.
TEST_P(RelayTest, ClientsForANodeThatGoesComeBack) {
  std::vector<Descriptor> clients;
  for (int i = 0; i < 100; ++i) clients.push_back(Bring());

  StopNode(*leader_);

  EXPECT_TRUE(Eventually([&] { return undone_.size() + leader_->observer.served.size() >= 100; }));
  EXPECT_TRUE(Eventually([this] { return !IsConnected(*follower_, *leader_); }));
  const Descriptor later = Bring();
  const std::size_t before = undone_.size();
  EXPECT_TRUE(Eventually([&] { return undone_.size() > before; }));
}

TEST_P(RelayTest, WhatIsLeftOfDescriptorsIsForFiles) {
  limits_.descriptors_max = 3;  // There are more open than that.
  Node& small = Add(3);
  Introduce({follower_, leader_, &small});
  ASSERT_TRUE(EventuallyConnected({follower_, &small}));
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const Descriptor client(ends[1]);

  follower_->peers->Relay(NodeId(3), kClient, Descriptor(ends[0]),
                          [this](Descriptor back) { undone_.push_back(std::move(back)); });

  EXPECT_TRUE(Eventually([this] { return undone_.size() == 1; }));
  EXPECT_THAT(small.observer.served, IsEmpty());
}

TEST_P(RelayTest, AClientForAnUnknownNodeComesBack) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const Descriptor client(ends[1]);

  follower_->peers->Relay(NodeId(9), kClient, Descriptor(ends[0]),
                          [this](Descriptor back) { undone_.push_back(std::move(back)); });

  EXPECT_TRUE(Eventually([this] { return undone_.size() == 1; }));
}

TEST_P(RelayTest, ManyAtOnceAllArrive) {
  constexpr std::size_t kClients = 200;
  std::vector<Descriptor> clients;
  for (std::size_t i = 0; i < kClients; ++i) clients.push_back(Bring());

  EXPECT_TRUE(Eventually([this] { return leader_->observer.served.size() == kClients; }));
  EXPECT_THAT(undone_, IsEmpty());
}

// The client hears of it by the end of its connection, and comes again.
TEST_P(RelayTest, AClientGoesWithTheNodeThatServedIt) {
  Descriptor door;
  const Descriptor client = BringAndServe(door);

  StopNode(*leader_);

  EXPECT_TRUE(EventuallyClosed(client));
}

TEST_P(RelayTest, ADoorHearsThatTheNodeIsGoneThatBroughtAClient) {
  Descriptor door;
  const Descriptor client = BringAndServe(door);

  StopNode(*follower_);

  EXPECT_TRUE(EventuallyClosed(door));
}

// Both must be here: the client at its node, and the node at the leader.
TEST_P(RelayTest, AClientFromElsewhereIsNeverLocal) {
  RelayedClient from_elsewhere = kClient;
  from_elsewhere.is_local = false;

  const Descriptor client = Bring(from_elsewhere);

  ASSERT_TRUE(Eventually([this] { return !leader_->observer.relayed.empty(); }));
  EXPECT_FALSE(leader_->observer.relayed[0].is_local);
}

// What a hostile node could say of a client would stand in the log.
TEST(RelayRequestTest, WhatCannotStandInALogIsRefused) {
  const Hello hello{.from = {.cluster = *ClusterId::FromText("0123456789abcdef0123456789abcdef"),
                             .node = NodeId(1),
                             .name = "n1"},
                    .to = NodeId(2),
                    .to_name = "n2",
                    .incarnation = Incarnation(5)};
  const auto decoded = [&hello](const RelayedClient& client) {
    return DecodeRelayRequest(Encode(RelayRequest{hello, client}));
  };

  EXPECT_EQ(decoded(kClient).value(), (RelayRequest{hello, kClient}));
  EXPECT_FALSE(decoded({.door = "amqp", .address = "x\ny"}).ok());
  EXPECT_FALSE(decoded({.door = "amqp", .address = std::string(129, 'x')}).ok());
  EXPECT_FALSE(decoded({.door = "", .address = "x"}).ok());
  EXPECT_FALSE(decoded({.door = "amqp", .address = ""}).ok());
  EXPECT_FALSE(DecodeRelayRequest("").ok());
}

}  // namespace
}  // namespace wharf
