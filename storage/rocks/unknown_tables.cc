#include "storage/rocks/unknown_tables.h"

#include <algorithm>
#include <memory>

#include "storage/rocks/rocks_status.h"

namespace wharf {

Result<std::vector<std::string>> FindUnknownTables(
    const rocksdb::DBOptions& db_options, const std::string& path,
    const std::vector<rocksdb::ColumnFamilyDescriptor>& known) {
  std::vector<std::string> tables;
  const rocksdb::Status status = rocksdb::DB::ListColumnFamilies(db_options, path, &tables);
  WHARF_RETURN_IF_ERROR(FromRocks(status, "cannot open " + path));
  std::erase_if(tables, [&](const std::string& name) {
    return std::any_of(known.begin(), known.end(),
                       [&](const auto& table) { return table.name == name; });
  });
  return tables;
}

Status RefuseUnknownTable(const std::string& path, const std::string& table) {
  return {ErrorCode::kGeneralError, path + " has a table '" + table +
                                        "' that this wharfd does not know: it was written by "
                                        "a newer version"};
}

Status DropUnknownTable(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* table,
                        const std::string& path) {
  const std::string doing = "cannot open " + path;
  const std::unique_ptr<rocksdb::Iterator> row(db.NewIterator({}, table));
  row->SeekToFirst();
  if (row->Valid()) return RefuseUnknownTable(path, table->GetName());
  WHARF_RETURN_IF_ERROR(FromRocksRead(row->status(), doing));
  WHARF_RETURN_IF_ERROR(FromRocks(db.DropColumnFamily(table), doing));
  return FromRocks(db.DestroyColumnFamilyHandle(table), doing);
}

}  // namespace wharf
