// Hand compaction: rewrites a table, or some rows of it, because somebody asks for it and not
// because of what RocksDB thinks of its files.
//
// A store with a write-ahead log does it by CompactRange, which flushes first. In one without, that
// would lose rows: RocksDB 7.8 chooses which tables it flushes before it lets go of its mutex, and
// what is written meanwhile to a table that was empty is left out (fixed in 8.1, rocksdb#11148). So
// there it goes by CompactFiles, which flushes nothing. Used by RocksStore and RocksSpace.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/slice.h>

namespace wharf {

enum class HandCompaction { kFlushes, kFilesOnly };

// Null: from the first row on, or to the last. What runs at the same time waits if it is exclusive.
rocksdb::Status CompactByHand(HandCompaction how, rocksdb::DB& db,
                              rocksdb::ColumnFamilyHandle& table, const rocksdb::Slice* begin,
                              const rocksdb::Slice* end, bool is_exclusive);

// They are compacted by others just now, or are gone; there is no room for it; or the store is told
// to give nothing back any more.
bool IsForLater(const rocksdb::Status& status);

}  // namespace wharf
