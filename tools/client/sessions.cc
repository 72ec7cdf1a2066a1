#include "tools/client/sessions.h"

#include <algorithm>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "tools/client/unary.h"

namespace wharf::client {

using Stub = v1::Sessions::Stub;

Sessions::Sessions(std::shared_ptr<Endpoints> endpoints, Duration timeout)
    : endpoints_(std::move(endpoints)), timeout_(timeout) {}

Result<v1::AcceptedSession> Sessions::AcceptSession(const std::string& entity_path,
                                                    const std::string& session_id) {
  v1::AcceptSessionRequest request;
  request.set_entity_path(entity_path);
  request.set_session_id(session_id);
  return CallUnary(*endpoints_, &Stub::AcceptSession, request, timeout_);
}

Result<v1::AcceptedSession> Sessions::AcceptNextSession(const std::string& entity_path,
                                                        Duration max_wait) {
  v1::AcceptSessionRequest request;
  request.set_entity_path(entity_path);
  *request.mutable_max_wait() =
      google::protobuf::util::TimeUtil::MicrosecondsToDuration(max_wait.count());
  return CallUnary(*endpoints_, &Stub::AcceptSession, request, timeout_ + max_wait);
}

Result<v1::RenewSessionLockResponse> Sessions::RenewSessionLock(
    const std::string& entity_path, const std::string& session_lock_token, Duration wait_max) {
  v1::RenewSessionLockRequest request;
  request.set_entity_path(entity_path);
  request.set_session_lock_token(session_lock_token);
  return CallUnary(*endpoints_, &Stub::RenewSessionLock, request, std::min(timeout_, wait_max));
}

Status Sessions::ReleaseSession(const std::string& entity_path,
                                const std::string& session_lock_token) {
  v1::ReleaseSessionRequest request;
  request.set_entity_path(entity_path);
  request.set_session_lock_token(session_lock_token);
  return CallUnary(*endpoints_, &Stub::ReleaseSession, request, timeout_).status();
}

Status Sessions::ForceReleaseSession(const std::string& entity_path,
                                     const std::string& session_id) {
  v1::ForceReleaseSessionRequest request;
  request.set_entity_path(entity_path);
  request.set_session_id(session_id);
  return CallUnary(*endpoints_, &Stub::ForceReleaseSession, request, timeout_).status();
}

Result<std::optional<std::string>> Sessions::GetSessionState(
    const std::string& entity_path, const std::string& session_lock_token) {
  v1::GetSessionStateRequest request;
  request.set_entity_path(entity_path);
  request.set_session_lock_token(session_lock_token);
  auto response = CallToLook(*endpoints_, &Stub::GetSessionState, request, timeout_);
  if (!response.ok()) return response.status();
  if (!response->has_state()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(*response->mutable_state()));
}

Status Sessions::SetSessionState(const std::string& entity_path,
                                 const std::string& session_lock_token,
                                 const std::optional<std::string>& state,
                                 const std::vector<std::string>& complete_lock_tokens,
                                 const std::string& transaction_id) {
  v1::SetSessionStateRequest request;
  request.set_transaction_id(transaction_id);
  request.set_entity_path(entity_path);
  request.set_session_lock_token(session_lock_token);
  if (state) request.set_state(*state);
  for (const std::string& token : complete_lock_tokens) request.add_complete_lock_tokens(token);
  return CallUnary(*endpoints_, &Stub::SetSessionState, request, timeout_).status();
}

Result<v1::ListSessionsResponse> Sessions::ListSessions(const v1::ListSessionsRequest& request) {
  return CallToLook(*endpoints_, &Stub::ListSessions, request, timeout_);
}

Result<v1::ListDeepestSessionsResponse> Sessions::ListDeepestSessions(
    const std::string& entity_path, std::uint32_t sessions_max) {
  v1::ListDeepestSessionsRequest request;
  request.set_entity_path(entity_path);
  request.set_max_sessions(sessions_max);
  return CallToLook(*endpoints_, &Stub::ListDeepestSessions, request, timeout_);
}

}  // namespace wharf::client
