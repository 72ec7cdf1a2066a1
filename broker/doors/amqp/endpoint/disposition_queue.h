// DispositionQueue: what is said of deliveries, one by one, leaves as ranges.
//
// Holds one range that may still grow; another role, state or number makes it leave.
#pragma once

#include <cstdint>
#include <optional>

#include "broker/doors/amqp/endpoint/frame_writer.h"
#include "broker/doors/amqp/endpoint/ids.h"
#include "broker/doors/amqp/types/composites.h"

namespace wharf::amqp {

class DispositionQueue {
 public:
  struct Said {
    Role role = Role::kReceiver;
    bool is_settled = false;
    std::optional<DeliveryState> state;

    friend bool operator==(const Said&, const Said&) = default;
  };

  void Add(DeliveryId delivery, Said said, std::uint16_t channel, FrameWriter& out);
  void Flush(std::uint16_t channel, FrameWriter& out);

 private:
  struct Range {
    Said said;
    DeliveryId first;
    DeliveryId last;
  };

  std::optional<Range> range_;
};

}  // namespace wharf::amqp
