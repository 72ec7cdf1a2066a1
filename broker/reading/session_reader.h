// Reads what the shard asks of sessions: the messages of one, which may be the next, a state.
//
// Used on reader threads; each call sees the store as it was at one instant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/queue/queue.h"
#include "broker/schema/records.h"
#include "storage/store.h"

namespace wharf {

// What the window of a session, or of a track, asked for (session_window.h).
Result<SessionReadBatch> ReadSessionWindow(const StoreView& view, const Shelf& shelf,
                                           const SessionRead& read);

// What is offered next (session_offers.h).
Result<OfferBatch> ReadSessionOffers(const StoreView& view, const Shelf& shelf,
                                     const ReadOffers& read);

// Messages of a session that wait or are delayed, without their bodies.
struct ExpiredPage {
  std::vector<FoundMessage> messages;
  std::vector<UnreadableMessage> unreadable{};
  // Where the next page begins; nothing: that was all. A page may be empty and not the last.
  std::optional<SequenceNumber> next{};
};
// From one number up to and with another.
Result<ExpiredPage> ReadExpiredOfSession(const StoreView& view, const Shelf& shelf,
                                         const std::string& session, SequenceNumber from,
                                         SequenceNumber through, std::size_t messages_max);

// Nothing if the session has no state.
Result<std::optional<SessionState>> ReadSessionState(const StoreView& view, EntityId entity,
                                                     const std::string& session);
// What it is counted with; 0 if it cannot be read. A new one takes its place all the same, and its
// bytes are counted until a repair.
Result<std::int64_t> ReadStateBytes(const StoreView& view, EntityId entity,
                                    const std::string& session);

}  // namespace wharf
