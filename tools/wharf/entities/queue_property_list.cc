#include "tools/wharf/entities/queue_property_list.h"

namespace wharf::tool {
namespace {

constexpr PropertyHelp kProperties[] = {
    {"lock_duration", "How long a message stays locked for its receiver: 5s to 1d; default 1m"},
    {"max_size_in_megabytes", "Refuse messages when this is stored: 1 MiB and up; default 1024"},
    {"max_message_size_in_kilobytes", "The largest message: 1 to 102400 KiB; default 1024"},
    {"requires_duplicate_detection",
     "Drop messages whose id was seen within the window; default false", true},
    {"duplicate_detection_history_time_window", "20s to 7d; default 10m"},
    {"requires_session",
     "Every message belongs to a session, whose messages come in order to one receiver at a time; "
     "default false",
     true},
    {"session_expiry_scope",
     "What expires with one message of a session: session, all that wait in it, or message, that "
     "one alone; default session"},
    {"default_message_time_to_live",
     "How long a message lives at most: 1s and up; default never (it lives for ever)"},
    {"dead_lettering_on_message_expiration",
     "Keep expired messages in the dead-letter queue; default false"},
    {"max_delivery_count", "Failed deliveries before the dead-letter queue: 1 and up; default 10"},
    {"enable_batched_operations", "For compatibility, without effect; default true"},
    {"status", "active, disabled, send-disabled or receive-disabled; default active"},
    {"forward_to", "Move every message to this entity; \"\" for none, the default"},
    {"forward_dead_lettered_messages_to", "Move dead-lettered messages there; \"\" for none"},
    {"auto_delete_on_idle", "Delete the queue after so long without use: 5m and up; default never"},
    {"enable_partitioning",
     "16 partitions, each in order; messages with equal keys go to the same; default false", true},
    {"enable_priority", "Messages with a higher priority, 0 to 9, come first; default false", true},
    {"user_metadata", "Free text, at most 1024 characters; \"\" for none"},
    {"support_ordering", "For compatibility, without effect; default true"},
    {"enable_express", "For compatibility, without effect; default false", true},
    {"event_log_size_in_kilobytes",
     "Keep so much of what happens to messages, for wharf trace: 64 to 1048576 KiB; default 0, no "
     "event log"},
    {"event_log_retention", "Keep it for so long: 1m to 365d; default 7d"},
};

}  // namespace

std::span<const PropertyHelp> AllQueueProperties() { return kProperties; }

void AddQueuePropertyOptions(CLI::App& command, bool is_creation, GivenProperties& given) {
  AddPropertyOptions(command, v1::QueueProperties::default_instance(), kProperties, is_creation,
                     given);
}

void KeepFixedProperties(const v1::QueueProperties& from, v1::QueueProperties& queue) {
  KeepFixedProperties(kProperties, from, queue);
}

}  // namespace wharf::tool
