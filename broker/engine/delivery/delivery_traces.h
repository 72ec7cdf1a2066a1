// DeliveryTraces: spans of the messages that wait and are delivered, if they are followed.
//
// A delivery is open from the turn that handed the message out to the one whose changes end its
// lock, whoever does that; both are seen when they are durable. Where nothing is followed nothing
// is looked at. Owned by the Shard, used on its thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "broker/core/changes/change.h"
#include "broker/core/queue/queue.h"
#include "broker/engine/turn/handed_out.h"
#include "broker/engine/turn/turn.h"
#include "broker/trace/tracer.h"
#include "storage/base/clock.h"

namespace wharf {

// A message is handed out in this turn; remembered there if it is followed.
void NoteHandedOut(const Queue& queue, LaneKind kind, const Delivered& delivered, Turn& turn);

class DeliveryTraces {
 public:
  // Of more than so many that are open no spans are made.
  static constexpr std::size_t kOpenMax = 65536;

  // Outlives it. Null: nothing is followed.
  explicit DeliveryTraces(trace::Tracer* tracer, std::size_t open_max = kOpenMax)
      : tracer_(tracer), open_max_(open_max) {}

  // The turn is durable.
  void OnCommitted(Turn& turn, Clock& clock) {
    if (tracer_ == nullptr || (open_.empty() && turn.handed_out.empty())) return;
    Take(turn, clock);
  }

 private:
  class Walk;
  using Place = std::pair<LaneId, SequenceNumber>;

  void Take(Turn& turn, Clock& clock);
  void PushWait(const HandedOut& handed_out);
  void Open(HandedOut handed_out);
  void End(const Place& place, Timestamp now, std::string_view disposition);
  // The lock went, and who held it may not know.
  void EndLost(const Place& place, Timestamp now, std::string_view why);
  // Those of a lane, or of an entity, that is emptied.
  template <typename IsMeant>
  void EndAll(IsMeant is_meant, Timestamp now, std::string_view why);

  trace::Tracer* const tracer_;
  const std::size_t open_max_;
  absl::flat_hash_map<Place, trace::Span> open_;
};

}  // namespace wharf
