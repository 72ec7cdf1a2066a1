// DoorLimits: how much one client, and all of them together, may have of the AMQP door, and for how
// long. Plain values; made by whoever makes the AmqpServer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace wharf::amqp {

struct DoorLimits {
  using Span = std::chrono::milliseconds;

  // Of all listeners (QUO-6).
  std::size_t connections_max = 5000;

  // Of one connection.
  std::uint16_t sessions_max = 5000;
  std::size_t links_max = 4000;
  std::uint32_t frame_bytes_max = 65536;
  // What waits to be written; as much again may be on its way.
  std::size_t output_bytes_max = std::size_t{256} << 10;
  // Of messages that have begun to come, over all of its links.
  std::size_t partial_bytes_max = std::size_t{4} << 20;
  // Of messages that the broker has not answered: at so many no more is read.
  std::size_t unanswered_bytes_max = std::size_t{4} << 20;
  std::size_t claims_max = 1000;

  // Before it has proven any right.
  std::size_t unproven_bytes_max = std::size_t{64} << 10;
  std::size_t unproven_sessions_max = 2;

  // From the connection to its open, and from there to the first right (LNK-8).
  Span open_max{20'000};
  Span prove_max{20'000};
  // Without a link to an entity: after the open, and after the last one went (LNK-7).
  Span first_link_max{60'000};
  Span no_link_max{300'000};
  // Told to the client, who is given up when it is silent for twice as long.
  Span idle_time_out{240'000};
  // Who wants to hear from us more often than twice in it is refused.
  Span client_idle_time_out_min{1000};
  // Until a piece of what is said has left.
  Span write_max{60'000};
  // For what was asked before our close, until the broker has answered it.
  Span answer_max{1000};
  // From our close to the client's.
  Span close_max{5000};
  // How often rights are looked at that links rest on (LNK-14).
  Span look_pace{1000};
};

}  // namespace wharf::amqp
