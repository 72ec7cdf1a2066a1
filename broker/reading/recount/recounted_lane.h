// RecountedLane: what a Recount found of one lane so far, its counts and what is wrong.
//
// Filled by the Recount and by the parts that count for it, on a reader thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "broker/core/changes/change.h"
#include "broker/core/operations/recount_report.h"
#include "broker/reading/recount/delivery_walk.h"
#include "broker/reading/row_walk.h"
#include "broker/schema/shelf_spans.h"

namespace wharf {

struct RecountedLane {
  // Walks that meet damage, behind those of the standings.
  static constexpr std::size_t kOfMessages = kDeliveryStandings.size();
  static constexpr std::size_t kOfScheduled = kOfMessages + 1;
  static constexpr std::size_t kWalks = kOfScheduled + 1;

  RecountedLane(const EntityRecord& record, LaneKind kind);

  // A step that begins in a damaged place meets it again, and counts it once.
  void NoteDamage(std::size_t walk, const RowWalk& rows);
  // All counters but the next numbers and the cursor, as they are to be.
  LaneCounters Counted() const;
  // What the rows say otherwise than they should. `due`: the counters as they are to be.
  void Compare(const LaneCounters& due, std::vector<RecountDifference>& differences) const;

  Shelf shelf;
  // Messages that were never delivered stand at or above a cursor.
  bool has_cursor = false;
  bool has_sessions = false;
  // Nothing: the row cannot be read.
  std::optional<LaneCounters> stored;
  // Messages that were counted out: the view shows none of them.
  ShelfSpans spans;

  MessageCounts counts;
  std::int64_t session_state_bytes = 0;
  // All that were looked at.
  std::int64_t messages = 0;
  std::optional<SequenceNumber> lowest_fresh;

  std::int64_t rows_without_message = 0;
  // The same, of messages that were counted out.
  std::int64_t rows_covered = 0;
  std::int64_t rows_too_many = 0;
  std::int64_t rows_unreadable = 0;
  std::int64_t rows_missing = 0;
  // Messages that wait in an order and have no row there, or one with another standing.
  std::int64_t order_wrong = 0;
  // Rows of `order` that messages have, and all there are.
  std::int64_t order_of_messages = 0;
  std::int64_t order_rows = 0;
  // Stretches of rows that cannot be read, and up to where they were counted in each walk.
  std::int64_t damaged_places = 0;
  std::array<SequenceNumber, kWalks> damage_noted{};
  // Outside of quarantine.
  std::int64_t messages_unreadable = 0;
  // That cover numbers that were never given.
  std::int64_t spans_too_far = 0;
  std::int64_t scheduled_unreadable = 0;
  // States of sessions.
  std::int64_t states_unreadable = 0;
};

}  // namespace wharf
