// Looks through the messages of a lane in the order of their numbers, as a peek or a job does.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/messages/peek.h"
#include "broker/reading/page_filter.h"
#include "broker/schema/message_rows.h"
#include "storage/store.h"

namespace wharf {

struct PeekRange {
  Shelf shelf;
  SequenceNumber from;
  // Scheduled messages with lower numbers are gone.
  SequenceNumber scheduled_floor;
  PeekFilter filter = PeekFilter::kAll;
  std::size_t messages_max = 0;
  std::size_t bytes_max = 0;
  // Only messages of this session (PEEK-8).
  std::optional<std::string> session_id{};
  PageCondition condition{};
  // Some of the lane's messages are in quarantine, and are shown, too.
  bool has_quarantined = false;
  // kLeave: messages are shown without, whatever they take in the store.
  Bodies bodies = Bodies::kLoad;
};

// Past what cannot be read. At least one message if there is any among the rows that a page looks
// at.
Result<PeekPage> ReadPeek(const StoreView& view, const PeekRange& range);

// Messages of every standing from `from` up to but not `until`.
struct ScanRange {
  Shelf shelf;
  SequenceNumber from;
  SequenceNumber until;
  // What one page looks at, at most.
  std::size_t rows_max = 1;
  PageCondition condition{};
  // What it takes: messages, at most, and about so many bytes of them, without their bodies. At
  // least one message, if there is any.
  std::size_t taken_max = std::numeric_limits<std::size_t>::max();
  std::size_t taken_bytes_max = std::numeric_limits<std::size_t>::max();
};
struct ScanPage {
  // Messages that the condition takes, without their bodies.
  std::vector<FoundMessage> messages;
  std::size_t looked_at = 0;
  // Of the messages, about.
  std::size_t taken_bytes = 0;
  // Where to go on; nothing if there is no more.
  std::optional<SequenceNumber> next;
};
Result<ScanPage> ScanLane(const StoreView& view, const ScanRange& range);

// What it takes to tell of a message without its body, about.
std::size_t ToldBytesOf(const StoredMessage& message, const Delivery& delivery);
// What a page has of it: with its body as far as it is held in memory, or without.
std::size_t ShownBytesOf(const StoredMessage& message, const Delivery& delivery, Bodies bodies);

}  // namespace wharf
