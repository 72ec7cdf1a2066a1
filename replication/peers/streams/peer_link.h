// PeerLink: what there is to say of one other member: who it is, what waits for it, how it goes.
//
// Queues are filled by whoever sends; facts are noted on the strand of the peers and read by
// anyone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "replication/peers/admission/hello.h"
#include "replication/peers/clock_probe.h"
#include "replication/peers/member.h"
#include "replication/peers/peer_limits.h"
#include "replication/peers/streams/send_queue.h"
#include "storage/base/mutex.h"
#include "storage/base/time.h"

namespace wharf {

struct PeerStatus {
  Member member{};
  // Both streams of this node to it are there, since when.
  bool is_connected = false;
  Timestamp connected_since{};
  // When anything came from it last; the beginning of all time: never.
  Timestamp last_heard{};
  // Of the last attempt or stream that failed, in a sentence; empty: none did since it is
  // connected.
  std::string last_failure{};
  std::size_t bytes_queued = 0;
  std::uint64_t messages_dropped = 0;  // Because a queue was full.
  std::optional<Duration> round_trip{};
  std::optional<Duration> clock_offset{};  // Its wall clock less this node's.
  std::optional<FormatLevels> levels{};
};

class PeerLink {
 public:
  PeerLink(Member member, const PeerLimits& limits);

  const Member& member() const { return member_; }
  SendQueue& queue(Traffic traffic) { return queues_[IndexOf(traffic)]; }

  void NoteUp(Traffic traffic, FormatLevels levels, Timestamp now);
  void NoteHeard(Timestamp now);
  void NoteClock(const ClockProbe::Reading& reading);
  // A stream of ours that was up is not any more, or one could not be had.
  void NoteFailure(Traffic traffic, const std::string& why);
  // It came to this node and was refused.
  void NoteRefused(const std::string& why);

  PeerStatus status() const;

 private:
  bool IsConnected() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Member member_;
  std::array<SendQueue, kAllTraffic.size()> queues_;
  mutable Mutex mutex_;
  std::array<bool, kAllTraffic.size()> is_up_ ABSL_GUARDED_BY(mutex_){};
  PeerStatus facts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace wharf
