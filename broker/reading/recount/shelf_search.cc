#include "broker/reading/recount/shelf_search.h"

#include <optional>

#include <fmt/core.h>

#include "broker/reading/recount/message_row.h"
#include "broker/schema/keys.h"
#include "broker/schema/tables.h"

namespace wharf {
namespace {

Status StandsOnMany(const EntityRecord& record) {
  return {ErrorCode::kGeneralError,
          fmt::format("'{}' cannot be repaired: the row of its counters cannot be read, and "
                      "messages stand on more than one shelf; delete it, or restore the folder "
                      "from a backup",
                      record.description.name)};
}

// What was purged is being reclaimed, and says so.
Result<bool> IsReclaimed(const StoreView& view, const Shelf& shelf) {
  const auto row = view.Get(IdOf(Table::kJobs), ReclaimShelfKey(shelf));
  if (!row.ok()) return row.status();
  return row->has_value();
}

}  // namespace

// The lane is where there are messages that are not being reclaimed; if there are none, on the
// first shelf that is free.
Result<Shelf> FindShelf(const StoreView& view, const EntityRecord& record, LaneKind kind) {
  std::optional<Shelf> found;
  std::optional<Shelf> empty;
  for (std::uint8_t generation = 0; generation < kShelfGenerations; ++generation) {
    const Shelf shelf(record.id, kind, generation);
    const Result<bool> is_reclaimed = IsReclaimed(view, shelf);
    if (!is_reclaimed.ok()) return is_reclaimed.status();
    if (*is_reclaimed) continue;
    const auto first = MessagesOf(view, shelf, SequenceNumber()).Next();
    if (!first.ok()) return first.status();
    if (*first && found) return StandsOnMany(record);
    if (*first) found = shelf;
    if (!*first && !empty) empty = shelf;
  }
  return found.value_or(empty.value_or(Shelf(record.id, kind)));
}

}  // namespace wharf
