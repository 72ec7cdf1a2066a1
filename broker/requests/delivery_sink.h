// DeliverySink: where deliveries go, the door's side of a receiver.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/requests/receive_requests.h"
#include "broker/requests/session_use.h"

namespace wharf {

// What a receiver may still get. Credit adds up. `bytes` absent: not limited by bytes.
struct Credit {
  std::uint64_t messages = 0;
  std::optional<std::uint64_t> bytes;
};

// Called on the publisher's thread, after the commit of what is told, one call at a time: what is
// slow here keeps other callers waiting, but no turn.
class DeliverySink {
 public:
  virtual ~DeliverySink() = default;
  virtual void OnDeliveries(std::vector<Delivered> deliveries) = 0;
  // The answer to a drain: credit that was thrown away. Always behind the last delivery.
  virtual void OnDrained(Credit left) = 0;
  virtual void OnStopped() = 0;
  // The receiver holds this session now; before its first delivery.
  virtual void OnSessionAccepted(const AcceptedSession& /*session*/) {}
  // Of many sessions it lost or gave up one; behind its last delivery. The end of the only one ends
  // the receiver.
  virtual void OnSessionEnded(const EndedSession& /*session*/) {}
  // The broker ended the receiver: its entity is gone or disabled, or its time is over (then the
  // reason is Ok). The last call.
  virtual void OnDetached(Status reason) = 0;
};

}  // namespace wharf
