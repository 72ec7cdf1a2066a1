#include "broker/doors/grpc/convert/convert_session.h"

#include <utility>

#include "broker/doors/common/field_error.h"
#include "broker/doors/common/page_token.h"
#include "broker/doors/grpc/convert/convert.h"
#include "broker/doors/grpc/convert/convert_time.h"
#include "broker/doors/grpc/convert/page_size.h"
#include "broker/doors/grpc/errors.h"

namespace wharf {
namespace {

constexpr std::uint32_t kConcurrentDefault = 8;
constexpr std::uint32_t kConcurrentMax = 1000;
constexpr Duration kIdleMax = std::chrono::hours(1);
constexpr std::uint32_t kSessionPageMax = 1000;

Result<SessionUse> ManyFromProto(const v1::ManySessions& proto) {
  if (proto.max_concurrent_sessions() > kConcurrentMax) {
    return OutOfRange("max_concurrent_sessions", "must be from 1 to 1000");
  }
  const Result<Duration> idle = DurationFromProto("idle_timeout", proto.idle_timeout());
  if (!idle.ok()) return idle.status();
  if (*idle < Duration(0) || *idle > kIdleMax) {
    return OutOfRange("idle_timeout", "must be from 0 to 1 hour");
  }
  const std::uint32_t asked = proto.max_concurrent_sessions();
  return SessionUse(ManySessions{.concurrent_max = asked == 0 ? kConcurrentDefault : asked,
                                 .messages_per_turn = proto.max_messages_per_turn(),
                                 .idle_timeout = *idle});
}

void HolderToProto(const Actor& holder, v1::SessionProperties* proto) {
  if (!holder.peer.empty()) proto->set_locked_by(holder.peer);
  if (!holder.identity.empty()) proto->set_locked_by_identity(holder.identity);
}

void InfoToProto(const SessionInfo& session, v1::SessionProperties* proto) {
  proto->set_session_id(session.id);
  proto->set_message_count(session.messages);
  proto->set_has_more_messages(session.has_more);
  if (session.oldest_number) {
    proto->set_oldest_sequence_number(static_cast<std::int64_t>(session.oldest_number->value()));
    ToProto(session.oldest_enqueued_at, proto->mutable_oldest_enqueued_time());
  }
  if (session.locked_until != kNever) {
    ToProto(session.locked_until, proto->mutable_locked_until());
    ToProto(session.locked_since, proto->mutable_locked_since());
    if (session.holder != nullptr) HolderToProto(*session.holder, proto);
  }
  if (session.state_updated_at) {
    ToProto(*session.state_updated_at, proto->mutable_state_updated_time());
    proto->set_state_size(session.state_bytes);
  }
}

}  // namespace

Result<LockToken> SessionTokenFromProto(const std::string& bytes) {
  if (bytes.size() == LockToken::kSize) return LockToken::FromBytes(bytes);
  return BadValue("session_lock_token",
                  bytes.empty() ? "is absent: accept a session first" : "must have 16 bytes");
}

Result<std::optional<LockToken>> OptionalSessionTokenFromProto(const std::string& bytes) {
  if (bytes.empty()) return std::optional<LockToken>();
  const Result<LockToken> token = SessionTokenFromProto(bytes);
  if (!token.ok()) return token.status();
  return std::optional<LockToken>(*token);
}

Result<SessionUse> SessionFromProto(const v1::ReceiveStart& start) {
  switch (start.session_case()) {
    case v1::ReceiveStart::kSessionId:
      return SessionUse(SessionChoice{.id = start.session_id(), .wait = {}});
    case v1::ReceiveStart::kNextSession: {
      const Result<Duration> wait = WaitFromProto(start.next_session().max_wait());
      if (!wait.ok()) return wait.status();
      return SessionUse(SessionChoice{.id = std::nullopt, .wait = *wait});
    }
    case v1::ReceiveStart::kSessionLockToken: {
      const Result<LockToken> token = SessionTokenFromProto(start.session_lock_token());
      if (!token.ok()) return token.status();
      return SessionUse(*token);
    }
    case v1::ReceiveStart::kManySessions:
      return ManyFromProto(start.many_sessions());
    case v1::ReceiveStart::SESSION_NOT_SET:
      break;
  }
  return SessionUse();
}

Result<SessionChoice> FromProto(const v1::AcceptSessionRequest& proto) {
  const Result<Duration> wait = WaitFromProto(proto.max_wait());
  if (!wait.ok()) return wait.status();
  SessionChoice choice{.id = std::nullopt, .wait = *wait};
  if (proto.has_session_id()) choice.id = proto.session_id();
  return choice;
}

Result<ListSessionsRequest> FromProto(const v1::ListSessionsRequest& proto) {
  const Result<std::uint32_t> count = PageSizeFromProto(proto.page_size(), kSessionPageMax);
  if (!count.ok()) return count.status();
  Result<std::string> after = NameFromPageToken(proto.page_token());
  if (!after.ok()) return after.status();
  ListSessionsRequest request;
  request.entity.path = proto.entity_path();
  if (!after->empty()) request.after = *std::move(after);
  request.count_max = *count;
  if (proto.has_state_updated_since()) {
    const Result<Timestamp> since =
        TimeFromProto("state_updated_since", proto.state_updated_since());
    if (!since.ok()) return since.status();
    request.state_updated_since = *since;
  }
  return request;
}

void ToProto(const AcceptedSession& session, v1::AcceptedSession* proto) {
  proto->set_session_id(session.id);
  proto->set_session_lock_token(session.token.ToBytes());
  ToProto(session.until, proto->mutable_locked_until());
  ToProto(session.lock_duration, proto->mutable_lock_duration());
}

void ToProto(const EndedSession& session, const AboutRequest& about, v1::SessionEnded* proto) {
  proto->set_session_id(session.id);
  proto->set_session_lock_token(session.token.ToBytes());
  if (!session.reason.ok()) *proto->mutable_error() = ToProto(session.reason, about);
}

void ToProto(const SessionPage& page, v1::ListSessionsResponse* proto) {
  for (const SessionInfo& session : page.sessions) InfoToProto(session, proto->add_sessions());
  if (page.next_after) proto->set_next_page_token(PageTokenOfName(*page.next_after));
}

void ToProto(const DeepestSessions& deepest, v1::ListDeepestSessionsResponse* proto) {
  for (const SessionDepth& depth : deepest.sessions) {
    v1::ListDeepestSessionsResponse::Depth* session = proto->add_sessions();
    session->set_session_id(depth.session);
    session->set_message_count(depth.messages);
  }
  ToProto(deepest.as_of, proto->mutable_as_of());
}

}  // namespace wharf
