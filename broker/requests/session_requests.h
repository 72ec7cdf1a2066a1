// What is asked about sessions. A session lock is named by its token, whichever caller accepted it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/core/messages/session_page.h"
#include "broker/requests/entity_ref.h"
#include "broker/requests/session_use.h"
#include "broker/requests/settle_requests.h"

namespace wharf {

// Waits for a session as the choice says.
struct AcceptSessionRequest {
  using Response = AcceptedSession;
  EntityRef entity{};
  SessionChoice choice{};
};

// Answered with the time until which the lock holds now.
struct RenewSessionRequest {
  using Response = Timestamp;
  EntityRef entity{};
  LockToken session{};
};

struct ReleaseSessionRequest {
  using Response = std::monostate;
  EntityRef entity{};
  LockToken session{};
};

// Takes it from its holder.
struct ForceReleaseSessionRequest {
  using Response = std::monostate;
  EntityRef entity{};
  std::string session_id{};
};

// Nothing: it has no state.
struct GetSessionStateRequest {
  using Response = std::optional<std::string>;
  EntityRef entity{};
  LockToken session{};
};

// Sets the state, or clears it, and completes messages of the session: all of it or nothing.
struct SetSessionStateRequest {
  using Response = std::monostate;
  EntityRef entity{};
  LockToken session{};
  std::optional<std::string> state{};
  TokenList completed{};
};

// In the order of their ids.
struct ListSessionsRequest {
  using Response = SessionPage;
  EntityRef entity{};
  // Only ids behind this one; nothing: from the first.
  std::optional<std::string> after{};
  std::size_t count_max = 100;
  // Only sessions whose state was set at or after this (SLS-1).
  std::optional<Timestamp> state_updated_since{};
};

struct DeepestSessions {
  // Waiting and delayed messages of each.
  std::vector<SessionDepth> sessions;
  // When the pass began.
  Timestamp as_of;
};
struct ListDeepestSessionsRequest {
  using Response = DeepestSessions;
  EntityRef entity{};
  std::size_t count_max = 1;
};

}  // namespace wharf
