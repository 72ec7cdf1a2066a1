#include "tools/crash/nodes/version_changes.h"

namespace wharf::crash {

Status VersionChanges::Last(const Fault& fault) {
  if (fault.kind == FaultKind::kUpgradeAll) return UpgradeAll(fault.leader);
  WHARF_RETURN_IF_ERROR(Turn(fault.follower));
  return Turn(fault.leader);
}

// Who leads comes last, as an operator does it.
Status VersionChanges::UpgradeAll(std::size_t last) {
  for (std::size_t i = 1; i <= nodes_.size(); ++i) {
    const std::size_t node = (last + i) % nodes_.size();
    if (!nodes_.at(node).is_older()) continue;
    WHARF_RETURN_IF_ERROR(nodes_.Become(node, Version::kNewer));
  }
  return {};
}

Status VersionChanges::Turn(std::size_t node) {
  if (!nodes_.at(node).is_older()) return nodes_.Become(node, Version::kOlder);
  if (nodes_.CountOlder() == 1) return {};
  return nodes_.Become(node, Version::kNewer);
}

}  // namespace wharf::crash
