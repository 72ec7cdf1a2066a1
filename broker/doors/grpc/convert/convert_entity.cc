#include "broker/doors/grpc/convert/convert_entity.h"

#include "broker/doors/common/field_error.h"
#include "broker/doors/grpc/convert/convert.h"

namespace wharf {

Result<EntityStatus> FromProto(v1::EntityStatus status) {
  switch (status) {
    case v1::ENTITY_STATUS_UNSPECIFIED:
    case v1::ENTITY_STATUS_ACTIVE:
      return EntityStatus::kActive;
    case v1::ENTITY_STATUS_DISABLED:
      return EntityStatus::kDisabled;
    case v1::ENTITY_STATUS_SEND_DISABLED:
      return EntityStatus::kSendDisabled;
    case v1::ENTITY_STATUS_RECEIVE_DISABLED:
      return EntityStatus::kReceiveDisabled;
    default:
      return BadValue("status", "is unknown");
  }
}

// The proto's numbers are Azure's plus one for Active and Disabled, and the same for the rest.
v1::EntityStatus ToProto(EntityStatus status) {
  switch (status) {
    case EntityStatus::kActive:
      return v1::ENTITY_STATUS_ACTIVE;
    case EntityStatus::kDisabled:
      return v1::ENTITY_STATUS_DISABLED;
    case EntityStatus::kSendDisabled:
      return v1::ENTITY_STATUS_SEND_DISABLED;
    case EntityStatus::kReceiveDisabled:
      return v1::ENTITY_STATUS_RECEIVE_DISABLED;
  }
  return v1::ENTITY_STATUS_UNSPECIFIED;
}

Result<SessionExpiryScope> FromProto(v1::SessionExpiryScope scope) {
  switch (scope) {
    case v1::SESSION_EXPIRY_SCOPE_UNSPECIFIED:
    case v1::SESSION_EXPIRY_SCOPE_SESSION:
      return SessionExpiryScope::kSession;
    case v1::SESSION_EXPIRY_SCOPE_MESSAGE:
      return SessionExpiryScope::kMessage;
    default:
      return BadValue("session_expiry_scope", "is unknown");
  }
}

v1::SessionExpiryScope ToProto(SessionExpiryScope scope) {
  switch (scope) {
    case SessionExpiryScope::kSession:
      return v1::SESSION_EXPIRY_SCOPE_SESSION;
    case SessionExpiryScope::kMessage:
      return v1::SESSION_EXPIRY_SCOPE_MESSAGE;
  }
  return v1::SESSION_EXPIRY_SCOPE_UNSPECIFIED;
}

Status SetDuration(std::string_view field, bool is_present, const google::protobuf::Duration& from,
                   Duration& to) {
  if (!is_present) return {};
  Result<Duration> duration = DurationFromProto(field, from);
  if (duration.ok()) to = *duration;
  return duration.status();
}

}  // namespace wharf
