// RowJudge: one compaction's question whether a row is garbage: whether anybody would miss it.
//
// Made for each compaction by what the table says of its garbage (table.h), and asked on that
// compaction's thread only, of the rows that it rewrites, while others read and write. What it
// calls garbage may be gone from then on, also from views that are open, and may as well stay.
#pragma once

#include <string_view>

namespace wharf {

class RowJudge {
 public:
  virtual ~RowJudge() = default;
  // `value` is empty where the table says that the key is enough.
  virtual bool IsGarbage(std::string_view key, std::string_view value) = 0;
};

}  // namespace wharf
