// What queues, topics and subscriptions have in common, on the wire and in the broker. Used by
// their conversions.
#pragma once

#include <string_view>

#include <wharf/v1/management.pb.h>

#include "broker/core/entities/queue_description.h"
#include "broker/doors/grpc/convert/convert.h"
#include "storage/base/status.h"

namespace wharf {

// Unspecified: active.
Result<EntityStatus> FromProto(v1::EntityStatus status);
v1::EntityStatus ToProto(EntityStatus status);

// Unspecified: the session as a whole.
Result<SessionExpiryScope> FromProto(v1::SessionExpiryScope scope);
v1::SessionExpiryScope ToProto(SessionExpiryScope scope);

// A field that is absent leaves the default in `to`. The error names the field.
Status SetDuration(std::string_view field, bool is_present, const google::protobuf::Duration& from,
                   Duration& to);

// The event log of whatever kind of entity.
template <typename Properties>
Status SetEventLog(const Properties& proto, QueueDescription& description) {
  description.event_log_size_in_kilobytes = proto.event_log_size_in_kilobytes();
  return SetDuration("event_log_retention", proto.has_event_log_retention(),
                     proto.event_log_retention(), description.event_log_retention);
}

template <typename Properties>
void EventLogToProto(const QueueDescription& description, Properties* proto) {
  if (!description.has_event_log()) return;
  proto->set_event_log_size_in_kilobytes(description.event_log_size_in_kilobytes);
  ToProto(description.event_log_retention, proto->mutable_event_log_retention());
}

}  // namespace wharf
