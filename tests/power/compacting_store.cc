#include "tests/power/compacting_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wharf {
namespace {

constexpr std::uint64_t kViewsBetween = 40;
constexpr std::uint64_t kReadsBetween = 400;
constexpr std::size_t kRowsLookedAt = 64;

const KeyRange& AllRows() {
  static const KeyRange kAll{std::string(), std::string(32, '\xFF')};
  return kAll;
}

}  // namespace

class CompactingStore::OpenView final : public StoreView {
 public:
  explicit OpenView(const CompactingStore& store) : store_(store), rows_(store.read_.View()) {}

  Result<std::optional<std::string>> Get(TableId table, std::string_view key) const override {
    store_.MayCompact(kReadsBetween);
    return rows_->Get(table, key);
  }
  std::unique_ptr<StoreCursor> Scan(TableId table, const KeyRange& range) const override {
    store_.MayCompact(kReadsBetween);
    return rows_->Scan(table, range);
  }

 private:
  const CompactingStore& store_;
  const std::unique_ptr<StoreView> rows_;
};

std::unique_ptr<StoreView> CompactingStore::View() const {
  MayCompact(kViewsBetween);
  return std::make_unique<OpenView>(*this);
}

void CompactingStore::MayCompact(std::uint64_t one_in) const {
  if (random_.Next() % one_in == 0) CompactSome();
}

void CompactingStore::CompactSome() const {
  if (random_.Next() % 4 == 0) {
    static_cast<void>(rocks_.ReturnSpace(true));
    return;
  }
  const auto table = static_cast<TableId>(random_.Next() % rocks_.tables().size());
  static_cast<void>(rocks_.Compact({table, SomeRows(table)}));
}

// Between two rows that are there, or all.
KeyRange CompactingStore::SomeRows(TableId table) const {
  std::vector<std::string> keys;
  const auto view = rocks_.View();
  const auto rows = view->Scan(table, AllRows());
  for (; rows->valid() && keys.size() < kRowsLookedAt; rows->Next()) keys.emplace_back(rows->key());
  if (keys.empty() || random_.Next() % 3 == 0) return AllRows();
  std::string one = keys[random_.Next() % keys.size()];
  std::string other = keys[random_.Next() % keys.size()] + '\0';
  if (other < one) std::swap(one, other);
  return {std::move(one), std::move(other)};
}

}  // namespace wharf
