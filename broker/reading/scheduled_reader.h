// Reads scheduled messages by their numbers, or in the order of their times; past what cannot be
// read.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "broker/core/messages/scheduled_page.h"
#include "broker/core/queue/queue.h"
#include "broker/schema/message_rows.h"
#include "storage/store.h"

namespace wharf {

// The messages that are there, without bodies in rows of their own. One whose row is damaged is
// there if a time stands in the store that it waits for.
Result<FoundScheduled> ReadScheduled(const StoreView& view, EntityId entity,
                                     const std::vector<SequenceNumber>& numbers);

struct ScheduledListing {
  EntityId entity;
  ScheduledTime from{};
  // Numbers below it are gone.
  SequenceNumber floor{};
  std::size_t messages_max = 1;
  std::size_t bytes_max = 0;
  // kLeave: messages are shown without.
  Bodies bodies = Bodies::kLoad;
};
// In the order of their times (SCX-1); at least one if there is any. Those whose place in this
// order cannot be read are left out.
Result<ScheduledPage> ListScheduled(const StoreView& view, const ScheduledListing& listing);

// What one row says.
struct ScheduledLook {
  // Null: there is none, or it cannot be read.
  MessagePtr message{};
  // Why it cannot be read, or, if there is a message, its body.
  std::string unreadable{};
  // As it is stored, if it is not damaged and says nothing.
  std::string record{};

  bool is_there() const { return message != nullptr || !unreadable.empty(); }
};
Result<ScheduledLook> LookAtScheduled(const StoreView& view, EntityId entity, SequenceNumber number,
                                      Bodies bodies);

}  // namespace wharf
