// Fault: what goes wrong in one life of a cluster, and to whom; drawn by lot. A value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "storage/base/time.h"
#include "tools/crash/runs/dice.h"

namespace wharf::crash {

// Those that change the members come last.
enum class FaultKind : std::uint8_t {
  kKillLeader,
  kKillFollower,
  kKillTwo,  // The leader and another one.
  kKillAll,
  kStopLeader,   // SIGTERM.
  kPauseLeader,  // SIGSTOP, and SIGCONT.
  kPauseFollower,
  kLeaderAlone,     // The others do not hear it, nor it them.
  kLeaderUnheard,   // They do not hear it.
  kLeaderDeaf,      // It does not hear them.
  kBridge,          // It and one of the others do not hear each other, and the rest hear both.
  kFlapping,        // It is alone, and is not, and is, each 200 ms.
  kLateNetwork,     // What it says comes late.
  kTransfer,        // Leadership is handed over.
  kClocksApart,     // The leader is killed while the clocks of all nodes are an hour apart.
  kHoldLeaderDisk,  // No sync ends.
  kHoldFollowerDisk,
  kSlowLeaderDisk,  // Each sync takes half a second.
  kSlowFollowerDisk,
  kFillLeaderDisk,  // No file grows.
  kFillFollowerDisk,
  kBreakLeaderDisk,  // No sync goes well.
  kCutLeaderPower,   // What was not synced is gone.
  kCutAllPower,
  kChangeVersions,   // Two nodes, one of which leads, are upgraded, or go back.
  kUpgradeAll,       // All that are older are upgraded.
  kReplaceLeader,    // A new node joins, and it leaves.
  kReplaceFollower,  // The same with another one.
  kReplaceDead,      // One is killed, leaves, and a new node joins.
  kBreakSender,      // A new node joins, and who sends it a snapshot is killed meanwhile.
  kBreakReceiver,    // The new node is.
  kBreakInvitation,  // A new node is invited by who is alone then, and killed: nobody knows of it.
};

// In the order of the values.
inline constexpr std::array<std::string_view, 32> kFaultNames = {"kill-leader",
                                                                 "kill-follower",
                                                                 "kill-two",
                                                                 "kill-all",
                                                                 "stop-leader",
                                                                 "pause-leader",
                                                                 "pause-follower",
                                                                 "leader-alone",
                                                                 "leader-unheard",
                                                                 "leader-deaf",
                                                                 "bridge",
                                                                 "flapping",
                                                                 "late-network",
                                                                 "transfer",
                                                                 "clocks-apart",
                                                                 "hold-leader-disk",
                                                                 "hold-follower-disk",
                                                                 "slow-leader-disk",
                                                                 "slow-follower-disk",
                                                                 "fill-leader-disk",
                                                                 "fill-follower-disk",
                                                                 "break-leader-disk",
                                                                 "cut-leader-power",
                                                                 "cut-all-power",
                                                                 "change-versions",
                                                                 "upgrade-all",
                                                                 "replace-leader",
                                                                 "replace-follower",
                                                                 "replace-dead",
                                                                 "break-sender",
                                                                 "break-receiver",
                                                                 "break-invitation"};
inline std::string_view NameOf(FaultKind kind) {
  return kFaultNames[static_cast<std::size_t>(kind)];
}
// Nothing: there is none of this name.
std::optional<FaultKind> FaultNamed(std::string_view name);

struct Fault {
  FaultKind kind = FaultKind::kKillLeader;
  std::size_t leader = 0;
  // Another one, whom it strikes alone or as well.
  std::size_t follower = 0;
  // How long it lasts, before anybody does anything about it.
  Duration lasts{};
  // It goes on while the next leader is looked for, if there can be one.
  bool outlives_leader = false;

  // Whether who leads is asked to end, or to hand over, and leaves nobody in doubt.
  bool is_orderly() const {
    return kind == FaultKind::kStopLeader || kind == FaultKind::kTransfer || changes_versions();
  }
  // Whether nodes are of another version of the broker after it.
  bool changes_versions() const {
    return kind == FaultKind::kChangeVersions || kind == FaultKind::kUpgradeAll;
  }
  // Whether the work goes on while it lasts, at the next leader.
  bool keeps_serving() const { return kind == FaultKind::kTransfer || changes_versions(); }
  // Whether the members of the cluster are others after it.
  bool changes_members() const { return kind >= FaultKind::kReplaceLeader; }
  // Whether who leads has no part in it, and nobody waits for the next one.
  bool spares_leader() const;
  // Whether the time until the next one leads is none of its own.
  bool lets_work_go_on() const {
    return changes_members() || changes_versions() || spares_leader();
  }
  // Whether this node is killed when it strikes.
  bool kills(std::size_t node) const;
  // Whether this node ends by itself, as its disk takes nothing any more.
  bool ends(std::size_t node) const;
};

// FaultDeck: faults by lot, of each kind equally many: all of them come before one comes again.
class FaultDeck {
 public:
  // Of these kinds; at least one.
  FaultDeck(std::vector<FaultKind> kinds, Dice dice);

  // For a cluster of so many nodes that this one leads. What is drawn depends on nothing else but
  // the dice: the same seed makes the same faults, counted from whoever leads.
  Fault Draw(std::size_t nodes, std::size_t leader);

 private:
  const std::vector<FaultKind> kinds_;
  Dice dice_;
  std::vector<FaultKind> left_;
};

}  // namespace wharf::crash
