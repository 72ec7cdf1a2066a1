// RowWalk: the rows of one range of a table, past what cannot be read; they have numbers. Those
// with other keys have a KeyWalk (schema/key_walk.h).
//
// A Recount walks with both. It goes over every row of an entity, and what stands in a damaged
// block must not end that. Used on reader threads; each sees the store as it was at one instant.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "broker/schema/message_rows.h"
#include "broker/schema/tables.h"
#include "storage/store.h"

namespace wharf {

// Rows that have numbers, in ascending order.
class RowWalk {
 public:
  using NumberOfKey = std::optional<SequenceNumber> (*)(std::string_view key);

  // `range` begins at `from`.
  RowWalk(const StoreView& view, Table table, const KeyRange& range, SequenceNumber from,
          KeyOfNumber key_of, NumberOfKey number_of)
      : view_(view),
        table_(table),
        key_of_(std::move(key_of)),
        number_of_(number_of),
        rows_(view.Scan(IdOf(table), range)),
        at_(from) {}

  // The number of the next row that can be read; nothing if there is none.
  Result<std::optional<SequenceNumber>> Next();
  // The row of a number that is not behind what Next told, in ascending order; nothing if there is
  // none, and damage if there may be one.
  Result<std::optional<std::string>> Take(SequenceNumber number);

  // Where no row could be read, up to the next that could; empty if there is no such place.
  SequenceNumber damage_begin() const { return damage_begin_; }
  SequenceNumber damage_end() const { return damage_end_; }

 private:
  const StoreView& view_;
  const Table table_;
  const KeyOfNumber key_of_;
  const NumberOfKey number_of_;
  std::unique_ptr<StoreCursor> rows_;
  SequenceNumber at_;
  SequenceNumber damage_begin_;
  SequenceNumber damage_end_;
};

}  // namespace wharf
