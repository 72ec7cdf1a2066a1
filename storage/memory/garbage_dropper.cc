#include "storage/memory/garbage_dropper.h"

namespace wharf {
namespace {

bool HasRow(const MemoryTables& tables, TableId id, const std::string& key,
            const std::string& value) {
  const MemoryTable* rows = FindTable(tables, id);
  if (rows == nullptr) return false;
  const auto row = rows->find(key);
  return row != rows->end() && row->second == value;
}

}  // namespace

GarbageDropper::GarbageDropper(const TableSet& tables, std::uint64_t seed) : random_(seed) {
  for (std::size_t id = 0; id < tables.size(); ++id) {
    if (!tables[id].garbage) continue;
    tables_.push_back({static_cast<TableId>(id), *tables[id].garbage, {}});
  }
}

// What is garbage to a looker may be deleted already: a compaction sees a row and not always what
// is above it.
void GarbageDropper::MayDrop(Lookers lookers) {
  if (tables_.empty() || !Happens(4)) return;
  JudgedTable& table = tables_[random_.Next() % tables_.size()];
  const MemoryTables& looker = *lookers[random_.Next() % lookers.size()];
  std::vector<Row> rows = GarbageOf(table, SomeJudge(table), looker);
  std::erase_if(rows, [this](const Row&) { return Happens(2); });
  Drop(table.id, rows, lookers);
}

void GarbageDropper::DropAll(Lookers lookers) {
  for (const JudgedTable& table : tables_) {
    const std::unique_ptr<RowJudge> judge = table.garbage.make_judge();
    for (const MemoryTables* looker : lookers) {
      Drop(table.id, GarbageOf(table, *judge, *looker), lookers);
    }
  }
}

void GarbageDropper::ForgetJudges() {
  for (JudgedTable& table : tables_) table.judges.clear();
}

RowJudge& GarbageDropper::SomeJudge(JudgedTable& table) {
  std::vector<std::unique_ptr<RowJudge>>& judges = table.judges;
  if (judges.size() < kJudgesMax) {
    judges.push_back(table.garbage.make_judge());
  } else if (Happens(kJudgesMax)) {
    judges[random_.Next() % judges.size()] = table.garbage.make_judge();
  }
  return *judges[random_.Next() % judges.size()];
}

std::vector<GarbageDropper::Row> GarbageDropper::GarbageOf(const JudgedTable& table,
                                                           RowJudge& judge,
                                                           const MemoryTables& looker) {
  std::vector<Row> garbage;
  const MemoryTable* rows = FindTable(looker, table.id);
  if (rows == nullptr) return garbage;
  for (const auto& [key, value] : *rows) {
    const std::string_view shown = table.garbage.needs_value ? std::string_view(value) : "";
    if (judge.IsGarbage(key, shown)) garbage.emplace_back(key, value);
  }
  return garbage;
}

void GarbageDropper::Drop(TableId id, const std::vector<Row>& rows, Lookers lookers) {
  for (MemoryTables* looker : lookers) {
    for (const auto& [key, value] : rows) {
      if (HasRow(*looker, id, key, value)) WritableTable(*looker, id).erase(key);
    }
  }
}

}  // namespace wharf
