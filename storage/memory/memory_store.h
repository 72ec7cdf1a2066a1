// MemoryStore: a store without a disk, for tests.
//
// A view costs nothing until the next write: tables are shared with the views that were open then,
// and a write copies a table first if a view still looks at it. Any thread may read; writes come
// from one MemoryCommitLog.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "storage/store.h"
#include "storage/view_ledger.h"
#include "storage/write_batch.h"

namespace wharf {

class MemoryStore final : public Store {
 public:
  // Takes what a RocksStore with these tables takes; by default as many tables as there may be.
  // Views stand in the ledger, if there is one; it outlives them.
  explicit MemoryStore(TableSet tables = TableSet(256), ViewLedger* views = nullptr);
  ~MemoryStore() override;

  std::unique_ptr<StoreView> View() const override;

  // What a batch may name.
  const TableSet& tables() const { return table_options_; }

  // All of the batches, or nothing and an error if one cannot be applied.
  Status Apply(std::span<const WriteBatch> batches);
  Status Apply(const WriteBatch& batch) { return Apply({&batch, 1}); }

  // From now on any look at the store or one of its views may find less garbage (GarbageDropper).
  void DropGarbageAtRandom(std::uint64_t seed);
  // For a store that drops garbage: all that there is, now.
  void DropGarbage();
  // The same: as if the process began anew, with its compactions.
  void ForgetJudges();

 private:
  class Shared;
  class Cursor;
  class OpenView;

  const TableSet table_options_;
  ViewLedger* const views_;
  const std::shared_ptr<Shared> shared_;  // With the views, which may outlive the store.
};

}  // namespace wharf
