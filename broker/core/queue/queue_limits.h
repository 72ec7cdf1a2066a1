// QueueLimits: what bounds every queue, whatever its description says. Constant after start.
#pragma once

#include <cstddef>

#include "broker/core/queue/lane.h"

namespace wharf {

struct QueueLimits {
  // Per lane; further receives wait (LCK-13).
  std::size_t locked_messages_max = 100000;
  // Per queue; no further one can be accepted.
  std::size_t held_sessions_max = 100000;
  LaneLimits lane{};
  // How long after it was found in use it is seen whether a queue may rest.
  Duration look_pause = std::chrono::seconds(2);
};

}  // namespace wharf
