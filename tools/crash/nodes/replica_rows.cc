#include "tools/crash/nodes/replica_rows.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>

#include <fmt/core.h>

#include "broker/schema/garbage.h"
#include "broker/schema/garbage_rules.h"
#include "broker/schema/loader.h"
#include "broker/schema/tables.h"
#include "replication/cluster_node/state_folder.h"
#include "storage/rocks/rocks_store.h"
#include "storage/view_ledger.h"

namespace wharf::crash {
namespace {

// Above all keys.
const KeyRange& All() {
  static const KeyRange kAll{std::string(), std::string(64, '\xFF')};
  return kAll;
}

// As whoever compacts this state knows it at its end.
Status Learn(const Store& store, const std::string& folder, Garbage& garbage) {
  const Result<FolderState> state = LoadFolderState(store, folder);
  if (!state.ok()) return state.status();
  garbage.OnApplied({.time = state->last_committed});
  return garbage.Load(store);
}

Status AddTable(const StoreView& view, const GarbageRule& rule, Garbage& garbage,
                ReplicaRows& rows) {
  const std::string& name = BrokerTables()[IdOf(rule.table)].name;
  const std::unique_ptr<RowJudge> judge =
      rule.make_judge == nullptr ? nullptr : rule.make_judge(garbage);
  const auto cursor = view.Scan(IdOf(rule.table), All());
  for (; cursor->valid(); cursor->Next()) {
    if (judge != nullptr && judge->IsGarbage(cursor->key(), cursor->value())) continue;
    rows.emplace(std::pair(name, std::string(cursor->key())), cursor->value());
  }
  return cursor->status();
}

std::string Hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

Result<ReplicaRows> Read(const std::string& folder, const std::string& state, bool is_single) {
  const auto store = RocksStore::Open({.path = state,
                                       .tables = BrokerTables(),
                                       .position = BrokerStatePosition(),
                                       .is_single = is_single});
  if (!store.ok()) return store.status();
  ViewLedger views;
  Garbage garbage(views);
  WHARF_RETURN_IF_ERROR(Learn(**store, folder, garbage));
  const auto view = (*store)->View();
  ReplicaRows rows;
  for (const GarbageRule& rule : GarbageRules()) {
    WHARF_RETURN_IF_ERROR(AddTable(*view, rule, garbage, rows));
  }
  if (!rows.empty()) return rows;
  return Status(ErrorCode::kGeneralError, folder + " holds nothing");
}

}  // namespace

Result<ReplicaRows> ReadReplica(const std::string& folder) {
  const Result<std::string> path = StateFolder(folder).path();
  if (!path.ok()) return path.status();
  return Read(folder, *path, /*is_single=*/false);
}

Result<ReplicaRows> ReadSingle(const std::string& folder) {
  return Read(folder, folder, /*is_single=*/true);
}

std::string DifferenceOf(const ReplicaRows& one, const ReplicaRows& other) {
  const auto [here, there] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (here == one.end() && there == other.end()) return {};
  const auto& row = here == one.end() || (there != other.end() && there->first < here->first)
                        ? there->first
                        : here->first;
  const auto text = [&row](const ReplicaRows& rows) {
    const auto found = rows.find(row);
    return found == rows.end() ? std::string("nothing") : Hex(found->second);
  };
  return fmt::format("the row {} of '{}' is {} and {}", Hex(row.second), row.first, text(one),
                     text(other));
}

std::string LeftOverIn(const ReplicaRows& rows) {
  constexpr Table kOfMessages[] = {Table::kMessages, Table::kBodies,    Table::kBodyRefs,
                                   Table::kDelivery, Table::kScheduled, Table::kOrder};
  for (const Table table : kOfMessages) {
    const std::string& name = BrokerTables()[IdOf(table)].name;
    const auto found = rows.lower_bound({name, std::string()});
    if (found == rows.end() || found->first.first != name) continue;
    return fmt::format("there are no messages, but '{}' has the row {}", name,
                       Hex(found->first.second));
  }
  return {};
}

}  // namespace wharf::crash
