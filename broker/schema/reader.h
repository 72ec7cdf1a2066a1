// Reads messages from the store for whoever needs them: a lane's window, a peek, a job.
//
// Used on reader threads; each call sees the store as it was at one instant. A large body is left
// where it is; it is read chunk by chunk when its message is delivered.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "broker/core/queue.h"
#include "broker/core/ready_window.h"
#include "storage/store.h"

namespace wharf {

// What a window asked for (ready_window.h).
Result<WindowBatch> ReadWindow(const StoreView& view, LaneId lane, const WindowRead& read);

// The messages with these numbers, as far as they are there.
Result<Contents> ReadContents(const StoreView& view, LaneId lane,
                              const std::vector<SequenceNumber>& numbers);

// A message as a peek shows it (PEEK-1).
struct PeekedMessage {
  MessagePtr message;
  Delivery delivery;
};
struct PeekPage {
  std::vector<PeekedMessage> messages;
  // Where to go on; nothing if there is no more.
  std::optional<SequenceNumber> next;
};
// Messages of every state from `from` on, in order; at least one if there is any.
Result<PeekPage> ReadPeek(const StoreView& view, LaneId lane, SequenceNumber from,
                          std::size_t messages_max, std::size_t bytes_max);

// A chunk of a large body, counted from 0; MessageLockLost if the body is gone.
Result<std::string> ReadBodyChunk(const StoreView& view, const BodyRef& body, std::uint32_t chunk);

// The next rows of a deleted entity.
struct ReclaimStep {
  // Nothing if no row is left.
  std::optional<EntityReclaimed> step;
};
Result<ReclaimStep> ReadReclaim(const StoreView& view, EntityId entity, std::size_t messages_max);

}  // namespace wharf
