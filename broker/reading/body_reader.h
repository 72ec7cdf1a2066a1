// Reads a piece of the body of one message, wherever it stands, for a caller that only looks.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "broker/core/changes/shelf.h"
#include "broker/core/messages/body_piece.h"
#include "storage/base/status.h"
#include "storage/store.h"

namespace wharf {

struct BodyRange {
  Shelf shelf;
  SequenceNumber number;
  // Scheduled messages with lower numbers are gone.
  SequenceNumber scheduled_floor;
  // Where in the body, and how much of it at most.
  std::uint64_t from = 0;
  std::size_t bytes_max = 0;
  // Of the entity, for people.
  std::string name{};
};

// MessageNotFound if there is no such message, ArgumentOutOfRange if the body ends before, and
// GeneralError if it cannot be read.
Result<BodyPiece> ReadBodyPiece(const StoreView& view, const BodyRange& range);

}  // namespace wharf
