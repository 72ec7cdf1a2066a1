#include "broker/filter/system_property.h"

#include <algorithm>
#include <iterator>

#include "broker/filter/property_name.h"

namespace wharf {
namespace {

struct Entry {
  std::string_view name;
  SystemProperty property;
};

constexpr Entry kEntries[] = {
    {"ContentType", SystemProperty::kContentType},
    {"CorrelationId", SystemProperty::kCorrelationId},
    {"CreationTimeMs", SystemProperty::kCreationTimeMs},
    {"DeadLetterSource", SystemProperty::kDeadLetterSource},
    {"DeliveryCount", SystemProperty::kDeliveryCount},
    {"DeliveryMode", SystemProperty::kDeliveryMode},
    {"EnqueuedSequenceNumber", SystemProperty::kEnqueuedSequenceNumber},
    {"EnqueuedTimeUtc", SystemProperty::kEnqueuedTimeUtc},
    {"ExpiresAtUtc", SystemProperty::kExpiresAtUtc},
    {"ForcePersistence", SystemProperty::kForcePersistence},
    {"Label", SystemProperty::kLabel},
    {"MessageId", SystemProperty::kMessageId},
    {"PartitionKey", SystemProperty::kPartitionKey},
    {"Priority", SystemProperty::kPriority},
    {"ReplyTo", SystemProperty::kReplyTo},
    {"ReplyToSessionId", SystemProperty::kReplyToSessionId},
    {"ScheduledEnqueueTimeUtc", SystemProperty::kScheduledEnqueueTimeUtc},
    {"SequenceNumber", SystemProperty::kSequenceNumber},
    {"SessionId", SystemProperty::kSessionId},
    {"Size", SystemProperty::kSize},
    {"State", SystemProperty::kState},
    {"Subject", SystemProperty::kLabel},
    {"TimeToLive", SystemProperty::kTimeToLive},
    {"To", SystemProperty::kTo},
    {"ViaPartitionKey", SystemProperty::kViaPartitionKey},
};

}  // namespace

std::optional<SystemProperty> FindSystemProperty(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kEntries), std::end(kEntries),
                   [&](const Entry& entry) { return SameName(entry.name, name); });
  if (found == std::end(kEntries)) return std::nullopt;
  return found->property;
}

std::string_view NameOf(SystemProperty property) {
  return std::find_if(std::begin(kEntries), std::end(kEntries),
                      [&](const Entry& entry) { return entry.property == property; })
      ->name;
}

bool IsWritable(SystemProperty property) {
  switch (property) {
    case SystemProperty::kContentType:
    case SystemProperty::kCorrelationId:
    case SystemProperty::kLabel:
    case SystemProperty::kMessageId:
    case SystemProperty::kPartitionKey:
    case SystemProperty::kReplyTo:
    case SystemProperty::kReplyToSessionId:
    case SystemProperty::kScheduledEnqueueTimeUtc:
    case SystemProperty::kSessionId:
    case SystemProperty::kTimeToLive:
    case SystemProperty::kTo:
    case SystemProperty::kViaPartitionKey:
      return true;
    case SystemProperty::kCreationTimeMs:
    case SystemProperty::kDeadLetterSource:
    case SystemProperty::kDeliveryCount:
    case SystemProperty::kDeliveryMode:
    case SystemProperty::kEnqueuedSequenceNumber:
    case SystemProperty::kEnqueuedTimeUtc:
    case SystemProperty::kExpiresAtUtc:
    case SystemProperty::kForcePersistence:
    case SystemProperty::kPriority:
    case SystemProperty::kSequenceNumber:
    case SystemProperty::kSize:
    case SystemProperty::kState:
      return false;
  }
  return false;
}

}  // namespace wharf
