// flip_row: changes the last byte of the first row of a table in the state of a node, as no
// checksum sees it.
//
//   flip_row FOLDER TABLE        no daemon may use the folder

#include <cstdio>
#include <string>

#include "broker/schema/tables.h"
#include "replication/cluster_node/state_folder.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {
namespace {

Result<TableId> FindTable(const std::string& name) {
  const TableSet& tables = BrokerTables();
  for (std::size_t id = 0; id < tables.size(); ++id) {
    if (tables[id].name == name) return static_cast<TableId>(id);
  }
  return Status(ErrorCode::kArgumentError, "there is no table " + name);
}

// By another deletion than that of the table it would be damage of another kind.
void PutAnew(const TableSet& tables, TableId table, const std::string& key,
             const std::string& value, WriteBatch& batch) {
  if (tables[table].is_deleted_singly) batch.SingleDelete(table, key);
  batch.Put(table, key, value);
}

Status FlipRow(const char* folder, const char* name) {
  const Result<TableId> table = FindTable(name);
  if (!table.ok()) return table.status();
  const Result<std::string> path = StateFolder(folder).path();
  if (!path.ok()) return path.status();
  auto store = RocksStore::Open(
      {.path = *path, .tables = BrokerTables(), .position = BrokerStatePosition()});
  if (!store.ok()) return store.status();
  WriteBatch batch;
  {
    const auto view = (*store)->View();
    const auto row = view->Scan(*table, {std::string(), std::string(64, '\xFF')});
    if (!row->valid()) return {ErrorCode::kArgumentError, "the table has no row"};
    std::string value(row->value());
    value.back() = static_cast<char>(value.back() ^ 1);
    PutAnew(BrokerTables(), *table, std::string(row->key()), value, batch);
  }
  WHARF_RETURN_IF_ERROR((*store)->Write({&batch, 1}, RocksStore::Sync::kNo));
  return (*store)->Flush();
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const wharf::Status status = wharf::FlipRow(argv[1], argv[2]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "flip_row: %s\n", status.message().c_str());
  return 1;
}
