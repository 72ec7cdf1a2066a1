// Transfer: how a message moves from one entity to another: forwarded, or redriven out of a
// dead-letter queue.
//
// The source asks the target and moves the message, in one list of changes: it is in one entity at
// any time. What the target does not take rests in the source's dead-letter queue (FWD-11); what is
// there already stays there (FWD-15). Used by the engine's Forwarder and JobRunner, on the shard's
// thread.
#pragma once

#include <cstdint>

#include "broker/core/queue/queue.h"

namespace wharf {

// What became of a message that was to be forwarded.
enum class Forwarded : std::uint8_t {
  kMoved,
  kDeadLettered,
  kPassed,   // It stays in the dead-letter queue: no target would take it.
  kBlocked,  // It stays there, and so does all that is behind it, until the target takes messages.
};

// Moves the head of the lane, which must be there, to the lane's target; `target` may be the reason
// why there is none. `known` is that of the target, and has the head's id.
Forwarded ForwardHead(Queue& source, LaneKind kind, const Result<Queue*>& target, KnownIds& known,
                      Timestamp now, Changes& changes);

// Sends a dead letter of `source`, as it was found, to the end of `target`, which may be the same
// (RDR-1). Refused: it stays (RDR-2).
Status Redrive(Queue& source, const FoundMessage& found, Queue& target, Timestamp now,
               Changes& changes);

}  // namespace wharf
