// Encodes changes into the rows of a commit. The only writer of the broker's tables.
//
// Used by the shard at the end of a turn, on its thread.
#pragma once

#include "broker/core/changes/change.h"
#include "broker/schema/records.h"
#include "storage/write_batch.h"

namespace wharf {

// Bodies longer than this are cut into rows.
inline constexpr std::size_t kBodyChunkBytes = 256 * 1024;

// Adds the rows of a turn.
void Encode(const Changes& changes, WriteBatch& batch);

// The time of the hint in `due` that the change leaves, and its bucket; kNever if it leaves none.
DueTime DueTimeOf(const Change& change);

// What a new data folder starts with, and what makes one of an older format one of this.
WriteBatch EncodeFormat(std::uint64_t version = kFormatVersion);

// That the rule of the namespace that the first start makes has no file yet (daemon/root_access.h);
// or that it has one.
void EncodeRootFileDue(bool is_due, WriteBatch& batch);

// Broker time of the commit that this batch becomes: a row for the next start, in a bucket that the
// thread owns, and a note for the log that applies the batch.
void EncodeCommitTime(Bucket bucket, Timestamp now, WriteBatch& batch);

}  // namespace wharf
