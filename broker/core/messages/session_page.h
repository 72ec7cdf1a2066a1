// What the owner of a queue sees of its sessions.
//
// Plain values; asked for by doors, made by readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/messages/message_event.h"
#include "storage/base/ids.h"
#include "storage/base/time.h"

namespace wharf {

// A session as management shows it.
struct SessionInfo {
  std::string id;
  // Waiting, delayed and locked; `has_more`: at least so many.
  std::int64_t messages = 0;
  bool has_more = false;
  // Of the message with the lowest number.
  std::optional<SequenceNumber> oldest_number{};
  Timestamp oldest_enqueued_at;
  // kNever: no receiver holds it.
  Timestamp locked_until = kNever;
  Timestamp locked_since = kNever;
  // Null: not known, or not for who asks.
  ActorPtr holder{};
  // Nothing: it has no state.
  std::optional<Timestamp> state_updated_at{};
  std::int64_t state_bytes = 0;
};
struct SessionPage {
  std::vector<SessionInfo> sessions;
  // The id to go on behind; nothing if there are no more.
  std::optional<std::string> next_after{};
};

// How many messages wait in a session.
struct SessionDepth {
  std::string session;
  std::int64_t messages = 0;
};

}  // namespace wharf
