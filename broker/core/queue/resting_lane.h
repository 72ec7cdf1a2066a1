// RestingLane: what is left to be known of a lane while nothing is in it.
//
// A plain value; kept by a Queue that rests.
#pragma once

#include <cstdint>

#include "broker/core/changes/counters.h"

namespace wharf {

// When an entity was used, as the row of its counters says it; memory is up to a minute ahead.
struct WrittenUse {
  Timestamp active_at;
  Timestamp accessed_at;

  friend bool operator==(const WrittenUse&, const WrittenUse&) = default;
};

// What the main lane counts for the whole entity; of a dead-letter queue each has its default.
struct RestingEntity {
  SequenceNumber next_number{1};
  SequenceNumber scheduled_floor{1};
  Timestamp accessed_at;
  Timestamp active_at;
  WrittenUse written_use;

  friend bool operator==(const RestingEntity&, const RestingEntity&) = default;
};

// Of LaneCounters everything else has its default.
struct RestingLane {
  SequenceNumber cursor{1};
  std::uint8_t generation = 0;

  // The lane may rest only if these are exactly those that it has.
  LaneCounters CountersOf(const RestingEntity& entity) const;
};

}  // namespace wharf
