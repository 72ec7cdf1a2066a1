// Upkeep: what the store is told of each batch that is applied to it: the time by which rows are
// garbage, and which space is worth giving back.
//
// Wherever batches are applied there is one, also where no shard plans any. Told by a commit log,
// on its thread; compactions run on that of the Readers, one at a time.
#pragma once

#include "broker/reading/readers.h"
#include "broker/schema/garbage.h"
#include "storage/commit_log.h"

namespace wharf {

class Upkeep final : public CommitLog::ApplyListener {
 public:
  // Both outlive it.
  Upkeep(Garbage& garbage, const Readers& readers) : garbage_(garbage), readers_(readers) {}

  void OnApplied(BatchNotes notes) override;

 private:
  Garbage& garbage_;
  const Readers& readers_;
};

}  // namespace wharf
