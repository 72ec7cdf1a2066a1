#include "tools/crash/nodes/fault_injector.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

constexpr Duration kEndPatience = std::chrono::seconds(60);

}  // namespace

void FaultInjector::Strike(const Fault& fault) {
  const auto signal = [this](std::size_t node, int number) {
    nodes_.at(node).daemon().Signal(number);
  };
  switch (fault.kind) {
    case FaultKind::kKillLeader:
      return signal(fault.leader, SIGKILL);
    case FaultKind::kKillFollower:
      return signal(fault.follower, SIGKILL);
    case FaultKind::kKillTwo:
      signal(fault.leader, SIGKILL);
      return signal(fault.follower, SIGKILL);
    case FaultKind::kKillAll:
      for (std::size_t node = 0; node < nodes_.size(); ++node) signal(node, SIGKILL);
      return;
    case FaultKind::kStopLeader:
      return signal(fault.leader, SIGTERM);
  }
}

Status FaultInjector::Last(const Fault& fault) {
  if (fault.kind == FaultKind::kStopLeader) {
    Node& node = nodes_.at(fault.leader);
    const Result<bool> ended = node.daemon().WaitUntilEnded(kEndPatience);
    if (!ended.ok()) return ended.status();
    if (*ended) return {};
    return {ErrorCode::kGeneralError, fmt::format("{} failed when asked to end:\n{}", node.name(),
                                                  node.daemon().last_words())};
  }
  std::this_thread::sleep_for(fault.lasts);
  return {};
}

bool FaultInjector::LeavesMajority(const Fault& fault) const {
  if (fault.kind == FaultKind::kKillAll) return false;
  return fault.kind != FaultKind::kKillTwo || nodes_.size() - 2 >= nodes_.majority();
}

// One that was killed has to be gone before its folder can be used again.
Status FaultInjector::Heal(const Fault& fault) {
  if (fault.kind == FaultKind::kStopLeader) return nodes_.StartAll();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    const bool is_struck = fault.kind == FaultKind::kKillAll ||
                           (fault.kind != FaultKind::kKillFollower && node == fault.leader) ||
                           (fault.kind != FaultKind::kKillLeader && node == fault.follower);
    if (!is_struck) continue;
    WHARF_RETURN_IF_ERROR(nodes_.at(node).daemon().WaitUntilEnded(kEndPatience).status());
  }
  return nodes_.StartAll();
}

}  // namespace wharf::crash
