#include "storage/memory/memory_tables.h"

namespace wharf {

MemoryTable& WritableTable(MemoryTables& tables, TableId table) {
  if (table >= tables.size()) tables.resize(std::size_t{table} + 1);
  std::shared_ptr<MemoryTable>& rows = tables[table];
  if (rows == nullptr) {
    rows = std::make_shared<MemoryTable>();
  } else if (rows.use_count() > 1) {
    rows = std::make_shared<MemoryTable>(*rows);
  }
  return *rows;
}

const MemoryTable* FindTable(const MemoryTables& tables, TableId table) {
  return table < tables.size() ? tables[table].get() : nullptr;
}

}  // namespace wharf
