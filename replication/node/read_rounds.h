// ReadRounds: looks ask a majority in rounds, one under way at a time.
//
// A look may be answered when a majority has said, after the look was planned, that its node still
// leads, and everything that was committed by then is applied (ReadIndex of the Raft dissertation,
// 6.4). What is asked while a round is under way waits for the next: the answers to the one under
// way may have left before. Used by RaftNode, on its thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/ids.h"

namespace wharf {

// Counted from 1 by each node since its start; so is never used again for another look.
using ReadRound = StrongId<struct ReadRoundTag, std::uint64_t>;

class ReadRounds {
 public:
  // The round which confirms what is true now.
  ReadRound Request();
  // What to ask the core for; none: nothing, or not now.
  std::optional<std::string> Begin();
  bool is_next_due() const { return !is_under_way_ && requested_ != begun_; }
  // The core's answer; that of a round which nobody waits for is none.
  void OnReadable(std::string_view context, std::uint64_t index);
  // The last round that is confirmed and whose index is applied, if it is a new one.
  std::optional<ReadRound> TakeReadable(std::uint64_t applied);
  // Nobody waits any more. What was asked will not be answered, or too late.
  void Abandon();

 private:
  struct Confirmed {
    ReadRound round;
    std::uint64_t index = 0;
  };

  // Begun last, and asked for last.
  ReadRound begun_;
  ReadRound requested_;
  bool is_under_way_ = false;
  std::deque<Confirmed> confirmed_;
};

}  // namespace wharf
