// Store: the committed bytes, to be read. Written only by a commit log.
//
// Reading may take disk time, so the shard leaves it to reader threads, except when it starts. Any
// thread may read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/base/status.h"
#include "storage/table.h"

namespace wharf {

// The rows of a range in one table.
struct TableRange {
  TableId table = 0;
  KeyRange range;
};

// Walks a range in order of its keys. Sees the store as it was when the cursor was made.
// Short-lived: a cursor keeps old files alive.
class StoreCursor {
 public:
  virtual ~StoreCursor() = default;
  virtual bool valid() const = 0;
  virtual void Next() = 0;
  // The first row at or behind `key`, inside the range. Also out of damage: a cursor that met some
  // is as good as before if the row at `key` can be read.
  virtual void Seek(std::string_view key) = 0;
  // Views that end with the next call.
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  // What stopped the walk, if not the end of the range; damage as long as it stands where it cannot
  // read.
  virtual Status status() const = 0;
};

// The committed state at one instant.
class StoreView {
 public:
  virtual ~StoreView() = default;
  // The value, or nothing if there is no such row. Damage if there may be one, in what cannot be
  // read.
  virtual Result<std::optional<std::string>> Get(TableId table, std::string_view key) const = 0;
  // Positioned on the first row of the range.
  virtual std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  // All reads through one view see the same state. Short-lived, as a cursor is.
  virtual std::unique_ptr<StoreView> View() const = 0;
};

}  // namespace wharf
