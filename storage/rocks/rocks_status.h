// RocksDB's words for what went wrong, in ours, and our texts in its. The only place that
// translates them.
#pragma once

#include <string_view>

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include "storage/base/status.h"

namespace wharf {

// `doing` says what could not be done and to which folder, e.g. "cannot open /data".
Status FromRocks(const rocksdb::Status& status, std::string_view doing);
// The same of rows that were read: damage if the disk gave bytes that are not those that were
// written, and no damage if it gave none.
Status FromRocksRead(const rocksdb::Status& status, std::string_view doing);

// The same of a store that is opened: it is damage, too, if one of its files is missing.
Status FromRocksOpen(const rocksdb::Status& status, std::string_view doing);

// Whether a folder could not be locked because someone else has locked it.
bool IsLockHeld(const rocksdb::Status& status);

// Looks at the text, and does not keep it.
inline rocksdb::Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace wharf
