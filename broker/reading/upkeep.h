// Upkeep: what the store is told of each batch that is applied to it: the time and the spans by
// which rows are garbage, and from which ranges much was deleted.
//
// Wherever batches are applied there is one, also where no shard plans any. Told by a commit log,
// on its thread, and passes it on at once; the space comes back later and elsewhere.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "broker/schema/garbage.h"
#include "storage/commit_log.h"
#include "storage/store.h"

namespace wharf {

class Upkeep final : public CommitLog::ApplyListener {
 public:
  using NoteFreed = std::function<void(const std::vector<TableRange>& ranges)>;

  // Garbage outlives it.
  Upkeep(Garbage& garbage, NoteFreed note_freed)
      : garbage_(garbage), note_freed_(std::move(note_freed)) {}

  void OnApplying(const BatchNotes& notes) override { garbage_.OnApplying(notes); }
  void OnApplied(BatchNotes notes) override;

 private:
  Garbage& garbage_;
  const NoteFreed note_freed_;
};

}  // namespace wharf
