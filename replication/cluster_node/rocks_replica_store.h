// RocksReplicaStore: the RocksStore of a node, as its applier sees it. On the applier's thread.
#pragma once

#include "replication/cluster_node/state_format.h"
#include "storage/apply/replicated_store.h"
#include "storage/rocks/rocks_store.h"
#include "storage/state_position.h"

namespace wharf {

class RocksReplicaStore final : public ReplicatedStore {
 public:
  RocksReplicaStore(RocksStore& store, StatePositionRow row, FormatRows format)
      : store_(store), row_(std::move(row)), format_(std::move(format)) {}

  const TableSet& tables() const override { return store_.tables(); }
  Status Write(OrderedWrites& writes, const StatePosition& position) override {
    const Result<WriteBatch> format = format_.RowsFor(position.members);
    if (!format.ok()) return format.status();
    WriteBatch batch;
    row_.Put(position, batch);
    WHARF_RETURN_IF_ERROR(batch.Visit(store_.tables(), writes));
    WHARF_RETURN_IF_ERROR(format->Visit(store_.tables(), writes));
    return store_.Write(writes, RocksStore::Sync::kNo);
  }

 private:
  RocksStore& store_;
  const StatePositionRow row_;
  StateFormat format_;
};

}  // namespace wharf
