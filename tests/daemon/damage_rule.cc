// damage_rule: makes the text of every SQL filter in a data folder one that cannot be compiled.
//
//   damage_rule FOLDER        no daemon may use the folder

#include <cstdio>

#include "broker/schema/keys.h"
#include "broker/schema/rule_record.h"
#include "broker/schema/tables.h"
#include "storage/rocks/rocks_store.h"
#include "tests/harness/single_store.h"

namespace wharf {
namespace {

Status DamageRules(const char* folder) {
  auto store = OpenDataFolder(folder);
  if (!store.ok()) return store.status();
  WriteBatch batch;
  const auto view = (*store)->View();
  const KeyRange all{std::string(), std::string(20, '\xFF')};
  for (const auto rows = view->Scan(IdOf(Table::kRules), all); rows->valid(); rows->Next()) {
    Result<RuleDescription> rule = DecodeRule(rows->value());
    if (!rule.ok()) return rule.status();
    auto* sql = std::get_if<SqlText>(&rule->filter);
    if (sql == nullptr) continue;
    sql->text = "==";
    batch.Put(IdOf(Table::kRules), rows->key(), EncodeRule(*rule));
  }
  return (*store)->Write({&batch, 1}, RocksStore::Sync::kYes);
}

}  // namespace
}  // namespace wharf

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const wharf::Status status = wharf::DamageRules(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "damage_rule: %s\n", status.message().c_str());
  return 1;
}
