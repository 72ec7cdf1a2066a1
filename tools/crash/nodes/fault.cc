#include "tools/crash/nodes/fault.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace wharf::crash {
namespace {

// Mostly shorter than an election takes, and now and then longer.
constexpr std::uint64_t kShortMillisecondsMax = 1'000;
constexpr std::uint64_t kLongMillisecondsMax = 5'000;

}  // namespace

std::optional<FaultKind> FaultNamed(std::string_view name) {
  const auto found = std::find(kFaultNames.begin(), kFaultNames.end(), name);
  if (found == kFaultNames.end()) return std::nullopt;
  return static_cast<FaultKind>(found - kFaultNames.begin());
}

bool Fault::kills(std::size_t node) const {
  switch (kind) {
    case FaultKind::kKillLeader:
    case FaultKind::kClocksApart:
    case FaultKind::kCutLeaderPower:
      return node == leader;
    case FaultKind::kKillFollower:
    case FaultKind::kReplaceDead:
      return node == follower;
    case FaultKind::kKillTwo:
      return node == leader || node == follower;
    case FaultKind::kKillAll:
    case FaultKind::kCutAllPower:
      return true;
    default:
      return false;
  }
}

bool Fault::ends(std::size_t node) const {
  switch (kind) {
    case FaultKind::kFillLeaderDisk:
    case FaultKind::kBreakLeaderDisk:
      return node == leader;
    case FaultKind::kFillFollowerDisk:
      return node == follower;
    default:
      return false;
  }
}

bool Fault::spares_leader() const {
  switch (kind) {
    case FaultKind::kKillFollower:
    case FaultKind::kPauseFollower:
    case FaultKind::kHoldFollowerDisk:
    case FaultKind::kSlowFollowerDisk:
    case FaultKind::kFillFollowerDisk:
      return true;
    default:
      return false;
  }
}

FaultDeck::FaultDeck(std::vector<FaultKind> kinds, Dice dice)
    : kinds_(std::move(kinds)), dice_(dice) {}

Fault FaultDeck::Draw(std::size_t nodes, std::size_t leader) {
  if (left_.empty()) left_ = kinds_;
  const auto drawn = left_.begin() + static_cast<std::ptrdiff_t>(dice_.Below(left_.size()));
  Fault fault;
  fault.kind = *drawn;
  left_.erase(drawn);
  fault.leader = leader;
  fault.follower = (leader + dice_.Between(1, nodes - 1)) % nodes;
  const bool is_long = dice_.Chance(50);
  fault.lasts = std::chrono::milliseconds(
      dice_.Below(is_long ? kLongMillisecondsMax : kShortMillisecondsMax));
  fault.outlives_leader = dice_.Chance(50);
  return fault;
}

}  // namespace wharf::crash
