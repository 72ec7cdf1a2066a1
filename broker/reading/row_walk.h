// RowWalk and KeyWalk: the rows of one range of a table, past what cannot be read.
//
// A Recount walks with them. It goes over every row of an entity, and what stands in a damaged
// block must not end that. Used on reader threads; each sees the store as it was at one instant.
#pragma once

#include <cstdint>
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

// Rows that have keys of any form.
class KeyWalk {
 public:
  KeyWalk(const StoreView& view, Table table, KeyRange range)
      : range_(std::move(range)), rows_(view.Scan(IdOf(table), range_)) {}

  // Whether there is one more row that can be read.
  Result<bool> HasNext();
  std::string_view key() const { return rows_->key(); }
  std::string_view value() const { return rows_->value(); }
  void Next();

  // Where another walk goes on.
  const std::string& at() const { return range_.begin; }
  std::int64_t damaged_places() const { return damaged_places_; }

 private:
  void PassDamage();

  // What is left.
  KeyRange range_;
  const std::unique_ptr<StoreCursor> rows_;
  std::int64_t damaged_places_ = 0;
};

}  // namespace wharf
