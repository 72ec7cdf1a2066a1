// Shared: what a connection, its sessions and its links have in common. Used inside of the
// endpoint.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "broker/doors/amqp/endpoint/events.h"
#include "broker/doors/amqp/endpoint/frame_writer.h"
#include "broker/doors/amqp/endpoint/ids.h"
#include "broker/doors/amqp/endpoint/options.h"

namespace wharf::amqp {

class Link;
class Session;

struct Shared {
  explicit Shared(EndpointOptions of_connection) : options(std::move(of_connection)) {}

  EndpointOptions options;
  FrameWriter out;
  // Of one frame, a few at most: the next one is read when these have been taken.
  std::deque<Event> events;
  // Of all sessions.
  absl::flat_hash_map<LinkId, Link*> links;
  // Those that have to say something before the output is taken.
  std::vector<Session*> talkative;
  // Those that may be over, or have links that are.
  absl::flat_hash_set<SessionId> swept;
  // Somebody waits for MayWrite.
  bool is_blocked = false;
  std::uint64_t last_id = 0;

  bool has_output_room() const { return out.size() < options.limits.output_bytes_max; }
  void Tell(Event event) { events.push_back(std::move(event)); }
  void Unblock() {
    if (std::exchange(is_blocked, false)) Tell(MayWrite());
  }
};

}  // namespace wharf::amqp
