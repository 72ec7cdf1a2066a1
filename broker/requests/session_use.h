// What a door says and hears of sessions: which one a receiver wants, which one it got, how it
// ended.
//
// Plain values; from a door to the broker and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "broker/core/order/session_token.h"
#include "storage/base/ids.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf {

// A session that a receiver holds.
struct AcceptedSession {
  std::string id;
  LockToken token;
  Timestamp until;
  Duration lock_duration{};
};

// A receiver does not hold this session any more.
struct EndedSession {
  std::string id;
  LockToken token;
  // Ok: its turn was over, or it was released. SessionLockLost: it expired, or was taken away.
  Status reason;
};

// Which session to accept.
struct SessionChoice {
  // Nothing: the next one with something to deliver (SES-5).
  std::optional<std::string> id;
  // For the next one: how long.
  Duration wait{};
  // By a link: when the broker starts again, nobody holds it any more (SES-24).
  HeldBy held_by = HeldBy::kToken;
};

// One session after the other, several at a time.
struct ManySessions {
  std::size_t concurrent_max = 8;
  // Deliveries of one session before it is released; 0: no limit.
  std::uint64_t messages_per_turn = 0;
  // Since the last settlement, of a session with nothing to deliver.
  Duration idle_timeout{};
};

// What a receiver receives from: no session, one that it accepts, one that was accepted before (by
// its token), or many.
using SessionUse = std::variant<std::monostate, SessionChoice, LockToken, ManySessions>;

}  // namespace wharf
