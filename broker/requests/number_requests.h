// What is asked about messages by their sequence numbers, and about the oldest.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/requests/entity_ref.h"

namespace wharf {

using Numbers = std::vector<SequenceNumber>;

// All or none (DEF-3).
struct ReceiveDeferredRequest {
  using Response = std::vector<Delivered>;
  EntityRef entity{};
  Numbers numbers{};
  ReceiveMode mode = ReceiveMode::kPeekLock;
  // Of the session that they belong to (DEF-7).
  std::optional<LockToken> session{};
  // Whoever asks reads large bodies by himself: one message that has one may come, alone, without
  // it. Only with a lock, which keeps the body until it is read.
  bool takes_large = false;
};

// All or none (DFX-1).
struct UndeferRequest {
  using Response = std::monostate;
  EntityRef entity{};
  Numbers numbers{};
};

// One waiting message out of order (ONE-1).
struct ReceiveOneRequest {
  using Response = std::vector<Delivered>;
  EntityRef entity{};
  SequenceNumber number{};
  ReceiveMode mode = ReceiveMode::kPeekLock;
  std::optional<LockToken> session{};
};

struct SettleOneRequest {
  using Response = std::monostate;
  EntityRef entity{};
  SequenceNumber number{};
  Settlement settlement{};
};

// Deletes the oldest messages that wait and were enqueued before an instant; how many (BDL-1). Of
// one session it looks for them among a million at most, of whatever session (BDL-5).
struct DeleteOldestRequest {
  using Response = std::int64_t;
  EntityRef entity{};
  std::size_t messages_max = 1;
  Timestamp before = kNever;
  std::optional<std::string> session_id{};
};

}  // namespace wharf
