// damage_counters: counts two locks more than there are, in every lane of a data folder that has
// messages.
//
//   damage_counters FOLDER        no daemon may use the folder

#include <cstdio>

#include "broker/schema/keys.h"
#include "broker/schema/records.h"
#include "broker/schema/tables.h"
#include "storage/rocks/rocks_store.h"
#include "tests/harness/single_store.h"

namespace wharf {
namespace {

Status DamageCounters(const char* folder) {
  auto store = OpenDataFolder(folder);
  if (!store.ok()) return store.status();
  WriteBatch batch;
  const auto view = (*store)->View();
  const KeyRange all{std::string(), std::string(20, '\xFF')};
  for (const auto rows = view->Scan(IdOf(Table::kCounters), all); rows->valid(); rows->Next()) {
    Result<LaneCounters> counters = DecodeCounters(rows->value());
    if (!counters.ok()) return counters.status();
    if (counters->messages() == 0) continue;
    counters->locked += 2;
    batch.Put(IdOf(Table::kCounters), rows->key(), EncodeCounters(*counters));
  }
  return (*store)->Write({&batch, 1}, RocksStore::Sync::kYes);
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const wharf::Status status = wharf::DamageCounters(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "damage_counters: %s\n", status.message().c_str());
  return 1;
}
