// SharedBodies: takes the body of a topic's message away with the last of its copies.
//
// Each copy has a row in `body_refs`, which goes with it. How many there are is known in memory for
// bodies that were published lately; then the last one takes the body along, in the same commit. Of
// the others, and after a restart, a row in `jobs` says that they must be looked at, and a reader
// looks whether any copy is left.
//
// Those rows are the queue of what is to be looked at, however long it gets. One read is under way
// at a time: it looks at 1,024 bodies at most, and brings the next 512 rows of a bucket for the one
// behind it. In memory are no more than those, 1,536 bodies of some 50 bytes, and which of the 256
// buckets have rows. What is released while little is under way is looked at without its row being
// read, so that a short queue costs one read. Owned by the Shard, used on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "broker/core/messages/message.h"
#include "broker/engine/turn/worker_context.h"
#include "broker/reading/shared_body_reader.h"

namespace wharf {

class SharedBodies {
 public:
  // What one read brings of the rows; and as many that were just released wait for the next, at
  // most.
  static constexpr std::size_t kRowsPerRead = 512;

  // Buckets with bodies that nobody looked at before the broker ended; the first turn begins.
  SharedBodies(const WorkerContext& context, const std::vector<Bucket>& unlooked)
      : context_(context), unlooked_(unlooked.begin(), unlooked.end()) {}

  // At the end of a turn, when all its other changes are there.
  void Plan(Turn& turn);

 private:
  using Key = std::pair<EntityId, SequenceNumber>;
  static Key KeyOf(const BodyRef& body) { return {body.entity, body.number}; }

  // What a read brought.
  struct Looked {
    std::vector<std::pair<BodyRef, Result<bool>>> has_holders;
    // Absent: it was not asked for rows.
    std::optional<Result<std::vector<BodyRef>>> rows{};
  };

  static void AssertCopies(const Changes& changes);
  void NotePublished(const MessagePublished& published);
  void Release(Turn& turn);
  // A copy went, and it is not known how many are left.
  void LookLater(const BodyRef& body, Turn& turn);
  void BeginRead(Turn& turn);
  void TakePlace();
  void Take(const Looked& looked, Turn& turn);
  void TakeRows(const Result<std::vector<BodyRef>>& rows);
  void Conclude(const BodyRef& body, const Result<bool>& has_holders, Turn& turn);

  const WorkerContext context_;
  // Copies that are left of messages that were published lately.
  absl::flat_hash_map<Key, std::uint32_t> copies_;
  // In a read, or in the next; true: another copy went since.
  absl::flat_hash_map<Key, bool> looking_;
  // What the next read looks at.
  std::vector<BodyRef> next_;
  bool is_reading_ = false;
  // Where the next read goes on with rows, if a walk through a bucket is under way.
  std::optional<ReleasedPlace> place_;
  // Buckets that may have rows which no walk has come to, and which are not in `looking_`.
  absl::btree_set<Bucket> unlooked_;
  // Kept, so that it is not allocated in each turn.
  std::vector<BodyRef> released_;
};

}  // namespace wharf
