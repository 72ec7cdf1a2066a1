// What is asked about receiving messages, and about bodies that come apart from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/requests/entity_ref.h"
#include "broker/requests/session_use.h"

namespace wharf {

struct Attached {
  // What its settlements are about.
  LaneId lane{};
  Duration lock_duration{};
};
// A receiver that stays.
struct AttachRequest {
  using Response = Attached;
  EntityRef entity{};
  ReceiveMode mode = ReceiveMode::kPeekLock;
  SessionUse session{};
};

// Waits for the first messages and is answered with what is there then. One answer is no way to
// receive a large body: if the first message has one, MessageSizeExceeded, and it stays as it was.
struct ReceiveRequest {
  using Response = std::vector<Delivered>;
  EntityRef entity{};
  ReceiveMode mode = ReceiveMode::kPeekLock;
  std::uint64_t messages_max = 1;
  std::uint64_t bytes_max = 0;
  Duration wait{};
  // Of the session to receive from, on an entity that requires sessions.
  std::optional<LockToken> session{};
};

// A chunk of the large body of a message that was delivered without it. MessageLockLost if the body
// is gone. If it cannot be read, GeneralError; a message that this token locks is in quarantine
// then.
struct ReadBodyChunkRequest {
  using Response = std::string;
  BodyRef body{};
  std::uint32_t chunk = 0;
  // Where the message was delivered, and the lock; zero if it was consumed.
  LaneId lane{};
  LockToken token{};
};

}  // namespace wharf
