#include "storage/rocks/garbage_filter.h"

#include <string>
#include <string_view>
#include <utility>

namespace wharf {
namespace {

using rocksdb::CompactionFilter;
using rocksdb::Slice;
using Decision = CompactionFilter::Decision;

// A row that is dropped leaves a deletion where older versions of it may lie deeper. A single
// deletion that came later meets that one, and takes any other kind for corruption.
Decision DropOf(const TableOptions& table) {
  return table.is_deleted_singly ? Decision::kPurge : Decision::kRemove;
}

class GarbageFilter final : public CompactionFilter {
 public:
  GarbageFilter(std::unique_ptr<RowJudge> judge, bool needs_value, Decision drop,
                std::shared_ptr<DroppedRows> dropped_rows)
      : judge_(std::move(judge)),
        needs_value_(needs_value),
        drop_(drop),
        dropped_rows_(std::move(dropped_rows)) {}

  const char* Name() const override { return "wharf.garbage"; }

  Decision FilterV2(int /*level*/, const Slice& key, ValueType type, const Slice& value,
                    std::string* /*new_value*/, std::string* /*skip_until*/) const override {
    if (type != ValueType::kValue) return Decision::kKeep;
    return Judge(key, needs_value_ ? value : Slice());
  }

  // Before RocksDB reads a value from a blob file; undetermined, it does.
  Decision FilterBlobByKey(int /*level*/, const Slice& key, std::string* /*new_value*/,
                           std::string* /*skip_until*/) const override {
    return needs_value_ ? Decision::kUndetermined : Judge(key, Slice());
  }

 private:
  Decision Judge(const Slice& key, const Slice& value) const {
    const bool is_garbage =
        judge_->IsGarbage({key.data(), key.size()}, {value.data(), value.size()});
    if (!is_garbage) return Decision::kKeep;
    dropped_rows_->fetch_add(1, std::memory_order_relaxed);
    return drop_;
  }

  const std::unique_ptr<RowJudge> judge_;
  const bool needs_value_;
  const Decision drop_;
  const std::shared_ptr<DroppedRows> dropped_rows_;
};

class GarbageFilters final : public rocksdb::CompactionFilterFactory {
 public:
  GarbageFilters(const TableOptions& table, std::shared_ptr<DroppedRows> dropped_rows)
      : garbage_(*table.garbage), drop_(DropOf(table)), dropped_rows_(std::move(dropped_rows)) {}

  const char* Name() const override { return "wharf.garbage"; }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& /*context*/) override {
    return std::make_unique<GarbageFilter>(garbage_.make_judge(), garbage_.needs_value, drop_,
                                           dropped_rows_);
  }

 private:
  const GarbageOptions garbage_;
  const Decision drop_;
  const std::shared_ptr<DroppedRows> dropped_rows_;
};

}  // namespace

std::shared_ptr<rocksdb::CompactionFilterFactory> MakeGarbageFilters(
    const TableOptions& table, std::shared_ptr<DroppedRows> dropped_rows) {
  return std::make_shared<GarbageFilters>(table, std::move(dropped_rows));
}

}  // namespace wharf
