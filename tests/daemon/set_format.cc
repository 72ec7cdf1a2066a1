// set_format: writes a format version into a data folder, as if another wharfd had.
//
//   set_format FOLDER VERSION

#include <cstdio>
#include <cstdlib>

#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/rocks/rocks_store.h"
#include "tests/harness/single_store.h"

namespace wharf {
namespace {

Status SetFormat(const char* folder, std::uint64_t version) {
  auto store = OpenDataFolder(folder);
  if (!store.ok()) return store.status();
  WriteBatch batch;
  batch.Put(IdOf(Table::kMeta), kMetaFormat, EncodeMeta(version));
  return (*store)->Write({&batch, 1}, RocksStore::Sync::kYes);
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const wharf::Status status = wharf::SetFormat(argv[1], std::strtoull(argv[2], nullptr, 10));
  if (status.ok()) return 0;
  std::fprintf(stderr, "set_format: %s\n", status.message().c_str());
  return 1;
}
