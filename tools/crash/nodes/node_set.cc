#include "tools/crash/nodes/node_set.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

#include <absl/strings/str_join.h>
#include <fmt/core.h>

#include "tools/crash/nodes/cluster_verdict.h"
#include "tools/crash/nodes/free_port.h"
#include "tools/crash/nodes/namespace_network.h"
#include "tools/crash/nodes/proxy_network.h"
#include "tools/crash/nodes/replica_rows.h"
#include "tools/crash/proxy/socket_owner.h"
#include "tools/crash/runs/pace.h"

namespace wharf::crash {
namespace {

constexpr Duration kFoundPatience = std::chrono::seconds(60);
constexpr Duration kStopPatience = std::chrono::seconds(60);
constexpr Duration kTransferPatience = std::chrono::seconds(5);
constexpr Duration kReachPatience = std::chrono::seconds(60);
constexpr Duration kEqualPatience = std::chrono::seconds(60);
// What a run leaves is a few MiB, of which they compare 16 a second.
constexpr Duration kComparePatience = std::chrono::seconds(60);
// Of one that has nearly everything; under load the leader's log always has some more.
constexpr std::uint64_t kLagMax = 256;

// Beside the data: it is there when these are gone.
std::string MachineFolder(const std::string& data) { return data + ".machine"; }

// Leadership was lost between its invitation and the entry by which it becomes a member: it belongs
// to the cluster by its own folder alone. What its operator is told then.
bool SaysToEmptyFolder(const Status& refused) {
  return refused.message().find("empty its data folder") != std::string::npos;
}

}  // namespace

NodeSet::NodeSet(Options options)
    : options_(std::move(options)), election_timeout_(ElectionTimeoutAt(MeasureSlowness())) {}

std::vector<std::string> NodeSet::FlagsOfNode() const {
  std::vector<std::string> flags = options_.flags;
  // An older version may not know how.
  if (election_timeout_ == ElectionTimeoutAt(1)) return flags;
  flags.insert(flags.end(),
               {"--peer-election-timeout",
                fmt::format("{}ms", election_timeout_ / std::chrono::milliseconds(1))});
  return flags;
}

Status NodeSet::MakeNetwork() {
  if (options_.has_namespaces) {
    Result<std::unique_ptr<NodeNetwork>> made = NamespaceNetwork::Make();
    if (made.ok()) network_ = *std::move(made);
    return made.status();
  }
  network_ = std::make_unique<ProxyNetwork>(
      [this](const boost::asio::ip::tcp::endpoint& from) { return WhoDials(from); });
  return {};
}

// On the network's thread.
std::string NodeSet::WhoDials(const boost::asio::ip::tcp::endpoint& from) {
  MutexLock lock(mutex_);
  for (Node* const node : dialers_) {
    const std::array<pid_t, 1> process{node->daemon().pid()};
    if (OwnerOf(from, process) != 0) return node->name();
  }
  return {};
}

Status NodeSet::Found() {
  WHARF_RETURN_IF_ERROR(MakeNetwork());
  for (std::size_t i = 0; i < options_.count; ++i) WHARF_RETURN_IF_ERROR(Make());
  WHARF_RETURN_IF_ERROR(StartAll());
  WHARF_RETURN_IF_ERROR(nodes_.front()->Found());
  for (std::size_t i = 1; i < nodes_.size(); ++i) WHARF_RETURN_IF_ERROR(Add(*nodes_[i]));
  return AwaitVotes(kFoundPatience);
}

Status NodeSet::AwaitVotes(Duration patience) {
  return Await(patience, "all nodes vote", [this] { return AllVote(); });
}

Status NodeSet::Make() {
  const std::string name = fmt::format("n{}", ++made_);
  Node::Options node{.program = options_.program,
                     .older = options_.older,
                     .data = options_.folder + "/" + name,
                     .name = name,
                     .client_port = FindFreePort(),
                     .peer_port = FindFreePort(),
                     .amqp_port = options_.has_amqp ? FindFreePort() : std::uint16_t{0},
                     .rest_port = options_.has_rest ? FindFreePort() : std::uint16_t{0},
                     .place = {},
                     .flags = FlagsOfNode()};
  Result<NodeNetwork::Place> place = network_->Add(name, node.peer_port);
  if (!place.ok()) return place.status();
  node.place = *std::move(place);
  Result<Machine> machine = Machine::Make(MachineFolder(node.data));
  if (!machine.ok()) return machine.status();
  nodes_.push_back(std::make_unique<Node>(node, *std::move(machine)));
  MutexLock lock(mutex_);
  dialers_.push_back(nodes_.back().get());
  return {};
}

// Who leads is asked, and nobody who waits to be invited: such a node knows of no leader. There may
// be none just now, or it may have another change under way; and it may be added although nobody
// heard of it. One that was invited by another leader before, in vain, begins anew.
Status NodeSet::Add(Node& node) {
  Status added;
  Status emptied;
  const Status waited = Await(kFoundPatience, node.name() + " is added", [&] {
    const Result<std::size_t> leader = AwaitLeader(kFoundPatience);
    added = leader.ok() ? at(*leader).Add(node) : leader.status();
    if (added.ok() || !leader.ok()) return added.ok();
    const std::optional<bool> is_known = at(*leader).Knows(node.name());
    if (is_known == false && SaysToEmptyFolder(added)) emptied = BeginEmpty(node);
    return is_known == true || !emptied.ok();
  });
  if (!emptied.ok()) return emptied;
  return waited.ok() ? waited : added;
}

Status NodeSet::BeginEmpty(Node& node) {
  WHARF_RETURN_IF_ERROR(Stop(node));
  std::error_code error;
  std::filesystem::remove_all(node.data(), error);
  if (error) return {ErrorCode::kGeneralError, "cannot empty " + node.data()};
  ++emptied_;
  return node.Start();
}

// As Add. Those that stay may not be reached yet. Whoever leads hands that over before, to one
// after the other, as one may not have caught up.
Status NodeSet::Remove(const std::string& name) {
  Status removed;
  std::size_t next = 0;
  const Status waited = Await(kFoundPatience, name + " is removed", [&] {
    const Result<std::size_t> leader = AwaitLeader(kFoundPatience);
    if (leader.ok() && at(*leader).name() == name) {
      next = (next + 1) % size();
      if (next != *leader) removed = at(*leader).HandOverTo(at(next));
      return false;
    }
    removed = leader.ok() ? at(*leader).Remove(name) : leader.status();
    return removed.ok() || (leader.ok() && at(*leader).Knows(name) == false);
  });
  return waited.ok() ? waited : removed;
}

Result<std::size_t> NodeSet::StartNew() {
  WHARF_RETURN_IF_ERROR(Make());
  WHARF_RETURN_IF_ERROR(nodes_.back()->Start());
  return nodes_.size() - 1;
}

Result<std::size_t> NodeSet::Invite() {
  Result<std::size_t> newcomer = StartNew();
  if (newcomer.ok()) WHARF_RETURN_IF_ERROR(Add(at(*newcomer)));
  return newcomer;
}

Status NodeSet::Dismiss(std::string name) {
  WHARF_RETURN_IF_ERROR(Remove(name));
  const auto node = std::find_if(nodes_.begin(), nodes_.end(),
                                 [&](const auto& other) { return other->name() == name; });
  if ((*node)->runs()) WHARF_RETURN_IF_ERROR(Stop(**node));
  std::error_code ignored;
  std::filesystem::remove_all((*node)->data(), ignored);
  std::filesystem::remove_all(MachineFolder((*node)->data()), ignored);
  {
    MutexLock lock(mutex_);
    std::erase(dialers_, node->get());
  }
  network_->Remove(name);
  nodes_.erase(node);
  return {};
}

std::string NodeSet::addresses() const {
  return absl::StrJoin(nodes_, ",", [](std::string* text, const std::unique_ptr<Node>& node) {
    text->append(node->address());
  });
}

Addresses NodeSet::AllAddresses() const {
  Addresses all{.grpc = addresses()};
  for (const auto& node : nodes_) {
    if (options_.has_amqp) all.amqp.push_back(node->amqp_address());
    if (options_.has_rest) all.rest.push_back(node->rest_address());
  }
  return all;
}

Result<std::size_t> NodeSet::AwaitLeader(Duration patience) {
  std::size_t leader = 0;
  const Status waited = Await(patience, "a node leads", [&] {
    for (leader = 0; leader < nodes_.size(); ++leader) {
      if (nodes_[leader]->Serves()) return true;
    }
    return false;
  });
  if (!waited.ok()) return waited;
  return leader;
}

// Who was struck before may not be reached yet by who leads. Whoever should take over may not, and
// then who led goes on.
Status NodeSet::Transfer(std::size_t leader, std::size_t to) {
  Status begun;
  const Status waited = Await(kFoundPatience, at(to).name() + " can lead", [&] {
    begun = at(leader).HandOverTo(at(to));
    return begun.code() != ErrorCode::kInvalidOperation;
  });
  if (!waited.ok() || !begun.ok()) return waited.ok() ? begun : waited;
  static_cast<void>(Await(kTransferPatience, at(to).name() + " leads", [&] {
    const Result<std::size_t> next = AwaitLeader(kTransferPatience);
    return next.ok() && *next != leader;
  }));
  return {};
}

Status NodeSet::StartAll() {
  for (const auto& node : nodes_) {
    if (!node->runs()) WHARF_RETURN_IF_ERROR(node->Start());
  }
  return {};
}

// And clients are told where to find each of them.
bool NodeSet::AllVote() {
  const Result<v1::ClusterStatus> status = nodes_.front()->GetStatus();
  if (!status.ok()) return false;
  const auto votes = std::count_if(status->members().begin(), status->members().end(),
                                   [](const v1::ClusterMember& member) {
                                     return member.voter() && !member.client_address().empty();
                                   });
  return static_cast<std::size_t>(votes) == nodes_.size();
}

bool NodeSet::AreEqual() {
  std::uint64_t applied = 0;
  std::string leader;
  for (const auto& node : nodes_) {
    const Result<v1::ClusterStatus> status = node->GetStatus();
    if (!status.ok() || status->leader().empty()) return false;
    if (status->applied_index() != status->committed_index()) return false;
    if (node == nodes_.front()) {
      applied = status->applied_index();
      leader = status->leader();
    }
    if (status->applied_index() != applied || status->leader() != leader) return false;
  }
  return AllVote();
}

Status NodeSet::AwaitEqual(Duration patience) {
  return Await(patience, "all nodes have everything", [this] { return AreEqual(); });
}

Status NodeSet::Stop(Node& node) {
  node.daemon().Signal(SIGTERM);
  return AwaitStop(node);
}

Status NodeSet::AwaitStop(Node& node) {
  const Result<bool> ended = node.daemon().WaitUntilEnded(kStopPatience);
  if (!ended.ok()) return ended.status();
  if (*ended) return {};
  return {ErrorCode::kGeneralError,
          fmt::format("{} failed when asked to end:\n{}", node.name(), node.daemon().last_words())};
}

// As an operator waits before it is the next one's turn.
bool NodeSet::AreReached() {
  const Result<std::size_t> leader = AwaitLeader(kReachPatience);
  if (!leader.ok()) return false;
  const Result<v1::ClusterStatus> status = at(*leader).GetStatus();
  return status.ok() && std::all_of(status->members().begin(), status->members().end(),
                                    [](const v1::ClusterMember& member) {
                                      return member.reachable() && member.lag_entries() <= kLagMax;
                                    });
}

Status NodeSet::Become(std::size_t node, Version version) {
  WHARF_RETURN_IF_ERROR(Stop(at(node)));
  at(node).BeOf(version);
  WHARF_RETURN_IF_ERROR(at(node).Start());
  return Await(kReachPatience, at(node).name() + " is back as another version",
               [this] { return AreReached(); });
}

std::size_t NodeSet::CountOlder() const {
  const auto is_older = [](const std::unique_ptr<Node>& node) { return node->is_older(); };
  return static_cast<std::size_t>(std::count_if(nodes_.begin(), nodes_.end(), is_older));
}

Status NodeSet::StopInOrder() {
  const Result<std::size_t> leader = AwaitLeader(kStopPatience);
  if (!leader.ok()) return leader.status();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (i != *leader) WHARF_RETURN_IF_ERROR(Stop(*nodes_[i]));
  }
  return Stop(*nodes_[*leader]);
}

