// PositionedStore: the RocksStore of a single node, as its applier sees it. On the writer's thread.
#pragma once

#include <utility>

#include "storage/apply/replicated_store.h"
#include "storage/rocks/rocks_store.h"
#include "storage/state_position.h"

namespace wharf {

class PositionedStore final : public ReplicatedStore {
 public:
  PositionedStore(RocksStore& store, StatePositionRow row) : store_(store), row_(std::move(row)) {}

  const TableSet& tables() const override { return store_.tables(); }
  Status Write(OrderedWrites& writes, const StatePosition& position) override {
    WriteBatch batch;
    row_.Put(position, batch);
    WHARF_RETURN_IF_ERROR(batch.Visit(store_.tables(), writes));
    return store_.Write(writes, RocksStore::Sync::kNo);
  }

 private:
  RocksStore& store_;
  const StatePositionRow row_;
};

}  // namespace wharf
