// EndpointOptions: what a connection says about itself, and how much it lets a peer have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "broker/doors/amqp/codec/reader.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

struct EndpointLimits {
  // Of one connection, over all its sessions.
  std::size_t links_max = 4000;
  // Deliveries of one session that nobody has settled, in each direction.
  std::size_t unsettled_max = 16384;
  // Transfers that a peer may send on one session before it hears of room for more.
  std::uint32_t incoming_window = 5000;
  std::size_t link_name_bytes_max = 1024;
  // Where this much waits to be written, no more is read and no more deliveries are taken.
  std::size_t output_bytes_max = std::size_t{256} << 10;
  // Before it has opened, a peer sends nothing large.
  std::size_t sasl_frame_bytes_max = 4096;
  DecodeLimits decode{.depth_max = 16, .values_max = 4096};
};

// Who dials says its header first. With mechanisms a layer of SASL comes before: who accepts offers
// these, who dials chooses from what it is offered.
enum class Side : std::uint8_t { kAccepts, kDials };

struct EndpointOptions {
  Side side = Side::kAccepts;
  bool has_sasl = false;
  // Who dials may leave it out; then no event is told of it.
  bool may_skip_sasl = false;
  std::vector<Symbol> mechanisms;
  // Its max-frame-size, channel-max and idle-time-out are also what a peer is held to.
  Open open;
  EndpointLimits limits;
  // The first transfer, delivery and delivery-count; they wrap.
  std::uint32_t first_number = 0;
};

}  // namespace wharf::amqp
