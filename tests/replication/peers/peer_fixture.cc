#include "tests/replication/peers/peer_fixture.h"

#include <algorithm>
#include <chrono>
#include <future>

#include "replication/identity/durable_file.h"

namespace wharf {
namespace {

// Only a fault takes so long.
constexpr std::chrono::seconds kDeadline{60};

}  // namespace

Validity TestAuthority::Today() {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  return {.begins_at = now - std::chrono::hours(1), .ends_at = now + std::chrono::hours(24)};
}

TestAuthority::TestAuthority() : own_(MakeAuthority(Today()).value()) {}

PeerCredentials TestAuthority::Write(const std::string& name, const PemPair& pair) {
  PeerCredentials files{.authority = folder_.path() + "/peer-ca.pem",
                        .certificate = folder_.path() + "/" + name + ".pem",
                        .key = folder_.path() + "/" + name + ".key"};
  EXPECT_TRUE(WriteDurably(files.authority, own_.certificate, 0600).ok());
  EXPECT_TRUE(WriteDurably(files.key, pair.key, 0600).ok());
  EXPECT_TRUE(WriteDurably(files.certificate, pair.certificate, 0600).ok());
  return files;
}

PeerCredentials TestAuthority::IssueFiles(const std::string& node) {
  return Write(node, SignNode(own_, node, {}, Today()).value());
}

std::shared_ptr<PeerCertificates> TestAuthority::Issue(const std::string& node) {
  auto certificates = PeerCertificates::Load(IssueFiles(node), node);
  EXPECT_TRUE(certificates.ok()) << certificates.status().message();
  return certificates.value();
}

PeerFixture::PeerFixture() : cluster_(*ClusterId::FromText("0123456789abcdef0123456789abcdef")) {}

PeerFixture::~PeerFixture() {
  for (const auto& node : nodes_) StopNode(*node);
}

PeerLimits PeerFixture::QuickLimits() {
  PeerLimits limits;
  limits.ping_every = std::chrono::milliseconds(20);
  limits.redial = {.first = std::chrono::milliseconds(5), .longest = std::chrono::milliseconds(50)};
  // A machine that is busy with other things must not look like silence.
  limits.silence_max = std::chrono::seconds(20);
  limits.handshake_max = std::chrono::seconds(20);
  return limits;
}

PeerFixture::Node& PeerFixture::AddNode(int number) { return AddNode(number, InTheClear()); }

PeerFixture::Node& PeerFixture::AddNode(int number, const PeerSecurity& security) {
  return AddNode(number, security, 0);
}

PeerFixture::Node& PeerFixture::AddNode(int number, const PeerSecurity& security,
                                        std::uint16_t port) {
  Node& node = Start("n" + std::to_string(number), security, port);
  node.identity = {
      .cluster = cluster_, .node = NodeId(static_cast<std::uint64_t>(number)), .name = node.name};
  node.peers->BeNode(node.identity, levels_.in_force);
  return node;
}

PeerFixture::Node& PeerFixture::AddEmptyNode(const std::string& name,
                                             const PeerSecurity& security) {
  return Start(name, security, 0);
}

PeerFixture::Node& PeerFixture::Start(const std::string& name, const PeerSecurity& security,
                                      std::uint16_t port) {
  Node& node = *nodes_.emplace_back(std::make_unique<Node>());
  node.name = name;
  node.random = SeededRandom(next_seed_++);
  node.peers = std::make_unique<Peers>(io_.get_executor(), name, levels_.highest, security, limits_,
                                       node.wall, node.random, node.observer);
  const auto loopback = boost::asio::ip::make_address("127.0.0.1");
  const Result<std::uint16_t> bound = node.peers->Listen({loopback, port});
  EXPECT_TRUE(bound.ok()) << bound.status().message();
  node.port = bound.ok() ? bound.value() : 0;
  return node;
}

void PeerFixture::StopNode(Node& node) {
  auto stopped = std::async(std::launch::async, [&node] { node.peers->Stop(); });
  EXPECT_TRUE(Eventually([&stopped] {
    return stopped.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }));
}

Member PeerFixture::MemberOf(const Node& node) const {
  return {.node = node.identity.node, .name = node.name, .peer_address = AddressOf(node.port)};
}

std::string PeerFixture::AddressOf(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

void PeerFixture::Introduce(const std::vector<Node*>& nodes) {
  std::vector<Member> members;
  for (const Node* node : nodes) members.push_back(MemberOf(*node));
  for (Node* node : nodes) node->peers->SetMembers(members);
}

bool PeerFixture::Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    if (io_.stopped()) io_.restart();
    io_.run_one_for(std::chrono::milliseconds(5));
  }
  return true;
}

PeerStatus PeerFixture::StatusOf(const Node& node, const Node& of) {
  const std::vector<PeerStatus> statuses = node.peers->statuses();
  const auto found = std::find_if(statuses.begin(), statuses.end(), [&of](const auto& status) {
    return status.member.node == of.identity.node;
  });
  return found == statuses.end() ? PeerStatus() : *found;
}

bool PeerFixture::IsConnected(const Node& node, const Node& to) {
  return StatusOf(node, to).is_connected;
}

bool PeerFixture::EventuallyConnected(const std::vector<Node*>& nodes) {
  return Eventually([&nodes] {
    for (const Node* node : nodes) {
      for (const Node* other : nodes) {
        if (node != other && !IsConnected(*node, *other)) return false;
      }
    }
    return true;
  });
}

}  // namespace wharf
