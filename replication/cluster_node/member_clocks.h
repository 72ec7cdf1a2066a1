// MemberClocks: what the wall clocks of the members say, as one node hears it.
//
// A cluster has one time, which its leaders hand on; the clocks of the walls only say what it is
// when all nodes were down. Then the one in the middle counts: one that is wrong, also the
// leader's own, moves nothing. What differs is told once. Used by a ClusterNode on the thread of
// its looks.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "storage/base/time.h"

namespace wharf {

// By how much the clock in the middle is ahead of this node's own; of an even number the earlier
// one, because what expires too early is gone. `offsets`: of the others.
inline Duration MedianOffset(std::vector<Duration> offsets) {
  offsets.push_back(Duration(0));
  std::sort(offsets.begin(), offsets.end());
  return offsets[(offsets.size() - 1) / 2];
}

class MemberClocks {
 public:
  // Apart by more than this they are wrong; by less than half of it they are right again.
  static constexpr Duration kApartMax = std::chrono::seconds(1);

  // What there is to say of this member's clock: empty, nothing new.
  std::string Note(const std::string& name, Duration offset) {
    const Duration apart = offset < Duration(0) ? -offset : offset;
    bool& is_apart = is_apart_[name];
    if (!is_apart && apart > kApartMax) {
      is_apart = true;
      return fmt::format(
          "the wall clock of {} is {:.1f} s {} this node's: nothing expires by that, but one of "
          "them is wrong",
          name, std::chrono::duration<double>(apart).count(),
          offset < Duration(0) ? "behind" : "ahead of");
    }
    if (is_apart && apart < kApartMax / 2) {
      is_apart = false;
      return fmt::format("the wall clock of {} agrees with this node's again", name);
    }
    return {};
  }

 private:
  // As many as a cluster ever had members while this node runs.
  std::map<std::string, bool> is_apart_;
};

}  // namespace wharf
