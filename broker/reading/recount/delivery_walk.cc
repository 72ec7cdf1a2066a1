#include "broker/reading/recount/delivery_walk.h"

#include <algorithm>
#include <string>

#include "broker/schema/keys.h"
#include "broker/schema/message_rows.h"
#include "broker/schema/tables.h"

namespace wharf {

void FoundStandings::Add(Standing standing, const Result<StandingRow>& row) {
  if (row.ok() && readable.empty()) facts = row->facts;
  (row.ok() ? readable : unreadable).push_back(standing);
}

DeliveryWalk::DeliveryWalk(const StoreView& view, const Shelf& shelf, SequenceNumber from) {
  rows_.reserve(kDeliveryStandings.size());
  for (const Standing standing : kDeliveryStandings) {
    rows_.emplace_back(
        view, Table::kDelivery, DeliveryRange(shelf, standing, from), from,
        [shelf, standing](SequenceNumber number) { return DeliveryKey(shelf, standing, number); },
        NumberOfDeliveryKey);
  }
}

Result<std::optional<SequenceNumber>> DeliveryWalk::Next() {
  std::optional<SequenceNumber> lowest;
  for (RowWalk& rows : rows_) {
    const auto next = rows.Next();
    if (!next.ok()) return next.status();
    if (*next) lowest = std::min(lowest.value_or(**next), **next);
  }
  return lowest;
}

Result<FoundStandings> DeliveryWalk::Take(SequenceNumber number) {
  FoundStandings found;
  for (std::size_t i = 0; i < kDeliveryStandings.size(); ++i) {
    const Standing standing = kDeliveryStandings[i];
    const Result<std::optional<std::string>> record = rows_[i].Take(number);
    if (!record.ok() && !record.status().is_damage()) return record.status();
    if (!record.ok()) {
      found.Add(standing, record.status());
    } else if (*record) {
      found.Add(standing, DecodeStanding(standing, number, **record));
    }
  }
  return found;
}

Result<Standing> StandingOf(const StoreView& view, const Shelf& shelf, SequenceNumber number) {
  for (const Standing standing : kDeliveryStandings) {
    const auto row = view.Get(IdOf(Table::kDelivery), DeliveryKey(shelf, standing, number));
    if (!row.ok() && !row.status().is_damage()) return row.status();
    if (row.ok() && *row) return standing;
  }
  return Standing::kFresh;
}

}  // namespace wharf
