#include "storage/log/ordered_writes.h"

#include <algorithm>

namespace wharf {

void OrderedWrites::Put(TableId table, std::string_view key, std::string_view value) {
  Add(table, {key, value, Kind::kPut});
}

void OrderedWrites::PutNew(TableId table, std::string_view key, std::string_view value) {
  Add(table, {key, value, Kind::kPutNew});
}

void OrderedWrites::Delete(TableId table, std::string_view key) {
  Add(table, {key, {}, Kind::kDelete});
}

void OrderedWrites::SingleDelete(TableId table, std::string_view key) {
  Add(table, {key, {}, Kind::kSingleDelete});
}

void OrderedWrites::DeleteRange(TableId table, std::string_view begin, std::string_view end) {
  Add(table, {begin, end, Kind::kDeleteRange});
  ++ranges_;
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
  const auto is_range = [](const Write& write) { return write.kind == Kind::kDeleteRange; };
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    const TableId id = static_cast<TableId>(table);
    std::vector<Write>& writes = tables_[table];
    for (auto begin = writes.begin(); begin != writes.end();) {
      const auto range = std::find_if(begin, writes.end(), is_range);
      VisitRows(id, {begin, range}, visitor);
      begin = range;
      if (range != writes.end()) VisitOne(id, *begin++, visitor);
    }
  }
}

void OrderedWrites::Add(TableId table, const Write& write) {
  if (table >= tables_.size()) tables_.resize(std::size_t{table} + 1);
  tables_[table].push_back(write);
  ++count_;
  bytes_ += write.key.size() + write.value.size();
}

void OrderedWrites::VisitRows(TableId table, std::span<Write> rows, WriteBatch::Visitor& visitor) {
  Sort(rows);
  for (const Write& write : DropVoid(rows)) VisitOne(table, write, visitor);
}

// Most come in order: a plain queue is read from its head.
void OrderedWrites::Sort(std::span<Write> rows) {
  const auto is_before = [](const Write& a, const Write& b) { return a.key < b.key; };
  if (std::is_sorted(rows.begin(), rows.end(), is_before)) return;
  std::stable_sort(rows.begin(), rows.end(), is_before);
}

// The writes of a key stand behind each other. A row that is deleted singly was put once before, so
// a put and a single deletion are nothing together; what was put or deleted otherwise counts as it
// was last, unless it was not there before. In one table there is one of the two ways.
std::span<OrderedWrites::Write> OrderedWrites::DropVoid(std::span<Write> rows) {
  std::size_t kept = 0;
  for (const Write& write : rows) {
    std::optional<Write> left = write;
    const bool has_before = kept > 0 && rows[kept - 1].key == write.key;
    if (has_before && Voids(write, rows[kept - 1])) left = Together(write, rows[--kept]);
    if (left) rows[kept++] = *left;
  }
  return rows.first(kept);
}

bool OrderedWrites::Voids(const Write& later, const Write& before) {
  const bool is_put = before.kind == Kind::kPut || before.kind == Kind::kPutNew;
  return later.kind == Kind::kSingleDelete ? is_put : before.kind != Kind::kSingleDelete;
}

// A row is new if its first put was; behind a deletion the store may have what that deletes.
std::optional<OrderedWrites::Write> OrderedWrites::Together(const Write& later,
                                                            const Write& before) {
  const bool was_new = before.kind == Kind::kPutNew;
  const bool is_put = later.kind == Kind::kPut || later.kind == Kind::kPutNew;
  if (is_put) return Write{later.key, later.value, was_new ? Kind::kPutNew : Kind::kPut};
  if (later.kind == Kind::kSingleDelete || was_new) return std::nullopt;
  return later;
}

void OrderedWrites::VisitOne(TableId table, const Write& write, WriteBatch::Visitor& visitor) {
  switch (write.kind) {
    case Kind::kPut:
    case Kind::kPutNew:
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
