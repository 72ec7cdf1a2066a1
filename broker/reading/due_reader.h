// Reads what has become due in some buckets, and when the next thing will be in each.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "broker/core/queue/lane.h"
#include "storage/store.h"

namespace wharf {

// A hint, and what is there of the message that it speaks of.
struct DueMessage {
  // Of a message that shares one, as if it had its own.
  DueHint hint;
  // kActivate: the scheduled message, as a fresh one. Nothing if it is gone.
  std::optional<FoundMessage> found;
  // kActivate: why it cannot be read, if it cannot.
  std::optional<UnreadableScheduled> unreadable{};
  // Which of the batch's shared hints brought it; nothing: the hint is its own.
  std::optional<std::size_t> shared{};
  // The rows of its lane contradict each other, and nothing of it can be read.
  bool is_contradicted = false;
};
// A hint that messages share, whose time has come.
struct DueShared {
  SharedHint shared;
  // What is left of it when those are handled that it brought; nothing: nothing is.
  std::optional<SharedHint> rest{};
};
// Messages of a shared hint that were found fresh, and expired behind each other.
struct DueRun {
  Shelf lane;
  MessageRun run;
  // Which of the batch's shared hints brought it.
  std::size_t shared = 0;
};
// Rows that were looked at, and of which nothing is kept but sums.
struct RowsWalked {
  std::size_t rows = 0;
  std::size_t bytes = 0;
};
// Where to look for hints in a bucket, and how far.
struct DuePlace {
  Bucket bucket{};
  DueHint from{};
  Timestamp horizon = kNever;
};
struct DueBatch {
  // In the order of their hints.
  std::vector<DueMessage> messages;
  std::vector<DueShared> shared{};
  std::vector<DueRun> runs{};
  // For the runs.
  RowsWalked walked{};
  // The last hint that is in it; nothing: none is.
  std::optional<DueHint> last{};
  // The time of the first hint that is not among them, as far as `horizon`; kNever: none up to
  // there.
  Timestamp next = kNever;
  // Damage, if hints could not be read and were passed.
  Status lost{};
};
// Shelves of which runs are made by the reader, and how far those reach.
using ShelvesInRuns = absl::btree_map<Shelf, RunLimits>;
// What one read brings of all buckets, about as much in bytes.
struct DueBounds {
  // Of what is brought as it is.
  std::size_t messages = 0;
  std::size_t bytes = 0;
  // Of messages that share a hint, those that expire so soon behind now wait for each other.
  Duration grain{};
  // Null: of none.
  const ShelvesInRuns* in_runs = nullptr;
  // For them: as much as is read in some tens of milliseconds, and as a turn takes in less than
  // one.
  RowsWalked walked{32 * 1024, std::size_t{32} * 1024 * 1024};
  std::size_t runs = 32;
};
// Hints of one bucket that are due by `now`, past what cannot be read.
Result<DueBatch> ReadDue(const StoreView& view, const DuePlace& place, Timestamp now,
                         const DueBounds& bounds);
// Those of several buckets, one batch for each place. Each has its share of the bounds; what a
// bucket leaves of its share is for those that come after it. The first has at least one message,
// if any is due.
std::vector<Result<DueBatch>> ReadAllDue(const StoreView& view, const std::vector<DuePlace>& places,
                                         Timestamp now, DueBounds bounds);

}  // namespace wharf
