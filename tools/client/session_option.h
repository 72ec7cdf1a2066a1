// SessionOption: from which session, or sessions, a Receiver receives, if its queue requires them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "storage/base/time.h"
#include "wharf/v1/messaging.pb.h"

namespace wharf::client {

// Accept the session of this id, or end with SessionCannotBeLocked.
struct NamedSession {
  std::string id;
};
// What a broker allows.
inline constexpr Duration kNextSessionWaitMax = std::chrono::minutes(5);

// Accept the next session that has something to deliver; end with ServiceTimeout if none has in
// this time, or in what the broker allows. With kUnlimited a ReconnectingReceiver waits on.
struct NextSession {
  Duration max_wait{};
};
// Go on with a session that was accepted before. It stays locked when the receiver ends.
struct HeldSession {
  std::string session_lock_token;
};
// Accept one session after the other, several at a time, as long as the receiver lives.
struct ManySessions {
  std::uint32_t concurrent_max = 8;
  // Messages of a session before others get their turn. 0: as many as there are.
  std::uint32_t messages_per_turn = 0;
  // How long a session with nothing to deliver is kept after its last settlement.
  Duration idle_timeout{};
};

using SessionOption =
    std::variant<std::monostate, NamedSession, NextSession, HeldSession, ManySessions>;

void Apply(const SessionOption& option, v1::ReceiveStart& start);

}  // namespace wharf::client
