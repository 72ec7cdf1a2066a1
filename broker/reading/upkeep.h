// Upkeep: what the store is told of each batch that is applied to it: the time and the spans by
// which rows are garbage, and which space is worth giving back.
//
// Wherever batches are applied there is one, also where no shard plans any. Told by a commit log,
// on its thread; compactions take minutes and the whole disk, so they have a thread of their own,
// one at a time.
#pragma once

#include "broker/schema/garbage.h"
#include "storage/base/executor.h"
#include "storage/commit_log.h"
#include "storage/store.h"

namespace wharf {

class Upkeep final : public CommitLog::ApplyListener {
 public:
  // All outlive it; the store also what was given to `compactions`, which is one thread.
  Upkeep(Garbage& garbage, const Store& store, Executor& compactions)
      : garbage_(garbage), store_(store), compactions_(compactions) {}

  void OnApplying(const BatchNotes& notes) override { garbage_.OnApplying(notes); }
  void OnApplied(BatchNotes notes) override;

 private:
  Garbage& garbage_;
  const Store& store_;
  Executor& compactions_;
};

}  // namespace wharf
