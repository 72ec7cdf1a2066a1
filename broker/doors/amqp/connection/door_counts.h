// DoorCounts: how many links the AMQP door has, and how many it has accepted and refused. Shared by
// all its connections, which count on their strands; any thread may read.
#pragma once

#include <atomic>
#include <cstdint>

namespace wharf::amqp {

struct DoorCounts {
  // Links to entities; those to `$cbs` are not counted.
  std::atomic<std::uint64_t> open_links = 0;
  std::atomic<std::uint64_t> links = 0;
  std::atomic<std::uint64_t> links_refused = 0;
};

}  // namespace wharf::amqp
