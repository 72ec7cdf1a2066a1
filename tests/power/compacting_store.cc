#include "tests/power/compacting_store.h"

#include <optional>
#include <string>

#include "storage/rocks/random_compaction.h"

namespace wharf {
namespace {

constexpr std::uint64_t kViewsBetween = 40;
constexpr std::uint64_t kReadsBetween = 400;

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
  static_cast<void>(RandomCompaction(rocks_, random_).Run());
}

}  // namespace wharf
