// Table: a named, ordered set of keys and values in the store; a column family of RocksDB.
//
// `schema` declares which tables there are and what their bytes mean; `storage` only keeps them
// apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace wharf {

// An index into the TableSet that the store was opened with.
using TableId = std::uint8_t;

struct TableOptions {
  std::string name;
  // Keep values in blob files: for values that are large, written once and deleted once.
  bool in_blob_files = false;
  // Rows are written in the order of their keys and deleted once: a queue. Compacts where deletions
  // pile up.
  bool is_queue = false;
  // Rows of a queue are looked up by their keys, too: where a block of it cannot be read, and what
  // is behind it must be found.
  bool is_looked_up = false;
  // Rows whose keys begin with the same so many bytes are written close to each other; 0: nothing
  // is known. There are few such beginnings at a time, and ranges are deleted only from one of at
  // most so many bytes on.
  std::size_t neighbours_prefix = 0;
  // Whether a row with this value may be dropped when the table is compacted; none: no row may.
  // Asked on threads of the store. For rows that nobody would miss, in tables without single
  // deletions.
  std::function<bool(std::string_view value)> is_garbage = nullptr;
};

using TableSet = std::vector<TableOptions>;

}  // namespace wharf
