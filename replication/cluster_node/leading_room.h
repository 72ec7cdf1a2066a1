// LeadingRoom: whether this node's disk has room enough to lead, and keeps up, and which of the
// others have said that theirs does not.
//
// Who leads writes first and most, and sends are refused by its disk: so leadership goes to who has
// room, before that disk is full, and to whose disk answers. A node whose disk is short of either
// leads only where no other one has room, because somebody must, or nobody could receive and make
// any. Made by a ClusterNode; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include "absl/base/thread_annotations.h"
#include "replication/core/raft_library.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"
#include "storage/disk/disk_gate.h"

namespace wharf {

class LeadingRoom {
 public:
  // What another node said of itself is good for so long: it says it four times a second.
  static constexpr Duration kHeardFor = std::chrono::seconds(2);
  // By its silence one that was there for so long is known to have room.
  static constexpr Duration kSilentFor = std::chrono::seconds(2);
  // A disk that has been at something for so long does not keep up.
  static constexpr Duration kAnswerMax = std::chrono::seconds(2);

  // Leads with at least so much; `look` says how the disk is now. Null: it has room.
  LeadingRoom(std::uint64_t bytes_to_lead, std::function<DiskReport()> look)
      : bytes_to_lead_(bytes_to_lead), look_(std::move(look)) {}

  // A few times a second; tells the log what has changed. `disk_age`: for how long the disk has
  // been at something that commits wait for.
  void Look(Duration disk_age, Duration now) {
    LookAtAnswers(disk_age, now);
    if (!look_) return;
    const DiskReport report = look_();
    const std::uint64_t needed = Needed(report);
    MutexLock lock(mutex_);
    const std::uint64_t limit = is_short_ ? needed + needed / 8 : needed;
    const bool was_short =
        std::exchange(is_short_, report.state == DiskState::kFull || report.free_bytes < limit);
    report_ = report;
    if (is_short_ == was_short) return;
    if (is_short_) {
      spdlog::warn("{}", ShortOf());
    } else {
      spdlog::warn("the disk of this node has {} MB left: it may lead",
                   report.free_bytes / kMegabyte);
    }
  }

  bool is_short() const {
    MutexLock lock(mutex_);
    return is_short_ || slow_for_ > Duration(0);
  }
  // One sentence; empty: it has room.
  std::string trouble() const {
    MutexLock lock(mutex_);
    if (slow_for_ > Duration(0)) return SlowFor();
    return is_short_ ? ShortOf() : std::string();
  }
  std::uint64_t free_bytes() const { return look_ ? look_().free_bytes : UINT64_MAX; }

  // Another node has said so of itself.
  void NoteShort(RaftId node, Duration now) {
    MutexLock lock(mutex_);
    std::erase_if(heard_, [now](const auto& each) { return now - each.second > kHeardFor; });
    heard_[node] = now;
  }
  bool IsShort(RaftId node, Duration now) const {
    MutexLock lock(mutex_);
    const auto heard = heard_.find(node);
    return heard != heard_.end() && now - heard->second <= kHeardFor;
  }
  // A few times a second: the other nodes that could say so.
  void NoteThere(const std::set<RaftId>& nodes, Duration now) {
    MutexLock lock(mutex_);
    std::erase_if(there_since_, [&nodes](const auto& each) { return !nodes.contains(each.first); });
    for (const RaftId node : nodes) there_since_.try_emplace(node, now);
  }
  // One that has just come may not have said yet that its disk is short.
  bool IsKnownToHaveRoom(RaftId node, Duration now) const {
    if (IsShort(node, now)) return false;
    MutexLock lock(mutex_);
    const auto since = there_since_.find(node);
    return since != there_since_.end() && now - since->second >= kSilentFor;
  }

 private:
  static constexpr std::uint64_t kMegabyte = 1 << 20;

  // One that has just answered may be as slow again.
  void LookAtAnswers(Duration disk_age, Duration now) {
    MutexLock lock(mutex_);
    const bool was_slow = slow_for_ > Duration(0);
    if (disk_age >= kAnswerMax) {
      slow_for_ = disk_age;
      slow_at_ = now;
    } else if (now - slow_at_ >= kSilentFor) {
      slow_for_ = {};
    }
    const bool is_slow = slow_for_ > Duration(0);
    if (is_slow == was_slow) return;
    if (is_slow) {
      spdlog::warn("{}", SlowFor());
    } else {
      spdlog::warn("the disk of this node answers again: it may lead");
    }
  }
  std::string SlowFor() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return fmt::format(
        "the disk of this node has not answered for {:.1f} s: it leads only where no other one can",
        std::chrono::duration<double>(slow_for_).count());
  }
  // In good time before sends are refused here.
  std::uint64_t Needed(const DiskReport& report) const {
    return std::max(bytes_to_lead_, report.mark_bytes + report.mark_bytes / 2);
  }
  std::string ShortOf() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return fmt::format(
        "the disk of this node has {} MB left: below {} MB it leads only where no other one has "
        "room",
        report_.free_bytes / kMegabyte, Needed(report_) / kMegabyte);
  }

  const std::uint64_t bytes_to_lead_;
  const std::function<DiskReport()> look_;
  mutable Mutex mutex_;
  DiskReport report_ ABSL_GUARDED_BY(mutex_);
  bool is_short_ ABSL_GUARDED_BY(mutex_) = false;
  // Zero: it answers.
  Duration slow_for_ ABSL_GUARDED_BY(mutex_){};
  // When that was seen last.
  Duration slow_at_ ABSL_GUARDED_BY(mutex_){};
  std::map<RaftId, Duration> heard_ ABSL_GUARDED_BY(mutex_);
  std::map<RaftId, Duration> there_since_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
