// ReplicatedStore: what a BatchApplier writes to: a store that says in each write how far it is.
//
// Used on the applier's thread.
#pragma once

#include "storage/log/ordered_writes.h"
#include "storage/state_position.h"
#include "storage/store.h"

namespace wharf {

class ReplicatedStore {
 public:
  virtual ~ReplicatedStore() = default;
  virtual const TableSet& tables() const = 0;
  // All of it or nothing, and the position with it. Need not be durable: the log is.
  virtual Status Write(OrderedWrites& writes, const StatePosition& position) = 0;
};

}  // namespace wharf
