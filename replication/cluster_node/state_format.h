// StateFormat: what the state of a node says of the format of its rows, by the level that its
// cluster writes (format_level.h).
//
// It is in the same write as the book that says the level: so the states of all members say the
// same as of the same entry, and none has a row that its format does not tell of. What the rows
// mean is not known here. Used on the applier's thread, and by a recovery.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "replication/cluster_node/member_book.h"
#include "storage/base/status.h"
#include "storage/write_batch.h"

namespace wharf {

// The rows that say it; no rows: what there is stays. Empty: no level says anything.
using FormatRows = std::function<WriteBatch(std::uint64_t level)>;

class StateFormat {
 public:
  explicit StateFormat(FormatRows rows) : rows_(std::move(rows)) {}

  // What is to be written with these members, if it was not with those before: whoever began with
  // a state that others left says it again, once. They are written, or nothing is any more.
  Result<WriteBatch> RowsFor(const std::string& members) {
    if (!rows_ || members == said_for_) return WriteBatch();
    const Result<MemberBook> book = MemberBook::Decode(members);
    if (!book.ok()) return book.status();
    said_for_ = members;
    return rows_(book->level);
  }

 private:
  const FormatRows rows_;
  std::string said_for_;
};

}  // namespace wharf
