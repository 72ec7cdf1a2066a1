// Park: fills a queue with messages that wait for something else than a receiver: for their time,
// for someone who asks for their number, or for the end of a delay.
//
// For measurements of what lies beside the backlog. Runs on the main thread.
#pragma once

#include <cstdint>
#include <string>

#include "tools/client/client.h"
#include "tools/wharf/bench/histogram.h"

namespace wharf::tool {

enum class ParkedState { kScheduled, kDeferred, kDelayed };

struct ParkPlan {
  std::string queue;
  ParkedState state = ParkedState::kScheduled;
  std::uint64_t count = 0;
  std::size_t body_size = 1024;
  // Scheduled, delayed: so long from now, and then evenly over so long.
  Duration after = std::chrono::hours(24);
  Duration over{};
};

// Puts `count` messages into the queue and leaves them in that state.
Status Park(client::Client& client, const ParkPlan& plan);

struct DueReport {
  std::uint64_t messages = 0;
  // How long after its time each was activated, by the broker's clock.
  Histogram lateness;
};
// Schedules messages evenly over `plan.over`, receives them, and tells how late they were.
Result<DueReport> MeasureDue(client::Client& client, const ParkPlan& plan);

}  // namespace wharf::tool
