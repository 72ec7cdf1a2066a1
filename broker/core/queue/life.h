// Life: how long a message lives in an entity, as its description says (TTL-1..3, TTL-16).
//
// Pure functions; asked wherever a message enters, and wherever one may have expired.
#pragma once

#include <optional>

#include "broker/core/changes/change.h"

namespace wharf {

// How long the message lives that enters; nothing: for ever (TTL-1, TTL-3).
std::optional<Duration> LifeOf(const QueueDescription& description, const Message& message);

// Starts the time to live of a message that enters the main lane now (TTL-1, TTL-3).
void StartLife(const QueueDescription& description, StoredMessage& stored);

// Its own time is over. On its way to another entity it has none (TTL-16).
inline bool HasLivedOut(const QueueDescription& description, LaneKind kind,
                        const MessageFacts& facts, Timestamp now) {
  return kind == LaneKind::kMain && facts.expires_at <= now && !description.forward_to;
}

}  // namespace wharf
