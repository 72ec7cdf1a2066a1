// KeyWalk: the rows of one range of a table, past what cannot be read; their keys have any form.
//
// Used on reader threads and at the start; each sees the store as it was at one instant.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "broker/schema/tables.h"
#include "storage/base/status.h"
#include "storage/store.h"

namespace wharf {

class KeyWalk {
 public:
  KeyWalk(const StoreView& view, Table table, KeyRange range)
      : range_(std::move(range)), rows_(view.Scan(IdOf(table), range_)) {}

  // Whether there is one more row that can be read.
  Result<bool> HasNext();
  std::string_view key() const { return rows_->key(); }
  std::string_view value() const { return rows_->value(); }
  void Next();
  // To the first row at or behind this key of the range.
  void Seek(std::string key);

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
