// count_rows: how many rows large bodies have in a data folder, and how many bodies are loose.
//
//   count_rows FOLDER        prints e.g. "bodies=400 loose=1"; no daemon may use the folder

#include <cstdio>

#include "broker/schema/keys.h"
#include "broker/schema/tables.h"
#include "storage/rocks/rocks_store.h"
#include "tests/harness/job_rows.h"
#include "tests/harness/single_store.h"

namespace wharf {
namespace {

std::size_t RowsIn(const StoreView& view, Table table, const KeyRange& range) {
  std::size_t count = 0;
  for (const auto rows = view.Scan(IdOf(table), range); rows->valid(); rows->Next()) ++count;
  return count;
}

Status CountRows(const char* folder) {
  auto store = OpenDataFolder(folder);
  if (!store.ok()) return store.status();
  const auto view = (*store)->View();
  const KeyRange all{std::string(), std::string(20, '\xFF')};
  std::printf("bodies=%zu loose=%zu\n", RowsIn(*view, Table::kBodies, all),
              KeysOfJobs(*view, JobKind::kLooseBody).size());
  return {};
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const wharf::Status status = wharf::CountRows(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "count_rows: %s\n", status.message().c_str());
  return 1;
}
