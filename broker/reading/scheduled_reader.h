// Reads scheduled messages by their numbers, or in the order of their times.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <optional>
#include <vector>

#include "broker/core/messages/scheduled_page.h"
#include "broker/core/queue/queue.h"
#include "storage/store.h"

namespace wharf {

// The messages that are there, without bodies in rows of their own.
Result<Contents> ReadScheduled(const StoreView& view, EntityId entity,
                               const std::vector<SequenceNumber>& numbers);

// In the order of their times (SCX-1), with their bodies; at least one if there is any. Numbers
// below `floor` are gone.
Result<ScheduledPage> ListScheduled(const StoreView& view, EntityId entity,
                                    const ScheduledTime& from, SequenceNumber floor,
                                    std::size_t messages_max, std::size_t bytes_max);

}  // namespace wharf
