#include "tools/crash/nodes/fault_injector.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <fmt/core.h>

namespace wharf::crash {
namespace {

constexpr Duration kEndPatience = std::chrono::seconds(60);
// Until a node whose disk takes nothing has noticed that.
constexpr Duration kFullPatience = std::chrono::seconds(30);
constexpr std::chrono::milliseconds kFlap(200);
constexpr std::chrono::hours kClockStep(1);
// Half an election timeout, so that whoever has such a disk may go on leading, or not.
constexpr std::chrono::milliseconds kSlowSync(500);

}  // namespace

void FaultInjector::Strike(const Fault& fault) {
  SpoilMachines(fault);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (fault.kills(node)) Signal(node, SIGKILL);
  }
  switch (fault.kind) {
    case FaultKind::kStopLeader:
      return Signal(fault.leader, SIGTERM);
    case FaultKind::kPauseLeader:
      return Signal(fault.leader, SIGSTOP);
    case FaultKind::kPauseFollower:
      return Signal(fault.follower, SIGSTOP);
    case FaultKind::kLeaderAlone:
    case FaultKind::kFlapping:
      return SetAll(fault, Passage::kCut, Passage::kCut);
    case FaultKind::kLeaderUnheard:
      return SetAll(fault, Passage::kCut, Passage::kOpen);
    case FaultKind::kLeaderDeaf:
      return SetAll(fault, Passage::kOpen, Passage::kCut);
    case FaultKind::kBridge:
      return SetBetween(fault.leader, fault.follower, Passage::kCut);
    case FaultKind::kLateNetwork:
      return SetAll(fault, Passage::kStalled, Passage::kOpen);
    default:
      return;
  }
}

void FaultInjector::SpoilMachines(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::kClocksApart:
      return SetClocks(fault);
    case FaultKind::kHoldLeaderDisk:
      return nodes_.at(fault.leader).machine().HoldDisk();
    case FaultKind::kHoldFollowerDisk:
      return nodes_.at(fault.follower).machine().HoldDisk();
    case FaultKind::kSlowLeaderDisk:
      return nodes_.at(fault.leader).machine().SlowDisk(kSlowSync);
    case FaultKind::kSlowFollowerDisk:
      return nodes_.at(fault.follower).machine().SlowDisk(kSlowSync);
    case FaultKind::kFillLeaderDisk:
      return nodes_.at(fault.leader).machine().FillDisk();
    case FaultKind::kFillFollowerDisk:
      return nodes_.at(fault.follower).machine().FillDisk();
    case FaultKind::kBreakLeaderDisk:
      return nodes_.at(fault.leader).machine().BreakDisk();
    default:
      return;
  }
}

// Whoever leads next has one that is an hour behind or ahead of the leader's.
void FaultInjector::SetClocks(const Fault& fault) {
  int steps = 0;
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (node == fault.leader) continue;
    steps = steps > 0 ? -steps : 1 - steps;
    nodes_.at(node).machine().SetClockAhead(steps * kClockStep);
  }
}

void FaultInjector::SetAll(const Fault& fault, Passage said, Passage heard) {
  const std::string& leader = nodes_.at(fault.leader).name();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (node == fault.leader) continue;
    nodes_.network().Set(leader, nodes_.at(node).name(), said);
    nodes_.network().Set(nodes_.at(node).name(), leader, heard);
  }
}

void FaultInjector::SetBetween(std::size_t one, std::size_t other, Passage passage) {
  nodes_.network().Set(nodes_.at(one).name(), nodes_.at(other).name(), passage);
  nodes_.network().Set(nodes_.at(other).name(), nodes_.at(one).name(), passage);
}

Status FaultInjector::Last(const Fault& fault) {
  if (fault.changes_members()) return changes_.Last(fault);
  if (fault.changes_versions()) return versions_.Last(fault);
  if (fault.kind == FaultKind::kStopLeader) return nodes_.AwaitStop(nodes_.at(fault.leader));
  if (fault.kind == FaultKind::kTransfer) return nodes_.Transfer(fault.leader, fault.follower);
  if (fault.kind == FaultKind::kFlapping) {
    Flap(fault);
  } else {
    std::this_thread::sleep_for(fault.lasts);
  }
  return AwaitEnds(fault);
}

void FaultInjector::Flap(const Fault& fault) {
  for (Duration left = fault.lasts; left > Duration(0); left -= 2 * kFlap) {
    std::this_thread::sleep_for(kFlap);
    nodes_.network().Heal();
    std::this_thread::sleep_for(kFlap);
    SetAll(fault, Passage::kCut, Passage::kCut);
  }
}

// A leader has something to write, and must not go on without it. A follower may have nothing: one
// that waits for a snapshot asks for it again and again, and is killed in the end.
Status FaultInjector::AwaitEnds(const Fault& fault) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (!fault.ends(node)) continue;
    Daemon& daemon = nodes_.at(node).daemon();
    const Result<bool> ended = daemon.WaitUntilEnded(kFullPatience);
    if (ended.ok() && !*ended) continue;
    if (!ended.ok() && node != fault.leader) {
      daemon.Signal(SIGKILL);
      WHARF_RETURN_IF_ERROR(daemon.WaitUntilEnded(kEndPatience).status());
      continue;
    }
    return {ErrorCode::kGeneralError,
            fmt::format("{} {} although its disk takes nothing:\n{}", nodes_.at(node).name(),
                        ended.ok() ? "ends well" : "goes on", daemon.last_words())};
  }
  return {};
}

// Clients of one that stands still wait for as long as it does; of one that is alone only until it
// finds that out. One whose disk is slow may lead on, and is soon asked for everything there is.
bool FaultInjector::MayOutliveLeader(const Fault& fault) const {
  switch (fault.kind) {
    case FaultKind::kKillAll:
    case FaultKind::kCutAllPower:
    case FaultKind::kPauseLeader:
    case FaultKind::kSlowLeaderDisk:
      return false;
    case FaultKind::kKillTwo:
      return nodes_.size() - 2 >= nodes_.majority();
    default:
      return true;
  }
}

Status FaultInjector::AwaitKilled(const Fault& fault) {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (!fault.kills(node)) continue;
    WHARF_RETURN_IF_ERROR(nodes_.at(node).daemon().WaitUntilEnded(kEndPatience).status());
  }
  return {};
}

Status FaultInjector::CutPower(const Fault& fault) {
  if (fault.kind != FaultKind::kCutLeaderPower && fault.kind != FaultKind::kCutAllPower) return {};
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (!fault.kills(node)) continue;
    WHARF_RETURN_IF_ERROR(nodes_.at(node).machine().CutPower(nodes_.at(node).data()));
  }
  return {};
}

Status FaultInjector::Heal(const Fault& fault) {
  nodes_.network().Heal();
  for (std::size_t node = 0; node < nodes_.size(); ++node) nodes_.at(node).machine().Mend();
  if (fault.changes_members()) return changes_.Finish(fault);
  if (fault.kind == FaultKind::kPauseLeader) Signal(fault.leader, SIGCONT);
  if (fault.kind == FaultKind::kPauseFollower) Signal(fault.follower, SIGCONT);
  WHARF_RETURN_IF_ERROR(AwaitKilled(fault));
  WHARF_RETURN_IF_ERROR(CutPower(fault));
  return nodes_.StartAll();
}

}  // namespace wharf::crash
