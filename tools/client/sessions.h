// Sessions: accepts, renews and releases sessions, keeps their state, and looks at those of a
// queue.
//
// For receivers that hold a session by its token. A Receiver that accepts sessions itself needs
// only RenewSessionLock and the state. Every call waits for its answer. Made by Client; any thread
// may call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "storage/base/time.h"
#include "tools/client/endpoints.h"
#include "wharf/v1/sessions.grpc.pb.h"

namespace wharf::client {

class Sessions {
 public:
  Sessions(std::shared_ptr<Endpoints> endpoints, Duration timeout);

  // Locks the session of this id. SessionCannotBeLocked if someone else holds it.
  Result<v1::AcceptedSession> AcceptSession(const std::string& entity_path,
                                            const std::string& session_id);
  // Locks the next session that has something to deliver. ServiceTimeout if none had within
  // `max_wait`.
  Result<v1::AcceptedSession> AcceptNextSession(const std::string& entity_path, Duration max_wait);
  // Until when the lock holds now. ServiceTimeout if there is no answer within `wait_max`.
  Result<v1::RenewSessionLockResponse> RenewSessionLock(const std::string& entity_path,
                                                        const std::string& session_lock_token,
                                                        Duration wait_max = Duration::max());
  Status ReleaseSession(const std::string& entity_path, const std::string& session_lock_token);
  Status ForceReleaseSession(const std::string& entity_path, const std::string& session_id);

  // Nothing: it has no state.
  Result<std::optional<std::string>> GetSessionState(const std::string& entity_path,
                                                     const std::string& session_lock_token);
  // Nothing: clears it. In the same commit the messages of these lock tokens are completed, if
  // there are any. With the id of an open transaction all that becomes part of it.
  Status SetSessionState(const std::string& entity_path, const std::string& session_lock_token,
                         const std::optional<std::string>& state,
                         const std::vector<std::string>& complete_lock_tokens = {},
                         const std::string& transaction_id = "");

  // One page.
  Result<v1::ListSessionsResponse> ListSessions(const v1::ListSessionsRequest& request);
  Result<v1::ListDeepestSessionsResponse> ListDeepestSessions(const std::string& entity_path,
                                                              std::uint32_t sessions_max);

 private:
  const std::shared_ptr<Endpoints> endpoints_;
  const Duration timeout_;
};

}  // namespace wharf::client
