#include "tools/crash/nodes/namespace_network.h"

#include <cstdio>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

namespace wharf::crash {
namespace {

constexpr const char* kIp = "/usr/sbin/ip";
constexpr int kNumberMax = 254;

// Lines for a program, one command each; false: one of them was refused.
bool Feed(const std::string& program, const std::string& lines) {
  FILE* const input = popen((program + " >/dev/null 2>&1").c_str(), "we");
  if (input == nullptr) return false;
  const bool is_written = std::fwrite(lines.data(), 1, lines.size(), input) == lines.size();
  return pclose(input) == 0 && is_written;
}

bool Ip(const std::string& lines) { return Feed(fmt::format("{} -batch -", kIp), lines); }
bool IpIn(const std::string& space, const std::string& lines) {
  return Feed(fmt::format("{} -n {} -batch -", kIp, space), lines);
}

// Of those that are there to try networks with (RFC 2544).
std::string Subnet(pid_t process) {
  return fmt::format("198.{}.{}.", 18 + process / 256 % 2, process % 256);
}

Status Refused(const std::string& what) {
  return {ErrorCode::kGeneralError,
          fmt::format("{}: --netns needs root, and {} with the right to make networks", what, kIp)};
}

// Behind the first, when the system lets us make networks.
Status Failed(std::string what) { return {ErrorCode::kGeneralError, std::move(what)}; }

}  // namespace

NamespaceNetwork::NamespaceNetwork()
    : name_(fmt::format("wc{}", getpid())), subnet_(Subnet(getpid())) {}

Result<std::unique_ptr<NodeNetwork>> NamespaceNetwork::Make() {
  std::unique_ptr<NamespaceNetwork> network(new NamespaceNetwork);
  const std::string& bridge = network->name_;
  const bool is_made =
      Ip(fmt::format("link add {0} type bridge\naddr add {1}/24 dev {0}\nlink set {0} up\n", bridge,
                     network->AddressOf(1)));
  if (!is_made) return Refused("no network between nodes can be made");
  return std::unique_ptr<NodeNetwork>(std::move(network));
}

NamespaceNetwork::~NamespaceNetwork() {
  MutexLock lock(mutex_);
  for (const auto& [node, number] : nodes_) Ip(fmt::format("netns del {}\n", NamespaceOf(number)));
  Ip(fmt::format("link del {}\n", name_));
}

std::string NamespaceNetwork::NamespaceOf(int number) const {
  return fmt::format("{}n{}", name_, number);
}

std::string NamespaceNetwork::AddressOf(int number) const {
  return fmt::format("{}{}", subnet_, number);
}

Result<NodeNetwork::Place> NamespaceNetwork::Add(const std::string& node, std::uint16_t peer_port) {
  MutexLock lock(mutex_);
  if (made_ == kNumberMax) return Failed(fmt::format("there are no more addresses for {}", node));
  const int number = ++made_;
  WHARF_RETURN_IF_ERROR(Give(number));
  nodes_[node] = number;
  return Place{.host = AddressOf(number),
               .peer_address = fmt::format("{}:{}", AddressOf(number), peer_port),
               .is_loopback = false,
               .launcher = {kIp, "netns", "exec", NamespaceOf(number)}};
}

// A rule counts for packets of connections that are known only if these are not told apart before
// (early_demux), and for what is meant for this very machine only if it comes before `local`.
Status NamespaceNetwork::Give(int number) const {
  const std::string space = NamespaceOf(number);
  const bool is_made =
      Ip(fmt::format("netns add {0}\nlink add {1}v{2} type veth peer name eth0 netns {0}\n"
                     "link set {1}v{2} master {1} up\n",
                     space, name_, number)) &&
      IpIn(space, fmt::format("addr add {}/24 dev eth0\nlink set eth0 up\nlink set lo up\n"
                              "rule add pref 100 lookup local\nrule del pref 0\n",
                              AddressOf(number))) &&
      Feed(fmt::format("{} netns exec {} tee /proc/sys/net/ipv4/ip_early_demux", kIp, space),
           "0\n");
  if (!is_made) return Failed("no namespace can be made");
  return {};
}

void NamespaceNetwork::Remove(const std::string& node) {
  MutexLock lock(mutex_);
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return;
  const int number = found->second;
  Ip(fmt::format("netns del {}\n", NamespaceOf(number)));
  std::erase_if(cut_, [&](const auto& cut) { return cut.second == number; });
  nodes_.erase(found);
}

void NamespaceNetwork::Rule(const char* what, int from, int to) const {
  IpIn(NamespaceOf(to), fmt::format("rule {} pref 50 from {} blackhole\n", what, AddressOf(from)));
}

void NamespaceNetwork::Set(const std::string& from, const std::string& to, Passage passage) {
  MutexLock lock(mutex_);
  const auto here = nodes_.find(from);
  const auto there = nodes_.find(to);
  if (here == nodes_.end() || there == nodes_.end()) return;
  const std::pair cut(here->second, there->second);
  if (passage != Passage::kOpen) {
    if (cut_.insert(cut).second) Rule("add", cut.first, cut.second);
  } else if (cut_.erase(cut) > 0) {
    Rule("del", cut.first, cut.second);
  }
}

void NamespaceNetwork::Heal() {
  MutexLock lock(mutex_);
  for (const auto& [from, to] : cut_) Rule("del", from, to);
  cut_.clear();
}

}  // namespace wharf::crash
