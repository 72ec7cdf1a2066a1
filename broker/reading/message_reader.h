// Reads from the store the messages that a lane's window, a settlement or a job names.
//
// Used on reader threads; each call sees the store as it was at one instant. A large body is left
// where it is; it is read chunk by chunk when its message is delivered.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "broker/core/order/ready_window.h"
#include "broker/core/queue/queue.h"
#include "storage/store.h"

namespace wharf {

// What a window asked for (ready_window.h); past what cannot be read.
Result<WindowBatch> ReadWindow(const StoreView& view, const Shelf& shelf, const WindowRead& read);

// The messages with these numbers, as far as they are there, with their bodies.
Result<Contents> ReadContents(const StoreView& view, const Shelf& shelf,
                              const std::vector<SequenceNumber>& numbers);

// What a window asked for of these numbers: each is there, or among those that cannot be read.
Result<ContentBatch> ReadContentOf(const StoreView& view, const Shelf& shelf,
                                   const ReadContent& read);

// These messages without bodies that have rows of their own: enough to move them.
Result<Contents> ReadEnvelopes(const StoreView& view, const Shelf& shelf,
                               const std::vector<SequenceNumber>& numbers);

// The same; each is there, or among those that cannot be read, with the reason.
struct ReadableContents {
  Contents messages;
  absl::flat_hash_map<SequenceNumber, std::string> unreadable;
};
Result<ReadableContents> ReadReadable(const StoreView& view, const Shelf& shelf,
                                      const std::vector<SequenceNumber>& numbers);

// The messages with their standings; every number is in the answer, also one that cannot be read.
Result<FoundMessages> ReadFound(const StoreView& view, const Shelf& shelf,
                                const std::vector<SequenceNumber>& numbers, bool with_bodies);

// What is known of the message ids of a queue with duplicate detection; of some, that it cannot be
// read.
Result<KnownIds> ReadKnownIds(const StoreView& view, EntityId entity,
                              const std::vector<DuplicateId>& ids);

// A chunk of a large body, counted from 0; MessageLockLost if the body is gone.
Result<std::string> ReadBodyChunk(const StoreView& view, const BodyRef& body, std::uint32_t chunk);

}  // namespace wharf
