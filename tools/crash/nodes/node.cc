#include "tools/crash/nodes/node.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

constexpr Duration kStartPatience = std::chrono::seconds(60);
// One that stands still, or has no majority, must not hold up whoever asks all of them.
constexpr Duration kPatience = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kLookPause(100);

std::string At(const Node::Options& options, std::uint16_t port) {
  return fmt::format("{}:{}", options.place.host, port);
}

// Where only this machine asks.
std::string SocketOf(const Node::Options& options) {
  return fmt::format("unix:{}.socket", options.data);
}

// All of them are on this machine, and show by the network between them who they are. Only who asks
// from there may found a cluster.
Daemon::Options DaemonOf(const Node::Options& options, const Machine& machine) {
  std::vector<std::string> flags = {"--node",           options.name,
                                    "--peer-listen",    At(options, options.peer_port),
                                    "--peer-advertise", options.place.peer_address,
                                    "--insecure"};
  if (!options.place.is_loopback) flags.insert(flags.end(), {"--listen", SocketOf(options)});
  if (options.amqp_port != 0) {
    flags.insert(flags.end(), {"--listen", "amqp://" + At(options, options.amqp_port)});
  }
  if (options.rest_port != 0) {
    flags.insert(flags.end(), {"--listen", "servicebus://" + At(options, options.rest_port)});
  }
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  return {.launcher = options.place.launcher,
          .program = options.program,
          .data = options.data,
          .listen = At(options, options.client_port),
          .flags = std::move(flags),
          .environment = machine.environment(),
          .log = options.data + ".log"};
}

}  // namespace

Node::Node(const Options& options, Machine machine)
    : options_(options),
      address_(At(options, options.client_port)),
      machine_(std::move(machine)),
      daemon_(DaemonOf(options, machine_)) {
  if (!options.older.empty()) BeOf(Version::kOlder);
}

std::string Node::amqp_address() const {
  return options_.amqp_port == 0 ? "" : At(options_, options_.amqp_port);
}

std::string Node::rest_address() const {
  return options_.rest_port == 0 ? "" : At(options_, options_.rest_port);
}

void Node::BeOf(Version version) {
  is_older_ = version == Version::kOlder;
  daemon_.SetProgram(is_older_ ? options_.older : options_.program);
}

Status Node::Start() {
  WHARF_RETURN_IF_ERROR(daemon_.Spawn());
  WHARF_RETURN_IF_ERROR(daemon_.WaitUntilReady(kStartPatience));
  Connect();
  return {};
}

void Node::Connect() {
  client_ = std::make_unique<client::Client>(
      address_, client::ClientOptions{
                    .has_own_connection = true, .timeout = kPatience, .leader_patience = {}});
}

// A client that was refused has gone to the node that leads instead, and would ask that one from
// then on, also when it is alone.
Result<v1::ClusterStatus> Node::GetStatus() {
  if (!runs() || client_ == nullptr) {
    return Status(ErrorCode::kServiceCommunicationProblem, name() + " does not run");
  }
  Result<v1::ClusterStatus> status = client_->cluster().GetStatus();
  if (status.ok() && status->node_name() == name()) return status;
  Connect();
  return status.ok() ? client_->cluster().GetStatus() : status;
}

// It leads when it answers, which takes longer than a look at it.
Status Node::Found() {
  const std::string address = options_.place.is_loopback ? address_ : SocketOf(options_);
  client::Client founder(address, {.has_own_connection = true, .timeout = kStartPatience});
  return founder.cluster().Found().status();
}

Status Node::Add(const Node& other) {
  return client_->cluster().AddMember(other.name(), other.peer_address());
}

Status Node::Remove(const std::string& name) { return client_->cluster().RemoveMember(name); }

Status Node::HandOverTo(const Node& other) {
  return client_->cluster().TransferLeadership(other.name());
}

// It comes to its end by itself, also where others do not answer.
Result<v1::VerifyStateResponse> Node::CompareStates() {
  Result<v1::VerifyStateResponse> told = client_->cluster().BeginVerifyState();
  while (told.ok() && told->under_way()) {
    std::this_thread::sleep_for(kLookPause);
    told = client_->cluster().LookAtVerifyState();
  }
  return told;
}

// It leads before it has loaded what there is.
bool Node::Serves() {
  const Result<v1::ClusterStatus> status = GetStatus();
  return status.ok() && status->leader() == name() && client_->management().ListQueues({}).ok();
}

std::optional<bool> Node::Knows(const std::string& name) {
  const Result<v1::ClusterStatus> status = GetStatus();
  if (!status.ok()) return std::nullopt;
  return std::any_of(status->members().begin(), status->members().end(),
                     [&](const v1::ClusterMember& member) { return member.name() == name; });
}

}  // namespace wharf::crash
