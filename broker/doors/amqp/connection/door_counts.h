// DoorCounts: how many links the AMQP door has, how many it has accepted and refused, and the
// frames of its connections. Shared by all of them, which count on their strands; any thread may
// read.
#pragma once

#include <atomic>
#include <cstdint>

namespace wharf::amqp {

struct DoorCounts {
  // Links to entities; those to `$cbs` are not counted.
  std::atomic<std::uint64_t> open_links = 0;
  std::atomic<std::uint64_t> links = 0;
  std::atomic<std::uint64_t> links_refused = 0;
  // As of what each connection read and wrote last.
  std::atomic<std::uint64_t> frames_received = 0;
  std::atomic<std::uint64_t> frames_sent = 0;
};

}  // namespace wharf::amqp
