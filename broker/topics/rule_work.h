// RuleWork: how much the rules of all topics were asked, in steps of a third of a nanosecond or so.
//
// A message that no filter takes leaves no change, and costs all the same: a turn looks here
// whether it has done enough (engine/turn/turn.h). A plain value of Topics; used on the shard's
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wharf {

class RuleWork {
 public:
  // One step of a LIKE compares one byte of text with one of the pattern. As long take, of those:
  static constexpr std::size_t kStepsPerInstruction = 64;  // Of a filter or an action.
  static constexpr std::size_t kStepsPerOwnCopy = 4096;    // That an action changes.

  void Add(std::size_t steps) { steps_ += steps; }
  // Since the start.
  std::uint64_t steps() const { return steps_; }

 private:
  std::uint64_t steps_ = 0;
};

}  // namespace wharf
