// SlowLog: tells the log of requests that took long, and where the time went, a line a second at
// most, with how many more there were.
//
// Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "broker/engine/turn/turn_times.h"
#include "broker/requests/caller.h"
#include "storage/base/log_limit.h"
#include "storage/base/time.h"

namespace wharf {

class SlowLog {
 public:
  // A request that was planned in a turn.
  struct Trace {
    // Of the request, "SendRequest"; a literal or as good.
    std::string_view request{};
    // What it is about; empty: no entity.
    std::string entity{};
    std::string client{};
    TrackingId tracking_id{};
    // What takes as long is told.
    Duration slow{};
    // When it came, and when its turn came to it.
    Duration asked{};
    Duration planned{};
    std::shared_ptr<const TurnTimes> turn{};
  };

  // `answered`: now. Nothing, if it was not slow.
  void Note(const Trace& trace, Duration answered);

  // "2.31 s: waited 0.01 s for its turn, planned in 0 s, synced in 2.3 s, told in 0 s".
  static std::string PartsOf(const Trace& trace, Duration answered);

 private:
  LogLimit limit_{std::chrono::seconds(1)};
};

}  // namespace wharf
