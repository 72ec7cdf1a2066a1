// Pulse: how both ends of a stream know that the other is still there.
//
// Each pings at its own pace, whatever else it sends: so who sends much and gets little back hears
// of the other end all the same. Used by Incoming and Outgoing, on the strand of the peers.
#pragma once

#include <functional>
#include <optional>

#include "replication/peers/clock_probe.h"
#include "replication/peers/peer_world.h"
#include "replication/peers/streams/framed_stream.h"
#include "replication/peers/streams/strand_timer.h"

namespace wharf {

class Pulse {
 public:
  // The stream outlives it. `silent` is called when nothing has been heard for too long, and may
  // destroy it.
  Pulse(const PeerWorld& world, FramedStream& stream, std::function<void(const Status&)> silent);

  void Start();
  // A ping is answered, an answer measured. An error if the frame is neither, or not whole.
  Status Take(const Frame& frame);

  std::optional<ClockProbe::Reading> reading() const { return probe_.Best(); }

 private:
  void Beat();
  Status Answer(const Frame& ping);

  const PeerWorld& world_;
  FramedStream& stream_;
  const std::function<void(const Status&)> silent_;
  ClockProbe probe_;
  Duration beat_at_;
  StrandTimer timer_;
};

}  // namespace wharf
