// AppliedStore: a store that a MemoryCommitLog applies its batches to, for tests: in memory
// (memory_store.h), or on a disk.
//
// One that drops garbage does at any look at it, by lot, what compactions may do at any moment.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "storage/base/status.h"
#include "storage/store.h"
#include "storage/write_batch.h"

namespace wharf {

class AppliedStore : public Store {
 public:
  // What a batch may name.
  virtual const TableSet& tables() const = 0;

  // All of the batches, or nothing and an error if one cannot be applied.
  virtual Status Apply(std::span<const WriteBatch> batches) = 0;
  Status Apply(const WriteBatch& batch) { return Apply({&batch, 1}); }

  // From now on.
  virtual void DropGarbageAtRandom(std::uint64_t seed) = 0;
  // All that there is, now.
  virtual void DropGarbage() = 0;
  // As if the process began anew: no view is open, and while `meanwhile` runs nobody judges what
  // is garbage.
  virtual void BeginAnew(const std::function<void()>& meanwhile) = 0;
};

}  // namespace wharf
