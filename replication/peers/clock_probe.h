// ClockProbe: how long the way to a peer and back takes, and how far its wall clock is from ours.
//
//   ping = steady time of who asks (8)                                microseconds, little-endian
//   pong = the same steady time (8) · wall clock of who answers (8)
//
// Of the last few answers the quickest is believed: the longer one was under way, the less it says
// of the clock. A value; used by a Pulse on the strand of the peers.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "storage/base/time.h"

namespace wharf {

class ClockProbe {
 public:
  struct Reading {
    Duration round_trip{};
    Duration clock_offset{};  // Theirs less ours.

    friend bool operator==(const Reading&, const Reading&) = default;
  };

  static std::string Ping(Duration steady_now);
  // Nothing if that is no ping.
  static std::optional<std::string> PongTo(std::string_view ping, Timestamp wall_now);

  // Whether that was an answer to a ping of ours that can be.
  bool Take(std::string_view pong, Duration steady_now, Timestamp wall_now);
  // Of the quickest of the last answers; nothing before the first.
  std::optional<Reading> Best() const;

 private:
  std::array<std::optional<Reading>, 8> readings_{};
  std::size_t next_ = 0;
};

}  // namespace wharf
