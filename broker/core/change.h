// Change: one thing that happened. Every answer of the broker rests on a list of them.
//
// Made by entities when they plan, taken by them at once, turned into rows by schema, and printed
// by tests. A change says all that schema needs, so that nothing has to be read to write it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "broker/core/message.h"
#include "broker/core/names.h"
#include "broker/core/queue_description.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

struct LaneId {
  EntityId entity;
  LaneKind kind = LaneKind::kMain;
  friend auto operator<=>(const LaneId&, const LaneId&) = default;

  template <typename H>
  friend H AbslHashValue(H state, const LaneId& lane) {
    return H::combine(std::move(state), lane.entity, lane.kind);
  }
};

// What deviates from a message that was never delivered.
struct Delivery {
  // Deliveries that failed (CNT-1).
  std::uint32_t count = 0;
  // Application properties changed by receivers since it was stored (STL-7). Null: none.
  std::shared_ptr<const PropertyMap> changed_properties;
};

// What an entity is, apart from its messages.
struct EntityRecord {
  EntityId id;
  QueueDescription description;
  Timestamp created_at;
  Timestamp updated_at;
};

// Counters of a lane, and where its receivers stand. Part of every commit that changes them.
struct LaneCounters {
  // Messages at or above the cursor: never delivered.
  std::int64_t fresh = 0;
  // Messages with a lock.
  std::int64_t locked = 0;
  // Messages below the cursor that are available again, or were moved here.
  std::int64_t returned = 0;
  // Bytes of all of them.
  std::int64_t bytes = 0;
  // The next number to give; the main lane's counts for the whole entity.
  SequenceNumber next_number{1};
  // At or above it no message was ever delivered.
  SequenceNumber cursor{1};
  // What lies below it no longer exists.
  SequenceNumber floor{1};
  // The last send or receive; the main lane's counts.
  Timestamp accessed_at;

  std::int64_t messages() const { return fresh + locked + returned; }
  friend bool operator==(const LaneCounters&, const LaneCounters&) = default;
};

struct EntityCreated {
  EntityRecord record;
};
struct EntityUpdated {
  EntityRecord record;
};
// The entity is gone for everyone; its rows are reclaimed later, in bounded steps.
struct EntityDeleted {
  EntityId id;
  std::string name;
};
// A step of that: rows of the entity up to `through` in one lane, and these bodies, can go.
struct EntityReclaimed {
  LaneId lane;
  SequenceNumber through;
  std::vector<BodyRef> bodies;
};
struct EntityReclaimFinished {
  EntityId id;
};

struct MessageEnqueued {
  LaneId lane;
  MessagePtr message;
};
struct MessageLocked {
  LaneId lane;
  SequenceNumber number;
  LockToken token;
  Timestamp until;
  Delivery delivery;
  MessageFacts facts;
  bool was_returned = false;
};
struct LockRenewed {
  LaneId lane;
  SequenceNumber number;
  LockToken token;
  Timestamp until;
  Delivery delivery;
  MessageFacts facts;
};
// A locked message is done.
struct MessageCompleted {
  LaneId lane;
  SequenceNumber number;
  MessageFacts facts;
};
// A message left for a receiver that takes it without a lock (receive-and-delete). A large body
// becomes loose: it is still to be sent.
struct MessageConsumed {
  LaneId lane;
  SequenceNumber number;
  MessageFacts facts;
  bool was_returned = false;
};

enum class ReturnCause : std::uint8_t { kAbandoned, kLockExpired, kReleased };

// A locked message is available again at its old place.
struct MessageReturned {
  LaneId lane;
  SequenceNumber number;
  Delivery delivery;
  MessageFacts facts;
  ReturnCause cause = ReturnCause::kReleased;
};
// A locked message moved from the main lane to the dead-letter queue; it keeps its number (SEQ-7).
struct MessageDeadLettered {
  EntityId entity;
  // As it rests there, with reason and description among its application properties.
  MessagePtr message;
  Delivery delivery;
  // Of the message as it was.
  MessageFacts facts_before;
};
// The next chunk of a large body whose message does not exist yet. Such a body is *loose*: a row
// says that no message names it, from its first chunk to its MessageEnqueued.
struct BodyChunkStored {
  BodyRef body;
  std::uint32_t chunk = 0;
  std::string bytes;
};
// A loose body is not wanted any more: its chunks go.
struct LooseBodyDropped {
  BodyRef body;
};
// Made at the end of a turn for every lane that the turn touched.
struct CountersChanged {
  LaneId lane;
  LaneCounters counters;
};

using Change = std::variant<EntityCreated, EntityUpdated, EntityDeleted, EntityReclaimed,
                            EntityReclaimFinished, MessageEnqueued, MessageLocked, LockRenewed,
                            MessageCompleted, MessageConsumed, MessageReturned, MessageDeadLettered,
                            BodyChunkStored, LooseBodyDropped, CountersChanged>;
using Changes = std::vector<Change>;

}  // namespace wharf
