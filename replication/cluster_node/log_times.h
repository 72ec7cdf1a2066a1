// LogTimes: since when the log of a leader has had entries that a member lacks: how far behind that
// is in time.
//
// What it remembers are looks at the log, and not each entry: in between it says too little, by the
// pace of the looks, or by a sixteenth of what is long ago. Of what is older than the leadership it
// says "at least". Bounded; used by a
// ClusterNode on the node's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "storage/base/time.h"

namespace wharf {

class LogTimes {
 public:
  static constexpr std::size_t kLooksMax = 512;

  // The log ends with this entry now.
  void Note(std::uint64_t last, Duration now) {
    if (!looks_.empty() && looks_.back().last >= last) return;
    if (looks_.size() == kLooksMax) Thin(now);
    looks_.push_back({last, now});
  }
  // This node leads no more.
  void Clear() { looks_.clear(); }

  // For how long the log has had more than the entries up to this one.
  Duration BehindFor(std::uint64_t match, Duration now) const {
    for (const Look& look : looks_) {
      if (look.last > match) return now - look.at;
    }
    return Duration(0);
  }

 private:
  struct Look {
    std::uint64_t last;
    Duration at;
  };

  // The longer ago, the less looks are told apart: between two that are left lies a part of their
  // age. So some hundred of them reach back a lifetime.
  void Thin(Duration now) {
    constexpr int kParts = 16;
    std::vector<Look> kept = {looks_.front()};
    for (std::size_t i = 1; i < looks_.size(); ++i) {
      const bool is_last = i + 1 == looks_.size();
      const bool is_needed =
          is_last || (looks_[i + 1].at - kept.back().at) * kParts > now - looks_[i].at;
      if (is_needed) kept.push_back(looks_[i]);
    }
    looks_ = std::move(kept);
  }

  std::vector<Look> looks_;
};

}  // namespace wharf
