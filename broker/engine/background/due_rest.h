// DueRest: of one batch of the sweeper, what a step leaves for a later one.
//
// A hint of its own stays as it is. One that messages share moves on to the first of them that is
// left, or goes. Made for one step, used on the shard's thread.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/entities/catalog.h"
#include "broker/reading/due_reader.h"

namespace wharf {

// In the order of time, and then of their rows, which is not that of shelves in memory.
bool IsBefore(const DueHint& one, const DueHint& other);

class DueRest {
 public:
  // Outlived by the batch; null: it could not be read, and all of it is left.
  explicit DueRest(const DueBatch* batch);

  // Is not handled now.
  void Leave(const DueMessage& due);
  void Leave(const DueRun& due) { LeaveOfShared(due.shared, due.run.first); }
  // Writes what becomes of shared hints. The first hint of all that were due by `now` and are left.
  std::optional<DueHint> Finish(Catalog& catalog, Timestamp now, Changes& changes);

 private:
  // What is left of one of the batch's shared hints.
  std::optional<SharedHint> LeftOf(std::size_t index, Catalog& catalog) const;
  void NoteLeft(const DueHint& hint);
  void LeaveOfShared(std::size_t index, SequenceNumber number);

  const DueBatch* batch_;
  std::optional<DueHint> first_left_;
  // Of each shared hint, the first message that was left.
  std::vector<std::optional<SequenceNumber>> left_of_shared_;
};

}  // namespace wharf
