// Table: a named, ordered set of keys and values in the store; a column family of RocksDB.
//
// `schema` declares which tables there are and what their bytes mean; `storage` only keeps them
// apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/row_judge.h"

namespace wharf {

// An index into the TableSet that the store was opened with.
using TableId = std::uint8_t;

// Rows from `begin` up to but not `end`.
struct KeyRange {
  std::string begin;
  std::string end;
};

// What compactions may drop of a table.
struct GarbageOptions {
  // Makes the judge of one compaction, on a thread of the store.
  std::function<std::unique_ptr<RowJudge>()> make_judge;
  // Whether the judge looks at values. Where it does not, none is read for its sake from a blob
  // file.
  bool needs_value = true;
  // Files are rewritten for what is garbage in them when they are some hours old, or rows that lie
  // deep would stay for ever. Costs as much again as is alive: for tables that live on little.
  bool by_age = false;
  // Where garbage lies together: at most `count` ranges that end behind `from`, in the order of
  // their keys and disjoint, of which a judge calls nearly all rows garbage from now on; fewer than
  // `count` if these are the last. None: files are not rewritten for garbage. Any thread.
  std::function<std::vector<KeyRange>(std::string_view from, std::size_t count)> ranges = nullptr;
};

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
  // most so many bytes on, unless that is how rows are deleted here.
  std::size_t neighbours_prefix = 0;
  // Rows are deleted by SingleDelete, or in ranges; in other tables never singly where any are
  // garbage. RocksDB takes a key that was deleted in both ways for damage.
  bool is_deleted_singly = false;
  // What is written to its rows is told to whoever listens to the log (BatchNotes::watched).
  bool is_watched = false;
  // Rows that compactions may drop; none: no row may be dropped.
  std::optional<GarbageOptions> garbage = std::nullopt;
};

using TableSet = std::vector<TableOptions>;

}  // namespace wharf
