#include "replication/peers/streams/peer_link.h"

#include <algorithm>
#include <utility>

namespace wharf {

PeerLink::PeerLink(Member member, const PeerLimits& limits)
    : member_(std::move(member)),
      queues_{SendQueue(limits.small_queue_bytes), SendQueue(limits.bulk_queue_bytes)} {}

bool PeerLink::IsConnected() const {
  return std::all_of(is_up_.begin(), is_up_.end(), [](bool is_up) { return is_up; });
}

void PeerLink::NoteUp(Traffic traffic, FormatLevels levels, Timestamp now) {
  MutexLock lock(mutex_);
  is_up_[IndexOf(traffic)] = true;
  facts_.levels = levels;
  facts_.last_heard = now;
  if (!IsConnected()) return;
  facts_.connected_since = now;
  facts_.last_failure.clear();
}

void PeerLink::NoteHeard(Timestamp now) {
  MutexLock lock(mutex_);
  facts_.last_heard = now;
}

void PeerLink::NoteClock(const ClockProbe::Reading& reading) {
  MutexLock lock(mutex_);
  facts_.round_trip = reading.round_trip;
  facts_.clock_offset = reading.clock_offset;
}

void PeerLink::NoteFailure(Traffic traffic, const std::string& why) {
  MutexLock lock(mutex_);
  is_up_[IndexOf(traffic)] = false;
  facts_.last_failure = why;
}

void PeerLink::NoteRefused(const std::string& why) {
  MutexLock lock(mutex_);
  facts_.last_failure = why;
}

PeerStatus PeerLink::status() const {
  PeerStatus status;
  {
    MutexLock lock(mutex_);
    status = facts_;
    status.is_connected = IsConnected();
  }
  status.member = member_;
  if (!status.is_connected) status.connected_since = {};
  for (const SendQueue& queue : queues_) {
    status.bytes_queued += queue.bytes();
    status.messages_dropped += queue.dropped();
  }
  return status;
}

}  // namespace wharf
