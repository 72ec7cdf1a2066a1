#include "storage/log/ordered_writes.h"

#include <algorithm>

namespace wharf {

void OrderedWrites::Put(TableId table, std::string_view key, std::string_view value) {
  Add(table, {key, value, Kind::kPut});
}

void OrderedWrites::Delete(TableId table, std::string_view key) {
  Add(table, {key, {}, Kind::kDelete});
}

void OrderedWrites::SingleDelete(TableId table, std::string_view key) {
  Add(table, {key, {}, Kind::kSingleDelete});
}

void OrderedWrites::DeleteRange(TableId table, std::string_view begin, std::string_view end) {
  Add(table, {begin, end, Kind::kDeleteRange});
  WritesOf(table).has_range = true;
}

void OrderedWrites::NoteTime(Timestamp time) { notes_.time = time; }

void OrderedWrites::NoteFreed(TableId table, std::string_view begin, std::string_view end) {
  notes_.freed.push_back({table, {std::string(begin), std::string(end)}});
}

void OrderedWrites::NoteWatchedPut(TableId table, std::string_view key, std::string_view value) {
  const std::string begin(key);
  notes_.watched.push_back({{table, {begin, begin + '\0'}}, std::string(value)});
}

void OrderedWrites::NoteWatchedDelete(TableId table, std::string_view begin, std::string_view end) {
  notes_.watched.push_back({{table, {std::string(begin), std::string(end)}}, std::nullopt});
}

void OrderedWrites::Visit(WriteBatch::Visitor& visitor) {
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    Sort(tables_[table]);
    if (!tables_[table].has_range) DropVoid(tables_[table].writes);
    for (const Write& write : tables_[table].writes) {
      VisitOne(static_cast<TableId>(table), write, visitor);
    }
  }
}

void OrderedWrites::Add(TableId table, const Write& write) {
  WritesOf(table).writes.push_back(write);
  ++count_;
  bytes_ += write.key.size() + write.value.size();
}

OrderedWrites::TableWrites& OrderedWrites::WritesOf(TableId table) {
  if (table >= tables_.size()) tables_.resize(std::size_t{table} + 1);
  return tables_[table];
}

// Most come in order: a plain queue is read from its head.
void OrderedWrites::Sort(TableWrites& table) {
  const auto is_before = [](const Write& a, const Write& b) { return a.key < b.key; };
  std::vector<Write>& writes = table.writes;
  if (table.has_range || std::is_sorted(writes.begin(), writes.end(), is_before)) return;
  std::stable_sort(writes.begin(), writes.end(), is_before);
}

// The writes of a key stand behind each other. A row that is deleted singly was put once before, so
// a put and a single deletion are nothing together; what was put or deleted otherwise counts as it
// was last. In one table there is one of the two ways.
void OrderedWrites::DropVoid(std::vector<Write>& writes) {
  std::size_t kept = 0;
  for (const Write& write : writes) {
    const bool has_before = kept > 0 && writes[kept - 1].key == write.key;
    if (has_before && Voids(write, writes[kept - 1])) {
      --kept;
      if (write.kind == Kind::kSingleDelete) continue;
    }
    writes[kept++] = write;
  }
  writes.resize(kept);
}

bool OrderedWrites::Voids(const Write& later, const Write& before) {
  if (later.kind == Kind::kSingleDelete) return before.kind == Kind::kPut;
  return before.kind != Kind::kSingleDelete;
}

void OrderedWrites::VisitOne(TableId table, const Write& write, WriteBatch::Visitor& visitor) {
  switch (write.kind) {
    case Kind::kPut:
      return visitor.Put(table, write.key, write.value);
    case Kind::kDelete:
      return visitor.Delete(table, write.key);
    case Kind::kSingleDelete:
      return visitor.SingleDelete(table, write.key);
    case Kind::kDeleteRange:
      return visitor.DeleteRange(table, write.key, write.value);
  }
}

}  // namespace wharf
