// MemoryStore: a store without a disk, for tests.
//
// A view costs nothing until the next write: tables are shared with the views that were open then,
// and a write copies a table first if a view still looks at it. Any thread may read; writes come
// from one MemoryCommitLog.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/batch_notes.h"
#include "storage/store.h"
#include "storage/write_batch.h"

namespace wharf {

class MemoryStore final : public Store {
 public:
  using Table = std::map<std::string, std::string, std::less<>>;

  // Takes what a RocksStore with these tables takes; by default as many tables as there may be.
  explicit MemoryStore(TableSet tables = TableSet(256));
  ~MemoryStore() override;

  std::unique_ptr<StoreView> View() const override;
  // Deleted rows take none.
  Status GiveBackSpace(TableId /*table*/, const KeyRange& /*range*/) const override { return {}; }

  // What a batch may name.
  const TableSet& tables() const { return table_options_; }

  // All of the batches, or nothing and an error if one cannot be applied. What they note beside
  // their rows.
  Result<BatchNotes> Apply(std::span<const WriteBatch> batches);
  Status Apply(const WriteBatch& batch) { return Apply({&batch, 1}).status(); }

 private:
  struct Tables;

  const TableSet table_options_;
  const std::shared_ptr<Tables> tables_;  // Shared with the views, which may outlive the store.
};

}  // namespace wharf
