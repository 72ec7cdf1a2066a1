// Unknown tables: those of a store on the disk that this version does not know, because a newer one
// made them.
//
// In the state of a node they may stand as long as nothing is in them: a newer version makes all
// its tables when it opens a state, and writes to none that another member does not know
// (replication/format_level.h), so that an older one may take its place again. Used by RocksStore
// while it opens.
#pragma once

#include <string>
#include <vector>

#include <rocksdb/db.h>

#include "storage/base/status.h"

namespace wharf {

Result<std::vector<std::string>> FindUnknownTables(
    const rocksdb::DBOptions& db_options, const std::string& path,
    const std::vector<rocksdb::ColumnFamilyDescriptor>& known);

// What is said of one in the store at `path` that is not let be.
Status RefuseUnknownTable(const std::string& path, const std::string& table);

// Takes it out of the store; refuses if there is a row in it. The handle is as good as before if
// that is refused, and gone otherwise.
Status DropUnknownTable(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* table,
                        const std::string& path);

}  // namespace wharf
