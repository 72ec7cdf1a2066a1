// DiskStore: the rows of a broker on a disk, in files so small that each test has many of them.
//
// What is applied is in RocksDB when Apply returns; how much of it is in files is drawn. One that
// drops garbage compacts something at any look at it, by lot; RocksDB's own threads compact beside
// that. All but those run on the thread of the test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "storage/base/random.h"
#include "storage/memory/applied_store.h"
#include "storage/rocks/rocks_store.h"
#include "storage/view_ledger.h"
#include "tests/storage/temp_folder.h"

namespace wharf {

class DiskStore final : public AppliedStore {
 public:
  // Views stand in the ledger, which outlives the store.
  DiskStore(TableSet tables, ViewLedger& views);

  std::unique_ptr<StoreView> View() const override;
  const TableSet& tables() const override { return tables_; }

  using AppliedStore::Apply;
  Status Apply(std::span<const WriteBatch> batches) override;

  void DropGarbageAtRandom(std::uint64_t seed) override;
  void DropGarbage() override;
  // The store is closed meanwhile.
  void BeginAnew(const std::function<void()>& meanwhile) override;

 private:
  void Open();
  bool IsDrawn(std::uint64_t one_in) const;

  const TempFolder folder_;
  const TableSet tables_;
  ViewLedger& views_;
  std::unique_ptr<RocksStore> rocks_;
  // None: it drops no garbage but what RocksDB's own threads do.
  mutable std::optional<SeededRandom> lot_;
};

}  // namespace wharf
