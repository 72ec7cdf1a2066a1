// LaneId, Shelf, Standing: where a message is.
//
// Every change names one; schema makes keys of them, so the values of a standing are on disk.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>

#include "broker/core/entities/names.h"
#include "storage/base/ids.h"

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

// The rows of a lane. A purge leaves them behind, to be reclaimed, and begins the next generation.
struct Shelf {
  EntityId entity;
  LaneKind kind = LaneKind::kMain;
  std::uint8_t generation = 0;

  Shelf() = default;
  Shelf(EntityId of, LaneKind lane_kind, std::uint8_t lane_generation = 0)
      : entity(of), kind(lane_kind), generation(lane_generation) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a lane that was never purged names its rows.
  Shelf(const LaneId& lane) : Shelf(lane.entity, lane.kind) {}

  LaneId lane() const { return {entity, kind}; }
  friend auto operator<=>(const Shelf&, const Shelf&) = default;
};
// Generations that a lane goes through before it begins again.
inline constexpr std::uint8_t kShelfGenerations = 64;

// Where a message stands in its lane. All but kFresh have a row in `delivery`; the values are on
// disk.
enum class Standing : std::uint8_t {
  kFresh = 0,     // Never delivered, at or above the cursor.
  kLocked = 1,    // Held by a receiver.
  kReturned = 2,  // Available again, or moved here.
  kDelayed = 3,   // Waits out a delay after a failed delivery (RTY-2).
  kDeferred = 4,  // Received by its number only (DEF-1).
  // Cannot be read, and is out of the way of all others: only looked at, and removed by its number.
  kQuarantined = 5,
};

}  // namespace wharf
