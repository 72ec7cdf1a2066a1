// PeerFixture: nodes whose peers speak over loopback, all on the thread of the test.
//
// Nothing sleeps: Eventually runs what is to be done until what the test waits for has come, or a
// deadline that only a fault reaches.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "replication/identity/peer_authority.h"
#include "replication/peers/peers.h"
#include "tests/storage/temp_folder.h"

namespace wharf {

inline constexpr Timestamp kPeerTestTime{std::chrono::hours(24 * 365 * 56)};

struct Received {
  NodeId from;
  Traffic traffic;
  std::string message;

  friend bool operator==(const Received&, const Received&) = default;
};

// Keeps what it is told.
class RecordingObserver final : public Peers::Observer {
 public:
  void OnMessage(NodeId from, Traffic traffic, std::string message) override {
    bytes += message.size();
    messages.push_back({from, traffic, std::move(message)});
  }
  void OnUnreachable(NodeId node) override { ++unreachable[node.value()]; }
  void OnInvited(const Invitation& invitation, Answer answer) override {
    invitations.push_back(invitation);
    if (answers_at_once) return answer(Status());
    open_answers.push_back(std::move(answer));
  }
  Status OnRelayed(const RelayedClient& client, Descriptor connection) override {
    if (!serves_relayed.ok()) return serves_relayed;
    relayed.push_back(client);
    served.push_back(std::move(connection));
    return {};
  }
  std::uint64_t MembersKnownUpTo() override { return known_up_to; }
  NodeId Leader() override { return leader; }

  std::vector<Received> messages;
  std::size_t bytes = 0;
  std::map<std::uint64_t, int> unreachable;
  std::vector<Invitation> invitations;
  bool answers_at_once = true;
  Status serves_relayed;
  std::vector<RelayedClient> relayed;
  std::vector<Descriptor> served;
  std::uint64_t known_up_to = 0;
  NodeId leader{};
  std::vector<Answer> open_answers;
};

// An authority of the cluster's in a folder of the test, good today.
class TestAuthority {
 public:
  TestAuthority();

  std::shared_ptr<PeerCertificates> Issue(const std::string& node);
  PeerCredentials IssueFiles(const std::string& node);
  const PemPair& own() const { return own_; }
  // Writes them as if they were those of the node; the authority is this one.
  PeerCredentials Write(const std::string& name, const PemPair& pair);
  static Validity Today();

 private:
  TempFolder folder_;
  const PemPair own_;
};

class PeerFixture : public ::testing::Test {
 protected:
  struct Node {
    std::string name;
    NodeIdentity identity;
    std::uint16_t port = 0;
    ManualClock wall{kPeerTestTime};
    SeededRandom random{0};
    RecordingObserver observer;
    std::unique_ptr<Peers> peers;
  };

  PeerFixture();
  ~PeerFixture() override;

  static PeerLimits QuickLimits();
  static PeerSecurity InTheClear() { return {.plain = PlainPeers::kThisMachine}; }

  // Of the cluster, with an id that is its number, listening at any port.
  Node& AddNode(int number);
  Node& AddNode(int number, const PeerSecurity& security);
  // The same on a port that there was before.
  Node& AddNode(int number, const PeerSecurity& security, std::uint16_t port);
  // Listens, but belongs to no cluster.
  Node& AddEmptyNode(const std::string& name, const PeerSecurity& security);
  // As if the process had ended.
  void StopNode(Node& node);

  Member MemberOf(const Node& node) const;
  static std::string AddressOf(std::uint16_t port);
  // All know all.
  void Introduce(const std::vector<Node*>& nodes);

  bool Eventually(const std::function<bool()>& condition);
  static PeerStatus StatusOf(const Node& node, const Node& of);
  static bool IsConnected(const Node& node, const Node& to);
  bool EventuallyConnected(const std::vector<Node*>& nodes);

  boost::asio::io_context io_;
  const ClusterId cluster_;
  PeerLimits limits_ = QuickLimits();
  FormatLevels levels_{.in_force = 1, .highest = 2};

 private:
  Node& Start(const std::string& name, const PeerSecurity& security, std::uint16_t port);

  std::vector<std::unique_ptr<Node>> nodes_;
  std::uint64_t next_seed_ = 1;
};

}  // namespace wharf
