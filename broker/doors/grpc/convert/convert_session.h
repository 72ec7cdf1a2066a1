// Conversions of sessions between wharf.v1 and the broker's own values; the others are in
// convert.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <wharf/v1/messaging.pb.h>
#include <wharf/v1/sessions.pb.h>

#include "broker/doors/grpc/errors.h"
#include "broker/requests/session_requests.h"

namespace wharf {

// 16 bytes, or ArgumentError.
Result<LockToken> SessionTokenFromProto(const std::string& bytes);
// Empty: none.
Result<std::optional<LockToken>> OptionalSessionTokenFromProto(const std::string& bytes);
// Which session a stream wants, if any.
Result<SessionUse> SessionFromProto(const v1::ReceiveStart& start);
Result<SessionChoice> FromProto(const v1::AcceptSessionRequest& proto);
// A page token is the id of the last session of the page before.
Result<ListSessionsRequest> FromProto(const v1::ListSessionsRequest& proto);

void ToProto(const AcceptedSession& session, v1::AcceptedSession* proto);
void ToProto(const EndedSession& session, const AboutRequest& about, v1::SessionEnded* proto);
void ToProto(const SessionPage& page, v1::ListSessionsResponse* proto);
void ToProto(const DeepestSessions& deepest, v1::ListDeepestSessionsResponse* proto);

}  // namespace wharf
