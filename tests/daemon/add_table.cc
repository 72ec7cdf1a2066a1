// add_table: makes a table in the state of a node, as a newer wharfd does that knows one more.
//
//   add_table FOLDER [ROW]     with a row in it; no daemon may use the folder

#include <cstdio>
#include <string>

#include "broker/schema/tables.h"
#include "replication/cluster_node/state_folder.h"
#include "storage/rocks/rocks_store.h"

namespace wharf {
namespace {

Status AddTable(const char* folder, const char* row) {
  const Result<std::string> path = StateFolder(folder).path();
  if (!path.ok()) return path.status();
  TableSet tables = BrokerTables();
  tables.push_back({.name = "tomorrow"});
  auto store =
      RocksStore::Open({.path = *path, .tables = tables, .position = BrokerStatePosition()});
  if (!store.ok()) return store.status();
  if (row == nullptr) return (*store)->CloseCleanly();
  WriteBatch batch;
  batch.Put(static_cast<TableId>(tables.size() - 1), row, "of tomorrow");
  WHARF_RETURN_IF_ERROR((*store)->Write({&batch, 1}, RocksStore::Sync::kNo));
  return (*store)->CloseCleanly();
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return 2;
  const wharf::Status status = wharf::AddTable(argv[1], argc == 3 ? argv[2] : nullptr);
  if (status.ok()) return 0;
  std::fprintf(stderr, "add_table: %s\n", status.message().c_str());
  return 1;
}
