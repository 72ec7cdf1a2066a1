// TablesView: tables in memory as they were when it was made, to be read.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "storage/memory/memory_tables.h"
#include "storage/store.h"

namespace wharf {

class TablesView final : public StoreView {
 public:
  explicit TablesView(MemoryTables tables) : tables_(std::move(tables)) {}

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    const MemoryTable* const rows = FindTable(tables_, table);
    if (rows == nullptr) return std::optional<std::string>();
    const auto row = rows->find(key);
    return row == rows->end() ? std::nullopt : std::optional(row->second);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    static const auto kEmpty = std::make_shared<MemoryTable>();
    const bool is_there = FindTable(tables_, table) != nullptr;
    return std::make_unique<Cursor>(is_there ? tables_[table] : kEmpty, range);
  }

 private:
  class Cursor final : public StoreCursor {
   public:
    Cursor(std::shared_ptr<const MemoryTable> rows, KeyRange range)
        : rows_(std::move(rows)), range_(std::move(range)) {
      Seek(range_.begin);
    }
    bool valid() const override { return row_ != rows_->end() && row_->first < range_.end; }
    void Next() override { ++row_; }
    void Seek(std::string_view key) override {
      row_ = rows_->lower_bound(std::max(key, std::string_view(range_.begin)));
    }
    std::string_view key() const override { return row_->first; }
    std::string_view value() const override { return row_->second; }
    Status status() const override { return {}; }

   private:
    const std::shared_ptr<const MemoryTable> rows_;
    const KeyRange range_;
    MemoryTable::const_iterator row_;
  };

  const MemoryTables tables_;
};

}  // namespace wharf
