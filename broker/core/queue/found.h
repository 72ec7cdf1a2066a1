// FoundMessage, Contents, FoundScheduled: what readers bring of messages, because the shard never
// waits for the disk. Plain values; asked for and used on the shard's thread.
#pragma once

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "broker/core/changes/change.h"

namespace wharf {

// A message as a reader found it by its number.
struct FoundMessage {
  Standing standing = Standing::kFresh;
  Delivery delivery;
  // May be without its body.
  MessagePtr message;
  // kDelayed: when the delay ends.
  Timestamp available_at = kNever;
  // Why it cannot be read; empty: it can. Of `message` only the number is right then, and its facts
  // as far as they are known.
  std::string unreadable{};
  // Only its number is known, and that something was there once.
  bool is_guess = false;

  bool is_readable() const { return unreadable.empty(); }
};
// What a reader found of the messages that were asked for by number; null if there is none.
using FoundMessages = absl::flat_hash_map<SequenceNumber, std::optional<FoundMessage>>;

// Messages that were read because something needs what they hold; null if there is none.
using Contents = absl::flat_hash_map<SequenceNumber, MessagePtr>;

// A scheduled message of which no more than this can be read.
struct UnreadableScheduled {
  Timestamp time;
  std::string reason;
  // What stands in its row, if that is not damaged.
  std::string record{};
};
// Scheduled messages that were asked for by number: those that are there.
struct FoundScheduled {
  Contents messages;
  absl::flat_hash_map<SequenceNumber, UnreadableScheduled> unreadable{};
};

inline bool Has(const Contents& contents, SequenceNumber number) {
  const auto found = contents.find(number);
  return found != contents.end() && found->second != nullptr;
}

}  // namespace wharf
