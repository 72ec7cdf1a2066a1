// MemoryReplicaStore: a replicated store without a disk.
//
// It can be held, so that a test may stand between commit and apply, and it can fail.
#pragma once

#include <atomic>
#include <utility>

#include "storage/apply/replicated_store.h"
#include "storage/memory/memory_store.h"
#include "tests/held_gate.h"
#include "tests/storage/batch_writer.h"

namespace wharf {

class MemoryReplicaStore final : public ReplicatedStore {
 public:
  MemoryReplicaStore(TableSet tables, std::string members) : store_(std::move(tables)) {
    position_.members = std::move(members);
  }

  const TableSet& tables() const override { return store_.tables(); }
  Status Write(OrderedWrites& writes, const StatePosition& position) override {
    disk_.Pass();
    if (fails_) return {ErrorCode::kGeneralError, "the disk of the state is broken"};
    BatchWriter writer;
    writes.Visit(writer);
    WHARF_RETURN_IF_ERROR(store_.Apply(writer.batch));
    position_ = position;
    ++writes_;
    return {};
  }

  MemoryStore& store() { return store_; }
  const StatePosition& position() const { return position_; }
  int writes() const { return writes_; }

  // Each write from now on.
  void Fail() { fails_ = true; }
  void Hold() { disk_.Hold(); }
  void Release() { disk_.Release(); }

 private:
  MemoryStore store_;
  int writes_ = 0;
  std::atomic<bool> fails_ = false;
  StatePosition position_;
  HeldGate disk_;
};

}  // namespace wharf