Status NodeSet::AskWhetherEqual(Duration patience) {
  std::string difference;
  WHARF_RETURN_IF_ERROR(Await(patience, "the cluster has compared all its nodes", [&] {
    const Result<std::size_t> leader = AwaitLeader(patience);
    if (!leader.ok()) return false;
    const Result<v1::VerifyStateResponse> said = at(*leader).CompareStates();
    if (said.ok()) difference = DifferenceIn(*said);
    return !difference.empty() || (said.ok() && IsOfAll(*said, size()));
  }));
  if (difference.empty()) return {};
  return {ErrorCode::kGeneralError, difference};
}

Status NodeSet::CompareStates() const {
  const Result<ReplicaRows> first = ReadReplica(nodes_.front()->data());
  if (!first.ok()) return first.status();
  for (const auto& node : nodes_) {
    const Result<ReplicaRows> rows = ReadReplica(node->data());
    if (!rows.ok()) return rows.status();
    const std::string difference = DifferenceOf(*first, *rows);
    if (const std::string left = LeftOverIn(*rows); !left.empty()) {
      return {ErrorCode::kGeneralError, node->name() + ": " + left};
    }
    if (difference.empty()) continue;
    return {ErrorCode::kGeneralError,
            fmt::format("{} and {} do not hold the same: {}", nodes_.front()->name(), node->name(),
                        difference)};
  }
  return {};
}

Status NodeSet::StopEqual() {
  WHARF_RETURN_IF_ERROR(AwaitEqual(kEqualPatience));
  WHARF_RETURN_IF_ERROR(AskWhetherEqual(kComparePatience));
  WHARF_RETURN_IF_ERROR(AwaitEqual(kEqualPatience));
  WHARF_RETURN_IF_ERROR(StopInOrder());
  return CompareStates();
}

}  // namespace wharf::crash
