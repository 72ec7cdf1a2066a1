// Memory tables: the tables of a MemoryStore, or of one of its views.
//
// A table is shared by all that look at the same rows, and copied by the first that changes it.
// Looked at and changed under the store's mutex.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/table.h"

namespace wharf {

using MemoryTable = std::map<std::string, std::string, std::less<>>;
// By id; null: no row was ever put.
using MemoryTables = std::vector<std::shared_ptr<MemoryTable>>;

// The table, shared with nobody.
MemoryTable& WritableTable(MemoryTables& tables, TableId table);

// The table if it has ever had a row, else null.
const MemoryTable* FindTable(const MemoryTables& tables, TableId table);

}  // namespace wharf
