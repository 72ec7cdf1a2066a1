// Reads what is left of a message in quarantine, row by row, as it is stored.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "broker/core/changes/shelf.h"
#include "broker/core/messages/quarantine_export.h"
#include "storage/base/status.h"
#include "storage/store.h"

namespace wharf {

struct ExportRange {
  Shelf shelf;
  SequenceNumber number;
  // The rows of a message count from 0: that of `messages`, that of `delivery`, then its body's.
  std::uint32_t from_row = 0;
  // A page ends with the row that reaches it.
  std::size_t bytes_max = 0;
  // Of the entity, for people.
  std::string name{};
};

// A row that cannot be read is in the page, with the reason. MessageNotFound if there is no such
// message, InvalidOperation if it is not in quarantine.
Result<QuarantineExport> ReadQuarantine(const StoreView& view, const ExportRange& range);

}  // namespace wharf
