// Looks for a message in some entities: by its message id, for which everything is walked over, or
// by its number; and for what their event logs tell of it.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "broker/core/changes/shelf.h"
#include "broker/core/messages/message_place.h"
#include "storage/store.h"

namespace wharf {

// What is to be known of an entity to look into it.
struct TracedEntity {
  Shelf main;
  Shelf dead_letter;
  // Scheduled messages with lower numbers are gone.
  SequenceNumber scheduled_floor;
  // It looks for duplicates.
  bool remembers_ids = false;
  // It has an event log, which tells of so long.
  std::optional<Duration> event_log{};
};

struct TraceRange {
  std::vector<TracedEntity> entities;
  WantedMessage wanted;
  // Of the first entity.
  EntityPart part = EntityPart::kMain;
  SequenceNumber from;
  std::vector<FollowedMessage> followed{};
  // Rows that one page looks at, about; messages, or events, that it tells of, and about so many
  // bytes of messages. One, if there is any among these rows, however long.
  std::size_t rows_max = 0;
  std::size_t found_max = 0;
  std::size_t found_bytes_max = 0;
  Timestamp now{};
};

struct FoundPlace {
  // Of the range, counted from 0.
  std::size_t entity;
  LaneKind lane;
  PeekedMessage peeked;
  // Standing locked: by which lock.
  LockToken token{};
};

struct FoundId {
  std::size_t entity;
  SequenceNumber number;
  Timestamp forget_after;
};

// Without the path of its entity.
struct FoundEvent {
  std::size_t entity;
  LaneKind lane;
  MessageEvent event;
};

struct TraceFindings {
  std::vector<FoundPlace> places;
  std::vector<FoundId> remembered;
  std::vector<FoundEvent> events;
  // Of an entity more messages were found than are followed.
  bool has_untold = false;
  // Places of event logs that cannot be read, each of a row or of rows behind each other.
  std::size_t damaged_places = 0;
  std::size_t looked_at = 0;
  // So many entities are done; in the next one, if there is one, it goes on there.
  std::size_t done = 0;
  EntityPart part = EntityPart::kMain;
  SequenceNumber from;
  std::vector<FollowedMessage> followed;
};

// Past what cannot be read: of such a message nobody knows the id.
Result<TraceFindings> ReadTrace(const StoreView& view, TraceRange range);

}  // namespace wharf
