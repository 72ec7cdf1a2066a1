// What a peek shows: messages as they are, wherever they stand.
//
// Plain values; asked for by doors, made by readers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "broker/core/queue/lane.h"

namespace wharf {

// Which messages a peek shows (BRW-1).
enum class PeekFilter : std::uint8_t {
  kAll,
  kActive,   // Waiting, locked or delayed.
  kDelayed,  // Active ones that wait out a delay.
  kDeferred,
  kScheduled,  // Not in a dead-letter queue.
  kQuarantined,
};

// A message as a peek shows it (PEEK-1).
struct PeekedMessage {
  MessagePtr message;
  Delivery delivery{};
  // Of a message that is in a lane.
  Standing standing = Standing::kFresh;
  // kDelayed: when the delay ends.
  Timestamp available_at = kNever;
  bool is_scheduled = false;
  // Why it cannot be read; empty: it can. Of `message` only the number is right then, and its facts
  // as far as they are known.
  std::string unreadable{};
};
struct PeekPage {
  std::vector<PeekedMessage> messages;
  // Where to go on; nothing if there is no more.
  std::optional<SequenceNumber> next;
};

}  // namespace wharf
