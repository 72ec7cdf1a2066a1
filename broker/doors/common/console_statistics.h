// ConsoleStatistics: what the door of the console counts. Plain values.
#pragma once

#include <cstddef>

#include "broker/requests/broker_statistics.h"

namespace wharf {

struct ConsoleStatistics {
  // Connections, and requests by kind and status.
  HttpStatistics http{};
  // Now: under way, and signed in.
  std::size_t open_calls = 0;
  std::size_t sessions = 0;
};

}  // namespace wharf
