#include "replication/peers/admission/live_processes.h"

#include <utility>

#include <fmt/core.h>

namespace wharf {
namespace {

bool IsGone(const std::pair<const NodeId, std::weak_ptr<const LiveProcesses::Process>>& entry) {
  return entry.second.expired();
}

}  // namespace

Result<LiveProcesses::Presence> LiveProcesses::Enter(NodeId node, const std::string& name,
                                                     Incarnation incarnation,
                                                     const std::string& where) {
  absl::erase_if(processes_, IsGone);
  std::weak_ptr<const Process>& entry = processes_[node];
  const Presence there = entry.lock();
  if (there != nullptr && there->incarnation == incarnation) return there;
  if (there != nullptr) {
    return Status(
        ErrorCode::kForbidden,
        fmt::format("node {} (id {}) is there twice: at {}, which was first, and at {}; is "
                    "the folder of one a copy of the other's?",
                    name, node.value(), there->where, where));
  }
  Presence made = std::make_shared<const Process>(Process{incarnation, where});
  entry = made;
  return made;
}

}  // namespace wharf
