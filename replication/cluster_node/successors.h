// Successors: to whom leadership can be handed over, best first.
//
// Of the disks those with room come first; of the nodes those that the consensus has heard of just
// now, because a stream may stand whose other end does not answer; then the longest log, which is
// leader soonest. Made by a ClusterNode on its node's thread for each hand-over; plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "replication/core/raft_library.h"

namespace wharf {

struct Successor {
  RaftId node = 0;
  std::string name{};
  bool has_room = true;
  bool was_just_heard = false;
  std::uint64_t match = 0;  // Up to which entry its log is known to be ours.
};

class Successors {
 public:
  explicit Successors(std::vector<Successor> successors) : successors_(std::move(successors)) {
    const auto rank = [](const Successor& each) {
      return std::make_tuple(each.has_room, each.was_just_heard, each.match);
    };
    std::stable_sort(successors_.begin(), successors_.end(),
                     [&](const Successor& a, const Successor& b) { return rank(a) > rank(b); });
  }

  // Null: there is none.
  const Successor* best() const { return successors_.empty() ? nullptr : &successors_.front(); }

  // Each once; then nothing.
  std::optional<RaftId> Next() {
    if (next_ == successors_.size()) return std::nullopt;
    return successors_[next_++].node;
  }

 private:
  std::vector<Successor> successors_;
  std::size_t next_ = 0;
};

}  // namespace wharf
