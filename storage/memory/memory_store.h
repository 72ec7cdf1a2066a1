// MemoryStore: a store without a disk, for tests.
//
// A view costs nothing until the next write: tables are shared with the views that were open then,
// and a write copies a table first if a view still looks at it. Any thread may read; writes come
// from one MemoryCommitLog.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/store.h"
#include "storage/write_batch.h"

namespace wharf {

class MemoryStore final : public Store {
 public:
  using Table = std::map<std::string, std::string, std::less<>>;

  // Tables appear when they are first written; one that never was is empty.
  MemoryStore();
  ~MemoryStore() override;

  std::unique_ptr<StoreView> View() const override;
  // Deleted rows take none.
  Status GiveBackSpace(TableId /*table*/, const KeyRange& /*range*/) const override { return {}; }

  // All of the batch, or nothing and an error if its bytes are not a batch.
  Status Apply(const WriteBatch& batch);

 private:
  struct Tables;

  const std::shared_ptr<Tables> tables_;  // Shared with the views, which may outlive the store.
};

}  // namespace wharf
