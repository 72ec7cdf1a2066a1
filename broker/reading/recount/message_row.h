// MessageRow: the row of one message, or of a scheduled one, as far as it can be read.
//
// Used by a Recount, on a reader thread.
#pragma once

#include <optional>
#include <string>

#include "broker/core/changes/change.h"
#include "broker/reading/row_walk.h"
#include "storage/base/status.h"

namespace wharf {

struct MessageRow {
  bool is_there = false;
  // It stands in a place that cannot be read, and may be gone.
  bool is_guess = false;
  // A message that cannot be read is put into quarantine by the receiver that comes to it.
  bool is_readable = false;
  MessageFacts facts{};
};

// The rows of a lane from this number on.
RowWalk MessagesOf(const StoreView& view, const Shelf& shelf, SequenceNumber from);

// `record`: as it was read; an error that is no damage is returned.
Result<MessageRow> ToMessageRow(SequenceNumber number,
                                const Result<std::optional<std::string>>& record);

}  // namespace wharf
