// PeerLimits: how long, how often and how much, for the streams between nodes; with what is good
// where nobody says otherwise. Tests make them short. Values.
#pragma once

#include <cstddef>
#include <limits>

#include "replication/peers/streams/redial_pause.h"
#include "replication/peers/streams/traffic.h"
#include "storage/base/time.h"

namespace wharf {

struct PeerLimits {
  // Of what waits for one peer.
  std::size_t small_queue_bytes = 256 << 10;
  std::size_t bulk_queue_bytes = 4 << 20;
  // Until a connection is there; then until both ends have said who they are.
  Duration connect_max = std::chrono::seconds(5);
  Duration handshake_max = std::chrono::seconds(5);
  // Until an invitation is answered: the other end writes to its disk.
  Duration invitation_max = std::chrono::seconds(30);
  // Both ends of a stream ping; who hears nothing at all for this long ends it.
  Duration ping_every = std::chrono::milliseconds(500);
  Duration silence_max = std::chrono::seconds(3);
  RedialPause::Bounds redial{};
  // Connections of whom nobody knows yet who they are; the oldest makes room.
  std::size_t strangers_max = 64;
  // Clients that others bring have descriptors below this one.
  int descriptors_max = std::numeric_limits<int>::max();

  std::size_t QueueBytes(Traffic traffic) const {
    return traffic == Traffic::kSmall ? small_queue_bytes : bulk_queue_bytes;
  }
};

}  // namespace wharf
