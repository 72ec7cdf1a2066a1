// RocksReplicaStore: the RocksStore of a node, as its applier sees it. On the applier's thread.
#pragma once

#include "replication/cluster_node/state_format.h"
#include "storage/apply/positioned_store.h"
#include "storage/apply/replicated_store.h"
#include "storage/rocks/rocks_store.h"
#include "storage/state_position.h"

namespace wharf {

class RocksReplicaStore final : public ReplicatedStore {
 public:
  RocksReplicaStore(RocksStore& store, StatePositionRow row, FormatRows format)
      : state_(store, std::move(row)), format_(std::move(format)) {}

  const TableSet& tables() const override { return state_.tables(); }
  Status Write(OrderedWrites& writes, const StatePosition& position) override {
    const Result<WriteBatch> format = format_.RowsFor(position.members);
    if (!format.ok()) return format.status();
    WHARF_RETURN_IF_ERROR(format->Visit(state_.tables(), writes));
    return state_.Write(writes, position);
  }

 private:
  PositionedStore state_;
  StateFormat format_;
};

}  // namespace wharf
