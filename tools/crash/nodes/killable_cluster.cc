#include "tools/crash/nodes/killable_cluster.h"

#include <chrono>
#include <csignal>

namespace wharf::crash {
namespace {

constexpr Duration kLeaderPatience = std::chrono::seconds(60);
constexpr Duration kEndPatience = std::chrono::seconds(30);

}  // namespace

Status KillableCluster::Start() {
  WHARF_RETURN_IF_ERROR(nodes_.Found());
  return FindLeader();
}

void KillableCluster::Kill() { nodes_.at(leader_).daemon().Signal(SIGKILL); }

// The others go on before it is there again.
Status KillableCluster::GoOn() {
  Kill();
  WHARF_RETURN_IF_ERROR(nodes_.at(leader_).daemon().WaitUntilEnded(kEndPatience).status());
  WHARF_RETURN_IF_ERROR(FindLeader());
  return nodes_.StartAll();
}

Status KillableCluster::FindLeader() {
  const Result<std::size_t> leader = nodes_.AwaitLeader(kLeaderPatience);
  if (leader.ok()) leader_ = *leader;
  return leader.status();
}

}  // namespace wharf::crash
