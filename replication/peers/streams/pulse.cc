#include "replication/peers/streams/pulse.h"

#include <utility>

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "storage/base/log_limit.h"

namespace wharf {

Pulse::Pulse(const PeerWorld& world, FramedStream& stream,
             std::function<void(const Status&)> silent)
    : world_(world),
      stream_(stream),
      silent_(std::move(silent)),
      beat_at_(SteadyNow()),
      timer_(world.strand) {}

void Pulse::Start() { Beat(); }

// After a pause of this process it is not the other end that was silent: what came meanwhile is
// still to be read.
void Pulse::Beat() {
  const Duration now = SteadyNow();
  const bool is_late = now - std::exchange(beat_at_, now) > 2 * world_.limits.ping_every;
  const Duration silence = now - stream_.heard_at();
  if (!is_late && silence > world_.limits.silence_max) {
    return silent_(
        Broken(fmt::format("nothing was heard of it for {}",
                           std::chrono::duration_cast<std::chrono::milliseconds>(silence))));
  }
  if (stream_.has_room()) stream_.Write(FrameKind::kPing, ClockProbe::Ping(SteadyNow()));
  timer_.After(world_.limits.ping_every, [this] { Beat(); });
}

Status Pulse::Take(const Frame& frame) {
  if (frame.kind == FrameKind::kPing) return Answer(frame);
  if (frame.kind != FrameKind::kPong) {
    return Broken(fmt::format("a frame of kind {} came out of turn", static_cast<int>(frame.kind)));
  }
  if (probe_.Take(frame.payload, SteadyNow(), world_.wall.Now())) return {};
  return Broken("an answer came that is to no ping");
}

// One answer at most waits behind what is being sent: who pings without reading gets no more.
Status Pulse::Answer(const Frame& ping) {
  const auto pong = ClockProbe::PongTo(ping.payload, world_.wall.Now());
  if (!pong) return Broken("a ping came that is not whole");
  if (stream_.has_room()) stream_.Write(FrameKind::kPong, *pong);
  return {};
}

}  // namespace wharf
