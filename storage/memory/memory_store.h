// MemoryStore: a store without a disk, for tests.
//
// A view costs nothing until the next write: tables are shared with the views that were open then,
// and a write copies a table first if a view still looks at it. Any thread may read; writes come
// from one MemoryCommitLog.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "storage/memory/applied_store.h"
#include "storage/view_ledger.h"
#include "storage/write_batch.h"

namespace wharf {

class MemoryStore final : public AppliedStore {
 public:
  // Takes what a RocksStore with these tables takes; by default as many tables as there may be.
  // Views stand in the ledger, if there is one; it outlives them.
  explicit MemoryStore(TableSet tables = TableSet(256), ViewLedger* views = nullptr);
  ~MemoryStore() override;

  std::unique_ptr<StoreView> View() const override;

  const TableSet& tables() const override { return table_options_; }

  using AppliedStore::Apply;
  Status Apply(std::span<const WriteBatch> batches) override;

  // By a GarbageDropper.
  void DropGarbageAtRandom(std::uint64_t seed) override;
  void DropGarbage() override;
  void BeginAnew(const std::function<void()>& meanwhile) override;

 private:
  class Shared;
  class Cursor;
  class OpenView;

  const TableSet table_options_;
  ViewLedger* const views_;
  const std::shared_ptr<Shared> shared_;  // With the views, which may outlive the store.
};

}  // namespace wharf
