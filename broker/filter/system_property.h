// SystemProperty: what `sys.` names in filters and actions (SQL-25).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wharf {

enum class SystemProperty : std::uint8_t {
  kContentType,
  kCorrelationId,
  kCreationTimeMs,
  kDeadLetterSource,
  kDeliveryCount,
  kDeliveryMode,
  kEnqueuedSequenceNumber,
  kEnqueuedTimeUtc,
  kExpiresAtUtc,
  kForcePersistence,
  kLabel,
  kMessageId,
  kPartitionKey,
  kPriority,
  kReplyTo,
  kReplyToSessionId,
  kScheduledEnqueueTimeUtc,
  kSequenceNumber,
  kSessionId,
  kSize,
  kState,
  kTimeToLive,
  kTo,
  kViaPartitionKey,
};

// The property that is called `name`, in whatever case, without its scope.
std::optional<SystemProperty> FindSystemProperty(std::string_view name);

// Its name without its scope, as Service Bus spells it: "Label".
std::string_view NameOf(SystemProperty property);

// Whether an action may change it (ACT-6).
bool IsWritable(SystemProperty property);

}  // namespace wharf
